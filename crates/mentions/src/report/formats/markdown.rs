//! A report as Markdown. Pure.

use std::fmt::Write;

use super::super::actions::title_of;
use super::super::payload::VisibilityReport;
use super::inert::markdown as text;
use super::{MAX_ROWS, change_sentence, coverage, delta, figures, interval, number};

pub fn markdown(report: &VisibilityReport) -> String {
    let mut page = String::new();
    let parts = [
        head(report),
        numbers(report),
        actions(report),
        changes(report),
        providers(report),
        prompts(report),
        competitors(report),
        sources(report),
        tone(report),
        days(report),
        method(report),
    ];
    for part in parts.iter().filter(|part| !part.is_empty()) {
        let _ = writeln!(page, "{}\n", part.trim_end());
    }
    page
}

fn head(report: &VisibilityReport) -> String {
    let (summary, period) = (&report.quick_summary, &report.period);
    let mut part = format!(
        "# AI visibility of {}\n\n{} to {}, {}\n\n**{}**\n\n",
        text(&report.brand.name),
        period.from,
        period.to,
        text(&report.domain),
        text(&summary.headline)
    );
    for bullet in &summary.bullets {
        let _ = writeln!(part, "- {}", text(&bullet.text));
    }
    let _ = write!(part, "\n{}", coverage(report));
    part
}

/// Writes a table of cells that are safe already.
fn table<const N: usize>(head: [&str; N], rows: impl IntoIterator<Item = [String; N]>) -> String {
    let mut table = format!("| {} |\n|{}\n", head.join(" | "), " --- |".repeat(N));
    for row in rows {
        let _ = writeln!(table, "| {} |", row.join(" | "));
    }
    table
}

fn numbers(report: &VisibilityReport) -> String {
    let rows = figures(report).map(|(name, figure, unit)| {
        [
            name.to_owned(),
            number(figure.value, unit),
            interval(figure.ci),
            delta(figure),
            figure.n.to_string(),
        ]
    });
    let head = ["", "Value", "95 % interval", "Against the seven days before", "Sample"];
    format!("## Numbers\n\n{}", table(head, rows))
}

fn actions(report: &VisibilityReport) -> String {
    let mut part = String::new();
    for action in report.action_items.iter().take(MAX_ROWS) {
        let _ = writeln!(
            part,
            "- **{}** ({}, impact {}). {}",
            text(&action.title),
            action.severity.as_str(),
            action.impact,
            text(&action.detail)
        );
    }
    section("Actions", part)
}

fn section(title: &str, part: String) -> String {
    if part.is_empty() { part } else { format!("## {title}\n\n{part}") }
}

fn changes(report: &VisibilityReport) -> String {
    let mut part = String::new();
    for change in &report.changes {
        let state = if change.confirmed { "confirmed" } else { "not confirmed yet" };
        let _ = writeln!(part, "- {} ({state})", change_sentence(report, change, text));
    }
    section("Changes", part)
}

fn providers(report: &VisibilityReport) -> String {
    let rows = report.provider_insights.iter().map(|provider| {
        [
            title_of(&provider.provider).to_owned(),
            format!("{} of {}", provider.mentions, provider.responses),
            number(provider.visibility_percent, "%"),
            interval(provider.ci),
            number(provider.avg_position, ""),
            number(provider.avg_sentiment, ""),
            number(provider.citation_rate, "%"),
            provider.errors.to_string(),
        ]
    });
    let head = [
        "Assistant",
        "Named in",
        "Visibility",
        "95 % interval",
        "Position",
        "Tone",
        "Cites the site",
        "Failed",
    ];
    format!("## Assistants\n\n{}", table(head, rows))
}

fn prompts(report: &VisibilityReport) -> String {
    let rows = report.prompt_insights.iter().take(MAX_ROWS * 5).map(|prompt| {
        [
            text(&prompt.prompt_text),
            format!("{} of {}", prompt.mentions, prompt.responses),
            number(prompt.visibility_percent, "%"),
            interval(prompt.ci),
            number(prompt.avg_position, ""),
            if prompt.difficulty < 0 { "–".to_owned() } else { prompt.difficulty.to_string() },
            prompt.top_competitor.as_deref().map_or_else(|| "–".to_owned(), text),
        ]
    });
    let head = ["Prompt", "Named in", "Visibility", "95 % interval", "Position", "Difficulty", "Leader"];
    format!("## Prompts\n\n{}", table(head, rows))
}

