#!/bin/bash
# make install: into any prefix and directory of libraries, below DESTDIR; the tree works wherever it is moved to, and
# uninstall leaves nothing of it.  Nothing is built that was built.
. tests/lib.sh
if [ ! -e "$BUILD/man/binlog.7" ]; then
	skip "make install: not everything is built"
	finish
fi
# What is built is taken as it is: others may be at work in the tree.
make_it() { # TARGET [VARIABLE=VALUE...]
	make --no-print-directory -o all O="$BUILD" DESTDIR="$TMP/stage" "$@" >"$TMP/made" 2>&1
}
files() { (cd "$TMP/stage" && find . ! -type d -printf '%P\n' | sort); }
move() { # to another place, as a package manager does
	rm -rf "$TMP/moved"
	mv "$TMP/stage$1" "$TMP/moved"
	mkdir -p "$TMP/stage"
}
unset MAKEFLAGS MFLAGS MAKELEVEL
tools=$(cd "$BUILD" && ls -d binlog-*)
pages=$(ls man/*.[1-8] "$BUILD"/man/*.[1-8] | xargs -n 1 basename | sort)

for layout in "/usr/local lib" "/usr lib/x86_64-linux-gnu" "/opt/binlog lib64"; do
	read -r prefix libraries <<<"$layout"
	where=(PREFIX="$prefix" LIBDIR="$prefix/$libraries")
	[ "$layout" != "/usr/local lib" ] || where=()
	make_it install "${where[@]}"
	verdict $? "install: $prefix, $libraries" "$(tail -n 3 "$TMP/made")"
	same "the tools" "$tools" "$(files | sed -n "s|^${prefix#/}/bin/||p")"
	same "the pages" "$pages" "$(files | sed -n "s|^${prefix#/}/share/man/man[1-8]/||p" | sort)"
	same "the library, also where binlog-run looks for it" "$prefix/$libraries/libbinlog.so" \
		"$(cd "$TMP/stage" && realpath "./$prefix/lib/binlog/libbinlog.so" | sed "s|^$TMP/stage||")"
	files >"$TMP/before"
	make_it install "${where[@]}"
	same "twice is once" "$(cat "$TMP/before")" "$(files)"
	move "$prefix"
	(cd "$TMP" && rm -rf log && moved/bin/binlog-run -o log seq 3) >"$TMP/said" 2>&1
	same "moved into place: binlog-run finds the library, binlog-show and binlog-ctl each other" "1 2 3 seq" \
		"$("$TMP/moved/bin/binlog-show" --raw "$TMP/log" | paste -sd ' ') $("$TMP/moved/bin/binlog-ctl" list "$TMP/log" | grep -o '\bseq\b' | head -n 1)"
	(cd "$TMP" && rm -rf log && LD_LIBRARY_PATH=$TMP/moved/$libraries LD_PRELOAD=libbinlog.so BINLOG_DIR=log seq 3) >"$TMP/said" 2>&1
	same "and the loader by its name" "1 2 3" "$("$TMP/moved/bin/binlog-show" --raw "$TMP/log" | paste -sd ' ')"
	same "man finds its page" "$TMP/moved/share/man/man1/binlog-top.1" "$(man -M "$TMP/moved/share/man" -w binlog-top 2>&1)"
	mkdir -p "$TMP/stage$prefix"
	rmdir "$TMP/stage$prefix"
	mv "$TMP/moved" "$TMP/stage$prefix"
	make_it uninstall "${where[@]}"
	same "uninstall leaves nothing" "" "$(files)"
	rm -rf "$TMP/stage"
done

if [ "$(id -u)" = 0 ]; then
	make --no-print-directory -o all O="$BUILD" DESTDIR=/proc install >"$TMP/made" 2>&1
	verdict $(($? == 0)) "a place where nothing can be made is an error"
fi
# Unless somebody is at work there.
oldest=$(find "$BUILD/outside" "$BUILD/inside" -name '*.o' -printf '%T@ %p\n' | sort -n | head -n 1 | cut -d ' ' -f 2)
if [ -z "$(find Makefile decoder man record shim symbolizer tools wrappers -type f -newer "$oldest" -print -quit)" ]; then
	same "what was built is not built again" "" \
		"$(make --no-print-directory -n V=1 O="$BUILD" all 2>&1 | grep -oE -- '-o [^ ]*' | head -n 3)"
fi
finish
