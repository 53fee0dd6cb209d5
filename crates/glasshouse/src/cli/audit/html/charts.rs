//! The charts at the top of the report: health, counts, and their components.

use std::collections::BTreeMap;
use std::io::{self, Write};

use audit_engine::checks::Severity;
use audit_engine::engine::Audit;

use super::contents::ReportContents;
use crate::cli::audit::report::by_check;

const SEVERITIES: [Severity; 3] = [Severity::Error, Severity::Warning, Severity::Notice];
/// Depths with their own row, in clicks from the start; larger depths share one row.
const MAX_DEPTHS: usize = 10;

/// Writes the cards and charts.
pub fn write(audit: &Audit, contents: &ReportContents, to: &mut dyn Write) -> io::Result<()> {
    write!(to, "<div class=\"cards\">{}{}</div>", health_card(audit.health), count_cards(audit))?;
    let charts = [
        ("Pages by health", health_chart(&contents.health)),
        ("Issues by category", category_chart(audit)),
        ("Addresses by status", status_chart(audit)),
        ("Pages by clicks from the start", depth_chart(audit)),
    ];
    write!(to, "<div class=\"charts\">")?;
    for (title, chart) in charts.iter().filter(|(_, chart)| !chart.is_empty()) {
        write!(to, "<section class=\"card\"><h2>{title}</h2>{chart}</section>")?;
    }
    write!(to, "</div>")
}

/// Draws a ring that is filled in proportion to the site's health.
fn health_card(health: f64) -> String {
    let class = match health {
        90.0.. => "good",
        70.0.. => "fair",
        _ => "poor",
    };
    format!(
        "<div class=\"card ring {class}\"><svg viewBox=\"0 0 42 42\" aria-hidden=\"true\">\
         <circle cx=\"21\" cy=\"21\" r=\"17\" fill=\"none\" stroke=\"currentColor\" stroke-width=\"5\" opacity=\".2\"/>\
         <circle cx=\"21\" cy=\"21\" r=\"17\" fill=\"none\" stroke=\"currentColor\" stroke-width=\"5\" pathLength=\"100\" \
         stroke-dasharray=\"{health} 100\" transform=\"rotate(-90 21 21)\"/></svg><div><b>{health}</b>health</div></div>"
    )
}

fn count_cards(audit: &Audit) -> String {
    let checks = by_check(audit);
    let count = |wanted: Severity| -> usize {
        checks.iter().filter(|(check, _)| check.check().severity == wanted).map(|(_, count)| count).sum()
    };
    let issues = SEVERITIES.map(|wanted| {
        let name = wanted.as_str();
        format!("<div class=\"card {name}\"><b>{}</b>{name}s</div>", count(wanted))
    });
    format!("<div class=\"card\"><b>{}</b>pages</div>{}", audit.pages, issues.concat())
}

/// Draws the number of pages by health, in tens.
fn health_chart(tens: &[usize; 10]) -> String {
    let most = tens.iter().copied().max().unwrap_or_default().max(1);
    let bars: String = tens
        .iter()
        .enumerate()
        .map(|(ten, count)| {
            let (left, height) = (ten * 40, 100 * count / most);
            let label = if *count > 0 { count.to_string() } else { String::new() };
            format!(
                "<rect x=\"{left}\" y=\"{}\" width=\"34\" height=\"{height}\" fill=\"var(--blue)\"/>\
                 <text x=\"{}\" y=\"{}\" font-size=\"11\" text-anchor=\"middle\">{label}</text>\
                 <text x=\"{}\" y=\"132\" font-size=\"11\" text-anchor=\"middle\">{}</text>",
                115 - height,
                left + 17,
                110 - height,
                left + 17,
                ten * 10
            )
        })
        .collect();
    let told: Vec<String> =
        tens.iter().enumerate().map(|(ten, count)| format!("from {}: {count}", ten * 10)).collect();
    format!("<svg viewBox=\"0 0 400 136\" role=\"img\" aria-label=\"{}\">{bars}</svg>", told.join(", "))
}

/// Draws bars with a name and a number. Each has pieces with a class and a size.
fn bars(rows: &[(String, Vec<(&str, usize)>)]) -> String {
    let sum = |pieces: &[(&str, usize)]| pieces.iter().map(|(_, size)| size).sum::<usize>();
    let most = rows.iter().map(|(_, pieces)| sum(pieces)).max().unwrap_or_default();
    if most == 0 {
        return String::new();
    }
    let rows = rows.iter().map(|(name, pieces)| {
        let track: String = pieces
            .iter()
            .filter(|(_, size)| *size > 0)
            .map(|(class, size)| {
                let share = 100.0 * *size as f64 / most as f64;
                format!("<i class=\"{class}\" style=\"width:{share:.1}%\" title=\"{size} {class}\"></i>")
            })
            .collect();
        format!(
            "<span>{name}</span><span class=\"track\">{track}</span><span class=\"number\">{}</span>",
            sum(pieces)
        )
    });
    format!("<div class=\"bars\">{}</div>", rows.collect::<String>())
}

fn category_chart(audit: &Audit) -> String {
    let mut counts: BTreeMap<&str, [usize; 3]> = BTreeMap::new();
    for (check, count) in by_check(audit) {
        let at = SEVERITIES.iter().position(|wanted| *wanted == check.check().severity);
        counts.entry(check.category().name).or_default()[at.unwrap_or(2)] += count;
    }
    let mut shown: Vec<(&str, [usize; 3])> = counts.into_iter().collect();
    shown.sort_by_key(|(_, counts)| std::cmp::Reverse(counts.iter().sum::<usize>()));
    let rows = shown.into_iter().map(|(category, counts)| {
        (category.to_owned(), SEVERITIES.into_iter().map(Severity::as_str).zip(counts).collect())
    });
    bars(&rows.collect::<Vec<_>>())
}

fn status_chart(audit: &Audit) -> String {
    let rows =
        audit.crawl_stats.status_counts.iter().filter(|(_, count)| **count > 0).map(|(class, count)| {
            let colour = match class.as_bytes().first() {
                Some(b'2') => "good",
                Some(b'3') => "notice",
                _ => "error",
            };
            (class.clone(), vec![(colour, *count)])
        });
    bars(&rows.collect::<Vec<_>>())
}

fn depth_chart(audit: &Audit) -> String {
    let depths = &audit.crawl_stats.depth;
    let (near, far) = depths.split_at(depths.len().min(MAX_DEPTHS));
    let mut rows: Vec<(String, Vec<(&str, usize)>)> =
        near.iter().enumerate().map(|(clicks, count)| (clicks.to_string(), vec![("soft", *count)])).collect();
    if !far.is_empty() {
        rows.push((format!("{MAX_DEPTHS} and more"), vec![("soft", far.iter().sum())]));
    }
    bars(&rows)
}
