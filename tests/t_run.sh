#!/bin/sh
# binlog-run: which programs it refuses and why, and that a program which it
# runs cannot tell the difference.  The judge of "would be preloaded" is ld.so
# itself: a probe library in the place of libbinlog.so leaves a file behind
# wherever it is really loaded.
set -u
CC=${CC:-gcc}
failed=0
run=$TMP/bin/binlog-run
chmod 755 "$TMP"
mkdir "$TMP/bin"

verdict() { # STATUS SENTENCE
	if [ "$1" -eq 0 ]; then
		echo "ok: $2"
	else
		echo "not ok: $2"
		failed=1
	fi
}
skip() { echo "skip: $1"; }
check() { # SENTENCE COMMAND...: the command succeeds
	sentence=$1
	shift
	"$@" >"$TMP/check" 2>&1
	verdict $? "$sentence"
}
same() { # SENTENCE WANTED GOT
	[ "$2" = "$3" ]
	verdict $? "$1"
	[ "$2" = "$3" ] || printf 'wanted: %s\ngot: %s\n' "$2" "$3" >&2
}

# --- the probe, a program that shows what it was given, and a judge of deaths

cat >"$TMP/probe.c" <<'END'
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>
__attribute__((constructor)) static void loaded(void)
{
	char path[4096];
	const char *directory = getenv("BINLOG_DIR");
	if (!directory || getenv("BINLOG_DISABLE"))
		return;
	mkdir(directory, 0700);
	snprintf(path, sizeof(path), "%s/%d", directory, (int)getpid());
	close(open(path, O_CREAT | O_WRONLY, 0600));
}
END
cat >"$TMP/app.c" <<'END'
#include <dirent.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
static void show_file(const char *path, const char *wanted)
{
	char line[4096];
	FILE *file = fopen(path, "r");
	while (fgets(line, sizeof(line), file))
		if (strncmp(line, wanted, strlen(wanted)) == 0)
			fputs(line, stdout);
	fclose(file);
}
int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "hello";
	int i;
	if (strcmp(what, "exit") == 0)
		return atoi(argv[2]);
	if (strcmp(what, "kill") == 0)
		raise(atoi(argv[2]));
	if (strcmp(what, "wait") == 0) {
		fclose(fopen(argv[2], "w"));
		sleep(20);
	}
	if (strcmp(what, "pid") == 0)
		return printf("%d\n", (int)getpid()) < 0;
	if (strcmp(what, "hello") == 0)
		return puts("hello from the program") < 0;
	if (strcmp(what, "descriptors") == 0) {
		DIR *all = opendir("/proc/self/fd");
		for (i = 0; readdir(all); i++)
			;
		return printf("%d\n", i) < 0;
	}
	if (strcmp(what, "signals") == 0)
		show_file("/proc/self/status", "Sig");
	for (i = 0; i < argc; i++)
		printf("<%s>\n", argv[i]);
	return 0;
}
END
cat >"$TMP/death.c" <<'END'
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
int main(int argc, char **argv)
{
	int status;
	pid_t child = fork();
	if (child == 0) {
		if (getenv("PROBE"))
			setenv("LD_PRELOAD", getenv("PROBE"), 1);
		execv(argv[1], argv + 1);
		_exit(99);
	}
	waitpid(child, &status, 0);
	if (WIFSIGNALED(status))
		return fprintf(stderr, "signal %d\n", WTERMSIG(status)) < argc - argc;
	return fprintf(stderr, "exit %d\n", WEXITSTATUS(status)) < 0;
}
END
$CC -shared -fPIC "$TMP/probe.c" -o "$TMP/bin/libbinlog.so" &&
	$CC "$TMP/app.c" -o "$TMP/app" &&
	$CC "$TMP/death.c" -o "$TMP/death" &&
	cp "$BUILD/binlog-run" "$run" || exit 1
probe=$TMP/bin/libbinlog.so
app=$TMP/app

# Somebody without rights: the caller, or as root somebody else.
if [ "$(id -u)" -eq 0 ]; then
	user="setpriv --reuid=65534 --regid=65534 --clear-groups"
	$user test -x "$run" 2>/dev/null || user=
else
	user="env"
fi
as=

