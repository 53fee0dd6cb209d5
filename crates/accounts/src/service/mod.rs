//! Operations on accounts, keys and stored sessions. Used by handlers, commands and every other feature.
//! Must never return a password, and a key only from [`Accounts::create_key`].

mod authentication;
mod cache;
mod errors;
mod key_filter;
mod usage;

use std::sync::Arc;
use std::time::Duration;

use store::{Conn, Db, DbError};

use self::cache::KeyCache;
pub use self::errors::{AccountError, CreateKeyError, SignInError};
use self::key_filter::{InactiveAccounts, KeyFilter, UsedUp};
use super::keys::{KeyHash, KeyKind, NewKey, random_text};
use super::model::{Account, AccountId, ApiKeyInfo, Email, KeyId, KeyOrder, PersonId, SessionIdentity};
use super::people::{MemberId, NewMember};
use super::queries::{people, sessions};
use super::sessions::{ABSOLUTE, IDLE, NewSession, SEEN_EVERY};
use super::{passwords, queries};
use platform::Platform;
use platform::api::access::PersonRole;
use platform::clock::Clock;
use platform::follow::Follower;
use platform::plans::Plan;

/// Time between two runs that store the last uses of keys and delete ended sessions.
const CHORES_EVERY: Duration = Duration::from_secs(30);

/// The accounts of this installation. Cheap to clone.
#[derive(Clone)]
pub struct Accounts(Arc<Inner>);

struct Inner {
    db: Db,
    clock: Clock,
    cache: Arc<KeyCache>,
    known_keys: Arc<KeyFilter>,
    inactive: Arc<InactiveAccounts>,
    used_up: Arc<UsedUp>,
    follower: Follower,
    keys_per_account: u64,
}

impl Accounts {
    /// Makes the service. Starts nothing: see [`Accounts::run_maintenance`].
    pub fn new(platform: &Platform, follower: &Follower) -> Accounts {
        let most = platform.config.limits.keys_per_account;
        Accounts::with(platform.db.clone(), platform.clock.clone(), most, follower.clone())
    }

    /// Makes the service on a database alone, for commands, with the limit of keys per account.
    pub fn on(db: Db, clock: Clock, keys_per_account: u64) -> Accounts {
        let follower = Follower::of_command(db.clone());
        Accounts::with(db, clock, keys_per_account, follower)
    }

    fn with(db: Db, clock: Clock, keys_per_account: u64, follower: Follower) -> Accounts {
        let cache = Arc::<KeyCache>::default();
        let known_keys = Arc::new(KeyFilter::new(&cache));
        let used_up = Arc::<UsedUp>::default();
        let inactive = Arc::new(InactiveAccounts::new(&cache, &used_up));
        follower.register(known_keys.clone());
        follower.register(inactive.clone());
        Accounts(Arc::new(Inner {
            db,
            clock,
            cache,
            known_keys,
            inactive,
            used_up,
            follower,
            keys_per_account,
        }))
    }

    // ---- Accounts

    /// Makes an account and its owner. A password is generated when none is given; it is returned only then.
    pub async fn create_account(
        &self,
        email: &Email,
        password: Option<String>,
        plan: Plan,
    ) -> Result<(Account, Option<String>), AccountError> {
        let (password, generated) = given_or_generated(password)?;
        let hash = passwords::hash(password).await;
        let account = self.new_account(email, plan);
        let mut tx = self.0.db.write().await?;
        insert_with_owner(&mut tx, &account, email, &hash).await.map_err(|error| match error {
            error if error.is_unique_violation() => AccountError::EmailTaken(email.to_string()),
            error => error.into(),
        })?;
        tx.commit_durably().await?;
        Ok((account, generated))
    }

    /// Makes the first account with its owner and an account-wide key, unless there is an account already.
    pub async fn create_owner(&self, email: &Email) -> Result<Option<(String, NewKey)>, AccountError> {
        if queries::count_accounts(&mut self.0.db.read().await?).await? > 0 {
            return Ok(None);
        }
        let (password, _) = given_or_generated(None)?;
        let hash = passwords::hash(password.clone()).await;
        let account = self.new_account(email, Plan::Enterprise);
        let (key, info) = self.new_key(KeyOrder::named("Owner", None));
        let mut tx = self.0.db.write().await?;
        // Two processes may start at once: the one that comes second finds the account of the first.
        if queries::count_accounts(&mut tx).await? > 0 {
            return Ok(None);
        }
        match insert_with_owner(&mut tx, &account, email, &hash).await {
            Err(error) if error.is_unique_violation() => return Ok(None),
            other => other?,
        }
        queries::insert_key(&mut tx, &account.id, &info, key.hash()).await?;
        tx.commit_durably().await?;
        Ok(Some((password, key)))
    }

