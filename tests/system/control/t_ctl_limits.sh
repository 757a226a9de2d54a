#!/bin/bash
# What binlog-ctl does not look at since it is beyond a limit is told, and by the status.
. tests/support/lib.sh
ctl=$BUILD/binlog-ctl

# A process that has mapped as many files as it is told, from there on.
cat >"$TMP/map.py" <<'END_OF_PROGRAM'
import mmap, sys
held = []
for path in sys.argv[2:]:
    with open(path, "r+b") as file:
        held.append(mmap.mmap(file.fileno(), 4096, prot=mmap.PROT_READ | int(sys.argv[1])))
print("mapped", flush=True)
sys.stdin.read()
END_OF_PROGRAM
mapping() { # PROTECTION FILE...: it is $process, until its input ends
	coproc python3 "$TMP/map.py" "$@"
	process=$COPROC_PID
	read -r _ <&"${COPROC[0]}"
}
unmapped() {
	eval "exec ${COPROC[1]}>&-"
	wait "$process"
}
limit() { # NAME VALUE: it was met
	awk -F'"' -v name="$1" '/^FIXED_LIMIT\(/ && $2 == name { print $(NF - 1) }' base/limits.def >"$TMP/seen"
	grep -qF -- "$(cat "$TMP/seen"): more than $2 " "$TMP/got" && [ "$status" -eq 1 ]
	verdict $? "$1: beyond $2 it is told, and by the status" "$status: $(tail -n 3 "$TMP/got")"
}
no_limit() { # NAME
	! grep -q 'more than' "$TMP/got"
	verdict $? "$1: not otherwise" "$(tail -n 3 "$TMP/got")"
}

recorded "$TMP/run" /bin/echo said
for i in {1..17}; do
	cp "$TMP"/run/capture/*.binlog "$TMP/$i.binlog"
done
for count in 16 17; do
	mapping 0 $(seq -f "$TMP/%g.binlog" $count)
	"$ctl" "$process" status >"$TMP/got" 2>&1
	status=$?
	unmapped
	if [ $count -gt 16 ]; then limit process-captures 16; else no_limit process-captures; fi
done

# Files with code, as far as the kernel can tell, besides those of python.
mkdir "$TMP/code"
echo none >"$TMP/code/1"
for i in {2..1025}; do
	ln "$TMP/code/1" "$TMP/code/$i"
done
truncate -s 4096 "$TMP/code/1"
for count in 900 1025; do
	mapping 4 "$TMP/1.binlog" $(seq -f "$TMP/code/%g" $count)
	"$ctl" "$process" rule 'file nowhere.c drop' >"$TMP/got" 2>&1
	status=$?
	unmapped
	if [ $count -gt 900 ]; then limit rule-modules 1024; else no_limit rule-modules; fi
done
finish
