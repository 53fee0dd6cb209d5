//! Names of domains and origins as users type them: validation and canonical form.
//! Pure. Shared by the domains service, the render endpoint and the command line.

use std::sync::LazyLock;

use crawler::url::{BadOriginHost, OriginHost};

/// Hosts of the editors of site builders, one per line.
const EDITOR_HOSTS: &str = include_str!("../data/editor_hosts.txt");

/// Parses the name of a domain and returns its canonical form: lower case, A-labels. Returns none for an invalid name.
///
/// IP addresses, single labels, ports, paths and public suffixes are invalid; one trailing dot is accepted.
pub fn parse_domain(text: &str) -> Option<String> {
    let host = crawler::url::host_name(text.trim())?;
    crawler::url::registrable_domain(&host)?;
    Some(host)
}

/// Returns the other name of a site: with or without `www.`. Only a registrable name and its `www.` have one.
pub fn twin(host: &str) -> Option<String> {
    crawler::url::www_twin(host)
}

/// Decides whether two hosts are one domain: the same name, or the `www.`/apex twin.
pub fn is_same_domain(one: &str, other: &str) -> bool {
    one == other || twin(one).as_deref() == Some(other)
}

/// Returns the site of a host in canonical form: its registrable domain. Claims compete within a site.
pub fn site(host: &str) -> String {
    crawler::url::registrable_domain(host).map_or_else(|| host.to_owned(), |site| site.to_string())
}

/// Lists the names whose lock applies to a host: the host, its twin, and every name above it within its site.
pub fn locked_by(host: &str) -> Vec<String> {
    let site = site(host);
    let mut names: Vec<String> = std::iter::once(host.to_owned()).chain(twin(host)).collect();
    let mut rest = host;
    while let Some((_, above)) = rest.split_once('.').filter(|_| rest.len() > site.len()) {
        names.push(above.to_owned());
        rest = above;
    }
    names
}

/// Reason why a text cannot be a domain's origin host.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum OriginProblem {
    /// The text contains no usable host.
    #[error("the origin host is not a host name")]
    Invalid,
    /// The host is the domain itself or its twin: the service would request the site from itself.
    #[error("the origin host must be another name than the domain, where the site itself answers")]
    SameAsDomain,
    /// The host serves an editor of sites, not published sites.
    #[error("the origin host is an editor's address; use the one under which the site is published")]
    EditorUrl,
}

/// Parses the origin host of `domain`, which is in canonical form.
pub fn check_origin(domain: &str, text: &str) -> Result<OriginHost, OriginProblem> {
    let origin: OriginHost = text.parse().map_err(|BadOriginHost| OriginProblem::Invalid)?;
    if origin.host() == domain || twin(domain).as_deref() == Some(origin.host()) {
        return Err(OriginProblem::SameAsDomain);
    }
    if is_editor_host(origin.host()) {
        return Err(OriginProblem::EditorUrl);
    }
    Ok(origin)
}

/// Decides whether a host serves an editor of sites rather than published sites.
fn is_editor_host(host: &str) -> bool {
    static HOSTS: LazyLock<Vec<&str>> = LazyLock::new(|| {
        let lines = EDITOR_HOSTS.lines().map(str::trim);
        lines.filter(|line| !line.is_empty() && !line.starts_with('#')).collect()
    });
    HOSTS.iter().any(|editor| {
        host.strip_suffix(editor).is_some_and(|before| before.is_empty() || before.ends_with('.'))
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_domain_is_kept_in_lower_case_and_a_labels() {
        let cases = [
            ("Shop.Example.com", "shop.example.com"),
            ("bücher.de", "xn--bcher-kva.de"),
            ("shop.test", "shop.test"),
            (" example.co.uk ", "example.co.uk"),
        ];

        for (text, expected) in cases {
            assert_eq!(parse_domain(text).as_deref(), Some(expected), "{text}");
        }
    }

    #[test]
    fn what_cannot_be_a_customers_domain_is_none() {
        for text in [
            "",
            "localhost",
            "com",
            "co.uk",
            "test",
            "127.0.0.1",
            "[::1]",
            "1.2.3",
            "shop.example.com:8080",
            "https://shop.example.com",
            "shop.example.com/path",
            "a b.com",
            "-a.com",
            "a..com",
            "exa_mple.com",
            "user@example.com",
            "*.example.com",
        ] {
            assert_eq!(parse_domain(text), None, "{text:?}");
        }
    }

    #[test]
    fn an_editor_is_recognised_with_everything_below_it() {
        for host in ["lovable.dev", "x.lovable.dev", "bolt.new", "replit.com", "v0.dev"] {
            assert!(is_editor_host(host), "{host}");
        }
        for host in ["shop.lovable.app", "notlovable.dev", "shop.replit.app", "lovable.dev.example.com", ""] {
            assert!(!is_editor_host(host), "{host}");
        }
    }

    #[test]
    fn a_site_has_two_names_a_subdomain_one() {
        assert_eq!(twin("shop.example.com").as_deref(), None);
        assert_eq!(twin("example.com").as_deref(), Some("www.example.com"));
        assert_eq!(twin("www.example.com").as_deref(), Some("example.com"));
    }

    #[test]
    fn a_lock_holds_for_the_twin_and_for_every_name_below() {
        assert_eq!(locked_by("a.b.example.com"), ["a.b.example.com", "b.example.com", "example.com"]);
        assert_eq!(locked_by("example.com"), ["example.com", "www.example.com"]);
        assert!(!locked_by("blog.example.com").contains(&"www.example.com".to_owned()));
        assert_eq!(locked_by("shop.example.co.uk"), ["shop.example.co.uk", "example.co.uk"]);
        assert_eq!(site("a.b.example.co.uk"), "example.co.uk");
    }

    proptest! {
        #[test]
        fn no_text_makes_parsing_panic(text in ".{0,80}") {
            for text in [text.clone(), format!("{text}.com"), format!("https://{text}")] {
                let _ = parse_domain(&text);
            }
        }
    }
}
