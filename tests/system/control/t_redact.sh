#!/bin/bash
# Secrets without any rule: of what is also written where it goes, the capture has no second copy; what is replaced is
# there to the byte; one variable changes it. The oracles are the native run and what arrives in the pipe.
. tests/support/lib.sh
build rules -O2
build control -O2
unset BINLOG_REDACT

run() { # PROGRAM WHAT [VARIABLE=VALUE...]: with pipes as its outputs, in $TMP/run
	rm -rf "$TMP/run"
	mkdir "$TMP/run"
	(cd "$TMP/run" && { { env "${@:3}" "$TMP/$1" "$2" 7>&2 8>secret 9>results; } 2>&4 | cat >stdout; } 4>&1 | cat >stderr)
}
recorded_run() { run "$1" "$2" BINLOG_DIR=capture LD_PRELOAD="$lib" "${@:3}"; }
log() { "$show" -q "$TMP/run/capture"; }
open() { log | grep -c "$secret"; } # lines with the secret in them
written() { # SENTENCE
	same "$1: all of it is in the pipes" "" \
		"$(for part in stdout stderr results; do cmp "$TMP/native/$part" "$TMP/run/$part" 2>&1; done)"
}
as_written() { # STREAM FILE: 0 if the capture has its bytes, in their order
	cmp -s <("$show" --raw --as-written -q --stream="$1" "$TMP/run/capture") "$2"
	echo $?
}
native_run() {
	rm -rf "$TMP/native"
	run "$@"
	mv "$TMP/run" "$TMP/native"
}
native_run rules secrets
secret=$(cat "$TMP/native/secret")

recorded_run rules secrets
written "by default"
same "by default: what is not one of the names for sure is in the capture, what went to syslog alone, and nothing else" \
	"token: $secret of carol
login password=$secret of frida" "$(log | grep "$secret" | sed 's/.*: \(token\|login\)/\1/')"
same "by default: all messages are there" "$(wc -l <"$TMP/native/stdout")" "$(log | grep -c 'stdout: ')"
same "by default: their neighbours are not" 1 "$(log | grep -c 'user=alice password=\[16 bytes\] id=42$')"
same "by default: nor numbers" 1 "$(log | grep -c 'pin=9876543210123 of')"
recorded_run rules secrets BINLOG_STREAMS=syslog=tee
same "syslog that is sent as well" 0 "$(log | grep -c "login.*$secret")"
recorded_run rules secrets BINLOG_REDACT=off
written "off"
verdict "$(as_written stdout "$TMP/run/stdout")" "off: the capture has what was written, to the byte"
recorded_run rules secrets BINLOG_REDACT=usual
written "usual"
same "usual: it is nowhere" "" "$(grep -la "$secret" "$TMP/run"/capture/*)"
recorded_run rules secrets BINLOG_STREAMS=all=replace
verdict "$(as_written stdout "$TMP/native/stdout")" "replaced: the capture has it, to the byte"
printf 'redact = off\n[rules]\nformat token* redact token\n' >"$TMP/conf"
recorded_run rules secrets BINLOG_CONFIG="$TMP/conf"
same "off in a file: rules redact what they say" "0 1" "$(log | grep -c "token: $secret") $(log | grep -c "alice password=$secret")"
printf '[rules]\nformat "*id=*" redact off\n' >"$TMP/conf"
recorded_run rules secrets BINLOG_CONFIG="$TMP/conf"
same "a rule takes it back, for some" "1 0" "$(log | grep -c "alice password=$secret") $(log | grep -c "bob password=$secret")"
printf '[rules]\nformat "*id=*" +tee\n' >"$TMP/conf"
recorded_run rules secrets BINLOG_CONFIG="$TMP/conf" BINLOG_STREAMS=all=replace
same "a rule that writes it makes it a copy" "0 1" "$(log | grep -c "alice password=$secret") $(log | grep -c "bob password=.*$secret")"

# A mistake in a text of rules that nobody has checked.
printf '%s\n' '[rules]' 'format "nothing*" drop' 'format *carol* dorp; redact password; format "*%ld*" redact off' \
	'format pin* redact arg 1 hash' 'format "tok*redact *' 'redact token' >"$TMP/conf"
recorded_run rules secrets BINLOG_CONFIG="$TMP/conf" BINLOG_STREAMS=all=replace
same "a mistake: rules that redact are in force" "" "$(grep -la -e "$secret" -e 9876543210123 "$TMP/run"/capture/*)"
same "a mistake: the others are not" 1 "$(log | grep -c 'nothing secret: gustav')"
same "a mistake: lines that it is not in stay where they are" "format pin* redact arg 1 hash" \
	"$(strings -n 2 "$TMP/run"/capture/* | grep 'format pin')"

# Texts that are made of formats elsewhere: warn(3), error(3), wide streams.
native_run control notices
recorded_run control notices
secret=$(cat "$TMP/run/secret")
same "notices: all of it is written" "$(cat "$TMP/native/stderr")" "$(cat "$TMP/run/stderr")"
same "notices: what went to the pipe has no copy" 0 "$(log | grep -a "$secret" | grep -c 'stderr:')"

