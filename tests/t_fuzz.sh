#!/bin/bash
# Every target of tests/fuzz: its corpus as a plain program, and 20 seconds (600 with LONG) of libFuzzer; random formats
# against libc
. tests/lib.sh
seconds=${FUZZ_SECONDS:-20}
[ -z "${LONG:-}" ] || seconds=600
make -s O="$BUILD" fuzz-programs >"$TMP/log" 2>&1 || {
	not_ok "the targets build" "$(tail -n 12 "$TMP/log")"
	exit 1
}
for source in tests/fuzz/fuzz_*.c; do
	target=$(basename "${source#tests/fuzz/fuzz_}" .c)
	inputs=$(find "tests/fuzz/corpus/$target" -type f 2>/dev/null | wc -l)
	said=$("$BUILD/tests/replay_$target" "tests/fuzz/corpus/$target" 2>&1)
	[ "$inputs" -gt 0 ] && [ "$said" = "$inputs inputs" ]
	verdict $? "$target: its corpus of $inputs inputs goes through" "$said"
done
first=$(($(date +%s) * 1000000))
for target in render render_plan; do
	said=$("$BUILD/tests/replay_$target" --random=$first,1000000 2>&1)
	[ "$said" = "1000000 inputs" ]
	verdict $? "$target: 1000000 random formats from number $first on" "$said"
done
rm -rf "$BUILD/fuzz/new" "$BUILD/fuzz/found"
# Another test runs beside this one, and some of these look at how fast they are.
JOBS=$(($(nproc) > 2 ? $(nproc) - 1 : 1))
export JOBS
# What is new is looked for by `make fuzz`, each time with other mutations.
[ -n "${LONG:-}" ] || export SEED=1
tests/fuzz/run "$BUILD" "$seconds"
exit $failed
