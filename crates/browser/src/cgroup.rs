//! One memory cgroup per browser, where the service may create one. Used by the browser; plain files only.
//! Must never touch a cgroup that it did not create, except to move this process into a leaf (a rule of version 2).

use std::fs::{self, File, OpenOptions};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// Prefix of the names, followed by the process id of the service.
const PREFIX: &str = "glasshouse-browser-";

/// Cgroup with a memory limit. Removed when dropped; its processes must have ended by then.
#[derive(Debug)]
pub(crate) struct Cgroup {
    folder: PathBuf,
}

impl Cgroup {
    /// Creates a cgroup for the next browser. Returns `None` where the service may not.
    pub fn for_browser(limit_bytes: u64) -> Option<Cgroup> {
        static NUMBER: AtomicU64 = AtomicU64::new(0);
        let name = NUMBER.fetch_add(1, Ordering::Relaxed).to_string();
        Cgroup::create(&name, limit_bytes)
            .inspect_err(
                |error| tracing::debug!(%error, "no memory cgroup for the browser; the supervisor bounds its memory"),
            )
            .ok()
    }

    /// Creates a child of this process's own cgroup with a memory limit. The error says what forbids it.
    fn create(name: &str, limit_bytes: u64) -> io::Result<Cgroup> {
        let membership = fs::read_to_string("/proc/self/cgroup")?;
        let (hierarchy, path) = controller_path(&membership, "memory")
            .ok_or_else(|| io::Error::from(io::ErrorKind::Unsupported))?;
        let own = own_or_root(hierarchy, "memory", path);
        let (parent, limits): (PathBuf, &[(&str, String)]) = match hierarchy {
            Hierarchy::V1 => (own, &[("memory.limit_in_bytes", limit_bytes.to_string())]),
            Hierarchy::V2 => (
                delegate(&own)?,
                &[("memory.max", limit_bytes.to_string()), ("memory.swap.max", "0".to_owned())],
            ),
        };
        sweep(&parent);
        let folder = parent.join(format!("{PREFIX}{}-{name}", std::process::id()));
        fs::create_dir(&folder)?;
        let cgroup = Cgroup { folder };
        for (file, value) in limits {
            let written = fs::write(cgroup.folder.join(file), value);
            // Swap accounting may be compiled out; without swap there is nothing to limit.
            if *file != "memory.swap.max" {
                written?;
            }
        }
        Ok(cgroup)
    }

    /// Opens the file to which a process writes `0` in order to join.
    pub fn procs(&self) -> io::Result<File> {
        OpenOptions::new().write(true).open(self.folder.join("cgroup.procs"))
    }
}

impl Drop for Cgroup {
    fn drop(&mut self) {
        // The kernel may need a moment to see that the last process is gone.
        for attempt in 0..20 {
            match fs::remove_dir(&self.folder) {
                Err(error) if error.kind() != io::ErrorKind::NotFound && attempt < 19 => {
                    std::thread::sleep(Duration::from_millis(10));
                }
                Err(error) if error.kind() != io::ErrorKind::NotFound => {
                    tracing::warn!(folder = %self.folder.display(), %error, "could not remove the browser's cgroup");
                }
                _ => return,
            }
        }
    }
}

/// Removes cgroups of services that were killed. The kernel refuses to remove a cgroup that has processes.
fn sweep(parent: &Path) {
    for entry in fs::read_dir(parent).into_iter().flatten().flatten() {
        let name = entry.file_name();
        let owner =
            name.to_str().and_then(|name| name.strip_prefix(PREFIX)?.split('-').next()?.parse::<u32>().ok());
        if owner.is_some_and(|pid| !Path::new("/proc").join(pid.to_string()).exists()) {
            let _ = fs::remove_dir(entry.path());
        }
    }
}

/// Version of the control groups.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Hierarchy {
    /// One hierarchy per controller.
    V1,
    V2,
}

/// Returns the folder of this process's own cgroup for a controller; `None` where there are no cgroups.
pub(crate) fn own_folder(controller: &str) -> Option<(PathBuf, Hierarchy)> {
    let membership = fs::read_to_string("/proc/self/cgroup").ok()?;
    let (hierarchy, path) = controller_path(&membership, controller)?;
    Some((own_or_root(hierarchy, controller, path), hierarchy))
}

/// Returns the folder of a cgroup path, or the mount: a container sees its own cgroup as the root, under a path of the host.
fn own_or_root(hierarchy: Hierarchy, controller: &str, path: &str) -> PathBuf {
    let mount = match hierarchy {
        Hierarchy::V1 => Path::new("/sys/fs/cgroup").join(controller),
        Hierarchy::V2 => PathBuf::from("/sys/fs/cgroup"),
    };
    let own = mount.join(path);
    if own.is_dir() { own } else { mount }
}

/// Reads `/proc/self/cgroup`: the controller's own hierarchy when there is one (version 1), else the unified one.
fn controller_path<'a>(membership: &'a str, controller: &str) -> Option<(Hierarchy, &'a str)> {
    // `number:controllers:path`; the path may contain colons.
    let lines = || membership.lines().filter_map(|line| line.split_once(':')?.1.split_once(':'));
    lines()
        .find(|(controllers, _)| controllers.split(',').any(|name| name == controller))
        .map(|(_, path)| (Hierarchy::V1, path.trim_start_matches('/')))
        .or_else(|| {
            let (_, path) = lines().find(|(controllers, _)| controllers.is_empty())?;
            Some((Hierarchy::V2, path.trim_start_matches('/')))
        })
}

/// Enables the memory controller below `own`. Version 2 allows that only in a cgroup without processes, so this process moves
/// into a leaf first, provided that it is the only one.
fn delegate(own: &Path) -> io::Result<PathBuf> {
    let has_memory = |file: &str| -> io::Result<bool> {
        Ok(fs::read_to_string(own.join(file))?.split_whitespace().any(|name| name == "memory"))
    };
    if own.ends_with("glasshouse-service") {
        return own.parent().map(Path::to_owned).ok_or_else(|| io::ErrorKind::NotFound.into());
    }
    if !has_memory("cgroup.controllers")? {
        return Err(io::Error::from(io::ErrorKind::Unsupported));
    }
    if !has_memory("cgroup.subtree_control")? {
        let inhabitants = fs::read_to_string(own.join("cgroup.procs"))?;
        if inhabitants.trim() != std::process::id().to_string() {
            return Err(io::Error::new(
                io::ErrorKind::PermissionDenied,
                "other processes are in this cgroup",
            ));
        }
        let leaf = own.join("glasshouse-service");
        fs::create_dir_all(&leaf)?;
        fs::write(leaf.join("cgroup.procs"), "0")?;
        fs::write(own.join("cgroup.subtree_control"), "+memory")?;
    }
    Ok(own.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_memory_hierarchy_takes_precedence_over_the_unified_one() {
        let mixed = "4:memory:/a/b\n1:cpu:/\n0::/unified\n";

        assert_eq!(controller_path(mixed, "memory"), Some((Hierarchy::V1, "a/b")));
        let unified = "0::/system.slice/x.service\n";
        assert_eq!(controller_path(unified, "memory"), Some((Hierarchy::V2, "system.slice/x.service")));
        assert_eq!(controller_path("", "memory"), None);
    }
}
