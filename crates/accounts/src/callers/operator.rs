//! The operator of the installation, for whom a command calls the API in its own process.
//! Must never be made from anything that a client sends: only a command puts it on its own requests.

use crate::Account;
use crate::model::{PersonId, SessionIdentity};
use platform::api::access::PersonRole;

/// Extension of a request by which the operator acts as an account, without limits of requests. Listeners make requests
/// without extensions, so that no client can have it.
#[derive(Debug, Clone)]
pub struct Operator(pub(super) SessionIdentity);

impl Operator {
    /// Acts as an account.
    pub fn acting_as(account: &Account) -> Operator {
        Operator(SessionIdentity {
            account: account.id.clone(),
            account_name: account.email.clone(),
            person: PersonId::from("operator"),
            email: account.email.clone(),
            role: PersonRole::Owner,
            domains: None,
            second_factor: false,
            plan: account.plan,
            active: account.active,
            // Equal to the token of a request that has none.
            csrf_token: String::new(),
            is_stored: false,
        })
    }
}
