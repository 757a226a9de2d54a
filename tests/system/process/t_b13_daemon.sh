#!/bin/bash
# B13: daemon(), two forks, chdir, umask: what a program says before, between
# and after is in the captures, which are where they were to be at the start.
. tests/support/lib.sh
build daemonize

# Until the last one that has descriptor 9 has ended.
daemonize() { # DIR WAY [VARIABLE=VALUE...]
	rm -rf "$1"
	mkdir -p "$1/files"
	said=$({
		cd "$1/files" || exit
		umask 0
		exec env "${@:3}" "$TMP/daemonize" "$2" 9>&1 >"$1/stdout" 2>"$1/stderr" </dev/null
	})
	echo "$said" >"$1/status"
}
before=$(ls -A /)
for way in daemon double late execute; do
	daemonize "$TMP/native" $way
	daemonize "$TMP/recorded" $way LD_PRELOAD="$lib" BINLOG_DIR=log
	for stream in stdout stderr; do
		mv "$TMP/recorded/$stream" "$TMP/recorded/real.$stream"
	done
	mv "$TMP/recorded/files/log" "$TMP/recorded/capture" 2>/dev/null
	if [ $way = late ]; then # and by the name that is the default
		daemonize "$TMP/default" $way LD_PRELOAD="$lib"
		same "B13: late: the capture is in binlog.data where it began" "after" \
			"$(raw stdout "$TMP/default/files/binlog.data")"
	fi
	decode "$TMP/recorded"
	modes=$(find "$TMP/recorded/capture" -type f -printf '%m\n' | sort -u)
	captures=$(find "$TMP/recorded/capture" -type f | wc -l)
	same "B13: $way: of mode 0600, the directory of 0700, whatever the umask is" "600 700" \
		"$modes $(stat -c %a "$TMP/recorded/capture")"
	same "B13: $way: one capture for each program" \
		$(($([ $way = execute ] && echo 1) + 1)) "$captures"
	same "B13: $way: of nobody is said that it was cut off" 0 \
		"$("$show" --processes "$TMP/recorded/capture" 2>&1 | grep -c 'cut off')"
	why=$(differences "$TMP/native" "$TMP/recorded")
	verdict ${#why} "B13: $way: what was said before, between and after is as natively" "$why"
	verdict $(($(wc -l <"$TMP/native/stdout") < 1)) "B13: $way: natively something was said"
done
same "B13: nothing is made in the directory that daemons are in" "$before" "$(ls -A /)"
# Where nothing can be opened any more.
$CC -w -o "$TMP/exhausted" -x c - <<'C' || exit 1
#include <errno.h>
#include <stdio.h>
#include <unistd.h>
int main(void)
{
	int result;

	while (dup(1) >= 0)
		;
	errno = 0;
	result = daemon(1, 0);
	dprintf(1, "%d %d\n", result, errno);
	return 0;
}
C
(ulimit -n 20 && "$TMP/exhausted" | cat) >"$TMP/want"
(ulimit -n 20 && BINLOG_STREAMS=stdout=tee BINLOG_DIR=$TMP/exhausted.data LD_PRELOAD=$lib "$TMP/exhausted" | cat) >"$TMP/got"
same_file "B13: without a descriptor it fails as natively" "$TMP/want" "$TMP/got"
finish
