//! Progress of the import of a log: a checkpoint is the hash of every line up to one, in order. Pure.
//! A file that is read again, or that has grown since, has the checkpoints of the first import; another file does not.
//! See docs/decisions/0190.

use sha2::{Digest, Sha256};

/// Beginning of what is recorded of pushed logs. It is forgotten after a day.
pub const PUSHED: &str = "push:";

/// Hash of everything up to and including a line, in 32 hexadecimal digits; after [`PUSHED`] for a log that was pushed.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Checkpoint(String);

impl Checkpoint {
    /// Returns the text in the database.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// Hash of the lines read so far.
#[derive(Debug, Default)]
pub struct LineChain {
    hash: [u8; 32],
    /// Beginning of its checkpoints.
    prefix: &'static str,
}

impl LineChain {
    /// Begins the chain of a pushed log. Logs with equal ids are one log.
    pub fn pushed(id: [u8; 32]) -> LineChain {
        LineChain { hash: id, prefix: PUSHED }
    }

    /// Adds a line and returns the checkpoint after it.
    pub fn add(&mut self, line: &[u8]) -> Checkpoint {
        let mut hash = Sha256::new();
        hash.update(self.hash);
        hash.update(line);
        self.hash = hash.finalize().into();
        Checkpoint(self.prefix.to_owned() + &hex::encode(&self.hash[..16]))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn after(lines: &[&str]) -> Checkpoint {
        let mut chain = LineChain::default();
        lines.iter().map(|line| chain.add(line.as_bytes())).last().expect("at least one line")
    }

    #[test]
    fn a_checkpoint_is_about_content_and_position() {
        let same = after(&["a", "b"]);

        assert_eq!(after(&["a", "b"]), same);
        for other in [after(&["b", "a"]), after(&["a", "b", "b"]), after(&["ab"]), after(&["b"])] {
            assert_ne!(other, same);
        }
    }
}
