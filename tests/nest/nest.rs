// Inlining in Rust: generics, closures, traits, iterators.
use std::collections::BTreeMap;
use std::fmt;

struct Tree {
    name: String,
}

trait Height {
    fn height(&self) -> usize;
    #[inline]
    fn doubled(&self) -> usize {
        self.height() * 2
    }
}

impl Height for Tree {
    fn height(&self) -> usize {
        self.name.chars().filter(|c| *c != 'x').count()
    }
}

impl fmt::Display for Tree {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(to, "<{}>", self.name)
    }
}

#[inline(always)]
fn leaf(x: u32) -> u32 {
    println!("{}", x);
    x.wrapping_mul(3)
}

#[inline(always)]
fn twig(x: u32) -> u32 {
    (0..x).map(|i| leaf(i) ^ leaf(x - i)).sum()
}

#[inline(never)]
fn branch<T: fmt::Display>(what: T, x: u32) -> u32 {
    println!("{}", what);
    twig(x) + twig(x + 1)
}

fn main() {
    let mut counts: BTreeMap<String, u32> = BTreeMap::new();
    for word in std::env::args() {
        *counts.entry(word).or_insert(0) += 1;
    }
    for (word, count) in &counts {
        let tree = Tree { name: word.clone() };
        println!("{} {}", branch(&tree, *count), tree.doubled());
    }
    branch("end", counts.len() as u32);
}
