#!/bin/bash
# Random formats with random arguments through the printf family, narrow and
# wide, in several locales.  What is decoded is what libc itself, not
# interposed, has made of the same; every call returns what libc's does, errno,
# ferror and %n included.
# FORMATS: so many samples per seed; LONG: ten times as many seeds.
. tests/support/lib.sh
samples=${FORMATS:-500000}
fixed=(1) fresh=($(($(date +%s%N) / 1000 % 1000000000)))
if [ -n "${LONG:-}" ]; then
	fixed=({1..10})
	for step in {1..9}; do fresh+=($((fresh[0] + step))); done
fi

# ---- locales: another decimal point, groups, digits, encoding, language ----
export LOCPATH=$TMP/locale
mkdir "$LOCPATH"
for name in de_DE.UTF-8 de_DE.ISO-8859-1 fa_IR.UTF-8 ps_AF.UTF-8; do
	localedef --no-archive -i "${name%%.*}" -f "${name#*.}" \
		"$LOCPATH/$name" >/dev/null 2>&1
	[ -d "$LOCPATH/$name" ] ||
		skip "locale $name: localedef cannot make it here"
done

# The formats that are constant are made by the program itself.
: >"$TMP/table.h"
for count in 1 3000; do
	build formats -fno-builtin record/format.c \
		-DFORMATS_TABLE="\"$TMP/table.h\""
	"$TMP/formats" table 1 $count >"$TMP/new.h"
	mv "$TMP/new.h" "$TMP/table.h"
done

# The call that wrote the first byte that differs, with its arguments.
first_difference() { # GOT WANTED STREAM ARGUMENT...
	local at
	at=$(cmp "$1" "$2" 2>&1 | sed -nE 's/.*(byte|char) ([0-9]+),.*/\2/p')
	[ -s "$1" ] || at=1
	echo "$3 differs: $(stat -c %s "$1" "$2" | xargs) bytes, at byte $at:"
	(cd "$TMP/again" && "$TMP/formats" "${@:4}" "$3" $((at - 1)))
	tail -c +"$at" "$1" | head -c 60 | xxd -g1 | sed 's/^/got    /'
	tail -c +"$at" "$2" | head -c 60 | xxd -g1 | sed 's/^/wanted /'
}
wrong() { # DIR ARGUMENT...: in words, what a run should have said and has not
	local dir=$1 stream
	mkdir -p "$TMP/again"
	for stream in stdout stderr; do
		cmp -s "$dir/$stream" "$dir/files/expected.$stream" ||
			first_difference "$dir/$stream" \
				"$dir/files/expected.$stream" $stream "${@:2}"
	done
	head -n 5 "$dir/files/mismatches"
	[ "$(cat "$dir/status")" = 0 ] || echo "status $(cat "$dir/status")"
	[ "$(cat "$dir/files/calls")" -gt "${*: -1}" ] || echo "too few calls"
	[ ! -s "$dir/real.stdout" ] || echo "stdout was written to"
	[ ! -s "$dir/real.stderr" ] || echo "stderr was written to"
}

# Of the same seed: half of the samples narrow, and a share of the rest for
# each encoding that a wide stream may have.
parts=("narrow C 4")
for name in C C.UTF-8 de_DE.UTF-8 de_DE.ISO-8859-1; do
	[[ $name == de_* && ! -d $LOCPATH/$name ]] || parts+=("wide $name 1")
done
each() { # HOW SEED COUNT: runs all parts; what was wrong
	local part
	for part in "${parts[@]}"; do
		set -- "$1" "$2" "$3" $part
		$1 "$TMP/run" "$TMP/formats" "$4" "$5" "$2" $(($3 * $6 / 8))
		wrong "$TMP/run" "$4" "$5" "$2" $(($3 * $6 / 8)) | tr -d '\0'
		rm -rf "$TMP/run"
	done
}

why=$(each natively 1 $((samples / 10)))
verdict ${#why} "natively, printf has its text in the file of what is expected" "$why"
for seed in "${fixed[@]}" "${fresh[@]}"; do
	why=$(each recorded "$seed" "$samples")
	verdict ${#why} "seed $seed, $samples random formats: text, value, errno, ferror and %n as libc has them" "$why"
done

# ---- recorded and written ----
also_written() { # DIR COMMAND...
	BINLOG_STREAMS=stdout=tee,stderr=tee recorded "$@"
	for stream in stdout stderr; do
		cmp "$1/real.$stream" "$1/files/expected.$stream" &&
			rm "$1/real.$stream"
	done
}
why=$(each also_written "$seed" $((samples / 10)))
verdict ${#why} "seed $seed, with tee: as libc has them, and in the files as well" "$why"
finish
