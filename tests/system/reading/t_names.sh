#!/bin/bash
# Words that are no paths: a program is the newest run of it, FILE:LINE what this line said.  Which lines those are the
# program itself says, by __LINE__; places for editors are compared with these, and read by vim.
. tests/support/lib.sh
cd "$TMP" || exit 1
ulimit -c 0
cat >app.c <<'END'
#include <stdio.h>
#include <stdlib.h>
#include <syslog.h>
int main(int argc, char **argv)
{
	int i;

	for (i = 0; i < atoi(argv[1]); i++)
		printf("turn %d of %s at line %d\n", i, argv[1], __LINE__);
	printf("over, at line %d\n", __LINE__);
	fprintf(stderr, "warning: at line %d\n", __LINE__);
	syslog(LOG_ERR, "at line %d", __LINE__);
	return 0;
}
END
mkdir bin work
$CC -g -O0 -w -o bin/one app.c && $CC -O0 -w -o bin/two app.c && ln -s one bin/linked || exit 1
cd work || exit 1
record() { LD_PRELOAD=$lib "$@" >/dev/null 2>"$TMP/errors"; }
show() { "$show" --no-pager -q "$@"; }
record ../bin/one 3
sleep 0.01
record ../bin/one 2
sleep 0.01
record ../bin/two 5
file=$(readlink -f ../app.c)
turn=$(grep -n 'turn %d' "$file" | cut -d : -f 1)
over=$(grep -n '"over' "$file" | cut -d : -f 1)

# ---- the name of a program ----
same "a program: its newest run" "$(BINLOG_DISABLE=1 ../bin/one 2 2>/dev/null)" "$(show --raw --stream=stdout one)"
same "another one" "$(../bin/two 5 2>/dev/null)" "$(show --raw --stream=stdout two)"
record ../bin/linked 4
same "what was started by a link has the name of the link" "$(../bin/one 4 2>/dev/null)" "$(show --raw --stream=stdout linked)"
same "and so in its lines" 7 "$(show linked | grep -c ' linked\[')"
rm binlog.data/linked-*
same "two of them" "$( (../bin/one 2; ../bin/two 5) 2>/dev/null | sort)" "$(show --raw --stream=stdout one two | sort)"
show thre >out 2>said
same "one that was not recorded: status" "2 0" "$? $(wc -c <out)"
same "and those that were are named" "1 1 1" "$(wc -l <said) $(grep -cw one said) $(grep -cw two said)"
show onne >out 2>said
same "the nearest one is" 1 "$(grep -c 'is it one?' said)"
echo text >two
show two >out 2>&1
same "a file of this name is read as a file" 1 "$(grep -c '^two: not read' out)"
rm two
mkdir two
record env BINLOG_DIR=two ../bin/two 1
same "and a directory as one" "$(../bin/two 1 2>/dev/null)" "$(show --raw --stream=stdout two)"
rm -r two
(cd .. && "$show" absent) >out 2>&1
same "where nothing was recorded a path is missing" 1 "$(grep -c '^absent: not opened: No such file' out)"

# ---- a line of source ----
record ../bin/one 4
same "FILE:LINE: what this line of the newest run said" "$(../bin/one 4 2>/dev/null | grep ^turn)" "$(show --raw app.c:$turn)"
same "as --file does" "$(show --file=app.c:$turn one)" "$(show app.c:$turn)"
same "its whole path" "$(../bin/one 4 2>/dev/null | grep ^over)" "$(show --raw "$file:$over")"
same "two lines" "$(../bin/one 4 2>/dev/null)" "$(show --raw app.c:$turn app.c:$over)"
same "of another path" "4 3 2" "$(show --raw binlog.data app.c:$turn | grep -c 'of 4') $(show --raw binlog.data app.c:$turn |
	grep -c 'of 3') $(show --raw app.c:$turn binlog.data | grep -c 'of 2')"
