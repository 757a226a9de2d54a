# Reads rules/rule_words.def, rules/levels.def, rules/secret_words.def and rules/config_keys.def and then a page with
# some of the lines in @...@ below; writes the page with the lists in their places.

# The Nth of the texts in quotes.
function quoted(line, n) {
	split(line, part, "\"")
	return part[2 * n]
}
function word(line) {
	match(line, /\([a-z_]+/)
	return substr(line, RSTART + 1, RLENGTH - 1)
}
function item(name, value) {
	return ".It Cm " name (value == "" ? "" : " Ar " value) "\n"
}

/^CONDITION\(/ { conditions = conditions item(word($0), quoted($0, 1)) quoted($0, 2) ".\n" }
/^ACTION\(untee/ { actions = actions item("-tee", "") quoted($0, 2) ".\n"; next }
/^ACTION\(/ { actions = actions item(word($0), quoted($0, 1)) quoted($0, 2) ".\n" }
/^LEVEL\(/ {
	split(substr($0, index($0, "(") + 1), part, /, */)
	levels = levels ".It Cm " part[1] " (" part[2] + 0 ")\n" quoted($0, 1) ".\n"
}
/^LEVEL_ALIAS\(/ { aliases = aliases (aliases == "" ? "" : " ,\n") ".Cm " word($0) }
/^SECRET\(/ {
	kind = /SPACE/ ? "space" : /VALUE/ ? "value" : "equals"
	secrets[kind] = secrets[kind] (secrets[kind] == "" ? "" : " ,\n") ".Ql " quoted($0, 1)
	if (/COPIES/)
		copies = copies (copies == "" ? "" : " ,\n") ".Ql " quoted($0, 1)
	if (/ANY/)
		numbers = numbers (numbers == "" ? "" : " ,\n") ".Ql " quoted($0, 1)
}
/^CONFIG_KEY\(/ { settings = settings item(word($0), "= " quoted($0, 1)) quoted($0, 2) ".\n" }
FILENAME ~ /\.def$/ { next }
/^@CONDITIONS@$/ { printf "%s", conditions; next }
/^@ACTIONS@$/ { printf "%s", actions; next }
/^@LEVELS@$/ { printf "%s", levels; next }
/^@ALIASES@$/ { print aliases " ."; next }
/^@SECRETS space@$/ { print secrets["space"] " ."; next }
/^@SECRETS value@$/ { print secrets["value"] " ."; next }
/^@SECRETS equals@$/ { print secrets["equals"] " ."; next }
/^@SECRETS copies@$/ { print copies " ."; next }
/^@NUMBERS@$/ { print numbers " ."; next }
/^@SETTINGS@$/ { printf "%s", settings; next }
{ print }
