#!/usr/bin/env python3
"""screen_width.py [MOST]: how many columns the widest line of a screen takes, as libc counts them; with MOST the lines that
take more.  Colours and links (OSC 8) take none."""
import ctypes
import re
import sys

libc = ctypes.CDLL(None, use_errno=True)
LC_CTYPE = 0
if not libc.setlocale(LC_CTYPE, b"C.UTF-8"):
    sys.exit("screen_width.py: no locale C.UTF-8")
libc.wcwidth.argtypes = [ctypes.c_wchar]
text = sys.stdin.buffer.read().decode("utf-8", "replace")
lines = re.sub(r"\033\[[0-9;]*m|\033\]8;;[^\033]*\033\\", "", text).split("\n")
widths = [sum(max(libc.wcwidth(c), 0) for c in line) for line in lines]
if len(sys.argv) > 1:
    most = int(sys.argv[1])
    sys.stdout.writelines(f"{width}: {line}\n" for width, line in zip(widths, lines) if width > most)
else:
    print(max(widths))
