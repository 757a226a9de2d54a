#!/bin/bash
# D6, B23b: a system call of the library fails, the k-th of them, once or from
# then on, for every k: the program says what it says natively, each line is
# written or recorded, once, and captured + passed + dropped are its calls.
. tests/support/lib.sh
. tests/support/accounts.sh
. tests/support/faults.sh

ways=calls
most=40
[ -z "${LONG:-}" ] || ways=${WAYS:-calls long threads forks handler streams children exhausted}
[ -z "${LONG:-}" ] || most=${MOST:-200}
for mode in replace tee; do
	for way in $ways; do
		n=$(number_of_calls $way $mode)
		n=$((n < most ? n : most))
		every "D6, B23b: the k-th system call fails once" $way $mode 1 $n
		[ -n "${LONG:-}" ] || step=2
		every "D6, B23b: the k-th and all that follow fail" $way $mode 1 $n -a
		step=1
	done
	every "D6: the disk is full in a child right after fork" children $mode 1 2 -a -c -s madvise -e EFAULT
	every "D6: the same once" children $mode 1 2 -c -s madvise -e EFAULT
	every "D6: nothing can be mapped in children" forks $mode 1 2 -a -c -s mprotect -e ENOMEM
	every "D6: no descriptor is left, and the disk is full, in a signal handler" exhausted $mode 1 2 -a -s madvise -e EFAULT
	every "D6: a long text meets a full disk in its middle" long $mode 3 7 -a -s madvise -e EFAULT
	every "D6: the same for a moment" long $mode 3 7 -s madvise -e EFAULT
done
why=$(fault exhausted replace)
verdict ${#why} "D6: no descriptor is left when a handler says the first thing" "$why"

# Names of frames, of which glibc makes a file.
cat >"$TMP/frames.c" <<'END'
#include <execinfo.h>
int main(void)
{
	void *frames[] = {(void *)16, (void *)17};

	backtrace_symbols_fd(frames, 2, 2);
	return 0;
}
END
$CC -o "$TMP/frames" "$TMP/frames.c" || exit 1
frames_fault() { # CALL K: whether there is a K-th
	rm -rf "$run" "$XDG_STATE_HOME"
	mkdir "$run"
	BINLOG_DIR=$run/capture BINLOG_STREAMS=all=replace \
		"$TMP/fault_injector" -l "$run/log" -s "$1" -k "$2" "$lib" "$TMP/frames" 2>"$run/stderr"
	grep -q failed "$run/log"
}
for call in fstat mmap; do
	wrong=''
	for ((k = 1; k < 100; k++)); do
		frames_fault $call $k || break
		[ "$(cat "$run/stderr"; "$show" --raw -q "$run/capture" 2>/dev/null)" = "$("$TMP/frames" 2>&1)" ] || wrong+=" $k"
	done
	same "D6: names of frames, one $call of $((k - 1)) fails" "" "$wrong"
done

# The checks themselves.
fault calls replace -k 1000 >/dev/null
cp "$TMP/decoded" "$TMP/whole"
sed 5d "$TMP/whole" >"$TMP/less"
why=$(judge replace "$TMP/native.calls" /dev/null "$TMP/less" 400 '400 captured, 0 passed, 0 dropped')
verdict $((!${#why})) "a line that is lost would be found"
why=$(judge replace "$TMP/native.calls" "$TMP/less" "$TMP/whole" 400 '400 captured, 0 passed, 0 dropped')
verdict $((!${#why})) "a line that is there twice would be found"
why=$(judge replace "$TMP/native.calls" /dev/null "$TMP/whole" 401 '400 captured, 0 passed, 0 dropped')
verdict $((!${#why})) "a call that is not counted would be found"
finish