# Where the probe leaves its files in the next run; anybody may.
fresh() {
	rm -rf "$TMP/spot"
	mkdir "$TMP/spot"
	chmod 777 "$TMP/spot"
	export BINLOG_DIR="$TMP/spot"
}
loaded() { [ -n "$(ls "$TMP/spot")" ]; }
natively() { # COMMAND...: by $as, with the probe, without binlog-run
	fresh
	PROBE=$probe $as "$TMP/death" "$@" >/dev/null 2>"$TMP/native-errors"
}
# One line on stderr, nothing run, nothing loaded.
refuses() { # SENTENCE STATUS WORDS COMMAND...
	sentence=$1
	status=$2
	words=$3
	shift 3
	fresh
	"$@" >"$TMP/out" 2>"$TMP/errors" </dev/null
	got=$?
	[ $got -eq "$status" ] && grep -q "^binlog-run: .*$words" "$TMP/errors" &&
		[ "$(wc -l <"$TMP/errors")" -eq 1 ] && [ ! -s "$TMP/out" ] &&
		! loaded
	verdict $? "$sentence"
	tail -n 3 "$TMP/errors" >"$TMP/last"
}
# ld.so does not load the probe into it, or Linux does not run it at all.
unpreloadable() { # SENTENCE COMMAND...
	sentence=$1
	shift
	natively "$@"
	! loaded
	verdict $? "judge: $sentence"
}
runs() { # SENTENCE COMMAND...: says hello, and the probe is in
	sentence=$1
	shift
	fresh
	"$@" >"$TMP/out" 2>"$TMP/errors" </dev/null
	[ "$(cat "$TMP/out")" = "hello from the program" ] && loaded &&
		[ ! -s "$TMP/errors" ]
	verdict $? "$sentence"
}

runs "an ordinary program runs with the library in it" "$run" "$app"
natively "$app"
check "judge: ld.so loads the probe into an ordinary program" loaded

# --- what cannot be preloaded

if $CC -static "$TMP/app.c" -o "$TMP/static" 2>/dev/null; then
	unpreloadable "a static program ignores LD_PRELOAD" "$TMP/static"
	refuses "a static program is refused" 2 \
		"$TMP/static: statically linked: LD_PRELOAD has no effect on it: record a dynamically linked build instead" \
		"$run" "$TMP/static"
	fresh
	same "--force runs a static program" "hello from the program" \
		"$("$run" --force "$TMP/static")"
	printf '#! \t%s -x\n' "$TMP/static" >"$TMP/script"
	chmod +x "$TMP/script"
	refuses "a script with a static interpreter is refused" 2 \
		"$TMP/script: its interpreter $TMP/static: statically linked" \
		"$run" "$TMP/script"
	printf '#!%s\n' "$TMP/script" >"$TMP/script2"
	chmod +x "$TMP/script2"
	refuses "a script run by such a script is refused" 2 \
		"$TMP/script2: its interpreter $TMP/static: statically linked" \
		"$run" "$TMP/script2"
else
	skip "static programs: $CC -static does not link"
fi
if $CC -static-pie -fPIE "$TMP/app.c" -o "$TMP/static-pie" 2>/dev/null; then
	unpreloadable "a static-pie program ignores LD_PRELOAD" "$TMP/static-pie"
	refuses "a static-pie program is refused" 2 "statically linked" \
		"$run" "$TMP/static-pie"
else
	skip "static-pie programs: $CC -static-pie does not link"
fi

poke() { # FILE OFFSET OCTAL...: a copy of the program with bytes changed
	cp "$app" "$TMP/$1"
	printf '%b' "$3" | dd of="$TMP/$1" bs=1 seek="$2" conv=notrunc 2>/dev/null
}
if ! $CC -m32 "$TMP/app.c" -o "$TMP/narrow" 2>/dev/null; then
	poke narrow 4 '\0001'
	printf '\003' | dd of="$TMP/narrow" bs=1 seek=18 conv=notrunc 2>/dev/null
fi
unpreloadable "a 32-bit program does not load a 64-bit library" "$TMP/narrow"
refuses "a 32-bit program is refused" 2 "narrow: a 32-bit program" \
	"$run" "$TMP/narrow"
poke foreign 18 '\0363\0000'
unpreloadable "a program for another machine does not load it" "$TMP/foreign"
refuses "a program for another machine is refused" 2 \
	"foreign: built for ELF machine 243" "$run" "$TMP/foreign"
poke swapped 5 '\0002'
refuses "a program of the other byte order is refused" 2 \
	"swapped: a damaged ELF file" "$run" "$TMP/swapped"
