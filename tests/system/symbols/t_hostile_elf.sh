#!/bin/bash
# Files that are damaged or hostile cost names: binlog-show and binlog-symbolize live, do not wait, and write all else.
# LONG=1: 100,000 damaged copies of 200 files instead of 500 of some 60.
. tests/support/lib.sh
TMP=$(realpath "$TMP")
BUILD=$(realpath "$BUILD")
symbolize=$BUILD/binlog-symbolize
nest=$here/nest
ulimit -S -c 0
export XDG_CACHE_HOME=$TMP/cache # not the user's own

# ---- what there is to damage ----
# What the symbolizer's objects have been built with is needed for linking too.
flags=(-std=gnu11 -O1 -g -D_GNU_SOURCE -I.)
nm "$symbolize" | grep -q __asan_ && flags+=(-fsanitize=address)
nm "$symbolize" | grep -q __ubsan_ && flags+=(-fsanitize=undefined)
objects=()
for source in $(find base record rules sandbox symbolizer -name '*.c'); do
	objects+=("$BUILD/outside/${source%.c}.o")
done
[ ! -e "$BUILD/libreaders.so" ] || objects=("$BUILD/libreaders.so") # all of it, where coverage is measured
read -ra libraries <<<"$(libraries_of_readers)"
why=$(gcc "${flags[@]}" -o "$TMP/mutate" tests/mutate_elf.c "${objects[@]}" "${libraries[@]}" 2>&1) || {
	not_ok "the program that damages files is built" "$why"
	finish
}
mkdir "$TMP/sound"
sound() { # NAME COMMAND...: a program of ours, when there is such a compiler
	"${@:2}" -o "$TMP/sound/$1" 2>/dev/null || rm -f "$TMP/sound/$1"
}
for version in 3 4 5; do
	sound "c$version" gcc "-gdwarf-$version" -O2 "$nest/nest.c" "$nest/other.c"
	sound "cxx$version" g++ "-gdwarf-$version" -O2 "$nest/nest.cc"
	sound "clang$version" clang "-gdwarf-$version" -O2 "$nest/nest.c" "$nest/other.c"
done
sound small gcc -g -Os -flto "$nest/nest.c" "$nest/other.c"
sound packed g++ -g -O1 -gz "$nest/nest.cc"
sound shared gcc -g -O2 -fPIC -shared "$nest/other.c"
sound split gcc -g -gsplit-dwarf -O1 "$nest/nest.c" "$nest/other.c"
sound sections gcc -g -O2 -ffunction-sections "$nest/nest.c" "$nest/other.c"
objcopy --only-keep-debug "$TMP/sound/cxx5" "$TMP/sound/debug"
strip -o "$TMP/sound/stripped" "$TMP/sound/cxx5"
objcopy --add-gnu-debuglink="$TMP/sound/debug" "$TMP/sound/stripped" "$TMP/sound/linked"
mapfile -t ours < <(find "$TMP/sound" -type f | sort)
of_system() { # COUNT, from all over the alphabet
	find /usr/bin /usr/lib -xdev -type f -size -700k \( -perm -100 -o -name '*.so*' -o -name '*.debug' \) |
		LC_ALL=C sort | awk -v wanted=$(($1 * 3)) '{ line[NR] = $0 }
			END { for (i = 1; i <= NR; i += NR > wanted ? NR / wanted : 1) print line[int(i)] }' |
		while read -r file; do
			read -r -N 5 magic <"$file"
			[ "$magic" != $'\x7fELF\x02' ] || echo "$file"
		done 2>/dev/null | head -n "$1"
}

