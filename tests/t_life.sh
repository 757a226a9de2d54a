#!/bin/bash
# Calls at every moment of a program's life: before constructors and after
# destructors, in signal handlers, around fork, on small stacks, without
# descriptors, beyond limits, out of unloaded libraries, past stdio.
. tests/lib.sh
in_capture() { "$show" --raw -q "$TMP/recorded/capture"; }

# ---- before and after main ----
$CC -g -w -shared -fPIC -o "$TMP/liborder.so" "$here/victims/order_library.c" || exit 1
build order -L"$TMP" -lorder -Wl,-rpath,"$TMP"
for end in return exit _exit quick_exit abort kill pthread_exit exec; do
	compare "prints at every stage, ends by $end" "$TMP/order" $end
done

# ---- in a handler that interrupts a print ----
build interrupt
exec 9>"$TMP/said"
recorded "$TMP/recorded" "$TMP/interrupt"
exec 9>&-
in_capture >"$TMP/lines"
read -r main handler <"$TMP/said"
same "printing and a handler that prints end" 0 "$(cat "$TMP/recorded/status")"
verdict $((main < 1000 || handler < 1000)) "the handler has interrupted often" "$main $handler"
same "every line whole, none lost, in order: $main and $handler" "" "$(awk -v main="$main" -v handler="$handler" '
	$1 == "main" { n = a++; want = "main " n " with some text and x"
		if (n % 4 == 1) want = sprintf("main %d %5d|%-20s|", n, 7, "padded")
		if (n % 4 == 2) want = sprintf("main %d %f", n, n / 3)
		if (n % 4 == 3) want = "main " n }
	$1 == "handler" { n = b++; want = "handler " n
		if (n % 4 == 0) want = "handler " n " with a text"
		if (n % 4 == 1) want = sprintf("handler %d %6.2f", n, 1.5)
		if (n % 4 == 2) { want = $0; if ($0 !~ "^handler " n " 0x[0-9a-f]+$") want = "-" } }
	$0 != want { print NR ": " $0; if (++bad > 5) exit }
	END { if (!bad && (a != main || b != handler)) print a, main, b, handler }' "$TMP/lines")"
same "nothing was written" "" "$(cat "$TMP"/recorded/real.*)"

exec 9>"$TMP/said"
recorded "$TMP/recorded" "$TMP/interrupt" jump
exec 9>&-
read -r main handler <"$TMP/said"
same "a handler that jumps out of write(2): the program ends" 0 "$(cat "$TMP/recorded/status")"
{ in_capture; cat "$TMP"/recorded/real.*; } | uniq >"$TMP/lines"
same_file "what has returned is recorded or written, in order" \
	<(for ((i = 0; i < main; i++)); do printf 'main %08d\n' $i; done) "$TMP/lines"
same "and it is recorded even after many jumps" 0 "$(cat "$TMP"/recorded/real.* | wc -l)"

# ---- around fork ----
build forks
exec 9>"$TMP/said"
recorded "$TMP/recorded" "$TMP/forks" 40
exec 9>&-
in_capture >"$TMP/lines"
same "children of threads that print: the program ends" 0 "$(cat "$TMP/recorded/status")"
same "no child failed or hung" "" "$(grep -v ^thread "$TMP/said")"
for way in fork _Fork SYS_fork clone vfork vfork-exec spawn between grandchild; do
	wanted=$(for i in {0..39}; do
		echo "child $way $i on stderr"
		echo "child $way $i says hello"
	done | sort)
	same "what children made by $way say is there once" "$wanted" \
		"$(grep "^child $way " "$TMP/lines" | sort)"
done
same "every line of the threads is there, in order" "$(sort "$TMP/said")" "$(awk '
	$1 != "thread" { next }
	$0 != "thread " $2 " line " n[$2]++ + 0 " of many" { print NR ": " $0; exit }
	END { for (t in n) print "thread", t, n[t] }' "$TMP/lines" | sort)"
