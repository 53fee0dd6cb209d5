//! The spool: files in the data folder that hold counted visits until the database has them.
//! Used by the recorder. A file is a sequence of records (length, checksum, counts in postcard), locked while a process writes
//! or applies it. A process also applies the files of earlier processes. Pending files use no descriptors, since the store may
//! be unavailable for hours. Does blocking I/O: callers run it on blocking threads.
//! See docs/decisions/0180.

use std::collections::BTreeMap;
use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::model::{TimeKey, VisitKey};
use super::policy::RefusalKey;
use super::referrals::ReferralKey;

const EXTENSION: &str = "visits";
/// Extension of a file with records that cannot be read.
const DAMAGED: &str = "damaged";
/// Bytes of length and checksum in front of a record.
const HEAD_BYTES: usize = 8;
/// First byte of the payload of a record: the encoding of the counts.
const POSTCARD: u8 = 1;

/// Visits that were counted together.
#[derive(Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Counts {
    pub pages: Vec<(VisitKey, u64)>,
    pub times: Vec<(TimeKey, u64)>,
    /// People who came from assistants.
    pub referrals: Vec<(ReferralKey, u64)>,
    /// Refusals by crawler policies.
    pub refusals: Vec<(RefusalKey, u64)>,
}

/// Contents of a file.
#[derive(Debug, Default, PartialEq)]
pub struct Contents {
    /// Sum of all readable records, in a fixed order: a second read returns the same.
    pub counts: Counts,
    /// True when there are unreadable records: changed on the disk, or of a later version.
    pub is_damaged: bool,
}

/// A file of the spool that this process has locked.
#[derive(Debug)]
pub struct SpoolFile {
    file: File,
    path: PathBuf,
    bytes: u64,
}

impl SpoolFile {
    /// Creates a file with a unique name.
    pub fn create(folder: &Path) -> io::Result<SpoolFile> {
        fs::create_dir_all(folder)?;
        let (file, path) = loop {
            let path = folder.join(format!("{}.{EXTENSION}", uuid::Uuid::now_v7()));
            let file = OpenOptions::new().append(true).create_new(true).open(&path)?;
            match file.try_lock() {
                Ok(()) if path.exists() => break (file, path),
                // A process that lists files may have locked this one first, and has removed it or will.
                Ok(()) | Err(TryLockError::WouldBlock) => {}
                Err(TryLockError::Error(error)) => return Err(error),
            }
        };
        // The name itself must survive a power failure too.
        File::open(folder)?.sync_all()?;
        Ok(SpoolFile { file, path, bytes: 0 })
    }

    /// Closes the file, so that another process can lock it.
    pub fn close(mut self) -> WaitingFile {
        WaitingFile { path: std::mem::take(&mut self.path), bytes: self.bytes }
    }

    /// Returns the name of the file: part of the id under which its counts are applied.
    pub fn name(&self) -> String {
        self.path.file_stem().unwrap_or_default().to_string_lossy().into_owned()
    }

    /// Adds counts, and returns once they are on the disk. After an error the counts are not in the file.
    pub fn append(&mut self, counts: &Counts) -> io::Result<()> {
        let mut record = vec![0; HEAD_BYTES];
        record.push(POSTCARD);
        let mut record = postcard::to_extend(counts, record).map_err(io::Error::other)?;
        let (head, payload) = record.split_at_mut(HEAD_BYTES);
        let length = u32::try_from(payload.len()).map_err(io::Error::other)?;
        head[..4].copy_from_slice(&length.to_le_bytes());
        head[4..].copy_from_slice(&crc32fast::hash(payload).to_le_bytes());
        let written = self.file.write_all(&record).and_then(|()| self.file.sync_data());
        match written {
            Ok(()) => self.bytes += record.len() as u64,
            // A partial record would hide the records after it.
            Err(_) => self.file.set_len(self.bytes)?,
        }
        written
    }

    /// Reads all records of the file.
    ///
    /// A last record that was cut off is left out: its append never returned.
    pub fn read(&self) -> io::Result<Contents> {
        let bytes = fs::read(&self.path)?;
        let (mut pages, mut times) = (BTreeMap::new(), BTreeMap::new());
        let (mut referrals, mut refusals) = (BTreeMap::new(), BTreeMap::new());
        let (mut rest, mut is_damaged) = (bytes.as_slice(), false);
        while let Some((record, after)) = first_record(rest) {
            rest = after;
            let Some(counts) = record else {
                is_damaged = true;
                continue;
            };
            for (key, visits) in counts.pages {
                *pages.entry(key).or_default() += visits;
            }
            for (key, visits) in counts.times {
                *times.entry(key).or_default() += visits;
            }
            for (key, people) in counts.referrals {
                *referrals.entry(key).or_default() += people;
            }
            for (key, requests) in counts.refusals {
                *refusals.entry(key).or_default() += requests;
            }
        }
        let counts = Counts {
            pages: pages.into_iter().collect(),
            times: times.into_iter().collect(),
            referrals: referrals.into_iter().collect(),
            refusals: refusals.into_iter().collect(),
        };
        Ok(Contents { counts, is_damaged })
    }

