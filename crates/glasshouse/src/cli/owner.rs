//! Account that the first start of an installation makes, with a key. Shared by the commands that begin an installation.

use super::output;
use accounts::Accounts;
use accounts::model::Email;

/// E-mail address of the account, unless another one is given.
const OWNER: &str = "owner@localhost";

/// Creates the first account and prints its credentials on stderr: here, once, and nowhere else. Returns false when there is
/// an account.
pub async fn create_owner(accounts: &Accounts, email: Option<&Email>, address: &str) -> anyhow::Result<bool> {
    let email = match email {
        Some(email) => email.clone(),
        None => OWNER.parse()?,
    };
    let Some((password, key)) = accounts.create_owner(&email).await? else { return Ok(false) };
    output::note("first start: an owner account was made. This is shown once.");
    output::note(&format!("  address:  {address}"));
    output::note(&format!("  e-mail:   {email}"));
    output::note(&format!("  password: {password}"));
    output::note(&format!("  API key:  {}", key.reveal()));
    Ok(true)
}
