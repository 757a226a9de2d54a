#!/bin/bash
# B5: programs with more rights than their caller (setuid, setgid, capabilities):
# the library does nothing in them, whatever the environment says, and binlog-run
# says so before.
# shellcheck disable=SC2086
. tests/support/lib.sh
. tests/support/nobody.sh

# ---- binlog-run ----
mkdir "$TMP/run"
(
	TMP=$TMP/run
	row='B5: '
	. tests/support/run_common.sh

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
	exit $failed
) || failed=1

# ---- the library itself ----
if [ "$(id -u)" -ne 0 ] || [ -z "$rootless" ]; then
	skip "B5: privileged programs: only root can make them${why_not:+: $why_not}"
	finish
fi
place=$TMP/place
mkdir -m 755 "$place"
install -m 755 "$lib" "$place/libbinlog.so"
# Linked with the library, it has it whatever ld.so makes of LD_PRELOAD.
$CC -w -o "$TMP/plain" "$here/victims/secure.c" &&
	$CC -w -o "$TMP/linked" "$here/victims/secure.c" -Wl,--no-as-needed \
		-L"$place" -lbinlog -Wl,-rpath,"$place" || exit 1

# Everything that could make the library write, read or load something.
hostile=(LD_PRELOAD="$place/libbinlog.so" BINLOG_DIR="$TMP/open/captures"
	BINLOG_STREAMS="all=replace,file:$TMP/*=replace" BINLOG_UNWINDER=libunwind
	BINLOG_RUN=1:2:3:4:5:"../../$TMP/open/run.binlog" BINLOG_SIGNALS=all
	BINLOG_MAX_SIZE=1K BINLOG_DEPTH=64 BINLOG_CONFIG="$TMP/open/config" BINLOG_RING=1M
	BINLOG_TRIGGER=exit BINLOG_LEVEL=none BINLOG_REDACT=off)
kinds=(setuid setgid capabilities "setuid of somebody else")
raise_rights() { # KIND FILE
	case $1 in
	setuid) chmod 4755 "$2" ;;
	setgid) chmod 2755 "$2" ;;
	capabilities) setcap cap_net_raw+ep "$2" ;;
	*) chown 65534:65534 "$2" && chmod 4755 "$2" ;;
	esac
}
in_the_open() { # COMMAND...: in a directory where anybody may write
	rm -rf "$TMP/open" "$TMP/out"
	mkdir -m 777 "$TMP/open" "$TMP/out"
	(cd "$TMP/open" && "$@" >"$TMP/out/stdout" 2>"$TMP/out/stderr" </dev/null)
	echo "status $?" >>"$TMP/out/stdout"
	find "$TMP/open" -mindepth 1 >>"$TMP/out/stdout"
}
raised() { # KIND HOW: $TMP/raised, with the rights
	rm -f "$TMP/raised"
	install -m 755 "$TMP/$2" "$TMP/raised"
	raise_rights "$1" "$TMP/raised" 2>"$TMP/errors"
}
for kind in "${kinds[@]}"; do
	who=(as_nobody)
	[ "$kind" != "setuid of somebody else" ] || who=()
	if ! raised "$kind" plain; then
		skip "B5: $kind: $(head -n 1 "$TMP/errors")"
		continue
	fi
	in_the_open "${who[@]}" env "$TMP/raised" somebody
	if ! grep -q '^secure 1' "$TMP/out/stderr"; then
		skip "B5: $kind: this place does not raise programs"
		continue
	fi
	rm -rf "$TMP/wanted"
	mv "$TMP/out" "$TMP/wanted"
	for how in plain linked; do
		raised "$kind" $how
		in_the_open "${who[@]}" env "${hostile[@]}" "$TMP/raised" somebody
		same "B5: $kind, $how: says and makes what it does natively" "" \
			"$(diff -r "$TMP/wanted" "$TMP/out")"
	done
done
rm -rf "$TMP/wanted"

# What it would do with what it is told, it would have to ask the kernel for.
raised "setuid of somebody else" linked
strace -o "$TMP/trace" env "${hostile[@]}" "$TMP/raised" x >"$TMP/said" 2>&1
if grep -q '^secure 1' "$TMP/said"; then
	grep -q libbinlog "$TMP/trace"
	verdict $? "B5: the library is in the privileged program"
	same "B5: it asks the kernel for nothing that a variable names" "" \
		"$(sed '1,/libbinlog.so.*= [0-9]/d' "$TMP/trace" |
			grep -F -e "$TMP/open" -e libunwind -e run.binlog)"
else
	skip "B5: what it asks the kernel for: strace does not work here"
fi

# The preloaded caller of a privileged program, and what that calls in turn.
raised setuid plain
mkdir -m 777 "$TMP/theirs"
run='echo first; "$0" somebody echo; echo "status $?"; echo last'
as_nobody sh -c "$run" "$TMP/raised" >"$TMP/wanted" 2>"$TMP/errors"
as_nobody env LD_PRELOAD="$place/libbinlog.so" BINLOG_DIR="$TMP/theirs/captures" \
	sh -c "$run" "$TMP/raised" >"$TMP/written" 2>"$TMP/errors"
cat "$TMP/wanted" "$TMP/errors" | grep -q 'of a privileged program'
verdict $? "B5: the privileged program executes another"
same "B5: what a recorded run says is recorded, but for the privileged program and its children" \
	"$(sort "$TMP/wanted")" \
	"$({ raw stdout "$TMP/theirs/captures"; cat "$TMP/written"; } | sort)"
same "B5: they write by themselves" \
	"$(printf 'hello, somebody\nof a privileged program')" \
	"$(sort "$TMP/written")"
same "B5: of root there is nothing among the captures" "" \
	"$(find "$TMP/theirs" -mindepth 1 -user 0)"
finish
