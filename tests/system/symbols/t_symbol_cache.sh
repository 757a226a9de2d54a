#!/bin/bash
# What binlog-symbolize keeps of its answers: with it the next run says the same, byte for byte, whatever has become of
# the cache or of the files meanwhile.
. tests/support/lib.sh
TMP=$(realpath "$TMP")
BUILD=$(realpath "$BUILD")
symbolize=$BUILD/binlog-symbolize
cache=$TMP/cache
export BINLOG_CACHE=$cache

g++ -g -O2 -Wl,--build-id -o "$TMP/program" "$here/nest/nest.cc" || exit 1
gcc -g -O2 -Wl,--build-id -o "$TMP/other" "$here/nest/nest.c" "$here/nest/other.c" || exit 1
objcopy --only-keep-debug "$TMP/other" "$TMP/other.debug"
strip -o "$TMP/stripped" "$TMP/other"
mkdir "$TMP/debug"
addresses() { # FILE NAME: questions about every instruction of FILE, as about NAME; some have no answer
	objdump -d "$1" | sed -n 's/^ *\([0-9a-f]*\):\t.*/\1/p' | sed "s|^|$2+0x|"
	printf "$2+%s\n" 0x0 0x10 0x10000000
}
addresses "$TMP/program" "$TMP/program" >"$TMP/questions"
ask() { # TO [OPTION...]: both streams
	timeout 20 "$symbolize" "${@:2}" "$TMP/questions" >"$TMP/$1" 2>"$TMP/$1.errors" </dev/null
	echo "status $?" >>"$TMP/$1"
}
said_the_same() { cmp -s "$TMP/want" "$TMP/$1" && cmp -s "$TMP/want.errors" "$TMP/$1.errors"; } # TO
same_said() { # SENTENCE TO
	said_the_same "$2"
	verdict $? "$1" "$(diff "$TMP/want" "$TMP/$2" | head -n 4; diff "$TMP/want.errors" "$TMP/$2.errors" | head -n 4)"
}
files() { find "$1" -type f -o -type l 2>/dev/null; } # DIRECTORY

# A file that has changed a moment ago may change again within the tick of its time.
touch "$TMP/program"
ask new
[ -z "$(files "$cache")" ]
verdict $? "nothing is kept about a file that is new" "$(files "$cache")"
sleep 3.1

# ---- cold, warm, without ----
BINLOG_CACHE='' ask want
[ "$(wc -l <"$TMP/want")" -gt 1000 ] && [ "$(wc -l <"$TMP/want.errors")" -gt 0 ] && [ -z "$(files "$cache")" ]
verdict $? "an empty BINLOG_CACHE is no cache" "$(files "$cache"; tail -n 2 "$TMP/want" "$TMP/want.errors")"
ask cold
same_said "the first run with a cache says the same" cold
kept=$(files "$cache")
[ "$(echo "$kept" | wc -l)" -eq 1 ] && [ "$(stat -c %a "$cache" "$kept" | tr '\n' ' ')" = '700 600 ' ]
verdict $? "it leaves one file that is the user's alone" "$(ls -la "$cache")"
cp "$kept" "$TMP/kept"
ask warm
same_said "the second one says the same" warm
processes() { ASAN_OPTIONS=detect_leaks=0 strace -f -e trace=clone,clone3,fork,vfork "$symbolize" "$TMP/questions" 2>&1 >/dev/null | grep -c 'fork\|clone'; }
if ! strace -o /dev/null true 2>/dev/null; then
	skip "the second one reads no program (no strace)"
else
	same "the second one reads no program" 0 "$(processes)"
fi
head -n 500 "$TMP/questions" >"$TMP/few"
rm -r "$cache"
"$symbolize" "$TMP/few" >/dev/null 2>&1
ask more
same_said "what was not kept is found" more
ask warm
same_said "and kept then" warm

