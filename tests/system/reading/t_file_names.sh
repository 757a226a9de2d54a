#!/bin/bash
# Names of files are no options, no commands and no lines: tools that are given them, find them, or execute each other
# with them do what they do with any other name.
. tests/support/lib.sh
ctl=$BUILD/binlog-ctl
pack=$BUILD/binlog-pack
seq=$(command -v seq)
cd "$TMP" || exit 1
# shellcheck disable=SC2016
names=(-n1 --help -- "--to=made" '$(touch made)' '`touch made`' '; touch made' "a b" $'a\nb' '*' '%s%n')

# ---- directories that are called so ----
mkdir dirs
cd dirs || exit 1
for name in "${names[@]}"; do
	quoted=$(printf %q "$name")
	same "binlog-run --dir=$quoted --show" 1 "$("$BUILD/binlog-run" --dir="$name" --show "$seq" 3 2>&1 | grep -c 'stdout: 1')"
	same "binlog-show -- $quoted" "$(seq 3)" "$("$show" --raw -q -- "$name" 2>&1)"
	same "binlog-ctl list $quoted" 1 "$("$ctl" list -- "$name" 2>&1 | grep -c 'seq-.*\.binlog$')"
	"$pack" -q -f -o "$TMP/packed" -- "$name" 2>"$TMP/errors"
	same "binlog-pack $quoted" "$(seq 3)" "$("$show" --raw -q "$TMP/packed" 2>&1; cat "$TMP/errors")"
	same "binlog-ctl clean $quoted" 1 "$("$ctl" clean -- "$name" 2>&1 | grep -c '^removed seq-')"
done
same "each is there" "${#names[@]}" "$(find . -mindepth 1 -maxdepth 1 -printf x | wc -c)"
cd "$TMP" || exit 1

# ---- captures that are ----
LD_PRELOAD=$lib BINLOG_DIR=$TMP/plain "$seq" 3 >/dev/null
mkdir captures
for name in "${names[@]}"; do
	cp plain/*.binlog "captures/$name.binlog"
done
same "captures with such names" "$(for name in "${names[@]}"; do seq 3; done | sort)" "$("$show" --raw -q captures 2>/dev/null | sort)"
same "each has one line in a list" "${#names[@]}" "$("$ctl" list captures 2>/dev/null | grep -c '\.binlog$')"
same "each is removed" "${#names[@]}" "$("$ctl" clean captures 2>&1 | grep -c '^removed .*binlog')"

# ---- what is executed ----
if strace -o /dev/null true 2>/dev/null; then
	printf '%s\n' 'import pty, sys' 'pty.spawn(sys.argv[1:])' >terminal.py
	BINLOG_PAGER='cat -u' python3 terminal.py strace -f -s 4096 -e trace=execve -o trace "$show" --stacks plain >shown </dev/null
	same "a pager is executed as it was chosen, with nothing of a log in its arguments" \
		"\"$show\", [\"$show\", \"--stacks\", \"plain\"] \"/bin/sh\", [\"sh\", \"-c\", \"cat -u\"]" \
		"$(sed -n 's/.*execve(\(.*\]\), .* = 0$/\1/p' trace | grep -v '"cat"' | paste -sd ' ')"
	grep -q 'stdout: 1' shown
	verdict $? "and shows the log" "$(head -n 3 shown)"
else
	skip "what is executed: strace does not work here"
fi
[ -z "$(find . -name made)" ]
verdict $? "no name was executed"
verdict "$(grep -rnE '\b(system|popen|wordexp)\(' --include='*.[ch]' "$here/../decoder" "$here/../tools" \
	"$here/../symbolizer" "$here/../base" "$here/../rules" "$here/../record" "$here/../shim" | wc -l)" "no source calls a shell by a string"
finish
