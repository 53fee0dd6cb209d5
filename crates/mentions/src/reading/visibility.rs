//! Visibility for the dashboard: rates of all domains of an account in one read, and one domain's numbers and events.
//! Rates leave branded prompts out, as the screens of AI mentions do: an answer to a question that names the brand nearly always
//! names the brand too.

use std::collections::HashMap;

use assistants::providers::Provider;
use assistants::statistics::{AnswerSums, RateInterval};
use store::DbError;
use url::Url;

use super::filter::ReadingFilter;
use super::service::{MentionReading, load};
use super::sources::{Members, SourceContext};
use crate::model::UtcDay;
use crate::queries::reading::sources::{self as source_rows, ListPart, SourceCountRow, SourceUnit};
use crate::queries::reading::statistics::{DayTotalsRow, list_day_totals};
use crate::queries::reading::visibility as rows;
use crate::queries::sums::AnswerSumColumns;
use ::domains::{Domain, DomainId};
use accounts::AccountId;
use analytics::model::date_of;

/// Days of a window of events: rates of a window are compared with those of the one before.
const EVENT_WINDOW: i64 = 7;
/// Own pages among which those of the domain's host are looked for.
const LOOKED_AT: i64 = 200;

/// Visibility of a domain in a list of an account's domains.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct AccountVisibility {
    pub answers: u64,
    /// Percent, one decimal. None: no answers.
    pub rate: Option<f64>,
    /// Rate of the window before.
    pub previous_rate: Option<f64>,
    /// The intervals of the two rates are apart.
    pub is_significant: bool,
}

/// Visibility of one domain.
#[derive(Debug, Clone, PartialEq)]
pub struct DomainVisibility {
    pub answers: u64,
    pub mentions: u64,
    /// Percent, one decimal. None: no answers.
    pub rate: Option<f64>,
    pub interval: Option<RateInterval>,
    pub previous_rate: Option<f64>,
    pub is_significant: bool,
    /// Assistants that answered, in the order of the API.
    pub providers: Vec<ProviderVisibility>,
    /// Every day of the window.
    pub points: Vec<VisibilityPoint>,
}

/// Visibility at one provider.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ProviderVisibility {
    pub provider: Provider,
    pub answers: u64,
    pub mentions: u64,
    pub rate: Option<f64>,
    pub interval: Option<RateInterval>,
}

/// Visibility on one day.
#[derive(Debug, Clone, PartialEq)]
pub struct VisibilityPoint {
    pub date: String,
    pub rate: Option<f64>,
}

/// A page of the domain that answers cite.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CitedPage {
    /// Path with the query.
    pub path: String,
    pub citations: u64,
    pub providers: Vec<String>,
}

/// Kind of an event.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MentionEventKind {
    /// The rate of a week differs significantly from that of the week before.
    VisibilityChanged,
    /// A provider named the brand for the first time.
    FirstNamed,
    ReportReady,
}

/// Something that happened to a domain's visibility.
#[derive(Debug, Clone, PartialEq)]
pub struct MentionEvent {
    pub day: UtcDay,
    pub kind: MentionEventKind,
    /// Provider of a first mention, id of a report.
    pub subject: Option<String>,
    /// Answers that name the brand.
    pub count: Option<u64>,
    /// Rates in percent.
    pub before: Option<f64>,
    pub after: Option<f64>,
}

impl AccountVisibility {
    fn of(row: &rows::DomainRatesRow) -> AccountVisibility {
        let whole = |number: i64| u64::try_from(number).unwrap_or_default();
        let rates = [
            AnswerSums {
                responses: whole(row.answers),
                mentions: whole(row.mentions),
                ..AnswerSums::default()
            },
            AnswerSums {
                responses: whole(row.previous_answers),
                mentions: whole(row.previous_mentions),
                ..AnswerSums::default()
            },
        ];
        AccountVisibility {
            answers: rates[0].responses,
            rate: rate(&rates[0]),
            previous_rate: rate(&rates[1]),
            is_significant: differ(&rates[1], &rates[0]),
        }
    }
}

