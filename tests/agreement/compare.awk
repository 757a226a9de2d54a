# compare.awk ADDRESSES OURS LLVM ADDR2LINE: answers as frames.awk writes them,
# one line for each address in all four files.
#
# Prints "RULE<tab>ADDRESS<tab>TOOL<tab>OURS<tab>THEIRS" for each answer of a
# tool that is not ours.  RULE is a word of the list of explained differences,
# or "unexplained".
BEGIN { FS = "\n" }
FILENAME == ARGV[1] { address[FNR] = $0 }
FILENAME == ARGV[2] { ours[FNR] = $0 }
FILENAME == ARGV[3] { llvm[FNR] = $0 }
FILENAME == ARGV[4] { addr2line[FNR] = $0 }

# Into NAMES, FILES, LINES under [who, number from the outermost]; how many.
function take(who, text,    parts, count, i, place) {
	count = split(text, parts, "|")
	for (i = 1; i <= count; i++) {
		place = parts[count + 1 - i]
		sub(/^.* at /, "", place)
		name[who, i] = substr(parts[count + 1 - i], 1,
			length(parts[count + 1 - i]) - length(place) - 4)
		number[who, i] = place
		sub(/^.*:/, "", number[who, i])
		file[who, i] = substr(place, 1,
			length(place) - length(number[who, i]) - 1)
	}
	return count
}

# All places are the same, and all names but that of the outermost function.
function same_inside(a, b,    i) {
	if (depth[a] != depth[b])
		return 0
	for (i = 1; i <= depth[a]; i++)
		if (file[a, i] != file[b, i] || number[a, i] != number[b, i] ||
			(i > 1 && name[a, i] != name[b, i]))
			return 0
	return 1
}

# Names and lines are the same, and files but for that of the innermost place.
function same_but_file(a, b,    i) {
	if (depth[a] != depth[b])
		return 0
	for (i = 1; i <= depth[a]; i++)
		if (name[a, i] != name[b, i] || number[a, i] != number[b, i] ||
			(i < depth[a] && file[a, i] != file[b, i]))
			return 0
	return 1
}

# The other one says only the last part of the name of the function.
function short_name(a, b,    short) {
	short = name[b, 1]
	sub(/<.*/, "", short)
	sub(/^~/, "", short)
	if (short ~ /^operator/)
		return name[a, 1] ~ /^_Z/
	return index(name[a, 1], length(short) short)
}

# The other one names what is inlined after the function that it is in.
function same_but_inlined_name(a, b,    i) {
	if (depth[a] != depth[b] ||
		(name[a, 1] != name[b, 1] && !short_name(a, b)))
		return 0
	for (i = 1; i <= depth[a]; i++)
		if (file[a, i] != file[b, i] || number[a, i] != number[b, i] ||
			(i > 1 && name[a, i] != name[b, i] &&
				name[b, i] != name[a, 1]))
			return 0
	return 1
}

# a/a/b as a/b
function said_once(path,    k) {
	for (k = 1; 2 * k < length(path); k++)
		if (substr(path, k, 1) == "/" && substr(path, 1, k) == substr(path, k + 1, k))
			return substr(path, k + 1)
	return path
}

# With addr2line's files, which would be the other's if no directory were said twice.
function same_but_directory_twice(    i, as_llvm) {
	if (depth["ours"] != depth["addr2line"])
		return 0
	for (i = 1; i <= depth["ours"]; i++) {
		if (file["ours", i] != file["addr2line", i])
			return 0
		file["once", i] = said_once(file["ours", i])
		name["once", i] = name["ours", i]
		number["once", i] = number["ours", i]
	}
	depth["once"] = depth["ours"]
	return same_inside("once", "llvm")
}

function rule_for_llvm() {
	if (depth["llvm"] == 1 && number["llvm", 1] == "?" &&
		ours[i] == addr2line[i] && number["ours", 1] == "?")
		return "symbol-alone"
	if (same_inside("ours", "llvm") &&
		(name["ours", 1] == name["addr2line", 1] ||
			short_name("ours", "addr2line")))
		return "outermost-by-symbol"
	if (same_but_directory_twice())
		return "relative-directory"
	return "unexplained"
}

# The other tool has to agree, but for a name by symbol.
function rule_for_addr2line() {
	if (!same_inside("ours", "llvm") && !same_but_directory_twice())
		return "unexplained"
	if (same_but_file("ours", "addr2line"))
		return "file-of-first-rows"
	if (same_inside("ours", "addr2line") && short_name("ours", "addr2line"))
		return "outermost-by-short-name"
	if (same_but_inlined_name("ours", "addr2line"))
		return "inlined-without-linkage-name"
	if (depth["addr2line"] < depth["ours"] &&
		name["ours", 1] == name["addr2line", 1])
		return "ranges-by-index"
	return "unexplained"
}

function tell(rule, i, tool, theirs) {
	print rule "\t" address[i] "\t" tool "\t" ours[i] "\t" theirs
}

END {
	for (i = 1; i in address; i++) {
		depth["ours"] = take("ours", ours[i])
		depth["llvm"] = take("llvm", llvm[i])
		depth["addr2line"] = take("addr2line", addr2line[i])
		if (ours[i] != llvm[i])
			tell(rule_for_llvm(), i, "llvm-symbolizer", llvm[i])
		if (ours[i] != addr2line[i])
			tell(rule_for_addr2line(), i, "addr2line", addr2line[i])
	}
}
