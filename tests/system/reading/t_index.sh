#!/bin/bash
# binlog-show --index lists every statement that prints, as grep finds it in the source: with its line, function and
# texts; in what two compilers make of it, and in stripped programs of the system, whose calls objdump finds.
. tests/support/lib.sh
unpacked
source=$here/victims/statements.c

# What the source says: "line function text", a line for each text; `?` where there is none in the line.
wanted() {
	local calls='printf|fprintf|dprintf|vfprintf|puts|fputs|fwrite|write|putchar|putc|perror|warnx?|errx?|error'
	calls+='|error_at_line|syslog|wprintf|wrapper'
	awk -v calls="[^a-z_]($calls)[(]" '
		/^[a-z_].*[)]$/ { name = $0; sub(/[(][^(]*$/, "", name); sub(/.*[^a-z_]/, "", name) }
		/^static const char/ { split($0, part, "\""); text[/banner/ ? "banner" : "fixed"] = part[2]; next }
		/^\t/ && $0 ~ calls {
			rest = $0
			found = 0
			gsub(/\\"/, "\001", rest)
			if (rest ~ /putchar|putc/) sub(/\047/, "\"", rest) sub(/\047/, "\"", rest)
			for (v in text)
				if (rest ~ "[(]" v ",") rest = "\"" text[v] "\""
			while (match(rest, /"[^"]*"/)) {
				one = substr(rest, RSTART, RLENGTH)
				gsub(/\001/, "\\\"", one)
				print NR, name, one
				rest = substr(rest, RSTART + RLENGTH)
				found = 1
			}
			if (!found) print NR, name, "?"
		}' "$source" | sort -u
}
# The same of an index.  Compilers make puts("x") of printf("x\n"), which is undone where the source has no puts.
got() { # PROGRAM
	"$show" --index "$1" 2>&1 | awk -v puts="$(grep -n 'puts(' "$source" | cut -d : -f 1 | tr '\n' ' ')" '
		{
			split($1, place, ":")
			line = place[2]
			name = substr($2, 1, length($2) - 1)
			call = $4
			rest = $0
			sub(/^([^ ]* ){4}/, "", rest)
			n = split(rest, texts, / \| /)
			for (i = 1; i <= n; i++) {
				one = texts[i]
				gsub(/^_[(]|[)]$/, "", one)
				sub(/^L"/, "\"", one)
				if (call == "puts" && !index(" " puts, " " line " ")) sub(/"$/, "\\n\"", one)
				print line, name, one
			}
		}' | sort -u
}
check() { # CC OPTION...
	if ! "$@" -g -w -o "$TMP/program" "$source" 2>"$TMP/problem"; then
		not_ok "$* compiles the program" "$(cat "$TMP/problem")"
		return
	fi
	same "the index equals the source: $*" "$(wanted)" "$(got "$TMP/program")"
	addresses_and_texts "$TMP/program" >"$TMP/whole"
	"${STRIP:-strip}" "$TMP/program"
	addresses_and_texts "$TMP/program" >"$TMP/stripped"
	same_file "without symbols it has the same texts: $*" "$TMP/whole" "$TMP/stripped"
}
# "address text", without the names of the program's own functions.
addresses_and_texts() { # PROGRAM
	"$show" --index "$1" 2>&1 | awk '{
		n = split($3, address, ",")
		sub(/^([^ ]* ){4}/, "")
		for (i = 1; i <= n; i++) print address[i], $0
	}' | sort
}

check gcc -O0
check gcc -O2
check gcc -O2 -D_FORTIFY_SOURCE=2
check gcc -O3 -flto
check gcc -Os -no-pie
check gcc -O2 -fno-plt
check gcc -O0 -no-pie
check gcc -O2 -fcf-protection=full -fomit-frame-pointer
if command -v clang >/dev/null; then
	check clang -O0
	check clang -O2
	check clang -Os -no-pie
	check clang -O3 -fno-plt
else
	skip "the index of what clang makes: there is no clang"
fi
cross=aarch64-linux-gnu
if ! is_long; then
	: # it takes a compiler for another processor
elif echo 'int main(void) { return 0; }' | $cross-gcc -x c -o "$TMP/program" - 2>/dev/null; then
	export STRIP=$cross-strip
	check $cross-gcc -O0
	check $cross-gcc -O2
	check $cross-gcc -O3 -no-pie
	unset STRIP
else
	skip "the index of a program for aarch64: there is no $cross-gcc (packages gcc-$cross, libc6-dev-arm64-cross)"
fi

# ---- statements behind functions that format into memory, as t_statements.sh has them ----
# Not those that are handed on through a pointer to a function, or into memory that another function prints.
behind=$here/victims/handed_statements.c
grep -nE '/\*[!?2f]' "$behind" | grep -vE '[^a-z](call|make)[(]' | cut -d : -f 1 >"$TMP/behind"
check_behind() { # CC OPTION...
	if ! "$@" -std=gnu11 -D_GNU_SOURCE -w -g -o "$TMP/program" "$behind" 2>"$TMP/problem"; then
		not_ok "$* compiles statements behind functions" "$(cat "$TMP/problem")"
		return
	fi
	"$show" --index "$TMP/program" >"$TMP/index"
	sed -nE 's/^[^ ]*handed_statements\.c:([0-9]+): .*"$|^[^ ]*handed_statements\.c:([0-9]+): .*"\)$/\1\2/p' "$TMP/index" | sort -un >"$TMP/lines"
	same "the index has all statements behind functions: $*" "" "$(sort -u "$TMP/behind" | comm -23 - <(sort "$TMP/lines"))"
	same "and no other text than what is printed there: $*" "" "$(sort "$TMP/lines" | comm -13 <(sort "$TMP/behind") - |
		while read -r line; do sed -n "${line}p" "$behind"; done | grep -vE 'printf[(]|plain[(]|print[(]1, "%s"')"
	addresses_and_texts "$TMP/program" >"$TMP/whole"
	"${STRIP:-strip}" "$TMP/program"
	addresses_and_texts "$TMP/program" >"$TMP/stripped"
	same_file "stripped it has the same: $*" "$TMP/whole" "$TMP/stripped"
}
for level in 0 1 2 3 s; do
	check_behind gcc -O$level
