#!/bin/bash
# make dist: what an archive holds, and that it is the same bytes each time.  LONG=1 makes both archives, on a machine with
# Debian 11, and unpacks them where there is no compiler and no library but libc: on Debian 11, 12 and 13, and for aarch64
# in an emulator.
. tests/support/lib.sh
if [ ! -e "$BUILD/man/binlog.7" ]; then
	skip "the archives: not everything is built"
	finish
fi
if ! git log -1 --format=%ct >/dev/null 2>&1; then
	skip "the archives: their time is that of a commit, and this is no repository"
	finish
fi
unset MAKEFLAGS MFLAGS MAKELEVEL

# ---- of what is built here ----
version=$(dpkg-parsechangelog -S Version)
name=binlog-$version-$(uname -m)
for mask in 077 002; do
	mkdir "$TMP/o$mask"
	ln -s "$BUILD"/* "$TMP/o$mask"
	(umask $mask && TZ=Asia/Kathmandu make --no-print-directory -o all O="$TMP/o$mask" archive) >"$TMP/made" 2>&1
	verdict $? "an archive is made" "$(tail -n 5 "$TMP/made")"
done
same_file "and again, with another umask: the same bytes" "$TMP/o077/$name.tar.xz" "$TMP/o002/$name.tar.xz"
mkdir "$TMP/unpacked"
tar -C "$TMP/unpacked" -xf "$TMP/o077/$name.tar.xz"
at=$TMP/unpacked/$name
same "all is below one directory, which has the version and the machine in its name" "$name" "$(ls "$TMP/unpacked")"
same "it has libraries, tools, papers" "CHANGELOG.md LICENSE README.md bin lib share" "$(cd "$at" && echo *)"
same "every tool" "$(cd "$BUILD" && ls -d binlog-*)" "$(ls "$at/bin")"
same "every page" "$(ls man/*.[1-8] "$BUILD"/man/*.[1-8] | sed 's|.*/||' | sort)" \
	"$(find "$at/share/man" -type f -printf '%f\n' | sort)"
same "every completion" "$(cd "$BUILD/completions" && find . -type f -printf '%f\n' | sort)" \
	"$(find "$at/share" -path '*completions/*' -type f -printf '%f\n' | sort)"
same "everybody may read it, nobody but its owner write to it" "" "$(find "$at" -perm /022 ! -type l -o ! -perm -444)"
same "nothing in it is of a directory where it was built" "" "$(grep -rlF -e "$TMP" -e "$BUILD" "$at")"
(cd "$TMP" && "$at/bin/binlog-run" ls / >"$TMP/out" 2>&1 && "$at/bin/binlog-show" --raw) >"$TMP/shown" 2>&1
same "it records and shows where it was unpacked" "$(ls /)" "$(cat "$TMP/shown")"

if [ -z "${LONG:-}" ]; then
	finish
fi

# ---- as it is given away ----
make --no-print-directory O="$TMP/first" dist >"$TMP/made" 2>&1
if grep -q ': not tried: ' "$TMP/made"; then
	skip "make dist: $(grep ': not tried: ' "$TMP/made")"
	finish
fi
verdict $? "make dist, in $SECONDS s" "$(tail -n 12 "$TMP/made")"
make --no-print-directory O="$TMP/second" dist >"$TMP/made" 2>&1
mkdir "$TMP/dist"
for machine in x86_64 aarch64; do
	name=binlog-$version-$machine
	same_file "$machine: made on another new machine: the same bytes" \
		"$TMP/first/dist/$name.tar.xz" "$TMP/second/dist/$name.tar.xz"
	tar -C "$TMP/dist" -xf "$TMP/first/dist/$name.tar.xz"
	same "$machine: its files are for it" "$(sed 's/_/-/' <<<$machine)" "$(file "$TMP/dist/$name"/bin/* "$TMP/dist/$name"/lib/*.so |
		grep -oE 'x86-64|aarch64' | sort -u)"
	same "$machine: they need libc's own libraries and no others" "" "$(readelf -d "$TMP/dist/$name"/bin/* "$TMP/dist/$name"/lib/*.so |
		sed -n 's/.*NEEDED.*\[\(.*\)\]/\1/p' | sort -u | grep -vxE 'lib(c|m|dl|pthread)\.so\.[0-9]|ld-linux-aarch64\.so\.1')"
done

cat >"$TMP/dist/try" <<'END'
# try DIRECTORY SMOKE: what was unpacked there, with nothing else
set -e
tools=$1/bin
mkdir work
cd work
! command -v gcc make
"$tools/binlog-run" ls -l /usr >out
[ ! -s out ]
ls -l /usr >native
"$tools/binlog-show" --stacks >shown
sed -n 's/^2[0-9]*-.* ls\[[0-9:]*\] stdout: //p' shown | cmp - native
grep -q '^    #0 ls+0x' shown
for file in "$tools"/* "$tools/../lib/libbinlog.so"; do
	ldd "$file" >needed
	! grep -vE 'linux-vdso|/lib(c|m|dl|pthread)\.so|/ld-linux' needed
done
sh "$2" "$tools"
END
cp debian/tests/smoke "$TMP/dist"
for suite in bullseye bookworm trixie; do
	tests/fresh --bare --with="$TMP/dist" $suite sh "$TMP/dist/try" "$TMP/dist/binlog-$version-x86_64" "$TMP/dist/smoke" \
		>"$TMP/tried" 2>&1
	verdict $? "$suite without a compiler: records ls, shows its stacks, needs libc alone, and all tools work" \
		"$(tail -n 12 "$TMP/tried")"
done

cat >"$TMP/dist/try_emulated" <<'END'
# try_emulated DIRECTORY: the tools for aarch64, and ls for aarch64 with the library
set -e
dpkg --add-architecture arm64
apt-get -qq update
apt-get -qq -y --no-install-recommends install libselinux1:arm64 libcap2:arm64 >/dev/null 2>&1
cd /tmp
apt-get -qq download coreutils:arm64
dpkg -x coreutils_*_arm64.deb .
ls=$PWD/bin/ls
[ -e $ls ] || ls=$PWD/usr/bin/ls
qemu-aarch64 $ls -l /usr >native
qemu-aarch64 -E LD_PRELOAD="$1/lib/libbinlog.so" $ls -l /usr >out
[ ! -s out ]
qemu-aarch64 "$1/bin/binlog-show" --stacks >shown
sed -n 's/^2[0-9]*-.* ls\[[0-9:]*\] stdout: //p' shown | cmp - native
grep -q '^    #0 ls+0x' shown
qemu-aarch64 "$1/bin/binlog-pack" -q -o log binlog.data
qemu-aarch64 "$1/bin/binlog-show" --raw log | cmp - native
for tool in "$1"/bin/*; do qemu-aarch64 $tool --help >help && [ -s help ]; done
END
for suite in bullseye trixie; do
	tests/fresh --bare --include=qemu-user --with="$TMP/dist" $suite sh "$TMP/dist/try_emulated" "$TMP/dist/binlog-$version-aarch64" \
		>"$TMP/tried" 2>&1
	verdict $? "$suite, emulated: records ls for aarch64, and the tools for aarch64 show it" "$(tail -n 12 "$TMP/tried")"
done
finish
