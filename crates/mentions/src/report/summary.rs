//! Summary of a report in words, from fixed templates. Pure.

use super::ReportInput;
use super::actions::title_of;
use super::payload::{
    ActionKind, CompetitorLandscape, ProviderInsight, QuickSummary, ReportAction, ReportCoverage,
    ReportStats, SampleVerdict, SummaryBullet, SummaryTone,
};

/// Visibility from which a summary is good, and below which it is bad, in percent.
const GOOD: f64 = 50.0;
const BAD: f64 = 10.0;
const NEGATIVE_TONE: f64 = -0.15;
const TONE_SAMPLE: u64 = 3;
const FEW_ANSWERS: u64 = 50;

/// Sums a report up.
pub(super) fn summary(
    input: &ReportInput,
    coverage: &ReportCoverage,
    stats: &ReportStats,
    providers: &[ProviderInsight],
    landscape: &CompetitorLandscape,
    actions: &[ReportAction],
) -> QuickSummary {
    QuickSummary {
        tone: tone(coverage, stats),
        headline: headline(input, coverage, stats, landscape),
        bullets: bullets(input, coverage, stats, providers, landscape, actions),
    }
}

fn tone(coverage: &ReportCoverage, stats: &ReportStats) -> SummaryTone {
    let Some(visibility) = stats.visibility_percent.value else { return SummaryTone::Neutral };
    let change = stats.visibility_percent.delta.filter(|_| stats.visibility_percent.is_significant);
    let has_bad_tone = stats.avg_sentiment.n >= TONE_SAMPLE
        && stats.avg_sentiment.value.is_some_and(|tone| tone < NEGATIVE_TONE);
    if change.is_some_and(|change| change < 0.0) || has_bad_tone {
        return SummaryTone::Negative;
    }
    match coverage.verdict {
        SampleVerdict::Ok => {}
        _ => return SummaryTone::Caution,
    }
    match visibility {
        visibility if visibility < BAD => SummaryTone::Negative,
        visibility if visibility >= GOOD || change.is_some() => SummaryTone::Positive,
        _ => SummaryTone::Neutral,
    }
}

fn headline(
    input: &ReportInput,
    coverage: &ReportCoverage,
    stats: &ReportStats,
    landscape: &CompetitorLandscape,
) -> String {
    let name = &input.brand.name;
    let Some(visibility) = stats.visibility_percent.value else {
        return format!("No assistant gave an answer about {name} in these seven days.");
    };
    let leader = match landscape.competitors.first() {
        Some(leader) => format!("; {} leads share of voice among competitors.", leader.name),
        None => "; no competitor was named.".to_owned(),
    };
    let (mentions, responses) = (stats.total_mentions, coverage.responses);
    format!("{name} appeared in {mentions} of {responses} AI answers ({visibility}%){leader}")
}

fn bullets(
    input: &ReportInput,
    coverage: &ReportCoverage,
    stats: &ReportStats,
    providers: &[ProviderInsight],
    landscape: &CompetitorLandscape,
    actions: &[ReportAction],
) -> Vec<SummaryBullet> {
    let bullet = |id: &str, tone, text: String| SummaryBullet { id: id.to_owned(), tone, text };
    let mut bullets = Vec::new();
    let visibility = &stats.visibility_percent;
    if let (Some(delta), true) = (visibility.delta, visibility.is_significant) {
        let (tone, word) = match delta < 0.0 {
            true => (SummaryTone::Negative, "fell"),
            false => (SummaryTone::Positive, "rose"),
        };
        let text = format!("Visibility {word} by {} points against the seven days before.", delta.abs());
        bullets.push(bullet("visibility_change", tone, text));
    }
    bullets.extend(best_and_worst(input, providers));
    if let Some(name) = landscape.new_entrants.first() {
        let others = landscape.new_entrants.len() - 1;
        let text = match others {
            0 => format!("New among the named brands: {name}."),
            _ => format!("New among the named brands: {name} and {others} more."),
        };
        bullets.push(bullet("new_competitors", SummaryTone::Neutral, text));
    }
    if actions.iter().any(|action| action.kind == ActionKind::Measurement) {
        let text = "Some numbers are in doubt: see the actions about measurement.".to_owned();
        bullets.push(bullet("measurement", SummaryTone::Caution, text));
    }
    if (1..FEW_ANSWERS).contains(&coverage.responses) {
        let text = "Fewer than 50 answers: read these rates as early signals.".to_owned();
        bullets.push(bullet("thin_sample", SummaryTone::Neutral, text));
    }
    bullets
}

fn best_and_worst(input: &ReportInput, providers: &[ProviderInsight]) -> Vec<SummaryBullet> {
    let mut rated: Vec<(&ProviderInsight, f64)> =
        providers.iter().filter_map(|provider| Some((provider, provider.visibility_percent?))).collect();
    rated.sort_by(|(a, rate_a), (b, rate_b)| {
        rate_b.total_cmp(rate_a).then(b.responses.cmp(&a.responses)).then_with(|| a.provider.cmp(&b.provider))
    });
    let text = |provider: &ProviderInsight| {
        let (name, brand) = (title_of(&provider.provider), &input.brand.name);
        format!("{name} names {brand} in {} of {} answers.", provider.mentions, provider.responses)
    };
    match (rated.first(), rated.last()) {
        (Some((best, high)), Some((worst, low))) if high > low => vec![
            SummaryBullet { id: "best_provider".to_owned(), tone: SummaryTone::Positive, text: text(best) },
            SummaryBullet { id: "worst_provider".to_owned(), tone: SummaryTone::Negative, text: text(worst) },
        ],
        _ => Vec::new(),
    }
}