done
check_behind gcc -O2 -D_FORTIFY_SOURCE=2
check_behind gcc -O2 -no-pie -fno-pie
[ -z "$(command -v clang)" ] || check_behind clang -O2
if is_long && command -v $cross-gcc >/dev/null; then
	export STRIP=$cross-strip
	check_behind $cross-gcc -O2
	unset STRIP
fi

# ---- stripped programs of the system ----
printers=$(sed -n 's/^PRINTER(\([^,]*\), \(TEXT\|WIDE\|BYTES\|CHARACTER\|WIDE_CHARACTER\),.*/\1/p' symbolizer/code/printers.def | paste -sd '|')
for program in ls find bash memcached; do
	path=$(realpath "$(command -v $program)")
	objdump -d --no-show-raw-insn "$path" |
		sed -nE "s/^ *([0-9a-f]+):\t(call|jmp|j[a-z]+) .*<($printers)@plt>.*/0x\1/p" | sort >"$TMP/wanted"
	"$show" --index "$path" | awk -v printers="^($printers)\$" '$4 ~ printers { print $3 }' | sort >"$TMP/got"
	same_file "the index has the $(wc -l <"$TMP/wanted") calls that objdump shows in $program" "$TMP/wanted" "$TMP/got"
done

export BINLOG_DIR=$TMP/captures PYTHONDONTWRITEBYTECODE=1
run() { # COMMAND...
	LD_PRELOAD=$lib timeout 20 "$@" >"$TMP/output" 2>&1 </dev/null
}
run ls --help
run ls -l --hyperlink / /nonexistent
run ls --dired -lZ --time-style=full-iso /
run find --help
run find /etc/apt -ls
run find -nosuch
run find -D tree /etc/apt -name x -size +1
run bash --help
run bash -c 'help; help -d; help -s cd; type -a ls; trap "echo x" EXIT; trap -p; alias a=b; alias; hash ls; hash
	printf "%d\n" 3; ulimit -a; umask -S; times; shopt; set -o; set +o; bind -l; dirs -v; cd /nonexistent; nosuchcommand
	export -p; enable -a; kill -l; test 1 -eq; let 1/0; echo ${x?bad}'
