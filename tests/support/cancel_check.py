"""cancel_check.py TEXT HOW: what cancel_points random has left behind; prints what is wrong.

All lines of calls that have returned are there once, one more at most of each thread, whole or in part, and those of
main.  HOW has "THREAD RETURNED WAY" in a line."""
import collections
import re
import sys

text = open(sys.argv[1], "rb").read().decode("latin-1")
found = collections.Counter()
last = {}
for thread, line in re.findall(r"(\d+) (-?\d+)<\n", text):
    found[int(thread), int(line)] += 1
    last[int(thread)] = max(last.get(int(thread), -1), int(line))
wrong = 0
for how in open(sys.argv[2]):
    thread, returned, way = how.split()
    thread, returned = int(thread), int(returned)
    missing = [n for n in range(returned) if not found[thread, n]]
    twice = [n for n in range(returned + 1) if found[thread, n] > 1]
    if missing or twice or last.get(thread, -1) > returned:
        print(f"thread {thread} by {way}: of {returned} missing {missing[:3]}, twice {twice[:3]}, "
              f"last {last.get(thread)}")
        wrong += 1
    # What a line was cut off after may be digits.
    if len(re.findall(rf"{thread} -1<\n", text)) < 1:
        print(f"thread {thread} by {way}: what main has said is missing")
        wrong += 1
    if wrong > 5:
        break