poke core 16 '\0004\0000'
refuses "a core file is refused" 126 "core: an ELF file of type 4" \
	"$run" "$TMP/core"

$CC -Wl,--dynamic-linker=/lib/ld-musl-other.so.1 "$TMP/app.c" -o "$TMP/musl"
refuses "a program that names musl's loader is refused" 2 \
	"musl: linked with musl" "$run" "$TMP/musl"
if musl-gcc "$TMP/app.c" -o "$TMP/musl-real" 2>/dev/null; then
	refuses "a program made by musl-gcc is refused" 2 "linked with musl" \
		"$run" "$TMP/musl-real"
	musl=$(ls /lib/ld-musl-*.so.1 | head -n 1)
	cp "$musl" "$TMP/loader"
	$CC -Wl,--dynamic-linker="$TMP/loader" "$TMP/app.c" -o "$TMP/renamed"
	refuses "musl's loader is known under another name too" 2 \
		"its dynamic loader $TMP/loader is not glibc's" \
		"$run" "$TMP/renamed"
else
	skip "programs made by musl-gcc: it is not installed"
fi
$CC -Wl,--dynamic-linker=/nowhere/ld.so "$TMP/app.c" -o "$TMP/lost"
refuses "a missing dynamic loader is named" 127 \
	"lost: its dynamic loader /nowhere/ld.so: No such file" "$run" "$TMP/lost"
ld=$(tr '\0' '\n' <"$app" | grep -a -m 1 '^/lib.*/ld-')
if [ -n "$ld" ]; then
	runs "glibc's loader run as a program is no static program" \
		"$run" "$ld" "$app"
fi

# --- setuid, setgid, capabilities

raised() { # NAME WORDS COPY
	as=$user
	natively "$TMP/$3"
	as=
	if loaded; then
		skip "$1: this place does not raise programs"
		return
	fi
	refuses "a $1 program is refused" 2 "$3: runs with .*$2" \
		$user "$run" "$TMP/$3"
	fresh
	same "--force runs a $1 program" "hello from the program" \
		"$($user "$run" --force "$TMP/$3")"
}
if [ "$(id -u)" -ne 0 ]; then
	su=$(command -v su)
	[ -u "${su:-/}" ] && refuses "a setuid program is refused" 2 \
		"runs with the rights of user 0 (setuid)" "$run" su
	skip "setgid and setcap programs: only root can make them"
elif [ -z "$user" ]; then
	skip "setuid, setgid and setcap programs: nobody cannot come here"
else
	for bit in u g; do
		cp "$app" "$TMP/set$bit"
		chmod $bit+s "$TMP/set$bit"
	done
	raised setuid "user 0 (setuid)" setu
	raised setgid "group 0 (setgid)" setg
	runs "root records a program that is setuid root" "$run" "$TMP/setu"
	cp "$app" "$TMP/own"
	chown 65534:65534 "$TMP/own"
	chmod u+s,g+s "$TMP/own"
	runs "a setuid program of the caller's own is run" \
		$user "$run" "$TMP/own"
	unpreloadable "not by root when it is setuid nobody" "$TMP/own"
	refuses "root is refused one that is setuid nobody" 2 \
		"user 65534 (setuid)" "$run" "$TMP/own"
	runs "setuid counts for nothing where it is forbidden" \
		setpriv --no-new-privs $user "$run" "$TMP/setu"
	printf '#!%s\n' "$TMP/setu" >"$TMP/by-setuid"
	chmod +x "$TMP/by-setuid"
	refuses "a script with a setuid interpreter is refused" 2 "setuid" \
		$user "$run" "$TMP/by-setuid"
	cp "$app" "$TMP/caps"
	if setcap cap_net_raw+ep "$TMP/caps" 2>/dev/null; then
		raised setcap "(setcap)" caps
		runs "root records a program with capabilities" \
			"$run" "$TMP/caps"
	else
		skip "setcap programs: setcap does not work here"
	fi
	cp "$app" "$TMP/closed"
	chmod 711 "$TMP/closed"
	runs "a program that may not be read is run" \
		$user "$run" "$TMP/closed"
fi

# --- what cannot be run

refuses "a name that is nowhere in PATH" 127 "no-such-program: not found" \
	"$run" no-such-program
refuses "a path at which there is nothing" 127 "No such file" \
	"$run" "$TMP/no-such-program"
