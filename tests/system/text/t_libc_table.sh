#!/bin/bash
# Every function of the libc at hand that prints is a row of wrappers/functions.def, or is named in libc-exceptions.txt
# with the reason why it is not.  Three nets: what sounds like printing, what sounds as if it opened, copied, closed, cut or
# mapped a file, and what libc's code is seen to print with.
. tests/support/lib.sh
libc=$($CC -print-file-name=libc.so.6)
archive=$($CC -print-file-name=libc.a)
exceptions=$here/support/libc-exceptions.txt
sounds='print|put|write|err|warn|log|msg|mess|dump|stats|abort|assert|argp|getopt|send|fatal|_chk$|_fail$|failure|help'
sounds+='|usage|getpass|psig|addmnt|backtrace|fmt|mtrace|obstack|splice|^tee$|word|rcmd|rexec|ruser|^moncontrol'
sounds+='|monstartup|mcleanup|clnt|svc|say|broadcast|rpc|flush|overflow|xsput|padn'

moves='^_*(aio|lio)_|falloc|^_*dup|fcntl|open|exec|spawn|mmap|munmap|msync|mremap|clos|trunc|copy_file|clone|unshare|fork|pipe|sendfile|sync|memfd'
moves+='|shm_|accept|socket|eventfd|timerfd|signalfd|inotify_init|epoll_create|fanotify_init|pidfd|tmpfile|mkstemp|mkostemp|process_vm|^remap|quota'

# Symbols without the private ones, which no program can link to.
functions=$(nm -D --defined-only --with-symbol-versions "$libc" |
	awk '$2 ~ /^[TWVi]$/ && !/@GLIBC_PRIVATE/ { sub(/@.*/, "", $3); print $3 }' | sort -u)
rows=$(awk -v only=names -f man/functions.awk wrappers/*functions.def | sort)
excepted=$(sed -n '/^#/d; s/:.*//p' "$exceptions")
known=$(printf '%s\n' "$rows" "$excepted" | sort -u)
unknown() { comm -23 - <(echo "$known"); } # FUNCTIONS on stdin, sorted

count=$(echo "$functions" | wc -l)
verdict $((count < 2000)) "libc has $count functions"
same "what sounds like printing is a row or an exception" "" "$(echo "$functions" | grep -E "$sounds" | unknown)"
same "what sounds like moving an output is a row or an exception" "" "$(echo "$functions" | grep -E "$moves" | unknown)"

if [ -e "$archive" ]; then
	printing=$(awk -f "$here/support/libc_printers.awk" <(nm -A "$archive" 2>/dev/null) \
		<(objdump -dr --no-show-raw-insn "$archive" 2>/dev/null) | awk '{ print $1 }' | sort -u |
		comm -12 - <(echo "$functions"))
	count=$(echo "$printing" | wc -l)
	verdict $((count < 90)) "$count functions are seen to print in libc's code"
	same "what is seen to print is a row or an exception" "" "$(echo "$printing" | unknown)"
	for name in getopt psiginfo malloc_info wordexp argp_parse perror putc __vprintf_chk; do
		echo "$printing" | grep -qx "$name"
		verdict $? "$name is seen to print"
	done
else
	skip "what is seen to print: there is no libc.a"
fi

same "no row is an exception, too" "" "$(comm -12 <(echo "$rows") <(echo "$excepted" | sort))"
same "every exception has a reason, once" "" "$(
	grep -vE '^(#.*|[A-Za-z0-9_]+: .{4,})$' "$exceptions"
	echo "$excepted" | sort | uniq -d)"
finish
