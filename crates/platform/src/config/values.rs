//! Forms that a single setting's value takes: sizes, optional texts, networks, static hosts, secrets. Pure.

use std::collections::BTreeMap;
use std::fmt;
use std::net::{IpAddr, SocketAddr};
use std::num::NonZeroUsize;
use std::str::FromStr;

use crawler::HostTarget;
use ipnet::IpNet;
use serde::{Deserialize, Deserializer};

/// A secret setting. Its `Debug` form says only whether it is set.
#[derive(Clone, Default, PartialEq, Eq, Deserialize)]
pub struct Secret(String);

impl Secret {
    /// Name of the type in the derived `Deserialize`, by which the listing finds the settings to mask.
    pub(super) const TYPE_NAME: &str = "Secret";

    /// Returns the secret itself, or `None` when it is not set.
    pub fn reveal(&self) -> Option<&str> {
        Some(self.0.as_str()).filter(|secret| !secret.is_empty())
    }
}

impl From<String> for Secret {
    fn from(text: String) -> Secret {
        Secret(text)
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.0.is_empty() { "not set" } else { "***" })
    }
}

/// Reads a text in which the empty one means "none".
pub(super) fn optional<'de, D, T>(deserializer: D) -> Result<Option<T>, D::Error>
where
    D: Deserializer<'de>,
    T: FromStr<Err: fmt::Display>,
{
    let text = String::deserialize(deserializer)?;
    match text.trim() {
        "" => Ok(None),
        // The text is left out: an address may hold a password.
        text => text.parse().map(Some).map_err(serde::de::Error::custom),
    }
}

/// Reads US dollars, none for an empty text.
pub(super) fn optional_usd<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<f64>, D::Error> {
    match serde_json::Value::deserialize(deserializer)? {
        serde_json::Value::String(text) if text.is_empty() => Ok(None),
        number => serde_json::from_value(number).map(Some).map_err(serde::de::Error::custom),
    }
}

/// Reads US dollars, none for -1, which is no limit.
pub(super) fn usd_limit<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<f64>, D::Error> {
    let number = f64::deserialize(deserializer)?;
    Ok(Some(number).filter(|number| *number >= 0.0))
}

/// Reads US dollars, none for an empty text; within, none for -1, which is no limit.
pub(super) fn optional_usd_limit<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Option<Option<f64>>, D::Error> {
    Ok(optional_usd(deserializer)?.map(|number| Some(number).filter(|number| *number >= 0.0)))
}

/// The value of a setting that the service decides for itself.
pub(super) const AUTO: &str = "auto";

/// Reads a count above zero, or `auto` as none.
pub(super) fn count_or_auto<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Option<NonZeroUsize>, D::Error> {
    match serde_json::Value::deserialize(deserializer)? {
        serde_json::Value::String(text) if text == AUTO => Ok(None),
        count => serde_json::from_value(count).map(Some).map_err(serde::de::Error::custom),
    }
}

/// Replaces a wildcard address by the loopback address for display: nobody can open `http://0.0.0.0`.
pub(super) fn shown_address(listen: SocketAddr) -> SocketAddr {
    let ip = match listen.ip() {
        IpAddr::V4(ip) if ip.is_unspecified() => IpAddr::from([127, 0, 0, 1]),
        IpAddr::V6(ip) if ip.is_unspecified() => IpAddr::from(std::net::Ipv6Addr::LOCALHOST),
        ip => ip,
    };
    SocketAddr::new(ip, listen.port())
}

/// Reads a list of networks. A single address is a network of one.
pub(super) fn networks<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<IpNet>, D::Error> {
    let texts = Vec::<String>::deserialize(deserializer)?;
    texts.iter().map(|text| parse_network(text).map_err(serde::de::Error::custom)).collect()
}

fn parse_network(text: &str) -> Result<IpNet, String> {
    let address = text.parse().map(|ip: std::net::IpAddr| IpNet::from(ip));
    address.or_else(|_| text.parse()).map_err(|_| format!("{text:?} is not a network such as 10.0.0.0/8"))
}

/// Reads static names and where they are.
pub(super) fn hosts<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<BTreeMap<String, HostTarget>, D::Error> {
    let texts = BTreeMap::<String, String>::deserialize(deserializer)?;
    let target = |(name, target): (String, String)| -> Result<_, D::Error> {
        Ok((name, target.parse().map_err(serde::de::Error::custom)?))
    };
    texts.into_iter().map(target).collect()
}

/// Reads a size: a plain number of bytes, or a number and a unit such as `10 MiB`, `1.5GB` or `512k`.
pub(super) fn parse_size(text: &str) -> Option<u64> {
    let text = text.trim().replace('_', "");
    let digits = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
    let (number, unit) = text.split_at(digits);
    let factor: u64 = match unit.trim().to_ascii_lowercase().as_str() {
        "" | "b" => 1,
        "k" | "kib" => 1 << 10,
        "m" | "mib" => 1 << 20,
        "g" | "gib" => 1 << 30,
        "t" | "tib" => 1 << 40,
        "kb" => 1_000,
        "mb" => 1_000_000,
        "gb" => 1_000_000_000,
        "tb" => 1_000_000_000_000,
        _ => return None,
    };
    if let Ok(whole) = number.parse::<u64>() {
        return whole.checked_mul(factor);
    }
    let bytes = number.parse::<f64>().ok()? * factor as f64;
    (bytes.is_finite() && bytes < 9e18).then_some(bytes as u64)
}

/// Scheme of requests to origins.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Scheme {
    /// In the clear, for a private network.
    Http,
    /// Over TLS.
    Https,
}

/// PROXY headers at the beginning of a listener's connections.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ProxyProtocol {
    /// Not read: the other end of a connection is the client, or a proxy that says so in headers.
    Off,
    /// Every connection begins with one, of a proxy of `edge.trusted_proxies`.
    Required,
}

/// Form of the access log.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum AccessLogFormat {
    /// No access log.
    Off,
    /// One JSON object per request.
    Json,
    /// Lines as web servers write them.
    Combined,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_have_units_or_are_plain_bytes() {
        let sizes = ["1 MiB", "1024", "10MB", "1.5 KiB", "2k", "0"];

        let bytes: Vec<_> = sizes.iter().map(|size| parse_size(size)).collect();

        assert_eq!(bytes, [1_048_576, 1_024, 10_000_000, 1_536, 2_048, 0].map(Some));
    }

    #[test]
    fn nonsense_is_no_size() {
        for text in ["", "MiB", "1 MiBs", "-1", "1e3", "99999999999 TiB", "1.2.3 KiB"] {
            assert_eq!(parse_size(text), None, "{text}");
        }
    }

    #[test]
    fn a_secret_is_not_in_its_debug_form() {
        let secret: Secret = serde_json::from_str("\"hunter2\"").unwrap();

        assert_eq!(format!("{secret:?}"), "***");
        assert_eq!(secret.reveal(), Some("hunter2"));
    }
}
