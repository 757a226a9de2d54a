#!/bin/bash
# The manual: every tool has a page that names all of its options, every variable stands somewhere, what pages refer to is
# there, man(1) has no complaint, and the recipes of libbinlog(8) do what they say.
. tests/support/lib.sh
if [ ! -e "$BUILD/man/binlog.7" ]; then
	skip "the manual: it is not built"
	finish
fi
mkdir "$TMP/man"
cp man/*.[1-8] "$BUILD"/man/*.[1-8] "$TMP/man"
page() { echo "$TMP/man/$1"; }
plain() { mandoc -Tascii "$1" | col -b; }

# ---- their words ----
if type -P codespell >/dev/null; then
	same "codespell knows all words of the manual, of README.md and of its like" "" "$(codespell -L nd man ./*.md ./*/README ./*/*/README 2>&1)"
else
	skip "words: codespell is not installed"
fi

# ---- what stands in them ----
for tool in "$BUILD"/binlog-*; do
	name=$(basename "$tool")
	if [ ! -e "$(page "$name.1")" ]; then
		not_ok "$name has a page"
		continue
	fi
	for other in "$name.1" $(sed -n -E 's/^\.Xr (binlog-[a-z]+) (7).*/\1.\2/p' "$(page "$name.1")" | sort -u); do
		plain "$(page "$other")"
	done >"$TMP/plain" 2>&1
	same "$name(1), with the pages on subjects that it names, has each of its options" "" \
		"$({ "$tool" --help=all 2>/dev/null || "$tool" --help; } | grep -oE '^ +(-[A-Za-z], )?--[a-z-]+' | grep -oE -- '--[a-z-]+' | while read -r option; do
			grep -qE -- "$option\b" "$TMP/plain" || echo "$option"
		done)"
	same "$name(1) has all of its parts" "" \
		"$(for part in NAME SYNOPSIS DESCRIPTION 'EXIT STATUS' EXAMPLES 'SEE ALSO'; do
			grep -q "^\.Sh $part$" "$(page "$name.1")" || echo "$part"
		done)"
done
same "binlog-top(1) has all keys" "$("$BUILD/binlog-top" --help | sed '1,/^Keys:/d; /^$/,$d' | awk '{ sub(/,/, "", $1); print $1 }' | sort)" \
	"$(sed -n 's/^\.It Ic //p' "$(page binlog-top.1)" | tr -s ', ' '\n' | sort)"
before=$failed
failed=0
for file in "$TMP"/man/*; do
	name=$(basename "$file")
	grep -q '^\.Sh SEE ALSO' "$file" || not_ok "$name says what else there is"
	case $(lexgrog "$file" 2>&1) in
	*": \"${name%.*} - "*) ;;
	*) not_ok "apropos finds $name: $(lexgrog "$file" 2>&1)" ;;
	esac
	# That words do not fill a line of a narrow column is no fault of the page.
	complaint=$(LC_ALL=C.UTF-8 MANROFFSEQ='' man --warnings -E UTF-8 -l -Tutf8 -Z "$file" 2>&1 >/dev/null |
		grep -v ': cannot adjust line$')
	[ -z "$complaint" ] || not_ok "man has no complaint about $name" "$complaint"
done
good=$failed
verdict $good "each page is found by apropos, says what else there is, and is one that man has no complaint about"
failed=$((before | good))
same "mandoc has none, either" "" "$(mandoc -Tlint -Wwarning "$TMP"/man/* 2>&1)"
same "what pages of ours refer to is there" "" \
	"$(sed -n -E 's/^\.Xr ((lib)?binlog[^ ]*) ([0-9]).*/\1.\3/p' "$TMP"/man/* | sort -u | while read -r name; do
		[ -e "$(page "$name")" ] || echo "$name"
	done)"
same "every variable that is asked for stands somewhere" "" \
	"$({ grep -rhoE '"BINLOG_[A-Z_]+"' shim wrappers tools symbolizer && grep -rhoE 'getenv\("BINLOG_[A-Z_]+"' decoder; } |
		grep -o 'BINLOG_[A-Z_]*' | sort -u | while read -r name; do
		grep -qE "^\.(Ev|It Ev|Op Ev) .*$name\b" "$TMP"/man/* || echo "$name"
	done)"

# ---- examples ----
example() { # PAGE: its first one
	awk '/^\.Sh EXAMPLES/ { found = 1 } found && /^\.Ed/ { exit } found && !/^\./ { gsub(/\\e/, "\\"); sub(/^\$ /, ""); print }' "$(page "$1")"
}
{ echo '[rules]' && example binlog-rules.7; } >"$TMP/rules.conf"
"$BUILD/binlog-run" -o "$TMP/ruled" -c "$TMP/rules.conf" true 2>"$TMP/said"
same "the rules that are shown are rules" " 6" "$(grep -v 'no log statement matches' "$TMP/said") $(example binlog-rules.7 | wc -l)"
mkdir "$TMP/conf"
printf '#!/bin/sh\nseq 3\n' >"$TMP/conf/app"
chmod +x "$TMP/conf/app"
(cd "$TMP/conf" && PATH=$BUILD:$PATH sh -c "$(example binlog.conf.5 | grep -v '^[A-Z]')") >"$TMP/said" 2>&1
same "and the file that binlog.conf(5) makes is one" "0 level = err " "$? $(head -n 1 "$TMP/conf/quiet.conf") $(cat "$TMP/said")"

# ---- recipes ----
recipe() { # NAME: the lines of it
	awk -v name="$1" '$0 == ".\\\" recipe: " name { found = 1 } found && /^\.Ed/ { exit } found && !/^\./ { sub(/^\$ /, ""); print }' \
		"$(page libbinlog.8)"
}
export PATH=$BUILD:$PATH
units=$TMP/units
mkdir -p "$units/example.service.d"
printf '[Service]\nExecStart=/bin/true\n' >"$units/example.service"
{ recipe drop-in && recipe tee && recipe ring; } >"$units/example.service.d/binlog.conf"
if command -v systemd-analyze >/dev/null; then
	same "the drop-in for a service: nothing is wrong with it" " 0" \
		"$(systemd-analyze verify --man=no "$units/example.service" 2>&1) $?"
else
	skip "the drop-in for a service: there is no systemd-analyze"
fi
same "and what it sets are variables of ours" "" \
	"$(sed -n 's/^Environment=\(BINLOG_[A-Z]*\)=.*/\1/p' "$units/example.service.d/binlog.conf" | while read -r name; do
		grep -q "^\.It Ev $name" "$(page binlog.7)" || echo "$name"
	done)"