# ---- what becomes of cache files ----
replaced() { cmp -s "$TMP/kept" "$kept"; }
spoiled() { # SENTENCE: the file is spoiled now; the run says the same and makes it good
	ask spoiled
	said_the_same spoiled && replaced && return
	not_ok "$1" "$(diff "$TMP/want" "$TMP/spoiled" | head -n 4; ls -la "$cache")"
	return 1
}
rm -r "$cache"
ask cold
bytes=$(stat -c %s "$TMP/kept")
fine=0
for ((i = 0; i < 40; i++)); do
	at=$((i < 24 ? i : (bytes - 1) * (i - 24) / 15))
	printf "\\x$(printf %x $((0x$(xxd -s $at -l 1 -p "$TMP/kept") ^ (1 << i % 8))))" |
		dd of="$kept" bs=1 seek=$at conv=notrunc 2>/dev/null
	spoiled "a bit that is flipped at $at of $bytes" || fine=1
done
[ $fine -ne 0 ] || ok "a cache file with a bit flipped is not believed, and replaced"
fine=0
for length in 0 1 23 24 25 100 $((bytes / 2)) $((bytes - 1)); do
	head -c "$length" "$TMP/kept" >"$kept"
	spoiled "a file of $length of $bytes bytes" || fine=1
done
cat "$TMP/kept" "$TMP/kept" >"$kept"
spoiled "a file that is too long" || fine=1
[ $fine -ne 0 ] || ok "a cache file of another length is not believed, and replaced"
# The sum is right then, but nothing else: each number of 8 bytes of a sample is set to what leads astray.
cat >"$TMP/astray.py" <<'END'
import struct, sys, zlib
data = bytearray(open(sys.argv[1], "rb").read())
turn = int(sys.argv[3])
values = [0, 1, 2**31, 2**32 - 1, 2**63, 2**64 - 1, len(data)]
where = 24 + (turn * 7919 * 8 if turn > 20 else turn * 8) % (len(data) - 32)
data[where:where + 8] = struct.pack("<Q", values[turn % len(values)])
data[16:24] = struct.pack("<Q", zlib.crc32(bytes(data[24:])))
open(sys.argv[2], "wb").write(data)
END
fine=0
for ((i = 0; i < 40; i++)); do
	python3 "$TMP/astray.py" "$TMP/kept" "$kept" $i
	ask astray
	grep -q '^status [01]$' "$TMP/astray" && continue
	not_ok "a file that leads astray, turn $i" "$(tail -n 2 "$TMP/astray" "$TMP/astray.errors")"
	fine=1