fn competitors(report: &VisibilityReport) -> String {
    let landscape = &report.competitor_landscape;
    if landscape.competitors.is_empty() {
        return String::new();
    }
    let own = [
        text(&report.brand.name),
        landscape.own_responses.to_string(),
        number(landscape.own_share_pct, "%"),
        String::new(),
        String::new(),
    ];
    let rows = landscape.competitors.iter().take(MAX_ROWS).map(|competitor| {
        [
            text(&competitor.name),
            competitor.responses.to_string(),
            format!("{}%", competitor.share_pct),
            competitor.strength.to_string(),
            competitor.ahead_of_you.to_string(),
        ]
    });
    let head = ["Brand", "Answers", "Share of voice", "Strength", "Ahead of you"];
    format!("## Competitors\n\n{}", table(head, std::iter::once(own).chain(rows)))
}

fn sources(report: &VisibilityReport) -> String {
    let sources = &report.citation_sources;
    if sources.total == 0 {
        return String::new();
    }
    let mut part = format!(
        "## Sources\n\n{} citations: {} own, {} of competitors, {} of others.\n\n",
        sources.total,
        number(sources.own_pct, "%"),
        number(sources.competitor_pct, "%"),
        number(sources.third_party_pct, "%")
    );
    let rows = sources.domains.iter().take(MAX_ROWS).map(|site| {
        [text(&site.domain), text(&site.kind), site.responses.to_string(), format!("{}%", site.share_pct)]
    });
    part.push_str(&table(["Site", "Owner", "Answers", "Share"], rows));
    if !report.citation_opportunities.is_empty() {
        part.push_str("\n### Sites worth being named on\n\n");
        let rows = report.citation_opportunities.iter().map(|site| {
            [
                text(&site.domain),
                site.gap_responses.to_string(),
                site.citations.to_string(),
                site.score.to_string(),
            ]
        });
        part.push_str(&table(["Site", "Answers without you", "Citations", "Score"], rows));
    }
    if !sources.own_pages.is_empty() {
        part.push_str("\n### Own pages that answers cite\n\n");
        let count = |count: Option<u64>| count.map_or_else(|| "–".to_owned(), |count| count.to_string());
        let rows = sources.own_pages.iter().map(|page| {
            [
                text(&page.url),
                page.citations.to_string(),
                page.last_crawl_by_ai_bots.clone().unwrap_or_else(|| "–".to_owned()),
                count(page.open_issues),
                count(page.referrals),
            ]
        });
        let head = ["Page", "Citations", "Last AI crawler", "Open issues", "People from assistants"];
        part.push_str(&table(head, rows));
    }
    part
}

fn tone(report: &VisibilityReport) -> String {
    let sentiment = &report.sentiment;
    let mut part = format!(
        "## Tone\n\n{} positive, {} neutral, {} negative; mean {}.\n\n",
        sentiment.positive,
        sentiment.neutral,
        sentiment.negative,
        number(sentiment.avg, "")
    );
    for excerpt in &sentiment.negative_excerpts {
        let _ = writeln!(part, "- {}: “{}”", title_of(&excerpt.provider), text(&excerpt.quote));
    }
    part
}

fn days(report: &VisibilityReport) -> String {
    let rows = report.trend_data.iter().map(|day| {
        [
            day.date.clone(),
            format!("{} of {}", day.mentions, day.responses),
            number(day.visibility_percent, "%"),
            interval(day.ci),
            number(day.ma7, "%"),
        ]
    });
    let head = ["Day", "Named in", "Visibility", "95 % interval", "Seven days"];
    format!("## Days\n\n{}", table(head, rows))
}

fn method(report: &VisibilityReport) -> String {
    let method = &report.methodology;
    format!(
        "## Method\n\nMention: {}. Rates: {}. Share of voice: {}. Intervals: {}. Comparison: {}. Changes: {}. Answers: {}. {}.\n\nVersion {}, {}",
        method.mention,
        method.denominator,
        method.sov_unit,
        method.intervals,
        method.comparison,
        method.confirmation,
        method.collection,
        method.limits,
        report.version,
        report.content_hash
    )
}
