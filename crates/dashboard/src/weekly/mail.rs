//! Texts of the weekly mail, plain and as HTML. Pure.
//! Names of domains are untrusted: every form escapes them.

use std::fmt::Write;

use crate::attention::{AttentionEntry, AttentionKind};
use crate::sites::SiteRow;
use domains::DomainStatus;

/// Domains of an account that are written out.
const MAX_DOMAINS: usize = 100;

/// Content of a weekly mail.
pub struct WeeklyOverview<'a> {
    /// First and last day of the week, `yyyy-mm-dd`.
    pub from: String,
    pub to: String,
    /// Accounts with domains that the person sees.
    pub accounts: Vec<AccountWeek>,
    /// Address of the dashboard, without a slash at its end.
    pub public_url: &'a str,
}

/// Domains of one account.
pub struct AccountWeek {
    pub name: String,
    /// Domains, those in need first.
    pub domains: Vec<DomainWeek>,
}

/// One domain in a week.
pub struct DomainWeek {
    /// Status, health, visibility and needs as the list of domains has them.
    pub row: SiteRow,
    /// Visits of crawlers, those that the origin answered included.
    pub visits: u64,
    /// Visits that were answered with a snapshot.
    pub served: u64,
    /// Visits of the week before; none: they were not counted on all of its days.
    pub before: Option<u64>,
}

/// Texts of a mail.
pub struct WeeklyText {
    pub subject: String,
    pub text: String,
    pub html: String,
}

impl WeeklyOverview<'_> {
    /// Returns the address at which the mail is switched off.
    pub fn settings_link(&self) -> String {
        format!("{}/account/profile", self.public_url)
    }

    /// Writes the mail.
    pub fn write(&self) -> WeeklyText {
        let domains = || self.accounts.iter().flat_map(|account| &account.domains);
        let count = domains().count() as u64;
        let in_need = domains().filter(|domain| domain.row.attention > 0).count() as u64;
        let subject = format!("{}, week to {}", counted(count, "domain", "domains"), self.to);
        let visits = domains().map(|domain| domain.visits).sum();
        let summary = format!(
            "{} from {} to {}. {}",
            counted(visits, "crawler visit", "crawler visits"),
            self.from,
            self.to,
            match in_need {
                0 => "Nothing needs care.".to_owned(),
                _ => format!("{} care.", counted(in_need, "domain needs", "domains need")),
            }
        );
        let mut text = format!("{summary}\n");
        let mut html = format!(
            "<!doctype html><html lang=\"en\"><body style=\"font-family:sans-serif;line-height:1.5\"><p>{summary}</p>"
        );
        for account in &self.accounts {
            if self.accounts.len() > 1 {
                let _ = write!(text, "\n{}\n", account.name);
                let _ = write!(html, "<h2>{}</h2>", escaped(&account.name));
            }
            for domain in account.domains.iter().take(MAX_DOMAINS) {
                self.write_domain(domain, &mut text, &mut html);
            }
            let more = account.domains.len().saturating_sub(MAX_DOMAINS) as u64;
            if more > 0 {
                let more = format!("and {}", counted(more, "more domain", "more domains"));
                let _ = write!(text, "\n{more}\n");
                let _ = write!(html, "<p>{more}</p>");
            }
        }
        let (all, settings) = (format!("{}/domains", self.public_url), self.settings_link());
        let _ = write!(text, "\nAll domains: {all}\nSwitch this mail off: {settings}\n");
        let _ = write!(
            html,
            "<p><a href=\"{}\">All domains</a></p><p><a href=\"{}\">Switch this mail off</a></p></body></html>",
            escaped(&all),
            escaped(&settings)
        );
        WeeklyText { subject, text, html }
    }

    fn write_domain(&self, domain: &DomainWeek, text: &mut String, html: &mut String) {
        let name = &domain.row.domain;
        let link = format!("{}/d/{name}", self.public_url);
        let _ = write!(text, "\n{name}\n");
        let _ = write!(html, "<h3><a href=\"{}\">{}</a></h3><ul>", escaped(&link), escaped(name));
        for line in domain.lines() {
            let _ = writeln!(text, "- {line}");
            let _ = write!(html, "<li>{}</li>", escaped(&line));
        }
        let _ = writeln!(text, "  {link}");
        html.push_str("</ul>");
    }
}

impl DomainWeek {
    /// Lists the sentences about the domain: needs, visits, health, visibility.
    fn lines(&self) -> Vec<String> {
        let mut lines = Vec::new();
        if self.row.status == DomainStatus::Suspended {
            lines.push("Suspended".to_owned());
        }
        if let Some(entry) = &self.row.most_urgent {
            let more = match self.row.attention.saturating_sub(1) {
                0 => String::new(),
                more => format!(", and {} more", grouped(more)),
            };
            lines.push(format!("Needs care: {}{more}", attention_title(entry)));
        }
        let change = match self.before {
            Some(before) if before > 0 => {
                let change = (self.visits as f64 - before as f64) / before as f64 * 100.0;
                format!(" ({change:+.0}% against the week before)")
            }
            _ => String::new(),
        };
        let visits = counted(self.visits, "crawler visit", "crawler visits");
        lines.push(format!("{visits}{change}, {} answered by Glasshouse", grouped(self.served)));
        if let Some(health) = self.row.health_score {
            let change = self.row.delta_health.filter(|change| change.abs() >= 0.05);
            let change = change.map(|change| format!(" ({change:+.1})")).unwrap_or_default();
            lines.push(format!("Health {health:.1}{change}"));
        }
        if let Some(rate) = self.row.visibility_rate {
            lines.push(format!("AI visibility {rate:.1}%"));
        }
        lines
    }
}

