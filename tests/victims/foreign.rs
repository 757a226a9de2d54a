// What Rust prints goes by lines to write(2).
use std::io::Write;
use std::thread;

fn main() {
    for i in 0..1000 {
        println!("line {} of {}", i, 1000);
    }
    print!("unfinished, ");
    eprintln!("on stderr {:?}", Some(5));
    let threads: Vec<_> = (0..4)
        .map(|t| {
            thread::spawn(move || {
                if t == 3 {
                    eprintln!("in a thread");
                }
            })
        })
        .collect();
    for t in threads {
        let _ = t.join();
    }
    std::io::stdout().write_all(b"bytes\n").unwrap();
    std::process::exit(4);
}
