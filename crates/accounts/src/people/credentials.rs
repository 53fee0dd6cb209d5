//! Signing in, and the change of a person's password.

use std::sync::Arc;

use store::{Conn, DbError};

use super::model::PersonRecord;
use super::{SecondFactors, Shared};
use crate::keys::KeyHash;
use crate::model::{AccountId, Email, PersonId, SessionIdentity};
use crate::passwords;
use crate::queries::sessions::SessionRow;
use crate::queries::{people, sessions};
use crate::service::SignInError;
use crate::sessions::NewSession;
use platform::clock::Timestamp;

/// Passwords of people, and the sessions that they begin. Cheap to clone.
#[derive(Clone)]
pub struct PersonCredentials {
    pub(super) shared: Arc<Shared>,
    pub(super) second_factors: SecondFactors,
}

impl PersonCredentials {
    /// Begins a session when password and code are right, in the account that the person was in last. Always with a new id, and
    /// without the session that was shown.
    pub async fn sign_in(
        &self,
        email: &Email,
        password: String,
        code: Option<&str>,
        shown: Option<&str>,
    ) -> Result<NewSession, SignInError> {
        let person = self.check_password(email, password).await?;
        let mut tx = self.shared.db.write().await?;
        if person.totp_confirmed {
            let code = code.ok_or(SignInError::CodeRequired)?;
            if !self.second_factors.takes(&mut tx, &person, code).await? {
                return Err(SignInError::WrongCode);
            }
        }
        let identity = sessions::find_person(&mut tx, email, "").await?;
        let account = identity.ok_or(SignInError::WrongCredentials)?.account;
        if let Some(shown) = shown {
            sessions::delete_session(&mut tx, KeyHash::of(shown)).await?;
        }
        let session = begin_session(&mut tx, (&person.id, &account), self.shared.clock.now()).await?;
        tx.commit().await?;
        Ok(session)
    }

    /// Begins a session of a person whom a proxy names.
    pub async fn begin_of(&self, identity: &SessionIdentity) -> Result<NewSession, DbError> {
        let mut tx = self.shared.db.write().await?;
        let whose = (&identity.person, &identity.account);
        let session = begin_session(&mut tx, whose, self.shared.clock.now()).await?;
        tx.commit().await?;
        Ok(session)
    }

    /// Replaces a person's password when `current` is right: every session ends, and a new one begins in the same account.
    pub async fn change_password(
        &self,
        identity: &SessionIdentity,
        current: String,
        new: String,
    ) -> Result<NewSession, SignInError> {
        let email: Email = identity.email.parse().map_err(|_| SignInError::WrongCredentials)?;
        let person = self.check_password(&email, current).await?;
        let hash = passwords::hash(new).await;
        let mut tx = self.shared.db.write().await?;
        people::set_password_hash(&mut tx, &person.id, &hash).await?;
        sessions::delete_sessions_of(&mut tx, &person.id).await?;
        let whose = (&person.id, &identity.account);
        let session = begin_session(&mut tx, whose, self.shared.clock.now()).await?;
        tx.commit_durably().await?;
        Ok(session)
    }

    async fn check_password(&self, email: &Email, password: String) -> Result<PersonRecord, SignInError> {
        let found = people::find_person(&mut self.shared.db.read().await?, email).await?;
        let stored = found.as_ref().map(|person| person.password_hash.clone());
        let is_right = passwords::verify(password, stored).await.map_err(|_| SignInError::Busy)?;
        found.filter(|_| is_right).ok_or(SignInError::WrongCredentials)
    }

    /// Lists the accounts that a person is in: id and name.
    pub async fn list_accounts_of(&self, person: &PersonId) -> Result<Vec<(String, String)>, DbError> {
        people::list_accounts_of(&mut self.shared.db.read().await?, person).await
    }

    /// Moves a session to another account of its person. Returns false when the person is not in it.
    pub async fn enter(
        &self,
        session: &str,
        person: &PersonId,
        account: &AccountId,
    ) -> Result<bool, DbError> {
        let mut tx = self.shared.db.write().await?;
        let accounts = people::list_accounts_of(&mut tx, person).await?;
        if !accounts.iter().any(|(id, _)| id == account.as_str()) {
            return Ok(false);
        }
        sessions::set_session_account(&mut tx, KeyHash::of(session), account).await?;
        people::record_seen(&mut tx, account, person, self.shared.clock.now()).await?;
        tx.commit().await?;
        Ok(true)
    }
}

/// Stores a new session of a person in an account.
pub(super) async fn begin_session(
    conn: &mut Conn,
    (person, account): (&PersonId, &AccountId),
    now: Timestamp,
) -> Result<NewSession, DbError> {
    let session = NewSession::generate();
    let row = SessionRow { hash: session.hash(), person, account, csrf_token: &session.csrf_token };
    sessions::insert_session(conn, &row, now).await?;
    people::record_seen(conn, account, person, now).await?;
    Ok(session)
}
