#!/bin/bash
# Names in stacks come from the files of --exe where the recorded paths lead to none or to others, of captures and packed logs,
# and from no file but that which was recorded.
. tests/support/lib.sh
TMP=$(realpath "$TMP")
cd "$TMP" || exit 1
cat >speak.c <<'END'
#include <stdio.h>
void outer(int n);
__attribute__((noinline)) static void inner(int n)
{
	printf("inside %d\n", n);
}
void outer(int n)
{
	inner(n);
	puts("outside");
}
END
cat >speaker.c <<'END'
#include <stdio.h>
void outer(int n);
__attribute__((noinline)) static void step(int n)
{
	printf("step %d\n", n);
	outer(n + OTHER);
	fflush(stdout);
}
int main(void)
{
	step(1);
	step(2);
	return 0;
}
END
make_program() { # OPTION...
	$CC -g -O1 -w -shared -fPIC -o libspeak.so speak.c -DOTHER=0 "$@" &&
		$CC -g -O1 -w -o speaker speaker.c -DOTHER=0 -L. -lspeak -Wl,-rpath,"$TMP" "$@" || exit 1
}
stacks() { "$show" --stacks -u "$@" 2>why; }
shows() { # SENTENCE ARGUMENT...
	stacks -q "${@:2}" >got
	same_file "$1" wanted got
}
for options in -O1 "-Wl,--build-id=none"; do
	rm -rf run gone log.blog plain.blog
	make_program $options
	BINLOG_DIR=$TMP/run LD_PRELOAD=$lib ./speaker >/dev/null
	stacks -q run >wanted
	same "$options: with all files there are all names" 6 "$(grep -c 'step\|main' wanted | awk '{ print ($1 >= 6) * 6 }')"
	"$BUILD/binlog-pack" -q -o log.blog run && "$BUILD/binlog-pack" -q --plain -o plain.blog run
	mkdir gone
	mv speaker gone/speaker.kept
	mv libspeak.so gone
	stacks run >nameless
	cmp -s wanted nameless
	verdict $((!$?)) "$options: without them there are not"
	exe=(--exe="$TMP/gone/speaker.kept" --exe="$TMP/gone/libspeak.so")
	for log in run log.blog plain.blog; do
		shows "$options: $log: names come from --exe" "${exe[@]}" $log
		"$show" --raw -q "${exe[@]}" $log >got 2>&1
		same "$options: $log: the text, too" "step 1" "$(head -n 1 got)"
	done
	stacks "${exe[@]}" run >got
	same "$options: there is nothing to complain of" "" "$(grep gone why)"
	$CC -g -O2 -w -o speaker speaker.c -DOTHER=7 gone/libspeak.so -Wl,-rpath,"$TMP" $options || exit 1
	shows "$options: another program is at the recorded path" "${exe[@]}" run
	rm speaker
	# ---- bad ones ----
	stacks -q run >nameless
	$CC -g -O2 -w -o other speaker.c -DOTHER=7 gone/libspeak.so -Wl,-rpath,"$TMP" $options || exit 1
	head -c 3000 gone/libspeak.so >cut.so
	echo "no program" >text
	cp nameless wanted.nameless
	stacks -q --exe=other --exe=cut.so --exe=text --exe=gone --exe=absent --exe=/dev/zero run >got
	same_file "$options: others, damaged ones and what is no program give no names" wanted.nameless got
	mkdir same
	mv other same/speaker
	cp cut.so same/libspeak.so
	stacks -q --exe=same/speaker --exe=same/libspeak.so run >got
	same_file "$options: nor if they have the names of those that were recorded" wanted.nameless got
	shows "$options: the right ones behind them do" --exe=same/speaker --exe=cut.so --exe=text "${exe[@]}" run
	rm -rf same
done
finish
