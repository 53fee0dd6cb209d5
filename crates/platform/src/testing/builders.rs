//! Makes what tests start from: accounts, keys, sessions.

use super::TestApp;
use accounts::AccountId;
use accounts::model::Email;
use crate::plans::Plan;

/// The password of every account that a test makes.
pub const PASSWORD: &str = "correct horse battery staple";

/// An account with an account-wide key.
#[derive(Debug, Clone)]
pub struct TestAccount {
    pub id: AccountId,
    /// Its e-mail address.
    pub email: Email,
    /// Its account-wide key.
    pub key: String,
}

/// A signed-in session.
#[derive(Debug, Clone)]
pub struct TestSession {
    /// The `cookie` header.
    pub cookie: String,
    /// The `x-csrf-token` header.
    pub csrf_token: String,
}

impl TestApp {
    /// Makes an account on a plan, with an account-wide key.
    pub async fn account(&self, email: &str, plan: Plan) -> TestAccount {
        let email: Email = email.parse().expect("an e-mail address");
        let (account, _) = self
            .state
            .accounts
            .create_account(&email, Some(PASSWORD.to_owned()), plan)
            .await
            .expect("the account is new");
        let key = self.key(&account.id, None).await;
        TestAccount { id: account.id, email, key }
    }

    /// Makes a key, for one domain when it is given.
    pub async fn key(&self, account: &AccountId, domain: Option<&str>) -> String {
        let made = self.state.accounts.create_key(account, "Test", domain.map(str::to_owned)).await;
        made.expect("the database is there").0.reveal().to_owned()
    }

    /// Makes an account inactive, as `glasshouse account deactivate` does.
    pub async fn deactivate(&self, account: &TestAccount) {
        self.state.accounts.set_active(&account.email, false).await.expect("the account is there");
    }

    /// Signs in over HTTP, as the dashboard does.
    pub async fn sign_in(&self, account: &TestAccount) -> TestSession {
        let credentials = serde_json::json!({ "email": account.email.as_str(), "password": PASSWORD });
        let reply = self.post("/api/session").json(credentials).await;
        reply.assert_status(204);
        let cookie = reply.header("set-cookie").split(';').next().unwrap_or_default().to_owned();
        let session = self.get("/api/session").header("cookie", &cookie).await.json();
        let csrf_token = session["csrfToken"].as_str().expect("a session has a token").to_owned();
        TestSession { cookie, csrf_token }
    }
}
