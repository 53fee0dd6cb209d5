//! Figures of a report: sample, numbers compared with the period before, days, method. Pure.

use assistants::statistics::{AnswerSums, RateInterval};

use super::payload::{
    PromptInsight, ProviderInsight, ReportBrand, ReportCoverage, ReportFigure, ReportMethodology,
    ReportPeriod, ReportRuns, ReportStats, SampleVerdict,
};
use super::{ReportInput, WINDOW_DAYS};
use crate::model::UtcDay;
use platform::clock::Timestamp;

/// Fewest of the period before from which a difference is shown.
const MIN_BEFORE: u64 = 5;
/// Prompts or responses from which a sample is no longer exploratory.
const EXPLORATORY: u64 = 50;
/// Responses under which a rate is thin.
const THIN: u64 = 10;
const DAY_MS: i64 = 24 * 3600 * 1000;

/// Writes a day as `YYYY-MM-DD`.
pub fn date_text(day: UtcDay) -> String {
    Timestamp::from_millis(day.saturating_mul(DAY_MS)).day()
}

/// Rounds to a number of decimals, halves away from zero.
pub(super) fn rounded(value: f64, decimals: i32) -> f64 {
    let scale = 10f64.powi(decimals);
    // Differences of rounded numbers lie a hair beside the number that they stand for. Zero has no sign.
    (value * scale + 1e-9_f64.copysign(value)).round() / scale + 0.0
}

/// Returns a value where there is something to compute it from.
pub(super) fn if_any<T>(count: u64, value: T) -> Option<T> {
    (count > 0).then_some(value)
}

pub(super) fn pair(interval: Option<RateInterval>) -> Option<[f64; 2]> {
    interval.map(|interval| [interval.low, interval.high])
}

pub(super) fn brand(input: &ReportInput) -> ReportBrand {
    let host = input.brand.domains.first().unwrap_or(&input.domain);
    let mut aliases = input.brand.aliases.clone();
    aliases.sort();
    ReportBrand { name: input.brand.name.clone(), site_url: format!("https://{host}"), aliases }
}

pub(super) fn period(input: &ReportInput) -> ReportPeriod {
    let first = input.first_day();
    ReportPeriod {
        from: date_text(first),
        to: date_text(input.day),
        days: u32::try_from(WINDOW_DAYS).expect("a week is short"),
        previous_from: date_text(first - WINDOW_DAYS),
        previous_to: date_text(first - 1),
    }
}

pub(super) fn coverage(
    input: &ReportInput,
    window: &AnswerSums,
    prompts: &[PromptInsight],
    providers: &[ProviderInsight],
) -> ReportCoverage {
    let ok = window.responses + window.absent_overviews;
    let rate = window.informative as f64 / window.responses.max(1) as f64;
    let is_thin = |responses: u64| responses > 0 && responses < THIN;
    let has_thin_rate =
        window.responses < THIN || providers.iter().any(|provider| is_thin(provider.responses));
    ReportCoverage {
        prompt_count: prompts.len() as u64,
        provider_count: providers.len() as u64,
        runs: ReportRuns {
            total: ok + window.errors + input.open_runs,
            ok,
            error: window.errors,
            pending: input.open_runs,
        },
        responses: window.responses,
        absent_overviews: window.absent_overviews,
        not_retrieved: window.not_retrieved,
        informative_rate: if_any(window.responses, rounded(rate, 3)),
        verdict: match window.responses {
            0 => SampleVerdict::NoData,
            responses if (prompts.len() as u64) < EXPLORATORY && responses < EXPLORATORY => {
                SampleVerdict::Exploratory
            }
            _ if has_thin_rate || prompts.iter().any(|prompt| is_thin(prompt.responses)) => {
                SampleVerdict::ThinSample
            }
            _ => SampleVerdict::Ok,
        },
    }
}

/// Judges the sample of one rate.
pub(super) fn verdict(responses: u64) -> SampleVerdict {
    match responses {
        0 => SampleVerdict::NoData,
        few if few < THIN => SampleVerdict::ThinSample,
        _ => SampleVerdict::Ok,
    }
}

/// Compares a share of two periods: hits and count of each.
fn share(now: (u64, u64), before: (u64, u64)) -> ReportFigure {
    let value = |(hits, count)| if_any(count, assistants::statistics::percent(hits, count));
    let [interval, interval_before] = [now, before].map(|(hits, count)| RateInterval::wilson(hits, count));
    let is_apart = interval.zip(interval_before).is_some_and(|(now, before)| now.differs_from(before));
    ReportFigure {
        value: value(now),
        delta: delta((value(now), value(before)), before.1, 1),
        ci: pair(interval),
        n: now.1,
        is_significant: is_apart && before.1 >= MIN_BEFORE,
    }
}

