#!/bin/bash
# B4: a library that cannot be loaded (a 32-bit program, a root directory without
# it, no permission to read it, a path that ld.so would split): binlog-run refuses
# in one sentence; where children meet it, ld.so has the only words.
# shellcheck disable=SC2086
. tests/support/lib.sh
. tests/support/nobody.sh

# ---- binlog-run ----
mkdir "$TMP/run"
(
	TMP=$TMP/run
	row='B4: '
	. tests/support/run_common.sh
	poke() { # FILE OFFSET OCTAL...: a copy of the program with bytes changed
		cp "$app" "$TMP/$1"
		printf '%b' "$3" | dd of="$TMP/$1" bs=1 seek="$2" conv=notrunc 2>/dev/null
	}
	elsewhere() { # DIRECTORY: binlog-run there
		mkdir -p "$1"
		cp "$run" "$1"
		echo "$1/binlog-run"
	}

	if ! $CC -m32 "$TMP/app.c" -o "$TMP/narrow" 2>/dev/null; then
		poke narrow 4 '\0001'
		printf '\003' | dd of="$TMP/narrow" bs=1 seek=18 conv=notrunc 2>/dev/null
	fi
	unpreloadable "a 32-bit program does not load a 64-bit library" "$TMP/narrow"
	refuses "a 32-bit program is refused" 2 "narrow: a 32-bit program" \
		"$run" "$TMP/narrow"
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
	cp "$probe" "$TMP/broken/libbinlog.so"
	chmod 0 "$TMP/broken/libbinlog.so"
	if [ -n "$user" ]; then
		refuses "an unreadable library is named" 2 "make it readable" \
			$user "$other" "$app"
	fi
	exit $failed
) || failed=1

# ---- children of a recorded run, and LD_PRELOAD set by hand ----
complaint="ERROR: ld.so: object '%s' from LD_PRELOAD cannot be preloaded (%s): ignored."
# The program does all it does natively; ld.so says what it cannot load.
only_ld_so() { # SENTENCE PRELOAD WANTED-COMPLAINTS COMMAND...
	local sentence=$1 preload=$2 wanted=$3 stream
	shift 3
	"${who[@]}" "$@" >"$TMP/native.stdout" 2>"$TMP/native.stderr" </dev/null
	echo "status $?" >>"$TMP/native.stdout"
	"${who[@]}" env LD_PRELOAD="$preload" BINLOG_DIR="$TMP/capture" "$@" \
		>"$TMP/stdout" 2>"$TMP/stderr" </dev/null
	echo "status $?" >>"$TMP/stdout"
	same_file "$sentence: output and status are native" \
		"$TMP/native.stdout" "$TMP/stdout"
	same "$sentence: on stderr there is one line of ld.so, and nothing else that is new" \
		"$wanted" "$(grep -vxFf "$TMP/native.stderr" "$TMP/stderr" | sort -u)"
	verdict $(($(find "$TMP/capture" -name '*.binlog' 2>/dev/null | wc -l) > 0)) \
		"$sentence: nothing is recorded"
	rm -rf "$TMP/capture"
}
who=()
missing='cannot open shared object file'
# shellcheck disable=SC2059
only_ld_so "B4: a missing file" "$TMP/nowhere.so" \
	"$(printf "$complaint" "$TMP/nowhere.so" "$missing")" seq 3
for place in 'two words' 'a:colon'; do
	mkdir -p "$TMP/$place"
	cp "$lib" "$TMP/$place/libbinlog.so"
	split=$(tr ' :' '\n' <<<"$TMP/$place/libbinlog.so" | while read -r part; do
		printf "$complaint\n" "$part" "$missing"
	done | sort -u)
	only_ld_so "B4: a path with '$place'" "$TMP/$place/libbinlog.so" "$split" seq 3
done
if [ -n "$rootless" ]; then
	mkdir -m 755 "$TMP/closed"
	install -m 600 "$lib" "$TMP/closed/libbinlog.so"
	[ "$(id -u)" -eq 0 ] || chmod 0 "$TMP/closed/libbinlog.so"
	who=(as_nobody)
	only_ld_so "B4: a library that may not be read" "$TMP/closed/libbinlog.so" \
		"$(printf "$complaint" "$TMP/closed/libbinlog.so" "$missing")" \
		seq 3
else
	skip "B4: a library that may not be read: $why_not"
fi

# A child in another root directory, which has a program but no library.
if [ "$(id -u)" -eq 0 ] && type -P busybox >/dev/null; then
	root=$TMP/root
	mkdir -p "$root/bin"
	seq=$(type -P seq)
	cp "$seq" "$root/bin/seq"
	ldd "$seq" | grep -o '/[^ ]*' | while read -r file; do
		mkdir -p "$root/$(dirname "$file")"
		cp "$file" "$root/$file"
	done
	command=(sh -c 'echo before; chroot "$0" /bin/seq 3; echo after' "$root")
	natively "$TMP/native" "${command[@]}"
	recorded "$TMP/recorded" "${command[@]}"
	same "B4: a child in a root directory without the library: the run is recorded around it" \
		"$(printf 'before\nafter')" "$(cat "$TMP/recorded/stdout")"
	same "B4: the child writes by itself" "$(seq 3)" "$(cat "$TMP/recorded/real.stdout")"
	# shellcheck disable=SC2059
	same "B4: ld.so says why, and nobody else says anything" \
		"$(printf "$complaint" "$lib" "$missing")" "$(cat "$TMP/recorded/real.stderr")"
else
	skip "B4: a child in another root directory: only root may change it"
fi

# A 32-bit child, of 126 bytes, since there may be no compiler for one: it
# writes "narrow!" and ends with 5.
base64 -d >"$TMP/narrow" <<'ELF'
f0VMRgEBAQAAAAAAAAAAAAIAAwABAAAAVIAECDQAAAAAAAAAAAAAADQAIAABAAAAAAAAAAEAAAAA
AAAAAIAECACABAh+AAAAfgAAAAUAAAAAEAAAuAQAAAC7AQAAALl2gAQIuggAAADNgLgBAAAAuwUA
AADNgG5hcnJvdyEK
ELF
chmod 755 "$TMP/narrow"
if [ "$("$TMP/narrow")" = 'narrow!' ]; then
	recorded "$TMP/recorded" sh -c 'echo before; "$0"; echo "status $?"' "$TMP/narrow"
	same "B4: a 32-bit child: the run is recorded around it" \
		"$(printf 'before\nstatus 5')" "$(cat "$TMP/recorded/stdout")"
	same "B4: a 32-bit child writes by itself" 'narrow!' \
		"$(cat "$TMP"/recorded/real.*)"
	got=$("$BUILD/binlog-run" "$TMP/narrow" 2>&1)
	same "B4: binlog-run does not run it" 2 $?
	same "B4: binlog-run says why in one line" \
		"binlog-run: $TMP/narrow: a 32-bit program:" "$(cut -d ' ' -f 1-5 <<<"$got")"
else
	skip "B4: a 32-bit child: this kernel does not run any"
fi
finish
