//! Links that let somebody in: invitations, and those to another password. Each works once and for a short time; only its hash is
//! stored.

use std::sync::Arc;
use std::time::Duration;

use store::DbError;

use super::credentials::begin_session;
use super::mails;
use super::{Invitation, Shared};
use crate::keys::{KeyHash, random_text};
use crate::model::{Email, PersonId, SessionIdentity};
use crate::passwords;
use crate::queries::{people, sessions};
use crate::sessions::NewSession;

/// Lifetime of a link to another password.
const RESET_LIFETIME: Duration = Duration::from_secs(3600);
/// Characters of a token: more than 250 random bits.
pub(super) const TOKEN_LENGTH: usize = 43;

/// Invitations that are accepted, and passwords that are lost. Cheap to clone.
#[derive(Clone)]
pub struct Links(pub(super) Arc<Shared>);

/// Refusal of an invitation's link.
#[derive(Debug, thiserror::Error)]
pub enum AcceptError {
    /// The link was used, has expired or is unknown.
    #[error("the link was used, has expired or is unknown")]
    UnknownToken,
    /// The address is a person's, who must be signed in.
    #[error("the invitation is for a person who must be signed in")]
    NotSignedIn,
    /// The database failed.
    #[error(transparent)]
    Store(#[from] DbError),
}

impl Links {
    /// Finds an open invitation. Returns true beside it when its address is a person already.
    pub async fn find_invitation(&self, token: &str) -> Result<(Invitation, bool), AcceptError> {
        let mut conn = self.0.db.read().await?;
        let found = people::find_invitation(&mut conn, KeyHash::of(token), self.0.clock.now()).await?;
        found.ok_or(AcceptError::UnknownToken)
    }

    /// Makes the person whom an invitation is for, and a session. Without a password the person signs in through a proxy.
    pub async fn accept_as_new(
        &self,
        token: &str,
        password: Option<String>,
    ) -> Result<NewSession, AcceptError> {
        let (invitation, _) = self.find_invitation(token).await?;
        let hash = passwords::hash(password.unwrap_or_else(|| random_text(TOKEN_LENGTH))).await;
        let (person, now) = (PersonId::generate(), self.0.clock.now());
        let mut tx = self.0.db.write().await?;
        match people::insert_person(&mut tx, &person, &invitation.email, &hash, now).await {
            // Another request made the person: with this link, which is used then, or with another account's.
            Err(error) if error.is_unique_violation() => {
                drop(tx);
                return Err(self.find_invitation(token).await.err().unwrap_or(AcceptError::NotSignedIn));
            }
            other => other?,
        }
        if !people::accept_invitation(&mut tx, KeyHash::of(token), &person, now).await? {
            return Err(AcceptError::UnknownToken);
        }
        let session = begin_session(&mut tx, (&person, &invitation.account), now).await?;
        tx.commit_durably().await?;
        Ok(session)
    }

    /// Adds the account of an invitation to the person whom it is for, and makes a session in it in the place of the one shown.
    pub async fn accept_as(
        &self,
        token: &str,
        identity: &SessionIdentity,
        shown: Option<&str>,
    ) -> Result<NewSession, AcceptError> {
        let (invitation, _) = self.find_invitation(token).await?;
        if invitation.email.as_str() != identity.email {
            return Err(AcceptError::NotSignedIn);
        }
        let (person, now) = (&identity.person, self.0.clock.now());
        let mut tx = self.0.db.write().await?;
        if !people::accept_invitation(&mut tx, KeyHash::of(token), person, now).await? {
            return Err(AcceptError::UnknownToken);
        }
        if let Some(shown) = shown {
            sessions::delete_session(&mut tx, KeyHash::of(shown)).await?;
        }
        let session = begin_session(&mut tx, (person, &invitation.account), now).await?;
        tx.commit_durably().await?;
        Ok(session)
    }

    /// Mails a link to another password, in the background: the caller must not learn from the time whether the address is known.
    pub fn request_reset(&self, email: Email) {
        let links = self.clone();
        self.0.tasks.spawn(async move {
            if let Err(error) = links.mail_reset(&email).await {
                tracing::warn!(
                    error = &error as &dyn std::error::Error,
                    "no link to another password was made"
                );
            }
        });
    }

    async fn mail_reset(&self, email: &Email) -> Result<(), DbError> {
        let shared = &self.0;
        let Some(mailer) = &shared.mailer else { return Ok(()) };
        let found = people::find_person(&mut shared.db.read().await?, email).await?;
        let Some(person) = found else { return Ok(()) };
        let token = random_text(TOKEN_LENGTH);
        let until = shared.clock.now().plus(RESET_LIFETIME);
        let mut tx = shared.db.write().await?;
        people::set_reset(&mut tx, &person.id, KeyHash::of(&token), until).await?;
        tx.commit_durably().await?;
        let mail = mails::reset(&format!("{}/reset#{token}", shared.public_url));
        if let Err(error) = mail.send(mailer, email).await {
            tracing::warn!(
                error = &error as &dyn std::error::Error,
                "a link to another password was not mailed"
            );
        }
        Ok(())
    }

    /// Sets another password with a link, and ends all sessions of the person. Returns false for a link that does not work.
    pub async fn reset(&self, token: &str, password: String) -> Result<bool, DbError> {
        // Hashed after the look at the link: guesses must not cost as much as passwords.
        let (hash, now) = (KeyHash::of(token), self.0.clock.now());
        if !people::has_reset(&mut self.0.db.read().await?, hash, now).await? {
            return Ok(false);
        }
        let password = passwords::hash(password).await;
        let mut tx = self.0.db.write().await?;
        let Some(person) = people::take_reset(&mut tx, hash, now).await? else { return Ok(false) };
        people::set_password_hash(&mut tx, &person, &password).await?;
        sessions::delete_sessions_of(&mut tx, &person).await?;
        tx.commit_durably().await?;
        Ok(true)
    }
}
