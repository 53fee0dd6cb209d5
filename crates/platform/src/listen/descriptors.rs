//! The process's limit of open files, raised at the start: every connection is one, and the usual soft limit is 1,024.

use std::io;

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

/// Share of the descriptors that one listener's connections may take: each may need another one towards an origin, and
/// the database, files and browsers need some too.
const SHARE: u64 = 4;
/// More connections than this are a matter for a second machine.
const MOST_CONNECTIONS: usize = 50_000;
const LEAST_CONNECTIONS: usize = 64;

/// Raises the soft limit to the hard one. Best effort: the hard limit is the operator's.
pub fn raise_limit() {
    let limit = getrlimit(Resource::Nofile);
    if limit.current < limit.maximum
        && let Err(error) =
            setrlimit(Resource::Nofile, Rlimit { current: limit.maximum, maximum: limit.maximum })
    {
        tracing::debug!(error = %io::Error::from(error), "the limit of open files stays as it is");
    }
}

/// Returns the most connections of a listener when the settings do not say.
pub fn connections_by_default() -> usize {
    connections_of(getrlimit(Resource::Nofile).current)
}

fn connections_of(descriptors: Option<u64>) -> usize {
    let share = descriptors.and_then(|limit| usize::try_from(limit / SHARE).ok());
    share.unwrap_or(MOST_CONNECTIONS).clamp(LEAST_CONNECTIONS, MOST_CONNECTIONS)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_default_is_a_quarter_of_the_descriptors_within_reason() {
        let found = [Some(100), Some(1024), Some(65_536), Some(10_000_000), None].map(connections_of);

        assert_eq!(found, [64, 256, 16_384, 50_000, 50_000]);
    }
}
