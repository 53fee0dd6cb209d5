//! Required records of a domain with the findings of its last check. Pure. Does not query DNS.

use std::net::IpAddr;

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::cdn::CdnRanges;
use super::check::ConnectionFindings;
use super::dns::{DnsLookup, Ours, Txt};
use super::dns_records::{DnsRecord, RequiredRecords, is_subdomain};
use super::prober::Way;
use platform::clock::Timestamp;

/// Findings of a check as they are stored.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct KeptFindings {
    pub findings: ConnectionFindings,
    pub problems: Vec<String>,
}

/// DNS records that a domain needs, with the findings of the last check.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ConnectionRecords {
    /// Records to create at the DNS provider.
    pub records: Vec<CheckedRecord>,
    /// True when another account has a claim on the site, so that a TXT record must prove the ownership of the domain.
    pub contested: bool,
    /// Reason for the TXT record; null when the domain is not contested.
    #[schema(required = true)]
    pub reason: Option<String>,
    /// Time of the domain's last check, whatever started the check; null: never.
    #[schema(required = true)]
    pub checked_at: Option<Timestamp>,
    /// Route on which the check's probe returned; null: it did not return.
    #[schema(required = true, inline)]
    pub probe: Option<Way>,
    /// Reasons why the records did not match, one sentence each.
    #[schema(example = json!(["shop.example has no A or AAAA record"]))]
    pub problems: Vec<String>,
}

/// Record to create at the DNS provider, with the findings of the last check.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
pub struct CheckedRecord {
    /// `A`, `AAAA` or `TXT`.
    #[schema(examples("A"))]
    pub r#type: String,
    /// Name within the zone: `@`, `www`, or the subdomain part.
    #[schema(examples("@"))]
    pub name: String,
    /// Value of the record.
    #[schema(examples("192.0.2.10"))]
    pub value: String,
    /// Time for which resolvers may keep the record, in seconds.
    #[schema(examples(300))]
    pub ttl: u32,
    /// Values of this type that the name had; null when they are not known.
    #[schema(required = true, example = json!(["192.0.2.10"]))]
    pub found: Option<Vec<String>>,
    pub state: RecordState,
}

/// State of a record at the last check.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum RecordState {
    /// The record was not checked.
    Unchecked,
    /// The record exists, and no other record of the name points elsewhere.
    Found,
    Missing,
    /// The name points elsewhere.
    Conflict,
    /// A proxy hides the domain's own records.
    Proxied,
    /// DNS did not answer.
    Unknown,
}

/// Addresses of the service and of proxies, by which records are judged.
#[derive(Clone, Copy)]
pub struct KnownAddresses<'a> {
    pub ours: &'a Ours,
    pub ranges: &'a CdnRanges,
}