/// Compares a mean of two periods: mean and count of each.
fn mean(now: (f64, u64), before: (f64, u64)) -> ReportFigure {
    let value = |(mean, count): (f64, u64)| if_any(count, mean);
    ReportFigure {
        value: value(now),
        delta: delta((value(now), value(before)), before.1, 2),
        ci: None,
        n: now.1,
        is_significant: false,
    }
}

fn delta((now, before): (Option<f64>, Option<f64>), count_before: u64, decimals: i32) -> Option<f64> {
    let difference = now.zip(before).map(|(now, before)| rounded(now - before, decimals));
    difference.filter(|_| count_before >= MIN_BEFORE)
}

/// Returns the difference of two shares of voice. None when the period before named fewer than five brands.
pub(super) fn share_delta(now: f64, before: f64, voices_before: u64) -> Option<f64> {
    delta((Some(now), Some(before)), voices_before, 1)
}

pub(super) fn stats(input: &ReportInput, window: &AnswerSums, before: &AnswerSums) -> ReportStats {
    let mut unbranded = AnswerSums::default();
    let branded: Vec<&str> =
        input.prompts.iter().filter(|prompt| prompt.is_branded).map(|prompt| &*prompt.id).collect();
    for target in input.targets.iter().filter(|target| !branded.contains(&&*target.prompt)) {
        unbranded.merge(&target.sums);
    }
    let both = |of: fn(&AnswerSums) -> (u64, u64)| share(of(window), of(before));
    let previous = &input.previous_unbranded;
    ReportStats {
        visibility_percent: both(|sums| (sums.mentions, sums.responses)),
        share_of_voice: both(|sums| (sums.mentions, sums.voices())),
        share_of_voice_non_branded: share(
            (unbranded.mentions, unbranded.voices()),
            (previous.mentions, previous.voices()),
        ),
        avg_position: mean(
            (window.avg_position(), window.mentions),
            (before.avg_position(), before.mentions),
        ),
        avg_sentiment: mean(
            (window.avg_sentiment(), window.sentiment_count),
            (before.avg_sentiment(), before.sentiment_count),
        ),
        citation_rate: both(|sums| (sums.own_cited, sums.responses)),
        recommended_percent: both(|sums| (sums.recommended_yes, sums.recommended_known)),
        total_mentions: window.mentions,
        total_citations: window.citations.total(),
        first_position_percent: if_any(window.responses, window.first_position_percent()),
    }
}

pub(super) fn methodology() -> ReportMethodology {
    let text = str::to_owned;
    ReportMethodology {
        formulas: text("1"),
        mention: text(
            "prose names the brand or an alias as whole words, or an own domain; links alone count as citations",
        ),
        position: text("rank of the brand among all brands of an answer, by first appearance"),
        denominator: text("answers of runs that ended well; overviews that were not shown are left out"),
        sov_unit: text("responses that name a brand, once for each brand"),
        citation: text("distinct addresses that an answer cites"),
        sentiment: text("tone towards the brand from -1 to 1 in answers that name it"),
        intervals: text("Wilson, 95 %"),
        comparison: text(
            "the seven days before; a difference is significant when the intervals do not overlap",
        ),
        confirmation: text(
            "a change counts when the next answer of the same prompt and assistant agrees; days on which more than 20 % of an assistant's runs failed or did not search are left out",
        ),
        rounding: text("half away from zero"),
        collection: text(
            "answers of the assistants' interfaces for programs, one for each slot of a prompt's interval",
        ),
        sampling: text("the prompts of the domain as their owner chose them; no sample of what people ask"),
        limits: text(
            "assistants answer people differently by account, place and time; answers vary between runs",
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn differences_are_rounded_away_from_zero_and_zero_has_no_sign() {
        assert_eq!(rounded(66.7 - 50.0, 1), 16.7);
        assert_eq!(rounded(-0.125, 2), -0.13);
        assert!(rounded(-0.0, 1).is_sign_positive());
    }

    #[test]
    fn a_difference_needs_five_before() {
        assert_eq!(share((3, 6), (1, 4)).delta, None);
        assert_eq!(share((3, 6), (1, 5)).delta, Some(30.0));
    }

    #[test]
    fn a_difference_is_significant_when_the_intervals_are_apart() {
        assert!(share((45, 50), (5, 50)).is_significant);
        assert!(!share((3, 6), (1, 5)).is_significant);
    }
}
