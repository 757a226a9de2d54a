# Programs of Debian for aarch64, in an emulator: the packages that the files of programs/ name, with all that they need, below
# $work/aarch64; commands of the names of those that are recorded, which run them.
# shellcheck shell=bash

cross=aarch64-linux-gnu
# Nonzero: not here, said in $why.
with_aarch64() {
	local tool file name kept=${ARM_DEBS:-$work/aarch64}
	for tool in $cross-gcc qemu-aarch64 dpkg-deb apt-get; do
		command -v $tool >/dev/null && continue
		why="there is no $tool (packages gcc-aarch64-linux-gnu, libc6-dev-arm64-cross, qemu-user)"
		return 1
	done
	# shellcheck disable=SC2046 # a list of words
	if ! tests/unpack-packages --architecture=arm64 "$kept" $(ONLY='' each_program told_by packages | sort -u) >"$work/log" 2>&1; then
		why=$(cat "$kept/why" 2>/dev/null || tail -n 1 "$work/log")
		return 1
	fi
	arm_root=$kept/root
	arm_commands=$work/commands
	mkdir -p "$arm_commands" "$work/programs"
	$CC -std=gnu11 -D_GNU_SOURCE -O1 -w -static -DROOT="\"$arm_root\"" -DPROGRAMS="\"$work/programs\"" \
		-DEMULATOR="\"$(type -P qemu-aarch64)\"" -o "$work/emulated" tests/victims/emulated.c || exit 1
	for file in $(each_program told_by needs 1 | sed "s|.*|$arm_root/usr/bin/& $arm_root/usr/sbin/&|"); do
		[[ $(file -bL "$file") == ELF*aarch64* ]] || continue
		ln -sf "$(realpath "$file")" "$work/programs/${file##*/}"
		ln -f "$work/emulated" "$arm_commands/${file##*/}"
	done
	why=$(env -u MAKEFLAGS make -s -j2 O="$work/build" CC=$cross-gcc "$work/build/libbinlog.so" 2>&1 >/dev/null) || return 1
	arm_lib=$work/build/libbinlog.so
}
# From here on these are the commands; their library is recorded by.
use_aarch64() {
	PATH=$arm_commands:$PATH
	lib=$arm_lib
	where_it_was=(--sysroot="$arm_root" --path-map="$arm_root=$arm_root")
	is_of_processor() { [[ $(type -P "$1") == "$arm_commands"/* ]]; }
	prefix_of() { if is_of_processor "$1"; then echo "$arm_root"; fi; }
	program_file() { { realpath -e "$work/programs/$1" || find "$arm_root/usr/lib" -name "$1" ! -type d -print -quit; } 2>/dev/null | grep .; }
}
