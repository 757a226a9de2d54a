#!/bin/bash
# Text that comes to an output past the library is told of at the end, how many bytes; by libraries that are bound to libc
# alone, in other namespaces, system calls without libc, static programs; and of nothing else is that said.
. tests/support/lib.sh
ulimit -c 0
build past
build_past_library() { $CC -shared -fPIC -w -o "$TMP/past.so" -x c -; }
build_past_library <<'C' || exit 1
#include <stdio.h>
void say(void) { printf("past\n"); fflush(stdout); }
C
$CC -static -w -o "$TMP/static" -x c - <<'C' || exit 1
#include <stdio.h>
int main(int argc, char **argv) { return argc > 1 ? printf("%s\n", argv[1]) < 0 : 0; }
C

# What is told of, each as "OUTPUT BYTES"; the output is $TMP/out, opened as HOW.
told() { # HOW COMMAND...
	rm -rf "$TMP/capture"
	echo "was there" >"$TMP/out"
	case $1 in
	file) run_it "${@:2}" >"$TMP/out" ;;
	append) run_it "${@:2}" >>"$TMP/out" ;;
	both) run_it "${@:2}" >"$TMP/out" 2>&1 ;;
	error) run_it "${@:2}" 2>"$TMP/out" >/dev/null ;;
	pipe) run_it "${@:2}" | cat >"$TMP/out" ;;
	esac 2>/dev/null
	"$show" --raw "$TMP/capture" 2>&1 >"$TMP/said" |
		sed -n 's/.*: text of \(.*\) is missing: it came to the file itself.*(bytes \([0-9]*\)).*/\1 \2/p'
}
run_it() { (cd "$TMP" && LD_PRELOAD=$lib BINLOG_DIR=$TMP/capture exec timeout -s KILL 60 "$@" </dev/null); }
past() { # HOW ARGUMENT...
	told "$1" "$TMP/past" "$2" "$TMP/past.so" "${@:3}"
}

for how in file append; do
	for way in deepbind namespace instruction; do
		for end in return leave execute fault abort; do
			same "$way, $end, to a $how: told" "standard output 5" "$(past $how $way $end said)"
			same "$way, $end, to a $how: what is seen is recorded" said "$(cat "$TMP/said")"
			same "$way, $end, to a $how: nobody else has said anything: told" "standard output 5" "$(past $how $way $end)"
			same "$way, $end, to a $how: of nothing nothing is told" "" "$(past $how nothing $end said)$(past $how nothing $end)"
		done
	done
done
same "both outputs in one file: once" "both outputs 5" "$(past both deepbind return)"
for way in deepbind namespace instruction; do
	same "$way, to a pipe: nothing can be compared, so nothing is told" "" "$(past pipe $way return said)"
done

# ---- static programs, below those that are recorded ----
same "a static program below a shell: told" "standard output 6" "$(told file sh -c "./static plain; exit 0")"
same "two of them, each told once" 13 \
	"$(told append sh -c './static plain; sh -c "./static second"; exit 0' | awk '{ n += $3 } END { print n }')"
same "one that says nothing is nothing" "" "$(told file sh -c './static; ./static; echo said; exit 0')"
same "a file that is its own is nothing of ours" "" "$(told file sh -c './static plain >other; exit 0')"

# ---- what libc says by itself before it aborts ----
for say in '' said; do
	for how in error both append; do
		same "what libc says last is recorded, and not missing, to $how${say:+, with something before}" "" \
			"$(past $how nothing free $say)"
	done
done

# ---- what others have written, moved or cut, in the way that is seen ----
while read -r command; do
	for how in file append both; do
		same "nothing is missing, to $how: $command" "" "$(told $how bash -c "$command")"
	done
done <<'TABLE'
true
echo a; (echo b; echo c >&2); echo d
(sleep 0.1; echo late) & echo first; wait
for i in 1 2 3; do echo $i & done; wait
exec 5>&1 1>&2; echo a >&5; exec 1>&5; echo b
cat past.so; head -c 3000 past.so >&2
dd if=past.so bs=512 count=3 2>&1
cp past.so /dev/stdout
sort past.so | tail -n 1; wc past.so
truncate -s 5 out; echo behind
: >out; echo begun again
echo a >>out; echo b >>out; tail -c 2 out
python3 -c 'import os; os.sendfile(1, os.open("past.so", 0), 0, 999); os.lseek(1, 5, 0); print("in the middle")'
python3 -c 'import mmap,os; f = open("out", "r+b"); f.truncate(5000); m = mmap.mmap(f.fileno(), 5000); m[3:5] = b"ab"; m.close()'
TABLE
finish
