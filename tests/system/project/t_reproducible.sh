#!/bin/bash
# The same sources make the same files, wherever and however they are built: in another directory, below another O, at
# another time, in another language and time zone, with another umask and other files in the way, one after the other or
# at once.  LONG=1: all that is installed, and by another user; otherwise some objects, and all papers.
. tests/support/lib.sh
[ -z "${LONG:-}" ] || . tests/support/nobody.sh

tree() { # NAME: a copy of the sources
	mkdir -p "$TMP/$1"
	cp -r Makefile README.md man base record rules shim wrappers decoder symbolizer sandbox tools tests "$TMP/$1"
}
made() { # DIRECTORY: what is there, as names and sums
	(cd "$1" && find . -type f ! -name '*.d' ! -path './outside/html_template.c' -exec sha256sum {} + | sort -k 2)
}
some=(inside/shim/record/capture.o inside/wrappers/fast_x86_64.o inside/wrappers/notice.o outside/base/error.o
	outside/rules/levels.o outside/html_template.o man/binlog.5 man/binlog.7 man/binlog-packed.5 man/binlog.conf.5
	man/binlog-rules.7 completions/bash/binlog-show completions/zsh/_binlog-show)
[ "$(uname -m)" = x86_64 ] || some=("${some[@]/shim\/record\/fast_x86_64.o/shim\/record\/fast.o}")
what() { [ -n "${LONG:-}" ] && echo all || printf "$1/%s\n" "${some[@]}"; }

tree here
tree there/and/a/longer/name
why=$(cd "$TMP/here" && mapfile -t goals < <(what "$TMP/one") &&
	env -u MAKEFLAGS LC_ALL=C TZ=UTC make -s -j1 O="$TMP/one" "${goals[@]}" 2>&1)
verdict $? "reproducible: it is built" "$why"
touch -d '1999-12-31' "$TMP/there/and/a/longer/name"/*/*
other=()
if [ -n "${LONG:-}" ]; then
	other=(as_nobody)
	mkdir -m 777 "$TMP/two"
	chmod -R a+rX "$TMP"
fi
why=$(cd "$TMP/there/and/a/longer/name" && mapfile -t goals < <(what "$TMP/two/below") && umask 077 &&
	"${other[@]}" env -u MAKEFLAGS HOME=/ LC_ALL=de_DE.UTF-8 TZ=Asia/Kathmandu SOURCE_DATE_EPOCH=1 \
		make -s -j4 O="$TMP/two/below" "${goals[@]}" 2>&1)
verdict $? "reproducible: it is built elsewhere, later, and otherwise" "$why"

count=$(made "$TMP/one" | wc -l)
verdict $((count < ${#some[@]})) "reproducible: $count files are compared"
same "reproducible: they are the same, byte for byte" "$(made "$TMP/one")" "$(made "$TMP/two/below")"
same "reproducible: none says where it was built" "" \
	"$(cd "$TMP" && grep -rlaF --exclude='*.d' --exclude=html_template.c "$TMP" one two)"
finish
