#!/bin/bash
# LONG=1 only: it takes a compiler for another processor, and an emulator.
#
# The library on aarch64: cross-built, and preloaded into programs that run in an emulator, qemu-user.  What the reader,
# which is no other, makes of their captures is what they say without the library in the same emulator; their backtraces
# are those that glibc's backtrace() sees there, named by addr2line.
# LONG=1: more random formats and more random programs.
. tests/support/lib.sh
TMP=$(realpath "$TMP")
ulimit -S -c 0
cross=aarch64-linux-gnu
run=(qemu-aarch64 -L /usr/$cross)

# ---- what there has to be ----
for tool in $cross-gcc $cross-nm $cross-addr2line qemu-aarch64; do
	command -v $tool >/dev/null && continue
	skip "aarch64: there is no $tool (packages gcc-aarch64-linux-gnu, libc6-dev-arm64-cross, qemu-user)"
	exit 0
done
echo 'int main(void) { return 42; }' | $cross-gcc -x c -o "$TMP/probe" - 2>/dev/null
"${run[@]}" "$TMP/probe" 2>/dev/null
if [ $? -ne 42 ]; then
	skip "aarch64: a program cannot be built or not be run here (libc6-dev-arm64-cross, qemu-user)"
	exit 0
fi

# ---- the library ----
why=$(env -u MAKEFLAGS make -s -j2 O="$TMP/build" CC=$cross-gcc "$TMP/build/libbinlog.so" 2>&1 >/dev/null)
verdict $? "aarch64: it is built, without a warning" "$why"
library=$TMP/build/libbinlog.so
[ -f "$library" ] || finish
same "aarch64: it imports nothing that is not allowed" "" "$($cross-nm -D --undefined-only "$library" |
	awk '{ sub(/@.*/, "", $2); print $2 }' | sort | comm -23 - <(sed '/^#/d; s/ .*//' tests/imports.allow | sort))"

# ---- running ----
CC=$cross-gcc
lib='' # of the emulator itself
# It has last words of its own, on descriptor 2 of the program that was killed.
unsay() { perl -0pi -e 's/qemu: uncaught target signal \d+ \([^)]*\) - core dumped\n\z//' "$@"; } # FILE...
native() { # COMMAND...
	natively "$TMP/native" "${run[@]}" "$@" 9>/dev/null
	unsay "$TMP/native/stderr"
}
preloaded() { # COMMAND...: descriptor 9 is $TMP/oracle
	recorded "$TMP/recorded" "${run[@]}" -E LD_PRELOAD="$library" "$@" 9>"$TMP/oracle"
	unsay "$TMP/recorded/real.stderr"
}
alike() { # SENTENCE COMMAND...
	local why
	native "${@:2}"
	preloaded "${@:2}"
	why=$(differences "$TMP/native" "$TMP/recorded" | tr -d '\0')
	verdict ${#why} "aarch64: $1" "$why"
}

# ---- backtraces ----
# The frames of each line, one per line, as the program itself sees them and as they are shown.
expected() { # PROGRAM
	local frames frame
	local -A names
	while read -r _ frames; do
		echo line
		for frame in $frames; do
			[ -n "${names[$frame]:-}" ] || names[$frame]=$(case $frame in
				program+*) $cross-addr2line -afip -e "$1" "${frame#*+}" |
					sed -E 's/^0x[0-9a-f]+: //; s/ \(discriminator [0-9]+\)//; s/^ \(inlined by\) //; s/ at \?\?:\?$//' ;;
				*) echo "$frame" ;;
				esac)
			echo "${names[$frame]}"
		done
	done <"$TMP/oracle"
}
shown() {
	"$show" --stacks --depth=64 "$TMP/recorded/capture" 2>/dev/null | awk '
		/^[0-9]/ { wanted = / stdout: line / }
		/ stdout: line / { print "line" }
		/^ *created by / { wanted = 0 }
		wanted && /^ / { print }' |
		sed -E 's/^ +#[0-9]+ +//; s/^ +//; s/^\(inlined by\) //; s/ \(inlined\)$//
			s/^0x[0-9a-f]+$/trampoline/; s/^(_start)\+0x[0-9a-f]+ in .*/\1/'
}
last_frames() { # the functions that led from main to the end, or files where they have no names
	"$show" --stacks "$TMP/recorded/capture" 2>/dev/null | awk '
		/^[0-9]/ { wanted = / end: killed / }
		wanted && /^ / { sub(/\+.*/, "", $2); print $2 }
		$2 == "main" { wanted = 0 }' | xargs
}
check_chains() { # END FRAMES OPTION...: compiled with these
	build chains "${@:3}"
	alike "built with ${*:3}: all that is said, a child's part, and the end: $1" "$TMP/chains" "$1"
	same "aarch64: built with ${*:3}: the frames of $(wc -l <"$TMP/oracle") chains of calls, as backtrace() has them" \
		"$(expected "$TMP/chains")" "$(shown)"
	same "aarch64: built with ${*:3}: the functions that led to the end: $1" "$2" "$(last_frames)"
}
check_chains none "" -O1
same "aarch64: as many lines as there are kinds of chains" 8 "$(wc -l <"$TMP/oracle")"
check_chains leaf "store end main" -O2
check_chains trap "end main" -O2 -fomit-frame-pointer
check_chains jump "end main" -O0 -mbranch-protection=standard
check_chains abort "end main" -O2 -mbranch-protection=pac-ret+leaf+b-key
# The first process of all: e_machine 183, and the counter of the processor.
same "aarch64: the capture says of what machine it is, and what its ticks are" "183 1" \
	"$(for at in 116 44; do od -A n -t u4 -j $at -N 4 "$TMP"/recorded/capture/*.binlog; done | xargs)"

