//! Host names: which are valid, which domain they belong to, and their www twin. Pure.
//! The list of public suffixes is compiled in (crate `psl`); names under no listed suffix, `.test` included, count as
//! if their last label were one, like `.com`.

use url::Host;

/// Reads the bare name of a website: no scheme, port, path or wildcard. Returns `None` for anything else.
///
/// The result is lower case, in A-labels (`xn--…`), without the final dot, and has at least two labels. IP addresses,
/// in any form that browsers read, are not names.
pub fn host_name(text: &str) -> Option<String> {
    // Everything that the URL parser would decode, drop or read as another part of an address.
    let is_foreign = |c: char| c.is_ascii_control() || " %/\\?#@:[]*<>^|\"'`{}".contains(c);
    if text.is_empty() || text.contains(is_foreign) {
        return None;
    }
    let Ok(Host::Domain(name)) = Host::parse(text) else { return None };
    let name = name.strip_suffix('.').unwrap_or(&name);
    (name.contains('.') && has_valid_labels(name)).then(|| name.to_owned())
}

/// Returns true when every label is made of letters, digits and inner hyphens, of 1 to 63 bytes, 253 in all (RFC 1123).
///
/// A last label of digits only is refused: other programs read it as a part of an IPv4 address.
pub(super) fn has_valid_labels(name: &str) -> bool {
    let is_label = |label: &str| {
        (1..=63).contains(&label.len())
            && label.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-')
            && !label.starts_with('-')
            && !label.ends_with('-')
    };
    let last_is_numeric =
        name.rsplit('.').next().is_some_and(|last| last.bytes().all(|b| b.is_ascii_digit()));
    name.len() <= 253 && name.split('.').all(is_label) && !last_is_numeric
}

/// Finds the part of a host name that somebody registered: `shop.co.uk` of `www.shop.co.uk`. None for a public suffix.
pub fn registrable_domain(host: &str) -> Option<String> {
    psl::domain_str(host).map(str::to_owned)
}

/// Returns true for a suffix below which anybody can register names (`com`, `co.uk`, `github.io`).
pub fn is_public_suffix(host: &str) -> bool {
    psl::suffix_str(host) == Some(host)
}

/// Finds the other name of a site that is reached with and without `www.`: only a registrable domain has one.
pub fn www_twin(host: &str) -> Option<String> {
    if let Some(apex) = host.strip_prefix("www.") {
        return is_registrable(apex).then(|| apex.to_owned());
    }
    is_registrable(host).then(|| format!("www.{host}"))
}

fn is_registrable(host: &str) -> bool {
    psl::domain_str(host) == Some(host)
}

/// Decides whether two hosts belong to one site: the same registrable domain, else the same name.
pub fn is_same_site(one: &str, other: &str) -> bool {
    let site = |host: &str| registrable_domain(host).unwrap_or_else(|| host.to_owned());
    site(one).eq_ignore_ascii_case(&site(other))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_comes_out_in_one_form() {
        let cases = [
            ("Shop.Example", "shop.example"),
            ("shop.example.", "shop.example"),
            ("bücher.example", "xn--bcher-kva.example"),
            ("XN--BCHER-KVA.example", "xn--bcher-kva.example"),
            ("a--b.example", "a--b.example"),
            ("1.example", "1.example"),
            ("shop。example", "shop.example"),
        ];

        for (text, name) in cases {
            assert_eq!(host_name(text).as_deref(), Some(name), "{text}");
        }
    }

    #[test]
    fn what_is_no_website_name_is_refused() {
        for text in
            ["127.0.0.1", "0x7f.1", "2130706433", "127.1", "①②⑦.⓪.⓪.①", "0", "localhost", "localhost.", "com"]
        {
            assert_eq!(host_name(text), None, "{text}");
        }
        let (long_label, long_name) = ("a".repeat(64) + ".example", "a.".repeat(130) + "example");
        for text in [
            "",
            ".",
            "a..b",
            ".example.com",
            "-a.example",
            "a-.example",
            "a_b.example",
            "*.example.com",
            "a b.com",
            "shop.example:443",
            "https://shop.example",
            "shop.example/x",
            "user@shop.example",
            "sh%6fp.example",
            "[::1]",
            "::1",
            "256.1.1.1",
            "shop.123",
            "xn--a.example",
            "sho\0p.example",
            "shop\n.example",
            &long_label,
            &long_name,
        ] {
            assert_eq!(host_name(text), None, "{text}");
        }
    }

    #[test]
    fn the_registrable_domain_is_one_label_below_the_public_suffix() {
        let cases = [
            ("www.shop.example.com", Some("example.com")),
            ("a.b.shop.co.uk", Some("shop.co.uk")),
            ("co.uk", None),
            ("me.github.io", Some("me.github.io")),
            ("github.io", None),
            ("www.shop.test", Some("shop.test")),
            ("test", None),
        ];

        for (host, domain) in cases {
            assert_eq!(registrable_domain(host).as_deref(), domain, "{host}");
            assert_eq!(is_public_suffix(host), domain.is_none(), "{host}");
        }
    }

    #[test]
    fn only_a_registrable_domain_has_a_www_twin() {
        let cases = [
            ("shop.test", Some("www.shop.test")),
            ("www.shop.test", Some("shop.test")),
            ("www.shop.co.uk", Some("shop.co.uk")),
            ("blog.shop.test", None),
            ("www.blog.shop.test", None),
            ("www.gov.uk", None),
            ("www.com", None),
        ];

        for (host, twin) in cases {
            assert_eq!(www_twin(host).as_deref(), twin, "{host}");
        }
    }
}
