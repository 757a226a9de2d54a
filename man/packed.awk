# Reads record/packed_tags.def and record/packed_fields.def and then a page with the line @TAGS@; writes the page with the
# list of tags, each with its fields, in its place.

function quoted(line) {
	sub(/^[^"]*"/, "", line)
	sub(/"\)$/, "", line)
	return line
}

FILENAME ~ /\.def$/ && /^(TAG|FIELD)\(/ {
	split(substr($0, index($0, "(") + 1), part, /, */)
	if (/^TAG/) {
		tags[++count] = part[1]
		number[part[1]] = part[2] + 0
		what[part[1]] = quoted($0)
	} else {
		text = quoted($0)
		fields[part[1]] = fields[part[1]] ".It " part[3] "\n.Em " tolower(part[2]) " ,\n" \
			tolower(part[4]) (text == "" ? "" : ": " text) "\n"
	}
}
FILENAME ~ /\.def$/ { next }
/^@TAGS@$/ {
	print ".Bl -tag -width Ds\n.It every one\n.Bl -tag -width 00 -compact\n" fields["ALL"] ".El"
	for (i = 1; i <= count; i++)
		print ".It " tags[i] " (" number[tags[i]] ")\n" what[tags[i]] "." \
			(fields[tags[i]] == "" ? "" : "\n.Bl -tag -width 00 -compact\n" fields[tags[i]] ".El")
	print ".El"
	next
}
{ print }
