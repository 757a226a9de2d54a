# A libc that is younger than all that were looked at: nothing that is not its interface is relied upon, and programs
# are recorded as before, in text, order and results.
. tests/support/lib.sh

# What the library is told is what the program's libc has in truth, so that the native run is the oracle.
cat >"$TMP/younger.c" <<'END'
const char *gnu_get_libc_version(void) { return "2.99"; }
END
$CC -shared -fPIC -o "$TMP/younger.so" "$TMP/younger.c" || exit 1
build unlocked_threads
younger() { # SENTENCE COMMAND...
	local why
	natively "$TMP/native" "${@:2}"
	recorded "$TMP/recorded" env LD_PRELOAD="$lib $TMP/younger.so" "${@:2}"
	why=$(differences "$TMP/native" "$TMP/recorded" | tr -d '\0')
	if [ -z "$why" ]; then ok "$1"; else not_ok "$1" "$why"; fi
}

younger 'single characters, macros and lines in pieces, with and without threads' "$TMP/unlocked_threads"
younger 'a shell with its built-in printf' bash -c 'for i in 1 2 3; do printf "%s-%d " "$i" "$i"; done; echo; ls /nowhere'
younger 'a table of numbers' seq -f '%.3f' 1 2000
finish