impl ConnectionRecords {
    /// Combines the required records with the findings of the last check.
    pub fn of(
        host: &str,
        required: RequiredRecords,
        kept: Option<(Timestamp, KeptFindings)>,
        known: KnownAddresses<'_>,
    ) -> ConnectionRecords {
        let (checked_at, kept) = kept.unzip();
        let findings = kept.as_ref().map(|kept| &kept.findings);
        let check = |record: DnsRecord| {
            let (found, state) = match findings {
                None => (None, RecordState::Unchecked),
                Some(findings) => judge(host, &record, findings, known),
            };
            let DnsRecord { r#type, name, value, ttl } = record;
            CheckedRecord { r#type, name, value, ttl, found, state }
        };
        ConnectionRecords {
            records: required.records.into_iter().map(check).collect(),
            contested: required.contested,
            reason: required.reason,
            checked_at,
            probe: findings.and_then(|findings| findings.probe),
            problems: kept.map(|kept| kept.problems).unwrap_or_default(),
        }
    }
}

fn judge(
    host: &str,
    record: &DnsRecord,
    findings: &ConnectionFindings,
    known: KnownAddresses<'_>,
) -> (Option<Vec<String>>, RecordState) {
    if record.r#type == "TXT" {
        let ownership = findings.ownership.as_ref().filter(|ownership| ownership.value == record.value);
        return match ownership.map(|ownership| ownership.found) {
            None => (None, RecordState::Unchecked),
            Some(Txt::There) => (Some(vec![record.value.clone()]), RecordState::Found),
            Some(Txt::Missing) => (Some(Vec::new()), RecordState::Missing),
            Some(Txt::Failed) => (None, RecordState::Unknown),
        };
    }
    let name = match record.name.as_str() {
        "www" if !is_subdomain(host) => format!("www.{host}"),
        _ => host.to_owned(),
    };
    match findings.names.iter().find(|looked_up| looked_up.name == name).map(|looked_up| &looked_up.found) {
        None => (None, RecordState::Unchecked),
        Some(DnsLookup::Failed) => (None, RecordState::Unknown),
        Some(DnsLookup::Nothing) => (Some(Vec::new()), RecordState::Missing),
        Some(DnsLookup::Addresses(addresses)) => {
            let is_v6 = record.r#type == "AAAA";
            let same: Vec<IpAddr> =
                addresses.iter().copied().filter(|address| address.is_ipv6() == is_v6).collect();
            let state = judge_addresses(&record.value, &same, known);
            (Some(same.iter().map(IpAddr::to_string).collect()), state)
        }
    }
}

fn judge_addresses(value: &str, addresses: &[IpAddr], known: KnownAddresses<'_>) -> RecordState {
    let is_there = value.parse().is_ok_and(|value: IpAddr| addresses.contains(&value));
    let mut foreign = addresses.iter().filter(|address| !known.ours.contain(**address)).peekable();
    match (foreign.peek().is_some(), is_there) {
        (false, true) => RecordState::Found,
        (false, false) => RecordState::Missing,
        (true, _) if foreign.all(|address| known.ranges.provider_of(*address).is_some()) => {
            RecordState::Proxied
        }
        (true, _) => RecordState::Conflict,
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::super::check::Ownership;
    use super::super::dns::DnsName;
    use super::*;
    use platform::config::Config;

    const SETTINGS: &str = "edge.public_ipv4 = [\"192.0.2.1\"]\nedge.public_ipv6 = [\"2001:db8::1\"]";

    fn states(apex: DnsLookup, www: DnsLookup, ownership: Option<Txt>) -> Vec<(String, RecordState)> {
        let config = Config::from_toml(SETTINGS).unwrap();
        let (ours, ranges) = (Ours::new(&config), CdnRanges::load(Path::new("/nowhere")));
        let name = |name: &str, found| DnsName { name: name.to_owned(), found };
        let findings = ConnectionFindings {
            names: vec![name("shop.example", apex), name("www.shop.example", www)],
            ownership: ownership.map(|found| Ownership {
                name: "_glasshouse.shop.example".to_owned(),
                value: "proof".to_owned(),
                found,
            }),
            probe: None,
        };
        let required = RequiredRecords::of("shop.example", &config.edge, ownership.map(|_| "proof"));
        let kept = (Timestamp::from_millis(7), KeptFindings { findings, problems: Vec::new() });
        let known = KnownAddresses { ours: &ours, ranges: &ranges };
        let records = ConnectionRecords::of("shop.example", required, Some(kept), known).records;
        records
            .into_iter()
            .map(|record| (format!("{} {}", record.name, record.r#type), record.state))
            .collect()
    }

    fn found(addresses: &[&str]) -> DnsLookup {
        DnsLookup::Addresses(addresses.iter().map(|address| address.parse().unwrap()).collect())
    }

    #[test]
    fn each_record_is_judged_by_the_addresses_of_its_type() {
        let states = states(found(&["192.0.2.1"]), found(&["198.51.100.7", "2001:db8::1"]), None);

        let expected = [
            ("@ A", RecordState::Found),
            ("@ AAAA", RecordState::Missing),
            ("www A", RecordState::Conflict),
            ("www AAAA", RecordState::Found),
        ];
        assert_eq!(states, expected.map(|(record, state)| (record.to_owned(), state)));
    }

    #[test]
    fn an_address_elsewhere_beside_the_right_one_is_a_conflict_and_one_of_a_proxy_hides_the_record() {
        let states = states(found(&["192.0.2.1", "198.51.100.7"]), found(&["104.16.132.229"]), None);

        assert_eq!(states[0].1, RecordState::Conflict);
        assert_eq!(states[2].1, RecordState::Proxied);
    }

    #[test]
    fn what_dns_did_not_answer_is_unknown_and_never_missing() {
        let states = states(DnsLookup::Failed, DnsLookup::Nothing, Some(Txt::Failed));

        assert_eq!(states[0].1, RecordState::Unknown);
        assert_eq!(states[2].1, RecordState::Missing);
        assert_eq!(states[4].1, RecordState::Unknown);
    }
}