# A service's output is a socket: what is recorded is not written there, and with the recipe it is.
service() { # SETTING: what reaches the socket
	python3 -c '
import os, socket, subprocess, sys
ours, theirs = socket.socketpair()
subprocess.run(sys.argv[1:], stdout=theirs, check=True)
theirs.close()
print(ours.makefile().read(), end="")' env LD_PRELOAD="$lib" BINLOG_DIR="$TMP/journal$#" "$@" seq 2
}
same "a service says nothing to the journal" "" "$(service A=1)"
same "or both, by the recipe" "1 2" "$(service "$(recipe tee | sed 's/^Environment=//')" A=1 | paste -sd ' ')"

# A container is a root and processes of its own, with the library and the log mounted into it.
root=$TMP/box/root
mkdir -p "$root/proc" "$root/log" "$root/app"
contained() { # COMMAND...
	unshare -m -p -f sh -c 'mount -t proc proc "$0/proc" && exec chroot "$0" "$@"' "$root" "$@"
}
copy_in() { # FILE: and what it needs
	ldd "$1" | grep -oE '/[^ ]+' | while read -r file; do
		install -D "$file" "$root$file"
	done
	cp "$1" "$root/app"
}
printf '#include <stdio.h>\nvoid said_inside(void) { puts("inside"); }\nint main(void) { said_inside(); return 0; }\n' >"$TMP/inside.c"
$CC -g -O0 -o "$TMP/inside" "$TMP/inside.c" || exit 1
copy_in "$TMP/inside"
copy_in "$(command -v env)"
cp "$lib" "$root/binlog.so"
if [ "$(contained /app/inside 2>&1)" = inside ]; then
	contained /app/env LD_PRELOAD=/binlog.so BINLOG_DIR=/log /app/inside >"$TMP/real"
	mv "$root/log" "$TMP/box/log"
	(cd "$TMP/box" && sh -c "$(recipe sysroot)") >"$TMP/shown" 2>&1
	same "a container: read from outside, with names" "1 1" \
		"$(grep -c ': inside$' "$TMP/shown") $(grep -c 'said_inside at .*inside.c:2' "$TMP/shown")"
	# While it runs its root is below /proc.
	mv "$TMP/box/log" "$TMP/box/running"
	mkfifo "$root/ends"
	copy_in "$(command -v cat)"
	contained /app/cat /ends &
	until_true eval 'inside=$(pgrep -P "$(pgrep -P $!)") && grep -qx cat "/proc/$inside/comm"'
	rm -f "$TMP/inside"
	same "and while it runs, by its number" 1 \
		"$("$show" -q --stacks --sysroot="/proc/$inside/root" "$TMP/box/running" 2>&1 | grep -c 'said_inside at .*inside.c:2')"
	: >"$root/ends"
	wait $!
else
	skip "a container: they cannot be made here"
fi

# A run of tests fails, the log goes elsewhere, the programs are gone.
mkdir -p "$TMP/ci" "$TMP/home"
cat >"$TMP/ci/Makefile" <<'END'
check: test
	./test
test: test.c
	$(CC) -g -O0 -o $@ $<
END
printf '#include <stdio.h>\nint it_fails(void) { fprintf(stderr, "expected 1, got 2\\n"); return 1; }\nint main(void) { return it_fails(); }\n' >"$TMP/ci/test.c"
(
	cd "$TMP/ci" || exit 1
	sh -c "$(recipe ci | sed -n 1p)" >out 2>&1
	echo $? >status
	sh -c "$(recipe ci | sed 1d)" >>out 2>&1
	mv check.blog ../home
)
same "a run of tests: its status is that of the tests" "$(cd "$TMP/ci" && make check >/dev/null 2>&1; echo $?)" "$(cat "$TMP/ci/status")"
rm -rf "$TMP/ci"
(cd "$TMP/home" && sh -c "$(recipe home)") >"$TMP/shown" 2>&1
same "and at home there is what they said, with names, without the programs" "1 1" \
	"$(grep -c 'expected 1, got 2' "$TMP/shown") $(grep -c 'it_fails at .*test.c:2' "$TMP/shown")"
finish
