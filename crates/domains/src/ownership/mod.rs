//! Whose a domain is, when more than one account says so. All records point at the same addresses, so that they lead
//! here proves nothing about who made them: a contested domain needs a TXT record with a value of its account's own.

pub(super) mod queries;

use std::time::Duration;

use store::{Conn, DbError};

use crate::{Domain, DomainStatus, names};
use accounts::AccountId;
use platform::clock::Timestamp;
use platform::secret::{MacKey, Secrets};

/// How long a site stays contested after an account gave up a name of it that was served: its records may still be there.
pub const FORMER: Duration = Duration::from_secs(400 * 24 * 60 * 60);

/// What a check's findings are a proof of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ConnectionProof {
    /// That the account owns the domain.
    OfOwner,
    /// That the domain leads here, whoever made its records.
    OfTheWay,
}

/// Makes the values of ownership records.
#[derive(Clone)]
pub struct OwnershipKey(MacKey);

impl OwnershipKey {
    /// Derives the key.
    pub fn new(secrets: &Secrets) -> OwnershipKey {
        OwnershipKey(secrets.mac_key("domain ownership"))
    }

    /// What the TXT record of a domain says when it is this account's. Always the same, so that a record stays good.
    pub fn value(&self, account: &AccountId, host: &str) -> String {
        format!("glasshouse-domain={}", self.0.sign(&format!("{}|{host}", account.as_str())))
    }
}

/// Whether somebody else may say that a pending domain is theirs: another account has any claim on its site, however old,
/// or had a name of it served within the last 400 days. Why, and why DNS is not enough: docs/decisions/0073.
pub async fn is_contested(conn: &mut Conn, domain: &Domain, now: Timestamp) -> Result<bool, DbError> {
    if domain.status != DomainStatus::Pending {
        return Ok(false);
    }
    let site = names::site(&domain.host);
    queries::is_claimed_elsewhere(conn, &domain.account_id, &site, now.minus(FORMER)).await
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_value_is_of_one_account_one_domain_and_one_installation() {
        let key = OwnershipKey::new(&Secrets::from_bytes(b"one"));
        let (one, two) = (AccountId::from("a1"), AccountId::from("a2"));

        let value = key.value(&one, "shop.example");

        assert_eq!(value, key.value(&one, "shop.example"));
        assert_ne!(value, key.value(&two, "shop.example"));
        assert_ne!(value, key.value(&one, "other.example"));
        assert_ne!(value, OwnershipKey::new(&Secrets::from_bytes(b"two")).value(&one, "shop.example"));
    }
}
