#!/bin/bash
# The ways of fast_x86_64.S and of fast.h give what printf gives, whatever the arguments and wherever they are passed.
. tests/support/lib.sh

build hot_calls -fno-builtin
portable=$TMP/portable/libbinlog.so

# Its decimal point is a comma, and what it prints the reader could not.
export LOCPATH=$TMP/locale
mkdir "$LOCPATH"
localedef --no-archive -i de_DE -f UTF-8 "$LOCPATH/de_DE.UTF-8" >/dev/null 2>&1
comma=$(cd "$LOCPATH" && ls)
[ "$comma" ] || skip "de_DE.UTF-8: localedef cannot make it here"

check() { # SENTENCE SEED
	natively "$TMP/native" "$TMP/hot_calls" "$2" $comma
	recorded "$TMP/recorded" "$TMP/hot_calls" "$2" $comma
	same "$1: the return values (seed $2)" 0 "$(cat "$TMP/recorded/status")"
	same_file "$1: the text (seed $2)" "$TMP/native/stdout" "$TMP/recorded/stdout"
	same_file "$1: what went to stderr (seed $2)" "$TMP/native/stderr" "$TMP/recorded/stderr"
}

for seed in 1 "$(date +%s)"; do
	check "as built" "$seed"
done
if ${MAKE:-make} -s O="$TMP/portable" PORTABLE=1 "$portable" >"$TMP/make" 2>&1; then
	lib=$portable
	check "without assembly" "$(date +%s)"
else
	not_ok "PORTABLE=1 builds" "$(cat "$TMP/make")"
fi

# Time goes on, over the ends of what the lower half of the counter holds, where nothing else changes.
cat >"$TMP/pace.c" <<'END'
#include <stdio.h>
#include <time.h>
int main(void)
{
	struct timespec now, pause = {0, 100000000};

	for (int i = 0; i < 60; i++) {
		clock_gettime(CLOCK_REALTIME, &now);
		printf("%d\n", i);
		fprintf(stderr, "%d %lld.%09ld\n", i, (long long)now.tv_sec, now.tv_nsec);
		if (i > 3)
			nanosleep(&pause, NULL);
	}
	return 0;
}
END
$CC -O1 -w -fno-builtin -o "$TMP/pace" "$TMP/pace.c" || exit 1
lib=$BUILD/libbinlog.so
LD_PRELOAD=$lib BINLOG_DIR=$TMP/paced BINLOG_STREAMS=stderr=pass "$TMP/pace" 2>"$TMP/pace.native" >/dev/null
"$show" -q -u "$TMP/paced" >"$TMP/pace.shown"
awk 'NR == FNR { at[$1] = $2; next }
	{ split($2, t, ":"); late = t[1] * 3600 + t[2] * 60 + t[3] - at[$NF] % 86400; n++
	  if (late < -0.001 || late > 1) print "message", $NF, "is late by", late, "s" }
	END { if (n != 60) print n + 0, "messages" }' "$TMP/pace.native" "$TMP/pace.shown" >"$TMP/pace.wrong"
same "for six seconds each message has its time" "" "$(cat "$TMP/pace.wrong")"
exit $failed
