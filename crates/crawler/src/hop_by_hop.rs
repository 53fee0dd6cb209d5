//! Header fields that concern one connection only (RFC 9110, 7.6.1). Used by whatever passes requests or answers on. Pure.

use http::header::{CONNECTION, TE, TRAILER, TRANSFER_ENCODING, UPGRADE};
use http::{HeaderMap, HeaderName};

/// Names of the fields, beside those that `Connection` names.
pub const HOP_BY_HOP: [HeaderName; 9] = [
    CONNECTION,
    HeaderName::from_static("keep-alive"),
    HeaderName::from_static("proxy-connection"),
    HeaderName::from_static("proxy-authenticate"),
    HeaderName::from_static("proxy-authorization"),
    TE,
    TRAILER,
    TRANSFER_ENCODING,
    UPGRADE,
];

/// Removes the fields that concern one connection only.
pub fn remove_hop_by_hop(headers: &mut HeaderMap) {
    let lines = headers.get_all(CONNECTION).iter().filter_map(|value| value.to_str().ok());
    let named: Vec<HeaderName> =
        lines.flat_map(|line| line.split(',')).filter_map(|name| name.trim().parse().ok()).collect();
    for name in named.iter().chain(&HOP_BY_HOP) {
        headers.remove(name);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_of_one_connection_and_those_that_it_names_are_removed() {
        let lines = [
            ("connection", "keep-alive, x-secret"),
            ("connection", " x-other"),
            ("x-secret", "1"),
            ("x-other", "1"),
            ("proxy-authorization", "1"),
            ("te", "trailers"),
            ("accept", "*/*"),
        ];
        let mut headers = HeaderMap::new();
        for (name, value) in lines {
            headers.append(name, value.parse().unwrap());
        }

        remove_hop_by_hop(&mut headers);

        assert_eq!(headers.keys().map(HeaderName::as_str).collect::<Vec<_>>(), ["accept"]);
    }
}
