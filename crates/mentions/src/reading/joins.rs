//! Knowledge of other features beside sums: competitors' sites, and own pages with visits and audits.
//! Visits that cannot be read now are unknown: a list of sources is shown without them rather than not at all.
//! See docs/decisions/0394.

use std::collections::{HashMap, HashSet};

use assistants::analysis::CompetitorProfile;
use assistants::analysis::brand::key;
use crawler::errors::one_line;
use url::Url;

use crate::model::UtcDay;
use ::domains::DomainId;
use analytics::model::date_of;
use analytics::service::MAX_DAYS;
use analytics::{AiCrawls, Analytics};
use audit::AuditReader;

use super::sources::OwnPage;

/// Addresses of competitors' sites, by the competitors' names.
#[derive(Debug, Default)]
pub struct CompetitorSites(HashMap<String, String>);

impl CompetitorSites {
    /// Takes the first domain of each competitor. One without domains has the cited site whose label is its name.
    pub fn of(competitors: &[CompetitorProfile], cited: &[String]) -> CompetitorSites {
        let mut by_label: HashMap<String, &str> = HashMap::new();
        for site in cited {
            let label = key(site.split('.').next().unwrap_or_default());
            let known = by_label.entry(label).or_insert(site);
            *known = (*known).min(site);
        }
        let site = |competitor: &CompetitorProfile| {
            let mut names = std::iter::once(&competitor.name).chain(&competitor.aliases);
            let configured = competitor.domains.first().map(String::as_str);
            let domain = configured.or_else(|| names.find_map(|name| by_label.get(&key(name)).copied()))?;
            Some((competitor.name.clone(), format!("https://{domain}")))
        };
        CompetitorSites(competitors.iter().filter_map(site).collect())
    }

    /// Decides whether some of these competitors have no domain of their own, so that cited sites have to tell.
    pub fn need_cited_sites<'a>(
        competitors: &[CompetitorProfile],
        named: impl IntoIterator<Item = &'a str>,
    ) -> bool {
        let without: HashSet<&str> = competitors
            .iter()
            .filter(|competitor| competitor.domains.is_empty())
            .map(|competitor| competitor.name.as_str())
            .collect();
        named.into_iter().any(|name| without.contains(name))
    }

    /// Returns the address of a competitor's site; none when it is not known.
    pub fn url(&self, name: &str) -> Option<String> {
        self.0.get(name).cloned()
    }
}

/// Visits and audits of a domain's pages.
#[derive(Debug)]
pub struct OwnPages {
    host: String,
    /// None: visits cannot be read now.
    crawls: Option<HashMap<String, AiCrawls>>,
    people: Option<HashMap<String, u64>>,
    /// Issues of the pages that were asked for. None: there is no audit.
    issues: Option<HashMap<String, u64>>,
}

impl OwnPages {
    /// Reads what is known of a domain's pages; people are counted in the window.
    pub async fn read(
        analytics: &Analytics,
        audits: &AuditReader,
        (domain, host): (&DomainId, &str),
        days: (UtcDay, UtcDay),
        urls: &[&str],
    ) -> OwnPages {
        let pages = || urls.iter().filter_map(|url| spellings_of(url, host));
        let paths: Vec<String> = pages().flat_map(|page| page.with_query).collect();
        let visited: Vec<String> = pages().flat_map(|page| page.without_query).collect();
        let (crawls, people) = match paths.is_empty() {
            true => (None, None),
            false => (
                known(analytics.ai_crawls(domain, MAX_DAYS).await),
                known(analytics.people_of_pages(domain, days, &visited).await),
            ),
        };
        let issues = match paths.is_empty() {
            true => None,
            false => known(audits.latest_run(domain).await).flatten().map(|run| run.count_issues(&paths)),
        };
        OwnPages { host: host.to_owned(), crawls, people, issues }
    }

