#!/bin/bash
# A packed log is read by statements where none of the programs is: which there are, where, with which arguments.  The
# oracle is what is shown where the programs are; the text is that of the native run.
. tests/support/lib.sh
. tests/packed/common.sh
export BINLOG_CACHE= # answers of an earlier run would prove nothing
$CC -std=gnu11 -D_GNU_SOURCE -O2 -w -o "$TMP/program" "$here/victims/handed_statements.c" || exit 1
strip "$TMP/program"
"$TMP/program" 2>"$TMP/native"
LD_PRELOAD=$lib BINLOG_DIR=$TMP/capture "$TMP/program" 2>/dev/null

shows() { # PATH [OPTION...]
	"$show" -q "${@:2}" "$1" 2>"$TMP/complaint"
}
away() { mv "$TMP/program" "$TMP/gone"; }
back() { mv "$TMP/gone" "$TMP/program"; }
asked() { # PATH: all that statements change
	shows "$1" --stats
	shows "$1" --columns=statement,format,args,message
	shows "$1" --where 'port == 22'
	shows "$1" --values=timer
	shows "$1" --spans 'Accepted %s:%d => exiting'
	shows "$1" --format='user %s is*' --stacks
	shows "$1" -o json | sed 's/"capture":"[^"]*"//'
}
"$tool" -q "$TMP/capture" -o "$TMP/with.blog"
verdict $? "a capture is packed with what its calls hand on"
"$tool" -q --statements=never "$TMP/capture" -o "$TMP/without.blog"
"$tool" -q --plain "$TMP/capture" -o "$TMP/plain.blog"
mkdir "$TMP/followed"
"$tool" -q --follow "$TMP/followed" -o "$TMP/followed.blog" 2>"$TMP/follow.said" &
follower=$!
LD_PRELOAD=$lib BINLOG_DIR=$TMP/followed "$TMP/program" 2>/dev/null
wait $follower
verdict $? "and by --follow" "$(cat "$TMP/follow.said")"

asked "$TMP/with.blog" >"$TMP/wanted"
shows "$TMP/capture" --stats >"$TMP/stats"
away
asked "$TMP/with.blog" >"$TMP/got"
asked "$TMP/without.blog" >"$TMP/bare"
same_file "the same statements and arguments without the program" "$TMP/wanted" "$TMP/got"
verdict $((! $(cmp -s "$TMP/wanted" "$TMP/bare"; echo $?))) "not if the log was packed without"
shows "$TMP/with.blog" --stats >"$TMP/got"
same_file "--stats: as of the capture, with the program" "$TMP/stats" "$TMP/got"
same "nothing is said of the program" "" "$("$show" --statements=always -q --raw "$TMP/with.blog" 2>&1 >"$TMP/null" | grep program)"
verdict $((! $("$show" --statements=always -q --raw "$TMP/without.blog" 2>&1 >"$TMP/null" | grep -c program))) \
	"if it is needed, it is"
shows "$TMP/plain.blog" --stats >"$TMP/got"
same_file "--plain: the same" "$TMP/stats" "$TMP/got"
same "--follow: the same" "$(cut -c 1-9 <"$TMP/stats" | head -n 5; awk -F'"' '{ print $2 }' "$TMP/stats" | sort)" \
	"$(shows "$TMP/followed.blog" --stats | cut -c 1-9 | head -n 5; shows "$TMP/followed.blog" --stats | awk -F'"' '{ print $2 }' | sort)"
cat "$TMP/without.blog" "$TMP/with.blog" | "$show" -q --columns=format - 2>/dev/null | sort | uniq -c >"$TMP/joined"
verdict $((! $(grep -c 'Accepted %s:%d' "$TMP/joined"))) "joined with another log"
back

# ---- the text ----
for log in with without plain followed; do
	for when in never always; do
		"$show" -q --raw --as-written --statements=$when --stream=stderr "$TMP/$log.blog" >"$TMP/raw" 2>&1
		same_file "$log, --statements=$when: the text is that of the native run" "$TMP/native" "$TMP/raw"
	done
done
away
for log in with without plain; do
	"$show" -q --raw --statements=always "$TMP/$log.blog" >"$TMP/raw" 2>"$TMP/null"
	same_file "$log, without the program: likewise" "$TMP/native" "$TMP/raw"
done

# ---- damage ----
same "one frame has it all" 1 "$(python3 "$packed/hurt_log.py" "$TMP/with.blog" "$TMP/hurt.blog" HANDED)"
"$show" -q --raw --statements=always "$TMP/hurt.blog" >"$TMP/raw" 2>"$TMP/why"
same_file "damaged, it costs no text" "$TMP/native" "$TMP/raw"
same "but statements, and one sentence says so" 1 "$(grep -c 'hurt.blog:.*check sum is another' "$TMP/why")"
back

# ---- a program that is not there to be packed ----
away
"$tool" "$TMP/capture" -o "$TMP/late.blog" 2>"$TMP/said"
same "packed without the program: nothing is said" 1 "$(wc -l <"$TMP/said")"
"$tool" -f --statements=always "$TMP/capture" -o "$TMP/late.blog" 2>"$TMP/said"
same "--statements=always: it is named" 1 "$(grep -c "^$TMP/program: " "$TMP/said")"
back
shows "$TMP/late.blog" --stats >"$TMP/got"
same_file "and asked by who reads" "$TMP/stats" "$TMP/got"
finish
