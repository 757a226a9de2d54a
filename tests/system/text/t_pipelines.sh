#!/bin/bash
# Everything by which a shell connects programs: a recorded script leaves the same
# bytes in every file and pipe, says the same, and ends alike, as natively.
. tests/support/lib.sh
# Each script is run by the shells named before its sentence (sh: dash and bash)
# with stdout and stderr in two files, in one file, and in pipes. Its time is not
# known: what runs at once must not say anything in an order of its own.
read -r -d '' table <<'TABLE'
== sh: a pipeline of filters
seq 1000 | grep 7 | sort -rn | head -n 20 | cat -n
== bash: PIPESTATUS of every kind of end
true | false | (exit 7) | sh -c 'kill -TERM $$' | true; echo "${PIPESTATUS[*]}"
seq 100000 | head -n 1; echo "${PIPESTATUS[*]}"
nonexistent-command 2>&1 | cat; echo "${PIPESTATUS[*]}"
./a-directory | cat; echo "${PIPESTATUS[*]}"
== bash: set -o pipefail
set -o pipefail
seq 3 | grep 9 | cat; echo "status $?"
seq 100000 | head -n 2 >small; echo "status $?"
if ! { seq 3; exit 4; } | cat; then echo failed; fi
set -e; seq 3 | false | cat; echo never
== sh: set -e and the conditions that do not obey it
set -e
false || echo or; ! true; if false | true; then echo last counts; fi
x=$(seq 3; false) || echo "substitution failed after $x"
(echo before; false; echo never) && echo never
echo never
== sh: yes, closed early
yes | head -n 5; yes "a line" | sed 3q; yes no | tr -d '\n' | head -c 10; echo
yes | head -n 100000 | wc
== sh: a reader that reads nothing
seq 100000 | true; echo "status $?"
seq 100000 | { exec <&-; echo closed; }
== sh: writers that ignore SIGPIPE and complain
(trap '' PIPE; seq 100000 2>complaint; echo $? >status) | head -n 1
(trap '' PIPE; sh -c 'while echo line; do :; done' 2>/dev/null; echo ended >ended) | head -n 2
(trap '' PIPE; { sleep 0.1; cat /etc/passwd; } 2>cat; echo $? >>status) | true
== sh: /dev/full
seq 10 >/dev/full; echo "status $?"; echo x >/dev/full; echo "status $?"
printf '%s\n' y >/dev/full; echo "status $?"; cat /etc/passwd >/dev/full; echo "status $?"
awk 'BEGIN { print "z" >"/dev/full" }' || echo "awk failed"
perl -e 'print "z"; close(STDOUT) or die "perl: $!\n"' >/dev/full; echo "status $?"
(exec >/dev/full; echo gone; seq 2; ls / >&1; echo "status $?" >&2)
== sh: closed descriptors
seq 10 >&-; echo "status $?"; echo x >&-; echo "status $?"; printf x >&-; echo "status $?"
ls /nonexistent 2>&-; echo "status $?"; cat <&-; echo "status $?"
ls / >&- 2>&-; echo "status $?"; (exec >&- 2>&-; echo lost; seq 3; ls /nonexistent)
(exec 1>&- 2>&-; seq 3 >made; ls /nonexistent 2>made2; cat made made2 >made3); cat made3
== sh: a descriptor opened where another was closed
(exec 1>&-; exec 3>three; echo one; seq 2; echo three >&3); cat three
(exec 2>&-; exec 3>three; ls /nonexistent; echo three >&3); cat three
(exec 1>&-; cat /etc/hostname >other; seq 3 >other); cat other
== sh: out to nowhere, errors down the pipe
ls . /nonexistent 2>&1 >/dev/null | sed 's/^/error: /'
{ echo out; echo err >&2; } 2>&1 >kept | tr a-z A-Z; cat kept
sh -c 'seq 3; seq 4 5 >&2' 2>&1 >&- | cat -n
== sh: stdout and stderr exchanged
{ echo out; echo err >&2; } 3>&1 1>&2 2>&3 3>&-
{ seq 2; ls /nonexistent; } 3>&1 1>&2 2>&3 3>&- | cat -A
{ { { seq 2; ls /nonexistent; } 3>&1 1>&2 2>&3 3>&- | sed 's/^/e:/'; } 3>&1 1>&2 2>&3 3>&-; } 2>&1 | sort
== sh: descriptors 3 to 9
exec 3>three 4>four 5>&1 6>&2
echo three >&3; seq 3 >&4; echo out >&5; ls /nonexistent 2>&6; seq 2 >&5
exec 7>&3 3>&-; echo again >&7; exec 8<four; read first <&8; echo "first $first"; cat <&8
exec 9>&5 5>&-; seq 8 9 >&9; exec 9>&- 8<&- 7>&-; cat three four
== sh: the output moved to a file and back
echo before; exec 3>&1; exec >log; echo inside; seq 3; exec >&3; echo after; seq 2; cat log
exec 4>&2 2>errors; ls /nonexistent; exec 2>&4; cat errors; ls /nonexistent
== sh: exec >file for the rest
echo seen; exec >log 2>&1; echo unseen; seq 5; ls /nonexistent; seq 3 | tac; exec seq 7
== sh: both outputs one
exec 2>&1; echo a; ls /nonexistent; seq 2; echo b >&2; printf '%s\n' c | cat >&2; exec ls /nonexistent
== sh: appending, truncating, noclobber
seq 3 >f; seq 4 5 >>f; cat f; echo short >f; cat f; : >f; wc -c <f
set -C; echo x >f; echo "status $?"; echo y >|f; cat f
== sh: reading and writing one file
printf '12345\n' >f; exec 3<>f; echo ab >&3; cat <&3; exec 3>&-; cat f
== bash: redirections of its own
seq 3 &>both; ls /nonexistent &>>both; cat both; { echo e >&2; echo o; } |& cat -n
exec {fd}>auto; echo "is it 10: $((fd >= 10))"; echo here >&"$fd"; seq 2 >&"$fd"; exec {fd}>&-; cat auto
seq 2 3>&1 >&3- | cat; cat <<<"a string" 4<<<"another" - /dev/fd/4
== sh: command substitution
x=$(seq 5 | tr '\n' ,); echo "<$x>"; y=`printf '%03d' 7`; echo "$y$(echo "$(echo "$(seq 2)")")"
z=$(ls /nonexistent 2>&1 >/dev/null; echo "status $?"); echo "$z"; echo "[$(printf 'a\n\n\n')]"
exec 3>&1; w=$(echo captured; echo around >&3); echo "w=$w"; q=$(exec >&2; echo to stderr); echo "q=$q"
echo "$(cat /nonexistent; false)$?"; for i in $(seq 3); do echo "i $i"; done
== bash: command substitution of its own
printf 'in a file\n' >f; echo "$(<f)"; x=$(printf 'a\0b'); echo "${#x}"; echo "$((1 + $(seq 3 | wc -l)))"
mapfile -t lines < <(seq 3 | sed 's/^/l/'); printf '<%s>' "${lines[@]}"; echo; echo "${x@Q}"
printf -v made '%05.1f|%x' 2.25 255; echo "$made"
== sh: here documents
cat <<one; cat <<-'two'; cat <<three | tr a-z A-Z; cat 3<<four <&3
expands $((6 * 7)) $(echo inside)
one
	quoted $((6 * 7))
	two
