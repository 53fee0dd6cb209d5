//! Who may call the operations of the Domains API: by its own paths with API keys of the Business plan and above, by the
//! dashboard's with a session or any key. One empty type per kind of operation.

use crate::accounts::Plan;
use crate::api::caller::{Access, Rate};
use crate::api::shared_limits::SharedLimit;

/// All operations but those of [`TIGHT`].
const GENERAL: Rate = Rate::Shared(SharedLimit { name: "domains", per_minute: 60 });
/// What makes the service look at the world: the connection check, and sitemap updates that fetch.
const TIGHT: Rate = Rate::Shared(SharedLimit { name: "domains-tight", per_minute: 6 });

/// What counts towards which limit when the request's body decides.
pub trait MayFetch: Access {
    /// What a request counts towards that makes the service fetch something.
    const FETCHING: Rate;
}

/// Listing.
#[derive(Debug)]
pub struct ListByKey;

impl Access for ListByKey {
    const KEY_PLAN: Option<Plan> = Some(Plan::Business);
    const ACCOUNT_WIDE: bool = true;
    const RATE: Rate = GENERAL;
}

/// Adding and removing.
#[derive(Debug)]
pub struct AddOrRemoveByKey;

impl Access for AddOrRemoveByKey {
    const ACTIVE: bool = true;
    const KEY_PLAN: Option<Plan> = Some(Plan::Business);
    const ACCOUNT_WIDE: bool = true;
    const RATE: Rate = GENERAL;
}

/// Reading one domain.
#[derive(Debug)]
pub struct ReadByKey;

impl Access for ReadByKey {
    const KEY_PLAN: Option<Plan> = Some(Plan::Business);
    const RATE: Rate = GENERAL;
}

/// Changing one domain.
#[derive(Debug)]
pub struct ChangeByKey;

impl Access for ChangeByKey {
    const ACTIVE: bool = true;
    const KEY_PLAN: Option<Plan> = Some(Plan::Business);
    const RATE: Rate = GENERAL;
}

impl MayFetch for ChangeByKey {
    const FETCHING: Rate = TIGHT;
}

/// The connection check.
#[derive(Debug)]
pub struct CheckByKey;

impl Access for CheckByKey {
    const ACTIVE: bool = true;
    const KEY_PLAN: Option<Plan> = Some(Plan::Business);
    const RATE: Rate = TIGHT;
}

/// Adding and removing in the dashboard: a session, or an account-wide key of any plan.
#[derive(Debug)]
pub struct AddOrRemoveInDashboard;

impl Access for AddOrRemoveInDashboard {
    const SESSION: bool = true;
    const ACTIVE: bool = true;
    const ACCOUNT_WIDE: bool = true;
    const RATE: Rate = Rate::Beyond;
}

impl MayFetch for crate::api::caller::WriteDomain {
    const FETCHING: Rate = Rate::Beyond;
}
