#!/bin/bash
# tests/rows: each row of what was promised is there once, and those that are said to work do.
. tests/support/lib.sh
rows() { grep -oE '^[BTAHND]-?[0-9]+ ' tests/rows/table | tr -d ' ' | sort; }
wanted() {
	seq -f 'B%g' 32
	seq -f 'T%g' 28
	seq -f 'A%g' 31
	seq -f 'H%g' 21
	seq -f 'N%g' 18
	seq -f 'D-%g' 105
}
same "every row is there once" "$(wanted | sort)" "$(rows)"
TMPDIR=$TMP tests/rows/run "$BUILD" >"$TMP/said" 2>&1
verdict $? "what is said to work does: $(tail -n 1 "$TMP/said")" "$(grep -A8 '^FAIL' "$TMP/said")"
same "every row has been looked at" 235 "$(sed -n 's/^works .* of //p' "$TMP/said")"
finish
