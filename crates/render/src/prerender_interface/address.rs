//! Address that a request of Prerender's interface names, in each form that middlewares send. Pure.
//! See docs/decisions/0540.

use http::uri::PathAndQuery;
use http::{Uri, Version};

use crate::handlers::{decode, only};

/// Characters that nginx escapes in a rewritten address, in hexadecimal digits.
const ESCAPED_BY_NGINX: [&str; 13] =
    ["20", "22", "23", "25", "3C", "3E", "3F", "5C", "5E", "60", "7B", "7C", "7D"];

/// Returns the address that a request target names: the target of `/render` in its query, else the target itself, byte for
/// byte. The error says what is wrong with the query.
pub fn address_of(uri: &Uri, version: Version) -> Result<String, String> {
    if uri.path() == "/render" {
        let url = only(uri.query().unwrap_or_default(), "url").map_err(|(_, message)| message)?;
        return url.ok_or_else(|| "is missing".to_owned());
    }
    let target = uri.path_and_query().map_or("", PathAndQuery::as_str);
    let target = target.strip_prefix('/').unwrap_or(target);
    if ["https%3A", "http%3A"].iter().any(|scheme| target.starts_with(scheme)) {
        return decode(target).ok_or_else(|| "is not UTF-8 once it is decoded".to_owned());
    }
    let target = with_two_slashes(target);
    Ok(if version == Version::HTTP_10 { unescaped(&target).unwrap_or(target) } else { target })
}

/// Restores the slash that a proxy has merged with the one before.
fn with_two_slashes(target: &str) -> String {
    match target.split_once(":/") {
        Some((scheme, rest)) if !rest.starts_with('/') => format!("{scheme}://{rest}"),
        _ => target.to_owned(),
    }
}

/// Removes the escapes that nginx adds to a rewritten address, the question mark's among them. None: the target was not
/// escaped by nginx, which asks with HTTP/1.0 and escapes these characters only.
fn unescaped(target: &str) -> Option<String> {
    let is_escape = |rest: &str| {
        rest.get(..2)
            .is_some_and(|digits| ESCAPED_BY_NGINX.iter().any(|code| code.eq_ignore_ascii_case(digits)))
    };
    if target.contains('?') || !target.split('%').skip(1).all(is_escape) {
        return None;
    }
    decode(&target.replace('+', "%2B"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn address(target: &str, version: Version) -> Result<String, String> {
        address_of(&target.parse().expect("a request target"), version)
    }

    fn over_http_1_1(target: &str) -> String {
        address(target, Version::HTTP_11).expect("an address")
    }

    #[test]
    fn the_rest_of_the_request_target_is_the_address_byte_for_byte() {
        for address in [
            "https://shop.example/path?x=y",
            "http://shop.example/",
            "https://shop.example",
            "https://shop.example//a//b/../c",
            "https://shop.example/a%2Fb%3Fc%20d?q=H%26M+%C3%A9&url=https://x.example/?a=b",
            "https://shop.example/100%25",
            "https://shop.example/boots?",
            "https://www.shop.example:8443/a;b=c@d",
        ] {
            assert_eq!(over_http_1_1(&format!("/{address}")), address);
        }
    }

    #[test]
    fn a_slash_that_a_proxy_merged_is_restored() {
        assert_eq!(over_http_1_1("/https:/shop.example/a?b=://c"), "https://shop.example/a?b=://c");
        assert_eq!(over_http_1_1("/http:/shop.example"), "http://shop.example");
    }

    #[test]
    fn an_address_that_the_middleware_encoded_is_decoded_once() {
        let encoded = "/https%3A%2F%2Fshop.example%2Fa%252Fb%3Fq%3Dred+shoes%26p%3D1%252B1";

        assert_eq!(over_http_1_1(encoded), "https://shop.example/a%2Fb?q=red shoes&p=1%2B1");
    }

    #[test]
    fn render_names_the_address_in_its_query_once() {
        let encoded = "/render?url=https%3A%2F%2Fshop.example%2Fa%253Fb%3Fc%3Dd&width=1280";

        assert_eq!(over_http_1_1(encoded), "https://shop.example/a%3Fb?c=d");
        assert_eq!(over_http_1_1("/render?url=https://shop.example/a"), "https://shop.example/a");
        assert!(address("/render", Version::HTTP_11).is_err());
        assert!(address("/render?url=a&url=b", Version::HTTP_11).is_err());
    }

    #[test]
    fn what_nginx_escaped_in_a_rewritten_address_is_restored() {
        for (escaped, address) in [
            ("/a%3Fx=1&y=a%2520b+c", "/a?x=1&y=a%20b+c"),
            ("/a%252Fb", "/a%2Fb"),
            ("/caf%25C3%25A9%3Fq=%25E6+1", "/caf%C3%A9?q=%E6+1"),
            ("/a%253Fb", "/a%3Fb"),
            ("/boots%3F", "/boots?"),
            ("//a//b", "//a//b"),
        ] {
            let target = format!("/https://shop.example{escaped}");

            let found = self::address(&target, Version::HTTP_10);

            assert_eq!(found, Ok(format!("https://shop.example{address}")), "{escaped}");
        }
    }

    #[test]
    fn what_nginx_did_not_escape_stays_over_http_1_0_too() {
        for path in ["/a?b=c%3Fd", "/a%2Fb%3F", "/caf%C3%A9", "/100%", "/100%2"] {
            let target = format!("/https://shop.example{path}");

            assert_eq!(address(&target, Version::HTTP_10), Ok(target[1..].to_owned()), "{path}");
        }
    }
}