/// Returns the title of a thing that needs attention, in the words of the dashboard's list of domains.
fn attention_title(entry: &AttentionEntry) -> String {
    let count = |one, other| counted(entry.count, one, other);
    match entry.kind {
        AttentionKind::NotConnected => "The domain is not connected".to_owned(),
        AttentionKind::CrawlErrors => {
            format!("{} answered with errors", count("visit of a crawler was", "visits of crawlers were"))
        }
        AttentionKind::NewAuditErrors => count("new error in the last audit", "new errors in the last audit"),
        AttentionKind::AiCrawlersBlocked => {
            format!("{} may not read the site", count("AI crawler", "AI crawlers"))
        }
        AttentionKind::SnapshotsFailing => format!("{} failed to render", count("page", "pages")),
        AttentionKind::SnapshotsStale => count(
            "snapshot is older than its refresh interval",
            "snapshots are older than their refresh interval",
        ),
        AttentionKind::VisibilityDropped => "Assistants name you less often".to_owned(),
        // Limits are the account's, and no domain's.
        AttentionKind::LimitNear => "A limit of the account is near".to_owned(),
        AttentionKind::LimitReached => "A limit of the account is reached".to_owned(),
    }
}

fn counted(count: u64, one: &str, other: &str) -> String {
    format!("{} {}", grouped(count), if count == 1 { one } else { other })
}

/// Writes a number with commas between thousands.
fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut grouped = String::new();
    for (at, digit) in digits.char_indices() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            grouped.push(',');
        }
        grouped.push(digit);
    }
    grouped
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::attention::AttentionSeverity;

    fn week(domain: &str) -> DomainWeek {
        let row = SiteRow {
            domain: domain.to_owned(),
            status: DomainStatus::Connected,
            demo: false,
            visits: 0,
            previous_visits: None,
            daily: Vec::new(),
            health_score: None,
            delta_health: None,
            visibility_rate: None,
            errors: None,
            attention: 0,
            most_urgent: None,
            tags: Vec::new(),
        };
        DomainWeek { row, visits: 0, served: 0, before: None }
    }

    fn mail(accounts: Vec<AccountWeek>) -> WeeklyText {
        let (from, to) = ("2026-11-23".to_owned(), "2026-11-29".to_owned());
        WeeklyOverview { from, to, accounts, public_url: "https://glass.example" }.write()
    }

    fn account(domains: Vec<DomainWeek>) -> AccountWeek {
        AccountWeek { name: "<owner>@shop.example".to_owned(), domains }
    }

    #[test]
    fn a_domain_has_its_needs_visits_health_and_visibility() {
        let entry = AttentionEntry {
            id: "new_audit_errors:1".to_owned(),
            kind: AttentionKind::NewAuditErrors,
            severity: AttentionSeverity::Error,
            count: 18,
            subject: None,
            before: None,
            after: None,
            since: None,
            href: "/d/shop.example/audits/1/issues".to_owned(),
        };
        let mut shop = week("shop.example");
        (shop.visits, shop.served, shop.before) = (4_866, 4_800, Some(4_345));
        (shop.row.attention, shop.row.most_urgent) = (3, Some(entry));
        (shop.row.health_score, shop.row.delta_health) = (Some(87.4), Some(2.1));
        shop.row.visibility_rate = Some(43.6);

        let mail = mail(vec![account(vec![shop, week("quiet.example")])]);

        assert_eq!(mail.subject, "2 domains, week to 2026-11-29");
        assert_eq!(
            mail.text,
            "4,866 crawler visits from 2026-11-23 to 2026-11-29. 1 domain needs care.\n\
             \nshop.example\n\
             - Needs care: 18 new errors in the last audit, and 2 more\n\
             - 4,866 crawler visits (+12% against the week before), 4,800 answered by Glasshouse\n\
             - Health 87.4 (+2.1)\n\
             - AI visibility 43.6%\n\
             \x20 https://glass.example/d/shop.example\n\
             \nquiet.example\n\
             - 0 crawler visits, 0 answered by Glasshouse\n\
             \x20 https://glass.example/d/quiet.example\n\
             \nAll domains: https://glass.example/domains\n\
             Switch this mail off: https://glass.example/account/profile\n"
        );
        assert!(mail.html.contains("<a href=\"https://glass.example/d/shop.example\">shop.example</a>"));
        assert!(mail.html.contains("<li>Health 87.4 (+2.1)</li>"), "{}", mail.html);
    }

    #[test]
    fn several_accounts_are_named_as_text_and_long_lists_end() {
        let many = (0..MAX_DOMAINS + 2).map(|at| week(&format!("shop{at}.example"))).collect();

        let mail = mail(vec![account(many), account(vec![week("else.example")])]);

        assert!(mail.html.contains("<h2>&lt;owner&gt;@shop.example</h2>"), "{}", mail.html);
        assert!(mail.text.contains("\nand 2 more domains\n"), "{}", mail.text);
        assert!(!mail.text.contains("shop101.example") && mail.text.contains("else.example"));
    }
}
