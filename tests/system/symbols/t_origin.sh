#!/bin/bash
# The stack of a thread goes on with that of its creator, that of a forked child with that of the fork: what is right
# is told by the source, and that nothing is different for the program by its native run.
. "$(dirname "$0")/../../support/lib.sh"
build origin

# known FUNCTION NAME: where the source has the call with this name
known() { echo "$1 at $here/victims/origin.c:$(grep -n "/\* $2 \*/" "$here/victims/origin.c" | cut -d: -f1)"; }
# origin_of WORD FILE: who has created the thread that says it, as "created NAME" and the innermost frame
origin_of() {
	awk -v word="$1" '
		/^[0-9]/ { on = $5 == word && !seen; seen = seen || on; next }
		!on { next }
		/^    (created|forked) by thread [0-9]+ \(.*\)( of process [0-9]+)?:$/ {
			sub(/:$/, "", $5); print $1, $5; next_is = 1; next }
		next_is && sub(/^    #0 /, "") { print; next_is = 0 }' "$2"
}
told() { "$show" -q -S "$@" >"$TMP/told"; }
# check SENTENCE WORD LINE...
check() { same "$1" "$(printf '%s\n' "${@:3}")" "$(origin_of "$2" "$TMP/told")"; }
check_all() { # HOW
	check "$1: the first thread was created by nobody" main
	check "$1: a thread" plain "created (origin)" "$(known plainly plain)"
	check "$1: a thread of C11" c11 "created (origin)" "$(known as_of_c11 c11)"
	check "$1: a detached thread" apart "created (origin)" "$(known detached apart)"
	check "$1: one that was created by a silent thread, and by whom that was" inner \
		"created (silent)" "$(known silent inner)" "created (origin)" "$(known nested outer)"
	check "$1: a child" child "forked (origin)" "$(known child child)"
	check "$1: a thread's child" grandchild "forked (origin)" "$(known forks "thread's child")" \
		"created (origin)" "$(known child_of_thread forking)"
	same "$1: of 13 generations the last eight" \
		"$(for _ in 1 2 3 4 5 6 7 8; do printf '%s\n' "created (origin)" "$(known generation generation)"; done)" \
		"$(origin_of last "$TMP/told")"
	same "$1: a thread of a child has both" "$(printf '%s\n' "created (origin)" "$(known plainly plain)" \
		"forked (origin)" "$(known child child)")" \
		"$(awk '/stdout: child / { on = 1 } on' "$TMP/told" >"$TMP/rest"; origin_of plain "$TMP/rest")"
}

compare "a program that creates threads and children runs as natively, with as many frames below each" "$TMP/origin"
told "$TMP/recorded/capture"
check_all capture
main=$(sed -n 's/.*\[\([0-9]*\):\1\] stdout: main .*/\1/p' "$TMP/told")
same "capture: by which thread" "created by thread $main (origin):" \
	"$(sed -n '/stdout: plain/,/created/s/^    \(created.*\)/\1/p' "$TMP/told" | head -n 1)"
same "capture: by which process" "forked by thread $main (origin) of process $main:" \
	"$(sed -n 's/^    \(forked by thread '"$main"' .*\)/\1/p' "$TMP/told" | head -n 1)"
same "--depth is that of these stacks, too" "" "$("$show" -q -S --depth=1 "$TMP/recorded/capture" | grep '^    #1 ')"
same "--columns has them" "$(grep -c ' by thread ' "$TMP/told")" \
	"$("$show" -q -S --columns=tid,message "$TMP/recorded/capture" | grep -c ' by thread ')"
same "JSON has them" "$(grep -c ' by thread ' "$TMP/told")" \
	"$("$show" -q -S -o json "$TMP/recorded/capture" | grep -o '"how":"\(thread\|fork\)","pid":[0-9]*,"tid":[0-9]*,"thread":"[a-z]*","stack":\[{"function":' | wc -l)"
same "without --stacks nothing is said of it" "" "$("$show" -q "$TMP/recorded/capture" | grep ' by thread ')"

"$BUILD/binlog-pack" -q "$TMP/recorded/capture" -o "$TMP/log.blog"
cp "$TMP/told" "$TMP/captured"
told "$TMP/log.blog"
check_all packed
same_file "a packed log has the same" "$TMP/captured" "$TMP/told"
"$BUILD/binlog-pack" -q --plain "$TMP/recorded/capture" -o "$TMP/plain.blog"
told "$TMP/plain.blog"
same_file "and one record by record" "$TMP/captured" "$TMP/told"
"$BUILD/binlog-pack" -q --with-symbols "$TMP/recorded/capture" -o "$TMP/symbols.blog"
cp "$TMP/origin" "$TMP/kept"
rm "$TMP/origin"
told "$TMP/symbols.blog"
same_file "with --with-symbols without the program" "$TMP/captured" "$TMP/told"
mv "$TMP/kept" "$TMP/origin"

# ---- C++ ----
cat >"$TMP/threads.cc" <<'C'
#include <cstdio>
#include <thread>
static void says() { puts("from C++"); }
__attribute__((noinline)) static void creates()
{
	std::thread thread(says); // here
	thread.join();
}
int main() { creates(); }
C
g++ -g -O1 -w -o "$TMP/threads" "$TMP/threads.cc" -pthread || exit 1
recorded "$TMP/run" "$TMP/threads"
same "std::thread: its creator is among the frames" "creates() at $TMP/threads.cc:$(grep -n '// here' "$TMP/threads.cc" | cut -d: -f1)" \
	"$("$show" -q -S "$TMP/run/capture" | sed -n '/created by thread/,$s/^ *#[0-9]* \(creates.*\)/\1/p')"

# ---- fifty threads of one place, which end while others go on ----
build threads
recorded "$TMP/run" "$TMP/threads" many 50 9>/dev/null
same "a creator's stack is the same below all of its threads' messages, also when the one that spoke first has ended" \
	"100 start at $here/victims/threads.c:$(grep -n 'pthread_create(&ids' "$here/victims/threads.c" | cut -d: -f1)" \
	"$("$show" -q -S "$TMP/run/capture" | awk 'next_is { sub(/^    #0 /, ""); print } { next_is = / created by / }' |
		sort | uniq -c | sed 's/^ *//')"

