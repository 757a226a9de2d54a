# Reads record/text.def, record/argument.def and record/environment.def and then a page with the lines @TEXTS@, @EVENTS@,
# @ARGUMENTS@ and @VARIABLES@; writes
# the page with the lists of kinds in their places.

function quoted(line) {
	sub(/^[^"]*"/, "", line)
	sub(/"\)$/, "", line)
	gsub(/\\n/, "\\en", line)
	sub(/^'/, "\\\\\\&'", line)
	return line
}

FILENAME ~ /\.def$/ && /^(TEXT|ARGUMENT)\(/ {
	split(substr($0, index($0, "(") + 1), part, /, */)
	item = ".It " part[1] " (" part[2] ")"
	if (/^ARGUMENT/)
		arguments = arguments item ", " (part[3] < 0 ? "any number of bytes" : part[3] " bytes") "\n" quoted($0) "\n"
	else if (part[2] >= 32)
		events = events item "\n" quoted($0) "\n"
	else
		texts = texts item "\n" quoted($0) "\n"
}
FILENAME ~ /\.def$/ && /^(VARIABLE|INTERNAL)\(/ {
	name = $0
	gsub(/^[^"]*"|=?"\)$/, "", name)
	if (/^INTERNAL/)
		internal = internal (internal ? "\nand\n" : "") ".Ev " name
	else
		variables = variables (variables ? " ,\n" : "") ".Ev " name (name ~ /_$/ ? "..." : "")
}
FILENAME ~ /\.def$/ { next }
/^@VARIABLES@$/ { print variables; print "but not"; print internal " ,"; next }
/^@TEXTS@$/ { printf "%s", texts; next }
/^@EVENTS@$/ { printf "%s", events; next }
/^@ARGUMENTS@$/ { printf "%s", arguments; next }
{ print }
