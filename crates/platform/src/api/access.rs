//! Demands of operations on their callers: one empty type per kind of operation. [`super::Caller`] enforces them and the
//! OpenAPI document is written from them. Kinds of one feature's own are in that feature.
//! See docs/decisions/0010.

use std::marker::PhantomData;

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::plans::Plan;

/// Demands of an operation on its caller.
pub trait Access: Send + Sync + 'static {
    /// Credentials that the operation takes.
    const CREDENTIALS: Credentials = Credentials::Keys;
    /// A key may come as `Authorization: Bearer`. On the Domains API only: elsewhere it may be a visitor's, passed on.
    const BEARER: bool = false;
    /// The account must be active, because the operation costs something: else 402.
    const ACTIVE: bool = false;
    /// The plan that a key needs: else 403 `plan_required`. Sessions are not gated.
    const KEY_PLAN: Option<Plan> = None;
    /// A key must be for the whole account: else 403 `requires_unscoped_key`.
    const ACCOUNT_WIDE: bool = false;
    /// The lowest role of a person that may: else 403 `role_forbidden`. A key that only reads may do what a viewer may, and read
    /// whatever keys read: else 403 `key_read_only`.
    const ROLE: PersonRole;
    /// A person must see all domains of the account: else 403 `role_forbidden`, which names the owner.
    const EVERY_DOMAIN: bool = false;
    /// Limit that requests count towards: per key, and per account for sessions.
    const RATE: Rate = Rate::Unlimited;
}

/// Role of a person in an account, the least first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum PersonRole {
    /// Reads all but people, keys and costs, and tries out what changes nothing.
    Viewer,
    /// Does all but managing people and keys.
    Editor,
    /// Does everything.
    Owner,
}

impl PersonRole {
    /// Returns the text in the database.
    pub const fn id(self) -> &'static str {
        match self {
            PersonRole::Viewer => "viewer",
            PersonRole::Editor => "editor",
            PersonRole::Owner => "owner",
        }
    }

    /// Parses the text in the database. An unknown one must not gain by it: it is a viewer's.
    pub fn stored(text: &str) -> PersonRole {
        let roles = [PersonRole::Owner, PersonRole::Editor];
        roles.into_iter().find(|role| role.id() == text).unwrap_or(PersonRole::Viewer)
    }
}

/// Kinds of credentials that an operation takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Credentials {
    /// API keys.
    Keys,
    /// API keys, or a signed-in session.
    KeysAndSessions,
    /// A signed-in session. A key beside it is not looked at.
    Sessions,
}

/// A limit of requests per minute and key, or per minute and account for sessions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Rate {
    /// None.
    Unlimited,
    /// The 600 per minute of the endpoints beyond the specification, counted by each process.
    Beyond,
    /// Counted by all processes together.
    Shared(SharedLimit),
}

/// A number of requests per minute and key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SharedLimit {
    /// Name in the database. Limits with different names are counted apart.
    pub name: &'static str,
    /// Requests per minute and key.
    pub per_minute: u32,
    /// Requests per minute of all sessions of an account.
    pub per_minute_of_sessions: u32,
}

/// The dashboard's twin of an operation: for sessions only, without the plan's gate, with the same limits per account as a
/// key has. One that is not limited for keys is limited like everything beyond the specification.
#[derive(Debug)]
pub struct Dashboard<A>(PhantomData<A>);

impl<A: Access> Access for Dashboard<A> {
    const CREDENTIALS: Credentials = Credentials::Sessions;
    const ACTIVE: bool = A::ACTIVE;
    const ROLE: PersonRole = A::ROLE;
    const EVERY_DOMAIN: bool = A::EVERY_DOMAIN;
    const RATE: Rate = match A::RATE {
        Rate::Unlimited => Rate::Beyond,
        limited => limited,
    };
}

/// The render endpoint: any key of an active account.
#[derive(Debug)]
pub struct RenderPages;

impl Access for RenderPages {
    const ROLE: PersonRole = PersonRole::Viewer;
    const ACTIVE: bool = true;
}

/// Cache refresh: any key of an active account.
#[derive(Debug)]
pub struct RefreshCache;

impl Access for RefreshCache {
    const ROLE: PersonRole = PersonRole::Editor;
    const ACTIVE: bool = true;
    const RATE: Rate =
        Rate::Shared(SharedLimit { name: "refresh", per_minute: 120, per_minute_of_sessions: 120 });
}

/// Use of the account's plan: a session or an account-wide key.
#[derive(Debug)]
pub struct OwnAccount;

impl Access for OwnAccount {
    const ROLE: PersonRole = PersonRole::Viewer;
    const CREDENTIALS: Credentials = Credentials::KeysAndSessions;
    const ACCOUNT_WIDE: bool = true;
    const RATE: Rate = Rate::Beyond;
}

/// The account's keys: a session of an owner, or an account-wide key.
#[derive(Debug)]
pub struct ManageKeys;

impl Access for ManageKeys {
    const CREDENTIALS: Credentials = Credentials::KeysAndSessions;
    const ACCOUNT_WIDE: bool = true;
    const ROLE: PersonRole = PersonRole::Owner;
    const RATE: Rate = Rate::Beyond;
}

/// Reading about one domain, beyond the specification: a session, an account-wide key or the domain's own.
#[derive(Debug)]
pub struct ReadDomain;

impl Access for ReadDomain {
    const ROLE: PersonRole = PersonRole::Viewer;
    const CREDENTIALS: Credentials = Credentials::KeysAndSessions;
    const RATE: Rate = Rate::Beyond;
}

/// Stopping work on one domain, which inactive accounts may too.
#[derive(Debug)]
pub struct StopWork;

impl Access for StopWork {
    const CREDENTIALS: Credentials = Credentials::KeysAndSessions;
    const ROLE: PersonRole = PersonRole::Editor;
    const RATE: Rate = Rate::Beyond;
}
