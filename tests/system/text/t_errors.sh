#!/bin/bash
# perror, warn, err, error: their texts in the language of the program, however long, in every order and every mode.
. tests/support/lib.sh

# ---- locales ----
export LOCPATH=$TMP/locale
mkdir "$LOCPATH"
for name in de_DE.UTF-8 de_DE.ISO-8859-1 en_US.UTF-8; do
	localedef --no-archive -i "${name%%.*}" -f "${name#*.}" "$LOCPATH/$name" >/dev/null 2>&1
	[ -d "$LOCPATH/$name" ] || skip "locale $name: localedef cannot make it here"
done
unset LC_ALL LANG LANGUAGE
build errors

# What reached the files and what was recorded are both as natively.
compare_tee() { # SENTENCE COMMAND...
	local part why=''
	natively "$TMP/native" "${@:2}"
	BINLOG_STREAMS=all=tee recorded "$TMP/recorded" "${@:2}"
	for part in stdout stderr status real.stdout real.stderr; do
		cmp -s "$TMP/native/${part#real.}" "$TMP/recorded/$part" && continue
		why+="$part differs: $(diff -a "$TMP/native/${part#real.}" "$TMP/recorded/$part" | head -n 4 | cut -c 1-160 | tr -d '\0')"
	done
	verdict ${#why} "$1, with tee" "$why"
}
compare_pass() { # SENTENCE COMMAND...
	local part why=''
	natively "$TMP/native" "${@:2}"
	BINLOG_STREAMS=all=pass recorded "$TMP/recorded" "${@:2}" 2>/dev/null
	for part in stdout stderr; do
		cmp -s "$TMP/native/$part" "$TMP/recorded/real.$part" || why+="$part differs "
	done
	cmp -s "$TMP/native/status" "$TMP/recorded/status" || why+="the status differs"
	verdict ${#why} "$1, with pass" "$why"
}
compare_all() { # SENTENCE COMMAND...
	compare "$@"
	compare_tee "$@"
	compare_pass "$@"
}

compare_all "names of errors in the C locale" "$TMP/errors" texts
compare_all "names and texts of many lengths" "$TMP/errors" lengths
compare_all "error(3): stdout, hook, count, one per line" "$TMP/errors" hooks
compare_all "formats that are hard to make a text of" "$TMP/errors" formats
for how in error error_at_line err errx err_null; do
	compare_all "$how ends the program" "$TMP/errors" $how
done

# ---- translated ----
catalogue=$(LC_ALL=de_DE.UTF-8 "$TMP/errors" texts 2>&1 >/dev/null | grep -ac 'Datei oder Verzeichnis')
translated() { # LOCALE
	if [ ! -d "$LOCPATH/$1" ] || [ "$catalogue" -eq 0 ]; then
		skip "names of errors in $1: libc has no catalogue of them here"
		return
	fi
	export LC_ALL=$1
	for what in texts wide lengths hooks formats err thread argp; do
		compare_all "$what in $1" "$TMP/errors" $what
	done
	unset LC_ALL
}
translated de_DE.UTF-8
translated de_DE.ISO-8859-1
if [ -d "$LOCPATH/en_US.UTF-8" ] && [ "$catalogue" -gt 0 ]; then
	export LC_ALL=en_US.UTF-8
	compare_all "names of errors in English, in another locale" "$TMP/errors" texts
	LANGUAGE=de compare_all "names of errors in the language of LANGUAGE" "$TMP/errors" texts
else
	skip "names of errors by LANGUAGE: there is no locale en_US.UTF-8, or no catalogue"
fi
finish