refuses "an empty name" 127 "No such file" "$run" ""
refuses "a directory" 126 "Permission denied" "$run" "$TMP"
refuses "a file that is not executable" 126 "Permission denied" \
	"$run" "$TMP/app.c"
for name in no-such-program "$TMP/no-such-program" "$TMP" "$TMP/app.c"; do
	env "$name" 2>/dev/null
	wanted=$?
	"$run" "$name" 2>/dev/null
	same "judge: env ends alike for $(basename "$name")" $wanted $?
done
printf '#!/no/interpreter\n' >"$TMP/orphan"
printf '#!\n' >"$TMP/empty-line"
printf 'echo hello\n' >"$TMP/text"
printf '#!%s\n' "$TMP/circle" >"$TMP/circle"
: >"$TMP/empty"
chmod +x "$TMP/orphan" "$TMP/empty-line" "$TMP/text" "$TMP/circle" "$TMP/empty"
refuses "a script without its interpreter" 127 \
	"its interpreter /no/interpreter: No such file" "$run" "$TMP/orphan"
refuses "a script that names no interpreter" 127 "empty-line: its interp" \
	"$run" "$TMP/empty-line"
refuses "a script that runs itself" 126 "circle: scripts" "$run" "$TMP/circle"
refuses "a text file" 2 "text: neither an ELF program nor a script" \
	"$run" "$TMP/text"
refuses "an empty file" 2 "empty: neither an ELF program nor a script" \
	"$run" "$TMP/empty"
chain=$TMP/app
for n in 1 2 3 4 5 6; do
	printf '#!%s\n' "$chain" >"$TMP/chain$n"
	chmod +x "$TMP/chain$n"
	chain=$TMP/chain$n
	natively "$chain" args
	loaded && wanted=0 || wanted=126
	"$run" "$chain" args >/dev/null 2>&1
	same "judge: Linux ends alike for $n scripts in a row" $wanted $?
done

# --- damaged files: a sentence, whatever the damage

for size in 4 5 19 40 63 64 100 700; do
	head -c $size "$app" >"$TMP/cut"
	chmod +x "$TMP/cut"
	refuses "the first $size bytes of a program are refused" 2 \
		"cut: a damaged ELF file: " "$run" "$TMP/cut"
done
poke headers 32 '\0377\0377\0377\0377\0377\0377\0377\0177'
refuses "program headers in nowhere are refused" 2 "damaged ELF" \
	"$run" "$TMP/headers"
poke entry 54 '\0001\0000'
refuses "program headers of an odd size are refused" 2 "damaged ELF" \
	"$run" "$TMP/entry"
poke many 56 '\0377\0377'
refuses "too many program headers are refused" 2 "damaged ELF" \
	"$run" "$TMP/many"
printf '#!/\033[31mred\n' >"$TMP/red"
chmod +x "$TMP/red"
refuses "names do not reach the terminal raw" 127 '/?\[31mred' \
	"$run" "$TMP/red"

# --- the library

elsewhere() { # DIRECTORY: binlog-run there
	mkdir -p "$1"
	cp "$run" "$1"
	echo "$1/binlog-run"
}
other=$(elsewhere "$TMP/alone")
refuses "a missing library is named" 2 "libbinlog.so: neither beside" \
	"$other" "$app"
same "--force runs a program without the library" "hello from the program" \
	"$("$other" --force "$app")"
for place in "two words" "a:colon"; do
	other=$(elsewhere "$TMP/$place")
	cp "$probe" "$TMP/$place/"
	fresh
	LD_PRELOAD="$TMP/$place/libbinlog.so" "$app" >/dev/null 2>&1
	! loaded
	verdict $? "judge: ld.so splits a path like '$place'"
	refuses "a library in '$place' is refused" 2 "a space or a colon" \
		"$other" "$app"
done
other=$(elsewhere "$TMP/broken")
echo "no library" >"$TMP/broken/libbinlog.so"
refuses "a library that is none is refused" 2 "not an ELF file" \
	"$other" "$app"
head -c 1000 "$probe" >"$TMP/broken/libbinlog.so"
refuses "a cut library is refused" 2 "it cannot be preloaded" \
	"$other" "$app"
