//! Findings of a connection check, and their results: the response of the check endpoint, the status that a domain gets, and
//! the problems that the command line prints. Pure.
//! See docs/decisions/0073.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::cdn::CdnRanges;
use super::dns::{DnsLookup, DnsName, Ours, Txt};
use super::prober::Way;
use crate::DomainStatus;
use crate::ownership::ConnectionProof;

/// Result of a connection check.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
pub struct CheckResult {
    /// Result of the DNS lookups.
    pub dns: DnsResult,
    /// Result of the crawler-style request through the domain.
    pub probe: ProbeResult,
    /// Stored status after this check.
    pub status: DomainStatus,
    /// True when this check moved the domain out of pending.
    pub promoted: bool,
}

/// Result of a domain's DNS lookups.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct DnsResult {
    /// True when the records point only at the service, and the ownership record exists if the domain needs it.
    pub r#match: bool,
    /// True when every address belongs to a proxy provider, which hides the domain's own records.
    pub cloudflare_proxy: bool,
    /// True when DNS did not answer; a later check may succeed.
    pub lookup_failed: bool,
}

/// Result of a probe.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, ToSchema)]
pub struct ProbeResult {
    /// True when a crawler-style request through the domain reached the service.
    pub ok: bool,
}

/// All findings of a check.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct ConnectionFindings {
    /// Lookups of the domain's names, the domain itself first.
    pub names: Vec<DnsName>,
    /// Ownership record of a contested domain.
    pub ownership: Option<Ownership>,
    /// Route on which the probe returned, if it did.
    pub probe: Option<Way>,
}

/// TXT record that proves the ownership of a contested domain.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Ownership {
    /// Full name of the TXT record.
    pub name: String,
    /// Required value.
    pub value: String,
    /// Result of the lookup.
    pub found: Txt,
}

impl ConnectionFindings {
    /// Returns the result of the DNS lookups in the form of the response.
    pub fn dns(&self, ours: &Ours, ranges: &CdnRanges) -> DnsResult {
        let has_failed = self.names.iter().any(|name| name.found == DnsLookup::Failed)
            || self.ownership.as_ref().is_some_and(|ownership| ownership.found == Txt::Failed);
        let addresses = || {
            self.names.iter().flat_map(|name| match &name.found {
                DnsLookup::Addresses(addresses) => addresses.as_slice(),
                DnsLookup::Nothing | DnsLookup::Failed => &[],
            })
        };
        let is_proven = self.ownership.as_ref().is_none_or(|ownership| ownership.found == Txt::There);
        // A `www` without records sends no request elsewhere; the domain itself must have an address.
        let has_own = self.names.first().is_some_and(|name| matches!(name.found, DnsLookup::Addresses(_)));
        let all_ours = addresses().all(|address| ours.contain(*address));
        DnsResult {
            r#match: has_own && all_ours && is_proven && !has_failed,
            cloudflare_proxy: addresses().next().is_some()
                && addresses().all(|address| ranges.provider_of(*address).is_some()),
            lookup_failed: has_failed,
        }
    }

    /// Returns the status that the findings give a pending domain, if any.
    ///
    /// All domains share the edge, so that a probe over it does not prove the ownership of a contested domain; a key does.
    pub fn earned(&self, dns: DnsResult) -> Option<DomainStatus> {
        match self.probe {
            _ if dns.r#match => Some(DomainStatus::Connected),
            Some(Way::Api) => Some(DomainStatus::ViaApi),
            Some(Way::Edge) if self.ownership.is_none() => Some(DomainStatus::ViaApi),
            Some(Way::Edge) | None => None,
        }
    }

    /// Returns the proof that the findings give: of ownership, or only that the domain points at the service.
    pub fn proof(&self) -> ConnectionProof {
        let has_record = self.ownership.as_ref().is_some_and(|ownership| ownership.found == Txt::There);
        if has_record || self.probe == Some(Way::Api) {
            ConnectionProof::OfOwner
        } else {
            ConnectionProof::OfTheWay
        }
    }

