//! Locates the browser's binary. Used when the pool starts a browser.
//! Must never return a wrapper script when its program can be found: a signal to the script does not end the browser.

use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

/// File names to search for, in order of preference: only the headless shell draws frames on demand.
const NAMES: &[&str] = &[
    "chromium-headless-shell",
    "chrome-headless-shell",
    "headless_shell",
    "chromium",
    "chromium-browser",
    "google-chrome-stable",
    "google-chrome",
];

/// Folders of the programs that packages start through scripts.
const FOLDERS: &[&str] =
    &["/usr/lib/chromium", "/usr/lib64/chromium", "/usr/lib/chromium-browser", "/opt/google/chrome"];

/// Remedy for a missing browser.
pub(crate) const REMEDY: &str =
    "install one (Debian: apt install chromium-headless-shell) or name its binary in render.chromium";

/// Locates an installed browser on PATH and in the usual folders, the headless shell first.
pub fn locate_browser() -> Option<PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let folders: Vec<PathBuf> =
        std::env::split_paths(&path).chain(FOLDERS.iter().map(PathBuf::from)).collect();
    NAMES.iter().find_map(|name| {
        let found = folders.iter().map(|folder| folder.join(name)).find(|candidate| candidate.is_file())?;
        Some(program_behind(&found))
    })
}

/// Returns the program that a wrapper script starts; returns the path of a program unchanged.
pub(crate) fn program_behind(path: &Path) -> PathBuf {
    let mut start = Vec::new();
    let read = File::open(path).and_then(|file| file.take(64 << 10).read_to_end(&mut start));
    if read.is_err() || !start.starts_with(b"#!") {
        return path.to_owned();
    }
    let name = path.file_name().unwrap_or_default();
    let script = String::from_utf8_lossy(&start);
    let named = script
        .split(|c: char| c.is_whitespace() || matches!(c, '"' | '\'' | '=' | ';'))
        .filter(|word| word.starts_with('/'))
        .flat_map(|word| [PathBuf::from(word), Path::new(word).join(name)]);
    let usual = FOLDERS.iter().map(|folder| Path::new(folder).join(name));
    // A script may also name other programs, such as a debugger.
    let is_it = |candidate: &PathBuf| candidate.file_name() == Some(name) && is_program(candidate);
    named.chain(usual).find(is_it).unwrap_or_else(|| path.to_owned())
}

fn is_program(path: &Path) -> bool {
    let mut magic = [0; 4];
    File::open(path).and_then(|mut file| file.read_exact(&mut magic)).is_ok() && magic == *b"\x7fELF"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wrapper_script_is_resolved_to_its_program() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir(folder.path().join("lib")).unwrap();
        let program = folder.path().join("lib/shell");
        let debugger = folder.path().join("debugger");
        std::fs::write(&program, b"\x7fELF...").unwrap();
        std::fs::write(&debugger, b"\x7fELF...").unwrap();
        let script = folder.path().join("shell");
        let text = format!("#!/bin/sh -e\nGDB={}\n{} \"$@\"\n", debugger.display(), program.display());
        std::fs::write(&script, text).unwrap();

        assert_eq!(program_behind(&script), program);
        assert_eq!(program_behind(&program), program);
    }
}
