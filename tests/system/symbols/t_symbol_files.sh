#!/bin/bash
# Where files with symbols are looked for: recorded paths on another machine, trees of build-ids, debug files that are
# named by others, debuginfod.  The oracle is addr2line, asked about the file where it was built.
. tests/support/lib.sh
export BINLOG_CACHE= # answers of an earlier run would prove nothing
TMP=$(realpath "$TMP")
symbolize=$BUILD/binlog-symbolize
nest=$here/nest
empty=$TMP/empty
was=$TMP/was/bin # where the program was when it was recorded; there is nothing now
mkdir -p "$empty" "$was"
unset DEBUGINFOD_URLS

program=$TMP/built
gcc -g -O2 -Wl,--build-id=sha1 -o "$program" "$nest/nest.c" "$nest/other.c" || exit 1
objdump -d -j .text "$program" | sed -n 's/^ *\([0-9a-f]*\):\t.*/\1/p' | awk 'NR % 5 == 1' >"$TMP/list"
# Asked twice, since its first answer about a function may be that of the symbol table.
sed p "$TMP/list" | addr2line -aipfe "$program" | awk '/^0x[0-9a-f]+: / { keep = seen[$1]++ } keep' |
	sed -E 's/^0x[0-9a-f]+: //; s/ \(discriminator [0-9]+\)//; s/^\?\? \?\?:0$/?? at ??:?/; s/ at :\?$/ at ??:?/' >"$TMP/want"
id=$(readelf -n "$program" | sed -n 's/.*Build ID: *//p')
in_tree=.build-id/${id:0:2}/${id:2}
objcopy --only-keep-debug "$program" "$TMP/program.debug"
(cd "$TMP" && objcopy --strip-all --add-gnu-debuglink=program.debug built stripped)

ask() { # MODULE [OPTION...]
	sed "s|^|$1+0x|" "$TMP/list" | "$symbolize" "${@:2}" >"$TMP/got" 2>"$TMP/complaint"
}
found() { # SENTENCE MODULE [OPTION...]: all its names and lines are
	ask "${@:2}"
	same_file "$1" "$TMP/want" "$TMP/got"
}
not_found() { # SENTENCE WORDS MODULE [OPTION...]: there is no line, and standard error has the words
	ask "${@:3}"
	verdict "$(! grep -q ':[0-9]' "$TMP/got" && grep -qE "$2" "$TMP/complaint"; echo $?)" "$1" \
		"$(head -n 3 "$TMP/complaint" "$TMP/got")"
}

path_maps() {
	mkdir -p "$TMP/now/bin" "$TMP/wrong"
	cp "$program" "$TMP/now/bin/program"
	cp /bin/true "$TMP/wrong/program"
	not_found "without an option nothing is found" 'no such file' "$was/program"
	found "--path-map leads to where the files are now" "$was/program" --path-map="$TMP/was=$TMP/now"
	found "of two maps the one that replaces most wins" "$was/program" \
		--path-map="$TMP/was=$TMP/nowhere" --path-map="$was=$TMP/now/bin" --path-map="$TMP=$TMP/nowhere"
	found "a map may end in a slash" "$was/program" --path-map="$TMP/was/=$TMP/now/"
	found "a map may be of one file" "$was/program" --path-map="$was/program=$program"
	not_found "a map replaces whole names only" 'no such file' "$was/program" --path-map="$TMP/wa=$TMP/now"
	"$symbolize" --path-map="$TMP" </dev/null 2>"$TMP/complaint"
	verdict "$([ $? -eq 2 ] && grep -q 'not FROM=TO' "$TMP/complaint"; echo $?)" "a map without = is a sentence"
	"$show" --path-map==x "$TMP" >"$TMP/got" 2>"$TMP/complaint"
	verdict "$([ $? -eq 2 ] && grep -q 'not FROM=TO' "$TMP/complaint"; echo $?)" "for binlog-show as well"
	found "a map leaves other paths alone" "$program" --path-map="$TMP/was=$TMP/nowhere"
	mkdir -p "$TMP/now/bin/.debug" && cp "$TMP/program.debug" "$TMP/now/bin/.debug"
	cp "$TMP/stripped" "$TMP/now/bin/stripped"
	found "a debug file is looked for where the map leads" "$was/stripped" --path-map="$TMP/was=$TMP/now" -d "$empty"
}

# Two names of one directory, of which the debug directory may have either.
links() {
	mkdir -p "$TMP/really" "$TMP/far$TMP/really" "$TMP/far$TMP/linked"
	ln -s "$TMP/really" "$TMP/linked"
	cp "$TMP/stripped" "$TMP/really"
	cp "$TMP/program.debug" "$TMP/far$TMP/really"
	found "a debug directory has the path without links" "$TMP/linked/stripped" -d "$TMP/far"
	mv "$TMP/far$TMP/really/program.debug" "$TMP/far$TMP/linked"
	found "or the path that was recorded" "$TMP/linked/stripped" -d "$TMP/far"
}

