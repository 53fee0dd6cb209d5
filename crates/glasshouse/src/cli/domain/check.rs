//! `glasshouse domain check`: runs the connection check of a domain, and lists the missing records.

use std::process::ExitCode;

use serde::Serialize;

use crate::cli::{Context, output, table};
use accounts::model::Email;
use domains::connection::{CheckResult, ConnectionReport, DnsLookup, DnsName, RequiredRecords, Txt, Way};
use domains::{Domain, DomainStatus};

/// Domain to check, and format of the result.
#[derive(clap::Args)]
pub struct Args {
    /// The domain
    domain: String,
    /// E-mail address of an account, when several have the domain and only its record is meant
    #[arg(long, value_name = "E")]
    account: Option<Email>,
    /// Prints JSON: an object, or a list when several accounts have the domain
    #[arg(long)]
    json: bool,
}

/// A check as `--json` shows it.
#[derive(Serialize)]
struct Checked<'a> {
    domain: &'a str,
    /// E-mail address of its account.
    account: String,
    #[serde(flatten)]
    result: &'a CheckResult,
    /// Required DNS records, and the reason for a TXT record among them.
    #[serde(flatten)]
    required: &'a RequiredRecords,
    found: Vec<FoundRecord>,
    problems: &'a [String],
}

/// A record that was looked up.
#[derive(Serialize)]
struct FoundRecord {
    name: String,
    found: Vec<String>,
}

/// Checks every record of the domain; exit code 0 when it is served, 1 otherwise.
pub async fn run(args: Args, context: &Context) -> anyhow::Result<ExitCode> {
    let app = context.app().await?;
    let domains = super::find(&args.domain, args.account, &app.domains, context).await?;
    let mut checked = Vec::new();
    for domain in domains {
        let report = app.connection.examine(&domain).await?;
        let account = app.accounts.find_account(&domain.account_id).await?;
        checked.push((account.map(|account| account.email).unwrap_or_default(), domain, report));
    }
    if args.json {
        let all: Vec<Checked<'_>> = checked.iter().map(as_json).collect();
        output::line(&match all.as_slice() {
            [one] => serde_json::to_string_pretty(one)?,
            several => serde_json::to_string_pretty(several)?,
        })?;
    } else {
        for (account, _, report) in &checked {
            output::line(&text(account, report))?;
        }
    }
    if checked.iter().any(|(_, _, report)| is_served(report)) {
        return Ok(ExitCode::SUCCESS);
    }
    let lines = checked.iter().map(|(account, domain, report)| missing(account, domain, report));
    output::error(&lines.collect::<Vec<_>>().join("; "));
    Ok(ExitCode::FAILURE)
}

fn is_served(report: &ConnectionReport) -> bool {
    matches!(report.result.status, DomainStatus::Connected | DomainStatus::ViaApi)
}

fn as_json((account, domain, report): &(String, Domain, ConnectionReport)) -> Checked<'_> {
    Checked {
        domain: &domain.host,
        account: account.clone(),
        result: &report.result,
        required: &report.required,
        found: rows(report).into_iter().map(|(name, found)| FoundRecord { name, found }).collect(),
        problems: &report.problems,
    }
}

/// Lists every name that was looked up, with its records.
fn rows(report: &ConnectionReport) -> Vec<(String, Vec<String>)> {
    let of_name = |DnsName { name, found }: &DnsName| {
        let found = match found {
            DnsLookup::Addresses(addresses) => addresses.iter().map(ToString::to_string).collect(),
            DnsLookup::Nothing => vec![],
            DnsLookup::Failed => vec!["DNS did not answer".to_owned()],
        };
        (name.clone(), found)
    };
    let mut rows: Vec<_> = report.findings.names.iter().map(of_name).collect();
    if let Some(ownership) = &report.findings.ownership {
        let found = match ownership.found {
            Txt::There => vec![ownership.value.clone()],
            Txt::Missing => vec![],
            Txt::Failed => vec!["DNS did not answer".to_owned()],
        };
        rows.push((ownership.name.clone(), found));
    }
    rows
}

fn text(account: &str, report: &ConnectionReport) -> String {
    let result = &report.result;
    let mut lines: Vec<Vec<String>> = rows(report)
        .into_iter()
        .map(|(name, found)| {
            vec![name, if found.is_empty() { "no record".to_owned() } else { found.join(", ") }]
        })
        .collect();
    let records = match (result.dns.r#match, result.dns.lookup_failed, result.dns.cloudflare_proxy) {
        (true, ..) => "match",
        (_, true, _) => "unknown: DNS did not answer",
        (.., true) => "hidden by a proxy",
        _ => "do not match",
    };
    let probe = match report.findings.probe {
        Some(Way::Edge) => "came in over the edge",
        Some(Way::Api) => "came in over the render API, with the account's key",
        None => "did not reach this service",
    };
    let status =
        if result.promoted { format!("{} (was pending)", result.status) } else { result.status.to_string() };
    if let Some(reason) = &report.required.reason {
        lines.push(vec!["contested".to_owned(), reason.clone()]);
    }
    let rest = [("account", account), ("records", records), ("probe", probe), ("status", status.as_str())];
    lines.extend(rest.map(|(name, value)| vec![name.to_owned(), value.to_owned()]));
    table(&["checked", "found"], lines)
}

/// Explains in one line why the domain is not served, with the remedy.
fn missing(account: &str, domain: &Domain, report: &ConnectionReport) -> String {
    let host = format!("{} of {account}", domain.host);
    if report.result.status == DomainStatus::Suspended {
        return format!("{host} is suspended; see `glasshouse domain resume`");
    }
    if report.problems.is_empty() {
        return format!("{host} stays pending: another account has it");
    }
    let problems = report.problems.join("; ");
    // An unanswered lookup must not make anybody change records.
    let remedy = match report.result.dns.lookup_failed {
        true => "",
        false => "; correct its records, or let its own server ask the render API",
    };
    format!("{host} stays pending: {problems}{remedy}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::*;
    use platform::plans::Plan;

    async fn examined(addresses: &[&str]) -> (Domain, ConnectionReport) {
        let dns = DnsServer::start().await;
        dns.leads_to("shop.example", addresses);
        let settings = dns.setting() + "edge.public_ipv4 = [\"192.0.2.1\"]";
        let app = TestApp::with(&settings).await;
        let account = app.account("owner@shop.example", Plan::Business).await;
        let domain = app.domain_with_status(&account, "shop.example", DomainStatus::Pending).await;
        let report = app.state.connection.examine(&domain).await.unwrap();
        (domain, report)
    }

    #[tokio::test]
    async fn the_line_about_a_pending_domain_names_the_record_and_what_was_found() {
        let (domain, report) = examined(&["198.51.100.7"]).await;

        let line = missing("owner@shop.example", &domain, &report);

        assert_eq!(
            line,
            "shop.example of owner@shop.example stays pending: shop.example leads to 198.51.100.7, which is not this service; \
             correct its records, or let its own server ask the render API"
        );
    }

    #[tokio::test]
    async fn a_check_is_a_table_of_what_was_looked_for_and_what_was_found() {
        let (_, report) = examined(&["192.0.2.1"]).await;

        let lines: Vec<String> = text("owner@shop.example", &report)
            .lines()
            .map(|line| line.split_whitespace().collect::<Vec<_>>().join(" "))
            .collect();

        let expected = [
            "checked found",
            "shop.example 192.0.2.1",
            "www.shop.example no record",
            "account owner@shop.example",
            "records match",
            "probe did not reach this service",
            "status connected (was pending)",
        ];
        assert_eq!(lines, expected);
    }
}
