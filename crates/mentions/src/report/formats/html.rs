//! A report as one file of HTML that prints: no script, no link, nothing from elsewhere. Pure.

use std::fmt::Write;

use super::super::actions::title_of;
use super::super::payload::VisibilityReport;
use super::inert::html as text;
use super::{MAX_ROWS, change_sentence, coverage, delta, figures, interval, number};

/// Rules that keep the file inert wherever it is opened.
const POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'";

const STYLE: &str = "body{font:15px/1.5 system-ui,sans-serif;color:#1b1f24;max-width:60rem;margin:2rem auto;padding:0 1rem}\
h1{font-size:1.6rem}h2{font-size:1.15rem;margin-top:2rem;border-bottom:1px solid #d0d7de}table{border-collapse:collapse;width:100%}\
th,td{text-align:left;padding:.3rem .5rem;border-bottom:1px solid #e5e8eb;vertical-align:top;overflow-wrap:anywhere}\
th{font-weight:600;color:#57606a}.lead{font-size:1.1rem;font-weight:600}.dim{color:#57606a}blockquote{margin:.3rem 0;padding-left:.8rem;border-left:3px solid #d0d7de}\
svg{width:100%;height:140px}@media print{body{margin:0;max-width:none}h2{break-after:avoid}tr{break-inside:avoid}}";

/// Writes a report as one file of HTML.
pub fn html(report: &VisibilityReport) -> String {
    let title = format!("AI visibility of {}, {}", report.brand.name, report.period.to);
    let mut page = format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<meta http-equiv=\"Content-Security-Policy\" \
         content=\"{POLICY}\">\n<meta name=\"viewport\" content=\"width=device-width\">\n<meta name=\"referrer\" content=\"no-referrer\">\n\
         <title>{}</title>\n<style>{STYLE}</style>\n</head>\n<body>\n",
        text(&title)
    );
    for part in [
        head(report),
        numbers(report),
        trend(report),
        actions(report),
        changes(report),
        providers(report),
        prompts(report),
        competitors(report),
        sources(report),
        tone(report),
        method(report),
    ] {
        page.push_str(&part);
    }
    page.push_str("</body>\n</html>\n");
    page
}

fn head(report: &VisibilityReport) -> String {
    let period = &report.period;
    let mut part = format!(
        "<h1>AI visibility of {}</h1>\n<p class=\"dim\">{}, {} to {}. {}</p>\n\
         <p class=\"lead\">{}</p>\n<ul>\n",
        text(&report.brand.name),
        text(&report.domain),
        text(&period.from),
        text(&period.to),
        coverage(report),
        text(&report.quick_summary.headline)
    );
    for bullet in &report.quick_summary.bullets {
        let _ = writeln!(part, "<li>{}</li>", text(&bullet.text));
    }
    part + "</ul>\n"
}

/// Writes a table of plain texts.
fn table<const N: usize>(
    title: &str,
    head: [&str; N],
    rows: impl IntoIterator<Item = [String; N]>,
) -> String {
    let mut part = format!("<h2>{title}</h2>\n<table>\n<tr>");
    for cell in head {
        let _ = write!(part, "<th>{}</th>", text(cell));
    }
    part.push_str("</tr>\n");
    for row in rows {
        part.push_str("<tr>");
        for cell in row {
            let _ = write!(part, "<td>{}</td>", text(&cell));
        }
        part.push_str("</tr>\n");
    }
    part + "</table>\n"
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
    table("Numbers", ["", "Value", "95 % interval", "Against the seven days before", "Sample"], rows)
}

/// Draws the visibility of each day; a day without answers is a gap.
fn trend(report: &VisibilityReport) -> String {
    const WIDTH: f64 = 700.0;
    const HEIGHT: f64 = 100.0;
    let step = WIDTH / report.trend_data.len().max(1) as f64;
    let mut part =
        "<h2>Days</h2>\n<svg viewBox=\"0 0 700 140\" role=\"img\" aria-label=\"Visibility by day\">\n"
            .to_owned();
    for (at, day) in report.trend_data.iter().enumerate() {
        let left = step * at as f64;
        if let Some(visibility) = day.visibility_percent {
            let height = visibility.clamp(0.0, 100.0) / 100.0 * HEIGHT;
            let _ = writeln!(
                part,
                "<rect x=\"{:.1}\" y=\"{:.1}\" width=\"{:.1}\" height=\"{height:.1}\" fill=\"#2f6feb\"/><text x=\"{:.1}\" y=\"{:.1}\" \
                 font-size=\"12\" text-anchor=\"middle\">{visibility}%</text>",
                left + step * 0.2,
                HEIGHT + 15.0 - height,
                step * 0.6,
                left + step * 0.5,
                HEIGHT + 11.0 - height
            );
        }
        let _ = writeln!(
            part,
            "<text x=\"{:.1}\" y=\"132\" font-size=\"12\" text-anchor=\"middle\">{}</text>",
            left + step * 0.5,
            text(&day.date)
        );
    }
    part + "</svg>\n"
}

