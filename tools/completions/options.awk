# What the completions of all shells are made of.  Reads, in this order, decoder/output/styles.def, decoder/output/columns.def,
# rules/levels.def, tools/live/words.def, tools/ctl/ctl_words.def, and then the table of options of one tool; fills
#
#   names, letters, arguments, helps   of each option, from 1 to `count`; a letter or an argument may be empty
#   values[KIND]                       the words that may stand there, with blanks between
#
# and calls finish(tool), which prints what a shell wants.  `tool` is given with -v.

# The fields of one line of a table, between commas outside of strings: into `field`, their number is returned.
function take_fields(line,    n, i, character, text, quoted) {
	sub(/^[A-Z]+\(/, "", line)
	sub(/\)[ \t]*$/, "", line)
	n = 0
	text = ""
	quoted = 0
	for (i = 1; i <= length(line); i++) {
		character = substr(line, i, 1)
		if (character == "\\" && quoted) {
			text = text substr(line, ++i, 1)
			continue
		}
		if (character == "\"")
			quoted = !quoted
		if (character != "," || quoted) {
			text = text character
			continue
		}
		field[++n] = trimmed(text)
		text = ""
	}
	field[++n] = trimmed(text)
	return n
}

function trimmed(text) {
	gsub(/^[ \t]+|[ \t]+$/, "", text)
	return text
}

# A string without its quotes; nothing else is one.
function string(text) {
	return text ~ /^".*"$/ ? substr(text, 2, length(text) - 2) : ""
}

function add(kind, word) {
	values[kind] = values[kind] (values[kind] == "" ? "" : " ") word
}

function add_option(n,    named_first) {
	named_first = string(field[1]) != ""
	count++
	names[count] = string(field[named_first ? 1 : 2])
	letters[count] = field[named_first ? 2 : 3] ~ /^'.'$/ ? substr(field[named_first ? 2 : 3], 2, 1) : ""
	arguments[count] = string(field[named_first ? n - 1 : 4])
	if (arguments[count] ~ /^\[/) # it may be left out
		arguments[count] = ""
	helps[count] = string(field[n])
}

# What may be given to an option: a kind of `values`, "file", "directory", "recorded COLUMN", which is what the calls in
# binlog.data have there, or nothing.
function kind_of(i) {
	if (tool == "binlog-show" && names[i] in columns)
		return "recorded " columns[names[i]]
	if (names[i] == "output" && tool == "binlog-show")
		return "style"
	if (names[i] == "columns" && arguments[i] != "")
		return "column"
	if (arguments[i] == "LEVEL")
		return "level"
	if (arguments[i] == "WHEN")
		return "when"
	if (arguments[i] == "STREAM")
		return "stream"
	if (arguments[i] == "DIR")
		return "directory"
	return arguments[i] ~ /^(FILE|PATH|LOG|FROM=TO)$/ ? "file" : ""
}

# What a shell runs for "recorded": formats without quotes, and with a star for what is special in them; names of arguments.
function recorded(column) {
	return "timeout 2 binlog-show --no-pager --color=never -q -n 5000 --columns=\"" column "\" 2>/dev/null </dev/null |\n" \
		"\t\tcase " column " in\n" \
		"\t\tformat) sed -n 's/^\"\\(.*\\)\" *$/\\1/; /\\\\/s/\\\\.*/*/; /^-*$/!p' ;;\n" \
		"\t\targs) grep -oE '[A-Za-z_][A-Za-z0-9_]*\\(' | tr -d '(' ;;\n" \
		"\t\t*) sed -n 's/^ *//; s/ *$//; /^-*$/!p' ;;\n" \
		"\t\tesac | LC_ALL=C sort -u | head -n 500"
}

# Whether several may be given with commas between them.
function is_list(kind) {
	return kind == "column" || kind == "stream"
}

BEGIN {
	values["when"] = "auto always never"
	values["stream"] = "stdout stderr syslog file:"
	# Options that are about a column, or about what is named in one.
	n = split("pid tid thread coroutine format function caller module category", alike, " ")
	for (i = 1; i <= n; i++)
		columns[alike[i]] = alike[i]
	columns["file"] = "location"
	n = split("values histogram rcdf largest smallest", alike, " ")
	for (i = 1; i <= n; i++)
		columns[alike[i]] = "args"
}
/^STYLE\(/ { take_fields($0); add("style", field[1]); next }
/^COLUMN\(/ { take_fields($0); word = string(field[2]); sub(/^-/, "", word); add("column", word); next }
/^LEVEL\(/ { take_fields($0); add("level", field[1]); next }
/^WORD\(/ {
	take_fields($0)
	word = string(field[1]) != "" ? string(field[1]) : string(field[2])
	add("word", $0 ~ /WORD_VALUE/ ? word "=" : word)
	next
}
/^OPTION\(/ { add_option(take_fields($0)) }
END { finish(tool) }
