# What the tests of exports have in common: a program that says what is hard to hand on, as a capture and as a packed log,
# in $TMP/capture and $TMP/log.blog; and packages of others that read the exports.
# shellcheck shell=bash
. tests/lib.sh
consumers=$here/consumers
export TZ=UTC PYTHONPATH=$here SHOW=$show

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
