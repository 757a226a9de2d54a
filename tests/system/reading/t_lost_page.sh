#!/bin/bash
# A capture whose header page is damaged, overwritten or cut off is read from its blocks: every byte is as it is read from the whole
# one, with one sentence; what only the page knows is left out.  What is no capture is refused as ever.
. tests/support/lib.sh
pack=$BUILD/binlog-pack
cd "$TMP" || exit 1
cat >speaker.c <<'END'
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
static void *speak(void *name)
{
	for (int i = 0; i < 3000; i++)
		printf("%s says %d of %.2f\n", (char *)name, i, i / 3.0);
	return NULL;
}
int main(int argc, char **argv)
{
	pthread_t threads[2];
	setvbuf(stdout, NULL, _IOLBF, 0);
	for (int i = 0; i < 2; i++)
		pthread_create(&threads[i], NULL, speak, i ? "one" : "other");
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	if (!fork()) {
		printf("child %Lf\n", 1.25L);
		exit(3);
	}
	wait(NULL);
	fprintf(stderr, "the end\n");
	if (argc > 1)
		kill(getpid(), 9);
	return 7;
}
END
$CC -std=gnu11 -D_GNU_SOURCE -w -o speaker speaker.c -pthread || exit 1
capture() { # DIR COMMAND...: makes its only capture DIR.binlog
	BINLOG_DIR=$TMP/$1 LD_PRELOAD=$lib "${@:2}" >/dev/null 2>&1
	mv "$1"/*.binlog "$1.binlog"
}
capture whole ./speaker
capture little sh -c 'echo one; echo two; kill -9 $$'
"$show" --raw -q whole.binlog >whole.text
"$show" -q -u whole.binlog >whole.lines
same "a whole one has no complaint" "" "$("$show" -q whole.binlog 2>&1 >/dev/null)"

cat >damage.py <<'END'
import random, sys
way, source, to = sys.argv[1:4]
data = bytearray(open(source, "rb").read())
numbers = [int(n) for n in sys.argv[4:]]
chance = random.Random(7)
if way == "zero":
    data[numbers[0]:numbers[1]] = bytes(numbers[1] - numbers[0])
elif way == "overwrite":
    data[numbers[0]:numbers[1]] = bytes(chance.randrange(256) for _ in range(*numbers))
elif way == "flip":
    data[numbers[0]] ^= 1 << numbers[1]
elif way == "cut":
    del data[:numbers[0]]
elif way == "forge":  # a block of another nonce in each page of zeros at the end
    block = next(at for at in range(4096, len(data), 4096) if data[at:at + 4] == b"BLBK")
    data[:4096] = bytes(4096)
    head = data[block:block + 88]
    for i in range(numbers[0]):
        head[4:8] = (4096).to_bytes(4, "little")
        head[8:16] = chance.randbytes(8)
        data += head + bytes(4096 - 88)
open(to, "wb").write(data)
END
damage() { python3 damage.py "$@" || exit 1; }

lost='damaged.binlog:0: read from its blocks: its header page is lost: '
mended='damaged.binlog:0: read all the same: its header page is damaged, and mended from the blocks: '
# Behind the last anchor of a block the counter's rate tells the time.  That is measured from the header's anchor on, or else
# from the first block's: of what is said in the moments before the end the time may be another one, by less than the
# clocks can be read exactly.
cat >times.py <<'END'
import re, sys
whole, got = (open(name).read().split("\n") for name in sys.argv[1:3])
time = re.compile(r"(\d{4}-\d\d-\d\d \d\d:\d\d:)(\d\d)\.(\d{9}) ")
late = 0
for a, b in zip(whole, got):
    late += a != b
    s, t = time.match(a), time.match(b)
    if a != b and (not s or not t or s[1] != t[1] or a[s.end():] != b[t.end():] or abs(int(s[2] + s[3]) - int(t[2] + t[3])) >= 1000):
        print("<", a, "\n>", b)
if len(whole) != len(got) or late > 4:
    print(len(whole), "and", len(got), "lines,", late, "with another time")
END
is_read() { # SENTENCE COMPLAINT [FILE]
	local file=${3:-damaged.binlog}
	timeout 60 "$show" --raw "$file" >got 2>why </dev/null
	same "$1: the status" 1 $?
	same_file "$1: every byte" whole.text got
	same "$1: one sentence" "$2" "$(head -n 1 why | cut -c "1-${#2}")"
	same "$1: and only that, but for the sum" 2 "$(wc -l <why)"
	"$show" -q -u "$file" 2>/dev/null >got
	same "$1: times, processes and threads" "" "$(python3 times.py whole.lines got)"
}
for part in 0-4096 0-128 0-24 8-512 24-4096; do
	damage zero whole.binlog damaged.binlog ${part/-/ }
	is_read "bytes $part are zeros" "$lost"
	damage overwrite whole.binlog damaged.binlog ${part/-/ }
	is_read "bytes $part are overwritten" "$lost"
done
# The magic, the version, the clock, the anchor, the process, and all behind the header.
for part in 0-8 8-12 12-16 0-16 44-48 48-80 112-116; do
	damage zero whole.binlog damaged.binlog ${part/-/ }
	is_read "bytes $part are zeros" "$mended"
done
for part in 0-16 44-48 48-80 112-116 128-4096; do
	damage overwrite whole.binlog damaged.binlog ${part/-/ }
	is_read "bytes $part are overwritten" "$mended"
done
damage flip whole.binlog damaged.binlog 3 5
is_read "a bit of the magic is flipped" "$mended"
damage zero whole.binlog damaged.binlog 16 24
is_read "the nonce is zeros" "damaged.binlog:16: read all the same: the number that ties blocks to their file is damaged"
damage cut whole.binlog damaged.binlog 4096
is_read "the page is cut off" "$lost"
damage cut whole.binlog damaged.binlog 4096
for name in damaged.log none; do
	cp damaged.binlog $name
	"$show" --raw -q $name >got 2>/dev/null
	same_file "so it is in a file that is called $name" whole.text got
done

# ---- what is not known without it ----
damage zero whole.binlog damaged.binlog 0 4096
"$show" -q --processes damaged.binlog 2>/dev/null | grep -q 'exit status 7  *speaker$'
verdict $? "how the process ended is known from its last words"
damage zero little.binlog damaged.binlog 0 4096
same "of a process that left none it is not known" "not known" "$("$show" -q --processes damaged.binlog 2>/dev/null | grep -o 'cut off\|not known')"
same "though with the page it is" "cut off" "$("$show" -q --processes little.binlog | grep -o 'cut off\|not known')"
"$show" -q damaged.binlog 2>/dev/null | cut -c 1-19 >got
"$show" -q little.binlog | cut -c 1-19 >want
same_file "of a capture with one block alone the time is right to the second" want got

# ---- a ring ----
build ring -O2
BINLOG_RING=1M BINLOG_DIR=$TMP/ring.dir LD_PRELOAD=$lib ./ring 2 1 100000 >real
mv ring.dir/*.binlog ring.binlog
"$show" --raw -q ring.binlog >want 2>/dev/null
damage zero ring.binlog damaged.binlog 0 4096
"$show" --raw -q damaged.binlog >got 2>/dev/null
same_file "of a ring all that it holds" want got

# ---- by every way ----
damage zero whole.binlog damaged.binlog 0 4096
# shellcheck disable=SC2002
cat damaged.binlog | "$show" --raw - >got 2>why
same "through a pipe: the status" 1 $?
same_file "through a pipe" whole.text got
gzip -k damaged.binlog
"$show" --raw -q damaged.binlog.gz >got 2>/dev/null
same_file "compressed" whole.text got
mkdir dir
cp damaged.binlog little.binlog dir
"$show" --raw -q dir 2>/dev/null | sort >got
("$show" --raw -q little.binlog; cat whole.text) | sort >want
same_file "in a directory, beside another" want got
"$pack" -q -o damaged.blog damaged.binlog 2>why
same "it can be packed: the status" 1 $?
same "it can be packed: the sentence" "$lost" "$(head -n 1 why | cut -c "1-${#lost}")"
"$show" --raw damaged.blog >got 2>why
same "of the packed log: the status" 1 $?
same_file "of the packed log every byte" whole.text got
same "of the packed log the sentence" "$lost" "$(head -n 1 why | cut -c "1-${#lost}")"
(damage cut whole.binlog damaged.binlog 4096; "$pack" -q --plain -o plain.blog damaged.binlog 2>/dev/null; "$show" --raw -q plain.blog >got 2>/dev/null)
same_file "of a plain log, too" whole.text got

# ---- whose blocks ----
damage forge whole.binlog damaged.binlog 2
timeout 60 "$show" --raw -q damaged.binlog >got 2>why
same "two blocks with another nonce: the status" 1 $?
same_file "two blocks with another nonce: most have the right one" whole.text got
damage forge whole.binlog damaged.binlog 3000
timeout 60 "$show" --raw -q damaged.binlog >got 2>why
same_file "3000 blocks with a nonce each" whole.text got
damage zero whole.binlog damaged.binlog 0 4096
(cat damaged.binlog little.binlog) >both.binlog
timeout 60 "$show" --raw -q both.binlog >got 2>why
same_file "another capture behind it, of fewer blocks: it is left out" whole.text got
grep -q 'both.binlog:.*: skipped: no block begins here' why
verdict $? "and that is said" "$(cat why)"

# ---- what is none ----
refused() { # SENTENCE FILE COMPLAINT
	timeout 20 "$show" "$2" >got 2>why
	same "$1: the status" 2 $?
	same "$1: as ever" "$2: $3" "$(sed "1s,^\($2\):0:,\1:," why | cut -c "1-$((${#2} + ${#3} + 2))")"
}
head -c 40000000 /dev/urandom >noise.binlog
printf '\301\0\0\0\0\0\0' | dd of=noise.binlog conv=notrunc 2>/dev/null
refused "random bytes that begin as a packed log does" noise.binlog "not read: this is not a capture: its first bytes are others"
printf '\302' | dd of=noise.binlog conv=notrunc 2>/dev/null
refused "random bytes" noise.binlog "not read: this is not a capture: its first bytes are others"
cp noise.binlog noise
refused "random bytes of another name" noise "not read: this is not a capture: its first bytes are others"
head -c 4096 /dev/zero >zeros.binlog
refused "zeros" zeros.binlog "nothing to read: the program has not written its header"
truncate -s 1T zeros.binlog
refused "a terabyte of hole" zeros.binlog "nothing to read: the program has not written its header"
seq 1000000 >text.binlog
refused "a text" text.binlog "not read: this is plain text, not a capture"
cp speaker program.binlog
refused "a program" program.binlog "not read: this is a program or library, not a capture"
head -c 4096 whole.binlog >page.binlog
dd if=/dev/zero of=page.binlog bs=1 count=8 conv=notrunc 2>/dev/null
refused "a damaged page alone" page.binlog "not read: this is not a capture: its first bytes are others"
printf '\003' | dd of=whole.binlog bs=1 seek=8 conv=notrunc 2>/dev/null
refused "a capture of the next version" whole.binlog "not read: written in another version of the format"
finish
