# One line for each answer, "FUNCTION at FILE:LINE|..." from the innermost frame
# outwards, of what binlog-symbolize, llvm-symbolizer -p or addr2line -aipf has
# written.  Written alike: "(discriminator N)", columns and addresses are
# dropped, what is unknown is "??", and "/./" and "/x/../" are taken out of
# paths.
function plain(path) {
	while (sub(/\/\.\//, "/", path));
	while (sub(/\/[^\/]+\/\.\.\//, "/", path));
	sub(/^\.\//, "", path)
	return path
}

function finish() {
	if (line != "")
		print line
	line = ""
}

/^$/ { next }
{
	inlined = sub(/^ *\(inlined by\) /, "")
	sub(/^0x[0-9a-f]+: /, "")
	sub(/ \(discriminator [0-9]+\)$/, "")
	if ($0 ~ /^\?\? \?\?:0/)
		$0 = "?? at ??:0"
	split_at = 0
	for (i = length($0); i > 0 && !split_at; i--)
		if (substr($0, i, 4) == " at ")
			split_at = i
	name = substr($0, 1, split_at - 1)
	place = substr($0, split_at + 4)
	if (place ~ /:[0-9]+:[0-9]+$/)
		sub(/:[0-9]+$/, "", place)
	sub(/:(\?|0)$/, ":?", place)
	sub(/^:\?$/, "??:?", place)
	frame = name " at " plain(place)
	if (inlined) {
		line = line "|" frame
	} else {
		finish()
		line = frame
	}
}
END { finish() }
