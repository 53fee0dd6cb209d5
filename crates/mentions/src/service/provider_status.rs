//! State of a domain's monitoring: which assistants can be asked, whether they work, what they cost and what is left.
//! Reads only. Must never show sums of another account.

use std::collections::{BTreeMap, HashMap};

use assistants::providers::{ApiStyle, Provider, SearchVendor, Usd, listing_of};
use serde::Serialize;
use store::{Conn, DbError};
use utoipa::ToSchema;

use super::MentionParts;
use super::money::Purchase;
use crate::budgets::{BudgetScope, SpentBudgets, start_of_day};
use crate::connections::{AssistantSetup, Unavailable, lane_of};
use crate::model::{Prompt, UtcDay};
use crate::queries::ledger::{self, BudgetRow, CostRow};
use crate::queries::providers::{self, ProviderStateRow};
use crate::queries::{domains, prompts, targets};
use crate::schedule;
use ::domains::Domain;
use platform::clock::Timestamp;
use platform::jobs::LaneTrouble;
use platform::plans::Plan;

/// Failures in a row after which a provider shows as failing, unless one of them says that it will go on.
const FAILURES_SHOWN: i64 = 3;
/// Failures that do not end by themselves.
const LASTING: [&str; 2] = ["auth", "config"];

/// Reason why an assistant cannot be asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum UnavailableReason {
    /// The operator has set no key.
    NoKey,
    /// The account's plan is too low.
    Plan,
}

/// State of a provider.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum ProviderCondition {
    Ok,
    /// It is left alone for a while: too many requests, a used-up quota, or failures in a row.
    Paused,
    /// The last requests failed.
    Failing,
}

/// An assistant, as an account may ask it about a domain.
#[derive(Debug, Clone, PartialEq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ProviderStatus {
    #[schema(value_type = String, examples("chatgpt"))]
    pub provider: Provider,
    pub available: bool,
    /// Null: it is available.
    pub reason: Option<UnavailableReason>,
    /// `native`, or `chat`: a chat-completions server stands in.
    #[schema(value_type = String, examples("native"))]
    pub style: ApiStyle,
    /// Model that is asked; of Google's search the source.
    #[schema(examples("gpt-6-luna"))]
    pub model: String,
    /// Answers are invented.
    pub demo: bool,
    pub health: ProviderCondition,
    /// Null: it is not paused.
    pub paused_until: Option<Timestamp>,
    /// No budget can pay a question to it now.
    pub budget_spent: bool,
    /// US dollars that are reserved for one question.
    #[schema(value_type = f64, examples(0.03))]
    pub usd_per_run: Usd,
}

/// Costs of a day.
#[derive(Debug, Clone, PartialEq, Serialize, ToSchema)]
pub struct DayCost {
    /// UTC day.
    #[schema(examples("2026-11-20"))]
    pub date: String,
    #[schema(value_type = f64, examples(0.42))]
    pub usd: Usd,
}

/// Costs of an assistant.
#[derive(Debug, Clone, PartialEq, Serialize, ToSchema)]
pub struct ProviderCost {
    /// Identifier, or `analysis` for a server that only analyses.
    #[schema(examples("chatgpt"))]
    pub provider: String,
    #[schema(value_type = f64, examples(0.42))]
    pub usd: Usd,
}

/// Costs of a prompt.
#[derive(Debug, Clone, PartialEq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct PromptCost {
    pub prompt_id: String,
    /// Empty: the prompt was deleted.
    pub prompt_text: String,
    #[schema(value_type = f64, examples(0.42))]
    pub usd: Usd,
}

/// Money of the current UTC month.
#[derive(Debug, Clone, PartialEq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct MonthMoney {
    #[schema(value_type = f64, examples(3.1))]
    pub spent_usd: Usd,
    /// Reserved for requests that are under way.
    #[schema(value_type = f64, examples(0.06))]
    pub reserved_usd: Usd,
    /// Spent at the end of the month, by the schedule of the prompts and the prices of the assistants.
    #[schema(value_type = f64, examples(12.4))]
    pub projected_usd: Usd,
    /// Budget of the domain; null: none.
    #[schema(value_type = Option<f64>, examples(20))]
    pub budget_usd: Option<Usd>,
}

/// Costs of a domain's monitoring, in US dollars.
#[derive(Debug, Clone, PartialEq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct DomainCosts {
    #[schema(value_type = f64, examples(4.2))]
    pub usd: Usd,
    /// Part of `usd` that the provider has not stated.
    #[schema(value_type = f64, examples(0.3))]
    pub estimated_usd: Usd,
    /// Days with costs, the earliest first.
    pub by_day: Vec<DayCost>,
    /// The dearest first.
    pub by_provider: Vec<ProviderCost>,
    /// The dearest first.
    pub by_prompt: Vec<PromptCost>,
    pub month: MonthMoney,
    /// Budgets that cannot pay for a question now.
    pub budget_spent: Vec<BudgetScope>,
    /// Time at which all of them begin anew; null while nothing is spent.
    pub resumes_at: Option<Timestamp>,
}

