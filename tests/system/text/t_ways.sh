#!/bin/bash
# Every way to an output past stdio: system calls by their numbers, asynchronous writes, copies that the kernel makes, what
# opens, copies, closes, cuts or makes room; natively and recorded, the output a file, one that is appended to, and a pipe.
# And what comes to the file by a way that nobody sees is told at the end.
. tests/support/lib.sh
build ways -w
ways='sys_write sys_writev sys_transfers sys_descriptors sys_file sys_open sys_leave sys_execute asynchronous list at_offsets
	pipes allocate flags files vectors shared apart words sockets'

# Its stdout is a socket, and what comes out of it goes to FILE.
on_socket='import socket, subprocess, sys
ours, its = socket.socketpair()
status = subprocess.call(sys.argv[2:], stdout=its)
its.close()
open(sys.argv[1], "wb").write(ours.makefile("rb").read())
sys.exit(status)'

run() { # DIR HOW WAY [VARIABLE=VALUE...]: in DIR; its stdout is a file, one that is appended to, or a pipe
	local dir=$1
	rm -rf "$dir"
	mkdir -p "$dir/files"
	echo "was there" >"$dir/out"
	(
		cd "$dir/files" || exit
		set -- "$2" env "${@:4}" timeout -s KILL 60 "$TMP/ways" "$3"
		case $1 in
		file) "${@:2}" >"$dir/out" ;;
		append) "${@:2}" >>"$dir/out" ;;
		empty) : >"$dir/out"; "${@:2}" 1<>"$dir/out" ;;
		pipe) "${@:2}" | cat >"$dir/out"; exit "${PIPESTATUS[0]}" ;;
		socket) python3 -c "$on_socket" "$dir/out" "${@:2}" ;;
		esac
	) 2>"$dir/err" </dev/null
	echo $? >>"$dir/files/results"
}
recorded_run() { # DIR HOW WAY
	run "$1" "$2" "$3" LD_PRELOAD="$lib" BINLOG_DIR="$1/capture"
	mv "$1/out" "$1/real"
	"$show" --raw --as-written --stream=stdout "$1/capture" >"$1/out" 2>"$1/told"
}
in_mode() { # HOW WAY
	local n=$TMP/n r=$TMP/r why
	run "$n" "$1" "$2"
	recorded_run "$r" "$1" "$2"
	case $1 in
	pipe) why=$(cmp "$n/out" "$r/real" 2>&1) ;;
	append) why=$(echo "was there" | cmp - "$r/real" 2>&1; echo "was there" | cat - "$r/out" >"$r/all"; mv "$r/all" "$r/out") ;;
	*) why=$(cat "$r/real") ;;
	esac
	why+=$(cmp "$n/out" "$r/out" 2>&1; diff -ar "$n/files" "$r/files"; cat "$r/told")
	verdict ${#why} "$2, to a $1: recorded is what it writes natively" "$why"
}
for way in $ways; do
	for how in file append pipe; do
		in_mode $how "$way"
	done
done
for way in sys_write sys_writev sys_transfers sockets words; do
	in_mode socket $way
done
(
	export BINLOG_STREAMS=stdout=tee
	run "$TMP/n" socket sockets
	recorded_run "$TMP/r" socket sockets
	cmp "$TMP/n/out" "$TMP/r/real" && cmp "$TMP/n/out" "$TMP/r/out"
) >"$TMP/why" 2>&1
verdict $? "sockets, to a socket that is also written: both have it" "$(cat "$TMP/why")"