same "and nothing else" "" "$(grep -v '^child \|^thread ' "$TMP/lines" | head -n 5)"
same "nothing was written" "" "$(head -c 300 "$TMP"/recorded/real.stdout; head -c 300 "$TMP"/recorded/real.stderr)"

# ---- small stacks ----
build stacks
compare "threads and coroutines with 16 KiB of stack, a crash" "$TMP/stacks"

# ---- descriptors and limits ----
build descriptors
for way in nothing close closefrom close_range unshare cloexec; do
	compare "descriptors: $way" "$TMP/descriptors" $way
done
for way in syscall dup2; do # ours may be gone then: the rest is written
	natively "$TMP/native" "$TMP/descriptors" $way
	recorded "$TMP/recorded" "$TMP/descriptors" $way
	cat "$TMP/recorded/real.stdout" >>"$TMP/recorded/stdout"
	: >"$TMP/recorded/real.stdout"
	why=$(differences "$TMP/native" "$TMP/recorded")
	verdict ${#why} "descriptors: $way" "$why"
done
for n in 4 5 8; do
	compare "ulimit -n $n" sh -c "ulimit -n $n; exec seq 3"
done
build limits
for blocks in 0 1 64; do
	# Natively a pipe, since a file could not be written either.
	got=$(ulimit -f $blocks; LD_PRELOAD=$lib BINLOG_DIR=$TMP/limited seq 20000; echo "status $?")
	same "ulimit -f $blocks from the start" "$(seq 20000; echo status 0)" "$got"
	rm -rf "$TMP/limited"
done
for bytes in 0 40000 1000000; do
	"$TMP/limits" $bytes | cat >"$TMP/wanted"
	for mode in tee replace; do
		rm -rf "$TMP/limited"
		LD_PRELOAD=$lib BINLOG_DIR=$TMP/limited BINLOG_STREAMS=all=$mode \
			"$TMP/limits" $bytes | cat >"$TMP/got"
		same "RLIMIT_FSIZE $bytes set by the program, $mode: it ends as natively" \
			3 "${PIPESTATUS[0]}"
		[ $mode = tee ] || raw stdout "$TMP/limited" | cat - "$TMP/got" >"$TMP/both"
		[ $mode = replace ] || mv "$TMP/got" "$TMP/both"
		same_file "RLIMIT_FSIZE $bytes set by the program, $mode: nothing is lost" \
			"$TMP/wanted" "$TMP/both"
	done
done

# ---- libraries that come and go ----
for word in alpha gamma; do
	format='%d times %d'
	[ $word = alpha ] || format='%x hexes %c'
	$CC -g -w -O1 -shared -fPIC -DWORD="\"$word\"" -DFORMAT="\"$format\"" \
		-o "$TMP/$word.so" "$here/victims/reload_library.c" || exit 1
done
build reload -ldl
exec 9>"$TMP/said"
compare "two libraries in turn at one address" "$TMP/reload" "$TMP/alpha.so" "$TMP/gamma.so"
exec 9>&-
verdict $(($(tail -n 1 "$TMP/said") < 50)) "they were at the same address" "$(cat "$TMP/said")"

# ---- stdio's buffers, long texts, other ways to write ----
build buffers -O2
verdict $((!$(nm -u "$TMP/buffers" | grep -c __overflow))) "the macros are inlined"
compare "macros, buffering and write(2) mixed with calls" "$TMP/buffers"
compare "the same with both outputs in one file" sh -c "exec '$TMP/buffers' >&2"
build long
compare "texts longer than a block" "$TMP/long"
if type -P g++ >/dev/null; then
	g++ -O1 -w -o "$TMP/streams" "$here/victims/streams.cc" || exit 1
	compare "C++ streams and exceptions" "$TMP/streams"
else
	skip "C++ streams: g++ is not installed"
fi
build hostile -fno-builtin -rdynamic
compare "a program with functions that have libc's names" "$TMP/hostile"
finish