    /// Renames the file so that no process applies it. Returns the new path.
    pub fn set_aside(self) -> io::Result<PathBuf> {
        let path = self.path.with_extension(DAMAGED);
        fs::rename(&self.path, &path)?;
        Ok(path)
    }

    /// Removes the file after its counts were stored.
    pub fn remove(self) -> io::Result<()> {
        fs::remove_file(&self.path)
    }
}

impl Drop for SpoolFile {
    /// Unlocks the file: a child process that is being started has a copy of the descriptor, and would hold the lock.
    fn drop(&mut self) {
        // When this fails, the lock ends with the last descriptor.
        let _ = self.file.unlock();
    }
}

/// File of the spool that is not open: its path and size.
#[derive(Debug, Clone, PartialEq)]
pub struct WaitingFile {
    path: PathBuf,
    bytes: u64,
}

impl WaitingFile {
    /// Lists the files of a folder, oldest first, including those that a process has locked.
    pub fn list(folder: &Path) -> io::Result<Vec<WaitingFile>> {
        let entries = match fs::read_dir(folder) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
            entries => entries?,
        };
        let mut found = Vec::new();
        for entry in entries {
            let path = entry?.path();
            if path.extension().is_none_or(|extension| extension != EXTENSION) {
                continue;
            }
            match fs::metadata(&path) {
                Ok(metadata) => found.push(WaitingFile { path, bytes: metadata.len() }),
                // Another process has applied and removed the file meanwhile.
                Err(error) if error.kind() == io::ErrorKind::NotFound => {}
                // Opening the file returns the error again.
                Err(_) => found.push(WaitingFile { path, bytes: 0 }),
            }
        }
        found.sort_by(|a, b| a.path.cmp(&b.path));
        Ok(found)
    }

    /// Returns the size of the file in bytes.
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Locks the file. None when another process has locked or removed it: that process has applied it, or will.
    pub fn lock(&self) -> io::Result<Option<SpoolFile>> {
        let file = match OpenOptions::new().append(true).open(&self.path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            file => file?,
        };
        match file.try_lock() {
            Err(TryLockError::WouldBlock) => return Ok(None),
            Err(TryLockError::Error(error)) => return Err(error),
            Ok(()) => {}
        }
        // Removed between opening and locking by a process that has applied it.
        if !self.path.exists() {
            return Ok(None);
        }
        let bytes = file.metadata()?.len();
        Ok(Some(SpoolFile { file, path: self.path.clone(), bytes }))
    }
}

