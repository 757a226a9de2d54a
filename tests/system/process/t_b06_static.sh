#!/bin/bash
# B6: programs that the library cannot be in (static, musl) or that do not print
# through libc (Go): binlog-run refuses what it can know, and in a recorded run
# they go on as natively; Rust prints through write(2), which is recorded.
# shellcheck disable=SC2086
. tests/support/lib.sh

# ---- binlog-run ----
mkdir "$TMP/run"
(
	TMP=$TMP/run
	row='B6: '
	. tests/support/run_common.sh

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
	exit $failed
) || failed=1

# ---- in a recorded run ----
around() { # SENTENCE PROGRAM: recorded before and after it; it writes by itself
	local run='echo before; "$0" x; echo "status $?"'
	natively "$TMP/native" sh -c "$run" "$2"
	recorded "$TMP/recorded" sh -c "$run" "$2"
	same "B6: $1: it ends and says as natively" \
		"$(cat "$TMP/native/status"; sort "$TMP/native/stdout")" \
		"$(cat "$TMP/recorded/status"; sort "$TMP/recorded/stdout" "$TMP/recorded/real.stdout")"
	# The children of the program, cat and sh, are as others.
	same "B6: $1: the run around it is recorded" \
		"$(sed -n '1p;$p' "$TMP/native/stdout")" \
		"$(sed -n '1p;$p' "$TMP/recorded/stdout")"
	verdict $(($(wc -l <"$TMP/recorded/real.stdout") < 100)) "B6: $1: writes by itself"
	same_file "B6: $1: stderr is written" "$TMP/native/stderr" "$TMP/recorded/real.stderr"
	same "B6: $1: and leaves the same files" "" \
		"$(diff -r "$TMP/native/files" "$TMP/recorded/files")"
}
for how in -static '-static-pie -fPIE'; do
	if $CC -w $how -D_GNU_SOURCE -o "$TMP/fixed" "$here/victims/foreign.c" -pthread 2>/dev/null; then
		around "linked with $how" "$TMP/fixed"
	else
		skip "B6: $how: $CC does not link that"
	fi
done
if type -P musl-gcc >/dev/null; then
	musl-gcc -w -D_GNU_SOURCE -o "$TMP/musl" "$here/victims/foreign.c" -pthread || exit 1
	around "musl" "$TMP/musl"
	# ld-musl loads the library, whose functions then have to stand aside.
	LD_PRELOAD=$lib BINLOG_DIR=$TMP/with_musl LD_DEBUG=all "$TMP/musl" maps >"$TMP/maps" 2>&1
	grep -q libbinlog.so "$TMP/maps"
	verdict $? "B6: musl: the library is in the program"
	same "B6: musl: and makes nothing" "" "$(ls "$TMP/with_musl" 2>/dev/null)"
else
	skip "B6: musl: musl-gcc is not installed"
fi
is_long || finish
# ---- other languages ----
rust=$(type -P rustc || ls /root/.cargo/bin/rustc 2>/dev/null)
if [ -n "$rust" ] && "$rust" -o "$TMP/rust" "$here/victims/foreign.rs" 2>/dev/null; then
	compare "B6: Rust: println!, eprintln!, threads" "$TMP/rust"
else
	skip "B6: Rust: rustc is not installed"
fi
if type -P go >/dev/null; then
	(cd "$TMP" && GOCACHE=$TMP/go GO111MODULE=off CGO_ENABLED=0 \
		go build -o "$TMP/go_static" "$here/victims/foreign.go") || exit 1
	around "Go" "$TMP/go_static"
else
	skip "B6: Go: it is not installed"
fi
finish