upper
three
on three
four
cat - /dev/fd/4 4<<inner <<outer
of four
inner
of zero
outer
== sh: a long here document
{ echo 'cat <<end'; seq 20000; echo end; } >script; . ./script | tail -n 2; . ./script | cksum
== bash: process substitution
diff <(seq 3) <(seq 2 4); echo "status $?"; paste <(seq 3) <(echo a; echo b) | cat -A
seq 3 > >(tr 1-3 a-c >lower; echo done >ready); until [ -s ready ]; do sleep 0.01; done; cat lower
exec 5> >(sort -r >reversed); sorter=$!; seq 3 >&5; echo x >&5; exec 5>&-; wait $sorter; cat reversed
while read -r a b; do echo "$b $a"; done < <(seq 6 | xargs -n 2)
== bash: tee to processes
seq 1000 | tee >(wc -l >lines; echo done >ready) >(md5sum >sum) | tail -n 1
while [ ! -s ready ] || [ ! -s sum ]; do sleep 0.01; done; cat lines sum
== bash: coprocesses
coproc UPPER { while read -r line; do echo "${line^^}"; done; }
for word in one two three; do echo "$word" >&"${UPPER[1]}"; read -r reply <&"${UPPER[0]}"; echo "$reply"; done
pid=$UPPER_PID; eval "exec ${UPPER[1]}>&-"; wait "$pid"; echo "status $?"
coproc awk '{ print $1 * 2; fflush() }'; seq 3 >&"${COPROC[1]}"; read -r a <&"${COPROC[0]}"; echo "$a"
== sh: jobs
sleep 0.05 & wait $!; echo "status $?"; (exit 9) & wait $!; echo "status $?"
seq 3 >bg & wait; cat bg; { sh -c 'kill -KILL $$' & wait $!; } 2>/dev/null; echo "status $?"
{ sleep 20 & kill $!; wait $!; } 2>/dev/null; echo "status $?"
{ sleep 0.3; echo late; } & echo early; wait; echo end
== bash: job control
set -m; sleep 20 & sleep 1 & jobs -r | sed 's/  */ /g'; kill %1; wait %1; echo "status $?"; wait -n; echo "status $?"
(sleep 0.05; exit 3) & wait -n $!; echo "status $?"; sleep 20 & disown %%; kill $!; jobs
suspended() { kill -STOP "$BASHPID"; echo resumed; }; suspended & until jobs | grep -q Stopped; do sleep 0.01; done; jobs | sed 's/  */ /g'; kill -CONT %%; wait; echo end
== sh: signals and traps
trap 'echo trap exit $?' EXIT; trap 'echo got usr1; seq 2' USR1; kill -USR1 $$; echo after
(trap 'echo inner exit' EXIT; exit 4); echo "status $?"; trap '' TERM; kill -TERM $$; echo alive
sh -c 'trap "echo term; exit 5" TERM; kill -TERM $$; echo never'; echo "status $?"; exit 6
== sh: killed in the middle
echo partial; seq 3; printf 'no newline'; kill -TERM $$; echo never
== sh: subshells and groups
(cd / && pwd; seq 2) | cat; { echo a; exit 3; } | cat; echo $?; (echo x; (echo y; exit 2); echo $?)
x=1; (x=2; echo $x); echo $x; { x=3; }; echo $x; echo p | { read -r v; echo "v=$v"; }; for i in 1 2; do (exit $i); echo $?; done
== sh: several readers of one input
seq 5 >f; { read -r a; read -r b; echo "$a$b"; cat; } <f; { head -n 1 >/dev/null; cat; } <f
seq 5 | { read -r a; cat; }; (sed -n 1p; echo rest; cat) <f | cat -n
while read -r n <&3; do echo "$n $((n * n))"; done 3<f
== bash: lastpipe, mapfile, read
shopt -s lastpipe; seq 5 | while read -r n; do s=$((s + n)); done; echo "sum $s"
seq 4 | mapfile -t a; echo "${a[*]}"; IFS=: read -r name rest <<<"x:y:z"; echo "$name $rest"
read -r -N 3 three < <(seq 10); printf '%q\n' "$three"; read -t 0.05 never < <(sleep 1); echo "status $?"
== sh: tee
seq 3 | tee a | cat; seq 4 5 | tee -a a b >/dev/null; cat a b; seq 100000 | tee -p big | head -n 1; wc -l <big
echo x | tee /dev/full; echo "status $?"; echo y | tee /nonexistent/file; echo "status $?"; seq 2 | tee - | cat
== sh: tee to the other output
seq 3 | tee /dev/stderr 2>err | tail -n 1; cat err; { seq 3 | tee /dev/stderr | tail -n 1; } 2>&1 >out | cat -n; cat out
== sh: sort into its own input
printf '%s\n' b a c a >f; sort -o f f; cat f; sort -u -r f -o f; cat f; sort f | sort -o f -n; cat f; sort --parallel=2 -S 1M -o out f f; cat out
== sh: xargs
seq 10 | xargs -n 3 echo; seq 3 | xargs -I{} sh -c 'echo "item {}"; exit 0'; seq 3 | xargs -n 1 sh -c 'exit $1' sh; echo "status $?"
seq 3 | xargs -I{} sh -c 'kill -TERM $$'; echo "status $?"; echo a | xargs nonexistent-command; echo "status $?"
seq 20 | xargs -P 4 -n 1 sh -c 'echo "$1" >"p$1"' sh; cat p* | sort -n | xargs; printf 'a b\0c\0' | xargs -0 -n 1 -t echo; echo 1 | xargs -p echo </dev/null
== sh: find and its commands
mkdir d; touch d/a d/b 'd/c d'; find d -type f -exec echo found {} \; | sort; find d -type f | sort | xargs -d '\n' ls -1
find d -name a -exec sh -c 'echo "$0"; seq 2' {} \; -printf '%f\n'; find d -type f -exec echo {} + | wc -w; find d -name b -execdir pwd \; | xargs basename
find d -type f -print0 | sort -z | xargs -0 -I{} printf '<%s>\n' {}; find /nonexistent d -maxdepth 0; echo "status $?"; find d -name 'a' -fprintf out '%p\n' -ls | wc -l; cat out
== sh: awk and its pipes
awk 'BEGIN { print "b\na" | "sort"; close("sort"); system("echo by system"); while (("seq 2" | getline l) > 0) print "got", l; print "x" >"other"; print "e" >"/dev/stderr"; printf "%s\n", "c" | "cat 1>&2"; close("cat 1>&2") }'
seq 5 | awk '{ print >("f" $1 % 2) } END { close("f0"); close("f1"); while ((getline l <"f0") > 0) print "even", l; exit 3 }'; echo "status $?"
echo | awk '{ print "to the end" | "cat; echo read" } END { print "awk ends" }' | sort; seq 100000 | awk '{ print; if (NR == 2) exit }'
== sh: perl and its processes
perl -e 'open P, "|cat -n"; print P "piped\n"; close P; $| = 1; print "after\n"; print `echo captured; exit 3`; print $? >> 8, "\n"; system "echo by system"; exec "echo", "by exec"'
perl -e 'open O, "seq 3|"; print "read $_" while <O>; close O; pipe R, W; if (!fork) { close R; print W "from the child\n"; exit 2 } close W; print <R>; wait; print $? >> 8, "\n"'
perl -e 'open S, ">&STDOUT"; open STDOUT, ">log"; print "logged\n"; system "echo logged too"; close STDOUT; open STDOUT, ">&S"; print "back\n"; open L, "log"; print <L>; die "the end\n"'; echo "status $?"
== sh: python and its processes
exec python3 - <<'END'
import os, subprocess, sys
def say(*a): print(*a, flush=True)
say(subprocess.run(["seq", "3"], capture_output=True, text=True))
say(subprocess.run("ls /nonexistent; echo out; exit 3", shell=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT))
a = subprocess.Popen(["seq", "1000"], stdout=subprocess.PIPE)
b = subprocess.Popen(["grep", "99"], stdin=a.stdout, stdout=subprocess.PIPE); a.stdout.close()
say(b.communicate()[0].split(), a.wait())
say(subprocess.run(["tr", "a-z", "A-Z"], input=b"upper\n", stdout=subprocess.PIPE).stdout)
subprocess.run("echo to the output; seq 2; echo to stderr >&2", shell=True)
with open("log", "w") as log: subprocess.call(["seq", "4"], stdout=log)
say(open("log").read(), os.popen("printf popen").read(), os.system("exit 4") >> 8)
r, w = os.pipe(); os.set_inheritable(w, True)
subprocess.run(f"echo on a pipe >&{w}", shell=True, pass_fds=[w]); os.close(w); say(os.read(r, 99))
saved = os.dup(1); f = os.open("other", os.O_CREAT | os.O_WRONLY); os.dup2(f, 1)
say("redirected"); os.system("echo redirected too"); os.dup2(saved, 1); say("back", open("other").read())
pid = os.fork()
if pid == 0: say("child"); os._exit(5)
say(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])); print("the end", file=sys.stderr); sys.exit(7)
END
== sh: dd
dd if=/dev/zero bs=7 count=3 status=none | od -c; echo lower | dd conv=ucase 2>counts; head -n 2 counts; rm counts; seq 100 | dd bs=10 skip=1 count=2 iflag=fullblock status=none
seq 3 >f; echo Z | dd of=f bs=1 seek=2 conv=notrunc status=none; cat f; dd if=/nonexistent; echo "status $?"; seq 100000 | dd bs=64 count=1 2>/dev/null | tail -c 3
dd if=/dev/zero of=/dev/full bs=1 count=1 2>&1 | head -n 1
== sh: make with a job server
cat >makefile <<'END'
all: one two; @echo all
one two: ; @echo job; : >$@.begun; until [ -e one.begun ] && [ -e two.begun ]; do sleep 0.01; done; seq 2; echo job to stderr >&2
END
make -j2 -Otarget; echo "status $?"; rm *.begun; make -j2 -Oline one two; rm *.begun; make -j2 -Orecurse -s >out 2>&1; cat out; make -n | tail -n 1
== sh: make of many kinds
cat >makefile <<'END'
words := $(shell seq 3; echo from shell >&2)
$(info info $(words))
$(warning a warning)
$(file >listed,$(words))
.ONESHELL:
all: made sub ; x=one
	echo "$$x shell"; printf '%s\n' "$@" >>made
	@cat made listed