/// Splits the first record, none when it is unreadable, from the bytes after it. None at the end, and at a last record that
/// was cut off: its bytes may be missing, or zero.
fn first_record(bytes: &[u8]) -> Option<(Option<Counts>, &[u8])> {
    if bytes.iter().all(|byte| *byte == 0) {
        return None;
    }
    let (length, rest) = bytes.split_first_chunk::<4>()?;
    let (checksum, rest) = rest.split_first_chunk::<4>()?;
    let (payload, after) = rest.split_at_checked(u32::from_le_bytes(*length) as usize)?;
    if crc32fast::hash(payload) != u32::from_le_bytes(*checksum) {
        return (!after.is_empty()).then_some((None, after));
    }
    let counts = match payload {
        [POSTCARD, counts @ ..] => postcard::from_bytes(counts).ok(),
        _ => None,
    };
    Some((counts, after))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{ServedBy, Verified};
    use domains::DomainId;

    fn counts(path: &str, visits: u64) -> Counts {
        let domain = DomainId::from("d");
        let page = VisitKey {
            domain: domain.clone(),
            day: 20_000,
            path: path.into(),
            crawler: "googlebot".into(),
            verified: Verified::Yes,
            served: ServedBy::Cache,
            status: 200,
        };
        let time = TimeKey { domain, day: 20_000, served: ServedBy::Cache, bucket: 7 };
        Counts { pages: vec![(page, visits)], times: vec![(time, visits)], ..Counts::default() }
    }

    #[test]
    fn what_was_appended_is_read_back_summed_up_and_sorted() {
        let folder = tempfile::tempdir().unwrap();
        let mut file = SpoolFile::create(folder.path()).unwrap();

        for (path, visits) in [("/b", 1), ("/a", 2), ("/b", 3)] {
            file.append(&counts(path, visits)).unwrap();
        }

        let read = file.read().unwrap().counts;
        let pages: Vec<_> = read.pages.iter().map(|(key, visits)| (&*key.path, *visits)).collect();
        assert_eq!(pages, [("/a", 2), ("/b", 4)]);
        assert_eq!(read.times[0].1, 6);
        assert_eq!(file.read().unwrap(), Contents { counts: read, is_damaged: false });
    }

    #[test]
    fn a_file_cut_off_anywhere_keeps_the_records_before() {
        let folder = tempfile::tempdir().unwrap();
        let mut file = SpoolFile::create(folder.path()).unwrap();
        file.append(&counts("/a", 1)).unwrap();
        let first = file.bytes;
        file.append(&counts("/b", 1)).unwrap();

        for length in first..file.bytes {
            let copy = folder.path().join("copy");
            fs::copy(&file.path, &copy).unwrap();
            OpenOptions::new().write(true).open(&copy).unwrap().set_len(length).unwrap();
            let cut = SpoolFile { file: File::open(&copy).unwrap(), path: copy, bytes: length };

            let read = cut.read().unwrap();
            assert_eq!((read.counts.pages.len(), read.is_damaged), (1, false), "{length} bytes");
        }
    }

    #[test]
    fn a_changed_byte_costs_its_record_and_is_noticed_before_the_last_one() {
        let folder = tempfile::tempdir().unwrap();
        let mut file = SpoolFile::create(folder.path()).unwrap();
        file.append(&counts("/a", 1)).unwrap();
        let first = file.bytes as usize;
        file.append(&counts("/b", 1)).unwrap();
        let bytes = fs::read(&file.path).unwrap();
        let read = |changed: usize| {
            let mut bytes = bytes.clone();
            bytes[changed] ^= 1;
            fs::write(&file.path, bytes).unwrap();
            file.read().unwrap()
        };

        let (in_first, in_last) = (read(first - 3), read(bytes.len() - 3));

        assert_eq!(in_first, Contents { counts: counts("/b", 1), is_damaged: true });
        assert_eq!(in_last, Contents { counts: counts("/a", 1), is_damaged: false });
    }

    #[test]
    fn a_record_of_a_later_version_is_noticed_and_a_tail_without_content_is_not() {
        let folder = tempfile::tempdir().unwrap();
        let mut file = SpoolFile::create(folder.path()).unwrap();
        file.append(&counts("/a", 1)).unwrap();
        let bytes = fs::read(&file.path).unwrap();
        let payload = b"\x02something";
        let (length, checksum) = (payload.len() as u32, crc32fast::hash(payload));
        let later = [&length.to_le_bytes()[..], &checksum.to_le_bytes(), payload].concat();
        let read = |more: &[u8]| {
            fs::write(&file.path, [&bytes, more].concat()).unwrap();
            file.read().unwrap()
        };

        assert_eq!(read(&later), Contents { counts: counts("/a", 1), is_damaged: true });
        assert_eq!(read(&[0; 100]), Contents { counts: counts("/a", 1), is_damaged: false });
    }

    #[test]
    fn only_one_process_at_a_time_has_a_file() {
        let folder = tempfile::tempdir().unwrap();
        let held = SpoolFile::create(folder.path()).unwrap();
        let left = SpoolFile::create(folder.path()).unwrap();
        let name = left.name();
        drop(left);

        let listed = WaitingFile::list(folder.path()).unwrap();
        let taken: Vec<SpoolFile> = listed.iter().filter_map(|file| file.lock().unwrap()).collect();

        assert_eq!(listed.len(), 2);
        assert_eq!(taken.iter().map(SpoolFile::name).collect::<Vec<_>>(), [name]);
        assert!(listed.iter().all(|file| file.lock().unwrap().is_none()));
        let waiting = held.close();
        waiting.lock().unwrap().expect("nobody has it now").remove().unwrap();
        assert!(waiting.lock().unwrap().is_none(), "it is gone");
    }

    #[test]
    fn a_new_file_is_never_one_that_somebody_removes() {
        let folder = tempfile::tempdir().unwrap();
        let is_over = std::sync::atomic::AtomicBool::new(false);

        std::thread::scope(|threads| {
            threads.spawn(|| {
                while !is_over.load(std::sync::atomic::Ordering::Relaxed) {
                    let listed = WaitingFile::list(folder.path()).unwrap();
                    listed
                        .iter()
                        .filter_map(|file| file.lock().unwrap())
                        .for_each(|file| file.remove().unwrap());
                }
            });
            let created = (0..500).map(|_| SpoolFile::create(folder.path()));
            let kept = created.filter(|file| file.as_ref().is_ok_and(|file| file.path.exists())).count();
            is_over.store(true, std::sync::atomic::Ordering::Relaxed);

            assert_eq!(kept, 500);
        });
    }

    #[test]
    fn a_closed_file_is_free_although_a_starting_process_has_its_descriptor() {
        let folder = tempfile::tempdir().unwrap();
        let file = SpoolFile::create(folder.path()).unwrap();
        let _inherited = file.file.try_clone().unwrap();

        let waiting = file.close();

        assert!(waiting.lock().unwrap().is_some());
    }
}
