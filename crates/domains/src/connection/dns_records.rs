//! DNS records that connect a domain. Pure. Used when a domain is added, and by the check, which looks for these records.

use serde::Serialize;
use utoipa::ToSchema;

use crate::names;
use platform::config::EdgeSection;

/// Time for which resolvers may keep a record, in seconds: short, so that a mistake is not kept for a day.
const TTL_S: u32 = 300;
/// First label of the names of ownership records.
const OWNERSHIP_LABEL: &str = "_glasshouse";

/// A record to create at the DNS provider.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
pub struct DnsRecord {
    /// `A`, `AAAA` or `TXT`.
    #[schema(example = "A")]
    pub r#type: String,
    /// Name within the zone: `@`, `www`, or the subdomain part.
    #[schema(example = "@")]
    pub name: String,
    /// Value of the record.
    #[schema(example = "192.0.2.10")]
    pub value: String,
    /// Time for which resolvers may keep the record, in seconds.
    #[schema(example = 300)]
    pub ttl: u32,
}

/// DNS records that a domain needs to be connected.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
pub struct RequiredRecords {
    /// Records to create at the DNS provider.
    pub records: Vec<DnsRecord>,
    /// True when another account has a claim on the site, so that a TXT record must prove the ownership of the domain.
    pub contested: bool,
    /// Reason for the TXT record; null when the domain is not contested.
    pub reason: Option<String>,
}

/// Explanation for the owner of a contested domain. Must not reveal the other account or its name of the site.
const CONTESTED: &str = "Another account has a claim on this site, or had one of its names connected within the last 400 days. \
    The TXT record proves that the domain is yours.";

impl RequiredRecords {
    /// Returns the records of a domain. `ownership` is the value of a contested domain's TXT record.
    pub fn of(host: &str, edge: &EdgeSection, ownership: Option<&str>) -> RequiredRecords {
        let reason = ownership.map(|_| CONTESTED.to_owned());
        RequiredRecords { records: records(host, edge, ownership), contested: ownership.is_some(), reason }
    }
}

/// Returns the records of a domain: `@` and `www` of an apex, any other name itself, one record per address of the service.
///
/// With `ownership` there is also the TXT record that proves the ownership. `host` is in canonical form.
fn records(host: &str, edge: &EdgeSection, ownership: Option<&str>) -> Vec<DnsRecord> {
    let part = subdomain_part(host);
    let names = match part {
        None => vec!["@", "www"],
        Some(part) => vec![part],
    };
    let v4 = edge.public_ipv4.iter().map(|address| ("A", address.to_string()));
    let v6 = edge.public_ipv6.iter().map(|address| ("AAAA", address.to_string()));
    let addresses: Vec<_> = v4.chain(v6).collect();

    let mut records = Vec::new();
    for name in names {
        for (kind, address) in &addresses {
            records.push(record(kind, name.to_owned(), address.clone()));
        }
    }
    if let Some(value) = ownership {
        let name = match part {
            None => OWNERSHIP_LABEL.to_owned(),
            Some(part) => format!("{OWNERSHIP_LABEL}.{part}"),
        };
        records.push(record("TXT", name, value.to_owned()));
    }
    records
}

/// Decides whether a domain is below its registrable name.
pub fn is_subdomain(host: &str) -> bool {
    subdomain_part(host).is_some()
}

/// Returns the full name of a domain's ownership record.
pub fn ownership_name(host: &str) -> String {
    format!("{OWNERSHIP_LABEL}.{host}")
}

/// Lists the names whose addresses decide whether a domain is connected: the domain itself, and `www.` of an apex.
pub fn checked_names(host: &str) -> Vec<String> {
    let www = names::twin(host).filter(|_| !is_subdomain(host));
    std::iter::once(host.to_owned()).chain(www).collect()
}

fn subdomain_part(host: &str) -> Option<&str> {
    let registrable = crawler::url::registrable_domain(host)?;
    host.strip_suffix(&*registrable)?.strip_suffix('.')
}

fn record(kind: &str, name: String, value: String) -> DnsRecord {
    DnsRecord { r#type: kind.to_owned(), name, value, ttl: TTL_S }
}

#[cfg(test)]
mod tests {
    use super::*;
    use platform::config::Config;

    fn lines(host: &str, settings: &str, ownership: Option<&str>) -> Vec<String> {
        let config = Config::from_toml(settings).unwrap();
        let line = |record: DnsRecord| format!("{} {} {}", record.name, record.r#type, record.value);
        records(host, &config.edge, ownership).into_iter().map(line).collect()
    }

    const BOTH: &str =
        "edge.public_ipv4 = [\"192.0.2.1\", \"192.0.2.2\"]\nedge.public_ipv6 = [\"2001:db8::1\"]";
    const V4: &str = "edge.public_ipv4 = [\"192.0.2.1\"]";

    #[test]
    fn an_apex_gets_records_for_itself_and_for_www() {
        assert_eq!(lines("shop.example", V4, None), ["@ A 192.0.2.1", "www A 192.0.2.1"]);
        assert_eq!(lines("shop.co.uk", V4, None), ["@ A 192.0.2.1", "www A 192.0.2.1"]);
    }

    #[test]
    fn every_address_of_the_service_gets_its_record() {
        let expected = [
            "@ A 192.0.2.1",
            "@ A 192.0.2.2",
            "@ AAAA 2001:db8::1",
            "www A 192.0.2.1",
            "www A 192.0.2.2",
            "www AAAA 2001:db8::1",
        ];

        assert_eq!(lines("shop.example", BOTH, None), expected);
    }

    #[test]
    fn a_subdomain_gets_one_record_named_after_its_own_part() {
        assert_eq!(lines("app.shop.example", V4, None), ["app A 192.0.2.1"]);
        assert_eq!(lines("a.b.shop.co.uk", V4, None), ["a.b A 192.0.2.1"]);
        assert_eq!(lines("www.shop.example", V4, None), ["www A 192.0.2.1"]);
        assert!(is_subdomain("www.shop.example") && !is_subdomain("shop.example"));
    }

    #[test]
    fn a_contested_domain_gets_the_record_that_proves_whose_it_is() {
        assert_eq!(lines("shop.example", "", Some("proof")), ["_glasshouse TXT proof"]);
        assert_eq!(lines("a.b.shop.example", "", Some("proof")), ["_glasshouse.a.b TXT proof"]);
        assert_eq!(ownership_name("a.b.shop.example"), "_glasshouse.a.b.shop.example");
    }

    #[test]
    fn www_is_looked_at_with_its_apex_and_never_the_other_way_round() {
        assert_eq!(checked_names("shop.example"), ["shop.example", "www.shop.example"]);
        assert_eq!(checked_names("www.shop.example"), ["www.shop.example"]);
        assert_eq!(checked_names("app.shop.example"), ["app.shop.example"]);
    }
}
