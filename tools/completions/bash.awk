# The completion of one tool for bash: see options.awk, which is read before this.

# Of a pattern of `case`.
function spelled(i) {
	return (letters[i] == "" ? "" : "-" letters[i] "|") "--" names[i]
}

function complete_with(kind) {
	if (kind == "file")
		return "return"
	if (kind == "directory")
		return "COMPREPLY=($(compgen -d -- \"$word\")); return"
	if (kind ~ /^recorded /)
		return "_binlog_show_" kind " \"$word\"; return"
	if (kind == "")
		return "compopt +o default 2>/dev/null; return"
	if (is_list(kind))
		return "list=${word%\"${word##*,}\"}; COMPREPLY=($(compgen -P \"$list\" -W \"" values[kind] \
			"\" -- \"${word##*,}\")); return"
	return "COMPREPLY=($(compgen -W \"" values[kind] "\" -- \"$word\")); return"
}

# COLUMN WORD: what calls in binlog.data have there; it does not take long, or is given up.
function print_recorded() {
	print "_binlog_show_recorded()"
	print "{"
	print "\tlocal line"
	print "\twhile IFS= read -r line; do"
	print "\t\t[[ $line != \"$2\"* ]] || COMPREPLY+=(\"$(printf %q \"$line\")\")"
	print "\tdone < <(" recorded("$1") ")"
	print "}"
}

# Programs whose captures are there, or numbers of such processes that run.
function print_captures(function_name) {
	print "_" function_name "_captures()"
	print "{"
	print "\tlocal file"
	print "\tfor file in binlog.data/*-*-*-*.binlog; do"
	print "\t\t[ -e \"$file\" ] || continue"
	print "\t\tfile=${file##*/}"
	if (function_name == "binlog_ctl")
		print "\t\tfile=${file%-*-*}; file=${file##*-}; [ ! -d \"/proc/$file\" ] || echo \"$file\""
	else
		print "\t\techo \"${file%-*-*-*}\""
	print "\tdone"
	print "}"
}

function finish(tool,    i, long, function_name) {
	function_name = tool
	gsub(/-/, "_", function_name)
	print "# bash completion of " tool ": made out of the tables of its options"
	if (tool == "binlog-show")
		print_recorded()
	if (tool == "binlog-show" || tool == "binlog-ctl")
		print_captures(function_name)
	print "_" function_name "()"
	print "{"
	print "\tlocal word=${COMP_WORDS[COMP_CWORD]} option= list="
	print "\t[ \"$COMP_CWORD\" -gt 0 ] && option=${COMP_WORDS[COMP_CWORD-1]}"
	print "\t[ \"$word\" = = ] && word="
	print "\t[ \"$option\" = = ] && [ \"$COMP_CWORD\" -gt 1 ] && option=${COMP_WORDS[COMP_CWORD-2]}"
	print "\tCOMPREPLY=()"
	print "\tcase $option in"
	for (i = 1; i <= count; i++)
		if (arguments[i] != "")
			print "\t" spelled(i) ") " complete_with(kind_of(i)) " ;;"
	print "\tesac"
	print "\tcase $word in"
	for (i = 1; i <= count; i++)
		long = long (i == 1 ? "" : " ") "--" names[i] (arguments[i] == "" ? "" : "=")
	print "\t-*)"
	print "\t\tCOMPREPLY=($(compgen -W \"" long "\" -- \"$word\"))"
	print "\t\t[[ ${COMPREPLY[*]} != *= ]] || compopt -o nospace 2>/dev/null"
	print "\t\t;;"
	if (tool == "binlog-ctl")
		print "\t*) COMPREPLY=($(compgen -W \"" values["word"] " $(_binlog_ctl_captures)\" -- \"$word\")) ;;"
	if (tool == "binlog-show")
		print "\t*) COMPREPLY=($(compgen -W \"$(_binlog_show_captures)\" -- \"$word\") $(compgen -f -- \"$word\")) ;;"
	if (tool == "binlog-run")
		print "\t*) COMPREPLY=($(compgen -c -- \"$word\")) ;;"
	print "\tesac"
	print "}"
	print "complete -o default -F _" function_name " " tool
}
