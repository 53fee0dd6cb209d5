//! Second factors: the secret of an authenticator, its codes, each once, and recovery codes.

use std::sync::Arc;

use serde::Serialize;
use store::{Conn, DbError};
use subtle::ConstantTimeEq;
use utoipa::ToSchema;

use super::model::PersonRecord;
use super::{Shared, totp};
use crate::keys::KeyHash;
use crate::model::{Email, PersonId};
use crate::passwords;
use crate::queries::people;
use platform::secret::random;

const RECOVERY_CODES: usize = 10;
/// Random bytes of a recovery code: 16 letters of base32.
const RECOVERY_BYTES: usize = 10;

/// Second factors of people. Cheap to clone.
#[derive(Clone)]
pub struct SecondFactors(pub(super) Arc<Shared>);

/// Secret that an authenticator is to be given.
#[derive(Debug, Serialize, ToSchema)]
pub struct TotpSetup {
    /// Secret in base32, to be typed.
    #[schema(examples("GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ"))]
    pub secret: String,
    /// Address to be shown as a QR code.
    #[schema(examples(
        "otpauth://totp/Glasshouse:ada%40shop.example?secret=GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ&issuer=Glasshouse"
    ))]
    pub uri: String,
}

/// Refusal of a change of a second factor.
#[derive(Debug, thiserror::Error)]
pub enum CodeError {
    /// The code is not the secret's, or was used.
    #[error("the code is wrong or was used")]
    WrongCode,
    /// A second factor is on.
    #[error("a second factor is on")]
    Enabled,
    /// The password is wrong.
    #[error("the password is wrong")]
    WrongPassword,
    /// Too many passwords wait to be checked.
    #[error("too many passwords wait to be checked")]
    Busy,
    /// The database failed.
    #[error(transparent)]
    Store(#[from] DbError),
}

impl SecondFactors {
    /// Makes a secret that waits for its first code, if the password is right.
    pub async fn begin(&self, email: &Email, password: String) -> Result<TotpSetup, CodeError> {
        let shared = &self.0;
        let found = people::find_person(&mut shared.db.read().await?, email).await?;
        let stored = found.as_ref().map(|person| person.password_hash.clone());
        let is_right = passwords::verify(password, stored).await.map_err(|_| CodeError::Busy)?;
        let person = found.filter(|_| is_right).ok_or(CodeError::WrongPassword)?;
        let secret = random::<{ totp::SECRET_BYTES }>();
        let sealed = shared.seal.seal(&secret, person.id.as_str());
        let mut tx = shared.db.write().await?;
        if !people::set_pending_totp(&mut tx, &person.id, &sealed).await? {
            return Err(CodeError::Enabled);
        }
        tx.commit_durably().await?;
        let secret = totp::base32(&secret);
        let label = percent_encoding::utf8_percent_encode(email.as_str(), percent_encoding::NON_ALPHANUMERIC);
        let uri = format!(
            "otpauth://totp/Glasshouse:{label}?secret={secret}&issuer=Glasshouse&algorithm=SHA1&digits=6&period=30"
        );
        Ok(TotpSetup { secret, uri })
    }

    /// Turns the waiting second factor on with its first code, and makes recovery codes.
    pub async fn confirm(&self, email: &Email, code: &str) -> Result<Vec<String>, CodeError> {
        let mut tx = self.0.db.write().await?;
        let person = people::find_person(&mut tx, email).await?.ok_or(CodeError::WrongCode)?;
        if person.totp_confirmed {
            return Err(CodeError::Enabled);
        }
        let Some(sealed) = person.totp_secret.clone() else { return Err(CodeError::WrongCode) };
        if !self.takes_totp(&mut tx, &person, &plain(code)).await?
            || !people::confirm_totp(&mut tx, &person.id, &sealed).await?
        {
            return Err(CodeError::WrongCode);
        }
        let codes: Vec<String> = (0..RECOVERY_CODES).map(|_| recovery_code()).collect();
        for code in &codes {
            people::insert_recovery_code(&mut tx, &person.id, KeyHash::of(&plain(code))).await?;
        }
        tx.commit_durably().await?;
        Ok(codes)
    }

    /// Turns a second factor off, with a code of it or a recovery code.
    pub async fn remove(&self, email: &Email, code: &str) -> Result<(), CodeError> {
        let mut tx = self.0.db.write().await?;
        let person = people::find_person(&mut tx, email).await?.ok_or(CodeError::WrongCode)?;
        if !person.totp_confirmed || !self.takes(&mut tx, &person, code).await? {
            return Err(CodeError::WrongCode);
        }
        people::delete_totp(&mut tx, &person.id).await?;
        Ok(tx.commit_durably().await?)
    }

    /// Takes a code of a person's second factor, or a recovery code, once.
    pub(super) async fn takes(
        &self,
        conn: &mut Conn,
        person: &PersonRecord,
        code: &str,
    ) -> Result<bool, DbError> {
        let code = plain(code);
        Ok(self.takes_totp(conn, person, &code).await?
            || takes_recovery_code(conn, &person.id, &code).await?)
    }

    async fn takes_totp(&self, conn: &mut Conn, person: &PersonRecord, code: &str) -> Result<bool, DbError> {
        let sealed = person.totp_secret.as_deref().unwrap_or_default();
        let Some(secret) = self.0.seal.open(sealed, person.id.as_str()) else { return Ok(false) };
        let Some(step) = totp::find_step(&secret, code, self.0.clock.now()) else { return Ok(false) };
        people::use_step(conn, &person.id, step).await
    }
}

async fn takes_recovery_code(conn: &mut Conn, person: &PersonId, code: &str) -> Result<bool, DbError> {
    let hash = KeyHash::of(code).to_hex();
    let mut found = None;
    for known in people::list_recovery_codes(conn, person).await? {
        if bool::from(known.as_bytes().ct_eq(hash.as_bytes())) {
            found = Some(known);
        }
    }
    match found {
        Some(known) => people::take_recovery_code(conn, person, &known).await,
        None => Ok(false),
    }
}

/// Makes a recovery code of 80 random bits: `abcd-efgh-ijkl-mnop`.
fn recovery_code() -> String {
    let letters = totp::base32(&random::<RECOVERY_BYTES>()).to_lowercase();
    let groups: Vec<&str> = (0..letters.len()).step_by(4).map(|start| &letters[start..start + 4]).collect();
    groups.join("-")
}

/// Returns a code without the blanks and dashes that people type, in lower case.
fn plain(code: &str) -> String {
    let letters = code.chars().filter(|letter| !letter.is_whitespace() && *letter != '-');
    letters.flat_map(char::to_lowercase).take(64).collect()
}
