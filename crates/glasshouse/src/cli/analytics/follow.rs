//! `glasshouse analytics import --follow`: a log and the lines that are appended to it, through its rotations.
//! A renamed file is read further beside the one with its former name, because servers write to it until they are told.
//! See docs/decisions/0190.

use std::fs::File;
use std::io::{self, BufReader};
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::time::{Duration, Instant};

use anyhow::Context as _;
use futures::FutureExt;
use tokio::signal::unix::{Signal, SignalKind, signal};

use super::{BUFFER_BYTES, is_compressed, open, summary};
use crate::cli::{BadUsage, output};
use analytics::import::{Import, Imported};

/// Interval between two checks of a followed log.
const FOLLOW_EVERY: Duration = Duration::from_millis(500);
/// Time without a new line after which a renamed file is no longer read: children of Apache write to it for minutes.
const SILENT_FOR: Duration = Duration::from_secs(60);

/// Reads a file, the lines that are appended to it, and the file that takes its name, until the command is interrupted.
pub async fn follow_log(file: &Path, start: impl Fn() -> Import) -> anyhow::Result<Imported> {
    // Installed before reading, so that no signal is lost.
    let mut signals = Signals::new()?;
    let mut follower = LogFollower::default();
    follower.add(file, open(file)?, start())?;
    loop {
        // Checked before reading: the lines written until a file is emptied are read below.
        let next = follower.replacement(file)?;
        for at in 0..follower.logs.len() {
            while follower.logs[at].read_part().await? {
                follower.tell();
                if signals.came() {
                    return Ok(follower.imported());
                }
            }
        }
        follower.tell();
        if let Some((next, was_emptied)) = next {
            if was_emptied {
                follower.finish(|log| log.is_current).await?;
            }
            follower.add(file, next, start())?;
        }
        follower.finish(|log| !log.is_current && log.last_read.elapsed() >= SILENT_FOR).await?;
        tokio::select! {
            () = tokio::time::sleep(FOLLOW_EVERY) => {}
            () = signals.recv() => {
                follower.finish(|_| true).await?;
                return Ok(follower.imported());
            }
        }
    }
}

/// Files that are read further, and the counts of finished ones.
#[derive(Default)]
struct LogFollower {
    logs: Vec<FollowedLog>,
    done: Imported,
    told: Imported,
}

struct FollowedLog {
    log: BufReader<File>,
    id: u64,
    import: Import,
    last_read: Instant,
    /// True if the file had the followed name at the last check.
    is_current: bool,
}

impl LogFollower {
    /// Follows the file that has the name now.
    fn add(&mut self, file: &Path, opened: File, import: Import) -> anyhow::Result<()> {
        let id = opened.metadata()?.ino();
        let mut log = BufReader::with_capacity(BUFFER_BYTES, opened);
        // A compressed file is smaller than its text, and would look emptied at each check.
        if is_compressed(&mut log)? {
            let why = format!("--follow needs a log as text: {} is compressed", file.display());
            return Err(BadUsage(why).into());
        }
        self.logs.iter_mut().for_each(|log| log.is_current = false);
        self.logs.push(FollowedLog { log, id, import, last_read: Instant::now(), is_current: true });
        Ok(())
    }

    /// Opens the file that has the name now, when it is another file or was emptied; the flag is true for an emptied one. Returns
    /// `None` while there is no change.
    fn replacement(&self, file: &Path) -> anyhow::Result<Option<(File, bool)>> {
        let Some(current) = self.logs.iter().find(|log| log.is_current) else { return Ok(None) };
        let now = match File::open(file) {
            Ok(now) => now,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(error).with_context(|| format!("cannot open {}", file.display())),
        };
        let about = now.metadata()?;
        let was_emptied = about.ino() == current.id && about.len() < current.import.bytes_read();
        Ok((about.ino() != current.id || was_emptied).then_some((now, was_emptied)))
    }

    /// Ends the import of the files for which `is_over` returns true.
    async fn finish(&mut self, is_over: impl Fn(&FollowedLog) -> bool) -> anyhow::Result<()> {
        for mut log in self.logs.extract_if(.., |log| is_over(log)).collect::<Vec<_>>() {
            self.done = self.done.plus(log.import.finish().await?);
        }
        Ok(())
    }

    fn imported(&self) -> Imported {
        self.logs.iter().fold(self.done, |sum, log| sum.plus(log.import.imported()))
    }

    fn tell(&mut self) {
        let now = self.imported();
        if now != self.told {
            output::note(&summary(now));
            self.told = now;
        }
    }
}

impl FollowedLog {
    /// Imports some of the appended lines. Returns false when there are no more.
    async fn read_part(&mut self) -> anyhow::Result<bool> {
        let before = self.import.bytes_read();
        let has_more = self.import.read_part(&mut self.log).await?;
        if self.import.bytes_read() != before {
            self.last_read = Instant::now();
        }
        Ok(has_more)
    }
}

/// Signals that end the command.
struct Signals {
    terminate: Signal,
    interrupt: Signal,
}

impl Signals {
    fn new() -> io::Result<Signals> {
        Ok(Signals {
            terminate: signal(SignalKind::terminate())?,
            interrupt: signal(SignalKind::interrupt())?,
        })
    }

    async fn recv(&mut self) {
        tokio::select! {
            _ = self.terminate.recv() => {}
            _ = self.interrupt.recv() => {}
        }
    }

    /// Returns true when a signal has arrived.
    fn came(&mut self) -> bool {
        self.recv().now_or_never().is_some()
    }
}