fn list(title: &str, items: impl Iterator<Item = String>) -> String {
    let items: String = items.map(|item| format!("<li>{item}</li>\n")).collect();
    if items.is_empty() { items } else { format!("<h2>{title}</h2>\n<ul>\n{items}</ul>\n") }
}

fn actions(report: &VisibilityReport) -> String {
    let items = report.action_items.iter().take(MAX_ROWS).map(|action| {
        format!(
            "<strong>{}</strong> <span class=\"dim\">{}, impact {}</span><br>{}",
            text(&action.title),
            action.severity.as_str(),
            action.impact,
            text(&action.detail)
        )
    });
    list("Actions", items)
}

fn changes(report: &VisibilityReport) -> String {
    let items = report.changes.iter().map(|change| {
        let state = if change.confirmed { "confirmed" } else { "not confirmed yet" };
        format!("{} <span class=\"dim\">({state})</span>", change_sentence(report, change, text))
    });
    list("Changes", items)
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
            provider.served_models.join(", "),
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
        "Models",
    ];
    table("Assistants", head, rows)
}

fn prompts(report: &VisibilityReport) -> String {
    let rows = report.prompt_insights.iter().take(MAX_ROWS * 5).map(|prompt| {
        [
            prompt.prompt_text.clone(),
            format!("{} of {}", prompt.mentions, prompt.responses),
            number(prompt.visibility_percent, "%"),
            interval(prompt.ci),
            number(prompt.avg_position, ""),
            if prompt.difficulty < 0 { "–".to_owned() } else { prompt.difficulty.to_string() },
            prompt.top_competitor.clone().unwrap_or_else(|| "–".to_owned()),
        ]
    });
    let head = ["Prompt", "Named in", "Visibility", "95 % interval", "Position", "Difficulty", "Leader"];
    table("Prompts", head, rows)
}

fn competitors(report: &VisibilityReport) -> String {
    let landscape = &report.competitor_landscape;
    let own = [
        report.brand.name.clone(),
        landscape.own_responses.to_string(),
        number(landscape.own_share_pct, "%"),
        String::new(),
        String::new(),
    ];
    let rows = landscape.competitors.iter().take(MAX_ROWS).map(|competitor| {
        [
            competitor.name.clone(),
            competitor.responses.to_string(),
            format!("{}%", competitor.share_pct),
            competitor.strength.to_string(),
            competitor.ahead_of_you.to_string(),
        ]
    });
    let head = ["Brand", "Answers", "Share of voice", "Strength", "Ahead of you"];
    table("Competitors", head, std::iter::once(own).chain(rows))
}

fn sources(report: &VisibilityReport) -> String {
    let count = |count: Option<u64>| count.map_or_else(|| "–".to_owned(), |count| count.to_string());
    let sites = report.citation_sources.domains.iter().take(MAX_ROWS).map(|site| {
        [site.domain.clone(), site.kind.clone(), site.responses.to_string(), format!("{}%", site.share_pct)]
    });
    let mut part = table("Sources", ["Site", "Owner", "Answers", "Share"], sites);
    let worth = report.citation_opportunities.iter().map(|site| {
        [
            site.domain.clone(),
            site.gap_responses.to_string(),
            site.citations.to_string(),
            site.score.to_string(),
        ]
    });
    let head = ["Site", "Answers without you", "Citations", "Score"];
    part.push_str(&table("Sites worth being named on", head, worth));
    let own = report.citation_sources.own_pages.iter().map(|page| {
        [
            page.url.clone(),
            page.citations.to_string(),
            page.last_crawl_by_ai_bots.clone().unwrap_or_else(|| "–".to_owned()),
            count(page.open_issues),
            count(page.referrals),
        ]
    });
    let head = ["Page", "Citations", "Last AI crawler", "Open issues", "People from assistants"];
    part + &table("Own pages that answers cite", head, own)
}

fn tone(report: &VisibilityReport) -> String {
    let sentiment = &report.sentiment;
    let mut part = format!(
        "<h2>Tone</h2>\n<p>{} positive, {} neutral, {} negative; mean {}.</p>\n",
        sentiment.positive,
        sentiment.neutral,
        sentiment.negative,
        number(sentiment.avg, "")
    );
    for excerpt in &sentiment.negative_excerpts {
        let name = text(title_of(&excerpt.provider));
        let _ = writeln!(
            part,
            "<blockquote>{} <span class=\"dim\">{name}</span></blockquote>",
            text(&excerpt.quote)
        );
    }
    part
}

fn method(report: &VisibilityReport) -> String {
    let method = &report.methodology;
    let parts = [
        ("Mention", &method.mention),
        ("Position", &method.position),
        ("Rates", &method.denominator),
        ("Share of voice", &method.sov_unit),
        ("Intervals", &method.intervals),
        ("Comparison", &method.comparison),
        ("Changes", &method.confirmation),
        ("Answers", &method.collection),
        ("Prompts", &method.sampling),
        ("Limits", &method.limits),
    ];
    let items = parts.into_iter().map(|(name, words)| format!("{name}: {}", text(words)));
    let version = format!("<p class=\"dim\">{} {}</p>\n", text(&report.version), text(&report.content_hash));
    list("Method", items) + &version
}
