# Common to the tests of binlog-run: sets up $run, a copy of it beside a probe in
# the place of libbinlog.so, and $app.  The judge of "would be preloaded" is
# ld.so itself: the probe leaves a file behind wherever it is really loaded.
# $row comes before each sentence.
# shellcheck shell=sh disable=SC2034,SC2086
set -u
# shellcheck disable=SC3045
ulimit -S -c 0
CC=${CC:-gcc}
failed=0

# Somebody without rights: the caller, or as root somebody else, who must be
# able to come here.
as=
user="env"
if [ "$(id -u)" -eq 0 ]; then
	user="setpriv --reuid=65534 --regid=65534 --clear-groups"
	chmod 755 "$TMP"
	if ! $user test -x "$TMP/." 2>/dev/null; then
		TMP=$(mktemp -d /tmp/binlog-run.XXXXXX) || exit 1
		trap 'rm -rf "$TMP"' EXIT
		chmod 755 "$TMP"
	fi
	$user test -x "$TMP/." 2>/dev/null || user=
fi
run=$TMP/bin/binlog-run
mkdir "$TMP/bin"
# The program may be built with a sanitizer; its own complaints are no matter.
relaxed="env ASAN_OPTIONS=verify_asan_link_order=0"

verdict() { # STATUS SENTENCE
	if [ "$1" -eq 0 ]; then
		echo "ok: ${row-}$2"
	else
		echo "not ok: ${row-}$2"
		failed=1
	fi
}
skip() { echo "skip: ${row-}$1"; }
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
		return fprintf(stderr, "signal %d%s\n", WTERMSIG(status),
			WCOREDUMP(status) ? " core" : "") < argc - argc;
	return fprintf(stderr, "exit %d\n", WEXITSTATUS(status)) < 0;
}
END
$CC -shared -fPIC "$TMP/probe.c" -o "$TMP/bin/libbinlog.so" &&
	$CC "$TMP/app.c" -o "$TMP/app" &&
	$CC "$TMP/death.c" -o "$TMP/death" &&
	cp "$BUILD/binlog-run" "$run" || exit 1
probe=$TMP/bin/libbinlog.so
app=$TMP/app

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

fresh
