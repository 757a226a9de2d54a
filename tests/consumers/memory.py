# memory.py COMMAND...: runs it and says on standard error the most memory that it had, in KiB.
import os
import sys

child = os.posix_spawnp(sys.argv[1], sys.argv[1:], os.environ)
_, status, usage = os.wait4(child, 0)
print(usage.ru_maxrss if status == 0 else 'failed', file=sys.stderr)
