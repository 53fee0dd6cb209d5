//! Budgets of AI monitoring: which ones a request counts in, and whether they can pay for it. Pure.
//! Must never let two requests of one transaction have the same money.

use std::collections::{BTreeMap, HashMap};

use assistants::providers::Usd;
use serde::Serialize;
use utoipa::ToSchema;

use super::connections::Connections;
use super::model::UtcDay;
use platform::clock::Timestamp;
use platform::config::Config;

const DAY_MS: i64 = 24 * 3600 * 1000;

/// Owner of a budget.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum BudgetScope {
    Domain,
    Account,
    Provider,
    Installation,
}

impl BudgetScope {
    pub const ALL: [BudgetScope; 4] =
        [BudgetScope::Domain, BudgetScope::Account, BudgetScope::Provider, BudgetScope::Installation];

    /// Returns the text that is stored.
    pub const fn as_str(self) -> &'static str {
        match self {
            BudgetScope::Domain => "domain",
            BudgetScope::Account => "account",
            BudgetScope::Provider => "provider",
            BudgetScope::Installation => "installation",
        }
    }
}

/// A budget and its period.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct BudgetKey {
    pub scope: BudgetScope,
    /// Id of the domain, account or provider; empty for the installation.
    pub key: String,
    /// UTC day (`2026-11-25`) or month (`2026-11`).
    pub period: String,
}

/// A budget that a request counts in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Budget {
    pub key: BudgetKey,
    /// None: no limit.
    pub limit: Option<Usd>,
    /// End of the period.
    pub resumes_at: Timestamp,
}

/// The one on whose account a request is made.
#[derive(Debug, Clone, Copy)]
pub struct Spender<'a> {
    pub account: &'a str,
    pub domain: &'a str,
    /// Budget of the domain; none: no limit.
    pub domain_limit: Option<Usd>,
    pub provider: &'a str,
}

/// Limits of the installation's settings.
#[derive(Debug, Clone)]
pub struct BudgetLimits {
    installation: Option<Usd>,
    account: Option<Usd>,
    /// Per day and per month, by provider.
    providers: HashMap<String, (Option<Usd>, Option<Usd>)>,
}

impl BudgetLimits {
    /// Reads the settings.
    pub fn new(config: &Config, connections: &Connections) -> BudgetLimits {
        let of_provider = connections.all().iter().map(|setup| {
            let limits = (setup.budget_per_day, setup.budget_per_month);
            (setup.provider.to_string(), limits)
        });
        BudgetLimits {
            installation: config.mentions.budget_usd_per_month.and_then(Usd::from_dollars),
            account: config.mentions.account_budget().and_then(Usd::from_dollars),
            providers: of_provider.collect(),
        }
    }

    /// Lists the budgets that a request counts in.
    pub fn of(&self, spender: Spender<'_>, now: Timestamp) -> Vec<Budget> {
        let (per_day, per_month) = self.providers.get(spender.provider).copied().unwrap_or_default();
        let of_month = |scope, key: &str, limit| Budget {
            key: BudgetKey { scope, key: key.to_owned(), period: now.month() },
            limit,
            resumes_at: now.start_of_next_month(),
        };
        let day = Budget {
            key: BudgetKey {
                scope: BudgetScope::Provider,
                key: spender.provider.to_owned(),
                period: now.day(),
            },
            limit: per_day,
            resumes_at: start_of_day(now.day_number() + 1),
        };
        vec![
            of_month(BudgetScope::Domain, spender.domain, spender.domain_limit),
            of_month(BudgetScope::Account, spender.account, self.account),
            day,
            of_month(BudgetScope::Provider, spender.provider, per_month),
            of_month(BudgetScope::Installation, "", self.installation),
        ]
    }
}

/// Returns the first moment of a day.
pub fn start_of_day(day: UtcDay) -> Timestamp {
    Timestamp::from_millis(day.saturating_mul(DAY_MS))
}

/// Lists the budgets in which a request of a day counts, by its entry in the ledger.
pub fn keys_of(account: &str, domain: &str, provider: &str, day: UtcDay) -> Vec<BudgetKey> {
    let at = start_of_day(day);
    let key = |scope, key: &str, period| BudgetKey { scope, key: key.to_owned(), period };
    vec![
        key(BudgetScope::Domain, domain, at.month()),
        key(BudgetScope::Account, account, at.month()),
        key(BudgetScope::Provider, provider, at.day()),
        key(BudgetScope::Provider, provider, at.month()),
        key(BudgetScope::Installation, "", at.month()),
    ]
}

/// Amounts of one budget in one period, or changes of them.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Balance {
    pub reserved: Usd,
    pub spent: Usd,
    /// Part of `spent` that is estimated.
    pub estimated: Usd,
}

/// Budgets that cannot pay.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SpentBudgets {
    /// Each once.
    pub scopes: Vec<BudgetScope>,
    /// Time at which all of them have a new period.
    pub resumes_at: Timestamp,
}

/// Balances of budgets, with the changes that a transaction makes.
#[derive(Debug, Default)]
pub struct Balances {
    standing: HashMap<BudgetKey, Balance>,
    changes: BTreeMap<BudgetKey, Balance>,
}

impl Balances {
    /// Begins with balances as they stand.
    pub fn new(standing: impl IntoIterator<Item = (BudgetKey, Balance)>) -> Balances {
        Balances { standing: standing.into_iter().collect(), changes: BTreeMap::new() }
    }

