//! The file of a backup: a tar of the manifest, the rows of each table and the objects, in one zstd frame with a checksum.
//! A separate thread writes or reads it, an entry at a time. Must never hold more than some entries.

use std::fmt;
use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use anyhow::{Context as _, bail};
use serde::{Deserialize, Serialize};
use store::dump::Table;
use tokio::sync::mpsc;
use tokio::task::JoinHandle;

/// Format version that this program writes. A higher number is refused.
pub const FORMAT: u32 = 1;
/// Name of the first entry.
pub const MANIFEST: &str = "manifest.json";
/// Name of the entry with the installation's secret.
pub const SECRET: &str = "secret";
/// Folder of rows: `rows/TABLE/NUMBER.json`, an array of objects.
pub const ROWS: &str = "rows/";
/// Folder of objects, by key.
pub const OBJECTS: &str = "objects/";

const COMPRESSION_LEVEL: i32 = 3;
/// Entries that wait between the thread and its caller.
const ON_THE_WAY: usize = 4;

/// First entry of a file.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Manifest {
    /// Format version; see [`FORMAT`].
    pub glasshouse_backup: u32,
    /// Newest migration of the database at the backup.
    pub schema: i64,
    /// Version of the program that wrote the file.
    pub made_by: String,
    /// Tables, in the order in which their rows can be written.
    pub tables: Vec<Table>,
}

/// Returns true when a table's rows are backed up. Only running processes use the log of changes, and each database
/// numbers it by itself. Secrets of session tickets are deleted after two days, and must not survive in backups.
pub fn is_kept(table: &Table) -> bool {
    !matches!(table.name.as_str(), "changes" | "ticket_secrets")
}

/// Numbers of entries in a file.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Amounts {
    /// Rows, over all tables.
    pub rows: u64,
    pub objects: u64,
}

impl fmt::Display for Amounts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} rows and {} objects", self.rows, self.objects)
    }
}

/// Name and bytes of an entry.
pub type ArchiveEntry = (String, Vec<u8>);

/// A file that is being written. It gets its name in [`Writer::finish`].
pub struct Writer {
    entries: mpsc::Sender<ArchiveEntry>,
    writing: JoinHandle<anyhow::Result<()>>,
}

impl Writer {
    /// Begins a file, which must not exist yet. Only its owner may read it, since it has secrets.
    pub fn create(path: &Path) -> anyhow::Result<Writer> {
        if path.exists() {
            bail!("{} is there already", path.display());
        }
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
        // Readable by its owner only, and deleted with the process unless it gets its name.
        let partial = tempfile::Builder::new().prefix(".glasshouse-backup-").tempfile_in(folder);
        let partial = partial.with_context(|| format!("cannot write to {}", folder.display()))?;
        let (entries, received) = mpsc::channel(ON_THE_WAY);
        let path = path.to_owned();
        let writing = tokio::task::spawn_blocking(move || {
            let written = write(partial.as_file(), received).and_then(|is_whole| match is_whole {
                true => partial.persist_noclobber(&path).map(drop).map_err(|refused| refused.error),
                false => Ok(()),
            });
            written.with_context(|| format!("cannot write {}", path.display()))
        });
        Ok(Writer { entries, writing })
    }

    /// Adds an entry.
    pub async fn add(&self, name: String, bytes: Vec<u8>) -> anyhow::Result<()> {
        // The reason of an ended thread is reported by `finish`.
        self.entries.send((name, bytes)).await.context("the file cannot be written any further")
    }

    /// Returns true when nothing more can be written; [`Writer::finish`] returns the reason.
    pub fn is_broken(&self) -> bool {
        self.entries.is_closed()
    }

    /// Ends the file, and gives it its name once it is on the disk.
    pub async fn finish(self) -> anyhow::Result<()> {
        // The empty name ends the file; a backup whose entries end without it has failed.
        let _ = self.entries.send((String::new(), Vec::new())).await;
        drop(self.entries);
        self.writing.await.context("the writer failed")?
    }
}

/// Writes entries until the one that ends the file. Returns false when that one is missing.
fn write(file: &File, mut entries: mpsc::Receiver<ArchiveEntry>) -> io::Result<bool> {
    let mut packer = zstd::Encoder::new(file, COMPRESSION_LEVEL)?;
    packer.include_checksum(true)?;
    let mut tar = tar::Builder::new(packer);
    while let Some((name, bytes)) = entries.blocking_recv() {
        if name.is_empty() {
            let file = tar.into_inner()?.finish()?;
            file.sync_all()?;
            return Ok(true);
        }
        let mut head = tar::Header::new_gnu();
        head.set_size(bytes.len() as u64);
        head.set_mode(0o600);
        head.set_cksum();
        tar.append_data(&mut head, &name, bytes.as_slice())?;
    }
    Ok(false)
}

/// A file that is being read.
pub struct ArchiveReader {
    entries: mpsc::Receiver<anyhow::Result<ArchiveEntry>>,
}

impl ArchiveReader {
    /// Reads the entries whose name has one of these prefixes. Checks all bytes in any case.
    pub fn open(path: &Path, wanted: &'static [&'static str]) -> anyhow::Result<ArchiveReader> {
        let file = File::open(path).with_context(|| format!("cannot open {}", path.display()))?;
        let (sender, entries) = mpsc::channel(ON_THE_WAY);
        // The task ends with the file, or when the reader is dropped.
        let path = path.to_owned();
        tokio::task::spawn_blocking(move || {
            let read = read(file, wanted, &sender);
            let read = read.with_context(|| format!("{} is no backup, or is damaged", path.display()));
            if let Err(error) = read {
                let _ = sender.blocking_send(Err(error));
            }
        });
        Ok(ArchiveReader { entries })
    }

    pub async fn next(&mut self) -> anyhow::Result<Option<ArchiveEntry>> {
        self.entries.recv().await.transpose()
    }
}

fn read(file: File, wanted: &[&str], to: &mpsc::Sender<anyhow::Result<ArchiveEntry>>) -> anyhow::Result<()> {
    let mut tar = tar::Archive::new(zstd::Decoder::new(file)?);
    for entry in tar.entries()? {
        let mut entry = entry?;
        let name = String::from_utf8(entry.path_bytes().into_owned())?;
        if !wanted.iter().any(|beginning| name.starts_with(beginning)) {
            io::copy(&mut entry, &mut io::sink())?;
            continue;
        }
        let mut bytes = Vec::new();
        entry.read_to_end(&mut bytes)?;
        if to.blocking_send(Ok((name, bytes))).is_err() {
            return Ok(());
        }
    }
    // The bytes after the last entry hold the checksum of all.
    io::copy(&mut tar.into_inner(), &mut io::sink())?;
    Ok(())
}
