//! Profile folders of browsers: one per start, locked while in use, removed when their service has died. Used by the
//! environment.
//! Must never remove a folder whose browser still runs.

use std::fs::{self, File, TryLockError};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

static NUMBER: AtomicU64 = AtomicU64::new(0);

/// Parent of the profile folders of one service, and its lock.
#[derive(Debug, Clone)]
pub(crate) struct Profiles {
    session: PathBuf,
    _lock: Arc<File>,
}

impl Profiles {
    /// Creates and locks a folder below `parent`. Removes the folders of services that have died.
    pub fn open(parent: &Path) -> io::Result<Profiles> {
        let parent = std::path::absolute(parent)?;
        fs::create_dir_all(&parent)?;
        sweep(&parent);
        let name = format!("browsers-{}-{}", std::process::id(), NUMBER.fetch_add(1, Ordering::Relaxed));
        let session = parent.join(name);
        fs::create_dir_all(&session)?;
        let lock = File::create(session.join("lock"))?;
        lock.lock()?;
        Ok(Profiles { session, _lock: Arc::new(lock) })
    }

    /// Creates an empty folder for a browser.
    pub fn make(&self) -> io::Result<PathBuf> {
        let folder = self.session.join(NUMBER.fetch_add(1, Ordering::Relaxed).to_string());
        fs::create_dir_all(&folder)?;
        Ok(folder)
    }

    /// Removes all folders.
    pub fn remove(&self) {
        if let Err(error) = fs::remove_dir_all(&self.session) {
            tracing::debug!(folder = %self.session.display(), %error, "could not remove the browsers' folder");
        }
    }
}

fn sweep(parent: &Path) {
    let Ok(entries) = fs::read_dir(parent) else { return };
    for entry in
        entries.flatten().filter(|entry| entry.file_name().as_encoded_bytes().starts_with(b"browsers-"))
    {
        let Ok(lock) = File::open(entry.path().join("lock")) else { continue };
        match lock.try_lock() {
            Ok(()) => {
                tracing::info!(folder = %entry.path().display(), "removing profiles of a service that has died");
                let _ = fs::remove_dir_all(entry.path());
            }
            Err(TryLockError::WouldBlock | TryLockError::Error(_)) => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_folders_of_dead_services_are_removed() {
        let parent = tempfile::tempdir().unwrap();
        let dead = Profiles::open(parent.path()).unwrap();
        let dead_folder = dead.make().unwrap();
        drop(dead);
        let alive = Profiles::open(parent.path()).unwrap();
        let alive_folder = alive.make().unwrap();

        let _next = Profiles::open(parent.path()).unwrap();

        assert!(!dead_folder.exists());
        assert!(alive_folder.exists());
    }
}
