#!/bin/bash
# What a person can do wrong with each tool: one sentence on standard error,
# nothing on standard output, status 2, and the sentence says what to do.
. tests/support/lib.sh
. tests/support/nobody.sh
tools_for_nobody "$TMP/tools"
cd "$TMP" || exit 1
PATH=$BUILD:$PATH
export TERM=xterm
"$CC" -w -o prog -x c - <<<'#include <stdio.h>
int main() { printf("size=%d\n", 7); return 0; }' || exit 1
"$CC" -w -static -o static -x c - <<<'int main() { return 0; }' || exit 1
LD_PRELOAD=$lib BINLOG_DIR=good ./prog >/dev/null
capture=$(echo good/*.binlog)
binlog-pack -q -o good.blog good
mkdir empty other bad
echo text >other/notes.txt
echo text >notes.txt
echo text >bad/notes.binlog
: >empty.binlog
: >empty.blog
head -c 100 "$capture" >cut.binlog
head -c 40 good.blog >cut.blog
head -c 5000 /dev/urandom >noise.blog
# Of another version, and of another byte order: layout.h has both behind the magic.
version=$(python3 -c '
import struct, sys
data = bytearray(open(sys.argv[1], "rb").read())
at = 8
data[at:at + 4] = struct.pack("<I", 4711)
open("version.binlog", "wb").write(data)' "$capture")
cp "$capture" closed.binlog
chmod 0 closed.binlog
cp -r good shut
chmod 0 shut
printf '#!/no/such/interpreter\n' >script
chmod +x script
cp prog plain
chmod -x plain
printf '\177ELF and no more' >broken
chmod +x broken

# COMMAND | a part of what is said [| status, otherwise 2]
#   "nobody COMMAND" is run by somebody who is not root
#   "~COMMAND" may say more than one sentence, of what is damaged
while IFS='|' read -r command words wanted; do
	command=${command%"${command##*[! ]}"}
	words=${words# }
	words=${words%"${words##*[! ]}"}
	[[ $command && $command != '#'* ]] || continue
	by= sentences=1
	[[ $command != 'nobody '* ]] || by="as_nobody env PATH=$TMP/tools:$PATH"
	[[ $command != '~'* ]] || sentences=9
	if [[ $by && ! $rootless ]]; then
		skip "$command: $why_not"
		continue
	fi
	command=${command#nobody }
	command=${command#\~}
	said=$($by timeout 10 bash -c "$command" 2>&1 >out </dev/null)
	status=$?
	[ "$status" -eq "${wanted:-2}" ] && [ ! -s out ] && [ "$(wc -l <<<"$said")" -le "$sentences" ] &&
		[[ $said == *"$words"* ]]
	verdict $? "$command: $words" "$status: $said$(head -n 3 out)"
done <<'TABLE'
# ---- nothing to read ----
binlog-show                         | binlog.data: not opened: No such file or directory: check the path
binlog-show absent                  | absent: not opened: No such file or directory: check the path
binlog-show empty                   | give the directory that BINLOG_DIR named
binlog-show other                   | no file in this directory ends in .binlog or .blog
binlog-show bad                     | this is plain text
binlog-show prog                    | this is a program or library, not a capture: record it first, with binlog-run
binlog-show notes.txt               | this is plain text, not a capture: give a file that ends in .binlog
binlog-show empty.binlog            | the file is empty: look for another
binlog-show empty.blog              | the file is empty: look for another
binlog-show cut.binlog              | the file ends within its header (bytes 100): copy the file again, in full
~binlog-show cut.blog               | the log ends within this frame (bytes 40): whole frames before
~binlog-show noise.blog             | there is no frame of a packed log in it
binlog-show version.binlog          | written in another version of the format (version 4711): read it with
binlog-show /dev/null               | neither a regular file nor a directory: give a capture file
nobody binlog-show closed.binlog    | Permission denied: check the path and its permissions
nobody binlog-show shut             | Permission denied: check the path and its permissions
binlog-show --follow absent.binlog  | No such file or directory: check the path
binlog-show --follow prog           | record it first, with binlog-run
binlog-show --follow good empty     | follows one directory or capture
binlog-show --follow -              | what comes through a pipe cannot be followed
binlog-show --spans start good      | no => in it: give START => DONE by NAME
binlog-show --longest 3 good        | --longest: chooses spans: say of what with --spans
binlog-show --spans 'a=>b' -o json good | what is shown has no spans: leave out --output
binlog-show --output=spans good     | no spans are named: say of what with --spans
binlog-show --diff good             | --diff: compares two runs: give the paths of both
binlog-show --diff --count good good | --diff: shows neither numbers nor spans: leave out --stats
binlog-show --index --values=x prog | --index: shows neither numbers nor spans
binlog-show --recover --spans 'a=>b' good | --recover: shows neither numbers nor spans
binlog-show --diff good absent      | absent: not opened: No such file or directory: check the path
binlog-show --coverage absent       | absent: not opened: No such file or directory: check the path
binlog-show --index absent          | no such file: give an executable or a library
binlog-show --index notes.txt       | not an ELF file: give an executable or a library
binlog-show --index                 | no program is named: give its path
binlog-show --recover absent        | not opened: No such file or directory
# ---- mistyped ----
binlog-show --grpe=x good           | --grpe=x: no such option: did you mean --grep?
binlog-show --colums=pid good       | no such option: did you mean --columns?
binlog-show --folow good            | did you mean --follow?
binlog-show --xyzzy good            | --xyzzy: no such option: see binlog-show --help
binlog-show --lo=3 good             | --lo=3: it may be --location or --longest: give more of it
binlog-show --co=3 good             | or another: give more of it
binlog-show --=3 good               | --=3: no such option: see binlog-show --help
binlog-show -Z good                 | -Z: no such option: see binlog-show --help
binlog-show --grep                  | --grep: its argument is missing: see binlog-show --help
binlog-show --utc=yes good          | it takes no argument
binlog-show --output=timline good   | did you mean timeline?
binlog-show --output=nothing good   | no such style: --output=help lists them
binlog-show --columns=pdi good      | "pdi" is no column: did you mean pid?
binlog-show --columns=time,mesage good | did you mean message?
binlog-show --columns= good         | is no column
binlog-show --priority=warnign good | no such level: did you mean warning?
binlog-show -p loud good            | give emerg, alert, crit
binlog-show --stream=stduot good    | give stdout, stderr, syslog or file:GLOB
binlog-show --color=red good        | give auto, always or never
binlog-show --lines=few good        | not a number of lines: give digits, or "all"
binlog-show --depth=x -S good       | not a number of frames: give digits
binlog-show --pid=x good            | not the number of a process, thread or coroutine: give digits
binlog-show --context=x --around=y good | not a number of lines: give digits
binlog-show --context=3 good        | there is nothing to show lines around: give --around
binlog-show --since=someday good    | not a time: give one such as
binlog-show --until=17:00:99 good   | not a time: give one such as
binlog-show --since=now --until=yesterday good | exchange them
binlog-show '--grep=(' good         | not a regular expression (Unmatched ( or \(): put \ before what stands for itself
binlog-show '--around=[' good       | --around: not a regular expression
binlog-show '--where=size >' good   | column 7: a value must be here
binlog-show --where=size good       | column 5: no comparison: give ==, !=
binlog-show --file=:3 good          | no file is named: give GLOB or GLOB:LINE
binlog-show --file=a.c:0 good       | they are counted from 1
binlog-show --path-map=x good       | not FROM=TO: give two paths with = between
binlog-show --debuginfod good       | DEBUGINFOD_URLS is not set: set it
binlog-show --config=absent good    | absent: not read: No such file or directory: give a file of sections [output NAME]
binlog-show --config=notes.txt good | notes.txt:1:1: text: not a setting: give KEY = VALUE
# ---- what does not go together ----
binlog-show --as-written good       | orders the bytes of --raw: give both
binlog-show --raw --as-written --grep=x good | leave one out
binlog-show --raw --columns=pid good | leave --output out
binlog-show --processes --lines=3 good | what is shown is not lines: leave it out
binlog-show --follow --reverse good | shows the newest line last: leave out --reverse
binlog-show --follow --processes good | it shows what is known at the end: leave out --follow
binlog-show --index --lines=3 prog  | shows no messages: leave out
# ---- binlog-run ----
binlog-run                          | no program named: see binlog-run --help
binlog-run -- ./absent              | ./absent: No such file or directory: check its name |127
binlog-run ./static                 | statically linked: LD_PRELOAD has no effect on it: record a dynamically linked build
binlog-run ./plain                  | ./plain: Permission denied: check its kind and permissions |126
binlog-run ./script                 | its interpreter /no/such/interpreter: No such file or directory: check its name |127
binlog-run ./broken                 | a damaged ELF file: its headers point beyond its end: build or install it again
binlog-run --dri=x ./prog           | did you mean --dir?
binlog-run --streams=stdout=maybe ./prog | stdout=maybe: no such mode: give auto, replace, tee or pass
binlog-run --level=loud ./prog      | loud: no such level: give emerg, alert
binlog-run --depth=deep ./prog      | deep: not a number of frames: give digits
binlog-run --ring=round ./prog      | round: no size: give one such as 16M
binlog-run --max-size=1X ./prog     | 1X: no size: give one such as 64M
binlog-run --ring=1M --trigger=sginal ./prog | give signal, exit, kill, before=TIME
binlog-run --ring=1M --trigger=exit,before=5x ./prog | give signal, exit, kill, before=TIME
binlog-run --config=absent ./prog   | No such file or directory: name a readable file with --config
binlog-run --dir=notes.txt ./prog   | no captures can go there: Not a directory: choose a directory with --dir
# ---- binlog-pack ----
binlog-pack                         | nothing to pack: give captures or directories of them
binlog-pack -o x.blog absent        | not opened: No such file or directory: check the path
binlog-pack -o x.blog prog          | record it first, with binlog-run
binlog-pack -o x.blog empty         | give the directory that BINLOG_DIR named
binlog-pack -o good.blog good       | good.blog: not written: File exists: choose another name, or give --force
binlog-pack -o absent/x.blog good   | absent/x.blog: not written: No such file or directory: make room or choose another
binlog-pack --levle=3 -o x.blog good | did you mean --level?
binlog-pack --level=99 -o x.blog good | --level=99: no such level: give a number from 1 to 19
binlog-pack --follow good           | nowhere to write to: give -o LOG
# ---- binlog-ctl ----
binlog-ctl absent off               | neither the number of a process nor a directory: say list or clean
binlog-ctl --joson status           | did you mean --json?
binlog-ctl 999999999 off            | there is no such process: binlog-ctl list shows captures of what has ended
binlog-ctl notes.txt off            | neither the number of a process nor a directory: say list or clean
binlog-ctl good offf                | offf: no such word: did you mean off?
binlog-ctl good leve=err            | leve=err: no such word: did you mean level?
binlog-ctl good xyzzy               | xyzzy: no such word: see binlog-ctl --help
binlog-ctl good level=loud          | loud: no such level: give emerg, alert
binlog-ctl clean --older-than=soon good | not an age: a number and s, m, h, d or w, as in 7d
# ---- binlog-symbolize ----
binlog-symbolize --no-demangel notes.txt | did you mean --no-demangle?
binlog-symbolize absent             | cannot be read: No such file or directory: give a file with addresses
binlog-symbolize --path-map=x absent | not FROM=TO: give two paths with = between
# ---- binlog-top ----
binlog-top --bacth good             | did you mean --batch?
binlog-top --delay=x good           | --delay=x: no such time: give seconds, 0.1 or more
binlog-top good                     | not a terminal: give -b for plain text
binlog-top --batch absent           | absent: there is no such directory: give one of captures, or the number of a process
binlog-top --batch notes.txt        | notes.txt: there is no such directory: give one of captures
binlog-top --batch 999999999        | there is no such process
binlog-top --count=0 good           | --count=0: no such number: give one from 1 on
binlog-top --view=site good         | --view=site: no such view: give sites, processes, threads or captures
binlog-top --sort=size good         | --sort=size: no such key: give rate, total, bytes or name
binlog-top good other               | other: one place at a time
# ---- where to ----
binlog-show --to absent/x good      | absent/x: not opened: No such file or directory: choose another place
binlog-show --to other good         | other: not opened: Is a directory: choose another place
binlog-show -o csv --to other good  | other: not opened: the directory is not empty: choose another place
binlog-show -o csv --to prog good   | prog: not opened: it is there, and no directory: choose another place
binlog-show -o ctf good             | its output is a directory: say where with --to
binlog-show --to x --config y good  | --to: each section of --config says where to: leave it out
binlog-show --to x --index prog     | --to: is for messages: redirect standard output instead
binlog-show -o nix good             | no such style: --output=help lists them
TABLE
finish
