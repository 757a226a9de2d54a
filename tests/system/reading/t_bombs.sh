#!/bin/bash
# Bombs: captures and logs of some bytes that ask for gigabytes, hours or the reader's life; and paths that are no files.
# Each is done with in 64 MiB and, LONG=1, in 50 ms of the processor; that prints what each one takes.
. tests/support/lib.sh
. tests/packed/common.sh
milliseconds=5000 kib=$((64 << 10))
! is_long || milliseconds=50
nm "$show" | grep -qE '__(asan|ubsan|tsan|gcov)_' && milliseconds=2000 kib=$((4 << 20)) # these take time and memory themselves
bombs=$here/bombs
cd "$here/.." || exit 1

$CC -std=gnu11 -D_GNU_SOURCE -O1 -I. -o "$TMP/captures" "$bombs/captures.c" || exit 1
mkdir "$TMP/formats" "$TMP/logs" "$TMP/packed"
"$TMP/captures" "$TMP/formats" || exit 1
python3 "$bombs/logs.py" "$TMP/logs" || exit 1

within() { # SENTENCE COMMAND... -- PATH...
	local said
	said=$(python3 "$bombs/measure.py" "$milliseconds" "$kib" "${@:2}" 2>"$TMP/figures")
	verdict ${#said} "$1: at most $milliseconds ms and $((kib >> 10)) MiB each" "$said"
	cat "$TMP/figures"
}
count() { find "$1" -type f | wc -l; }

# ---- captures: formats and lengths ----
within "$(count "$TMP/formats") captures with hostile formats and lengths" "$show" -- "$TMP"/formats/*
within "their bytes" "$show" --raw -- "$TMP"/formats/*
for style in json html csv ctf; do
	within "and as $style" "$show" "--output=$style" "--to=$TMP/out.$style" -- "$TMP"/formats/*
	rm -rf "$TMP/out.$style"
done
within "and chosen by their text" "$show" --grep=needle -- "$TMP"/formats/*
within "binlog-pack takes them" "$tool" -q -f -o "$TMP/packed/one.blog" -- "$TMP"/formats/*
for capture in "$TMP"/formats/*; do
	"$tool" -q -f -o "$TMP/packed/$(basename "$capture" .binlog).blog" "$capture" 2>/dev/null
done
rm -f "$TMP/packed/one.blog"
within "and $(count "$TMP/packed") logs of them are read" "$show" -- "$TMP"/packed/*
"$show" "$TMP/formats/written.binlog" >"$TMP/got" 2>&1
same "what %n points to is neither read nor written" "1 captured, 0 passed, 0 dropped" "$(cat "$TMP/got")"
"$show" --raw "$TMP/formats/anywhere.binlog" >"$TMP/got" 2>&1
same "%s of a number is not an address that is read" "%s" "$(head -n 1 "$TMP/got" | cut -c 1-2)"

# ---- packed logs: MessagePack and zstd ----
within "$(count "$TMP/logs") packed logs that lie" "$show" -- "$TMP"/logs/*
within "with stacks" "$show" --stacks -- "$TMP"/logs/*
within "their sums" "$show" --stats -- "$TMP"/logs/*
within "what is whole of them is copied" "$show" --recover -- "$TMP"/logs/*
why=
for log in "$TMP"/logs/*; do
	[ "$("$show" --raw -q "$log" 2>/dev/null)" = said ] || why+="$(basename "$log") "
done
verdict ${#why} "and the message behind the lies is shown of each" "$why"

# ---- what is no file ----
mkfifo "$TMP/fifo"
mkdir "$TMP/loop"
ln -s loop.binlog "$TMP/loop/loop.binlog"
ln -s ../loop "$TMP/loop/directory.binlog"
ln -s /dev/zero "$TMP/loop/zero.blog"
ln -s "$TMP/fifo" "$TMP/loop/fifo.blog"
within "a FIFO, devices, links to themselves" "$show" -- "$TMP/fifo" /dev/zero /dev/full /dev/random /proc/self/mem "$TMP/loop" "$TMP/loop/loop.binlog"
within "and packing them" "$tool" -q -f -o "$TMP/out.blog" -- "$TMP/fifo" /dev/zero /proc/self/mem "$TMP/loop"
if truncate -s 1T "$TMP/hole.blog" "$TMP/hole.binlog" "$TMP/said.blog" 2>/dev/null; then
	cat "$TMP/logs/nested.blog" >>"$TMP/said.blog"
	within "files of a TiB, which are holes" "$show" -- "$TMP"/hole.*log "$TMP/said.blog"
	within "and copying what is in them" "$show" --recover -- "$TMP/said.blog"
	same "what is behind a hole is shown" said "$("$show" --raw -q "$TMP/said.blog" 2>/dev/null)"
fi
milliseconds=$((milliseconds * 100))
mkdir "$TMP/many"
python3 - "$TMP/many" 100000 <<'P'
import os, sys
for i in range(int(sys.argv[2])):
    os.close(os.open(f"{sys.argv[1]}/{i}.{'binlog' if i % 4 == 0 else 'blog' if i % 4 == 1 else 'txt'}", os.O_CREAT | os.O_WRONLY))
P
within "a directory of 100,000 files" "$show" -- "$TMP/many"
finish
