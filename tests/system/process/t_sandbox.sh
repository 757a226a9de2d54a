#!/bin/bash
# What readers do once they have begun to read, as strace sees it: read, and write to what was open; nothing is executed,
# connected to, traced, killed or opened for writing, but where a mode says so.  Nothing that they need is refused. And
# they read all the same where a container or the kernel gives no sandbox, and without rights.
. tests/support/lib.sh
. tests/support/nobody.sh
pack=$BUILD/binlog-pack
if nm "$show" | grep -qE '__(asan|tsan|gcov)_'; then
	skip "sandboxes: these readers are instrumented"
	finish
fi
export XDG_CACHE_HOME=$TMP/cache
TMP=$(realpath "$TMP")
cd "$TMP" || exit 1
build server
LD_PRELOAD=$lib BINLOG_DIR=$TMP/data ./server >out 2>&1
set -- data/*.binlog
capture=$1
"$pack" -q data -o log.blog
"$show" -q data --output=heph --to=trace.heph
"$show" -q data >wanted
head -c 30000 "$capture" >cut.binlog
if ! BINLOG_SANDBOX=require "$show" -q data >got 2>why; then
	skip "sandboxes: $(cat why)"
	finish
fi
same_file "all that is to be given up can be, and all is shown" wanted got

# ---- what they do ----
cat >watch.awk <<'END'
function bad(why) { print why ": " $0; }
FNR == 1 { reader = /^execve\(/; confined = !reader; if (reader) readers++ } # its children have all that it has
/^prctl\(PR_SET_SECCOMP/ && reader { confined = 1; begun++; if (!/ = 0$/) bad("no filter"); next }
!confined || /^(\+\+\+|---)/ { next }
{ call = $0; sub(/\(.*/, "", call) }
call !~ ("^(" calls ")$") { bad("not a call of such a reader"); next }
/ = -1 ENOSYS/ && call !~ /^(mkdir|mkdirat|clone3)$/ { bad("refused") }
call ~ /^open/ && /O_(WRONLY|RDWR|CREAT|TRUNC|APPEND)/ && (below == "" || $0 !~ below) { bad("opens for writing") }
call == "mmap" && /MAP_SHARED/ && !shares { bad("maps shared") }
call == "mmap" && /PROT_EXEC/ && (reader || /PROT_WRITE/) { bad("maps code") }
call == "mprotect" && /PROT_EXEC/ { bad("makes code") }
call == "clone" && !/flags=CLONE_CHILD_CLEARTID\|CLONE_CHILD_SETTID\|SIGCHLD/ && !shares { bad("no plain child") }
call == "kill" && !/, (0|SIGKILL)\)/ { bad("sends a signal") }
call == "ioctl" && !/TCGETS|TIOCGWINSZ/ { bad("sets the terminal") }
END { if (begun != readers || !readers) print "never confined" }
END
reading='p?read(64|v)?|p?write(64|v)?|lseek|close|fstat|newfstatat|stat|lstat|statx|open|openat|getdents64|readlink|'
reading+='readlinkat|access|faccessat2?|mmap|munmap|mremap|brk|madvise|mprotect|futex|ioctl|fcntl|poll|ppoll|uname|'
reading+='getrandom|sysinfo|getpid|gettid|prlimit64|fsync|syncfs|ftruncate|dup2|rt_sig[a-z]*|clock_nanosleep|exit|exit_group|'
reading+='restart_syscall|sched_getaffinity|fadvise64|statfs|'
# where captures went whose directory could not be written to: by who asks, and from where
reading+='getcwd|geteuid'
naming='clone|socketpair|sendmsg|recvmsg|prctl|set_robust_list|rseq|close_range|memfd_create|kill|wait4|mkdir|mkdirat|getppid|'
kept='^openat.[0-9]*<[^>]*/cache/binlog>'
naming+='renameat|unlinkat|utimensat|geteuid|gettimeofday|sigaltstack'
watched() { # SENTENCE CALLS BELOW COMMAND...: BELOW: an expression for what it opens for writing
	local why status
	rm -rf trace && mkdir trace
	BINLOG_SANDBOX=require strace -ff -y -qq -s 64 -o trace/of "${@:4}" >got 2>errors
	status=$?
	why=$(awk -v calls="$2" -v below="$3" -v shares="${shares:-}" -f watch.awk trace/of.*)
	if [ "$status" -gt 1 ] || [ -n "$why" ]; then
		not_ok "$1" "status $status: $why $(head -n 3 errors)"
	else
		ok "$1"
	fi
}
if ! strace -o strace.out true 2>/dev/null; then
	skip "what readers do: strace cannot be used here"