made: ; @echo making $@; seq 2 >$@
sub: ; +@$(MAKE) --no-print-directory -f second
include generated
generated: ; echo 'late := yes' >$@
END
printf 'all: ; @echo second $(MAKELEVEL); seq 2 | cat\nfail: ; @echo x; false\n' >second
make; echo "status $?"; make -f second fail; echo "status $?"; make -k --trace -f second all fail; echo "status $?"; make nothing; echo "status $?"
== sh: the compiler in pipelines
echo 'int x = __LINE__;' | cc -E -P -; echo 'int main(void) { return 4; }' | cc -x c -o p -; ./p; echo "status $?"; rm p
echo 'int broken' | cc -x c -c -o /dev/null - 2>&1 | sed -n 's/.*\(error\).*/\1/p'; echo 'f(){}' | cc -w -x c -S -o - - | grep -c f:; cc -pipe -save-temps=cwd -x c -c -o q.o /dev/null; rm q.*
== sh: archives in pipelines
mkdir d; seq 1000 >d/a; echo b >d/b; touch -d @0 d d/a d/b
tar -cf - --sort=name --owner=0 --group=0 d | tar -tvf - --utc | sed 's/root\///'; tar -cf - d | (mkdir e; cd e; tar -xvf -) | sort; gzip -nc d/a | gunzip | cmp - d/a; gzip -nc d/a | wc -c
tar -czf - d | tar -xzOf - d/b; tar -cvf x.tar d/b 2>&1; tar -xf /nonexistent; echo "status $?"; rm x.tar
== sh: named pipes
mkfifo f; seq 5 >f & cat f; wait; (echo a; echo b) >f & while read -r l; do echo "got $l"; done <f; wait
sed s/^/x/ <f >out & seq 3 | tee f; wait; cat out; rm f
== sh: files of the kernel that stand for descriptors
seq 3 | cat /dev/stdin; echo x | cat /proc/self/fd/0; cat /dev/fd/5 5</etc/hostname >copy; cmp copy /etc/hostname; echo y | cat - /dev/null
seq 3 | sh -c 'cat >/dev/fd/3' 3>three; cat three; echo z | tee /dev/fd/4 4>four >/dev/null; cat four; sh -c 'seq 2 >/proc/self/fd/1' | cat
== sh: split, csplit and filters
seq 10 | split -l 4 --filter='echo "piece $FILE"; cat | tr "\n" " "; echo' -; seq 10 | split -n r/2 --verbose - part | sort; cat parta? | sort -n | xargs; seq 10 | csplit - 4 '/8/' | xargs; cat xx01
== sh: sed that writes and runs
seq 3 | sed -n 'p;w written'; cat written; seq 2 | sed 's/.*/echo line &/e'; seq 3 | sed 'w /dev/stderr' | tail -n 1; sed -i s/2/two/ written; cat written; seq 9 | sed -u 2q
== sh: others that start programs
printf 'a\nb\n' | m4 -s 2>&1 | tail -n 2; echo 'esyscmd(seq 2)syscmd(echo direct)end' | m4; printf '!echo from ed\nq\n' | ed -s; echo '2 ^ 70; !' | bc -q 2>&1 | head -n 1; echo '6 7 * p' | dc
timeout 5 seq 2 | cat; timeout 0.05 sleep 5; echo "status $?"; nice -n 1 seq 2; setsid -w seq 2; flock . seq 2; env X=1 sh -c 'echo $X'; nohup seq 2 2>&1 </dev/null | grep -v nohup; stdbuf -oL seq 2; stdbuf -o0 printf '%s\n' x | cat
== sh: at once, but in order
(sleep 0.3; echo second) & (echo first); wait; for i in 3 2 1; do (sleep 0.$((i * 3)); echo "slept $i") & done; wait
== bash: traces
set -x; echo traced; x=$(seq 2); ls /nonexistent; { set +x; } 2>/dev/null; exec 5>trace; BASH_XTRACEFD=5; set -x; seq 2; (echo sub); x=$(echo y); set +x; cat trace
PS4='+$LINENO '; bash -xvc 'echo one
echo "two"'
== sh: a long line, bytes that are no text
printf '%070000d\n' 7 | wc -c; printf '%5000s|\n' x; head -c 3000 /bin/sh; printf 'a\0b\377\n' | cat; printf '\377\376'; head -c 70000 /dev/zero | tr '\0' x; echo
== sh: the shell gives way
echo before; exec sh -c 'echo within; exec seq 3'
== sh: pipelines of shells
echo 'echo inner; echo "echo innermost; exit 5" | sh; echo $?' | sh; echo $?; sh -c 'echo a; sh -c "echo b; sh -c \"echo c; seq 2\" | cat"' | cat -n; sh <<'END'
echo from a here document; seq 2
cat <<inner
and one in it
inner
END
== bash: background readers that outlive the pipeline
{ seq 100000; echo ok >sent; } | { head -n 1; sleep 0.05; cat >/dev/null; }; cat sent; exec 3< <(seq 100000); head -n 1 <&3 >/dev/null; exec 3<&-; echo end
== sh: write errors of the shell's own words
echo a >/nonexistent/file; echo "status $?"; : </nonexistent; echo "status $?"; exec 3</etc/passwd; echo x >&3; echo "status $?"; echo x >&9; echo "status $?"; cat nothing | wc -c; ${nothing?is not set}; echo never
== bash: waiting for each, in another order than they end
for i in 1 2 3; do (exit $i) & pids[i]=$!; done; for i in 3 2 1; do wait "${pids[i]}"; echo "$i $?"; done
seq 4 | xargs -P 2 -I{} sh -c 'sleep 0.0$((5 - $1)); seq $1 >log$1' sh {}; cat log?; ! type -P parallel >/dev/null || seq 3 | parallel --will-cite -k -j 2 seq
TABLE