# ---- damaged copies ----
if [ -n "${LONG:-}" ]; then
	count=100000
	mapfile -t theirs < <(of_system $((200 - ${#ours[@]})))
else
	count=500
	mapfile -t theirs < <(of_system 40)
fi
# Of ours there is more to damage: they have debug information.
said=$("$TMP/mutate" ask "${SEED:-1}" $count "$TMP/mutant" "${ours[@]}" "${ours[@]}" "${theirs[@]}" 2>&1)
verdict $? "every question about $count damaged copies of $((${#ours[@]} + ${#theirs[@]})) files is answered in time, and none crashes the worker (${said##*: })" "$said"
rm -f "$TMP/mutant"

# A file without build-id is known by its size and its code, which the damage leaves alone.
mkdir "$TMP/run"
cat >"$TMP/run/program.c" <<'END'
#include <stdio.h>
static void __attribute__((noinline)) inner(int i) { printf("message %d of %s\n", i, "many"); }
int main(void)
{
	for (int i = 0; i < 20; i++)
		inner(i);
	return 0;
}
END
gcc -g -O1 -Wl,--build-id=none -o "$TMP/run/program" "$TMP/run/program.c"
LD_PRELOAD=$lib BINLOG_DIR=$TMP/run/capture "$TMP/run/program" >/dev/null
cp "$TMP/run/program" "$TMP/run/sound"
shown() { # the messages; all frames are on lines of their own
	timeout 20 "$show" --stacks "$TMP/run/capture" >"$TMP/run/shown" 2>"$TMP/run/complaint"
	echo "status $?"
	grep -v '^    #' "$TMP/run/shown"
}
shown >"$TMP/run/want"
grep -q ' inner at .*program.c:2' "$TMP/run/shown"
verdict $? "the sound program's frames are named" "$(cat "$TMP/run/shown" "$TMP/run/complaint")"
unnamed=0
copies=25
[ -z "${LONG:-}" ] || copies=500
for ((i = 1; i <= copies; i++)); do
	cp "$TMP/run/program" "$TMP/run/before"
	"$TMP/mutate" write $i "$TMP/run/program" "$TMP/run/sound"
	shown >"$TMP/run/got"
	grep -q ' inner at .*program.c:2' "$TMP/run/shown" || unnamed=$((unnamed + 1))
	cmp -s "$TMP/run/want" "$TMP/run/got" && continue
	not_ok "binlog-show writes every message, copy $i" "$(diff "$TMP/run/want" "$TMP/run/got")"
	break
done
[ "$unnamed" -gt 0 ]
verdict $? "binlog-show writes every message while names get lost (of $unnamed in $copies copies)"
# ---- paths ----
at_once=$(is_long && echo 100 || echo 5000) # ms
answer() { # MODULE [OPTION...]: to $TMP/said; in the fastest of three tries it takes $took ms
	local try start now
	took=100000
	echo "$1+0x1130" >"$TMP/question"
	for try in 1 2 3; do
		start=$(date +%s%N)
		timeout 10 "$symbolize" "${@:2}" "$TMP/question" >"$TMP/said" 2>&1 </dev/null
		status=$?
		now=$(date +%s%N)
		[ $(((now - start) / 1000000)) -ge $took ] || took=$(((now - start) / 1000000))
		[ $took -ge $at_once ] || break
	done
}
refused() { # SENTENCE WORDS MODULE [OPTION...]: in one sentence, beside that of a limit
	answer "${@:3}"
	[ $took -lt $at_once ] && [ $status -eq 1 ] && grep -q "$2" "$TMP/said" && [ "$(grep -cv -- --limit= "$TMP/said")" -eq 2 ]
	verdict $? "$1 is refused at once" "$took ms, status $status: $(cat "$TMP/said")"
}
mkdir -p "$TMP/root/bin" "$TMP/outside"
mkfifo "$TMP/fifo" "$TMP/root/fifo"
ln -s loop "$TMP/loop"
printf '\177ELF' >"$TMP/holes"
truncate -s 1T "$TMP/holes"
cp "$TMP/sound/c5" "$TMP/large"
truncate -s 30G "$TMP/large"
cp "$TMP/sound/c5" "$TMP/outside/program"
cp "$TMP/sound/c5" "$TMP/root/bin/program"
ln -s "$TMP/outside/program" "$TMP/root/absolute"
ln -s "../../../../../../../../../..$TMP/outside/program" "$TMP/root/up"
ln -s /bin/program "$TMP/root/link"
refused "a FIFO without a writer" "not a regular file" "$TMP/fifo"
refused "/dev/zero" "not a regular file" /dev/zero
refused "a terminal" "not a regular file\|cannot be opened" /dev/tty
refused "/proc/self/mem" "not an ELF file" /proc/self/mem
refused "/proc/kmsg, which waits," "not an ELF file\|permission denied" /proc/kmsg
refused "/proc/kcore" "larger than\|permission denied\|no such file\|not an ELF file" /proc/kcore
refused "a directory" "not a regular file" "$TMP"
refused "a loop of links" "cannot be opened" "$TMP/loop"
refused "a file of 1 TiB of holes" "larger than" "$TMP/holes"
refused "a path of 5000 characters" "cannot be opened\|too long" "/$(head -c 5000 /dev/zero | tr '\0' x)"
refused "a secret" "not an ELF file" "$TMP/../../../../../../../../../etc/passwd"
grep -q root: "$TMP/said"
[ $? -ne 0 ]
verdict $? "nothing of it is shown" "$(cat "$TMP/said")"
refused "an absolute link out of a sysroot" "no such file" /absolute --sysroot="$TMP/root"
refused "a relative link out of a sysroot" "no such file" /up --sysroot="$TMP/root"
refused "a path out of a sysroot" "no such file" "/../../../../../../../..$TMP/outside/program" --sysroot="$TMP/root"
refused "a FIFO below a sysroot" "not a regular file" /fifo --sysroot="$TMP/root"
answer "$TMP/sound/c5"
cp "$TMP/said" "$TMP/want"
grep -q ' at .*\.c:[0-9]' "$TMP/want"
verdict $? "the file itself is read" "$(cat "$TMP/want")"
answer /link --sysroot="$TMP/root"
same_file "an absolute link within a sysroot is followed" "$TMP/want" "$TMP/said"
answer "$TMP/large"
same_file "a program followed by 30 GiB of holes is read" "$TMP/want" "$TMP/said"

# ---- bombs ----
# bomb FILE LARGE COUNT: an ELF file with COUNT sections, the first one .debug_info, that unpack to LARGE bytes of zeros
cat >"$TMP/bomb.py" <<'END'
import struct, sys, zlib
piece = 1 << 20
large, count = int(sys.argv[2]), int(sys.argv[3])
packer = zlib.compressobj(9)
packer.compress(b"")
block = packer.compress(bytes(piece)) + packer.flush(zlib.Z_FULL_FLUSH)
block = block[2:]  # without the head of the stream
packed = b"\x78\xda" + block * (large // piece) + b"\x03\x00" + struct.pack(">I", (large % 65521) << 16 | 1)
packed = struct.pack("<IIQQ", 1, 0, large, 1) + packed
names = b"\0.shstrtab\0.debug_info\0.debug_abbrev\0.debug_line\0.debug_str\0.text\0"
place = {name: names.index(name) for name in (b".shstrtab", b".debug_info", b".debug_abbrev", b".debug_line",
                                              b".debug_str", b".text")}
head = 64
tables = head + len(packed) + len(names)
section = struct.Struct("<IIQQQQIIQQ")
sections = [section.pack(*[0] * 10)]
sections.append(section.pack(place[b".shstrtab"], 3, 0, 0, head + len(packed), len(names), 0, 0, 1, 0))
sections.append(section.pack(place[b".text"], 8, 6, 0x1000, 0, 0x1000, 0, 0, 16, 0))
for name in (b".debug_info", b".debug_abbrev", b".debug_line", b".debug_str")[:count]:
    sections.append(section.pack(place[name], 1, 0x800, 0, head, len(packed), 0, 0, 1, 0))
with open(sys.argv[1], "wb") as file:
    file.write(b"\x7fELF\2\1\1" + bytes(9))
    file.write(struct.pack("<HHIQQQIHHHHHH", 2, 62, 1, 0, 0, tables, 0, 64, 56, 0, 64, len(sections), 1))
    file.write(packed + names + b"".join(sections))
END
# What the largest of the processes occupied, in KiB.
cat >"$TMP/measure.py" <<'END'
import resource, subprocess, sys
subprocess.run(sys.argv[1:])
print("occupied", resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)
END
explode() { # SENTENCE LARGE COUNT
	local start now occupied
	python3 "$TMP/bomb.py" "$TMP/bomb" "$2" "$3" || exit 1
	echo "$TMP/bomb+0x1130" >"$TMP/question"
	start=$(date +%s%N)
	python3 "$TMP/measure.py" "$symbolize" "$TMP/question" >"$TMP/said" 2>&1
	now=$(date +%s%N)
	occupied=$(sed -n 's/^occupied //p' "$TMP/said")
	grep -q 'far more than the file holds' "$TMP/said" && [ "$occupied" -lt 65536 ] &&
		[ $(((now - start) / 1000000)) -lt $((at_once * 10)) ]
	verdict $? "$1" "$(((now - start) / 1000000)) ms, $occupied KiB: $(cat "$TMP/said")"
}
if nm "$symbolize" | grep -q __asan_; then
	skip "bombs: AddressSanitizer takes memory itself"
else
	explode "a section of 1 MiB that unpacks to 1 GiB is not unpacked" $((1 << 30)) 1
	explode "sections that unpack to too much together are not unpacked" $((50 << 20)) 4
fi
finish