done
[ $fine -ne 0 ] || ok "a cache file with a right sum and wrong numbers costs right answers at most"
rm -r "$cache"
sed "s|$TMP/program|$TMP/other|" "$TMP/questions" >"$TMP/others"
"$symbolize" "$TMP/others" >/dev/null 2>&1
mv "$cache"/* "$TMP/foreign"
cp "$TMP/foreign" "$kept"
spoiled "a file about another program" && ok "a cache file about another program is not believed, and replaced"
echo secret >"$TMP/secret"
rm "$kept"
ln -s "$TMP/secret" "$kept"
spoiled "a link in its place" && same "a link in its place is not followed" secret "$(cat "$TMP/secret")"
rm "$kept"
mkfifo "$kept"
spoiled "a FIFO in its place" && ok "a FIFO in its place is not waited for"
rm "$kept"
mkdir "$kept"
ask directory
same_said "a directory in its place is put up with" directory

# ---- directories ----
chmod 777 "$cache"
rmdir "$kept"
ask open
[ -z "$(files "$cache")" ]
verdict $? "a directory that others may write to is not used" "$(ls -la "$cache")"
same_said "and the answers are the same" open
BINLOG_CACHE=/proc/none ask nowhere
same_said "a directory that cannot be made is put up with" nowhere
BINLOG_CACHE=$TMP/secret ask nowhere
same_said "a file instead of a directory is put up with" nowhere
mkdir "$TMP/home"
(
	unset BINLOG_CACHE XDG_CACHE_HOME
	XDG_CACHE_HOME=$TMP/home/xdg ask usual
	HOME=$TMP/home ask usual
)
same "the cache is in XDG_CACHE_HOME" 1 "$(files "$TMP/home/xdg/binlog" | wc -l)"
same "else in the home directory" 1 "$(files "$TMP/home/.cache/binlog" | wc -l)"

# ---- in the home directory of another user ----
if [ "$(id -u)" -eq 0 ]; then
	mkdir -p "$TMP/theirs" "$TMP/roots/binlog"
	echo mine >"$TMP/roots/binlog/.profile"
	touch -d yesterday "$TMP/roots/binlog/.profile"
	chmod 755 "$TMP/theirs" "$TMP/roots"
	chmod 700 "$TMP/roots/binlog"
	chown 65534 "$TMP/theirs"
	at_home() { # SENTENCE: with what another user has put into their home
		(
			unset BINLOG_CACHE XDG_CACHE_HOME
			HOME=$TMP/theirs ask visit
		)
		same "$1: nothing is left there" "" "$(find "$TMP/theirs" -uid 0 ! -name linked)"
		same "$1: nor elsewhere" ".profile" "$(ls -A "$TMP/roots/binlog")"
		same_said "$1: and the answers are the same" visit
		rm -rf "$TMP/theirs"/.cache
	}
	at_home "another user's home"
	ln -s "$TMP/roots" "$TMP/theirs/.cache" && chown -h 65534 "$TMP/theirs/.cache"
	at_home "a link of theirs to a directory of root"
	mkdir "$TMP/theirs/.cache"
	ln -s "$TMP/roots/binlog" "$TMP/theirs/.cache/binlog"
	chown -h 65534 "$TMP/theirs/.cache" "$TMP/theirs/.cache/binlog"
	at_home "a link of theirs in the place of the cache"
	mkdir -p "$TMP/theirs/.cache/binlog"
	cp "$TMP/kept" "$TMP/theirs/.cache/binlog/$(basename "$kept")"
	chown -R 65534 "$TMP/theirs/.cache"
	at_home "a cache of theirs"
else
	skip "the home directory of another user: not root here"
fi

# ---- several at once ----
rm -rf "$cache"
for ((i = 0; i < 6; i++)); do
	ask "at_once$i" &
done
wait
fine=0
for ((i = 0; i < 6; i++)); do
	said_the_same "at_once$i" || fine=1
done
[ $fine -eq 0 ] && replaced && [ "$(find "$cache" -mindepth 1 | wc -l)" -eq 1 ]
verdict $? "six at once say the same and leave one sound file" "$(ls -la "$cache")"

# ---- what becomes of programs ----
addresses "$TMP/other" "$TMP/stripped" >"$TMP/questions"
id=$(readelf -n "$TMP/other" | sed -n 's/.*Build ID: *//p')
lines() { grep -c ' at .*\.c:[0-9]' "$TMP/$1"; } # TO
ask without -d "$TMP/debug"
ask without -d "$TMP/debug"
same "without its debug file a program has no lines" 0 "$(lines without)"
mkdir -p "$TMP/debug/.build-id/${id:0:2}"
cp "$TMP/other.debug" "$TMP/debug/.build-id/${id:0:2}/${id:2}.debug"
ask with -d "$TMP/debug"
[ "$(lines with)" -gt 100 ]
verdict $? "a debug file that is installed later is noticed"
sleep 3.1
ask with -d "$TMP/debug"
rm "$TMP/debug/.build-id/${id:0:2}/${id:2}.debug"
ask gone -d "$TMP/debug"
same_file "one that is removed is noticed" "$TMP/without" "$TMP/gone"
ask elsewhere -d "$TMP/nowhere"
cp "$TMP/other" "$TMP/stripped"
ask replaced -d "$TMP/debug"
[ "$(lines replaced)" -gt 100 ]
verdict $? "a program that is replaced is noticed"
finish
