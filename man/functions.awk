# Reads wrappers/functions.def and then a page with the line @FUNCTIONS@; writes the page with the list of functions in
# that line's place.  With -v only=names and no page: the names alone, one per line.

function mdoc(text) {
	return text == "" ? "" : "\n" text
}

FILENAME ~ /functions\.def$/ && /^\/\* ---- .* ---- \*\/$/ {
	sub(/^\/\* ---- /, "")
	sub(/ ---- \*\/$/, "")
	list = list mdoc(names) "\n.It " toupper(substr($0, 1, 1)) substr($0, 2)
	names = ""
}
FILENAME ~ /functions\.def$/ && /^(PLAIN|VARIADIC|INPUT|QUICK|HAND_ON)(_VOID|_VARIADIC|_CHARACTER)?\(/ {
	split(substr($0, index($0, "(") + 1), part, /, */)
	name = /^([A-Z]*_VOID|HAND_ON)/ ? part[1] : part[2]
	if (only == "names")
		print name
	# A comma belongs after every name but the last one of a group.
	names = names == "" ? ".Fn " name : names " ,\n.Fn " name
}
FILENAME !~ /functions\.def$/ && $0 == "@FUNCTIONS@" {
	print ".Bl -tag -width Ds" list mdoc(names)
	print ".El"
	next
}
FILENAME !~ /functions\.def$/
