#!/bin/bash
# B34: environments that are scrubbed, changed or full of nonsense: what is
# preloaded is recorded, what is not writes by itself, nothing is put back, and
# no value of a variable breaks a program, or a file that is not the library's.
. tests/support/lib.sh
build scrubbed

captures() { find "$1" -name '*.binlog' 2>/dev/null | wc -l; }
# ---- what is taken away ----
got=$(cd "$TMP" && LD_PRELOAD=$lib BINLOG_DIR=$TMP/none env -i "$TMP/scrubbed" keep 2>&1)
same "B34: env -i: the program writes by itself" "$(cd "$TMP" && env -i "$TMP/scrubbed" keep 2>&1)" "$got"
mkdir "$TMP/bare"
(cd "$TMP/bare" && env -i LD_PRELOAD="$lib" seq 3 >out)
same "B34: without any other variable it is recorded in binlog.data" "$(seq 3)" \
	"$(raw stdout "$TMP/bare/binlog.data"; cat "$TMP/bare/out")"
for way in keep unsetenv clearenv null own setenv execle; do
	natively "$TMP/native" "$TMP/scrubbed" $way
	recorded "$TMP/recorded" "$TMP/scrubbed" $way
	same "B34: $way: it ends and says as natively" \
		"$(cat "$TMP/native/status" "$TMP/native/stderr"; grep -v '^[01]$' "$TMP/native/stdout" | sort)" \
		"$(cat "$TMP/recorded/status" "$TMP"/recorded/*stderr
		grep -hv '^[01]$' "$TMP"/recorded/*stdout | sort)"
	same "B34: $way: what it says itself is recorded, of its fork, too" 5003 \
		"$(grep -cE '^(before|line .*|in a child|after 2)$' "$TMP/recorded/stdout")"
	if [ $way = keep ]; then
		same "B34: $way: what it executes is recorded" "executed" \
			"$(grep executed "$TMP/recorded/stdout")"
	else
		same "B34: $way: what it executes writes by itself, and nothing is put back" \
			"$(tail -n 6 "$TMP/native/stdout" | grep -v after)" \
			"$(cat "$TMP/recorded/real.stdout")"
	fi
done

# ---- what is executed by what is executed ----
compare "B34: a chain of executions" \
	sh -c 'echo 1; exec env X=1 sh -c "echo 2; exec nice sh -c \"echo 3; exec env -u X seq 4\""'
recorded "$TMP/recorded" sh -c 'echo 1; exec env X=1 sh -c "echo 2; exec sh -c \"echo 3; exec seq 4\""'
same "B34: each program of a chain has a capture" 5 "$(captures "$TMP/recorded/capture")"
recorded "$TMP/recorded" sh -c 'echo in; env -u LD_PRELOAD sh -c "echo out; seq 2"; echo in again'
same "B34: LD_PRELOAD taken away for a child: it and its children write by themselves" \
	"$(printf 'in\nin again|out\n1\n2')" \
	"$(cat "$TMP/recorded/stdout")|$(cat "$TMP/recorded/real.stdout")"
natively "$TMP/native" env
recorded "$TMP/recorded" env
same "B34: a program sees its environment, and of the library only LD_PRELOAD and BINLOG_" "" \
	"$(diff <(sort "$TMP/native/stdout") <(sort "$TMP/recorded/stdout") |
		grep '^[<>]' | grep -vE '^> (LD_PRELOAD|BINLOG_[A-Z]+)=|^[<>] PWD=')"

# ---- nonsense ----
long=$(printf '%0100000d' 0)
nonsense=('' ' ' 0 -1 99999999999999999999999 '%s%n%s%n' $'\x01\xff\xfe=;,' '=' ',,,=,:'
	/dev/null /dev/full /proc/self/mem /nowhere/x ../../../../.. "$long" all=tee,all=pass
	'file:[=replace,file:*' 1:2:3:4 1:1:1:1:1:victim '1:0:0:0:0:../victim' 1:0:0:0:0: 0x7f yes 7K 1T)
names=(BINLOG_DIR BINLOG_STREAMS BINLOG_DEPTH BINLOG_LEVEL BINLOG_MAX_SIZE BINLOG_RUN BINLOG_DISABLE
	BINLOG_SIGNALS BINLOG_UNWINDER BINLOG_RING BINLOG_CONFIG BINLOG_PARENT)
said='echo out; seq 2000; echo err >&2; ls /nonexistent; exit 4'
(mkdir "$TMP/n" && cd "$TMP/n" && sh -c "$said" >"$TMP/wanted.out" 2>"$TMP/wanted.err")
wanted=$(sort "$TMP/wanted.out" "$TMP/wanted.err")
head -c 8192 /dev/zero >"$TMP/victim"
cp "$TMP/victim" "$TMP/victim.before"
with() { # VARIABLE=VALUE...: what comes out of it is what is said natively, once
	local place=$TMP/with status
	rm -rf "$place" "$XDG_STATE_HOME"
	mkdir -p "$place/here/captures"
	ln "$TMP/victim" "$place/here/captures/victim"
	ln "$TMP/victim" "$place/here/victim"
	(cd "$place/here" && exec env LD_PRELOAD="$lib" BINLOG_DIR=captures "$@" \
		timeout -s KILL 30 sh -c "$said" >"$place/out" 2>"$place/err" </dev/null)
	status=$?
	got=$({
		find "$place" "$XDG_STATE_HOME" -name '*.binlog' -print0 2>/dev/null | xargs -0 -r "$show" --raw -q
		cat "$place/out" "$place/err"
	} 2>&1 | sort)
	[ $status -eq 4 ] && [ "$got" = "$wanted" ]
}
# By default only the most important ones for variables that are mere numbers.
some=('' '%s%n%s%n' $'\x01\xff\xfe=;,' "$long" 99999999999999999999999)
for name in "${names[@]}"; do
	bad=
	values=("${some[@]}")
	case ${LONG:+long}$name in
	long* | BINLOG_DIR | BINLOG_STREAMS | BINLOG_RUN) values=("${nonsense[@]}") ;;
	esac
	for value in "${values[@]}"; do
		[ "$name" != BINLOG_DIR ] || [[ $value != ../* ]] || continue
		with "$name=$value" || bad+="$(printf '%q ' "${value:0:40}")"
	done
	verdict ${#bad} "B34: $name: ${#values[@]} values that mean nothing, and the program goes on" "$bad"
done
bad=
for value in "${nonsense[@]}"; do
	settings=()
	for name in "${names[@]}"; do
		[ "$name" = BINLOG_DIR ] || settings+=("$name=$value")
	done
	with "${settings[@]}" || bad+="$(printf '%q ' "${value:0:40}")"
done
verdict ${#bad} "B34: the same in all variables at once" "$bad"
# As the first process of a run would say, but for the name of its capture.
mkdir "$TMP/aimed"
: >"$TMP/aimed/out"
output=$(printf '%x:%x' $(stat -c '%d %i' "$TMP/aimed/out"))
for file in ../victim ../aimed/fifo; do
	rm -f "$TMP/aimed/fifo"
	mkfifo "$TMP/aimed/fifo"
	BINLOG_RUN="1:$output:$output:$file" LD_PRELOAD=$lib BINLOG_DIR=$TMP/aimed \
		timeout -s KILL 30 perl -e '$| = 1; print "text\n" x 10; seek STDOUT, 0, 1; print tell STDOUT' \
		>>"$TMP/aimed/out" 2>&1
	same "B34: BINLOG_RUN names $file: the program goes on" 0 $?
done
same_file "B34: no file was written that a variable named" "$TMP/victim.before" "$TMP/victim"
finish
