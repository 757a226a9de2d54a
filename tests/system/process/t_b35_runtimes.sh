#!/bin/bash
# B35: programs of languages with a runtime of their own: threads, signal
# handlers, alternate stacks, children, and output that is not stdio's.  What
# they say is recorded, byte for byte, and how they end is the same.
. tests/support/lib.sh
ulimit -S -c 0
runs=$([ -n "${LONG:-}" ] && echo 100 || echo 2)
PATH+=:$HOME/.cargo/bin:/usr/local/go/bin
export RUSTUP_HOME=${RUSTUP_HOME:-$HOME/.rustup} HOME=$TMP
unset PYTHONPATH PYTHONSTARTUP NODE_OPTIONS JAVA_TOOL_OPTIONS RUSTFLAGS CARGO_HOME

# The numbers of threads: an address, a thread id.
mask() { sed -i -E "s/thread 0x[0-9a-f]+/thread 0x/; s/'main' \\([0-9]+\\)/'main'/" "$1/stderr"; }
# The same each time; a crash or a hang shows as another status.
runtime() { # NAME COMMAND...
	local why= i
	natively "$TMP/native" "${@:2}"
	mask "$TMP/native"
	if [ ! -s "$TMP/native/stdout" ]; then
		skip "B35: $1: it does not run here: $(head -n 1 "$TMP/native/stderr")"
		return
	fi
	for ((i = 0; i < runs; i++)); do
		recorded "$TMP/recorded" "${@:2}"
		mask "$TMP/recorded"
		why=$(differences "$TMP/native" "$TMP/recorded" | tr -d '\0')
		[ -z "$why" ] || break
	done
	verdict ${#why} "B35: $1: $runs runs as natively" "run $i: $why"
}
have() { # NAME PROGRAM
	type -P "$2" >/dev/null && return
	skip "B35: $1 is not installed"
	return 1
}

cat >"$TMP/all.py" <<'PYTHON'
import faulthandler, os, signal, subprocess, sys, threading
faulthandler.enable()
print("print", 1, 2.5, "\u00e9")
sys.stderr.write("stderr\n")
def work(n):
    with lock:
        print("thread", n)
lock = threading.Lock()
for n in range(4):
    t = threading.Thread(target=work, args=(n,))
    t.start()
    t.join()
signal.signal(signal.SIGALRM, lambda *_: print("alarm"))
signal.setitimer(signal.ITIMER_REAL, 0.01)
signal.pause()
sys.stdout.flush()
subprocess.run([sys.executable, "-S", "-c", "print('child')"])
if os.fork() == 0:
    print("forked")
    sys.stdout.flush()
    os._exit(0)
os.wait()
os.write(1, b"os.write\n")
import ctypes
ctypes.CDLL(None).printf(b"printf of libc %d\n", 7)
ctypes.CDLL(None).fflush(None)
if len(sys.argv) > 1:
    if sys.argv[1] == "segv":
        sys.stdout.flush()
        faulthandler._sigsegv()
    raise ValueError("text")
for n in range(2000):
    print("line", n)
PYTHON
if have Python python3; then
	runtime "Python" python3 "$TMP/all.py"
	runtime "Python -X dev" python3 -X dev "$TMP/all.py"
	runtime "Python, unbuffered" python3 -u "$TMP/all.py"
	runtime "Python, an exception" python3 "$TMP/all.py" raise
	runtime "Python, SIGSEGV with faulthandler" python3 -X dev "$TMP/all.py" segv
fi

cat >"$TMP/all.pl" <<'PERL'
use strict; use POSIX ();
$| = 1; print "print\n"; $| = 0;
printf "%s %d %.2f\n", "printf", 3, 2.5;
print STDERR "stderr\n"; warn "warn\n";
$SIG{ALRM} = sub { print "alarm\n" }; kill ALRM => $$;
print `echo from a child`;
my $pid = fork; if (!$pid) { print "forked\n"; exit 3 } waitpid $pid, 0;
syswrite STDOUT, "syswrite\n"; POSIX::printf("%s\n", "POSIX");
eval { die "died\n" }; print "caught $@";
print "line $_\n" for 1 .. 2000;
die "the end\n";
PERL
if have Perl perl; then
	runtime "Perl" perl "$TMP/all.pl"
fi

cat >"$TMP/all.js" <<'NODE'
const { execFileSync } = require("child_process");
const fs = require("fs");
console.log("log %d %s", 1, "text"); console.error("error");
process.on("SIGUSR2", () => {
  console.log("signal");
  const { Worker, isMainThread } = require("worker_threads");
  const w = new Worker('require("fs").writeSync(1, "worker\\n")', { eval: true });
  w.on("exit", () => {
    fs.writeSync(1, execFileSync("echo", ["child"]));
    for (let i = 0; i < 500; i++) console.log("line", i);
    fs.readFile(__filename, () => { console.log("read"); throw new Error("text"); });
  });
});
setTimeout(() => process.kill(process.pid, "SIGUSR2"), 5);
setTimeout(() => {}, 200);
NODE
if have Node node; then
	runtime "Node" node "$TMP/all.js"
fi

is_long || finish
# ---- those that are installed for `make check-long` ----
cat >"$TMP/All.java" <<'JAVA'
public class All {
	static int deep(int n) { return n == 0 ? 0 : 1 + deep(n - 1); }
	public static void main(String[] a) throws Exception {
		System.out.println("println"); System.err.println("err");
		System.out.printf("%d %s %.2f%n", 1, "printf", 2.5);
		Thread t = new Thread(() -> System.out.println("thread")); t.start(); t.join();
		try { Object o = null; o.hashCode(); } catch (NullPointerException e) { System.out.println("null"); }
		try { deep(10000000); } catch (StackOverflowError e) { System.out.println("too deep"); }
		System.gc();
		Process p = new ProcessBuilder("echo", "child").inheritIO().start(); p.waitFor();
		Runtime.getRuntime().addShutdownHook(new Thread(() -> System.out.println("hook")));
		for (int i = 0; i < 500; i++) System.out.println("line " + i);
		System.exit(5);
	}
}
JAVA
if have Java javac && javac -d "$TMP" "$TMP/All.java" 2>/dev/null; then
	runtime "Java" java -Xshare:auto -XX:TieredStopAtLevel=1 -Xmx64m -cp "$TMP" All
fi

cat >"$TMP/all.rs" <<'RUST'
use std::io::Write;
extern "C" { fn printf(format: *const u8, ...) -> i32; fn fflush(f: *const u8) -> i32; }
fn main() {
    println!("println {} {:?}", 1, "text");
    eprintln!("eprintln");
    std::thread::spawn(|| println!("thread")).join().unwrap();
    let _ = std::panic::catch_unwind(|| panic!("caught"));
    std::io::stdout().flush().unwrap();
    std::process::Command::new("echo").arg("child").status().unwrap();
    unsafe { printf(b"printf %d\n\0".as_ptr(), 7 as i32); fflush(std::ptr::null()); }
    for i in 0..500 { println!("line {}", i); }
    panic!("the end");
}
RUST
if have Rust rustc; then
	if rustc -O -o "$TMP/all-rust" "$TMP/all.rs" 2>"$TMP/errors"; then
		runtime "Rust" env RUST_BACKTRACE=0 "$TMP/all-rust"
	else
		skip "B35: Rust: rustc does not work here: $(head -n 1 "$TMP/errors")"
	fi
fi

cat >"$TMP/all.go" <<'GO'
package main

/*
#include <stdio.h>
static void say(int n) { printf("printf %d\n", n); fflush(stdout); }
*/
import "C"
import ("fmt"; "os"; "os/exec"; "os/signal"; "sync"; "syscall")

func main() {
	fmt.Println("Println"); fmt.Fprintln(os.Stderr, "stderr")
	for i := 0; i < 20; i++ {
		var wait sync.WaitGroup
		wait.Add(1)
		go func() { C.say(C.int(i)); wait.Done() }()
		wait.Wait()
	}
	c := make(chan os.Signal, 1)
	signal.Notify(c, syscall.SIGUSR1); syscall.Kill(os.Getpid(), syscall.SIGUSR1)
	<-c; fmt.Println("signal")
	command := exec.Command("echo", "child"); command.Stdout = os.Stdout; command.Run()
	func() { defer func() { recover(); fmt.Println("recovered") }(); var p *int; *p = 1 }()
	os.Exit(6)
}
GO
if have "Go with cgo" go; then
	if (cd "$TMP" && GOCACHE=$TMP/go-cache GOFLAGS=-mod=mod GO111MODULE=off CGO_ENABLED=1 go build -o all-go all.go) 2>"$TMP/errors"; then
		if readelf -lW "$TMP/all-go" | grep -q INTERP; then
			# Go's own writes are system calls of its own: they go where they would have gone.
			natively "$TMP/native" "$TMP/all-go"
			recorded "$TMP/recorded" "$TMP/all-go"
			same "B35: Go with cgo: what its C part says is recorded, the rest is written" \
				"$(sort "$TMP/native/stdout")" "$(sort "$TMP/recorded/stdout" "$TMP/recorded/real.stdout")"
			same "B35: Go with cgo: printf is recorded" 20 "$(grep -c '^printf' "$TMP/recorded/stdout")"
			same "B35: Go with cgo: it ends as natively" "$(cat "$TMP/native/status")" "$(cat "$TMP/recorded/status")"
		else
			skip "B35: Go with cgo: it was linked statically"
		fi
	else
		skip "B35: Go with cgo: it cannot be built here: $(head -n 1 "$TMP/errors")"
	fi
fi
finish
