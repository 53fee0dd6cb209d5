//! Lists and reads the files that tidy looks at: what git tracks or would track.
//! Used by `tidy::run`. Never follows a link and never reads a binary file.

use super::source::SourceFile;
use std::path::Path;
use std::process::Command;

/// Extensions of the files that rules read; pictures, data and lock files are left alone.
const EXTENSIONS: &[&str] = &["rs", "toml", "sql", "md", "sh", "js", "mjs", "jsx", "ts", "tsx", "svelte"];

/// Reads the files of the working tree with one of `EXTENSIONS`: tracked and new ones, without ignored ones.
pub fn read_all(root: &Path) -> Result<Vec<SourceFile>, String> {
    let output = Command::new("git")
        .args(["ls-files", "-z", "--cached", "--others", "--exclude-standard"])
        .current_dir(root)
        .output()
        .map_err(|error| format!("could not start git: {error}"))?;
    if !output.status.success() {
        return Err(format!("git ls-files failed: {}", String::from_utf8_lossy(&output.stderr).trim()));
    }

    let mut files = Vec::new();
    for path in String::from_utf8_lossy(&output.stdout).split('\0').filter(|path| !path.is_empty()) {
        let extension = path.rsplit('.').next().unwrap_or_default();
        // A tracked file that was deleted, and a link, are not files.
        let is_file = root.join(path).symlink_metadata().is_ok_and(|data| data.is_file());
        if !is_file || !EXTENSIONS.contains(&extension) {
            continue;
        }
        let bytes =
            std::fs::read(root.join(path)).map_err(|error| format!("could not read {path}: {error}"))?;
        files.push(SourceFile::new(path, String::from_utf8_lossy(&bytes)));
    }
    Ok(files)
}
