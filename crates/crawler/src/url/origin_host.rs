//! Host of a site's own server, as an operator types it and as it is kept. Used wherever a site's requests are sent to another host
//! than its public one. Pure.

use std::fmt;
use std::str::FromStr;

use ::url::{Host, Url};
use serde::{Deserialize, Serialize};

/// Host, and port unless it is the scheme's own, of a site's own server. Lower case, A-labels.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct OriginHost(String);

/// A text has no usable host in it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("there is no usable host in the text")]
pub struct BadOriginHost;

impl OriginHost {
    /// Returns host and port as they stand in an address.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Returns the host without its port. An IPv6 address keeps its brackets.
    pub fn host(&self) -> &str {
        split_authority(&self.0).0
    }

    /// Returns the port. None: the scheme's own.
    pub fn port(&self) -> Option<u16> {
        split_authority(&self.0).1
    }
}

impl FromStr for OriginHost {
    type Err = BadOriginHost;

    /// Reads a host and perhaps a port.
    ///
    /// People paste whole addresses: scheme, path and query are dropped. Addresses and single labels are hosts too: whether
    /// they may be reached is for the guard to say, at every connection.
    fn from_str(text: &str) -> Result<OriginHost, BadOriginHost> {
        let text = text.trim();
        let (scheme, rest) = text.split_once("://").unwrap_or(("https", text));
        // The parser takes the first segment of a path for an empty host.
        if rest.starts_with(['/', '\\']) {
            return Err(BadOriginHost);
        }
        let url = Url::parse(&format!("{scheme}://{rest}")).map_err(|_| BadOriginHost)?;
        let is_plain =
            matches!(url.scheme(), "http" | "https") && url.username().is_empty() && url.password().is_none();
        if !is_plain {
            return Err(BadOriginHost);
        }
        let host = match url.host().ok_or(BadOriginHost)? {
            Host::Domain(name) if name.contains('.') => super::host_name(name),
            // A single label is checked as the first of two.
            Host::Domain(label) => super::host_name(&format!("{label}.test"))
                .and_then(|name| Some(name.strip_suffix(".test")?.to_owned())),
            address @ (Host::Ipv4(_) | Host::Ipv6(_)) => Some(address.to_string()),
        };
        let host = host.ok_or(BadOriginHost)?;
        match url.port() {
            Some(0) => Err(BadOriginHost),
            Some(port) => Ok(OriginHost(format!("{host}:{port}"))),
            None => Ok(OriginHost(host)),
        }
    }
}

impl TryFrom<String> for OriginHost {
    type Error = BadOriginHost;

    fn try_from(text: String) -> Result<OriginHost, BadOriginHost> {
        text.parse()
    }
}

impl From<OriginHost> for String {
    fn from(origin: OriginHost) -> String {
        origin.0
    }
}

impl fmt::Display for OriginHost {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Splits an authority into host and port.
pub(super) fn split_authority(authority: &str) -> (&str, Option<u16>) {
    match authority.rsplit_once(':') {
        // The colons of an IPv6 address are inside its brackets.
        Some((host, port)) if port.bytes().all(|byte| byte.is_ascii_digit()) => (host, port.parse().ok()),
        _ => (authority, None),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn parse(text: &str) -> Option<String> {
        text.parse::<OriginHost>().ok().map(String::from)
    }

    #[test]
    fn an_origin_is_taken_from_whatever_was_pasted() {
        let cases = [
            ("App.Host.com", Some("app.host.com")),
            ("https://app.host.com/some/path?x", Some("app.host.com")),
            ("app.host.com:8443", Some("app.host.com:8443")),
            ("http://app.host.com:80/", Some("app.host.com")),
            ("", None),
            ("https://", None),
            ("https:///path", None),
            ("https:///app.host.com", None),
            ("10.0.0.5:8080", Some("10.0.0.5:8080")),
            ("http://0x7f.1/", Some("127.0.0.1")),
            ("http://[2001:db8::1]:8080/x", Some("[2001:db8::1]:8080")),
            ("LocalHost", Some("localhost")),
            (" ", None),
            (".", None),
            ("a.com:0", None),
            ("a.com:99999", None),
            ("exa_mple", None),
            ("ftp://app.host.com", None),
            ("user:pw@app.host.com", None),
            ("not a host", None),
        ];

        for (text, expected) in cases {
            assert_eq!(parse(text).as_deref(), expected, "{text:?}");
        }
    }

    #[test]
    fn an_origin_is_split_into_host_and_port() {
        for (text, host, port) in [
            ("a.com:8443", "a.com", Some(8443)),
            ("a.com", "a.com", None),
            ("[2001:db8::1]", "[2001:db8::1]", None),
            ("[2001:db8::1]:8080", "[2001:db8::1]", Some(8080)),
        ] {
            let origin: OriginHost = text.parse().unwrap();

            assert_eq!((origin.host(), origin.port()), (host, port));
        }
    }

    proptest! {
        #[test]
        fn what_is_accepted_is_stable(text in "(https?://)?[ -~äß①]{0,60}") {
            if let Some(origin) = parse(&text) {
                prop_assert_eq!(parse(&origin), Some(origin.clone()));
            }
        }
    }
}