    /// Lists all accounts, oldest first.
    pub async fn list_accounts(&self) -> Result<Vec<Account>, DbError> {
        queries::list_accounts(&mut self.0.db.read().await?).await
    }

    /// Returns the account with this e-mail address.
    pub async fn get_account(&self, email: &Email) -> Result<Account, AccountError> {
        let found = queries::find_account_by_email(&mut self.0.db.read().await?, email).await?;
        found.ok_or_else(|| AccountError::UnknownAccount(email.to_string()))
    }

    pub async fn find_account(&self, id: &AccountId) -> Result<Option<Account>, DbError> {
        queries::find_account(&mut self.0.db.read().await?, id).await
    }

    /// Waits until what [`Accounts::is_active`] says may be acted on.
    pub async fn current(&self) -> Result<(), DbError> {
        self.0.follower.current().await
    }

    /// Returns true when an account is active, from memory, which may be outdated.
    pub fn is_active(&self, id: &AccountId) -> bool {
        !self.0.inactive.contain(id)
    }

    /// Moves an account to another plan.
    pub async fn set_plan(&self, email: &Email, plan: Plan) -> Result<(), AccountError> {
        let account = self.get_account(email).await?;
        let mut tx = self.0.db.write().await?;
        queries::set_plan(&mut tx, &account.id, plan).await?;
        tx.commit_durably().await?;
        self.0.cache.clear();
        self.0.used_up.clear();
        Ok(())
    }

    /// Opens or closes an account's subscription. The inactive may read, and nothing that costs.
    pub async fn set_active(&self, email: &Email, active: bool) -> Result<(), AccountError> {
        let account = self.get_account(email).await?;
        let mut tx = self.0.db.write().await?;
        queries::set_active(&mut tx, &account.id, active).await?;
        tx.commit_durably().await?;
        self.0.cache.clear();
        self.0.used_up.clear();
        self.0.follower.take_over().await;
        Ok(())
    }

    /// Gives a person another password and ends the person's sessions. A password is generated, and returned, when none is given.
    pub async fn set_password(
        &self,
        email: &Email,
        password: Option<String>,
    ) -> Result<Option<String>, AccountError> {
        let (password, generated) = given_or_generated(password)?;
        let hash = passwords::hash(password).await;
        let mut tx = self.0.db.write().await?;
        let person = get_person(&mut tx, email).await?;
        people::set_password_hash(&mut tx, &person, &hash).await?;
        sessions::delete_sessions_of(&mut tx, &person).await?;
        tx.commit_durably().await?;
        Ok(generated)
    }

    /// Turns a person's second factor off and ends the person's sessions.
    pub async fn reset_totp(&self, email: &Email) -> Result<(), AccountError> {
        let mut tx = self.0.db.write().await?;
        let person = get_person(&mut tx, email).await?;
        people::delete_totp(&mut tx, &person).await?;
        sessions::delete_sessions_of(&mut tx, &person).await?;
        Ok(tx.commit_durably().await?)
    }

    fn new_account(&self, email: &Email, plan: Plan) -> Account {
        let (id, email) = (AccountId::generate(), email.as_str().to_owned());
        Account { id, email, plan, active: true, created_at: self.0.clock.now() }
    }

    // ---- Managing keys

    /// Makes a key. The key itself is in the answer and nowhere else.
    ///
    /// That the domain of the order is the account's own is for the caller to have checked.
    pub async fn create_key(
        &self,
        account: &AccountId,
        order: KeyOrder,
    ) -> Result<(NewKey, ApiKeyInfo), CreateKeyError> {
        let (key, info) = self.new_key(order);
        let limit = self.0.keys_per_account;
        let mut tx = self.0.db.write().await?;
        queries::lock_account(&mut tx, account).await?;
        if queries::count_working_keys(&mut tx, account, None, self.0.clock.now()).await? >= limit {
            return Err(CreateKeyError::LimitReached { limit });
        }
        queries::insert_key(&mut tx, account, &info, key.hash()).await?;
        tx.commit_durably().await?;
        self.0.follower.take_over().await;
        Ok((key, info))
    }

    /// Lists all keys of an account, oldest first, the revoked ones too.
    pub async fn list_keys(&self, account: &AccountId) -> Result<Vec<ApiKeyInfo>, DbError> {
        queries::list_keys(&mut self.0.db.read().await?, account).await
    }

