//! Accounts and their callers in a test.

use std::sync::Arc;

use axum::Router;
use futures::future::BoxFuture;
use platform::Platform;
use platform::follow::Follower;
use platform::jobs::Jobs;
use platform::plans::Plan;
pub use platform::testing::*;
use store::DbError;

use crate::callers::Callers;
use crate::callers::rate_limit::RateLimits;
use crate::model::{Email, KeyOrder};
use crate::ports::AccountHoldings;
use crate::usage::Holdings;
use crate::{AccountId, Accounts, AccountsState, People, handlers};

/// Accounts under test.
pub struct AccountServices {
    pub platform: Platform,
    pub follower: Follower,
    pub jobs: Jobs,
    pub accounts: Accounts,
    pub callers: Callers,
}

/// Accounts in a test.
pub type TestApp = platform::testing::TestApp<AccountServices>;

impl Services for AccountServices {
    fn on(platform: Platform) -> AccountServices {
        let Platform { config, clock, db, .. } = &platform;
        let rate_limits = Arc::new(RateLimits::new(config.limits.anonymous_per_minute, clock, db));
        let follower = Follower::new(&platform);
        let accounts = Accounts::new(&platform, &follower);
        let callers = Callers { config: config.clone(), accounts: accounts.clone(), rate_limits };
        let jobs = Jobs::new(db.clone(), clock.clone());
        AccountServices { follower, jobs, accounts, callers, platform }
    }

    fn platform(&self) -> &Platform {
        &self.platform
    }

    fn router(&self) -> Router {
        self.router_with(Arc::new(NoHoldings))
    }
}

impl AccountServices {
    /// Makes the router of accounts that have these things.
    pub fn router_with(&self, holdings: Arc<dyn AccountHoldings>) -> Router {
        let (callers, accounts) = (self.callers.clone(), self.accounts.clone());
        let state = AccountsState {
            config: callers.config.clone(),
            clock: self.platform.clock.clone(),
            people: People::new(&self.platform),
            callers,
            accounts,
            holdings,
        };
        handlers::routes().with_state(state).into()
    }
}

/// Nothing of any account.
struct NoHoldings;

impl AccountHoldings for NoHoldings {
    fn find_domain<'a>(
        &'a self,
        _: &'a AccountId,
        _: &'a str,
    ) -> BoxFuture<'a, Result<Option<String>, DbError>> {
        Box::pin(async { Ok(None) })
    }

    fn count<'a>(&'a self, _: &'a AccountId) -> BoxFuture<'a, Result<Holdings, DbError>> {
        Box::pin(async { Ok(Holdings::default()) })
    }
}

/// Services with accounts among them: their own, or those of the services to their left.
pub trait HasAccounts {
    /// Returns the accounts.
    fn accounts(&self) -> &Accounts;
}

impl HasAccounts for AccountServices {
    fn accounts(&self) -> &Accounts {
        &self.accounts
    }
}

impl<S: std::ops::Deref<Target: HasAccounts>> HasAccounts for S {
    fn accounts(&self) -> &Accounts {
        (**self).accounts()
    }
}

/// The password of every account that a test makes.
pub const PASSWORD: &str = "correct horse battery staple";

/// An account with an account-wide key.
#[derive(Debug, Clone)]
pub struct TestAccount {
    pub id: AccountId,
    /// E-mail address of its owner.
    pub email: Email,
    /// Account-wide API key.
    pub key: String,
}

/// Builders of accounts, keys and sessions.
#[expect(async_fn_in_trait, reason = "tests wait for one future at a time")]
pub trait AccountBuilders {
    /// Makes an account on a plan, with an account-wide key.
    async fn account(&self, email: &str, plan: Plan) -> TestAccount;

    /// Makes a key, for one domain when it is given.
    async fn key(&self, account: &AccountId, domain: Option<&str>) -> String;

    /// Makes an account inactive, as `glasshouse account deactivate` does.
    async fn deactivate(&self, account: &TestAccount);

    /// Signs the owner in over HTTP, as the dashboard does.
    async fn sign_in(&self, account: &TestAccount) -> TestSession;

    /// Reads the session of a reply's cookie.
    async fn session_of(&self, reply: &Reply) -> TestSession;

    /// Invites somebody to an account, and returns the token of the link.
    async fn invite(&self, owner: &TestSession, person: serde_json::Value) -> String;

    /// Makes a person of an account, by an invitation that is accepted.
    async fn person(&self, owner: &TestSession, person: serde_json::Value) -> TestSession;
}

impl<S: Services + HasAccounts> AccountBuilders for platform::testing::TestApp<S> {
    async fn account(&self, email: &str, plan: Plan) -> TestAccount {
        let email: Email = email.parse().expect("an e-mail address");
        let (account, _) = self
            .state
            .accounts()
            .create_account(&email, Some(PASSWORD.to_owned()), plan)
            .await
            .expect("the account is new");
        let key = self.key(&account.id, None).await;
        TestAccount { id: account.id, email, key }
    }

    async fn key(&self, account: &AccountId, domain: Option<&str>) -> String {
        let order = KeyOrder::named("Test", domain.map(str::to_owned));
        let made = self.state.accounts().create_key(account, order).await;
        made.expect("the database is there").0.reveal().to_owned()
    }

    async fn deactivate(&self, account: &TestAccount) {
        self.state.accounts().set_active(&account.email, false).await.expect("the account is there");
    }

    async fn sign_in(&self, account: &TestAccount) -> TestSession {
        let credentials = serde_json::json!({ "email": account.email.as_str(), "password": PASSWORD });
        let reply = self.post("/api/session").json(credentials).await;
        reply.assert_status(204);
        self.session_of(&reply).await
    }

    async fn session_of(&self, reply: &Reply) -> TestSession {
        let cookie = reply.header("set-cookie").split(';').next().unwrap_or_default().to_owned();
        let session = self.get("/api/session").header("cookie", &cookie).await.json();
        let csrf_token = session["csrfToken"].as_str().expect("a session has a token").to_owned();
        TestSession { cookie, csrf_token }
    }

    async fn invite(&self, owner: &TestSession, person: serde_json::Value) -> String {
        let reply = self.post("/api/people").session(owner).json(person).await;
        reply.assert_status(201);
        let link = reply.json()["inviteUrl"].as_str().expect("a link that was not mailed").to_owned();
        link.split_once("/invitation#").expect("an invitation's link").1.to_owned()
    }

    async fn person(&self, owner: &TestSession, person: serde_json::Value) -> TestSession {
        let token = self.invite(owner, person).await;
        let accepted = serde_json::json!({ "token": token, "password": PASSWORD });
        let reply = self.post("/api/session/invitation").json(accepted).await;
        reply.assert_status(204);
        self.session_of(&reply).await
    }
}
