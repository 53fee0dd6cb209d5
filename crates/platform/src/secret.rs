//! The installation's secret, and the keys that are derived from it: for sealing what is stored, and for proving that a
//! message is our own. Used by the edge (certificates, own requests) and the connection probe.
//! Must never be logged, printed or stored in the database that it protects.
//! See docs/decisions/0063.

use std::fs;
use std::io::{self, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use base64::Engine;
use base64::engine::general_purpose::{STANDARD_NO_PAD, URL_SAFE_NO_PAD};
use ring::aead::{Aad, CHACHA20_POLY1305, LessSafeKey, NONCE_LEN, Nonce, UnboundKey};
use ring::rand::{SecureRandom, SystemRandom};
use ring::{hkdf, hmac};

/// File of the secret, below the data folder, when it is not a setting.
const FILE: &str = "edge.secret";
/// A secret shorter than this could be guessed.
const MIN_BYTES: usize = 16;

/// Reason why there is no secret.
#[derive(Debug, thiserror::Error)]
pub enum SecretError {
    /// The setting is too short.
    #[error("edge.secret must have at least {MIN_BYTES} characters")]
    TooShort,
    /// The file is empty or too short: cut off, or written by hand.
    #[error(
        "{path} must have at least {MIN_BYTES} characters: restore it, or remove it to begin with a new secret"
    )]
    ShortFile {
        /// The file.
        path: String,
    },
    /// The file cannot be made or read.
    #[error("could not keep the installation's secret in {path}")]
    File {
        /// The file.
        path: String,
        /// Error of the system.
        #[source]
        source: io::Error,
    },
}

/// Returns the path of the secret of a data folder.
pub fn secret_file(data_dir: &Path) -> PathBuf {
    data_dir.join(FILE)
}

/// The secret. Every process of an installation must have the same one.
pub struct Secrets(hkdf::Prk);

impl Secrets {
    /// Takes the setting, else the file, which is made at the first start.
    pub fn open(setting: Option<&str>, data_dir: &Path) -> Result<Secrets, SecretError> {
        if let Some(secret) = setting {
            return if secret.len() < MIN_BYTES {
                Err(SecretError::TooShort)
            } else {
                Ok(Secrets::from_bytes(secret.as_bytes()))
            };
        }
        let path = secret_file(data_dir);
        let shown = path.display().to_string();
        match read_or_make(&path) {
            Ok(secret) if secret.trim().len() < MIN_BYTES => Err(SecretError::ShortFile { path: shown }),
            Ok(secret) => Ok(Secrets::from_bytes(secret.trim().as_bytes())),
            Err(source) => Err(SecretError::File { path: shown, source }),
        }
    }

    /// Creates the secret that is made of the given bytes.
    pub fn from_bytes(bytes: &[u8]) -> Secrets {
        Secrets(hkdf::Salt::new(hkdf::HKDF_SHA256, b"glasshouse").extract(bytes))
    }

    /// Derives a key that seals what is stored.
    pub fn seal_key(&self, purpose: &str) -> SealKey {
        let key = UnboundKey::new(&CHACHA20_POLY1305, &self.derive(purpose));
        SealKey(LessSafeKey::new(key.expect("the cipher's keys have 32 bytes")))
    }

    /// Derives a key that proves that a message is our own.
    pub fn mac_key(&self, purpose: &str) -> MacKey {
        MacKey(hmac::Key::new(hmac::HMAC_SHA256, &self.derive(purpose)))
    }

    /// Returns a name that is the same for every process of this installation and says nothing of the secret.
    pub fn public_name(&self) -> String {
        let bytes = self.derive("public name");
        format!("glasshouse-{}", hex::encode(&bytes[..4]))
    }

    fn derive(&self, purpose: &str) -> [u8; 32] {
        let mut key = [0; 32];
        let info = [purpose.as_bytes()];
        let material = self.0.expand(&info, hkdf::HKDF_SHA256).and_then(|material| material.fill(&mut key));
        material.expect("one block of the hash is never too long");
        key
    }
}

/// Reads the file or makes it. Two processes that start at once end with the same file: the first link wins.
fn read_or_make(path: &Path) -> io::Result<String> {
    match fs::read_to_string(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => {}
        result => return result,
    }
    let draft = path.with_extension(format!("secret.{}", std::process::id()));
    let mut file = fs::OpenOptions::new().write(true).create(true).truncate(true).mode(0o600).open(&draft)?;
    file.write_all(URL_SAFE_NO_PAD.encode(random::<32>()).as_bytes())?;
    file.sync_all()?;
    let linked = fs::hard_link(&draft, path);
    fs::remove_file(&draft)?;
    match linked {
        Err(error) if error.kind() != io::ErrorKind::AlreadyExists => Err(error),
        _ => fs::read_to_string(path),
    }
}

