#!/bin/bash
# The packed logs in tests/golden are read as ever: what they say is what the programs have written in the very run that
# was recorded.  Their programs are long gone.
. tests/support/lib.sh
export PYTHONDONTWRITEBYTECODE=1
golden=$here/golden

for log in "$golden"/*.blog; do
	name=${log%.blog}
	for stream in stdout stderr; do
		"$show" --raw --as-written --stream=$stream "$log" >"$TMP/got" 2>"$TMP/complaint"
		status=$?
		[ ! -s "$TMP/complaint" ] || not_ok "$(basename "$name"): nothing is wrong with it" "$(cat "$TMP/complaint")"
		[ $status -eq 0 ] || not_ok "$(basename "$name"): all of it is read" "status $status"
		if [ $stream = stdout ] && [ -e "$name.sha256" ]; then
			same "$(basename "$name"): its stdout, by its checksum" "$(cat "$name.sha256")" "$(sha256sum <"$TMP/got")"
			continue
		fi
		[ -e "$name.$stream" ] || : >"$TMP/nothing"
		[ -e "$name.$stream" ] && wanted=$name.$stream || wanted=$TMP/nothing
		same_file "$(basename "$name"): its $stream" "$wanted" "$TMP/got"
	done
	said=$(python3 "$here/packed/check_format.py" "$log" 2>&1)
	verdict $? "$(basename "$name"): it is as record/packed.h says (${said:0:50})" "$said"
done

# All of them, joined, and whatever is in them shown in every style.
cat "$golden"/*.blog >"$TMP/joined"
for style in "" --stacks --location --pointers -P --output=captures; do
	"$show" -q $style "$TMP/joined" >"$TMP/got" 2>"$TMP/complaint"
	status=$?
	[ $status -le 1 ] && [ -s "$TMP/got" ]
	verdict $? "all of them joined are shown by ${style:-default}" "status $status: $(head -n 3 "$TMP/complaint")"
done
"$show" --raw -q "$TMP/joined" | sha256sum >"$TMP/got"
for log in "$golden"/*.blog; do "$show" --raw -q "$log"; done | sha256sum >"$TMP/want"
same_file "joined they say what each says" "$TMP/want" "$TMP/got"
size=$(cat "$golden"/*-* | wc -c)
verdict $((size >= 130000)) "they take less than 130,000 bytes together" "$size"
finish
