#!/bin/bash
# What a recorded call costs, in instructions: from the entry of the program's linkage table to the return, counted by
# single-stepping, for calls that were met before. It is the same on every machine, so it is a bound and no measurement.
. tests/support/lib.sh
few=5
many=21

# The most that each may take with 5 frames; `frame` is the most that each frame beyond them adds to those above it.
bounds="
format0              75
format1              85
format2              95
format_string       135
format_constant     100
format_double       108
fputs               132
fputs_constant      100
puts_constant        90
fwrite              125
fwrite_constant     115
putc                 20
frame                 4
putc_newline        312
syslog1             500
syslog_below_level   13
printf_below_level   20
puts_below_level     20
"

# Most of syslog1 is not in assembly: there gcc 14 needs a dozen more than gcc 12.
[ "$($CC -dumpversion)" -le 12 ] || bounds=${bounds/syslog1             500/syslog1             525}

if [ "$(uname -m)" != x86_64 ]; then
	skip "instructions are counted on x86-64 only"
	finish
fi
if ! counter_is_trusted; then
	skip "instructions are counted where the kernel trusts the time stamp counter"
	finish
fi
build instructions -O2 -fno-builtin
export BINLOG_DEPTH=64 BINLOG_LEVEL=info
natively "$TMP/native" "$TMP/instructions" count "$TMP/instructions" $few
if [ "$(cat "$TMP/native/status")" -ne 0 ]; then
	skip "instructions cannot be counted: $(head -n 1 "$TMP/native/stderr")"
	finish
fi

# What is below the level is neither recorded nor written.
sed -i '/^debug: /d' "$TMP/native/stdout"
declare -A at_few=() at_many=()
framed=$(awk '$1 == "frame" { exit } NF { print $1 }' <<<"$bounds")
count() { # FRAMES: prints each call and its instructions
	local dir=$TMP/$1 status
	mkdir -p "$dir"
	"$TMP/instructions" count env LD_PRELOAD="$lib" BINLOG_DIR="$dir/capture" "$TMP/instructions" "$1" \
		>"$dir/real.stdout" 2>"$dir/counts"
	status=$?
	"$show" --raw -q --stream=stdout "$dir/capture" >"$dir/stdout"
	verdict $status "with $1 frames every call was counted" "$(cat "$dir/counts")"
	same_file "with $1 frames what was counted is recorded, and says what it says natively" "$TMP/native/stdout" "$dir/stdout"
	same "with $1 frames nothing is written" "" "$(head -c 300 "$dir/real.stdout")"
	same "with $1 frames each backtrace has all of them" "$1" "$("$show" --stacks --depth=64 -q "$dir/capture" |
		awk '/^ +#0 / { if (NR > 2) print n; n = 0 } /^ +#/ && !/\(inlined\)$/ { n++ } END { print n }' | sort -u)"
}
count $few
count $many
# Rules that do not match are asked for once a place.
{
	echo '[rules]'
	seq 10000 | sed 's/.*/format "no such format &*" drop/'
} >"$TMP/ten_thousand"
mkdir "$TMP/rules"
BINLOG_CONFIG=$TMP/ten_thousand "$TMP/instructions" count env LD_PRELOAD="$lib" BINLOG_DIR="$TMP/rules/capture" \
	"$TMP/instructions" $few >/dev/null 2>"$TMP/rules/counts"
# What syslog() does not do in assembly takes a few more or less from run to run.
same "10,000 rules cost a call nothing" "$(grep -v syslog1 "$TMP/$few/counts")" "$(grep -v syslog1 "$TMP/rules/counts")"
while read -r call instructions; do at_few[$call]=$instructions; done <"$TMP/$few/counts"
while read -r call instructions; do at_many[$call]=$instructions; done <"$TMP/$many/counts"

while read -r call most; do
	case $call in
	'') continue ;;
	frame)
		for call in $framed; do
			more=$((at_many[$call] - at_few[$call]))
			[ $more -le $((most * (many - few))) ] || echo "$call: $more instructions for $((many - few)) frames"
		done >"$TMP/frames"
		same "each frame beyond $few adds at most $most instructions" "" "$(cat "$TMP/frames")"
		;;
	*)
		taken=${at_few[$call]:-0}
		verdict $((taken == 0 || taken > most)) "$call with $few frames takes at most $most instructions: $taken"
		;;
	esac
done <<<"$bounds"
finish