/// Encrypts texts so that whoever has only the database cannot read them.
pub struct SealKey(LessSafeKey);

impl SealKey {
    /// Encrypts; `context` says what the text belongs to and must be the same when it is opened.
    pub fn seal(&self, text: &[u8], context: &str) -> String {
        let nonce: [u8; NONCE_LEN] = random();
        let mut sealed = text.to_vec();
        let key = Nonce::assume_unique_for_key(nonce);
        let done = self.0.seal_in_place_append_tag(key, Aad::from(context.as_bytes()), &mut sealed);
        done.expect("the texts are far below the cipher's limit");
        STANDARD_NO_PAD.encode([nonce.as_slice(), &sealed].concat())
    }

    /// Decrypts; `None` when the text was changed, sealed for something else, or with another secret.
    pub fn open(&self, sealed: &str, context: &str) -> Option<Vec<u8>> {
        let bytes = STANDARD_NO_PAD.decode(sealed).ok()?;
        let (nonce, sealed) = bytes.split_first_chunk::<NONCE_LEN>()?;
        let mut sealed = sealed.to_vec();
        let nonce = Nonce::assume_unique_for_key(*nonce);
        let text = self.0.open_in_place(nonce, Aad::from(context.as_bytes()), &mut sealed).ok()?;
        Some(text.to_vec())
    }
}

/// Signs and checks messages of our own.
#[derive(Clone)]
pub struct MacKey(hmac::Key);

impl MacKey {
    /// Returns the proof of a message.
    pub fn sign(&self, message: &str) -> String {
        URL_SAFE_NO_PAD.encode(hmac::sign(&self.0, message.as_bytes()))
    }

    /// Returns true when the proof is the message's, compared in constant time.
    pub fn verify(&self, message: &str, proof: &str) -> bool {
        let proof = URL_SAFE_NO_PAD.decode(proof).unwrap_or_default();
        hmac::verify(&self.0, message.as_bytes(), &proof).is_ok()
    }
}

/// Returns bytes that nobody can guess.
pub fn random<const N: usize>() -> [u8; N] {
    let mut bytes = [0; N];
    SystemRandom::new()
        .fill(&mut bytes)
        .expect("the system's random numbers are there on every machine we run on");
    bytes
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    #[test]
    fn the_file_is_made_once_and_is_nobody_elses_to_read() {
        let folder = tempfile::tempdir().unwrap();

        let first = Secrets::open(None, folder.path()).unwrap();
        let second = Secrets::open(None, folder.path()).unwrap();

        assert_eq!(first.public_name(), second.public_name());
        let mode = fs::metadata(folder.path().join(FILE)).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    }

    #[test]
    fn a_short_setting_is_refused() {
        assert!(matches!(Secrets::open(Some("hunter2"), Path::new("/nowhere")), Err(SecretError::TooShort)));
    }

    #[test]
    fn an_empty_or_short_file_is_refused_and_left_as_it_is() {
        for text in ["", "  \n", "hunter2\n"] {
            let folder = tempfile::tempdir().unwrap();
            fs::write(folder.path().join(FILE), text).unwrap();

            let opened = Secrets::open(None, folder.path());

            assert!(matches!(opened, Err(SecretError::ShortFile { .. })), "{text:?}");
            assert_eq!(fs::read_to_string(folder.path().join(FILE)).unwrap(), text);
        }
    }

    #[test]
    fn what_is_sealed_opens_only_for_its_own_context_and_secret() {
        let key = Secrets::from_bytes(b"one").seal_key("certificates");

        let sealed = key.seal(b"private", "shop.example");

        assert_eq!(key.open(&sealed, "shop.example").as_deref(), Some(b"private".as_slice()));
        assert_eq!(key.open(&sealed, "other.example"), None);
        assert_eq!(key.open(&sealed[..sealed.len() - 4], "shop.example"), None);
        assert_eq!(Secrets::from_bytes(b"two").seal_key("certificates").open(&sealed, "shop.example"), None);
        assert!(!sealed.contains("private"));
    }

    #[test]
    fn a_proof_is_of_one_message_and_one_purpose() {
        let secrets = Secrets::from_bytes(b"one");
        let key = secrets.mac_key("probe");

        let proof = key.sign("nonce|shop.example");

        assert!(key.verify("nonce|shop.example", &proof));
        assert!(!key.verify("nonce|other.example", &proof));
        assert!(!secrets.mac_key("own requests").verify("nonce|shop.example", &proof));
        assert!(!key.verify("nonce|shop.example", ""));
    }
}
