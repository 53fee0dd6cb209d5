//! Access rules of the operations on domains, one empty type per kind of operation. Operations of the Domains API take API
//! keys of the Business plan and above; the dashboard has them for sessions ([`platform::api::access::Dashboard`]).

use platform::api::access::SharedLimit;
use platform::api::access::{Access, Credentials, Dashboard, PersonRole, Rate};
use platform::plans::Plan;

/// Rate limit of all operations except those of [`TIGHT`].
const GENERAL: Rate =
    Rate::Shared(SharedLimit { name: "domains", per_minute: 60, per_minute_of_sessions: 60 });
/// Rate limit of operations that send requests to other servers: the connection check, and sitemap updates that fetch.
const TIGHT: Rate =
    Rate::Shared(SharedLimit { name: "domains-tight", per_minute: 6, per_minute_of_sessions: 6 });

/// Rate limits of an operation whose request body decides which one applies.
pub trait MayFetch: Access {
    /// Rate limit of a request that makes the service fetch something.
    const FETCHING: Rate;
}

impl<A: MayFetch> MayFetch for Dashboard<A> {
    const FETCHING: Rate = A::FETCHING;
}

/// Listing domains.
#[derive(Debug)]
pub struct ListDomains;

impl Access for ListDomains {
    const ROLE: PersonRole = PersonRole::Viewer;
    const BEARER: bool = true;
    const KEY_PLAN: Option<Plan> = Some(Plan::Business);
    const ACCOUNT_WIDE: bool = true;
    const RATE: Rate = GENERAL;
}

/// Adding and removing domains.
#[derive(Debug)]
pub struct AddOrRemove;

impl Access for AddOrRemove {
    const ROLE: PersonRole = PersonRole::Editor;
    const EVERY_DOMAIN: bool = true;
    const BEARER: bool = true;
    const ACTIVE: bool = true;
    const KEY_PLAN: Option<Plan> = Some(Plan::Business);
    const ACCOUNT_WIDE: bool = true;
    const RATE: Rate = GENERAL;
}

/// Reading one domain.
#[derive(Debug)]
pub struct ReadDomainRecord;

impl Access for ReadDomainRecord {
    const ROLE: PersonRole = PersonRole::Viewer;
    const BEARER: bool = true;
    const KEY_PLAN: Option<Plan> = Some(Plan::Business);
    const RATE: Rate = GENERAL;
}

/// Changing one domain.
#[derive(Debug)]
pub struct ChangeDomain;

impl Access for ChangeDomain {
    const ROLE: PersonRole = PersonRole::Editor;
    const BEARER: bool = true;
    const ACTIVE: bool = true;
    const KEY_PLAN: Option<Plan> = Some(Plan::Business);
    const RATE: Rate = GENERAL;
}

impl MayFetch for ChangeDomain {
    const FETCHING: Rate = TIGHT;
}

/// The connection check.
#[derive(Debug)]
pub struct CheckDomain;

impl Access for CheckDomain {
    const ROLE: PersonRole = PersonRole::Editor;
    const BEARER: bool = true;
    const ACTIVE: bool = true;
    const KEY_PLAN: Option<Plan> = Some(Plan::Business);
    const RATE: Rate = TIGHT;
}

/// Reading data of one domain that is beyond the specification, by a session, an account-wide key of any plan, or the
/// domain's own key.
#[derive(Debug)]
pub struct ReadBeyond;

impl Access for ReadBeyond {
    const ROLE: PersonRole = PersonRole::Viewer;
    const CREDENTIALS: Credentials = Credentials::KeysAndSessions;
    const BEARER: bool = true;
    const RATE: Rate = Rate::Beyond;
}

/// Changing data of one domain that is beyond the specification, by the same callers as [`ReadBeyond`] on active accounts.
#[derive(Debug)]
pub struct ChangeBeyond;

impl Access for ChangeBeyond {
    const ROLE: PersonRole = PersonRole::Editor;
    const CREDENTIALS: Credentials = Credentials::KeysAndSessions;
    const BEARER: bool = true;
    const ACTIVE: bool = true;
    const RATE: Rate = Rate::Beyond;
}

/// Sharing of statistics, which inactive accounts may change too.
#[derive(Debug)]
pub struct ShareStats;

impl Access for ShareStats {
    const CREDENTIALS: Credentials = Credentials::KeysAndSessions;
    const ROLE: PersonRole = PersonRole::Editor;
    const BEARER: bool = true;
    const RATE: Rate = Rate::Beyond;
}