LC_ALL=C sed 's/GLIBC_2\./GLIBC_9./g' "$probe" >"$TMP/broken/libbinlog.so"
fresh
! LD_PRELOAD="$TMP/broken/libbinlog.so" "$app" >/dev/null 2>&1
verdict $? "judge: ld.so refuses a library for a newer glibc"
refuses "a libc too old for the library is named" 2 \
	"libc.so.6 is too old: libbinlog.so needs GLIBC_9" "$other" "$app"
cp "$probe" "$TMP/broken/libbinlog.so"
chmod 0 "$TMP/broken/libbinlog.so"
if [ -n "$user" ]; then
	refuses "an unreadable library is named" 2 "make it readable" \
		$user "$other" "$app"
fi
for place in lib/binlog lib; do
	prefix=$TMP/prefix-$(basename $place)
	other=$(elsewhere "$prefix/bin")
	mkdir -p "$prefix/$place"
	cp "$probe" "$prefix/$place/"
	runs "the library is found in ../$place" "$other" "$app"
done

# --- what the program is given

weird="$(printf 'new\nline')"
wanted=$("$app" args "two words" "" "*" "$weird" --depth=1 -- -o)
same "arguments arrive unchanged" "$wanted" \
	"$("$run" -d 3 "$app" args "two words" "" "*" "$weird" --depth=1 -- -o)"
same "-- ends the options" "$wanted" \
	"$("$run" -- "$app" args "two words" "" "*" "$weird" --depth=1 -- -o)"
same "the program keeps the name that it was called by" "<app>" \
	"$(PATH=$TMP:$PATH "$run" app args | head -n 1)"
same "only two variables are added to the environment" \
	"$(env -i A=1 B="x y" C= env; echo "LD_PRELOAD=$probe"
		echo "BINLOG_DIR=$PWD/binlog.data")" \
	"$(env -i A=1 B="x y" C= "$run" "$(command -v env)" |
		sort -t= -k1,1 | { grep '^[ABC]='; } ; env -i "$run" \
		"$(command -v env)" | sort -r)"
same "all options arrive as variables" \
	"BINLOG_CONFIG=$app.c BINLOG_DEPTH=5 BINLOG_DIR=$TMP/spot/x BINLOG_LEVEL=info BINLOG_MAX_SIZE=2G BINLOG_RING=1M BINLOG_STREAMS=all=tee" \
	"$(cd "$TMP" && "$run" -o spot/x --streams=all=tee --depth 5 -l info \
		--ring=1M -m 2G --config=app.c env | grep ^BINLOG | sort |
		tr '\n' ' ' | sed 's/ $//')"
same "a relative BINLOG_DIR becomes absolute" "BINLOG_DIR=$TMP/spot" \
	"$(cd "$TMP" && BINLOG_DIR=spot "$run" env | grep ^BINLOG_DIR)"
cp "$probe" "$TMP/other.so"
for old in "$TMP/other.so" "$TMP/other.so $TMP/other.so" "$probe" \
	"$TMP/other.so:$probe"; do
	case $old in
	*libbinlog*) wanted=$old ;;
	*) wanted=$probe:$old ;;
	esac
	same "preloaded before: $(echo "$old" | sed "s|$TMP/||g")" \
		"LD_PRELOAD=$wanted" \
		"$(LD_PRELOAD=$old "$run" env | grep ^LD_PRELOAD)"
done
same "it can be run by itself" "LD_PRELOAD=$probe" \
	"$("$run" "$run" env | grep ^LD_PRELOAD)"
same "no descriptor is left open" "$("$app" descriptors)" \
	"$("$run" "$app" descriptors)"
# shellcheck disable=SC2016
same "the program has the process to itself" 1 "$(/bin/sh -c \
	'echo $$; exec "$@"' sh "$run" "$app" pid | uniq | wc -l)"

for kind in address thread; do
	$CC -fsanitize=$kind "$TMP/app.c" -o "$TMP/$kind" 2>/dev/null
	if ! "$TMP/$kind" >/dev/null 2>&1; then
		skip "-fsanitize=$kind: such a program does not run here"
		continue
	fi
	fresh
	runs "the runtime of -fsanitize=$kind comes first" "$run" "$TMP/$kind"
	natively "$TMP/$kind"
	[ $kind = thread ] || grep -q "does not come first" "$TMP/native-errors"
	verdict $? "judge: -fsanitize=$kind complains or copes when it does not"
	LD_PRELOAD=$TMP/other.so "$run" "$TMP/$kind" >/dev/null 2>&1
	verdict $? "-fsanitize=$kind comes before what was preloaded"
