#!/bin/bash
# make install: into any prefix and directory of libraries, below DESTDIR; the tree works wherever it is moved to, and
# uninstall leaves nothing of it.  Without DESTDIR it ends with a loader that knows the library.  Nothing is built that was
# built.
. tests/support/lib.sh
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
	same "uninstall leaves nothing" "" "$(find "$TMP/stage" -mindepth 1)"
	rm -rf "$TMP/stage"
done

if [ "$(id -u)" = 0 ]; then
	make --no-print-directory -o all O="$BUILD" DESTDIR=/proc install >"$TMP/made" 2>&1
	verdict $(($? == 0)) "a place where nothing can be made is an error"
fi

# ---- on the machine itself ----
# All that is written goes to a layer above its root directory, and can be looked at there.
cat >"$TMP/above" <<'END'
layer=$1 above=$1/root
mount -t tmpfs layer "$layer" && mkdir "$layer/up" "$layer/work" "$above" &&
	mount -t overlay -o "lowerdir=/,upperdir=$layer/up,workdir=$layer/work" layer "$above" || exit 77
for each in /proc /dev "$PWD" "$BUILD"; do
	mkdir -p "$above$each" && mount --rbind "$each" "$above$each" || exit 77
done
mkdir -p "$above$PWD/" "$above/tmp" && chmod 1777 "$above/tmp"
inside() { chroot "$above" env "$@"; }
make_it() { # TARGET [VARIABLE=VALUE...]: its last line
	inside make --no-print-directory -C "$PWD" -o all O="$BUILD" "$@" 2>&1 | tail -n 1
}
record() { # VALUE of LD_PRELOAD: what seq says
	rm -rf "$above/tmp/binlog-install"
	inside -i LD_PRELOAD="$1" BINLOG_DIR=/tmp/binlog-install seq 3 >/dev/null
	inside /usr/local/bin/binlog-show --raw /tmp/binlog-install 2>&1
	rm -rf "$above/tmp/binlog-install"
}
# What is there, but for directories that only stand above it, and files that only have other contents now.
new() {
	(cd "$layer/up" && find . -mindepth 1 -printf '%y %P\n' | sort -k 2) | while read -r type file; do
		[ "$type" != c ] && [ -e "/$file" ] || echo "$file"
	done
}
new >"$layer/before"
echo "apart: $(make_it install PREFIX=/opt/binlog-test)"
make_it uninstall PREFIX=/opt/binlog-test >"$layer/said"
echo "untouched: $(new | sort - "$layer/before" | uniq -u | xargs) $(find "$layer/up/etc" -type f 2>/dev/null)"
echo "root: $(make_it install)"
echo "named: $(record libbinlog.so | xargs)"
echo "twice: $(make_it install)"
echo "elsewhere: $(make_it install PREFIX=/opt/binlog-test)"
inside chown -R 65534 /opt/binlog-test
inside rm -rf /opt/binlog-test/lib/binlog
user() { inside setpriv --reuid=65534 --regid=65534 --clear-groups "$@"; }
if user test -r "$PWD/Makefile" && user test -r "$BUILD/libbinlog.so"; then
	echo "user: $(user make --no-print-directory -C "$PWD" -o all O="$BUILD" PREFIX=/opt/binlog-test install 2>&1 | tail -n 1)"
fi
echo "path: $(record /opt/binlog-test/lib/libbinlog.so | xargs)"
inside rm -rf /opt/binlog-test
# Empty ones of somebody else stay.
inside mkdir -p /opt/binlog-empty/bin
make_it install PREFIX=/opt/binlog-empty >"$layer/said"
make_it uninstall PREFIX=/opt/binlog-empty >"$layer/said"
echo "empty: $(cd "$above/opt/binlog-empty" && find . | xargs)"
inside rm -rf /opt/binlog-empty
# A build directory is not needed.
make_it uninstall O=/nowhere >"$layer/said"
echo "left: $(new | sort - "$layer/before" | uniq -u | xargs)"
echo "cached: $(inside sh -c 'PATH=$PATH:/sbin; ldconfig -p' | grep -c binlog)"
END
wanted='apart: installed: LD_PRELOAD=/opt/binlog-test/lib/libbinlog.so ./app (the loader does not look for libbinlog.so there)
untouched:
root: installed: LD_PRELOAD=libbinlog.so ./app
named: 1 2 3
twice: installed: LD_PRELOAD=libbinlog.so ./app
elsewhere: installed: LD_PRELOAD=/opt/binlog-test/lib/libbinlog.so ./app (the loader finds /usr/local/lib/libbinlog.so by its name)
user: installed: LD_PRELOAD=/opt/binlog-test/lib/libbinlog.so ./app (the loader finds /usr/local/lib/libbinlog.so by its name)
path: 1 2 3
empty: . ./bin
left:
cached: 0'
if [ "$(id -u)" != 0 ]; then
	skip "install on the machine itself: only root can put a layer above its root directory"
elif [ -n "$(find /usr/local/lib /usr/lib -name libbinlog.so -print -quit)" ]; then
	skip "install on the machine itself: binlog is installed here"
else
	mkdir "$TMP/layer"
	got=$(unshare --mount sh "$TMP/above" "$TMP/layer" 2>&1)
	status=$?
	grep -q ^user: <<<"$got" || wanted=$(grep -v ^user: <<<"$wanted")
	if [ $status = 77 ]; then
		skip "install on the machine itself: no layer can be put above its root directory"
	else
		same "on the machine itself: preloaded by its name, or else by its path; and it goes as it came" \
			"$wanted" "$(sed 's/ *$//' <<<"$got")"
	fi
fi

# Unless somebody is at work there.
oldest=$(find "$BUILD/outside" "$BUILD/inside" -name '*.o' -printf '%T@ %p\n' | sort -n | head -n 1 | cut -d ' ' -f 2)
if [ -z "$(find Makefile base decoder man record rules shim symbolizer tools wrappers -type f -newer "$oldest" -print -quit)" ]; then
	same "what was built is not built again" "" \
		"$(make --no-print-directory -n V=1 O="$BUILD" all 2>&1 | grep -oE -- '-o [^ ]*' | head -n 3)"
fi
finish
