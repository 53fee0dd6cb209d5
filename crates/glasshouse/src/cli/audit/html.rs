//! The audit's report as one HTML file that opens from disk. It holds no script, and a policy forbids any: whatever
//! strangers wrote on the audited pages is text here.

use audit_engine::checks::Severity;
use audit_engine::engine::Audit;

use super::report::{by_check, examples, severity, status};

const POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'";
const STYLE: &str = "body{font:15px/1.5 system-ui,sans-serif;margin:2rem auto;max-width:60rem;padding:0 1rem;color:#1b1f24}\
h1{margin:0}.numbers{display:flex;gap:2rem;margin:1rem 0}.numbers b{display:block;font-size:2rem}\
.bar{display:block;height:.6rem;border-radius:.3rem;background:#8a94a0}.error .bar{background:#c62f2f}.warning .bar{background:#d98a00}\
table{border-collapse:collapse;width:100%}td,th{text-align:left;padding:.4rem;border-bottom:1px solid #dde1e6;vertical-align:top}\
summary{cursor:pointer}code{word-break:break-all}";
/// Pages that are listed one by one, the worst first.
const WORST_PAGES: usize = 200;

/// Writes the report.
pub fn report(audit: &Audit) -> String {
    let site = escape(&audit.site_url);
    format!(
        "<!doctype html><html lang=\"en\"><head><meta charset=\"utf-8\">\
         <meta http-equiv=\"Content-Security-Policy\" content=\"{POLICY}\">\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"><title>Audit of {site}</title>\
         <style>{STYLE}</style></head><body><h1>Audit of {site}</h1>{}{}{}{}</body></html>\n",
        numbers(audit),
        health_chart(audit),
        issues(audit),
        pages(audit)
    )
}

fn numbers(audit: &Audit) -> String {
    let count = |wanted: Severity| -> usize {
        by_check(audit)
            .iter()
            .filter(|(check, _)| check.check().severity == wanted)
            .map(|(_, count)| count)
            .sum()
    };
    format!(
        "<div class=\"numbers\"><div><b>{}</b>health</div><div><b>{}</b>pages</div><div><b>{}</b>errors</div>\
         <div><b>{}</b>warnings</div><div><b>{}</b>notices</div><div><b>{}</b>status</div></div>",
        audit.health,
        audit.pages,
        count(Severity::Error),
        count(Severity::Warning),
        count(Severity::Notice),
        status(audit)
    )
}

/// How many pages have which health, in tens.
fn health_chart(audit: &Audit) -> String {
    let mut tens = [0_usize; 10];
    for row in audit.rows().filter(|row| row.status != 0 && row.redirects == 0) {
        tens[((row.health / 10.0) as usize).min(9)] += 1;
    }
    let most = tens.iter().copied().max().unwrap_or_default().max(1);
    let bars: String = tens
        .iter()
        .enumerate()
        .map(|(ten, count)| {
            let height = 100 * count / most;
            format!(
                "<rect x=\"{}\" y=\"{}\" width=\"34\" height=\"{height}\" fill=\"#2f6fc6\"><title>{count} pages</title></rect>\
                 <text x=\"{}\" y=\"118\" font-size=\"10\">{}</text>",
                ten * 40,
                100 - height,
                ten * 40,
                ten * 10
            )
        })
        .collect();
    format!(
        "<h2>Pages by health</h2><svg viewBox=\"0 0 400 122\" width=\"400\" role=\"img\" aria-label=\"Pages by health\">{bars}</svg>"
    )
}

fn issues(audit: &Audit) -> String {
    let checks = by_check(audit);
    let examples = examples(audit);
    let most = checks.iter().map(|(_, count)| *count).max().unwrap_or(1);
    let rows: String = checks
        .iter()
        .map(|(check, count)| {
            let entry = check.check();
            let paths = examples.get(check).into_iter().flatten();
            let paths: String = paths.map(|path| format!("<li><code>{}</code></li>", escape(path))).collect();
            format!(
                "<tr class=\"{}\"><td>{}</td><td><details><summary>{} <small>{}</small></summary><p>{} {}</p>\
                 <p><a href=\"{}\" rel=\"noreferrer\">Source</a></p><ul>{paths}</ul></details></td><td>{count}\
                 <span class=\"bar\" style=\"width:{}%\"></span></td></tr>",
                severity(entry.severity),
                severity(entry.severity),
                escape(entry.title),
                entry.id,
                escape(entry.why),
                escape(entry.fix),
                escape(entry.source),
                100 * count / most
            )
        })
        .collect();
    format!("<h2>Issues</h2><table><tr><th>Severity</th><th>Issue</th><th>Pages</th></tr>{rows}</table>")
}

fn pages(audit: &Audit) -> String {
    let faulty = audit.rows().filter(|row| !row.findings.is_empty());
    let mut worst: Vec<_> = faulty
        .map(|row| {
            let ids: Vec<&str> = row.findings.iter().map(|found| found.check.check().id).collect();
            (row.health, row.path, row.status, ids)
        })
        .collect();
    worst.sort_by(|one, other| one.0.total_cmp(&other.0).then_with(|| one.1.cmp(&other.1)));
    let rows: String = worst
        .iter()
        .take(WORST_PAGES)
        .map(|(health, path, status, ids)| {
            let (path, ids) = (escape(path), ids.join(", "));
            format!("<tr><td>{health}</td><td>{status}</td><td><code>{path}</code></td><td>{ids}</td></tr>")
        })
        .collect();
    format!(
        "<h2>Pages with issues, the worst first</h2><table><tr><th>Health</th><th>Status</th><th>Page</th><th>Issues</th></tr>{rows}</table>"
    )
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
        .replace('"', "&quot;")
        .replace('\'', "&#39;")
}