# The file itself has what was stored, too, and is as long as it would be.
in_memory() {
	local why
	for dir in n r; do
		[ $dir = n ] && run "$TMP/$dir" empty mapped || recorded_run "$TMP/$dir" empty mapped
	done
	why=$(cmp "$TMP/n/out" "$TMP/r/out" 2>&1; diff -ar "$TMP/n/files" "$TMP/r/files"; cat "$TMP/r/told")
	verdict ${#why} "mapped, to a file that can be read: recorded is what it stores natively" "$why"
	same "mapped: the file itself is as long" "$(stat -c %s "$TMP/n/out")" "$(stat -c %s "$TMP/r/real")"
}
in_memory

# ---- what nobody sees ----
unseen() { # HOW WAY BYTES...: so many are told of, each by one sentence, and they are in the file
	recorded_run "$TMP/r" "$1" "$2"
	same "$2, to a $1: what was not seen is told" "$(printf '%s\n' "${@:3}")" \
		"$(sed -n 's/.*is missing: it came to the file itself.*(bytes \([0-9]*\)).*/\1/p' "$TMP/r/told")"
}
for how in file append; do
	unseen $how instruction 7
	verdict $((!$(grep -c "^unseen" "$TMP/r/real"))) "instruction, to a $how: it is in the file"
	unseen $how quick 7
	unseen $how in_child 7 10
	unseen $how cuts 7
	unseen $how closes 7
	unseen $how closes_number 7
	unseen $how replaces 7
	unseen $how nothing
done
same "what is not told of is not there" "" "$(cat "$TMP/r/told")"

own() { # MODES: both outputs in one file
	(cd "$TMP" && BINLOG_STREAMS=$1 LD_PRELOAD=$lib BINLOG_DIR=$TMP/own "$TMP/ways" executes >"$TMP/out" 2>&1)
	"$show" --raw "$TMP/own" 2>&1 >/dev/null | sed -n 's/.*text of \(.*\) is missing.*(bytes \([0-9]*\)).*/\1 \2/p'
	rm -rf "$TMP/own" "$TMP/results"
}
same "both outputs are one file: told once, before the program is another" "both outputs 7" "$(own '')"
same "an output that is written, too, is not told of" "" "$(own all=tee)"
same "nor one that is left alone while the other is not" "" "$(own stdout=pass)"
# ---- a library behind us that makes its write() of syscall(), by itself or by another one ----
behind() { # NAME: the library $TMP/NAME.so
	$CC -shared -fPIC -w -O1 -o "$TMP/$1.so" -x c - -x none "${@:2}" || exit 1
}
behind helper <<'C'
#include <unistd.h>
long by_number(long number, long a, long b, long c) { return syscall(number, a, b, c); }
C
behind alone <<'C'
#include <sys/syscall.h>
#include <unistd.h>
ssize_t write(int fd, const void *p, size_t size) { return syscall(SYS_write, fd, p, size); }
int close(int fd) { return syscall(SYS_close, fd); }
C
behind by_another -Wl,-rpath,"$TMP" "$TMP/helper.so" <<'C'
#include <sys/syscall.h>
#include <unistd.h>
long by_number(long number, long a, long b, long c);
ssize_t write(int fd, const void *p, size_t size) { return by_number(SYS_write, fd, (long)p, size); }
C
with_behind() { # NAME [VARIABLE=VALUE...]: what is recorded, and then what is written
	rm -rf "$TMP/got"
	(cd "$TMP" && env "${@:2}" LD_PRELOAD="$lib:$TMP/$1.so" BINLOG_DIR="$TMP/got" timeout -s KILL 20 \
		"$TMP/ways" sys_write 2>/dev/null) | cat >"$TMP/real"
	echo "recorded: $("$show" --raw -q --stream=stdout "$TMP/got")"
	echo "written: $(cat "$TMP/real")"
}
said='said before
by number
said after'
same "a write() behind us: to a pipe each is recorded once, and written" "recorded: $said
written: $said" "$(with_behind alone)"
same "a write() behind us that another library makes: it ends, and all is written" "written: $said" \
	"$(with_behind by_another | sed -n '/^written/,$p')"
same "a write() behind us, and no room for a record: all is written" "recorded: 
written: $said" "$(with_behind alone BINLOG_MAX_SIZE=4096)"
same "likewise by another" "written: $said" "$(with_behind by_another BINLOG_MAX_SIZE=4096 | sed -n '/^written/,$p')"

# ---- a program that is not recorded ----
recorded "$TMP/r" bash -c "echo said; env -u LD_PRELOAD echo plain; echo said"
"$show" --raw "$TMP/r/capture" >"$TMP/out" 2>"$TMP/told"
same "what a program says that is not recorded is told of at the end of one that is" "(bytes 6)" \
	"$(grep -o '(bytes [0-9]*)' "$TMP/told")"
finish
