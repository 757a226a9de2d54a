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
	if (kind ~ /^recorded /)
		return "_binlog_show_" kind
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

# What binlog.data has: see options.awk.
function print_functions() {
	if (tool == "binlog-ctl") {
		print "_binlog_ctl_words() {"
		print "\tlocal capture"
		print "\tlocal -a running"
		print "\tfor capture in binlog.data/*-*-*-*.binlog(N:t); do"
		print "\t\tcapture=${${capture%-*-*}##*-}"
		print "\t\t[[ -d /proc/$capture ]] && running+=$capture"
		print "\tdone"
		print "\tcompadd \"$@\" -- " values["word"] " $running"
		print "}"
		return
	}
	print "_binlog_show_recorded() {"
	print "\tlocal column=${@[-1]}"
	print "\tlocal -a found=(${(f)\"$(" recorded("$column") ")\"})"
	print "\tcompadd -- $found"
	print "}"
	print "_binlog_show_paths() {"
	print "\tlocal -a programs=(binlog.data/*-*-*-*.binlog(N:t))"
	print "\tcompadd -- ${(u)programs%-*-*-*}"
	print "\t_files"
	print "}"
}

function finish(tool,    i) {
	print "#compdef " tool
	print "# zsh completion: made out of the tables of its options"
	if (tool == "binlog-show" || tool == "binlog-ctl")
		print_functions()
	print "_arguments -s -S \\"
	for (i = 1; i <= count; i++)
		print "\t" specification(i) " \\"
	if (tool == "binlog-ctl")
		print "\t'*:word:_binlog_ctl_words'"
	else if (tool == "binlog-run")
		print "\t'(-):command:_command_names -e' '*::arguments:_normal'"
	else
		print "\t'*:path:" (tool == "binlog-show" ? "_binlog_show_paths" : "_files") "'"
}