export MAKEFLAGS=--no-print-directory TERM=dumb SHELL=/bin/sh
unset MAKELEVEL MFLAGS BASH_ENV ENV PYTHONUNBUFFERED
script=$TMP/script

# Like natively and recorded of lib.sh, with somebody who reads what is written.
piped() { # DIR COMMAND...
	local dir=$1
	rm -rf "$dir"
	mkdir -p "$dir/files"
	{
		(
			cd "$dir/files" || exit
			timeout -s KILL 60 "${@:2}" 2>&3 3>&- </dev/null |
				cat >"$dir/stdout"
			echo "${PIPESTATUS[0]}" >"$dir/status"
		) 3>&1 >/dev/null | cat >"$dir/stderr"
	} 2>/dev/null
}
in_pipes() { # SHELL: what is wrong when pipes are written and recorded
	local stream
	piped "$TMP/native" "$1" "$script"
	piped "$TMP/recorded" env LD_PRELOAD="$lib" \
		BINLOG_DIR="$TMP/recorded/capture" "$1" "$script"
	for stream in stdout stderr; do
		cmp -s "$TMP/native/$stream" "$TMP/recorded/$stream" || {
			echo "$stream as written:"
			diff -a "$TMP/native/$stream" "$TMP/recorded/$stream"
		}
	done
	decode "$TMP/recorded"
	differences "$TMP/native" "$TMP/recorded"
}
in_files() { # COMMAND...
	natively "$TMP/native" "$@"
	recorded "$TMP/recorded" "$@"
	differences "$TMP/native" "$TMP/recorded"
	[ -n "$(cat "$TMP/native"/std*; ls -A "$TMP/native/files")" ] ||
		echo "nothing was said or made"
}
# One way for each script and shell, the next one in turn; all of them with LONG=1.
ways=("in two files" "in one file" "in pipes")
turn=0
check() { # SHELL SENTENCE
	local way why now=("${ways[turn++ % 3]}")
	[ -z "${LONG:-}" ] || now=("${ways[@]}")
	for way in "${now[@]}"; do
		case $way in
		*two*) why=$(in_files "$1" "$script") ;;
		*one*) why=$(in_files sh -c 'exec "$0" "$1" >&2' "$1" "$script") ;;
		*) why=$(in_pipes "$1") ;;
		esac 2>/dev/null
		[ -z "$why" ] || break
	done
	verdict ${#why} "$1: $2" "outputs $way: $why"
}

