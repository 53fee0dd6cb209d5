//! Tells cargo that the migrations are part of the program: a new file alone does not change any Rust source.

fn main() {
    println!("cargo::rerun-if-changed=../../migrations");
}
