//! Tells cargo that the migrations and the dashboard's files are part of the program: a new file alone does not change any
//! Rust source.

fn main() {
    println!("cargo::rerun-if-changed=../../migrations");
    println!("cargo::rerun-if-changed=../../web/dist");
}
