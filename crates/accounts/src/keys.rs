//! The form of secrets that clients carry: `gh_live_` or `gh_stats_`, 32 random characters, 6 characters of checksum.
//! Pure. Must never print a whole key: `Debug` shows its kind and its last four characters.

use std::fmt;

use rand::RngExt;
use rand::distr::Alphanumeric;
use sha2::{Digest, Sha256};

const RANDOM_LENGTH: usize = 32;
const CHECKSUM_LENGTH: usize = 6;
const BASE62: &[u8; 62] = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

/// Kind of a secret.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum KeyKind {
    /// The API.
    Live,
    /// The public crawl statistics of one domain.
    Stats,
}

impl KeyKind {
    const fn prefix(self) -> &'static str {
        match self {
            KeyKind::Live => "gh_live_",
            KeyKind::Stats => "gh_stats_",
        }
    }
}

/// A new secret, in the clear exactly once: when it is made.
#[derive(Clone, PartialEq, Eq)]
pub struct NewKey(String);

impl NewKey {
    /// Makes a secret with 190 random bits.
    pub fn generate(kind: KeyKind) -> NewKey {
        let mut text = String::from(kind.prefix());
        text.push_str(&random_text(RANDOM_LENGTH));
        let checksum = checksum(text.as_bytes());
        text.extend(checksum.map(char::from));
        NewKey(text)
    }

    /// Returns the secret, to be shown to its owner once.
    pub fn reveal(&self) -> &str {
        &self.0
    }

    /// Returns the stored hash.
    pub fn hash(&self) -> KeyHash {
        KeyHash::of(&self.0)
    }

    /// Returns the last four characters, to tell secrets apart.
    pub fn last4(&self) -> &str {
        &self.0[self.0.len() - 4..]
    }
}

impl fmt::Debug for NewKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "gh_***{}", self.last4())
    }
}

/// SHA-256 of a secret. A fast hash is right here: there are 190 random bits to guess, and it is done per request.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct KeyHash([u8; 32]);

impl KeyHash {
    /// Hashes a secret.
    pub fn of(secret: &str) -> KeyHash {
        KeyHash(Sha256::digest(secret.as_bytes()).into())
    }

    /// Returns the first eight bytes as a number.
    pub fn prefix(self) -> u64 {
        let [a, b, c, d, e, f, g, h, ..] = self.0;
        u64::from_be_bytes([a, b, c, d, e, f, g, h])
    }

    /// Parses the hexadecimal form of the database. Returns `None` for a text that is not a hash.
    pub fn from_hex(text: &str) -> Option<KeyHash> {
        let mut hash = KeyHash(Default::default());
        hex::decode_to_slice(text, &mut hash.0).ok()?;
        Some(hash)
    }

    /// Returns the form in the database.
    pub fn to_hex(self) -> String {
        hex::encode(self.0)
    }
}

impl cache::Key for KeyHash {
    fn with_bytes<R>(&self, f: impl FnOnce(&[u8]) -> R) -> R {
        f(&self.0)
    }
}

impl fmt::Debug for KeyHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("KeyHash(***)")
    }
}

/// Returns true for a text with the form and the checksum of a secret. Typing mistakes and guesses fail here, before
/// any look-up.
pub fn is_well_formed(kind: KeyKind, text: &str) -> bool {
    let Some(rest) = text.strip_prefix(kind.prefix()) else { return false };
    if rest.len() != RANDOM_LENGTH + CHECKSUM_LENGTH || !rest.bytes().all(|b| b.is_ascii_alphanumeric()) {
        return false;
    }
    let (body, given) = text.split_at(text.len() - CHECKSUM_LENGTH);
    checksum(body.as_bytes()) == given.as_bytes()
}

/// Computes the CRC-32 of prefix and random part in base62, most significant digit first.
fn checksum(body: &[u8]) -> [u8; CHECKSUM_LENGTH] {
    let mut rest = crc32fast::hash(body);
    let mut digits = [b'0'; CHECKSUM_LENGTH];
    for digit in digits.iter_mut().rev() {
        *digit = BASE62[(rest % 62) as usize];
        rest /= 62;
    }
    digits
}

/// Generates random characters of base62 with the cryptographic generator.
pub(super) fn random_text(length: usize) -> String {
    rand::rng().sample_iter(Alphanumeric).take(length).map(char::from).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_new_key_has_the_documented_form() {
        let key = NewKey::generate(KeyKind::Live);

        assert!(key.reveal().starts_with("gh_live_"));
        assert_eq!(key.reveal().len(), 8 + 32 + 6);
        assert!(is_well_formed(KeyKind::Live, key.reveal()));
        assert!(!is_well_formed(KeyKind::Stats, key.reveal()));
    }

    #[test]
    fn one_wrong_character_anywhere_fails_the_checksum() {
        let key = NewKey::generate(KeyKind::Live);

        for position in 0..key.reveal().len() {
            let mut wrong = key.reveal().to_owned().into_bytes();
            wrong[position] = if wrong[position] == b'x' { b'y' } else { b'x' };

            assert!(!is_well_formed(KeyKind::Live, std::str::from_utf8(&wrong).unwrap()), "{position}");
        }
    }

    #[test]
    fn what_is_no_key_is_refused_without_panicking() {
        for text in [
            "",
            "gh_live_",
            "gh_live_é",
            "gh_stats_x",
            &"a".repeat(46),
            &format!("gh_live_{}", "é".repeat(19)),
        ] {
            assert!(!is_well_formed(KeyKind::Live, text), "{text}");
        }
    }

    #[test]
    fn debug_shows_the_last_four_characters_only() {
        let key = NewKey::generate(KeyKind::Stats);

        assert_eq!(format!("{key:?}"), format!("gh_***{}", key.last4()));
    }

    #[test]
    fn the_stored_form_is_sha_256() {
        let hex = KeyHash::of("abc").to_hex();

        assert_eq!(hex, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    }
}
