//! Hashing and checking passwords (Argon2id). Slow on purpose, so always on a blocking thread, few at a time and with a
//! bounded queue. Must never log or return a password.
//! See docs/decisions/0012.

use std::num::NonZeroUsize;
use std::sync::LazyLock;
use std::thread::available_parallelism;

use argon2::Argon2;
use argon2::password_hash::phc::PasswordHash;
use argon2::password_hash::{PasswordHasher, PasswordVerifier};
use tokio::sync::Semaphore;

/// Maximum number of checks at once. Each one takes 19 MiB: a burst of sign-ins must not take the memory of the renders.
const MOST_AT_ONCE: usize = 4;
/// Maximum number of checks in the queue; further ones are refused.
const MOST_WAITING: usize = 64;

static QUEUE: LazyLock<PasswordQueue> = LazyLock::new(|| {
    PasswordQueue::new(permits(available_parallelism().map_or(1, NonZeroUsize::get)), MOST_WAITING)
});

/// Password checks that run and wait.
struct PasswordQueue {
    /// Places of checks that run or wait.
    room: Semaphore,
    /// Places of checks that run.
    running: Semaphore,
}

/// Too many password checks wait.
#[derive(Debug, PartialEq, Eq)]
pub struct PasswordsBusy;

impl PasswordQueue {
    fn new(at_once: usize, waiting: usize) -> PasswordQueue {
        PasswordQueue { room: Semaphore::new(at_once + waiting), running: Semaphore::new(at_once) }
    }

    async fn run<T: Send + 'static>(
        &self,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T, PasswordsBusy> {
        let _room = self.room.try_acquire().map_err(|_| PasswordsBusy)?;
        let _permit = self.running.acquire().await.expect("the semaphore is never closed");
        Ok(tokio::task::spawn_blocking(work).await.expect("hashing does not panic"))
    }
}

/// Decides how many checks run at once: fewer than there are cores, so that sign-ins leave one for everything else.
fn permits(cores: usize) -> usize {
    cores.saturating_sub(1).clamp(1, MOST_AT_ONCE)
}

/// Hash that a sign-in with an unknown e-mail is checked against, so that it takes as long as one with a known e-mail.
static NOBODY: LazyLock<String> = LazyLock::new(|| hash_now("nobody has this password"));

/// Makes the stored form of a password.
pub(super) async fn hash(password: String) -> String {
    let _permit = QUEUE.running.acquire().await.expect("the semaphore is never closed");
    tokio::task::spawn_blocking(move || hash_now(&password)).await.expect("hashing does not panic")
}

/// Decides whether `password` is the one that `stored` was made of. `None`, an unknown account, is checked too, and wrong.
pub(super) async fn verify(password: String, stored: Option<String>) -> Result<bool, PasswordsBusy> {
    let check = move || {
        let is_known = stored.is_some();
        let stored = stored.unwrap_or_else(|| NOBODY.clone());
        let Ok(parsed) = PasswordHash::new(&stored) else { return false };
        Argon2::default().verify_password(password.as_bytes(), &parsed).is_ok() && is_known
    };
    QUEUE.run(check).await
}

fn hash_now(password: &str) -> String {
    Argon2::default().hash_password(password.as_bytes()).expect("the parameters are Argon2's own").to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_password_is_verified_against_its_hash_only() {
        let stored = hash("correct horse".to_owned()).await;

        assert!(stored.starts_with("$argon2id$"));
        assert_eq!(verify("correct horse".to_owned(), Some(stored.clone())).await, Ok(true));
        assert_eq!(verify("correct horse ".to_owned(), Some(stored)).await, Ok(false));
    }

    #[tokio::test]
    async fn nobody_can_sign_in_to_an_account_that_does_not_exist() {
        assert_eq!(verify("nobody has this password".to_owned(), None).await, Ok(false));
    }

    #[test]
    fn fewer_checks_run_at_once_than_there_are_cores() {
        let permits = [1, 2, 3, 4, 64].map(permits);

        assert_eq!(permits, [1, 1, 2, 3, 4]);
    }

    #[tokio::test]
    async fn a_bounded_number_of_checks_waits_and_further_ones_are_refused() {
        let queue = PasswordQueue::new(1, 2);
        let (end, ended) = std::sync::mpsc::channel::<()>();

        let first = queue.run(move || ended.recv());
        let others = async {
            let (second, third, fourth) = tokio::join!(queue.run(|| 2), queue.run(|| 3), async {
                let refused = queue.run(|| 4).await;
                end.send(()).expect("the first check waits for it");
                refused
            });
            (second, third, fourth)
        };
        let (_, others) = tokio::join!(first, others);

        assert_eq!(others, (Ok(2), Ok(3), Err(PasswordsBusy)));
    }
}