    /// Revokes a key; of this account, when one is given. `false`: there is no such key.
    pub async fn revoke_key(&self, account: Option<&AccountId>, key: &KeyId) -> Result<bool, DbError> {
        let mut tx = self.0.db.write().await?;
        let revoked = queries::revoke_key(&mut tx, account, key, self.0.clock.now()).await?;
        tx.commit_durably().await?;
        // That one and no other: whoever revokes keys must not have everybody's looked up again.
        if let Some(hash) = revoked.as_deref().and_then(KeyHash::from_hex) {
            self.0.cache.forget(hash);
        }
        Ok(revoked.is_some())
    }

    fn new_key(&self, order: KeyOrder) -> (NewKey, ApiKeyInfo) {
        let key = NewKey::generate(KeyKind::Live);
        let info = ApiKeyInfo {
            id: KeyId::generate(),
            name: order.name,
            domain: order.domain,
            expires_at: order.expires_at,
            access: order.access,
            created_by: order.created_by,
            last4: key.last4().to_owned(),
            created_at: self.0.clock.now(),
            last_used_at: None,
            revoked_at: None,
        };
        (key, info)
    }

    // ---- Sessions

    /// Finds the session with this id, unless it ended.
    pub async fn find_session(&self, id: &str) -> Result<Option<SessionIdentity>, DbError> {
        let (hash, now) = (KeyHash::of(id), self.0.clock.now());
        let mut conn = self.0.db.read().await?;
        let found = sessions::find_session(&mut conn, hash, now.minus(IDLE), now.minus(ABSOLUTE)).await?;
        drop(conn);
        let Some((session, seen)) = found else { return Ok(None) };
        if now.since(seen) >= SEEN_EVERY {
            let mut tx = self.0.db.write().await?;
            sessions::record_session_use(&mut tx, hash, now).await?;
            people::record_seen(&mut tx, &session.account, &session.person, now).await?;
            tx.commit().await?;
        }
        Ok(Some(session))
    }

    /// Finds a person whom a proxy names, in the account that the person was seen in last.
    pub async fn find_person(&self, email: &Email) -> Result<Option<SessionIdentity>, DbError> {
        // Nobody can repeat a token that nobody was told: such a person changes nothing before a session begins.
        let csrf_token = NewSession::generate().csrf_token;
        sessions::find_person(&mut self.0.db.read().await?, email, &csrf_token).await
    }

    /// Ends a session.
    pub async fn sign_out(&self, id: &str) -> Result<(), DbError> {
        let mut tx = self.0.db.write().await?;
        sessions::delete_session(&mut tx, KeyHash::of(id)).await?;
        tx.commit().await
    }

    /// Writes down the last uses of keys and deletes ended sessions, now and then, until `shutdown`; a last time after it.
    pub async fn run_maintenance(self, shutdown: tokio_util::sync::CancellationToken) {
        loop {
            let is_last = tokio::select! {
                () = tokio::time::sleep(CHORES_EVERY) => false,
                () = shutdown.cancelled() => true,
            };
            if let Err(error) = self.do_maintenance().await {
                tracing::warn!(error = %error, "could not write down the last uses of keys");
            }
            if is_last {
                return;
            }
        }
    }

    async fn do_maintenance(&self) -> Result<(), DbError> {
        let uses = self.0.cache.take_uses();
        let now = self.0.clock.now();
        let mut tx = self.0.db.write().await?;
        for (key, at) in uses {
            queries::record_key_use(&mut tx, &key, at).await?;
        }
        sessions::delete_ended_sessions(&mut tx, now.minus(IDLE), now.minus(ABSOLUTE)).await?;
        tx.commit().await
    }
}

/// Stores an account and its owner.
async fn insert_with_owner(
    conn: &mut Conn,
    account: &Account,
    email: &Email,
    password_hash: &str,
) -> Result<(), DbError> {
    let (person, member) = (PersonId::generate(), MemberId::generate());
    queries::insert_account(conn, account).await?;
    people::insert_person(conn, &person, email, password_hash, account.created_at).await?;
    let owner = NewMember {
        id: &member,
        email,
        person: Some(&person),
        role: PersonRole::Owner,
        domains: None,
        invitation: None,
    };
    people::insert_member(conn, &account.id, &owner, account.created_at).await
}

async fn get_person(conn: &mut Conn, email: &Email) -> Result<PersonId, AccountError> {
    let found = people::find_person(conn, email).await?;
    found.map(|person| person.id).ok_or_else(|| AccountError::UnknownPerson(email.to_string()))
}

/// Checks a given password or generates one of 24 characters of base62, 142 bits: too many to guess, few enough to type once.
fn given_or_generated(password: Option<String>) -> Result<(String, Option<String>), AccountError> {
    match password {
        Some(password) if password.is_empty() => Err(AccountError::EmptyPassword),
        Some(password) => Ok((password, None)),
        None => {
            let password = random_text(24);
            Ok((password.clone(), Some(password)))
        }
    }
}

#[cfg(test)]
mod tests;
