#!/bin/bash
# debian/: what it names is there, it says of versions and licences what the tree says, and the smoke test of the package
# passes.  LONG=1 builds packages and source in a clean copy, lintian finds no error or warning in them, and the package
# leaves nothing on a machine that it was on.
. tests/support/lib.sh
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
	"$(sed -n 's/^BUILD_PACKAGES = //p' tests/packages.mk | tr ' ' '\n' | sort)" \
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
# ---- the packages, of this tree as it is ----
build_here() {
	mkdir "$TMP/clean"
	tar c --exclude=./build --exclude=./.git --exclude=./binlog.data . | tar x -C "$TMP/clean" || exit 1
	cd "$TMP/clean" || exit 1
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
	cd - >/dev/null || exit 1
}
unset MAKEFLAGS MFLAGS MAKELEVEL
if command -v dh >/dev/null && command -v lintian >/dev/null; then
	build_here
else
	skip "the package in a clean copy: debhelper or lintian is not installed"
fi

# ---- on a machine: built as README says, put there and taken away again ----
mkdir "$TMP/shown"
cat >"$TMP/shown/try" <<'END'
set -e
export DEBIAN_FRONTEND=noninteractive
{
	apt-get -qq update
	apt-get -qq -y --no-install-recommends install dpkg-dev debhelper
	apt-get -qq -y --no-install-recommends build-dep ./
	dpkg-buildpackage -us -uc -b
} >/tmp/said 2>&1 || { tail -n 12 /tmp/said; exit 1; }
ldconfig # its notes are there from now on, whatever is installed
# Everything but what dpkg keeps in mind, and what is here.
elsewhere='( -path /var/lib/dpkg -o -path /var/log -o -path /var/cache/ldconfig -o -path /tmp -o -path /root ) -prune -o'
everything() {
	set -f # what is split holds no patterns
	find / -xdev $elsewhere -printf '%y %m %U:%G %p %l\n'
	find / -xdev $elsewhere -path /var/cache/man/index.db -o -type f -exec sha256sum {} +
}
everything | sort >/tmp/before
dpkg -i ../binlog_*.deb
debian/tests/smoke
! [ -e /etc/ld.so.preload ]
everything | sort >/tmp/between
! cmp -s /tmp/before /tmp/between
dpkg -P binlog
everything | sort | diff /tmp/before -
! ldconfig -p | grep libbinlog
END
suite=$(. /etc/os-release && echo "$VERSION_CODENAME")
tests/fresh --with="$TMP/shown" "$suite" sh "$TMP/shown/try" >"$TMP/tried" 2>&1
status=$?
if [ $status = 77 ]; then
	skip "a machine for the package: $(tail -n 1 "$TMP/tried")"
else
	verdict $status "what is committed, on a new $suite: dpkg-buildpackage, dpkg -i, use, dpkg -P: every file is as it was before" \
		"$(tail -n 12 "$TMP/tried")"
fi
finish
