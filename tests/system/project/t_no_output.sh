#!/bin/bash
# Standard output that is closed, or full: each tool says so in one sentence and fails, whatever it was asked for; and
# nothing it opens takes the place of the descriptor.
. tests/support/lib.sh
cd "$TMP" || exit 1
PATH=$BUILD:$PATH
"$CC" -g -w -o prog -x c - <<<'#include <stdio.h>
int main() { for (int i = 0; i < 9; i++) printf("value %d\n", i); return 0; }' || exit 1
BINLOG_DIR=c LD_PRELOAD=$lib ./prog >/dev/null
binlog-pack -q -o log.blog c
cp -r c before
cp log.blog before.blog

lost() { # COMMAND...: one sentence, status 1 or 2, however nothing can be written
	local way status
	for way in closed full; do
		if [ $way = closed ]; then "$@" 2>why >&-; else "$@" 2>why >/dev/full; fi
		status=$?
		verdict $((status != 1 && status != 2 || $(grep -c 'standard output: .*: make room or choose another place$' why) != 1)) \
			"$*: $way standard output" "status $status: $(cat why)"
	done
}
for tool in show pack run ctl top ship query symbolize; do
	lost binlog-$tool --help
	lost binlog-$tool --version
	same "binlog-$tool --version: the release" "$(sed -n '1s/.*(\(.*\)).*/\1/p' "$here/../debian/changelog")" \
		"$(binlog-$tool --version | sed -n "1s/^binlog-$tool \([^ ]*\): .*/\1/p")"
done
lost binlog-show --help=all
lost binlog-show --columns=help
lost binlog-show --limit=help
lost binlog-show --output=help
lost binlog-query --output=help
binlog-show --output=help | awk '$1 != "ctf" { print $1 }' >styles # that is a directory
while read -r style; do
	ways=--output=$style
	case $style in
	values | histogram | rcdf | largest | smallest) ways=--$style=value ;;
	spans) ways='--spans=value %d => value %d' ;;
	esac
	for log in c log.blog; do
		# what prints nothing has lost nothing
		binlog-show -q "$ways" $log >said 2>why
		if [ -s said ]; then lost binlog-show -q "$ways" $log; else echo "$style" >>silent; fi
	done
done <styles
verdict $(($(sort -u silent | wc -l) > 3)) "nearly all styles print something" "$(sort -u silent | xargs)"
for what in --raw --stats --processes --stacks --location --anomalies; do
	lost binlog-show -q $what c
done
lost binlog-show -q --recover log.blog
lost binlog-show --index "$BUILD/binlog-run"
lost binlog-show --diff c c
lost binlog-pack -q -o - c
lost binlog-ctl list c
lost binlog-symbolize "$BUILD/binlog-run" 0x100000
same "no capture has changed" "" "$(diff -r before c)"
same "nor has a packed log" "" "$(cmp before.blog log.blog)"
finish
