#!/usr/bin/env python3
"""on_terminal.py COLUMNS ROWS [KEYS] -- COMMAND...: what a command says to a terminal of that size.

Both standard output and standard error are the terminal.  KEYS are typed one after the other, each when nothing has come
for a while.  What comes is written as it is, but for the terminal's own carriage returns; ends with the command's status.
"""
import fcntl
import os
import pty
import select
import struct
import sys
import termios
import time

end = sys.argv.index("--")
columns, rows, *keys = sys.argv[1:end]
keys = list(keys[0].encode().decode("unicode_escape").encode()) if keys else []
child, master = pty.fork()
if child == 0:
    time.sleep(0.05)  # until its size is set
    os.environ["TERM"] = "xterm"
    os.execvp(sys.argv[end + 1], sys.argv[end + 1:])
fcntl.ioctl(master, termios.TIOCSWINSZ, struct.pack("HHHH", int(rows), int(columns), 0, 0))
said, until = b"", time.monotonic() + 20
while time.monotonic() < until:
    if not select.select([master], [], [], 0.4)[0]:
        if keys:
            os.write(master, bytes([keys.pop(0)]))
        continue
    try:
        new = os.read(master, 1 << 16)
    except OSError:
        break
    if not new:
        break
    said += new
else:
    os.kill(child, 9)
status = os.waitpid(child, 0)[1]
sys.stdout.buffer.write(said.replace(b"\r\n", b"\n"))
sys.stdout.flush()
sys.exit(os.waitstatus_to_exitcode(status) & 255)
