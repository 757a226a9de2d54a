# Reads decoder/fleet/tables.def and then a page with the line @TABLES@; writes the page with the tables and their columns there.

function part(line, n,    all) {
	split(substr(line, index(line, "(") + 1), all, /, */)
	return all[n]
}
function said(line) {
	sub(/"\)$/, "", line)
	sub(/^.*[^\\]"/, "", line)
	return line
}
BEGIN { kinds["U8"] = "UInt8"; kinds["U32"] = "UInt32"; kinds["U64"] = "UInt64"; kinds["TEXT"] = "String"
	kinds["TEXTS"] = "Array(String)"; kinds["INTEGERS"] = "Array(Int64)"; kinds["NUMBERS"] = "Array(Float64)" }
FILENAME ~ /\.def$/ && /^TABLE\(/ {
	tables = tables (tables ? ".El\n" : "") ".Ss " part($0, 1) "\n" toupper(substr(said($0), 1, 1)) substr(said($0), 2) \
		".\n.Bl -tag -width argument.integer -compact\n"
}
FILENAME ~ /\.def$/ && /^COLUMN\(/ { tables = tables ".It Va " part($0, 2) " (" kinds[part($0, 3)] ")\n" said($0) "\n" }
FILENAME ~ /\.def$/ { next }
/^@TABLES@$/ { printf "%s.El\n", tables; next }
{ print }
