#!/bin/bash
# B11, B12: of the library no descriptor is to be seen, closed or missed: what is
# open, which numbers are given, what is read; under all ways to close them all.
. tests/support/lib.sh

build descriptors
for way in nothing close closefrom closefrom-far close_range unshare cloexec \
	syscall dup2 dup2-syscall fill; do
	compare "B12: descriptors are as natively: $way" "$TMP/descriptors" $way
done
compare "B12: and those that exec leaves" "$TMP/descriptors" exec
compare "B11: 1,000 captures with stacks, and a socket pair where all was closed" \
	"$TMP/descriptors" talk
grep -q '^start, open: 0 1 2 ' "$TMP/native/stdout"
verdict $? "B11: the list of what is open was made" "$(head -n 1 "$TMP/native/stdout")"

for n in 0 3; do
	compare "B12: RLIMIT_NOFILE $n, set by the program" "$TMP/descriptors" limit-$n
done
for n in 4 5 8; do
	compare "B12: ulimit -n $n" sh -c "ulimit -n $n; exec seq 3"
	compare "B12: ulimit -n $n, and a descriptor is opened" \
		sh -c "ulimit -n $n; exec perl -e 'open F, q(<), q(/dev/null); print fileno F, qq(\n)'"
done
# There not even libc can be opened.
natively "$TMP/native" sh -c 'ulimit -n 3; exec seq 3'
recorded "$TMP/recorded" sh -c 'ulimit -n 3; exec seq 3'
same "B12: ulimit -n 3: no program can be loaded, natively or not" \
	"$(cat "$TMP/native/status")" "$(cat "$TMP/recorded/status")"

for closed in '<&-' '>&-' '2>&-' '<&- >&-' '<&- 2>&-' '>&- 2>&-' '<&- >&- 2>&-'; do
	compare "B12: started with $closed" sh -c "exec '$TMP/descriptors' nothing $closed"
	compare "B12: started with $closed, it opens a file and prints" sh -c \
		"exec perl -e 'open F, q(>), q(file); print F fileno F, qq(\n); print qq(out\n); print STDERR qq(err\n)' $closed"
done

# ---- what text goes to, when descriptors change ----
build stdio_switch
for how in 0 1 2; do
	by=(libc syscall 'syscall, dup3')
	compare "B12: stdout becomes a file and is stdout again, by ${by[how]}" \
		"$TMP/stdio_switch" redirect $how
done
for how in 0 1; do
	natively "$TMP/native" "$TMP/stdio_switch" threads $how
	recorded "$TMP/recorded" "$TMP/stdio_switch" threads $how
	same "B12: four threads open and close, by ${by[how]}: what is said is recorded" \
		"$(sort "$TMP/native/stdout")" "$(sort "$TMP/recorded/stdout")"
	same "B12: and what goes to files is in them" "" \
		"$(diff -r "$TMP/native/files" "$TMP/recorded/files")"
done

# ---- kernels without what the library likes best ----
build without
for missing in populate mremap; do
	compare "B12: a kernel without $missing: descriptors are as natively" \
		"$TMP/without" $missing "$TMP/descriptors" close
	compare "B12: a kernel without $missing: much is recorded" \
		"$TMP/without" $missing seq 1000000
done
finish