else
	for what in data "$capture" log.blog trace.heph cut.binlog; do
		watched "$what: only read-like calls" "$reading" "" "$show" "$what"
	done
	for style in raw processes captures timeline rates json html heph journal syslog otlp chrome perfetto \
		msgpack count stats intervals anomalies; do
		watched "--output=$style: likewise" "$reading" "" "$show" --output=$style --to=out.$style log.blog
	done
	watched "--values: likewise" "$reading" "" "$show" --values=took log.blog
	watched "--grep --where: likewise" "$reading" "" "$show" --grep=done --where='took > 10' data
	watched "--recover: likewise" "$reading" "" "$show" --recover data
	watched "binlog-pack: likewise" "$reading" "" "$pack" --force data -o log2.blog
	watched "binlog-pack -o -: likewise" "$reading" "" "$pack" data -o -
	watched "binlog-ctl status: likewise" "$reading|kill" "" "$BUILD/binlog-ctl" data status
	watched "binlog-top -b: likewise" "$reading|kill" "" "$BUILD/binlog-top" -b -n 1 -d 0.1 data
	# with names: a child that is confined further, and its answers kept, but not about a file that is new
	sleep 3.1
	for options in --stacks --output=folded "--location --source" --output=coverage "--columns=time,caller,message"; do
		rm -rf cache
		# shellcheck disable=SC2086 # words
		watched "$options: and a worker, and its cache" "$reading|$naming" "$kept" "$show" $options data
		cat trace/* >"strace${options//[^a-z]/}"
	done
	grep -q 'sendmsg' stracestacks && grep -q 'clone.*SIGCHLD' stracestacks
	verdict $? "(there was a worker, which was asked)"
	grep -qE 'openat\(.*O_CREAT.* = [0-9]' stracestacks && [ -n "$(ls cache/binlog)" ]
	verdict $? "(answers were kept)" "$(ls -laR cache)"
	watched "--diff: likewise" "$reading|$naming" "$kept" "$show" --diff data data
	watched "--index: likewise" "$reading|$naming" "$kept" "$show" --index server
	echo "server+0x1139" >addresses
	watched "binlog-symbolize: likewise" "$reading|$naming" "$kept" "$BUILD/binlog-symbolize" addresses
	watched "--sysroot: likewise" "$reading|$naming|openat2" "$kept" "$show" --stacks --sysroot=/ data
	watched "binlog-pack --with-symbols: likewise" "$reading|$naming" "$kept" "$pack" --force --with-symbols data -o log2.blog
	# with files of their own
	watched "-f: likewise" "$reading|$naming" "" "$show" -f "$capture"
	LD_PRELOAD=$lib BINLOG_DIR=$TMP/large seq 2500000 >out
	mkdir temporary
	TMPDIR=$TMP/temporary watched "--as-written: and what has no room in memory" "$reading|unlink" \
		'/temporary/binlog[.]' "$show" --raw --as-written large
	cmp -s <(seq 2500000) got && grep -q 'openat.*/temporary/.*O_CREAT' trace/of.*
	verdict $? "(it is all there, and had no room)" "$(ls -l got)"
	watched "--output=ctf: and files in its directory" "$reading" '^openat.[0-9]*<[^>]*/ctf>' "$show" --output=ctf --to=ctf data
	[ -s ctf/metadata ]
	verdict $? "(they are there)" "$(ls -l ctf)"
	cp -a data followed
	shares=yes watched "binlog-pack --follow: its log, captures, and a thread" \
		"$reading|flock|fallocate|unlink|rename|clone3?|set_robust_list|rseq|fdatasync|kill" \
		'follow.blog|/proc/self/fd/[0-9]+".* = [0-9]+<[^>]*/followed/' "$pack" -q --follow followed -o follow.blog
