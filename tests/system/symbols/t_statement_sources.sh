#!/bin/bash
# LONG=1 only: downloads the sources of two dozen Debian packages
#
# Statements of real programs at their usual work, as Debian built them (tests/statements/programs), judged by their sources:
# the packages of the same versions, their format strings by file and line, fetched here and not kept.  Each statement that
# is shown has to be in the source, and has to be the one that made the text: which that is, tests/statements/judge.py finds out by
# itself, out of all strings of the source.  Disagreements that are not ours are explained in tests/statements/explained.
#
# With PROCESSOR=aarch64 the programs are those that Debian has built for it, in an emulator.
#
# To look at some: ONLY=NAME, SOURCES=DIR (where sources are kept), KEEP=DIR (where what was found is copied to),
# ARM_DEBS=DIR (where packages for aarch64 are kept).
. tests/support/lib.sh
. tests/support/daemons.sh
unpacked
judge=$here/statements
. "$judge/aarch64.sh"
each_program() {
	local file
	for file in "$judge"/programs/*.sh; do
		name=${file##*/}
		name=${name%.sh}
		[[ $name == *"${ONLY:-}"* ]] && "$@"
	done
}
where_it_was=() # for binlog-show
program_file() { type -P "$1"; }
is_of_processor() { true; } # PROGRAM
told_by() { # needs|packages [N]: one in a line, the first N
	(. "$judge/programs/$name.sh" && echo "${!1}" | tr ' ' '\n' | head -n "${2:-99}")
}
if [ "${1:-}" != inside ]; then
	work=$(mktemp -d /tmp/binlog-statements.XXXXXX)
	trap 'rm -rf "$work"' EXIT
	chmod 755 "$work"
	export work SOURCES="${SOURCES:-$work/sources}"
	if [ -n "${PROCESSOR:-}" ]; then
		with_aarch64 || { skip "$PROCESSOR: $why"; exit 0; }
		export arm_root arm_commands arm_lib
	fi
	unshare=(unshare --mount --net --pid --fork --kill-child --mount-proc)
	if [ "$(id -u)" -eq 0 ] && "${unshare[@]}" mount -t tmpfs none /run 2>/dev/null; then
		"${unshare[@]}" bash "$0" inside own
	else
		bash "$0" inside
	fi
	# Sources are fetched from where there is a network.
	. "$judge/fetch.sh"
	judge_all
	if [ -n "${KEEP:-}" ]; then
		cp "$work"/*.* "$KEEP/"
		for file in "$work"/*/capture; do
			cp -r "$file" "$KEEP/$(basename "${file%/capture}").capture"
		done
	fi
	finish
fi
own=${2:-}
if [ -n "$own" ]; then
	sandbox || { not_ok "the sandbox"; finish; }
fi
[ -z "${PROCESSOR:-}" ] || use_aarch64
with_keys

# The same messages as lines of a file, read with nothing but the programs that have made them, and their libraries but libc:
# judged likewise.
as_text() {
	local program programs=()
	for program in $(grep -o '"\(program\|module\)":"[^"]*"' "$work/$name.json" | cut -d '"' -f 4 | sort -u | grep -v '^libc\.\|^ld-\|\[\|^libbinlog'); do
		program=$(program_file "$program" || find "$DEBS" /usr/lib /lib -name "$program" ! -type d -print -quit 2>/dev/null)
		[ -z "$program" ] || programs+=("--exe=$program")
	done
	python3 -c '
import json, sys
sys.path.insert(0, sys.argv[1])
from judge import is_line
for line in open(sys.argv[2], encoding="utf-8"):
    text = json.loads(line).get("message", "")
    if is_line(text):
        print(text.rstrip("\n"))' "$judge" "$work/$name.json" >"$work/$name.text"
	"$show" -q --statements=always -o json --text="$work/$name.text" "${programs[@]}" >"$work/$name.text.json" 2>>"$work/$name.why" ||
		not_ok "$name: its messages are read as text" "$(cat "$work/$name.why")"
}
# A file of programs/ says what it needs and of which packages it is, and has life_work().
record_one() {
	local where=anywhere needs='' packages='' missing='' program
	. "$judge/programs/$name.sh"
	for program in python3 pgrep $needs; do
		type -P "$program" >/dev/null || missing+=" $program"
	done
	if [ -n "$missing" ]; then
		skip "$name:$missing: $(not_unpacked)"
		return
	elif ! is_of_processor ${needs%% *}; then
		skip "$name: is not one of the programs for $PROCESSOR"
		return
	elif [ "$where" = own ] && [ -z "$own" ]; then
		skip "$name: needs root and namespaces"
		return
	fi
	dir=$work/$name
	live work "$dir" LD_PRELOAD="$work/libbinlog.so" BINLOG_DIR="$dir/capture" BINLOG_DEPTH=32 \
		"BINLOG_STREAMS=file:$dir/files/*.log=replace"
	if [ -e "$dir/trouble" ]; then
		skip "$name: does not do its work here: $(head -n 1 "$dir/trouble")"
		return
	fi
	"$show" -q "${where_it_was[@]}" --statements=always --location --stacks -o json "$dir/capture" >"$work/$name.json" 2>"$work/$name.why" ||
		not_ok "$name: its capture is read" "$(cat "$work/$name.why")"
	as_text
	echo "$packages" >"$work/$name.packages"
	printf "%s\n" "${dialect:-printf}" >"$work/$name.dialect"
	printf "%s\n" "${header:-}" >"$work/$name.header"
	for program in $needs; do prefix_of "$program"; done | sort -u >"$work/$name.prefixes"
}
record() {
	(record_one) </dev/null
	# in a shell of its own: whatever it has defined
}
each_program record
exit 0
