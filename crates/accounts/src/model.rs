//! Accounts, keys and sessions. Pure: no database, network or HTTP.
//! Must never hold a secret in the clear: keys and session ids are kept as hashes.

use std::fmt;
use std::str::FromStr;
use std::sync::atomic::{AtomicI64, Ordering};

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use platform::api::access::PersonRole;
use platform::clock::Timestamp;
use platform::ids::id_type;
use platform::plans::Plan;

id_type! {
    /// Identifies an account.
    AccountId
}
id_type! {
    /// Identifies an API key. Not the key itself: it may be shown and logged.
    KeyId
}

id_type! {
    /// Identifies a person.
    PersonId
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Account {
    pub id: AccountId,
    /// Name: the e-mail address that it was made with, lower case.
    pub email: String,
    pub plan: Plan,
    /// True when the subscription is active. An inactive account may read, but use nothing that costs.
    pub active: bool,
    /// Time at which it was made.
    pub created_at: Timestamp,
}

/// An e-mail address in its canonical form. Only its shape is checked; nobody has proved that it can be reached.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Email(String);

impl Email {
    /// Returns the address.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl FromStr for Email {
    type Err = BadEmail;

    fn from_str(text: &str) -> Result<Email, BadEmail> {
        let email = text.trim().to_lowercase();
        let bad = || BadEmail(text.to_owned());
        let (local, host) = email.rsplit_once('@').ok_or_else(bad)?;
        let is_plain =
            |part: &str| !part.is_empty() && !part.contains(|c: char| c.is_whitespace() || c.is_control());
        if !is_plain(local) || !is_plain(host) || local.contains('@') || email.len() > 254 {
            return Err(bad());
        }
        Ok(Email(email))
    }
}

impl fmt::Display for Email {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// A text that is not an e-mail address.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0:?} is not an e-mail address")]
pub struct BadEmail(String);

/// An API key as listings show it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ApiKeyInfo {
    /// Identifies the key; not the key itself.
    pub id: KeyId,
    /// Name given by the owner.
    #[schema(examples("Build server"))]
    pub name: String,
    /// The one domain it is restricted to; null: the whole account.
    #[schema(examples("shop.example"))]
    pub domain: Option<String>,
    /// Last four characters, to tell keys apart.
    #[schema(examples("q7Zd"))]
    pub last4: String,
    /// Time at which the key was made.
    pub created_at: Timestamp,
    /// Time of the last accepted use, to within a minute.
    pub last_used_at: Option<Timestamp>,
    /// Time of the revocation; null while the key works.
    pub revoked_at: Option<Timestamp>,
    /// Time at which the key stops working; null: never.
    pub expires_at: Option<Timestamp>,
    /// Extent of the key's use.
    pub access: KeyAccess,
    /// E-mail address of the person who made it; null: the command.
    #[schema(examples("owner@shop.example"))]
    pub created_by: Option<String>,
}

/// Extent of a key's use.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum KeyAccess {
    /// Reads and writes.
    #[default]
    Write,
    /// Reads, and renders as an integration does.
    Read,
}

/// A key that is to be made.
#[derive(Debug, Clone, Default)]
pub struct KeyOrder {
    pub name: String,
    /// Host in canonical form, which the maker has; `None`: the whole account.
    pub domain: Option<String>,
    pub expires_at: Option<Timestamp>,
    pub access: KeyAccess,
    /// E-mail address of the maker.
    pub created_by: Option<String>,
}

impl KeyOrder {
    /// Returns the order of a key without an end, for a domain or the whole account.
    pub fn named(name: &str, domain: Option<String>) -> KeyOrder {
        KeyOrder { name: name.to_owned(), domain, ..KeyOrder::default() }
    }
}