sysroot() {
	local root=$TMP/root
	mkdir -p "$root$was" "$root/opt" "$root/usr/lib/debug$was" "$root/usr/lib/debug/$(dirname "$in_tree")"
	if ! "$symbolize" --sysroot="$TMP" <<<"/built+0x$(head -n 1 "$TMP/list")" 2>&1 | grep -q ' at '; then
		skip "--sysroot: the kernel has no openat2()"
		return
	fi
	cp "$program" "$root/opt/program"
	ln -s /opt/program "$root$was/linked"
	ln -s "$program" "$root$was/leaves"
	ln -s ../../../../../../../../../../../../..$program "$root$was/climbs"
	found "--sysroot is where / was" /opt/program --sysroot="$root"
	found "an absolute link below it stays below it" "$was/linked" --sysroot="$root"
	not_found "a link does not lead out of it" 'no such file' "$was/leaves" --sysroot="$root"
	not_found "nor do dots" 'no such file' "$was/climbs" --sysroot="$root"
	not_found "files outside are not taken instead" 'no such file' "$program" --sysroot="$root"
	found "a map is stronger" "$was/program" --sysroot="$root" --path-map="$was/program=$program"
	cp "$TMP/stripped" "$root$was/stripped"
	cp "$TMP/program.debug" "$root/usr/lib/debug$was/program.debug"
	found "debug directories are looked for below it too" "$was/stripped" --sysroot="$root"
	rm "$root/usr/lib/debug$was/program.debug"
	cp "$TMP/program.debug" "$root/usr/lib/debug/$in_tree.debug"
	found "and so are trees of build-ids" "$was/stripped" --sysroot="$root"
	found "for a build-id alone as well" "$id" --sysroot="$root"
}

build_ids() {
	mkdir -p "$TMP/tree/$(dirname "$in_tree")"
	cp "$program" "$TMP/tree/$in_tree"
	found "a program is found by its build-id" "$id" -d "$TMP/tree"
	cp "$TMP/stripped" "$TMP/tree/$in_tree"
	cp "$TMP/program.debug" "$TMP/tree/$in_tree.debug"
	found "a stripped program and its debug file are found by the build-id" "$id" -d "$TMP/tree"
	cp /bin/true "$TMP/tree/$in_tree"
	cp /bin/true "$TMP/tree/$in_tree.debug"
	not_found "what has another build-id is not taken" 'no debug file with this build-id' "$id" -d "$TMP/tree"
}

# What was recorded is replaced by a program that only looks alike.
frame_of() { # [OPTION...]: the innermost one of its message
	"$show" --stacks "$@" "$TMP/capture" 2>"$TMP/complaint" | sed -n 's/^ *#0 //p'
}
replaced() { # KIND WORDS [LINKER OPTION...]
	local say=$TMP/say
	printf '#include <stdio.h>\nint main(void)\n{\n\treturn printf(TEXT "%%d\\n", NUMBER) < 0;\n}\n' >"$say.c"
	gcc -g -DNUMBER=1 '-DTEXT="one "' "${@:3}" -o "$say" "$say.c" &&
		gcc -g -DNUMBER=${other:-2} "-DTEXT=\"${text:-one }\"" "${@:3}" -o "$say.other" "$say.c" || exit 1
	rm -rf "$TMP/capture"
	LD_PRELOAD=$lib BINLOG_DIR=$TMP/capture "$say" || exit 1
	same "$1: what was recorded is used" "main at $say.c:4" "$(frame_of)"
	verdict "$(grep -vq ' captured, ' "$TMP/complaint"; echo $((! $?)))" "$1: and there is nothing to say" "$(cat "$TMP/complaint")"
	cp "$say" "$TMP/right"
	mv "$say.other" "$say"
	verdict "$(frame_of | grep -q '^say+0x'; echo $?)" "$1: another file in its place is not" "$(frame_of)"
	same "$1: which is said once, with its name" 1 "$(grep -c "^$say: not the file that was recorded: $2.*--force" "$TMP/complaint")"
	same "$1: --force uses it" "main at $say.c:4" "$(frame_of --force)"
	verdict "$(grep -q 'not the file' "$TMP/complaint"; echo $((! $?)))" "$1: and has nothing to say" "$(cat "$TMP/complaint")"
}
recorded_files() {
	local id
	replaced "by size and content" "the hash of its code" -Wl,--build-id=none
	# The same code: a format has other words.
	other=1 text='two ' replaced "by its constants" "the hash of its code" -Wl,--build-id=none
	replaced "by build-id" "its build-id" -Wl,--build-id=sha1
	id=$(readelf -n "$TMP/right" | sed -n 's/.*Build ID: *//p')
	mkdir -p "$TMP/archive/.build-id/${id:0:2}"
	cp "$TMP/right" "$TMP/archive/.build-id/${id:0:2}/${id:2}"
	same "the right file in a debug directory is used instead" "main at $TMP/say.c:4" "$(frame_of --debug-dir="$TMP/archive")"
	mkdir -p "$TMP/image$TMP"
	cp "$TMP/right" "$TMP/image$TMP/say"
	same "so is one below a sysroot" "main at $TMP/say.c:4" "$(frame_of --sysroot="$TMP/image")"
	same "and one that a map leads to" "main at $TMP/say.c:4" "$(frame_of --path-map="$TMP/say=$TMP/right")"
	rm "$TMP/say"
	verdict "$(frame_of | grep -q '^say+0x' && grep -q "^$TMP/say: no names: no such file" "$TMP/complaint"; echo $?)" \
		"a missing file is named" "$(cat "$TMP/complaint")"
}

