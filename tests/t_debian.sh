#!/bin/bash
# debian/: what it names is there, it says of versions and licences what the tree says, and the smoke test of the package
# passes.  LONG=1 builds packages and source in a clean copy, and lintian finds no error or warning in them.
. tests/lib.sh
if [ ! -e "$BUILD/man/binlog.7" ]; then
	skip "the package: not everything is built"
	finish
fi
field() { # FILE FIELD: all values
	sed -n "/^$2:/,/^[^ ]/{s/^$2: *//;/^[^ ]*:/d;s/^ //;p}" "$1"
}
same "the changelog can be read" "binlog" "$(dpkg-parsechangelog -S Source 2>&1)"
version=$(dpkg-parsechangelog -S Version)
if grep -q '^## Unreleased' CHANGELOG.md; then
	same "what is not released yet is not for a distribution" UNRELEASED "$(dpkg-parsechangelog -S Distribution)"
else
	same "the version is that of CHANGELOG.md" "$(sed -n 's/^## \([0-9.]*\).*/\1/p' CHANGELOG.md | head -n 1)" "$version"
fi
same "it is native: the version has no revision" "3.0 (native) $version" "$(cat debian/source/format) ${version%%-*}"
same "the licence is the tree's" "$(sed '1,/^Permission/{/^Permission/!d}' LICENSE)" \
	"$(sed -n '/^ Permission/,$p' debian/copyright | sed -e 's/^ //' -e 's/^\.$//')"
same "and so is who has written it" "$(sed -n 's/^Copyright (c) //p' LICENSE)" "$(sed -n 's/^Copyright: //p' debian/copyright)"
same "files that are named exist" "" \
	"$(cat debian/*.docs debian/*.install 2>/dev/null | awk '{ print $1 }' | while read -r file; do
		[ -e "$file" ] || echo "$file"
	done)"
same "what is needed to build is what make asks for" \
	"$(sed -n 's/^BUILD_PACKAGES = //p' Makefile | tr ' ' '\n' | sort)" \
	"$(sed -n '/^Build-Depends:/,/^[^ ]/p' debian/control | grep -oE '[a-z0-9-]+-dev[a-z0-9-]*' | sort)"
same "every tool is in its description" "" \
	"$(cd "$BUILD" && for tool in binlog-*; do
		[ "$tool" = binlog-show ] || grep -q "$tool" "$OLDPWD/debian/control" || echo "$tool"
	done)"
same "the rules can be executed" "1 1" "$([ -x debian/rules ] && echo 1) $([ -x debian/tests/smoke ] && echo 1)"
debian/tests/smoke "$BUILD" >"$TMP/smoke" 2>&1
verdict $? "the smoke test of the package passes" "$(tail -n 5 "$TMP/smoke")"
mkdir "$TMP/broken"
cp "$BUILD"/binlog-* "$BUILD/libbinlog.so" "$TMP/broken"
printf '#!/bin/sh\necho 1\n' >"$TMP/broken/binlog-show"
! debian/tests/smoke "$TMP/broken" >"$TMP/smoke" 2>&1
verdict $? "and fails when something is wrong"

if [ -z "${LONG:-}" ]; then
	finish
fi
mkdir "$TMP/clean"
tar c --exclude=./build --exclude=./.git --exclude=./binlog.data . | tar x -C "$TMP/clean" || exit 1
cd "$TMP/clean" || exit 1
unset MAKEFLAGS MFLAGS MAKELEVEL
nice dpkg-buildpackage -us -uc -b >"$TMP/built" 2>&1
verdict $? "the package builds in a clean copy, in $SECONDS s" "$(tail -n 12 "$TMP/built")"
nice dpkg-buildpackage -us -uc -S -d >"$TMP/built" 2>&1
verdict $? "and so does its source" "$(tail -n 12 "$TMP/built")"
for changes in "$TMP"/*.changes; do
	nice lintian --allow-root --fail-on error,warning "$changes" >"$TMP/lintian" 2>&1
	verdict $? "lintian has no complaint about $(basename "$changes")" "$(cat "$TMP/lintian")"
done
mkdir "$TMP/unpacked"
dpkg -x "$TMP/binlog_${version}_"*.deb "$TMP/unpacked"
"$TMP/clean/debian/tests/smoke" "$TMP/unpacked/usr/bin" >"$TMP/smoke" 2>&1
verdict $? "what was installed passes the smoke test" "$(tail -n 5 "$TMP/smoke")"
finish