    /// Adds the same for some budgets as they stand, from another look.
    pub fn extend(&mut self, standing: impl IntoIterator<Item = (BudgetKey, Balance)>) {
        self.standing.extend(standing);
    }

    /// Finds the budgets that cannot pay an amount. None: all of them can.
    pub fn refusal(&self, budgets: &[Budget], amount: Usd) -> Option<SpentBudgets> {
        if amount <= Usd::ZERO {
            return None;
        }
        let is_spent = |budget: &&Budget| {
            let standing = self.standing.get(&budget.key).copied().unwrap_or_default();
            let change = self.changes.get(&budget.key).copied().unwrap_or_default();
            let used = standing.reserved + standing.spent + change.reserved + change.spent;
            budget.limit.is_some_and(|limit| used + amount > limit)
        };
        let spent: Vec<&Budget> = budgets.iter().filter(is_spent).collect();
        let resumes_at = spent.iter().map(|budget| budget.resumes_at).max()?;
        let mut scopes: Vec<BudgetScope> = spent.iter().map(|budget| budget.key.scope).collect();
        scopes.sort();
        scopes.dedup();
        Some(SpentBudgets { scopes, resumes_at })
    }

    pub fn reserve(&mut self, budgets: &[Budget], amount: Usd) {
        for budget in budgets {
            let change = self.changes.entry(budget.key.clone()).or_default();
            change.reserved += amount;
        }
    }

    /// Settles a request: gives back what was reserved, and adds the difference between its new cost and the old one.
    pub fn settle(&mut self, keys: Vec<BudgetKey>, released: Usd, cost: Balance) {
        for key in keys {
            let change = self.changes.entry(key).or_default();
            change.reserved = change.reserved - released;
            change.spent += cost.spent;
            change.estimated += cost.estimated;
        }
    }

    /// Returns the changes, without those that change nothing.
    pub fn changes(&self) -> impl Iterator<Item = (&BudgetKey, &Balance)> {
        self.changes.iter().filter(|(_, change)| **change != Balance::default())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::*;

    fn usd(dollars: f64) -> Usd {
        Usd::from_dollars(dollars).unwrap()
    }

    fn budgets(toml: &str, domain_limit: Option<Usd>) -> Vec<Budget> {
        let config = Config::from_toml(toml).unwrap();
        let limits = BudgetLimits::new(&config, &Connections::new(&config));
        limits.of(Spender { account: "a", domain: "d", domain_limit, provider: "chatgpt" }, NOON)
    }

    #[test]
    fn a_request_counts_in_five_budgets_of_which_two_have_a_limit_by_default() {
        let budgets = budgets("", None);

        let limited: Vec<_> = budgets.iter().filter_map(|budget| budget.limit).collect();
        assert_eq!((budgets.len(), limited), (5, vec![usd(12.5), usd(50.0)]));
        assert_eq!(budgets[2].resumes_at.to_string(), "2026-11-21T00:00:00.000Z");
        assert_eq!(budgets[0].resumes_at.to_string(), "2026-12-01T00:00:00.000Z");
        let keys: Vec<_> = budgets.into_iter().map(|budget| budget.key).collect();
        assert_eq!(keys, keys_of("a", "d", "chatgpt", NOON.day_number()));
    }

    #[test]
    fn money_is_had_once_within_a_transaction() {
        let toml = "[mentions]\nbudget_usd_per_month = 1\nbudget_usd_per_account = -1";
        let budgets = budgets(toml, None);
        let mut balances = Balances::default();
        let mut paid = 0;

        while balances.refusal(&budgets, usd(0.3)).is_none() {
            balances.reserve(&budgets, usd(0.3));
            paid += 1;
        }

        assert_eq!(paid, 3);
        let spent = balances.refusal(&budgets, usd(0.3)).unwrap();
        assert_eq!(spent.scopes, [BudgetScope::Installation]);
    }

    #[test]
    fn every_spent_budget_is_named_and_the_last_to_begin_anew_counts() {
        let toml = "[providers.chatgpt]\nbudget_usd_per_day = 0";
        let balances = Balances::default();

        let of_provider = balances.refusal(&budgets(toml, None), usd(0.01)).unwrap();
        let both = balances.refusal(&budgets(toml, Some(Usd::ZERO)), usd(0.01)).unwrap();

        assert_eq!(of_provider.resumes_at.to_string(), "2026-11-21T00:00:00.000Z");
        assert_eq!(both.scopes, [BudgetScope::Domain, BudgetScope::Provider]);
        assert_eq!(both.resumes_at.to_string(), "2026-12-01T00:00:00.000Z");
    }

    #[test]
    fn what_is_free_needs_no_budget() {
        let budgets = budgets("[mentions]\nbudget_usd_per_month = 0", None);

        assert_eq!(Balances::default().refusal(&budgets, Usd::ZERO), None);
    }

    #[test]
    fn settling_gives_the_reserve_back_and_counts_the_cost() {
        let budgets = budgets("", None);
        let mut balances = Balances::default();
        balances.reserve(&budgets, usd(0.02));

        let cost = Balance { spent: usd(0.011), estimated: usd(0.011), ..Balance::default() };
        balances.settle(keys_of("a", "d", "chatgpt", NOON.day_number()), usd(0.02), cost);

        assert!(balances.changes().all(|(_, change)| *change == cost));
        assert_eq!(balances.changes().count(), 5);
    }
}
