#!/bin/bash
# What packing and reading take of memory: at most 64 MiB for ten thousand threads, a thousand files, a text and a log
# of any length.  The text that is read is what the program says natively.
# LONG=1: text and log have more than 10 GiB each; that takes 30 GiB of disk, and minutes.
. tests/support/lib.sh
. tests/packed/common.sh
long=${LONG:-}
export COMMAND_TIME=${LONG:+3600}
COMMAND_TIME=${COMMAND_TIME:-120}
limit=$((64 << 10))
nm "$show" | grep -q __asan_ && limit=$((4 << 20)) # AddressSanitizer takes memory itself

mkdir "$TMP/c"

measured() { # WHAT COMMAND...: its memory is within the limit; its output is the caller's
	timeout "$COMMAND_TIME" python3 "$packed/peak.py" "$TMP/peak" "${@:2}"
	echo "$1: status $?, $(cat "$TMP/peak") KiB" >>"$TMP/peaks"
}
peaks() { # WHAT: a check of all that was measured since
	local wrong
	wrong=$(awk -v limit=$limit '!/status 0, / || $(NF - 1) > limit' "$TMP/peaks")
	verdict ${#wrong} "$1: at most $((limit >> 10)) MiB ($(sed 's/: status 0,//' "$TMP/peaks" | paste -sd ';'))" "$wrong"
	rm -f "$TMP/peaks"
}
says() { # NAME COMMAND...: captured in $TMP/c/NAME
	(cd "$TMP" && exec timeout "$COMMAND_TIME" env LD_PRELOAD="$lib" BINLOG_MAX_SIZE=64G BINLOG_DIR="$TMP/c/$1" "${@:2}") \
		>"$TMP/said" 2>&1
}
packs() { # NAME
	measured packing "$tool" -q -f -o "$TMP/$1.blog" "$TMP/c/$1"
}

# ---- many threads, many files ----
$CC -std=gnu11 -D_GNU_SOURCE -g -O2 -w -o "$TMP/busy_threads" "$packed/busy_threads.c" -pthread || exit 1
threads=10000
turns=$([ -n "$long" ] && echo 100 || echo 10)
says threads "$TMP/busy_threads" $threads $turns
# shellcheck disable=SC2016 # for the other shell
says files sh -c 'for i in $(seq '"$([ -n "$long" ] && echo 1000 || echo 250)"'); do /bin/echo line $i; done'
for name in threads files; do
	measured "reading the capture" "$show" "$TMP/c/$name" >"$TMP/of_capture" 2>"$TMP/sum"
	packs $name
	measured "reading the log" "$show" "$TMP/$name.blog" >"$TMP/of_log" 2>"$TMP/sum.log"
	peaks "$name, $(ls "$TMP/c/$name" | wc -l) captures"
	same_file "$name: the log says what the capture says" "$TMP/of_capture" "$TMP/of_log"
	same "$name: as many messages" "$(cat "$TMP/sum")" "$(cat "$TMP/sum.log")"
done

# ---- a long text, a long log ----
if [ -n "$long" ] && [ "$(df -k --output=avail "$TMP" | tail -n 1)" -lt $((32 << 20)) ]; then
	skip "10 GiB: there are no 32 GiB of disk"
	finish
fi
$CC -std=gnu11 -D_GNU_SOURCE -g -O2 -w -I. -o "$TMP/varying" "$here/bench/varying.c" || exit 1
messages=$([ -n "$long" ] && echo 170000000 || echo 1000000)
pieces=$([ -n "$long" ] && echo 168 || echo 2)
head -c $((64 << 20)) /dev/urandom >"$TMP/random"
digits() { # what cannot be packed to less than three quarters
	local i
	for ((i = 0; i < pieces; i++)); do cat "$TMP/random"; done | "$@" base64 -w 3000
}
compared() { # NAME COMMAND...: the log, read, beside what the command says now
	local name=$1
	measured "reading" "$show" --raw --stream=stdout "$TMP/$name.blog" 2>/dev/null |
		cmp - <("${@:2}" 2>"$TMP/cmp.errors") >"$TMP/differs" 2>&1
	verdict "${PIPESTATUS[1]}" "$name: $(stat -c %s "$TMP/$name.blog") bytes of log are the text, to the end" "$(cat "$TMP/differs")"
}
count() { # WHAT PATH: how many messages are in it
	measured "$1" "$show" "$2" 2>&1 >/dev/null | tail -n 1
}

says varying "$TMP/varying" $messages 1
packs varying
rm -rf "$TMP/c/varying"
compared varying "$TMP/varying" $messages 1
same "each of $messages messages is there" "$messages captured, 0 passed, 0 dropped" "$(count lines "$TMP/varying.blog")"
peaks "a long text"

digits env LD_PRELOAD="$lib" BINLOG_MAX_SIZE=64G BINLOG_DIR="$TMP/c/digits" >"$TMP/said"
wanted=$(count "lines of the capture" "$TMP/c/digits")
packs digits
rm -rf "$TMP/c/digits"
compared digits digits
same "all of its messages are there" "$wanted" "$(count lines "$TMP/digits.blog")"
peaks "a long log"
finish
