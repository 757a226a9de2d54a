#!/bin/bash
# Where the tools write, something may have been put before: links, FIFOs, other names of files, files of other users.
# None of it is written to or waited for, and what is made is for its user alone.
. tests/support/lib.sh
ctl=$BUILD/binlog-ctl
pack=$BUILD/binlog-pack
cd "$TMP" || exit 1
chmod 755 .
LD_PRELOAD=$lib BINLOG_DIR=$TMP/run sh -c 'echo said; sleep 100' >/dev/null &
program=$!
has_captures() { ls run/*.binlog >/dev/null; }
until_true has_captures
echo "a secret" >secret
mkdir secrets

# Each writes to the path that it is given; those of the second list to a directory.
to_file() { "$show" --to="$1" run; }
packed() { "$pack" -q -o "$1" run; }
forced() { "$pack" -q -f -o "$1" run; }
copied() { "$ctl" run snapshot "$1"; }
configured() {
	printf '[output a]\nto = %s\n' "$1" >conf
	"$show" --config=conf run
}
files=(to_file packed forced copied configured)
to_directory() { "$show" --output=ctf --to="$1" run; }
split() { "$show" --output=csv --to="$1" run; }
directories=(to_directory split)

planted() { # KIND PATH
	case $1 in
	"a link") ln -s secret "$2" ;;
	"a link to nowhere") ln -s made "$2" ;;
	"a link to a directory") ln -s secrets "$2" ;;
	"another name of a file") ln secret "$2" ;;
	"a FIFO") mkfifo "$2" ;;
	"a socket") python3 -c 'import socket, sys; socket.socket(socket.AF_UNIX).bind(sys.argv[1])' "$2" ;;
	"a file of another user") echo theirs >"$2" && chown 65534 "$2" && chmod 666 "$2" ;;
	"a directory of another user") mkdir -m 777 "$2" && chown 65534 "$2" ;;
	esac
}
refused() { # WRITER KIND PATH
	local before after
	rm -rf "$3" made
	if ! planted "$2" "$3" 2>/dev/null; then
		skip "$1, $2: cannot be made here"
		return
	fi
	before=$(cat secret; stat -c '%a %h' secret; ls -A secrets; ls -lnd --time-style=+ "$3")
	timeout 20 env bash -c "$(declare -f "$1"); show=$show pack=$pack ctl=$ctl; $1 $3" >said 2>errors </dev/null
	status=$?
	after=$(cat secret; stat -c '%a %h' secret; ls -A secrets; ls -lnd --time-style=+ "$3")
	verdict $((status == 0 || status >= 100)) "$1, $2: is refused" "status $status: $(cat errors)"
	same "$1, $2: is as it was" "$before" "$after"
	[ ! -e made ]
	verdict $? "$1, $2: and nothing is made" "$(ls -l made 2>&1)"
	grep -q "${3##*/}" errors
	verdict $? "$1, $2: a sentence names it" "$(cat errors)"
}
for writer in "${files[@]}"; do
	for kind in "a link" "a link to nowhere" "another name of a file" "a FIFO" "a socket" "a file of another user"; do
		[ "$(id -u)" -eq 0 ] || [ "$kind" != "a file of another user" ] || continue
		refused "$writer" "$kind" out.blog
	done
done
for writer in "${directories[@]}"; do
	for kind in "a link to a directory" "a link to nowhere" "a FIFO" "a directory of another user"; do
		[ "$(id -u)" -eq 0 ] || [ "$kind" != "a directory of another user" ] || continue
		refused "$writer" "$kind" out
	done
done

# What is made is for its user alone, whatever the mask is.
for writer in "${files[@]}" "${directories[@]}"; do
	rm -rf out.blog
	(umask 0 && $writer out.blog) >said 2>errors
	same "$writer: modes" "" "$(find out.blog \( -type f ! -perm 600 \) -o \( -type d ! -perm 700 \))"
	[ -e out.blog ]
	verdict $? "$writer: it is made" "$(cat errors)"
done
rm -rf out
(umask 0 && copied out) >said 2>errors
same "a directory of copies: modes" "700 600" "$(stat -c %a out out/*.binlog | uniq | paste -sd ' ')"
rm -f log.blog
(umask 0 && timeout 5 "$pack" -q --follow run -o log.blog) 2>errors &
packer=$!
until_true test -s log.blog
kill $program
wait $packer
same "a log beside a program: its mode" 600 "$(stat -c %a log.blog)"
finish
