//! Tells cargo that the dashboard's files are part of the program: a new file alone does not change any Rust source. A debug build reads the dashboard's files when they are asked for, so they do not concern it.

#[expect(clippy::disallowed_methods, reason = "cargo tells build scripts of the profile by the environment")]
fn main() {
    // Without `..` in it, the path is found by a debug binary that was built before the folder existed.
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR"))
        .ancestors()
        .nth(2)
        .expect("crates lie two folders deep");
    println!("cargo::rustc-env=WEB_DIST={}", root.join("web/dist").display());
    if std::env::var("PROFILE").is_ok_and(|profile| profile == "release") {
        println!("cargo::rerun-if-changed=../../web/dist");
    }
}
