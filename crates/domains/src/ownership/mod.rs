//! Ownership of a domain that more than one account claims. The address records of all domains are the same, so that they do
//! not prove who created them: a contested domain needs a TXT record with a value that is specific to its account.

pub(super) mod queries;

use std::time::Duration;

use store::{Conn, DbError};

use crate::{Domain, DomainStatus, names};
use accounts::AccountId;
use platform::clock::Timestamp;
use platform::secret::{MacKey, Secrets};

/// Time for which a site stays contested after an account removed a served name of it: the old records may still exist.
pub const FORMER: Duration = Duration::from_secs(400 * 24 * 60 * 60);

/// Fact that the findings of a check prove.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ConnectionProof {
    /// The account owns the domain.
    OfOwner,
    /// The domain points at the service, whoever created its records.
    OfTheWay,
}

/// Key from which the values of ownership records are derived.
#[derive(Clone)]
pub struct OwnershipKey(MacKey);

impl OwnershipKey {
    /// Derives the key from the installation's secret.
    pub fn new(secrets: &Secrets) -> OwnershipKey {
        OwnershipKey(secrets.mac_key("domain ownership"))
    }

    /// Returns the value of a domain's TXT record for this account. The value never changes, so that a record stays valid.
    pub fn value(&self, account: &AccountId, host: &str) -> String {
        format!("glasshouse-domain={}", self.0.sign(&format!("{}|{host}", account.as_str())))
    }
}

/// Decides whether another account can claim a pending domain: it has any claim on the domain's site, however old, or has
/// removed a served name of the site within the last 400 days. For the reasons see docs/decisions/0073.
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
