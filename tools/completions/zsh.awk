# The completion of one tool for zsh: see options.awk, which is read before this.

# Between single quotes, in brackets or behind a colon of _arguments.
function safe(text) {
	gsub(/\\/, "\\\\", text)
	gsub(/\[|\]|:/, "\\\\&", text)
	gsub(/'/, "'\\''", text)
	return text
}

function action(kind) {
	if (kind == "file")
		return "_files"
	if (kind == "directory")
		return "_files -/"
	if (kind == "")
		return " "
	if (is_list(kind))
		return "_values -s , " kind " " safe(values[kind])
	return "(" safe(values[kind]) ")"
}

function specification(i,    behind, help) {
	help = "[" safe(helps[i]) "]"
	if (arguments[i] != "")
		behind = ":" safe(arguments[i]) ":" action(kind_of(i))
	if (letters[i] == "")
		return "'*--" names[i] (arguments[i] == "" ? "" : "=") help behind "'"
	return "'*'{-" letters[i] (arguments[i] == "" ? "" : "+") ",--" names[i] (arguments[i] == "" ? "" : "=") "}'" \
		help behind "'"
}

function finish(tool,    i) {
	print "#compdef " tool
	print "# zsh completion: made out of the tables of its options"
	print "_arguments -s -S \\"
	for (i = 1; i <= count; i++)
		print "\t" specification(i) " \\"
	if (tool == "binlog-ctl")
		print "\t'*:word:(" safe(values["word"]) ")'"
	else if (tool == "binlog-run")
		print "\t'(-):command:_command_names -e' '*::arguments:_normal'"
	else
		print "\t'*:path:_files'"
}