run memcached -h
run memcached -o help -u nosuchuser
for program in ls find bash memcached; do
	path=$(realpath "$(command -v $program)")
	# coreutils since 9.5 have an error() of their own in themselves; what is handed to that as an argument is not known to
	# be a format.
	direct=
	[ $program != ls ] || nm -D --undefined-only "$path" | grep -qw error || direct=direct
	python3 "$here/support/captured_formats.py" "$show" "$path" "$BINLOG_DIR" $direct >"$TMP/counts"
	read -r used found <"$TMP/counts"
	[ "$used" -gt 0 ] && [ $((found * 100)) -ge $((used * 98)) ]
	verdict $? "the index has $found of the $used formats that runs of $program used" "$(sed 1d "$TMP/counts")"
done

# ---- with captures: how often each has made a message, as gcov counts lines ----
mkdir -p "$TMP/counted"
(cd "$TMP/counted" && gcc -w -O0 -g --coverage -o program "$source" && ./program >/dev/null 2>&1 </dev/null &&
	gcov -t program-statements.gcda 2>/dev/null >gcov)
gcc -w -O0 -g -o "$TMP/program" "$source"
BINLOG_DIR=$TMP/counts.binlogs run "$TMP/program"
"$show" --index "$TMP/program" "$TMP/counts.binlogs" >"$TMP/index" 2>"$TMP/sum"
# Wide text is not printed to a stream of bytes, and error() is inline in a header, so their lines are left out.
grep -vE 'wprintf|error' "$TMP/index" | awk '{ split($2, place, ":"); print place[2], $1 }' | sort -n >"$TMP/got"
awk -F : 'NR == FNR { wanted[$1] = 1; next } $3 == "Source" { ours = /statements/ } ours && ($2 + 0) in wanted {
		sub(/[*]/, "", $1); print $2 + 0, ($1 ~ /#/ ? 0 : $1 + 0) }' \
	<(cut -d ' ' -f 1 "$TMP/got") "$TMP/counted/gcov" >"$TMP/wanted"
same_file "messages are counted by statement as gcov counts lines" "$TMP/wanted" "$TMP/got"
same "the sum of it is shown" \
	"$(awk '{ n += $1 > 0 } END { print n " of " NR " statements have made messages, of 0 it is not known" }' "$TMP/index")" \
	"$(cat "$TMP/sum")"
cp "$TMP/program" "$TMP/kept"
gcc -w -O1 -g -o "$TMP/program" "$source"
"$show" --index "$TMP/program" "$TMP/counts.binlogs" >"$TMP/index" 2>"$TMP/sum"
grep -qF "$TMP/program: not the file that was recorded" "$TMP/sum" && ! grep -q '^ *[1-9]' "$TMP/index"
verdict $? "messages of another build are not counted, and that is said" "$(cat "$TMP/sum")"

# ---- the table of functions ----
# "name N" for each function that takes a format as its argument N
awk '/^[A-Z_]+\(/ { row = "" } { row = row " " $0 }
	/\)$/ && row ~ /^ (PLAIN|VARIADIC|QUICK)/ && match(row, /\([^()]*\*format[^()]*\)/) {
		n = split(substr(row, RSTART, RLENGTH), parameters, ",")
		split(substr(row, index(row, "(") + 1), part, /, */)
		name = row ~ /^ [A-Z_]*_VOID/ ? part[1] : part[2]
		for (i = 1; i <= n; i++) if (parameters[i] ~ /\*format/) print name, i - 1
		row = ""
	}' wrappers/functions.def | sort >"$TMP/wanted"
sed -n 's/^PRINTER(\([^,]*\), [A-Z]*, [a-z]*, \([0-9]\),.*/\1 \2/p' symbolizer/code/printers.def | sort >"$TMP/got"
same "printers.def has all functions of functions.def that take a format ($(wc -l <"$TMP/wanted"))" "" \
	"$(comm -23 "$TMP/wanted" "$TMP/got")"

"$show" --index "$source" "$TMP/program" >"$TMP/output" 2>"$TMP/problem"
[ $? -eq 1 ] && grep -q '^/.*statements.c: no list of statements: not an ELF file: ' "$TMP/problem" && [ -s "$TMP/output" ]
verdict $? "what is not a program is named, the others are listed" "$(cat "$TMP/problem")"
"$show" --index "$source" 2>"$TMP/problem"
[ $? -eq 2 ]
verdict $? "nothing to list is a failure"
finish
