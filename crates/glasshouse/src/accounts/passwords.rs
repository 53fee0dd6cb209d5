//! Hashing and checking passwords (Argon2id). Slow on purpose, so always on a blocking thread and few at a time.
//! Must never log or return a password.

use std::sync::LazyLock;

use argon2::Argon2;
use argon2::password_hash::phc::PasswordHash;
use argon2::password_hash::{PasswordHasher, PasswordVerifier};
use tokio::sync::Semaphore;

/// Each one takes 19 MiB: a burst of sign-ins must not take the memory of the renders.
static AT_ONCE: Semaphore = Semaphore::const_new(4);

/// What a sign-in with an unknown e-mail is checked against, so that it takes as long as one with a known e-mail.
static NOBODY: LazyLock<String> = LazyLock::new(|| hash_now("nobody has this password"));

/// Makes the stored form of a password.
pub(super) async fn hash(password: String) -> String {
    on_blocking_thread(move || hash_now(&password)).await
}

/// Whether `password` is the one that `stored` was made of. `None`, an unknown account, is checked too, and wrong.
pub(super) async fn verify(password: String, stored: Option<String>) -> bool {
    on_blocking_thread(move || {
        let is_known = stored.is_some();
        let stored = stored.unwrap_or_else(|| NOBODY.clone());
        let Ok(parsed) = PasswordHash::new(&stored) else { return false };
        Argon2::default().verify_password(password.as_bytes(), &parsed).is_ok() && is_known
    })
    .await
}

async fn on_blocking_thread<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> T {
    let _permit = AT_ONCE.acquire().await.expect("the semaphore is never closed");
    tokio::task::spawn_blocking(work).await.expect("hashing does not panic")
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
        assert!(verify("correct horse".to_owned(), Some(stored.clone())).await);
        assert!(!verify("correct horse ".to_owned(), Some(stored)).await);
    }

    #[tokio::test]
    async fn nobody_can_sign_in_to_an_account_that_does_not_exist() {
        assert!(!verify("nobody has this password".to_owned(), None).await);
    }
}
