#!/bin/bash
# Every target of tests/fuzz: its corpus as a plain program; random formats against libc.  LONG=1: each with its corpus
# under sanitizers, and ten minutes of libFuzzer, whose programs need clang and a minute to be built.
. tests/support/lib.sh
programs=()
for source in tests/fuzz/target/fuzz_*.c; do
	target=$(basename "${source#tests/fuzz/target/fuzz_}" .c)
	programs+=("$BUILD/tests/replay_$target")
done
make -s O="$BUILD" "${programs[@]}" ${LONG:+fuzz-programs} >"$TMP/log" 2>&1 || {
	not_ok "the targets build" "$(tail -n 12 "$TMP/log")"
	exit 1
}
for program in "${programs[@]}"; do
	target=${program##*/replay_}
	inputs=$(find "tests/fuzz/corpus/$target" -type f 2>/dev/null | wc -l)
	said=$("$program" "tests/fuzz/corpus/$target" 2>&1)
	[ "$inputs" -gt 0 ] && [ "$said" = "$inputs inputs" ]
	verdict $? "$target: its corpus of $inputs inputs goes through" "$said"
done
first=$(($(date +%s) * 1000000))
for target in render render_plan; do
	said=$("$BUILD/tests/replay_$target" --random=$first,1000000 2>&1)
	[ "$said" = "1000000 inputs" ]
	verdict $? "$target: 1000000 random formats from number $first on" "$said"
done
[ -n "${LONG:-}" ] || finish
rm -rf "$BUILD/fuzz/new" "$BUILD/fuzz/found"
# Another test runs beside this one, and some of these look at how fast they are.
JOBS=$(($(nproc) > 2 ? $(nproc) - 1 : 1))
export JOBS
tests/fuzz/run "$BUILD" "${FUZZ_SECONDS:-600}" || failed=1
finish