# ---- a library that is unloaded before the thread says anything ----
cat >"$TMP/library.c" <<'C'
#include <pthread.h>
void creates(pthread_t *id, void *(*what)(void *)) { pthread_create(id, NULL, what, NULL); __asm__(""); }
C
cat >"$TMP/unloads.c" <<'C'
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
static pthread_barrier_t closed;
static void *says(void *unused) { pthread_barrier_wait(&closed); printf("said\n"); return NULL; }
int main(int argc, char **argv)
{
	pthread_barrier_init(&closed, NULL, 2);
	for (int i = 0; i < 4; i++) {
		void *library = dlopen(argv[1], RTLD_NOW);
		void (*creates)(pthread_t *, void *(*)(void *)) = dlsym(library, "creates");
		pthread_t id;
		creates(&id, says);
		if (i % 2 == 0)
			dlclose(library);
		pthread_barrier_wait(&closed);
		pthread_join(id, NULL);
		if (i % 2 == 1)
			dlclose(library);
	}
}
C
$CC -g -O1 -w -shared -fPIC -o "$TMP/library.so" "$TMP/library.c" || exit 1
$CC -g -O1 -w -o "$TMP/unloads" "$TMP/unloads.c" -pthread -ldl || exit 1
recorded "$TMP/run" "$TMP/unloads" "$TMP/library.so"
same "of a library that is gone by then no frames are known" "(unloads) (unloads): (unloads) (unloads):" \
	"$("$show" -q -S "$TMP/run/capture" | sed -n 's/^    created by thread [0-9]* //p' | xargs)"
same "of one that is there they are" "2 creates at $TMP/library.c:2" \
	"$("$show" -q -S "$TMP/run/capture" | sed -n 's/^    #0 \(creates.*\)/\1/p' | sort | uniq -c | sed 's/^ *//')"

# ---- a program that runs ----
BINLOG_RING=1M recorded "$TMP/ring" "$TMP/origin"
told "$TMP/ring/capture"
check "in a ring" plain "created (origin)" "$(known plainly plain)"
mkdir "$TMP/live"
"$show" -q -f -S "$TMP/live" >"$TMP/told" 2>"$TMP/why" &
reader=$!
LD_PRELOAD=$lib BINLOG_DIR=$TMP/live "$TMP/origin" >"$TMP/out" 2>&1
until_true grep -q 'stdout: created' "$TMP/told"
until_true test "$(grep -c 'stdout: plain' "$TMP/told")" -ge 3
kill "$reader"
wait "$reader" 2>/dev/null
check "--follow" inner "created (silent)" "$(known silent inner)" "created (origin)" "$(known nested outer)"

# ---- who stays silent costs nothing ----
recorded "$TMP/few" "$TMP/origin" silent 1
recorded "$TMP/many" "$TMP/origin" silent 10000
size() { "$show" --index "$@" >/dev/null 2>&1; du -b --total "$1"/*.binlog | tail -n 1 | cut -f 1; }
same "10,000 silent threads leave nothing" "$(size "$TMP/few/capture")" "$(size "$TMP/many/capture")"
recorded "$TMP/speaking" "$TMP/origin" loud 10000
told "$TMP/speaking/capture"
same "10,000 that speak: each has its creator" "10000 $(known many many)" \
	"$(sed -n '/by thread/{n;s/^    #0 //;p}' "$TMP/told" | sort | uniq -c | sed 's/^ *//')"
finish