/// Lists all assistants, in their order, as an account on a plan may ask them about a domain.
pub async fn list_provider_statuses(
    mentions: &MentionParts,
    domain: &Domain,
    plan: Plan,
) -> Result<Vec<ProviderStatus>, DbError> {
    let now = mentions.clock.now();
    let troubles = mentions.jobs.list_lane_troubles().await?;
    let mut conn = mentions.db.read().await?;
    let states = providers::list_states(&mut conn).await?;
    let limit = domains::find_domain(&mut conn, &domain.id).await?.and_then(|record| record.budget);
    let mut statuses = Vec::new();
    for setup in mentions.connections.all() {
        let checked = setup.check(plan);
        let (health, paused_until) = condition_of(setup.provider, &troubles, &states, now);
        let spent = find_spent(mentions, &mut conn, (domain, limit), setup.provider, now).await?;
        statuses.push(ProviderStatus {
            provider: setup.provider,
            available: checked.is_ok(),
            reason: checked.err().map(|reason| match reason {
                Unavailable::Plan => UnavailableReason::Plan,
                Unavailable::NoKey => UnavailableReason::NoKey,
            }),
            style: setup.connection.style,
            model: model_of(setup),
            demo: setup.is_demo,
            health,
            paused_until,
            budget_spent: spent.is_some(),
            usd_per_run: mentions.opening.expected_price(setup.provider, now),
        });
    }
    Ok(statuses)
}

/// Finds the budgets that cannot pay a question to an assistant. None: all of them can.
async fn find_spent(
    mentions: &MentionParts,
    conn: &mut Conn,
    (domain, domain_limit): (&Domain, Option<Usd>),
    provider: Provider,
    now: Timestamp,
) -> Result<Option<SpentBudgets>, DbError> {
    let purchase = Purchase {
        account: domain.account_id.as_str(),
        domain: &domain.id,
        domain_limit,
        provider: provider.as_str(),
        price: mentions.opening.expected_price(provider, now),
    };
    mentions.money.find_refusal(conn, purchase, now).await
}

/// Sums up what the requests about a domain cost from one day to another, and what is left of its budgets.
pub async fn sum_domain_costs(
    mentions: &MentionParts,
    domain: &Domain,
    plan: Plan,
    days: (UtcDay, UtcDay),
) -> Result<DomainCosts, DbError> {
    let now = mentions.clock.now();
    let mut conn = mentions.db.read().await?;
    let costs = ledger::list_costs(&mut conn, &domain.id, days).await?;
    let listed = prompts::list_prompts(&mut conn, &domain.id).await?;
    let budget = domains::find_domain(&mut conn, &domain.id).await?.and_then(|record| record.budget);
    let mut spent: Vec<SpentBudgets> = Vec::new();
    for setup in mentions.connections.all().iter().filter(|setup| setup.check(plan).is_ok()) {
        spent.extend(find_spent(mentions, &mut conn, (domain, budget), setup.provider, now).await?);
    }
    let mut budget_spent: Vec<BudgetScope> =
        spent.iter().flat_map(|spent| spent.scopes.iter().copied()).collect();
    budget_spent.sort();
    budget_spent.dedup();
    let month = month(mentions, &mut conn, (domain, budget), plan, &listed).await?;
    let texts: HashMap<&str, &str> =
        listed.iter().map(|prompt| (prompt.id.as_str(), prompt.text.as_str())).collect();
    let by_prompt = dearest_first(&costs, |row| row.prompt_id.clone());
    Ok(DomainCosts {
        usd: sum(&costs, |row| row.settled),
        estimated_usd: sum(&costs, |row| row.estimated),
        by_day: by_day(&costs),
        by_provider: dearest_first(&costs, |row| row.provider.clone())
            .into_iter()
            .map(|(provider, usd)| ProviderCost { provider, usd })
            .collect(),
        by_prompt: by_prompt
            .into_iter()
            .map(|(prompt_id, usd)| PromptCost {
                prompt_text: texts.get(prompt_id.as_str()).copied().unwrap_or_default().to_owned(),
                prompt_id,
                usd,
            })
            .collect(),
        month,
        budget_spent,
        resumes_at: spent.iter().map(|spent| spent.resumes_at).max(),
    })
}