done

# --- ends, with and without a parent that stays

cat >"$TMP/bin/binlog-show" <<'END'
#!/bin/sh
echo "show $*"
END
chmod +x "$TMP/bin/binlog-show"
death() { # COMMAND...: how it ended
	fresh
	"$TMP/death" "$@" 2>&1 >/dev/null </dev/null | grep -v '^binlog-run'
}
for option in --depth=2 --show; do
	same "$option: exit status 7 is 7" "exit 7" \
		"$(death "$run" $option "$app" exit 7)"
	same "$option: exit status 255 is 255" "exit 255" \
		"$(death "$run" $option "$app" exit 255)"
	for signal in 1 2 3 6 9 11 15 17 40; do
		same "$option: signal $signal ends both alike" \
			"$(death "$app" kill $signal)" \
			"$(death "$run" $option "$app" kill $signal)"
	done
	same "$option: stdin is the program's" "abc" \
		"$(echo abc | "$run" $option cat | grep -v ^show)"
	for ignored in "" "INT QUIT CHLD" "TERM HUP"; do
		same "$option: signal dispositions are kept ($ignored)" \
			"$(for s in $ignored; do trap '' $s; done
				"$app" signals | grep -v SigQ)" \
			"$(for s in $ignored; do trap '' $s; done
				"$run" $option "$app" signals |
				grep -v 'SigQ\|^show')"
	done
done
fresh
same "--show shows the directory afterwards" \
	"hello from the program
show --stacks $TMP/spot" "$("$run" --show "$app")"
fresh
mkdir "$TMP/spot/away"
check "--show says that nothing was recorded" sh -c \
	'BINLOG_DISABLE=1 "$1" --show "$2" 2>&1 >/dev/null |
	grep -q "nothing was recorded"' sh "$run" "$app"
cores=$TMP/cores
mkdir "$cores"
(cd "$cores" && ulimit -c unlimited && "$TMP/death" "$run" --show "$app" kill 6) \
	>/dev/null 2>&1
same "--show: one core at most is left, the program's" "" \
	"$(ls "$cores" | sed 1d)"

passes() { # SIGNAL: sent to the parent while the program waits
	fresh
	rm -f "$TMP/ready"
	"$TMP/death" "$run" --show "$app" wait "$TMP/ready" \
		>/dev/null 2>"$TMP/how" &
	watcher=$!
	tries=0
	while [ ! -e "$TMP/ready" ] && [ $tries -lt 100 ]; do
		sleep 0.1
		tries=$((tries + 1))
	done
	parent=$(cat "/proc/$watcher/task/$watcher/children")
	child=$(cat "/proc/${parent% }/task/${parent% }/children")
	kill -s "$1" ${parent% }
	sleep 0.3
	[ "$1" = TERM ] || kill -s KILL ${child% }
	wait $watcher
	cat "$TMP/how"
}
same "--show: SIGTERM to the parent ends the program" "signal 15" \
	"$(passes TERM)"
same "--show: SIGINT to the parent is the program's affair" "signal 9" \
	"$(passes INT)"

# --- usage

check "--help names every option" sh -c '"$1" --help | grep -q -- --max-size=SIZE &&
	"$1" --help | grep -q BINLOG_MAX_SIZE' sh "$run"
check "--version says one line" sh -c \
	'[ "$("$1" --version | wc -l)" -eq 1 ]' sh "$run"
for bad in "" --no-such-option --dir --show=now -Q; do
	"$run" $bad >/dev/null 2>"$TMP/errors"
	same "usage: '$bad' ends with 2" 2 $?
	check "usage: '$bad' leads to --help" grep -q "see binlog-run --help" \
		"$TMP/errors"
done
refuses "a capture directory that is a file" 2 "Not a directory" \
	"$run" -o "$app" "$app"
refuses "a config file that is not there" 2 "--config" \
	"$run" -c "$TMP/nothing" "$app"
unset BINLOG_DIR

# --- the real ones together

if [ -e "$BUILD/libbinlog.so" ] && [ -x "$BUILD/binlog-show" ]; then
	"$BUILD/binlog-run" -o "$TMP/real" --show "$app" >"$TMP/out" 2>&1
	same "--show with everything ends well" 0 $?
	check "--show with everything shows the text" \
		grep -q "hello from the program" "$TMP/out"
else
	skip "recording: the library or binlog-show is not built"
fi
exit $failed
