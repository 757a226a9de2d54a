#!/bin/bash
# binlog-show --follow of a packed log that binlog-pack --follow writes: what comes is what is in the log at the end, while it
# comes, and it ends when the log does. The oracle is what the program prints natively.
. tests/support/lib.sh
pack=$BUILD/binlog-pack
cat >"$TMP/talk.c" <<'E2'
#include <stdio.h>
#include <unistd.h>
int main(int argc, char **argv)
{
	for (int i = 0; i < 15; i++) {
		for (int k = 0; k < 2000; k++)
			printf("line %d of %d\n", k, i);
		fflush(stdout);
		if (argc > 1)
			usleep(200000);
	}
	return 0;
}
E2
$CC -O1 -w -o "$TMP/talk" "$TMP/talk.c" || exit 1
"$TMP/talk" >"$TMP/native"
cd "$TMP" || exit 1
now() { sed 's/\..*//' /proc/uptime; }
until_has() { # LINES FILE: waits for them, a minute at most
	local end=$(($(now) + 60))
	while [ "$(wc -l <"$2")" -lt "$1" ] && [ "$(now)" -lt $end ]; do sleep 0.1; done
	[ "$(wc -l <"$2")" -ge "$1" ]
}
ended() { # PID: it ends within a minute
	local end=$(($(now) + 60))
	while kill -0 "$1" 2>/dev/null && [ "$(now)" -lt $end ]; do sleep 0.1; done
	! kill -0 "$1" 2>/dev/null
}

BINLOG_DIR=d LD_PRELOAD=$lib ./talk slowly >/dev/null 2>&1 &
talking=$!
until [ -n "$(ls d 2>/dev/null)" ]; do sleep 0.1; done
"$pack" -q --follow d -o log.blog 2>pack.err &
packing=$!
until [ -e log.blog ]; do sleep 0.1; done
"$show" --raw --follow --lines=100000 log.blog >seen 2>seen.err &
showing=$!
until_has 1 seen
verdict $? "what is packed is shown"
kill -0 $packing 2>/dev/null
verdict $? "before the log has ended" "$(cat pack.err seen.err)"
wait $talking
wait $packing
same "all of it is packed" 0 $?
ended $showing
verdict $? "it ends when the log does"
wait $showing
same "with status 0" 0 $?
same_file "nothing is missing, nothing comes twice" native seen
same "and it says why" "log.blog: the log has ended" "$(sed 's/^[^:]*show: //; s|^\./||' seen.err)"

"$show" -q --raw -f log.blog >seen
same "of a log that is complete the last ten lines" "$(tail -n 10 native)" "$(cat seen)"
size=$(stat -c %s log.blog)
head -c $((size / 2)) log.blog >half.blog
"$show" -q --raw half.blog >half 2>/dev/null
"$show" -q --raw -f --lines=100000 half.blog >seen 2>seen.err &
showing=$!
until_has "$(wc -l <half)" seen
verdict $? "of half of one what there is"
kill -0 $showing
verdict $? "it waits for more"
tail -c +$((size / 2 + 1)) log.blog >>half.blog
ended $showing
verdict $? "until that has come"
same_file "which is shown, too" native seen
: >empty.blog
"$show" -q --raw -f --lines=100000 empty.blog >seen 2>seen.err &
showing=$!
sleep 0.3
cat log.blog >>empty.blog
ended $showing
verdict $? "an empty one is waited for"
same_file "and then all of it is shown" native seen
head -c $((size / 2)) log.blog >gone.blog
"$show" -q --raw -f gone.blog >seen 2>seen.err &
showing=$!
until_has 10 seen
rm gone.blog
ended $showing
verdict $? "it ends when the log is removed"
head -c $((size / 2)) log.blog >half.blog
"$show" -q --raw -f half.blog >seen 2>seen.err &
showing=$!
until_has 10 seen
kill -INT $showing
ended $showing
verdict $? "an interrupt ends it"
"$show" -q --stats -f log.blog >seen 2>seen.err
same "what is known at the end only cannot be followed: the status" 2 $?
exit $failed
