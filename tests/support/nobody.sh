# For tests that need somebody without rights: to be read after lib.sh.  As root
# that is nobody, who must be able to come to $TMP; else it is the caller.
#   as_nobody COMMAND...   runs it without rights
#   tools_for_nobody DIR   puts what was built there: it may lie where nobody can come
#   $rootless              empty where that is not possible, and why in $why_not
# shellcheck shell=bash
rootless=yes
why_not=
as_nobody() { "$@"; }
tools_for_nobody() {
	mkdir -m 755 "$1"
	cp "$BUILD"/{binlog-*,lib*.so} "$1"
	chmod -R a+rX "$1"
}
if [ "$(id -u)" -eq 0 ]; then
	as_nobody() { setpriv --reuid=65534 --regid=65534 --clear-groups "$@"; }
	chmod 755 "$TMP"
	if ! as_nobody test -x "$TMP/." 2>/dev/null; then
		TMP=$(mktemp -d /tmp/binlog-test.XXXXXX) || exit 1
		trap 'rm -rf "$TMP"' EXIT
		chmod 755 "$TMP"
	fi
	if ! as_nobody test -x "$TMP/." 2>"$TMP/why_not"; then
		rootless=
		why_not="nobody cannot come to $TMP: $(cat "$TMP/why_not")"
	fi
fi
