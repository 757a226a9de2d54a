#!/bin/bash
# Wide streams: what reaches a file natively is recorded, transliterated where
# the encoding lacks a character, and no call is made natively for that.
. tests/support/lib.sh

export LOCPATH=$TMP/locale
mkdir "$LOCPATH"
locales=(C C.UTF-8)
for name in de_DE.UTF-8 de_DE.ISO-8859-1 ja_JP.EUC-JP; do
	localedef --no-archive -i "${name%%.*}" -f "${name#*.}" \
		"$LOCPATH/$name" >/dev/null 2>&1
	if [ -d "$LOCPATH/$name" ]; then
		locales+=("$name")
	else
		skip "locale $name: localedef cannot make it here"
	fi
done
build wide -fno-builtin

for name in "${locales[@]}"; do
	# _IOFBF, _IOLBF, _IONBF
	for mode in 0 1 2; do
		compare "in $name, with buffering $mode: every wide call as natively" \
			"$TMP/wide" all "$name" $mode
	done
	compare "in $name: what is no character" "$TMP/wide" byte "$name" 0
	compare "in $name: long wide texts" "$TMP/wide" lengthy "$name"
	compare "in $name: wide characters to a FILE of bytes" \
		"$TMP/wide" bytes "$name"
	compare "in $name: wide calls on bytes, and the other way round" \
		"$TMP/wide" mixed "$name"
done
for pair in "C C.UTF-8" "C.UTF-8 C" "C.UTF-8 de_DE.ISO-8859-1" \
	"de_DE.ISO-8859-1 C.UTF-8" "de_DE.ISO-8859-1 C"; do
	[[ $pair == *de_* && ! -d $LOCPATH/de_DE.ISO-8859-1 ]] && continue
	# shellcheck disable=SC2086 # two words
	compare "a wide stream keeps the encoding it began with: $pair" \
		"$TMP/wide" kept $pair
done

# Only libc knows what a FILE with lines makes of it: written, and counted.
natively "$TMP/native" "$TMP/wide" byte C.UTF-8 1
recorded "$TMP/lines" "$TMP/wide" byte C.UTF-8 1
same "what is no character, to a FILE with lines, is recorded or written" \
	"$(sort "$TMP/native/stdout" | tr -d '\n')" \
	"$(sort "$TMP"/lines/{real.stdout,stdout} | tr -d '\n')"
same_file "and the calls return what they do natively" \
	"$TMP/native/files/results" "$TMP/lines/files/results"

BINLOG_STREAMS=stdout=tee,stderr=tee \
	recorded "$TMP/tee" "$TMP/wide" all C.UTF-8 0
natively "$TMP/native" "$TMP/wide" all C.UTF-8 0
for stream in stdout stderr; do
	same_file "with tee: $stream is written as natively" \
		"$TMP/native/$stream" "$TMP/tee/real.$stream"
	same_file "with tee: $stream is recorded" \
		"$TMP/native/$stream" "$TMP/tee/$stream"
done
same_file "with tee: the calls return what they do natively" \
	"$TMP/native/files/results" "$TMP/tee/files/results"

# ---- typed, and as small as the narrow ones ----
for how in narrow wide; do
	recorded "$TMP/$how.run" "$TMP/wide" many C.UTF-8 $how
done
same_file "20,000 calls of wprintf say what printf does" \
	"$TMP/narrow.run/stdout" "$TMP/wide.run/stdout"
sizes=$(stat -c %s "$TMP"/{narrow,wide}.run/capture/*.binlog | xargs)
[ "${sizes#* }" -le $((${sizes% *} + 4096)) ]
verdict $? "and take as many bytes of the capture: ${sizes/ /, }"
finish
