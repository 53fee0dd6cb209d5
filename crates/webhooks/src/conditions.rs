//! Conditions that last, such as failing renders: one event when they begin and one when they end, however often they are checked.
//! Used by the features that look by schedule.

use store::{DbError, Tx};

use accounts::AccountId;

use crate::emitting::Events;
use crate::queries;

/// A condition of something of an account.
#[derive(Debug, Clone, Copy)]
pub struct Condition<'a> {
    pub account: &'a AccountId,
    /// Id of the domain, which takes the condition with it when it goes; none: of the account.
    pub domain: Option<&'a str>,
    /// Name of the limit, crawler and the like; empty: the domain itself.
    pub subject: &'a str,
    /// Name of the event that tells that the condition has begun.
    pub kind: &'a str,
}

impl Events {
    /// Records in the caller's transaction that a condition holds. Returns true when it did not before.
    pub async fn begin_condition(&self, tx: &mut Tx, condition: &Condition<'_>) -> Result<bool, DbError> {
        queries::insert_condition(tx, condition, self.now()).await
    }

    /// Records in the caller's transaction that a condition has ended. Returns true when it held before.
    pub async fn end_condition(&self, tx: &mut Tx, condition: &Condition<'_>) -> Result<bool, DbError> {
        queries::delete_condition(tx, condition).await
    }
}