impl MentionReading {
    /// Reads the visibility of all domains of an account in the last `days` days, today included, and as many before.
    /// Domains without answers in both are left out.
    pub async fn account_visibility(
        &self,
        account: &AccountId,
        days: u32,
    ) -> Result<HashMap<DomainId, AccountVisibility>, DbError> {
        let (today, days) = (self.today(), i64::from(days));
        let window = (today - 2 * days + 1, today - days + 1, today);
        let found = rows::list_rates(&mut self.db.read().await?, account, window).await?;
        let of_row = |row: rows::DomainRatesRow| {
            let visibility = AccountVisibility::of(&row);
            (DomainId::from(row.domain_id), visibility)
        };
        Ok(found.into_iter().map(of_row).collect())
    }

    /// Reads the visibility of a domain in the last `days` days, today included. None: it is not monitored.
    pub async fn domain_visibility(
        &self,
        domain: &DomainId,
        days: u32,
    ) -> Result<Option<DomainVisibility>, DbError> {
        let mut conn = self.db.read().await?;
        let Some(monitored) = load(&mut conn, domain).await? else { return Ok(None) };
        let (today, days) = (self.today(), i64::from(days));
        let from = today - days + 1;
        let filter = unbranded((from - days, today));
        let prompts = monitored.numbers(&filter);
        let totals = list_day_totals(&mut conn, &monitored.sums(&filter, prompts.as_deref())).await?;
        let (now, before): (Vec<_>, Vec<_>) = totals.into_iter().partition(|row| row.day >= from);
        let (current, previous) = (sum(&now, |_| true), sum(&before, |_| true));
        let providers = Provider::ALL.into_iter().filter_map(|provider| {
            let sums = sum(&now, |row| row.provider == provider.as_str());
            (sums.responses > 0).then(|| ProviderVisibility {
                provider,
                answers: sums.responses,
                mentions: sums.mentions,
                rate: rate(&sums),
                interval: sums.visibility_interval(),
            })
        });
        let point =
            |day| VisibilityPoint { date: date_of(day), rate: rate(&sum(&now, |row| row.day == day)) };
        Ok(Some(DomainVisibility {
            answers: current.responses,
            mentions: current.mentions,
            rate: rate(&current),
            interval: current.visibility_interval(),
            previous_rate: rate(&previous),
            is_significant: differ(&previous, &current),
            providers: providers.collect(),
            points: (from..=today).map(point).collect(),
        }))
    }

    /// Lists the pages on the domain's own host that most answers of the last `days` days cite.
    pub async fn cited_pages(
        &self,
        domain: &Domain,
        days: u32,
        most: usize,
    ) -> Result<Vec<CitedPage>, DbError> {
        let mut conn = self.db.read().await?;
        let Some(monitored) = load(&mut conn, &domain.id).await? else { return Ok(Vec::new()) };
        let today = self.today();
        let filter = unbranded((today - i64::from(days) + 1, today));
        let numbers = monitored.numbers(&filter);
        let sums = monitored.sums(&filter, numbers.as_deref());
        let site = assistants::analysis::citations::domain_of(&format!("https://{}/", domain.host));
        let part = ListPart { limit: LOOKED_AT, offset: 0 };
        let pages =
            source_rows::list_pages_of_site(&mut conn, &sums, &site.unwrap_or_default(), part).await?;
        let bare = |host: &str| host.strip_prefix("www.").unwrap_or(host).to_owned();
        let path_of = |url: &str| {
            let url =
                Url::parse(url).ok().filter(|url| url.host_str().map(bare) == Some(bare(&domain.host)))?;
            Some(url[url::Position::BeforePath..url::Position::AfterQuery].to_owned())
        };
        let own: Vec<_> =
            pages.into_iter().filter_map(|row| Some((path_of(&row.url)?, row))).take(most).collect();
        let urls: Vec<String> = own.iter().map(|(_, row)| row.url.clone()).collect();
        let members = source_rows::list_source_members(&mut conn, &sums, SourceUnit::Page, &urls).await?;
        let (brands, prompts, members) =
            (monitored.brands(), monitored.by_number(), Members::collect(&members));
        let context = SourceContext {
            unit: SourceUnit::Page,
            brands: &brands,
            count: SourceCountRow::default(),
            members: &members,
            prompts: &prompts,
        };
        let page = |(path, row)| {
            let item = context.item(row);
            CitedPage { path, citations: item.citations, providers: item.providers }
        };
        Ok(own.into_iter().map(page).collect())
    }