show app.c:0 >out 2>said
same "line 0 is none" "2 1" "$? $(grep -c 'app.c:0: no such line' said)"

# ---- places for editors ----
natively() { # as a compiler would say them
	../bin/one 4 2>&1 | sed -n "s#^\(turn\|over\)\(.*line \)\([0-9]*\)#$file:\3: \1\2\3#p; s#^warning: at line \([0-9]*\)#$file:\1: &#p"
	sed -n "/syslog(LOG/{=}" "$file" | sed "s|.*|$file:&: error: at line &|"
}
same "quickfix: each place, kind and text" "$(natively | sort)" "$(show -o quickfix one | sort)"
same "what has no line of source is left out" "" "$(show -o quickfix two)"
same "the newest first" "$(show -o quickfix one | tail -n 2 | tac)" "$(show -o quickfix -r -n 2 one)"
if type -P vim >/dev/null; then
	show -o quickfix one >places
	vim -N -u NONE -i NONE -es -q places -c 'call writefile([getqflist()[0].lnum, bufname(getqflist()[0].bufnr)], "seen")' -c 'qa!' </dev/null
	same "vim -q goes there" "$turn $file" "$(paste -sd ' ' seen)"
else
	skip "vim: it is not installed"
fi

# ---- links ----
on_terminal() { # VARIABLE=VALUE... -- OPTION...
	local -a set=()
	while [ "$1" != -- ]; do set+=("$1"); shift; done
	shift
	env -u VTE_VERSION -u KONSOLE_VERSION -u NO_COLOR "${set[@]}" script -qec "'$show' -q --no-pager $* one" /dev/null </dev/null | tr -d '\r'
}
link=$(printf '\033]8;;file://%s%s#%d\033\\' "$(uname -n)" "$file" "$over")
end=$(printf '\033]8;;\033\\')
links() { grep -cF "$link"; }
same "a place is a link to its line" 1 "$(on_terminal TERM=xterm-kitty -- -L | links)"
same "in stacks, too" 1 "$(on_terminal TERM=xterm VTE_VERSION=7000 -- -S --grep=over | links)"
same "which ends" "$(on_terminal TERM=xterm-kitty -- -S -L | grep -o 'file://' | wc -l)" \
	"$(on_terminal TERM=xterm-kitty -- -S -L | grep -oF "$end" | wc -l)"
same "and changes nothing else" "$(on_terminal TERM=xterm FORCE_HYPERLINK=0 -- -S -L)" \
	"$(on_terminal TERM=xterm FORCE_HYPERLINK=1 -- -S -L | sed 's/\x1b]8;;[^\x1b]*\x1b\\//g')"
same "not on terminals that are not known for it" 0 "$(on_terminal TERM=xterm -- -S -L | links)"
same "nor within tmux" 0 "$(on_terminal TERM=tmux-256color VTE_VERSION=7000 -- -S -L | links)"
same "nor without colours" 0 "$(on_terminal TERM=xterm-kitty NO_COLOR=1 -- -S -L | links)"
same "nor to a file" 0 "$(TERM=xterm-kitty FORCE_HYPERLINK=1 show -S -L --color=always one | links)"
mkdir "$TMP/a b" && sed 's/turn %d of %s/first\\n%d%s/' ../app.c >"$TMP/a b/x%.c" && $CC -g -w -o ../bin/three "$TMP/a b/x%.c" && record ../bin/three 1
same "what is special in a path is written as URIs have it" 1 \
	"$(env TERM=xterm-kitty script -qec "'$show' -q --no-pager -L three" /dev/null </dev/null | grep -cF "/a%20b/x%25.c#$over")"
same "further lines of a text begin where they would without links" \
	"$(env TERM=xterm script -qec "'$show' -q --no-pager -L -g first three" /dev/null </dev/null | sed -n 2p)" \
	"$(env TERM=xterm-kitty script -qec "'$show' -q --no-pager -L -g first three" /dev/null </dev/null | sed -n 2p)"
finish
