//! The address of a ClickHouse, as a setting and a command take it. Pure.
//! Must never show the password: not in an error, and not in the `Debug` form.

use std::fmt;
use std::str::FromStr;

use percent_encoding::percent_decode_str;
use serde::{Deserialize, Deserializer};
use url::Url;

use super::Secret;

/// `clickhouse://user:password@host:8123/db`, taken apart.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ClickHouseUrl {
    /// Address of the HTTP interface, without credentials.
    pub endpoint: Url,
    /// Name of the user.
    pub user: String,
    pub password: Secret,
    /// The database, which must be there.
    pub database: String,
}

/// Error that shows the form of such an address. The refused text is left out: it may hold a password.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("must look like clickhouse://user:password@host:8123/database (clickhouses:// for TLS)")]
pub struct NotClickHouse;

impl FromStr for ClickHouseUrl {
    type Err = NotClickHouse;

    fn from_str(text: &str) -> Result<ClickHouseUrl, NotClickHouse> {
        let (scheme, port, rest) = match text.split_once("://") {
            Some(("clickhouse", rest)) => ("http", 8123, rest),
            Some(("clickhouses", rest)) => ("https", 8443, rest),
            _ => return Err(NotClickHouse),
        };
        // Read as what it is underneath: hosts of other schemes are not checked.
        let url = Url::parse(&format!("{scheme}://{rest}")).map_err(|_| NotClickHouse)?;
        let database = url.path().trim_matches('/');
        let has_more = url.query().is_some() || url.fragment().is_some() || database.contains('/');
        let host = url.host_str().filter(|host| !host.is_empty()).ok_or(NotClickHouse)?;
        if has_more {
            return Err(NotClickHouse);
        }
        // A port that is the default of http(s) is dropped by the parser; it was said all the same.
        let authority = rest.split('/').next().unwrap_or_default();
        let said = authority.rsplit_once(':').and_then(|(_, port)| port.parse().ok());
        let port = url.port().or(said).unwrap_or(port);
        let endpoint = Url::parse(&format!("{scheme}://{host}:{port}/")).map_err(|_| NotClickHouse)?;
        Ok(ClickHouseUrl {
            endpoint,
            user: decoded(url.username(), "default")?,
            password: Secret::from(decoded(url.password().unwrap_or_default(), "")?),
            database: decoded(database, "default")?,
        })
    }
}

impl fmt::Display for ClickHouseUrl {
    /// Formats the address for operators.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ClickHouse at {}{}", self.endpoint, self.database)
    }
}

/// Reads an address; the empty text means none.
pub(super) fn optional<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Option<ClickHouseUrl>, D::Error> {
    match String::deserialize(deserializer)?.trim() {
        "" => Ok(None),
        text => text.parse().map(Some).map_err(serde::de::Error::custom),
    }
}

fn decoded(text: &str, default: &str) -> Result<String, NotClickHouse> {
    let text = percent_decode_str(text).decode_utf8().map_err(|_| NotClickHouse)?;
    Ok(if text.is_empty() { default.to_owned() } else { text.into_owned() })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> Option<(String, String, Option<String>, String)> {
        let url: ClickHouseUrl = text.parse().ok()?;
        let password = url.password.reveal().map(str::to_owned);
        Some((url.endpoint.to_string(), url.user, password, url.database))
    }

    #[test]
    fn an_address_has_a_host_and_defaults_for_the_rest() {
        let of = |endpoint: &str, user: &str, password: Option<&str>, database: &str| {
            Some((endpoint.to_owned(), user.to_owned(), password.map(str::to_owned), database.to_owned()))
        };

        assert_eq!(
            parse("clickhouse://gh:p%40ss@db.example:9123/visits"),
            of("http://db.example:9123/", "gh", Some("p@ss"), "visits")
        );
        assert_eq!(
            parse("clickhouse://db.example"),
            of("http://db.example:8123/", "default", None, "default")
        );
        assert_eq!(parse("clickhouses://[::1]/visits"), of("https://[::1]:8443/", "default", None, "visits"));
        assert_eq!(parse("clickhouse://db:80/v"), of("http://db/", "default", None, "v"));
        for text in [
            "",
            "db:8123",
            "http://db/v",
            "clickhouse://",
            "clickhouse://db:99999/v",
            "clickhouse://db/a/b",
            "clickhouse://db/a?x=1",
        ] {
            assert_eq!(parse(text), None, "{text}");
        }
    }

    #[test]
    fn a_password_is_never_shown() {
        let url: ClickHouseUrl = "clickhouse://gh:hunter2@db/v".parse().unwrap();

        assert!(!format!("{url:?} {url} {NotClickHouse}").contains("hunter2"));
    }
}
