# Reads base/limits.def, the headers that define some of its numbers, and then a page; writes the page with the list of
# limits in place of the line @LIMITS@, and the number of one in place of each @its name@, which is that of a FIXED_LIMIT or
# of a constant.  With -v only=values and no page: the names and numbers alone, one on each line.

# Of a sum of numbers, constants and shifts.
function value_of(text, terms, parts, i, sum) {
	gsub(/uint64_t|size_t|[()u ]/, "", text)
	if (text ~ /\+/) {
		split(text, terms, "+")
		for (i in terms)
			sum += value_of(terms[i])
		return sum
	}
	if (split(text, parts, "<<") == 2)
		return parts[1] * 2 ^ parts[2]
	return text in constants ? value_of(constants[text]) : text
}
function spoken(number) {
	if (number ~ /[^0-9]/)
		return "none"
	while (match(number, /[0-9][0-9][0-9][0-9](,|$)/))
		number = substr(number, 1, RSTART) "," substr(number, RSTART + 1)
	return number
}
# The Nth of the texts in quotes.
function quoted(line, n, part) {
	split(line, part, "\"")
	return part[2 * n]
}
function item(name, unit, what, seen) {
	return ".It " name ", " spoken(values[name]) (values[name] ~ /[^0-9]/ ? "" : " " unit) "\n" toupper(substr(what, 1, 1)) \
		substr(what, 2) ".\n.Dq " seen "\n"
}

FILENAME ~ /\.h$/ && /^#define [A-Z_]+ / { constants[$2] = $0; sub(/^#define [A-Z_]+ */, "", constants[$2]); sub(/ *\/\*.*/, "", constants[$2]) }
FILENAME ~ /\.h$/ { next }
FILENAME ~ /\.def$/ && /^(FORMAT_|FIXED_)?LIMIT\(/ {
	count++
	line[count] = $0
	next
}
FILENAME ~ /\.def$/ { next }
!made {
	made = 1
	make()
}
/^@LIMITS SET@$/ { printf "%s", set; next }
/^@LIMITS FIXED@$/ { printf "%s", fixed; next }
{
	while (match($0, /@[A-Za-z_-]+@/)) {
		before = substr($0, 1, RSTART - 1)
		behind = substr($0, RSTART + RLENGTH)
		name = substr($0, RSTART + 1, RLENGTH - 2)
		if (!(name in values)) {
			print FILENAME ": there is no limit " name >"/dev/stderr"
			exit 1
		}
		$0 = before spoken(values[name]) behind
	}
	print
}
function make(i, part, name) {
	for (i = 1; i <= count; i++) {
		split(substr(line[i], index(line[i], "(") + 1), part, /, */)
		if (line[i] ~ /^FORMAT_/) {
			name = tolower(part[1])
			gsub(/_/, "-", name)
			values[part[2]] = values[name] = value_of(part[2])
			fixed = fixed item(name, quoted(line[i], 1), quoted(line[i], 2), quoted(line[i], 3))
			continue
		}
		name = quoted(line[i], 1)
		values[name] = value_of(part[3])
		if (line[i] ~ /^FIXED_/)
			fixed = fixed item(name, quoted(line[i], 2), quoted(line[i], 3), quoted(line[i], 4))
		else
			set = set item(name, quoted(line[i], 2), quoted(line[i], 3), quoted(line[i], 4))
	}
}
END {
	if (only != "values")
		exit
	make()
	for (name in values)
		print name, values[name]
}
