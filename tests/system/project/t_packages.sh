#!/bin/bash
# tests/unpack-packages, with an archive of our own: what is missing is there with its libraries, and this machine has
# nothing more installed than before.  And what is said where nothing was installed.
. tests/support/lib.sh
mkdir -p "$TMP/archive" "$TMP/list.d"
package() { # NAME DEPENDS: with a program that says its name
	local made=$TMP/made/$1
	mkdir -p "$made/DEBIAN" "$made/usr/bin" "$made/lib"
	printf 'Package: %s\nVersion: 1\nArchitecture: all\nMaintainer: nobody <nobody@localhost>\nDescription: for a test\n' "$1" \
		>"$made/DEBIAN/control"
	[ -z "${2:-}" ] || echo "Depends: $2" >>"$made/DEBIAN/control"
	printf '#!/bin/sh\ntouch "%s"\n' "$TMP/configured" >"$made/DEBIAN/postinst"
	chmod 755 "$made/DEBIAN/postinst"
	printf '#!/bin/sh\necho %s\n' "$1" >"$made/usr/bin/$1"
	chmod 4755 "$made/usr/bin/$1"
	: >"$made/lib/$1.so"
	dpkg-deb --root-owner-group -b "$made" "$TMP/archive/$1.deb" >/dev/null
}
package binlog-test-daemon binlog-test-library
package binlog-test-library
(cd "$TMP/archive" && dpkg-scanpackages . >Packages 2>/dev/null)
echo "deb [trusted=yes] copy:$TMP/archive ./" >"$TMP/list"
cat >"$TMP/apt.conf" <<E
Dir::Etc::SourceList "$TMP/list";
Dir::Etc::SourceParts "$TMP/list.d";
E
export APT_CONFIG=$TMP/apt.conf
unpack() { tests/unpack-packages "$TMP/debs" "$@" >"$TMP/said" 2>"$TMP/errors"; } # NAME...
before=$(dpkg-query -W | cksum)

unpack 'binlog-test-nothing|binlog-test-daemon' bash
same "it says which, less those that are installed" "0 1 0" \
	"$? $(grep -c 'not installed: binlog-test-nothing|binlog-test-daemon$' "$TMP/said") $(wc -l <"$TMP/errors")"
same "the first that the archive has is there, and what it needs" "binlog-test-daemon binlog-test-library" \
	"$(cd "$TMP/debs/root/usr/bin" 2>/dev/null && for program in *; do ./"$program"; done | paste -sd ' ')"
same "directories that are links in Debian are links" "usr/lib 2" \
	"$(readlink "$TMP/debs/root/lib") $(find "$TMP/debs/root/usr/lib" -name '*.so' | wc -l)"
same "nothing is executed as another user" "" "$(find "$TMP/debs" -perm /6000)"
same "nothing is installed or configured" "$before" "$(dpkg-query -W | cksum; ls "$TMP/configured" 2>/dev/null)"
mv "$TMP/archive" "$TMP/away"
unpack 'binlog-test-nothing|binlog-test-daemon' bash
same "what is there is not asked for again" "0 0" "$? $(cat "$TMP/said" "$TMP/errors" | wc -l)"
unpack binlog-test-library
same "without an archive: one sentence, which tests can repeat" "1 1 1" \
	"$? $(wc -l <"$TMP/errors") $(grep -cF "$(cat "$TMP/debs/why")" "$TMP/errors")"

# `make` alone, where a header is not there.
make -s O="$TMP/build" CC="$CC -nostdinc" "$TMP/build/outside/base/escape.o" >/dev/null 2>"$TMP/errors"
same "make fails" 2 $?
same "and says what to do" 1 "$(grep -cF 'if a header is not there: `make deps-build` installs' "$TMP/errors")"
finish