native "$TMP/chains" threads
preloaded "$TMP/chains" threads
same "aarch64: threads: every line is there" "$(sort "$TMP/native/stdout")" "$(sort "$TMP/recorded/stdout")"
same "aarch64: threads: each one's lines are in order" "" "$(awk '$2 != n[$1]++' "$TMP/recorded/stdout" | head -n 5)"

# ---- formats ----
: >"$TMP/table.h"
build formats -fno-builtin record/format.c -DFORMATS_TABLE="\"$TMP/table.h\""
check_formats() { # ORIENTATION LOCALE COUNT
	local stream why
	preloaded "$TMP/formats" "$1" "$2" $((RANDOM * 32768 + RANDOM)) "$3"
	why=$(for stream in stdout stderr; do
		"$show" --raw -q --stream=$stream "$TMP/recorded/capture" 2>&1 |
			cmp - "$TMP/recorded/files/expected.$stream" 2>&1
		[ ! -s "$TMP/recorded/real.$stream" ] || echo "$stream was written to"
	done
	head -n 5 "$TMP/recorded/files/mismatches"
	[ "$(cat "$TMP/recorded/status")" = 0 ] || echo "status $(cat "$TMP/recorded/status")"
	[ "$(cat "$TMP/recorded/files/calls")" -gt "$3" ] || echo "too few calls")
	verdict ${#why} "aarch64: $3 random formats, $1, in $2: text and value as libc has them, long double among them" "$why"
}
check_formats narrow C ${LONG:+20}6000
check_formats wide C.UTF-8 ${LONG:+20}2000

# ---- what becomes of text, children and signals ----
build written
wrong=
for seed in $(seq "${LONG:+1}${LONG:-6}"0); do
	[ -n "${LONG:-}" ] || [ $((seed % 6)) -eq 0 ] || continue
	"${run[@]}" "$TMP/written" "$seed" >"$TMP/said" 2>&1 </dev/null
	rm -rf "$TMP/got"
	BINLOG_DIR=$TMP/got "${run[@]}" -E LD_PRELOAD="$library" "$TMP/written" "$seed" >"$TMP/real" 2>&1 </dev/null
	unsay "$TMP/said" "$TMP/real"
	"$show" --raw --as-written -q "$TMP/got" 2>&1 | cmp -s - "$TMP/said" && [ ! -s "$TMP/real" ] || wrong+=" $seed"
done 2>/dev/null
verdict ${#wrong} "aarch64: random programs that change buffers, fork and die: what is in their files, as written" "seeds$wrong"

$CC -shared -fPIC -O1 -o "$TMP/liborder.so" "$here/victims/order_library.c"
build order -L"$TMP" -lorder -Wl,-rpath,"$TMP"
alike "prints at every stage of its life, before there is thread state, too" "$TMP/order" return
build handlers
alike "handlers on stacks of the smallest size" "$TMP/handlers"
build jumps
preloaded "$TMP/jumps" 1000
read -r main handler _ <"$TMP/oracle"
same "aarch64: jumps out of the middle of calls: all that has returned is there, in order" "" "$("$show" --raw -q \
	"$TMP/recorded/capture" | awk -v main="$main" -v handler="$handler" '
	# What was jumped out of may be there, and is said again.
	$0 == last[$1] { next }
	{ last[$1] = $0 }
	$2 != n[$1]++ { print NR ": " $0; if (++bad > 5) exit }
	END { if (!bad && (n["main"] < main || n["handler"] < handler || main < 100))
		print "of " main " and " handler ": " n["main"] " and " n["handler"] }')"

build switch
preloaded "$TMP/switch" 50
same "aarch64: calls that are left for others and gone on with: each line is there, in order" "" "$("$show" --raw -q \
	"$TMP/recorded/capture" | awk '
	$4 != seen[$2]++ { print NR ": " $0; if (++bad > 5) exit }
	END { for (i = 0; i < 20 && !bad; i++) if (seen[i] != 50) print i ": " seen[i] + 0 }')"

# The first call of all comes from an allocator that holds its lock meanwhile.
echo '#include <fcntl.h>
#include <pthread.h>
#include <stddef.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static char room[1 << 22];
static size_t used;
void *malloc(size_t size)
{
	void *given = room + used;
	pthread_mutex_lock(&lock);
	if (used == 0)
		open("/nowhere/malloc.conf", O_RDONLY);
	used += (size + 31) & ~(size_t)31;
	pthread_mutex_unlock(&lock);
	return given;
}
void free(void *old) { (void)old; }
__attribute__((constructor)) static void begin(void) { *(void *volatile *)room = malloc(1); }' |
	$CC -x c -w -O1 -shared -fPIC -o "$TMP/locking.so" -
echo '#include <stdio.h>
int main(void) { printf("said\n"); }' | $CC -x c -o "$TMP/speaker" -
same "aarch64: an allocator whose lock is held when it calls us first" said "$(BINLOG_DIR=$TMP/locking timeout 60 \
	"${run[@]}" -E LD_PRELOAD="$library $TMP/locking.so" "$TMP/speaker" >"$TMP/real"; "$show" --raw -q "$TMP/locking" 2>&1)"

# ---- a kernel with larger pages ----
# (The emulator of such a kernel gives a program no more of a file than there was when it was mapped.)
echo '#include <stdio.h>
int main(void) { for (int i = 0; i < 100; i++) printf("line %d\n", i); }' | $CC -x c -o "$TMP/pages" -
run+=(-p 65536)
alike "pages of 64 KiB: all that is said" "$TMP/pages"
same "aarch64: pages of 64 KiB: blocks begin where pages do" 42 \
	"$(od -A n -t x1 -j 65536 -N 4 "$TMP"/recorded/capture/*.binlog | xargs | cut -c 1-2)"
finish