# A library that was opened by a path from the directory that the program was in.
relative_path() {
	local plugin=$TMP/plugin
	mkdir -p "$plugin"
	printf '#include <stdio.h>\nvoid speak(void)\n{\n\tprintf("plugin\\n");\n}\n' >"$plugin/speak.c"
	printf '#include <dlfcn.h>\nint main(void)\n{\n\t((void (*)(void))dlsym(dlopen("./speak.so", RTLD_NOW), "speak"))();\n\treturn 0;\n}\n' \
		>"$plugin/load.c"
	gcc -g -fPIC -shared -o "$plugin/speak.so" "$plugin/speak.c" && gcc -w -o "$plugin/load" "$plugin/load.c" || exit 1
	rm -rf "$TMP/capture"
	(cd "$plugin" && LD_PRELOAD=$lib BINLOG_DIR=$TMP/capture ./load) || exit 1
	same "a library that was opened by a relative path is found from elsewhere" "speak at $plugin/speak.c:4" "$(frame_of)"
}

# A server that knows one debug file, and notes what it is asked for.
serve() {
	python3 -u - "$TMP/served" "$TMP/port" 2>"$TMP/asked" <<'PYTHON' &
import http.server, os, sys
os.chdir(sys.argv[1])
server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), http.server.SimpleHTTPRequestHandler)
open(sys.argv[2] + ".new", "w").write(str(server.server_port))
os.rename(sys.argv[2] + ".new", sys.argv[2])
server.serve_forever()
PYTHON
	server=$!
	trap 'kill $server' EXIT
	until_true test -e "$TMP/port"
}
debuginfod() {
	local alone=$TMP/alone/program
	if ! ldconfig -p | grep -q 'libdebuginfod\.so\.1 ' || ! command -v python3 >/dev/null; then
		skip "--debuginfod: there is no libdebuginfod.so.1 or no python3"
		return
	fi
	mkdir -p "$TMP/served/buildid/$id"
	cp "$TMP/program.debug" "$TMP/served/buildid/$id/debuginfo"
	serve
	export DEBUGINFOD_URLS DEBUGINFOD_CACHE_PATH=$TMP/cache
	DEBUGINFOD_URLS=http://127.0.0.1:$(cat "$TMP/port")
	mkdir "$TMP/alone"
	cp "$TMP/stripped" "$alone"
	not_found "nobody is asked without --debuginfod, whatever DEBUGINFOD_URLS says" 'no name' "$alone" -d "$empty"
	not_found "not even by a path that looks like a request" 'no names' "[debuginfod]$id" -d "$empty"
	verdict "$([ ! -s "$TMP/asked" ]; echo $?)" "and nothing was sent" "$(cat "$TMP/asked")"
	found "--debuginfod gets the debug file" "$alone" -d "$empty" --debuginfod
	found "for a build-id alone as well" "$id" -d "$empty" --debuginfod
	verdict "$([ "$(grep -c GET "$TMP/asked")" -eq 1 ]; echo $?)" "a file is sent once" "$(cat "$TMP/asked")"
	cp "$program" "$TMP/served/buildid/$id/debuginfo"
	objcopy --remove-section .note.gnu.build-id "$TMP/served/buildid/$id/debuginfo"
	DEBUGINFOD_CACHE_PATH=$TMP/cache2 not_found "a file with another build-id is not taken" 'another build-id' "$alone" \
		-d "$empty" --debuginfod
	DEBUGINFOD_URLS=http://127.0.0.1:1 DEBUGINFOD_CACHE_PATH=$TMP/cache3 not_found \
		"a server that does not answer is a sentence" 'no server of debuginfod answers' "$alone" -d "$empty" --debuginfod
	mkdir "$TMP/libraries"
	: >"$TMP/libraries/libdebuginfod.so.1"
	LD_LIBRARY_PATH=$TMP/libraries not_found "without libdebuginfod.so.1 there is a sentence" \
		'there is no libdebuginfod.so.1' "$alone" -d "$empty" --debuginfod
	unset DEBUGINFOD_URLS
	"$symbolize" --debuginfod </dev/null 2>"$TMP/complaint"
	verdict "$([ $? -eq 2 ] && grep -q 'DEBUGINFOD_URLS is not set' "$TMP/complaint"; echo $?)" \
		"--debuginfod without DEBUGINFOD_URLS is a sentence"
	"$show" --debuginfod "$TMP/capture" 2>"$TMP/complaint" >"$TMP/got"
	verdict "$([ $? -eq 2 ] && grep -q 'DEBUGINFOD_URLS is not set' "$TMP/complaint"; echo $?)" \
		"for binlog-show as well" "$(cat "$TMP/complaint")"
}

path_maps
links
sysroot
build_ids
recorded_files
relative_path
debuginfod
finish
