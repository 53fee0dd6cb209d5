//! Which things may exist at all: a set in memory that follows a table with at most one query in a second, so that asking for
//! what does not exist costs the database nothing, however often it is done. Used for API keys and for hosts at the edge.
//! Must never be taken for an answer: what was deleted stays in it, and whatever is in it is still looked up.
//! See docs/decisions/0134.

use std::collections::HashSet;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::time::{Duration, Instant};

use store::DbError;
use tokio::sync::Mutex;

use crate::clock::Timestamp;

/// What another process made is known after this time.
const FOLLOW_EVERY: Duration = Duration::from_secs(1);
/// How far the clocks of two processes, and the time between making a row and storing it, may be apart.
const OVERLAP: Duration = Duration::from_secs(300);

/// Eight bytes of each member.
#[derive(Default)]
pub struct FollowedSet(Mutex<Known>);

#[derive(Default)]
struct Known {
    members: HashSet<u64>,
    newest: Option<Timestamp>,
    followed: Option<Instant>,
    is_loaded: bool,
}

/// The eight bytes of a text.
pub fn digest(text: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    text.hash(&mut hasher);
    hasher.finish()
}

impl FollowedSet {
    /// Whether there may be such a member. `list_since` reads those that were made since a time, with the time of each.
    ///
    /// While the database is away, what is known already; everything, when nothing could be read so far.
    pub async fn may_contain(
        &self,
        member: u64,
        list_since: impl AsyncFnOnce(Timestamp) -> Result<Vec<(u64, Timestamp)>, DbError>,
    ) -> bool {
        let mut known = self.0.lock().await;
        if known.members.contains(&member) {
            return true;
        }
        if known.followed.is_none_or(|at| at.elapsed() >= FOLLOW_EVERY) {
            let since = known.newest.map_or(Timestamp::from_millis(0), |newest| newest.minus(OVERLAP));
            match list_since(since).await {
                Ok(made) => known.extend(made),
                Err(error) => tracing::debug!(%error, "what was made lately could not be read"),
            }
            known.followed = Some(Instant::now());
        }
        !known.is_loaded || known.members.contains(&member)
    }

    /// Adds what this process made.
    pub async fn insert(&self, member: u64) {
        self.0.lock().await.members.insert(member);
    }
}

impl Known {
    fn extend(&mut self, made: Vec<(u64, Timestamp)>) {
        self.is_loaded = true;
        for (member, at) in made {
            self.members.insert(member);
            self.newest = self.newest.max(Some(at));
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;

    #[tokio::test]
    async fn many_questions_for_what_is_not_there_are_one_query() {
        let (set, queries) = (FollowedSet::default(), AtomicUsize::new(0));
        let ask = async |member| {
            set.may_contain(member, async |_| {
                queries.fetch_add(1, Ordering::Relaxed);
                Ok(vec![(7, Timestamp::from_millis(1_000_000))])
            })
            .await
        };

        let mut found = 0;
        for member in 0..1_000 {
            found += usize::from(ask(member).await);
        }

        assert_eq!((found, queries.load(Ordering::Relaxed)), (1, 1));
    }

    #[tokio::test]
    async fn what_this_process_made_is_known_at_once() {
        let set = FollowedSet::default();
        assert!(!set.may_contain(7, async |_| Ok(Vec::new())).await);

        set.insert(7).await;

        assert!(set.may_contain(7, async |_| Ok(Vec::new())).await);
    }
}