check_all() { # HEAD
	local shells=${1%%:*} shell
	for shell in ${shells/#sh/dash bash}; do
		check "$shell" "${1#*: }"
	done
}

head=
while IFS= read -r line; do
	if [[ $line == "== "* ]]; then
		[ -z "$head" ] || check_all "$head"
		head=${line#== }
		: >"$script"
	else
		printf '%s\n' "$line" >>"$script"
	fi
done <<<"$table"
check_all "$head"

# ---- outputs that the run is given closed, full or not for writing ----
cat >"$script" <<'END'
seq 3; echo "seq $?" >>log; echo x; echo "echo $?" >>log; printf '%d\n' 7 x; echo "printf $?" >>log
ls /nonexistent /dev/null; echo "ls $?" >>log; cat /etc/hostname; echo "cat $?" >>log
awk 'BEGIN { print "a"; print "b" >"/dev/stderr"; exit 3 }'; echo "awk $?" >>log
perl -e 'print "p\n"; print STDERR "q\n"; close(STDOUT) or exit 4'; echo "perl $?" >>log
python3 -c 'import os; print(1); os.write(1, b"w")'; echo "python $?" >>log
seq 3 | tac; x=$(seq 3; ls /nonexistent 2>&1); echo "$x" >>log; exec 3>made; seq 3 >&3; cat made >>log
exec seq 4
END
given() { # REDIRECTIONS
	local why dir preload
	for dir in "$TMP/native" "$TMP/recorded"; do
		rm -rf "$dir"
		mkdir -p "$dir/files"
		preload=
		[ "$dir" = "$TMP/native" ] || preload="LD_PRELOAD='$lib' BINLOG_DIR='$dir/capture'"
		(cd "$dir/files" && eval "exec $1; exec env $preload sh '$script'") \
			>"$dir/stdout" 2>"$dir/stderr" </dev/null
		echo $? >"$dir/status"
	done
	mv "$TMP/recorded/stdout" "$TMP/recorded/real.stdout"
	mv "$TMP/recorded/stderr" "$TMP/recorded/real.stderr"
	decode "$TMP/recorded"
	why=$(differences "$TMP/native" "$TMP/recorded")
	[ -s "$TMP/native/files/log" ] || why="nothing was tried"
	verdict ${#why} "a run that is given $1" "$why"
}
for redirections in '>&-' '2>&-' '>&- 2>&-' '<&-' '<&- >&- 2>&-' '>/dev/full' '2>/dev/full' \
	'>/dev/full 2>&1' '1</dev/null' '2</dev/null' '>&- 3>three'; do
	given "$redirections"
done
finish