/// Identity of the bearer of a valid API key. Cached for at most two seconds, so it may be that old.
#[derive(Debug)]
pub struct KeyIdentity {
    pub key: KeyId,
    pub account: AccountId,
    /// The account's plan.
    pub plan: Plan,
    /// True when the account's subscription is active.
    pub active: bool,
    /// The one domain the key is restricted to (lower case, A-labels); `None`: the whole account.
    pub scope: Option<Box<str>>,
    /// Time at which it stops working.
    pub expires_at: Option<Timestamp>,
    /// True for a key that only reads.
    pub reads_only: bool,
    /// E-mail address of its maker.
    pub created_by: Option<Box<str>>,
    /// Epoch milliseconds of the last use that is not yet in the database; 0: none.
    pub(super) used_at: AtomicI64,
}

impl KeyIdentity {
    /// Makes the identity of the operator, who acts for an account on this machine and has no key.
    pub fn of_operator(account: &Account) -> KeyIdentity {
        KeyIdentity {
            key: KeyId::from("operator"),
            account: account.id.clone(),
            plan: account.plan,
            active: account.active,
            scope: None,
            expires_at: None,
            reads_only: false,
            created_by: None,
            used_at: AtomicI64::new(0),
        }
    }

    /// Returns true while the key has not expired.
    pub fn works_at(&self, now: Timestamp) -> bool {
        self.expires_at.is_none_or(|end| now < end)
    }

    /// Remembers that the key was used. Cheap: a background task writes it down later.
    pub fn mark_used(&self, now: Timestamp) {
        self.used_at.store(now.as_millis(), Ordering::Relaxed);
    }

    /// Takes the use that is not yet written down.
    pub(super) fn take_use(&self) -> Option<Timestamp> {
        match self.used_at.swap(0, Ordering::Relaxed) {
            0 => None,
            millis => Some(Timestamp::from_millis(millis)),
        }
    }
}

/// Identity of the bearer of a valid session cookie.
#[derive(Debug, Clone)]
pub struct SessionIdentity {
    /// The account that the session is in.
    pub account: AccountId,
    /// Name of that account.
    pub account_name: String,
    pub person: PersonId,
    /// E-mail address of the person.
    pub email: String,
    /// The person's role in the account.
    pub role: PersonRole,
    /// Only domains that the person sees; `None`: all.
    pub domains: Option<Vec<String>>,
    /// True when the person has a second factor.
    pub second_factor: bool,
    pub plan: Plan,
    /// True when the account's subscription is active.
    pub active: bool,
    /// The value that state-changing calls must repeat in `x-csrf-token`.
    pub csrf_token: String,
    /// False for a person whom a proxy names and who has no session yet.
    pub is_stored: bool,
}

/// An account as one caller sees it.
#[derive(Debug, Clone, Copy)]
pub struct VisibleAccount<'a> {
    pub account: &'a AccountId,
    /// Only domains that are seen; `None`: all.
    pub domains: Option<&'a [String]>,
}

impl VisibleAccount<'_> {
    /// Returns true when a domain of the account with this name is seen.
    pub fn sees(&self, host: &str) -> bool {
        self.domains.is_none_or(|domains| domains.iter().any(|domain| domain == host))
    }

    /// Returns true when an account's domain of this name is seen.
    pub fn has(&self, account: &AccountId, host: &str) -> bool {
        account == self.account && self.sees(host)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_email_is_compared_in_lower_case_without_blanks() {
        let email: Email = " Owner@Shop.Example ".parse().unwrap();

        assert_eq!(email.as_str(), "owner@shop.example");
    }

    #[test]
    fn what_is_no_email_is_refused() {
        for text in ["", "owner", "@shop.example", "owner@", "a b@shop.example", "a@b@c", "a\n@b"] {
            assert!(text.parse::<Email>().is_err(), "{text:?}");
        }
    }

    #[test]
    fn a_use_is_taken_once() {
        let identity = KeyIdentity {
            key: KeyId::generate(),
            account: AccountId::generate(),
            plan: Plan::Essential,
            active: true,
            scope: None,
            expires_at: None,
            reads_only: false,
            created_by: None,
            used_at: AtomicI64::new(0),
        };

        identity.mark_used(Timestamp::from_millis(7));

        assert_eq!(identity.take_use(), Some(Timestamp::from_millis(7)));
        assert_eq!(identity.take_use(), None);
    }
}