    /// Returns what is known of the page at an address. A page of another host of the brand has no visits here.
    pub fn of(&self, url: &str) -> OwnPage {
        let Some(page) = spellings_of(url, &self.host) else { return OwnPage::default() };
        let crawls = self.crawls.as_ref();
        let last = crawls.and_then(|crawls| {
            page.without_query.iter().filter_map(|path| crawls.get(path)).map(|crawls| crawls.last).max()
        });
        let issues = self.issues.as_ref();
        OwnPage {
            last_crawl_by_ai_bots: last.map(date_of),
            open_issues: issues
                .and_then(|issues| page.with_query.iter().find_map(|path| issues.get(path)).copied()),
            referrals: self
                .people
                .as_ref()
                .map(|people| page.without_query.iter().filter_map(|path| people.get(path)).sum::<u64>()),
        }
    }
}

/// Paths under which a page is known: addresses of sources have lost their final slash.
struct Spellings {
    with_query: [String; 2],
    without_query: [String; 2],
}

/// Returns the spellings of a page's path. None: the address is not on the host or its `www.` twin.
fn spellings_of(url: &str, host: &str) -> Option<Spellings> {
    let bare = |host: &str| host.strip_prefix("www.").unwrap_or(host).to_owned();
    let url = Url::parse(url).ok().filter(|url| url.host_str().is_some_and(|own| bare(own) == bare(host)))?;
    let path = url.path().trim_end_matches('/');
    let query = url.query().map(|query| format!("?{query}")).unwrap_or_default();
    Some(Spellings {
        with_query: match path.is_empty() {
            true => [format!("/{query}"), "/".to_owned()],
            false => [format!("{path}{query}"), format!("{path}/{query}")],
        },
        without_query: [path.to_owned(), format!("{path}/")],
    })
}

/// Reads a result that may be away: then it is unknown, with a line in the log.
fn known<T, E: std::error::Error + 'static>(result: Result<T, E>) -> Option<T> {
    result
        .map_err(|error| {
            tracing::warn!(error = one_line(&error), "pages are shown without a part of what is known")
        })
        .ok()
}

#[cfg(test)]
mod tests {
    use assistants::analysis::CompetitorStatus;

    use super::*;

    fn competitor(name: &str, domains: &[&str]) -> CompetitorProfile {
        CompetitorProfile {
            name: name.to_owned(),
            aliases: Vec::new(),
            domains: domains.iter().map(|domain| (*domain).to_owned()).collect(),
            status: CompetitorStatus::Tracked,
        }
    }

    #[test]
    fn a_site_is_the_configured_domain_or_the_cited_site_with_the_name() {
        let competitors =
            [competitor("Notchly", &["notchly.com"]), competitor("Paper Trail", &[]), competitor("Box", &[])];
        let cited = ["papertrail.io".to_owned(), "paper-trail.app".to_owned(), "notchly.net".to_owned()];

        let sites = CompetitorSites::of(&competitors, &cited);

        assert_eq!(sites.url("Notchly").as_deref(), Some("https://notchly.com"));
        assert_eq!(sites.url("Paper Trail").as_deref(), Some("https://paper-trail.app"));
        assert_eq!(sites.url("Box"), None);
        assert!(CompetitorSites::need_cited_sites(&competitors, ["Notchly", "Box"]));
        assert!(!CompetitorSites::need_cited_sites(&competitors, ["Notchly", "Unheard"]));
    }

    #[test]
    fn a_page_is_known_with_and_without_its_final_slash() {
        let page = spellings_of("https://www.lumadocs.io/pricing?plan=pro", "lumadocs.io").unwrap();

        assert_eq!(page.with_query, ["/pricing?plan=pro", "/pricing/?plan=pro"]);
        assert_eq!(page.without_query, ["/pricing", "/pricing/"]);
        assert_eq!(spellings_of("https://lumadocs.io", "lumadocs.io").unwrap().with_query[0], "/");
        assert!(spellings_of("https://notchly.com/pricing", "lumadocs.io").is_none());
        assert!(spellings_of("https://evil-lumadocs.io/", "lumadocs.io").is_none());
    }
}
