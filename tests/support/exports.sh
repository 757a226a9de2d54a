# What the tests of exports have in common: a program that says what is hard to hand on, as a capture and as a packed log,
# in $TMP/capture and $TMP/log.blog; and packages of others that read the exports.
# shellcheck shell=bash
. tests/support/lib.sh
consumers=$here/consumers
export TZ=UTC PYTHONPATH=$here/support SHOW=$show

record_exports() {
	build exports
	(cd "$TMP" && BINLOG_DIR=capture BINLOG_STREAMS=stdout,stderr,syslog LD_PRELOAD=$lib ./exports >native.stdout 2>native.stderr)
	"$BUILD/binlog-pack" "$TMP/capture" -o "$TMP/log.blog" 2>/dev/null || exit 1
}
export_to() { # FILE STYLE OPTION... PATH
	"$show" -q --to "$1" -o "$2" "${@:3}" || not_ok "$2 is written" "status $?"
}
# A package of npm, kept for the next time: $package is where it is.
npm_package() { # NAME VERSION
	package=$BUILD/npm/$1/node_modules/$1
	[ -e "$package" ] && return
	command -v npm >/dev/null || return
	npm install --silent --no-save --no-audit --no-fund --prefix "$BUILD/npm/$1" "$1@$2" >/dev/null 2>&1
}
# Spans: what --spans itself says of them, as lines "number nanoseconds", in $TMP/spans.wanted.
rule='start %d* => done %d* by arg1'
record_spans() {
	build exports_spans
	(cd "$TMP" && BINLOG_DIR=spans LD_PRELOAD=$lib ./exports_spans >/dev/null)
	"$show" -q --utc --spans "$rule" "$TMP/spans" |
		awk '/^[0-9]+-[0-9]+-.*: start / && $3 != "-" { split($3, part, "."); print $NF, part[1] * 1000000000 + part[2] }' |
		sort >"$TMP/spans.wanted"
	same "of requests that overlap 57 are done" 57 "$(wc -l <"$TMP/spans.wanted")"
}
# What --stacks shows without the stacks of who has created the threads.
own_stacks() { awk '/^    (created|forked) by thread / { skip = 1 } /^[^ ]/ { skip = 0 } !skip'; }
