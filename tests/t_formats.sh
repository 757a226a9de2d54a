#!/bin/bash
# Random formats with random arguments through the printf family: recorded,
# every call returns what it does natively, and its text is the same.
# FORMATS: so many samples per seed; LONG: ten times as many seeds.
. tests/lib.sh
samples=${FORMATS:-200000}
fixed=(1) fresh=($(($(date +%s) % 1000000000)))
if [ -n "${LONG:-}" ]; then
	fixed=({1..10})
	for step in {1..9}; do fresh+=($((fresh[0] + step))); done
fi

# ---- locales: another decimal point, groups, digits, encoding, language ----
export LOCPATH=$TMP/locale
mkdir "$LOCPATH"
for name in de_DE.UTF-8 de_DE.ISO-8859-1 fa_IR.UTF-8; do
	localedef --no-archive -i "${name%%.*}" -f "${name#*.}" \
		"$LOCPATH/$name" >/dev/null 2>&1
	[ -d "$LOCPATH/$name" ] ||
		skip "locale $name: localedef cannot make it here"
done

# The formats that are constant are made by the program itself.
build_with() { # SEED
	: >"$TMP/table.h"
	for count in 1 3000; do
		build formats -I. -fno-builtin record/format.c \
			-DFORMATS_TABLE="\"$TMP/table.h\""
		"$TMP/formats" table "$1" $count >"$TMP/new.h"
		mv "$TMP/new.h" "$TMP/table.h"
	done
}

# The call whose text is the first one to differ.
first_difference() { # NATIVE OTHER STREAM RESULTS
	local at
	at=$(cmp "$1" "$2" 2>&1 | sed -nE 's/.*(byte|char) ([0-9]+),.*/\2/p')
	echo "$3 differs: $(stat -c %s "$1" "$2" | xargs) bytes, from byte $at on, by sample"
	awk -v stream="$3" -v at="${at:-0}" '
		$2 == stream && $3 >= at { exit } $2 == stream { line = $0 }
		END { print line }' "$4"
}
wrong() { # WANTED GOT: directories, or nothing when all is well
	local part
	for part in stdout stderr; do
		cmp -s "$1/$part" "$2/$part" || first_difference \
			"$1/$part" "$2/$part" $part "$1/files/results"
	done
	cat "$2/files/mismatches"
	for part in status files/results; do
		cmp -s "$1/$part" "$2/$part" && continue
		echo "$part differs:"
		diff -a "$1/$part" "$2/$part" | head -n 4
	done
}

try() { # SEED COUNT
	local what="seed $1, $2 random formats" why
	natively "$TMP/native" "$TMP/formats" "$1" "$2"
	# The oracle itself: vsnprintf agrees with printf.
	mkdir -p "$TMP/oracle"
	cp -r "$TMP/native/files" "$TMP/oracle"
	mv "$TMP/oracle/files/expected.stdout" "$TMP/oracle/stdout"
	mv "$TMP/oracle/files/expected.stderr" "$TMP/oracle/stderr"
	echo 0 >"$TMP/oracle/status"
	why=$(wrong "$TMP/oracle" "$TMP/native" | tr -d '\0')
	[ "$(wc -l <"$TMP/native/files/results")" -gt "$2" ] ||
		why="$why too few calls"
	[ -z "$why" ] || not_ok "$what: natively as vsnprintf has them" "$why"

	recorded "$TMP/recorded" "$TMP/formats" "$1" "$2"
	why=$(
		wrong "$TMP/native" "$TMP/recorded" | tr -d '\0'
		[ ! -s "$TMP/recorded/real.stdout" ] || echo "stdout was written to"
		[ ! -s "$TMP/recorded/real.stderr" ] || echo "stderr was written to"
	)
	verdict ${#why} "$what: text, value, errno and %n as natively" "$why"
}
for seed in "${fixed[@]}" "${fresh[@]}"; do
	build_with "$seed"
	try "$seed" "$samples"
done

# ---- recorded and written ----
natively "$TMP/native" "$TMP/formats" "$seed" $((samples / 10))
BINLOG_STREAMS=stdout=tee,stderr=tee \
	recorded "$TMP/recorded" "$TMP/formats" "$seed" $((samples / 10))
why=$(wrong "$TMP/native" "$TMP/recorded" | tr -d '\0')
verdict ${#why} "seed $seed, with tee: as natively" "$why"
cmp -s "$TMP/native/stdout" "$TMP/recorded/real.stdout" &&
	cmp -s "$TMP/native/stderr" "$TMP/recorded/real.stderr"
verdict $? "seed $seed, with tee: the files are written as natively"
finish
