#!/bin/bash
# B3a: other libraries in LD_PRELOAD, before us and after us, and programs that
# are watched by a sanitizer or by valgrind: everything as without us, no new
# report, no old one missing.
. tests/support/lib.sh
run=$BUILD/binlog-run
build neighbours -ldl
neighbours=$TMP/neighbours

# ---- other libraries ----
find_library() { # NAME: its path, or nothing
	find /usr/lib /usr/libexec /usr/local/lib -name "$1" \( -type f -o -type l \) 2>/dev/null | head -n 1
}
beside() { # NAME LIBRARY SENTENCE: natively with it, then with both in either order
	local why order
	if [ -z "$2" ]; then
		skip "B3a: $1 is not installed"
		return
	fi
	natively "$TMP/native" env LD_PRELOAD="$2" "$neighbours"
	for order in "$lib:$2" "$2:$lib"; do
		recorded "$TMP/recorded" env LD_PRELOAD="$order" "$neighbours"
		why+=$(differences "$TMP/native" "$TMP/recorded")
	done
	verdict ${#why} "B3a: with $1, before it and after it: as with it alone" "$why"
}
for name in libjemalloc.so.2 libtcmalloc_minimal.so.4 libtcmalloc_minimal_debug.so.4 'libmimalloc.so.[23]' libeatmydata.so; do
	beside "$name" "$(find_library "$name")"
done
for name in libfaketime.so.1 libfaketimeMT.so.1; do
	FAKETIME='1990-01-01 00:00:00' beside "$name" "$(find_library "$name")"
	[ ! -d "$TMP/native" ] || same "B3a: $name has an effect" "year 90" "$(grep ^year "$TMP/recorded/stdout")"
done

through() { # NAME COMMAND...: a command that preloads a library of its own
	local why
	if ! type -P "$2" >/dev/null; then
		skip "B3a: $1 is not installed"
		return
	fi
	natively "$TMP/native" "${@:2}" "$neighbours"
	recorded "$TMP/recorded" "${@:2}" "$neighbours"
	why=$(differences "$TMP/native" "$TMP/recorded")
	verdict ${#why} "B3a: below $1: as below it alone" "$why"
	recorded "$TMP/recorded" env LD_PRELOAD= "${@:2}" "$run" "$neighbours"
	why=$(differences "$TMP/native" "$TMP/recorded")
	verdict ${#why} "B3a: binlog-run below $1: the same" "$why"
}
through "stdbuf -oL -e0" stdbuf -oL -e0
through fakeroot fakeroot
same "B3a: binlog-run keeps what is in LD_PRELOAD, behind us" "$(realpath "$lib"):libm.so.6" \
	"$(LD_PRELOAD=libm.so.6 BINLOG_DISABLE=1 "$run" printenv LD_PRELOAD)"

# ---- checkers ----
export ASAN_OPTIONS=color=never TSAN_OPTIONS=color=never
source=("$here/victims/neighbours.c" -std=gnu11 -D_GNU_SOURCE -g -O1 -w -pthread -ldl)
faulty=("$here/victims/faults.c" -std=gnu11 -D_GNU_SOURCE -g -O1 -w -pthread)

# What is said of an error, less what differs between two runs.
reports() { # DIR FILE
	cat "$1/status"
	grep -ahE '^SUMMARY|ERROR:|WARNING:|runtime error' "$1/$2" |
		sed -E 's/=*[0-9]+=*//; s/0x[0-9a-f]+/0x/g; s/ \(pid.*//; s/ in .*//; s/ on address.*//; s/pc .*//'
}
watched() { # NAME COMPILER KINDS OPTION...: a clean program, and one with errors
	local kind why
	if ! "$2" "${@:4}" "${source[@]}" -o "$TMP/watched" 2>/dev/null ||
		! "$2" "${@:4}" "${faulty[@]}" -o "$TMP/faulty" 2>/dev/null; then
		skip "B3a: $1: $2 cannot build it"
		return
	fi
	natively "$TMP/native" "$TMP/watched"
	if ! [ "$(cat "$TMP/native/status")" = 4 ]; then
		skip "B3a: $1: does not run here: $(head -n 1 "$TMP/native/stderr")"
		return
	fi
	recorded "$TMP/recorded" env LD_PRELOAD= "$run" "$TMP/watched"
	why=$(differences "$TMP/native" "$TMP/recorded")
	verdict ${#why} "B3a: $1: 0 new reports, and all as without us" "$why"
	for kind in $3; do
		natively "$TMP/native" "$TMP/faulty" "$kind"
		recorded "$TMP/recorded" env LD_PRELOAD= "$run" "$TMP/faulty" "$kind"
		same "B3a: $1: finds what there is to find: $kind" \
			"$(reports "$TMP/native" stderr)" "$(reports "$TMP/recorded" real.stderr)"
	done
}
watched "ASan of gcc" gcc "string freed leak" -fsanitize=address
watched "TSan of gcc" gcc race -fsanitize=thread
watched "UBSan of gcc" gcc overflow -fsanitize=undefined
watched "LSan of gcc" gcc leak -fsanitize=leak
watched "ASan of clang" clang "string freed leak" -fsanitize=address
watched "TSan of clang" clang race -fsanitize=thread
if type -P clang >/dev/null; then
	runtime=$(dirname "$(clang -print-file-name=libclang_rt.asan-x86_64.so)")
	LD_LIBRARY_PATH=$runtime watched "ASan of clang, as a library" clang string -fsanitize=address -shared-libasan
fi

if type -P valgrind >/dev/null; then
	build faults
	checked=(valgrind -q --error-exitcode=77 --leak-check=full)
	natively "$TMP/native" "${checked[@]}" "$neighbours"
	recorded "$TMP/recorded" "${checked[@]}" "$neighbours"
	why=$(differences "$TMP/native" "$TMP/recorded")
	verdict ${#why} "B3a: valgrind: 0 new reports, and all as without us" "$why"
	for kind in freed argument leak; do
		natively "$TMP/native" "${checked[@]}" "$TMP/faults" $kind
		recorded "$TMP/recorded" "${checked[@]}" "$TMP/faults" $kind
		same "B3a: valgrind: finds what there is to find: $kind" 77 "$(cat "$TMP/recorded/status")"
	done
else
	skip "B3a: valgrind is not installed"
fi
finish
