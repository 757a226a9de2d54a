#!/bin/bash
# B31: libraries that are unloaded, while others, or the same again, are loaded
# at their addresses: what is known by address is forgotten, and what is known
# by content costs nothing a second time.
. tests/support/lib.sh
library() { # FILE WORD FORMAT NAME [OPTION...]
	$CC -g -w -O1 -shared -fPIC -DWORD="\"$2\"" -DFORMAT="\"$3\"" -DNAME="$4" \
		-o "$TMP/$1.so" "$here/victims/reload_library.c" "${@:5}" || exit 1
}
library alpha alpha '%d times %d' say_alpha
library gamma gamma '%x hexes %c' say_gamma
library delta delta '%d times %d' say_delta # formats as alpha's, other words
library nobuild omega '%d times %d' say_omega -Wl,--build-id=none
build reload -ldl
reload() { # SENTENCE CYCLES LIBRARY...
	local status
	exec 9>"$TMP/said"
	compare "B31: $1: $2 cycles" "$TMP/reload" "${@:2}"
	exec 9>&-
	read -r same _ <"$TMP/said"
	verdict $((same < $2 / 2)) "B31: they were at the same address" "$(cat "$TMP/said")"
}
all=("$TMP/alpha.so" "$TMP/gamma.so" "$TMP/delta.so" "$TMP/nobuild.so")
reload "two libraries in turn at one address" 1000 "$TMP/alpha.so" "$TMP/gamma.so"
reload "two with the same formats" 300 "$TMP/alpha.so" "$TMP/delta.so"
reload "four" 300 "${all[@]}"

# The stack of a call names the function of the library that was there then.
same "B31: stacks are those of the library that was there" \
	"$(for ((i = 0; i < 150; i++)); do printf '%s\n' "say_alpha alpha" "say_gamma gamma" "say_delta delta" "say_omega omega"; done | sort | uniq -c)" \
	"$("$show" --stacks "$TMP/recorded/capture" 2>&1 | awk '
		/: from / { word = $0; sub(/.*from /, "", word); sub(/:.*/, "", word); wanted = 1; next }
		wanted && match($0, /say_[a-z]+/) { print substr($0, RSTART, RLENGTH), word; wanted = 0 }' | sort | uniq -c)"

# A cycle costs its records, and nothing else.
size() { du -bc "$TMP"/recorded/capture/*.binlog | awk 'END { print $1 }'; }
many=$([ -n "${LONG:-}" ] && echo 20000 || echo 3000)
sizes() { # CYCLES
	exec 9>"$TMP/said"
	recorded "$TMP/recorded" "$TMP/reload" "$1" "${all[@]}"
	exec 9>&-
	size
}
few=$(sizes 300)
large=$(sizes "$many")
read -r _ memory <"$TMP/said"
# Ten records of text each, less than 40 bytes.
verdict $(((large - few) / (many - 300) > 400)) "B31: a cycle takes no more than its text: $(((large - few) / (many - 300))) bytes"
verdict $((memory > 2048)) "B31: $many cycles take no memory: $memory KiB"

# What was constant may be made writable.
build changed_constants
compare "constants that are made writable and changed" "$TMP/changed_constants"
compare "the same after many others" "$TMP/changed_constants" many
finish