    /// Returns the obstacles to a match, one sentence each, with the records that were found instead.
    pub fn problems(&self, ours: &Ours, ranges: &CdnRanges) -> Vec<String> {
        let mut problems = Vec::new();
        if ours.is_empty() {
            problems.push(
                "the service does not know its own addresses: set edge.public_ipv4 or edge.public_ipv6"
                    .to_owned(),
            );
        }
        for (at, DnsName { name, found }) in self.names.iter().enumerate() {
            match found {
                DnsLookup::Failed => problems.push(format!("DNS did not answer for {name}; try again later")),
                DnsLookup::Nothing if at == 0 => problems.push(format!("{name} has no A or AAAA record")),
                DnsLookup::Nothing => {}
                DnsLookup::Addresses(addresses) => {
                    let foreign = addresses.iter().filter(|address| !ours.contain(**address));
                    problems.extend(foreign.map(|address| match ranges.provider_of(*address) {
                        Some(provider) => {
                            format!(
                                "{name} leads to {address}, a proxy of {provider}, which hides its records"
                            )
                        }
                        None => format!("{name} leads to {address}, which is not this service"),
                    }));
                }
            }
        }
        if let Some(Ownership { name, value, found }) = &self.ownership {
            match found {
                Txt::There => {}
                Txt::Missing => problems.push(format!("the TXT record {name} does not say {value}")),
                Txt::Failed => problems.push(format!("DNS did not answer for {name}; try again later")),
            }
        }
        problems
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use platform::config::Config;

    const HERE: &str = "192.0.2.1";
    const HERE_V6: &str = "2001:db8::1";
    const ELSEWHERE: &str = "198.51.100.7";
    const CLOUDFLARE: &str = "104.16.132.229";

    fn found(addresses: &[&str]) -> DnsLookup {
        DnsLookup::Addresses(addresses.iter().map(|address| address.parse().unwrap()).collect())
    }

    fn findings(apex: DnsLookup, www: DnsLookup) -> ConnectionFindings {
        let name = |name: &str, found| DnsName { name: name.to_owned(), found };
        let names = vec![name("shop.example", apex), name("www.shop.example", www)];
        ConnectionFindings { names, ownership: None, probe: None }
    }

    fn ownership(found: Txt) -> Option<Ownership> {
        Some(Ownership { name: "_glasshouse.shop.example".to_owned(), value: "proof".to_owned(), found })
    }

    fn ours() -> Ours {
        let settings = format!("edge.public_ipv4 = [{HERE:?}]\nedge.public_ipv6 = [{HERE_V6:?}]");
        Ours::new(&Config::from_toml(&settings).unwrap())
    }

    fn ranges() -> CdnRanges {
        CdnRanges::load(Path::new("/nowhere"))
    }

    fn dns(findings: &ConnectionFindings) -> (bool, bool, bool) {
        let DnsResult { r#match, cloudflare_proxy, lookup_failed } = findings.dns(&ours(), &ranges());
        (r#match, cloudflare_proxy, lookup_failed)
    }

    #[test]
    fn records_match_when_every_address_is_ours() {
        for (apex, www) in [
            (found(&[HERE]), found(&[HERE])),
            (found(&[HERE, HERE_V6]), found(&[HERE_V6])),
            (found(&[HERE]), DnsLookup::Nothing),
        ] {
            assert_eq!(dns(&findings(apex.clone(), www.clone())), (true, false, false), "{apex:?} {www:?}");
        }
    }

    #[test]
    fn a_record_that_leads_elsewhere_or_none_at_all_is_no_match() {
        for (apex, www) in [
            (DnsLookup::Nothing, DnsLookup::Nothing),
            (DnsLookup::Nothing, found(&[HERE])),
            (found(&[ELSEWHERE]), found(&[HERE])),
            (found(&[HERE, ELSEWHERE]), found(&[HERE])),
            (found(&[HERE]), found(&[ELSEWHERE])),
            (found(&[HERE, CLOUDFLARE]), DnsLookup::Nothing),
        ] {
            assert_eq!(dns(&findings(apex.clone(), www.clone())), (false, false, false), "{apex:?} {www:?}");
        }
    }

    #[test]
    fn a_proxy_hides_the_records_when_every_address_is_one() {
        assert_eq!(dns(&findings(found(&[CLOUDFLARE]), found(&[CLOUDFLARE]))), (false, true, false));
        assert_eq!(dns(&findings(found(&[CLOUDFLARE]), DnsLookup::Nothing)), (false, true, false));
        assert_eq!(dns(&findings(found(&[CLOUDFLARE]), found(&[ELSEWHERE]))), (false, false, false));
    }

    #[test]
    fn a_resolver_that_fails_is_told_apart_from_no_record() {
        assert_eq!(dns(&findings(DnsLookup::Failed, DnsLookup::Nothing)), (false, false, true));
        assert_eq!(dns(&findings(found(&[HERE]), DnsLookup::Failed)), (false, false, true));
    }

    #[test]
    fn a_contested_domain_matches_only_with_its_ownership_record() {
        let contested = |txt| ConnectionFindings {
            ownership: ownership(txt),
            ..findings(found(&[HERE]), found(&[HERE]))
        };

        assert_eq!(dns(&contested(Txt::There)), (true, false, false));
        assert_eq!(dns(&contested(Txt::Missing)), (false, false, false));
        assert_eq!(dns(&contested(Txt::Failed)), (false, false, true));
    }

    #[test]
    fn the_shared_edge_does_not_say_whose_a_contested_domain_is() {
        let earned = |way, contested: bool| {
            let ownership = if contested { ownership(Txt::Missing) } else { None };
            let findings = ConnectionFindings {
                probe: way,
                ownership,
                ..findings(found(&[ELSEWHERE]), DnsLookup::Nothing)
            };
            findings.earned(findings.dns(&ours(), &ranges()))
        };

        assert_eq!(earned(Some(Way::Edge), false), Some(DomainStatus::ViaApi));
        assert_eq!(earned(Some(Way::Edge), true), None);
        assert_eq!(earned(Some(Way::Api), true), Some(DomainStatus::ViaApi));
        assert_eq!(earned(None, false), None);
    }

    #[test]
    fn records_that_match_count_more_than_a_probe() {
        let findings =
            ConnectionFindings { probe: Some(Way::Api), ..findings(found(&[HERE]), DnsLookup::Nothing) };

        assert_eq!(findings.earned(findings.dns(&ours(), &ranges())), Some(DomainStatus::Connected));
    }

    #[test]
    fn every_problem_names_its_record_and_what_was_found() {
        let findings = ConnectionFindings {
            ownership: ownership(Txt::Missing),
            ..findings(found(&[HERE, ELSEWHERE]), found(&[CLOUDFLARE]))
        };

        let problems = findings.problems(&ours(), &ranges());

        let expected = [
            "shop.example leads to 198.51.100.7, which is not this service",
            "www.shop.example leads to 104.16.132.229, a proxy of cloudflare, which hides its records",
            "the TXT record _glasshouse.shop.example does not say proof",
        ];
        assert_eq!(problems, expected);
    }
}