# Texts without a format, of which the library makes the parts.
cat >"$TMP/bare.c" <<'END'
#include <err.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
int main(void)
{
	errno = ENOENT;
	perror("password=hunter2");
	psignal(SIGINT, "password=hunter2");
	errno = EPERM;
	warn(NULL);
	return 0;
}
END
$CC -O1 -o "$TMP/bare" "$TMP/bare.c" || exit 1
printf '[rules]\nstream stderr redact *\n' >"$TMP/conf"
native_run bare ""
for mode in tee replace; do
	recorded_run bare "" BINLOG_STREAMS="all=$mode" BINLOG_CONFIG="$TMP/conf"
	same "redact * without a format, $mode: the lines are there, the texts are not" "3 0" \
		"$(log | grep -c ' bytes\]') $(grep -ca hunter2 "$TMP/run"/capture/*)"
	[ $mode = replace ] || written "redact * without a format"
done

# Constant arguments, formats whose text is made at once; a log file that is asked for is written as well, or replaced.
cat >"$TMP/file.c" <<'END'
#include <stdio.h>
#include <unistd.h>
int main(int argc, char **argv)
{
	FILE *log = fopen("app.log", "w");
	char secret[8] = "hunter", *rest = secret;

	printf("secret=%s\n", "that is a constant");
	printf("%'d times password=%s\n", 5, secret);
	fflush(stdout);
	for (int i = 0; i < 3; i++, rest++) {
		fprintf(log, "%d api key: %s of %s\n", i, rest, "many");
		fflush(log);
		while (argv[1][0] == 'w' && i == 0 && access("go", F_OK) != 0)
			usleep(1000);
	}
	return 0;
}
END
$CC -O1 -o "$TMP/file" "$TMP/file.c" || exit 1
for mode in auto replace; do
	recorded_run file "" BINLOG_STREAMS="file:**/app.log=$mode"
	same "a log file, $mode" "$([ $mode = auto ] && echo "3 0" || echo "0 3")" \
		"$(log | grep -c ' bytes\] of many') $(log | grep -c 'hunter\|unter of\|: nter of')"
done
same "constants and what is made at once" "secret=that is a constant
5 times password=hunter 0" "$(cat "$TMP/run/stdout") $(grep -ca -e 'a constant' -e 'password=hunter' "$TMP/run"/capture/*)"
rm -rf "$TMP/run"
mkdir "$TMP/run"
(cd "$TMP/run" && BINLOG_STREAMS="file:**/app.log=replace" BINLOG_DIR=capture LD_PRELOAD=$lib exec "$TMP/file" waits) &
waits=$!
said() { "$show" -q "$TMP/run/capture" | grep -q 'api key'; }
until_true said
"$BUILD/binlog-ctl" $waits "streams=file:*=tee" >"$TMP/ctl" 2>&1 || not_ok "binlog-ctl switches" "$(cat "$TMP/ctl")"
: >"$TMP/run/go"
wait $waits
same "a stream that becomes a copy while it is used" "hunter [5 bytes] [4 bytes]" "$(log | sed -n 's/.*key: \(.*\) of many/\1/p' | paste -sd ' ')"

# Arguments of all kinds; where they do not come in their order, the whole text is left out.
cat >"$TMP/kinds.c" <<'END'
#include <errno.h>
#include <locale.h>
#include <stdio.h>
int main(void)
{
	setlocale(LC_ALL, "");
	errno = ENOENT;
	printf("1 password=%ls.\n", L"geheim");
	printf("2 password=%.3ls.\n", L"geheim");
	printf("3 password=%s.\n", (char *)NULL);
	printf("4 password=%*d.\n", 9, 7654321);
	printf("5 password=%.*s.\n", 6, "geheimnis");
	printf("6 of %2$s password=%1$s.\n", "geheim", "karl");
	printf("7 of %1$s password=%2$s.\n", "karl", "geheim");
	printf("8 password=%Lf.\n", 7654321.0L);
	printf("9 %m password=%s.\n", "geheim");
	printf("10 password=%f.\n", 7654321.0);
	printf("11 %5.*f password=%lc.\n", 3, 0.5, L'\u2603');
	printf("of %2$*1$d, %3$05.2f, 5$ and password=%4$s\n", 7, 5, 2.0, "geheim");
	printf("12 password=%-*.*s of %d\n", 12, 6, "geheim", 3);
	return 0;
}
END
$CC -O1 -w -o "$TMP/kinds" "$TMP/kinds.c" || exit 1
native_run kinds ""
shown() { sed 's/\(password=\).*/\1/' "$@"; }
for rules in 'redact usual' 'redact usual hash' 'format "*password*" redact *'; do
	printf '[rules]\n%s\n' "$rules" >"$TMP/conf"
	recorded_run kinds "" BINLOG_CONFIG="$TMP/conf" BINLOG_STREAMS=all=replace
	same "$rules: no text is in the capture" 0 \
		"$(grep -caP 'geheim|g\0\0\0e\0\0\0h' "$TMP"/run/capture/*)"
	[[ $rules = *'*' ]] || same "$rules: all that comes before is" "$(shown "$TMP/native/stdout" | sed "s/^6 .*/[27 bytes]/")" \
		"$("$show" --raw -q "$TMP/run/capture" 2>&1 | shown)"
done
finish