    /// Lists what happened to a domain's visibility in the last `days` days, the oldest first.
    pub async fn events(&self, domain: &DomainId, days: u32) -> Result<Vec<MentionEvent>, DbError> {
        let mut conn = self.db.read().await?;
        let Some(monitored) = load(&mut conn, domain).await? else { return Ok(Vec::new()) };
        let today = self.today();
        let from = today - i64::from(days) + 1;
        let filter = unbranded((from - 2 * EVENT_WINDOW, today));
        let prompts = monitored.numbers(&filter);
        let totals = list_day_totals(&mut conn, &monitored.sums(&filter, prompts.as_deref())).await?;
        let mut events = changes_of_rate((from, today), &totals);
        for row in rows::list_first_named(&mut conn, monitored.domain.number, from).await? {
            events.push(MentionEvent {
                day: row.day,
                kind: MentionEventKind::FirstNamed,
                subject: Some(row.provider),
                count: u64::try_from(row.mentions).ok(),
                before: None,
                after: None,
            });
        }
        for row in rows::list_ready_reports(&mut conn, domain, from).await? {
            events.push(MentionEvent {
                day: row.day,
                kind: MentionEventKind::ReportReady,
                subject: Some(row.id),
                count: None,
                before: None,
                after: None,
            });
        }
        events.sort_by_key(|event| event.day);
        Ok(events)
    }
}

/// Returns the filter of some days that leaves branded prompts out.
fn unbranded(days: (UtcDay, UtcDay)) -> ReadingFilter {
    ReadingFilter { days, branded: Some(false), ..ReadingFilter::default() }
}

/// Finds the days on which the rate of the week up to them begins to differ from that of the week before.
fn changes_of_rate((from, to): (UtcDay, UtcDay), totals: &[DayTotalsRow]) -> Vec<MentionEvent> {
    let week = |last: UtcDay| sum(totals, |row| row.day > last - EVENT_WINDOW && row.day <= last);
    let change_on = |day: UtcDay| {
        let (before, after) = (week(day - EVENT_WINDOW), week(day));
        let is_rise = after.visibility_percent() > before.visibility_percent();
        differ(&before, &after).then_some((rate(&before), rate(&after), is_rise))
    };
    let mut events = Vec::new();
    let mut last = change_on(from - 1).map(|(_, _, is_rise)| is_rise);
    for day in from..=to {
        let change = change_on(day);
        let direction = change.map(|(_, _, is_rise)| is_rise);
        if let Some((before, after, _)) = change.filter(|_| direction != last) {
            let kind = MentionEventKind::VisibilityChanged;
            events.push(MentionEvent { day, kind, subject: None, count: None, before, after });
        }
        last = direction;
    }
    events
}

fn sum(totals: &[DayTotalsRow], is_counted: impl Fn(&DayTotalsRow) -> bool) -> AnswerSums {
    let mut columns = AnswerSumColumns::default();
    totals.iter().filter(|row| is_counted(row)).for_each(|row| columns.add(&row.sums, 1));
    AnswerSums::from(&columns)
}

fn rate(sums: &AnswerSums) -> Option<f64> {
    (sums.responses > 0).then(|| sums.visibility_percent())
}

/// Decides whether the intervals of two rates are apart.
fn differ(before: &AnswerSums, after: &AnswerSums) -> bool {
    let intervals = before.visibility_interval().zip(after.visibility_interval());
    intervals.is_some_and(|(before, after)| after.differs_from(before))
}