async fn month(
    mentions: &MentionParts,
    conn: &mut Conn,
    (domain, budget): (&Domain, Option<Usd>),
    plan: Plan,
    listed: &[Prompt],
) -> Result<MonthMoney, DbError> {
    let now = mentions.clock.now();
    let wanted = BudgetRow {
        scope: BudgetScope::Domain.as_str().to_owned(),
        scope_key: domain.id.to_string(),
        period: now.month(),
        reserved_nanos: 0,
        spent_nanos: 0,
        estimated_nanos: 0,
    };
    let found = ledger::find_budgets(conn, &[wanted]).await?.into_iter().next();
    let spent = Usd::from_nanos(found.as_ref().map_or(0, |row| row.spent_nanos));
    let reserved = Usd::from_nanos(found.as_ref().map_or(0, |row| row.reserved_nanos));
    let mut expected = Usd::ZERO;
    for prompt in listed.iter().filter(|prompt| prompt.is_active) {
        for target in targets::list_of_prompt(conn, &prompt.id).await? {
            if mentions.connections.get(target.provider).check(plan).is_err() {
                continue;
            }
            let period = schedule::period(prompt.interval, target.dynamic.level);
            let left = slots_left(target.next_due, period.as_secs(), now);
            expected += mentions.opening.expected_price(target.provider, now).times(left);
        }
    }
    Ok(MonthMoney {
        spent_usd: spent,
        reserved_usd: reserved,
        projected_usd: spent + reserved + expected,
        budget_usd: budget,
    })
}

/// Counts the slots of a target until the end of the UTC month.
fn slots_left(next_due: Option<Timestamp>, period_s: u64, now: Timestamp) -> u64 {
    let (Some(due), end) = (next_due, now.start_of_next_month()) else { return 0 };
    let due = due.max(now);
    if due >= end { 0 } else { 1 + end.since(due).as_secs().saturating_sub(1) / period_s.max(1) }
}

/// Returns the model that is asked, or the source of Google's search.
fn model_of(setup: &AssistantSetup) -> String {
    let connection = &setup.connection;
    if setup.provider.is_google_search() && connection.style == ApiStyle::Native {
        return SearchVendor::as_str(connection.vendor).to_owned();
    }
    connection.model.clone().unwrap_or_else(|| listing_of(setup.provider).model.to_owned())
}

fn condition_of(
    provider: Provider,
    troubles: &[LaneTrouble],
    states: &[ProviderStateRow],
    now: Timestamp,
) -> (ProviderCondition, Option<Timestamp>) {
    let lane = lane_of(provider.as_str());
    let resting = troubles.iter().find(|trouble| trouble.lane == lane && trouble.rest_until > now);
    if let Some(trouble) = resting {
        return (ProviderCondition::Paused, Some(trouble.rest_until));
    }
    let state = states.iter().find(|state| state.provider == provider.as_str());
    let is_failing = state.is_some_and(|state| {
        state.failures >= FAILURES_SHOWN || state.failures > 0 && LASTING.contains(&state.error_code.as_str())
    });
    (if is_failing { ProviderCondition::Failing } else { ProviderCondition::Ok }, None)
}

fn sum(costs: &[CostRow], of: impl Fn(&CostRow) -> i64) -> Usd {
    Usd::from_nanos(costs.iter().map(of).sum())
}

fn by_day(costs: &[CostRow]) -> Vec<DayCost> {
    let mut days: BTreeMap<UtcDay, i64> = BTreeMap::new();
    for row in costs {
        *days.entry(row.day).or_default() += row.settled;
    }
    let entry = |(day, nanos)| DayCost { date: start_of_day(day).day(), usd: Usd::from_nanos(nanos) };
    days.into_iter().map(entry).collect()
}

fn dearest_first(costs: &[CostRow], of: impl Fn(&CostRow) -> String) -> Vec<(String, Usd)> {
    let mut sums: BTreeMap<String, i64> = BTreeMap::new();
    for row in costs {
        *sums.entry(of(row)).or_default() += row.settled;
    }
    let mut sums: Vec<(String, i64)> = sums.into_iter().collect();
    sums.sort_by_key(|(_, nanos)| std::cmp::Reverse(*nanos));
    sums.into_iter().map(|(name, nanos)| (name, Usd::from_nanos(nanos))).collect()
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::testing::*;

    const DAY_S: u64 = 24 * 3600;

    #[test]
    fn slots_are_counted_to_the_end_of_the_month() {
        let in_days = |days: u64| Some(NOON.plus(Duration::from_secs(days * DAY_S)));

        assert_eq!(slots_left(None, DAY_S, NOON), 0);
        // It is noon of 20 November: ten and a half days are left.
        assert_eq!(slots_left(in_days(0), DAY_S, NOON), 11);
        assert_eq!(slots_left(in_days(1), 7 * DAY_S, NOON), 2);
        assert_eq!(slots_left(in_days(11), DAY_S, NOON), 0);
    }

    #[test]
    fn a_provider_is_paused_while_its_lane_rests_and_failing_after_lasting_errors() {
        let trouble = |until: Timestamp| LaneTrouble {
            lane: "provider:chatgpt".to_owned(),
            failures: 1,
            rest_until: until,
            since: NOON,
        };
        let later = NOON.plus(Duration::from_secs(60));

        let paused = condition_of(Provider::Chatgpt, &[trouble(later)], &[], NOON);
        let over = condition_of(Provider::Chatgpt, &[trouble(NOON)], &[], NOON);
        let other = condition_of(Provider::Claude, &[trouble(later)], &[], NOON);

        assert_eq!(paused, (ProviderCondition::Paused, Some(later)));
        assert_eq!((over.0, other.0), (ProviderCondition::Ok, ProviderCondition::Ok));
    }
}
