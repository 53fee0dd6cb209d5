//! The four plans and what each allows. Pure; the numbers come from the settings (`plans.<id>.*`).
//! Must never compare plans by their name: the order of the variants is the order of the plans.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// A plan, in ascending order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum Plan {
    /// The smallest plan.
    Essential,
    /// Shown as "Pro". Stored as "agency": clients match on the old id.
    Agency,
    /// Adds the Domains API.
    Business,
    /// Without most limits.
    Enterprise,
}

impl Plan {
    /// All plans, smallest first.
    pub const ALL: [Plan; 4] = [Plan::Essential, Plan::Agency, Plan::Business, Plan::Enterprise];

    /// Returns the id in the database, the API and the settings.
    pub const fn id(self) -> &'static str {
        match self {
            Plan::Essential => "essential",
            Plan::Agency => "agency",
            Plan::Business => "business",
            Plan::Enterprise => "enterprise",
        }
    }
}

impl fmt::Display for Plan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.id())
    }
}

impl FromStr for Plan {
    type Err = UnknownPlan;

    fn from_str(text: &str) -> Result<Plan, UnknownPlan> {
        Plan::ALL.into_iter().find(|plan| plan.id() == text).ok_or_else(|| UnknownPlan(text.to_owned()))
    }
}

/// A text that is the id of no plan.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0:?} is not a plan; the plans are essential, agency, business and enterprise")]
pub struct UnknownPlan(String);

/// An upper bound that a plan sets, or none.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PlanLimit(Option<u64>);

impl PlanLimit {
    /// No limit at all.
    pub const NONE: PlanLimit = PlanLimit(None);

    /// Makes a limit of this many.
    pub const fn of(most: u64) -> PlanLimit {
        PlanLimit(Some(most))
    }

    /// Returns the number, if there is a limit.
    pub const fn most(self) -> Option<u64> {
        self.0
    }

    /// Returns true when a count is within the limit.
    pub fn allows(self, count: u64) -> bool {
        self.0.is_none_or(|most| count <= most)
    }
}

/// Written as settings and answers show it: `-1` is no limit.
impl Serialize for PlanLimit {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.0 {
            Some(most) => serializer.serialize_u64(most),
            None => serializer.serialize_i64(-1),
        }
    }
}

impl<'de> Deserialize<'de> for PlanLimit {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<PlanLimit, D::Error> {
        match i64::deserialize(deserializer)? {
            -1 => Ok(PlanLimit::NONE),
            number => u64::try_from(number).map(PlanLimit::of).map_err(|_| {
                serde::de::Error::custom(format!("{number} is neither a count nor -1 (no limit)"))
            }),
        }
    }
}

/// Limits of one plan. The names are those of the settings.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PlanLimits {
    pub domains: PlanLimit,
    pub renders_per_month: PlanLimit,
    pub audits_per_month: PlanLimit,
    pub audited_pages_per_month: PlanLimit,
    pub pages_per_audit: PlanLimit,
    pub prompts: PlanLimit,
    pub monitors: PlanLimit,
    pub providers_per_prompt: PlanLimit,
    pub redirect_rules: PlanLimit,
    /// Bytes of HTML of all stored snapshots.
    pub snapshot_bytes: PlanLimit,
    pub custom_headers: bool,
    pub seo_audit: bool,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plans_are_ordered_by_what_they_allow() {
        assert!(Plan::Essential < Plan::Agency);
        assert!(Plan::Agency < Plan::Business);
        assert!(Plan::Business < Plan::Enterprise);
    }

    #[test]
    fn every_plan_is_read_back_from_its_id() {
        for plan in Plan::ALL {
            assert_eq!(plan.id().parse(), Ok(plan));
            assert_eq!(serde_json::to_value(plan).unwrap(), plan.id());
        }

        assert!("pro".parse::<Plan>().is_err());
    }

    #[test]
    fn minus_one_is_no_limit() {
        let none: PlanLimit = serde_json::from_str("-1").unwrap();
        let five: PlanLimit = serde_json::from_str("5").unwrap();

        assert!(none.allows(u64::MAX));
        assert!(five.allows(5) && !five.allows(6));
        assert!(serde_json::from_str::<PlanLimit>("-2").is_err());
        assert_eq!(serde_json::to_string(&none).unwrap(), "-1");
    }
}
