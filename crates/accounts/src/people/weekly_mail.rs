//! Weekly mails of people: the choice of each person, the people whose mail is due, and what each may see.

use std::sync::Arc;

use store::{DbError, Tx};

use super::Shared;
use crate::model::{AccountId, PersonId};
use crate::queries::weekly_mails;
use platform::clock::Timestamp;
use platform::notify::mail::Mailer;

/// Days of a week.
const WEEK_DAYS: i64 = 7;
/// A Monday, in days since 1970.
const A_MONDAY: i64 = 4;
const DAY_MS: i64 = 24 * 3600 * 1000;

/// Weekly mails of people. Cheap to clone.
#[derive(Clone)]
pub struct WeeklyMails(pub(super) Arc<Shared>);

/// Recipient of a weekly mail.
#[derive(Debug, PartialEq, Eq)]
pub struct WeeklyReader {
    pub email: String,
    /// Active accounts that the person is in, by name.
    pub accounts: Vec<SeenAccount>,
}

/// An account as far as one person sees it.
#[derive(Debug, PartialEq, Eq)]
pub struct SeenAccount {
    pub id: AccountId,
    pub name: String,
    /// The only domains that the person sees; none: all.
    pub domains: Option<Vec<String>>,
}

impl WeeklyMails {
    /// Returns the sender of mail. None: no mail server is set, so that nothing is mailed.
    pub fn mailer(&self) -> Option<&Mailer> {
        self.0.mailer.as_ref()
    }

    /// Returns true when the person wants the mail.
    pub async fn is_wanted(&self, person: &PersonId) -> Result<bool, DbError> {
        weekly_mails::wants_weekly_mail(&mut self.0.db.read().await?, person).await
    }

    /// Switches the mail of a person on or off. The first mail comes on the next Monday.
    pub async fn switch(&self, person: &PersonId, is_wanted: bool) -> Result<(), DbError> {
        let week = monday_of(self.0.clock.now());
        let mut tx = self.0.db.write().await?;
        weekly_mails::set_weekly_mail(&mut tx, person, is_wanted, week).await?;
        tx.commit_durably().await
    }

    /// Takes the people whose mail of a week is due. Each person is taken once for a week, by one process.
    pub async fn take_due(&self, tx: &mut Tx, week: i64) -> Result<Vec<PersonId>, DbError> {
        weekly_mails::take_weekly_mails(tx, week).await
    }

    /// Finds the recipient of a mail. None: the person is gone, does not want it any more, or is in no active account.
    pub async fn find_reader(&self, person: &PersonId) -> Result<Option<WeeklyReader>, DbError> {
        let (email, accounts) =
            weekly_mails::find_weekly_reader(&mut self.0.db.read().await?, person).await?;
        Ok(email.filter(|_| !accounts.is_empty()).map(|email| WeeklyReader { email, accounts }))
    }
}

/// Returns the Monday of a time's week in UTC, in days since 1970.
pub fn monday_of(now: Timestamp) -> i64 {
    let day = now.as_millis().div_euclid(DAY_MS);
    day - (day - A_MONDAY).rem_euclid(WEEK_DAYS)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_week_begins_on_monday_in_utc() {
        let monday = |text: &str| monday_of(serde_json::from_str(&format!("\"{text}\"")).unwrap());

        assert_eq!(monday("2026-11-30T00:00:00Z"), monday("2026-12-06T23:59:59Z"));
        assert_eq!(monday("2026-11-29T23:59:59Z"), monday("2026-11-30T00:00:00Z") - 7);
        assert_eq!(monday("1970-01-05T12:00:00Z"), 4);
        assert_eq!(monday("1970-01-01T12:00:00Z"), -3);
    }
}
