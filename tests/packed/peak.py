"""peak.py FILE COMMAND...: runs the command; FILE gets its peak memory in KiB. The status is the command's."""
import os
import subprocess
import sys

process = subprocess.Popen(sys.argv[2:])
_, status, usage = os.wait4(process.pid, 0)
process.returncode = os.waitstatus_to_exitcode(status)
with open(sys.argv[1], "w", encoding="ascii") as file:
    print(usage.ru_maxrss, file=file)
sys.exit(process.returncode)
