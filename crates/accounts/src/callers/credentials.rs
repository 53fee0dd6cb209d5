//! API key that a request presents, before it is looked up. Pure.
//! Must never read an `Authorization` header where visitors' own may be passed on: only operations that say so do.

use http::{HeaderMap, HeaderValue, header};

use platform::api::header_names::API_KEY;

/// API key of a request.
#[derive(Debug, PartialEq, Eq)]
pub enum Presented<'a> {
    /// One API key, or something in its place.
    Key(&'a str),
    /// Two different keys, or one that is not text: cannot be right.
    Malformed,
    /// No key at all.
    Nothing,
}

/// Reads the API key in `x-service-api-key`.
pub fn presented_key(headers: &HeaderMap) -> Presented<'_> {
    the_only_one(own_header(headers))
}

/// Reads the API key in `x-service-api-key` or `Authorization: Bearer`, for the Domains API.
///
/// The same key in both is one key; two different ones are none, since nobody can say which was meant.
pub fn presented_key_or_bearer(headers: &HeaderMap) -> Presented<'_> {
    let bearer = headers.get_all(header::AUTHORIZATION).iter().filter_map(bearer_token);
    the_only_one(own_header(headers).chain(bearer))
}

fn own_header(headers: &HeaderMap) -> impl Iterator<Item = Option<&str>> {
    headers.get_all(API_KEY).iter().map(|value| value.to_str().ok())
}

/// Reads the token after `Bearer `, in any case. Other schemes are none of ours: a proxy in front may use them.
fn bearer_token(value: &HeaderValue) -> Option<Option<&str>> {
    let scheme = value.as_bytes().get(..7)?;
    if !scheme.eq_ignore_ascii_case(b"bearer ") {
        return None;
    }
    Some(value.to_str().ok().map(|text| text[7..].trim()))
}

fn the_only_one<'a>(keys: impl Iterator<Item = Option<&'a str>>) -> Presented<'a> {
    let mut found = None;
    for key in keys {
        match (key, found) {
            (None, _) => return Presented::Malformed,
            (Some(key), Some(other)) if key != other => return Presented::Malformed,
            (Some(key), _) => found = Some(key),
        }
    }
    found.map_or(Presented::Nothing, Presented::Key)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn headers(pairs: &[(&'static str, &'static str)]) -> HeaderMap {
        let mut map = HeaderMap::new();
        for (name, value) in pairs {
            map.append(*name, value.parse().unwrap());
        }
        map
    }

    #[test]
    fn the_domains_api_reads_a_key_from_either_header() {
        for pairs in [
            &[("x-service-api-key", "k")][..],
            &[("authorization", "Bearer k")],
            &[("authorization", "bearer k")],
            &[("authorization", "Bearer k"), ("x-service-api-key", "k")],
        ] {
            assert_eq!(presented_key_or_bearer(&headers(pairs)), Presented::Key("k"), "{pairs:?}");
        }
    }

    #[test]
    fn a_visitors_bearer_token_is_nothing_elsewhere() {
        let visitors = headers(&[("authorization", "Bearer a"), ("x-service-api-key", "b")]);

        assert_eq!(presented_key(&visitors), Presented::Key("b"));
        assert_eq!(presented_key(&headers(&[("authorization", "Bearer a")])), Presented::Nothing);
    }

    #[test]
    fn two_different_keys_are_none() {
        let both = headers(&[("authorization", "Bearer a"), ("x-service-api-key", "b")]);
        let twice = headers(&[("authorization", "Bearer a"), ("authorization", "Bearer b")]);

        assert_eq!(presented_key_or_bearer(&both), Presented::Malformed);
        assert_eq!(presented_key_or_bearer(&twice), Presented::Malformed);
    }

    #[test]
    fn other_authorization_schemes_are_no_key() {
        for value in ["Basic azpr", "k", "Bearer", ""] {
            let headers = headers(&[("authorization", value)]);

            assert_eq!(presented_key_or_bearer(&headers), Presented::Nothing, "{value}");
        }
    }
}