fi

# ---- where there is none ----
build unconfined
for why in EINVAL EPERM; do
	./unconfined $why "$show" -q --stacks data >got 2>errors
	"$show" -q --stacks data >wanted.stacks
	same_file "a kernel or container that says $why: all is shown, with names" wanted.stacks got
	BINLOG_SANDBOX=require ./unconfined $why "$show" -q data >got 2>errors
	same "$why: who requires a sandbox is told that there is none" "2 0" "$? $(stat -c %s got)"
	grep -q '^binlog-show: BINLOG_SANDBOX=require: the kernel ' errors
	verdict $? "$why: in a sentence" "$(cat errors)"
done
rm -rf cache
./unconfined landlock "$show" -q --stacks data >got 2>errors
same_file "no Landlock: all is shown, with names" wanted.stacks got
same "and files are not written for want of a bound" "" "$(ls cache/binlog 2>/dev/null)"
./unconfined landlock "$show" -q --output=ctf --to=ctf2 data >got 2>errors
same "but where they are what was asked for" "0" "$(diff -r ctf ctf2 | wc -l)$(cat errors)"
BINLOG_SANDBOX=require ./unconfined landlock "$show" -q data >got 2>errors
same "who requires a sandbox is told what there is none of" \
	"2 binlog-show: BINLOG_SANDBOX=require: the kernel has no Landlock: unset it to read without" "$? $(cat errors)"
BINLOG_SANDBOX=of "$show" -q data >got 2>errors
same "another value is refused" "2 binlog-show: BINLOG_SANDBOX: neither off nor require: correct or unset it" "$? $(cat errors)"
BINLOG_SANDBOX=off strace -o strace.out "$show" -q data >got 2>errors
same "off: nothing is given up" 0 "$(grep -cE 'SECCOMP|landlock' strace.out)"
LD_PRELOAD=$lib BINLOG_DIR=$TMP/again "$show" -q data >real
"$show" -q --raw again >again.said 2>errors
cat again.said real | sort >got
same_file "a reader that is recorded itself loses nothing" <(sort wanted) got

"$show" -q --stacks data >wanted
fakeroot "$show" -q --stacks data >got 2>errors
same_file "with fakeroot all is shown" wanted got
for preloaded in /usr/lib/*-linux-gnu/{libjemalloc.so.2,libtcmalloc_minimal.so.4,libmimalloc.so.[0-9].[0-9],faketime/libfaketime.so.1}; do
	[ -e "$preloaded" ] || continue
	LD_PRELOAD=$preloaded "$show" -q --stacks data >got 2>errors
	same_file "with ${preloaded##*/} all is shown" wanted got
done

# ---- without rights ----
if [ -n "$rootless" ]; then
	chmod -R a+rX "$TMP"
	rm -rf "$TMP/home" && mkdir -m 777 "$TMP/home"
	tools_for_nobody "$TMP/tools"
	theirs=$TMP/tools/binlog-show
	as_nobody env XDG_CACHE_HOME="$TMP/home" BINLOG_SANDBOX=require "$theirs" -q data >got 2>errors
	same "nobody reads in the same sandbox" "$("$show" -q data)" "$(cat got)"
	as_nobody env XDG_CACHE_HOME="$TMP/home" BINLOG_SANDBOX=require "$theirs" -q --stacks data >got 2>errors
	same_file "nobody reads names in it" wanted.stacks got
else
	skip "readers without rights: $why_not"
fi
finish
