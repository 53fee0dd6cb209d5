//! Dashboard sessions: the cookie, its lifetime, and the stored form of its id. Pure.
//! Must never store or log a session id in the clear.
//! See docs/decisions/0011.

use std::time::Duration;

use http::{HeaderMap, HeaderValue, header};

use super::keys::{KeyHash, random_text};

/// A session that is not used ends after this time.
pub const IDLE: Duration = Duration::from_secs(12 * 3600);
/// Every session ends after this time.
pub const ABSOLUTE: Duration = Duration::from_secs(30 * 24 * 3600);
/// Resolution of the last use: storing it on every request would be a write per request.
pub(super) const SEEN_EVERY: Duration = Duration::from_secs(60);

const COOKIE: &str = "glasshouse_session";
/// Browsers accept this name only over TLS, for the exact host and the root path: a sibling site cannot plant one.
const HOST_COOKIE: &str = "__Host-glasshouse_session";
const ID_LENGTH: usize = 43;

/// A new session, in the clear exactly once: when it is made.
pub struct NewSession {
    id: String,
    pub(super) csrf_token: String,
}

impl NewSession {
    /// Makes an id and a CSRF token of more than 250 random bits each.
    pub(super) fn generate() -> NewSession {
        NewSession { id: random_text(ID_LENGTH), csrf_token: random_text(ID_LENGTH) }
    }

    /// Returns the id in the cookie.
    pub fn id(&self) -> &str {
        &self.id
    }

    /// Returns the stored hash of the id.
    pub(super) fn hash(&self) -> KeyHash {
        KeyHash::of(&self.id)
    }

    /// Returns the `Set-Cookie` header that gives the session to the browser.
    pub fn cookie(&self, https: bool) -> HeaderValue {
        set_cookie(&self.id, ABSOLUTE.as_secs(), https)
    }
}

/// Returns the `Set-Cookie` header that removes the session from the browser.
pub fn ended_cookie(https: bool) -> HeaderValue {
    set_cookie("", 0, https)
}

/// Finds the session id in a request's cookies.
pub fn cookie_in(headers: &HeaderMap, https: bool) -> Option<&str> {
    // Other cookies of the host may hold any bytes.
    let cookies =
        headers.get_all(header::COOKIE).iter().flat_map(|value| value.as_bytes().split(|b| *b == b';'));
    let mut named = cookies
        .filter_map(|cookie| cookie.trim_ascii().strip_prefix(name_of(https).as_bytes())?.strip_prefix(b"="));
    let id = named.next().filter(|id| id.len() == ID_LENGTH && id.iter().all(u8::is_ascii_alphanumeric))?;
    std::str::from_utf8(id).ok()
}

fn set_cookie(value: &str, max_age_s: u64, https: bool) -> HeaderValue {
    let name = name_of(https);
    let secure = if https { "; Secure" } else { "" };
    let text = format!("{name}={value}; Path=/; Max-Age={max_age_s}; HttpOnly; SameSite=Lax{secure}");
    HeaderValue::try_from(text).expect("letters, digits and punctuation")
}

fn name_of(https: bool) -> &'static str {
    if https { HOST_COOKIE } else { COOKIE }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn with_cookie(cookie: &str) -> HeaderMap {
        HeaderMap::from_iter([(header::COOKIE, cookie.parse().unwrap())])
    }

    #[test]
    fn the_cookie_is_secure_when_the_public_address_is_https() {
        let session = NewSession::generate();

        let plain = session.cookie(false).to_str().unwrap().to_owned();
        let secure = session.cookie(true).to_str().unwrap().to_owned();

        assert!(plain.starts_with("glasshouse_session=") && !plain.contains("Secure"));
        assert!(secure.starts_with("__Host-glasshouse_session=") && secure.ends_with("; Secure"));
        assert!(plain.contains("; HttpOnly; SameSite=Lax") && secure.contains("; HttpOnly; SameSite=Lax"));
    }

    #[test]
    fn the_session_is_found_among_other_cookies() {
        let session = NewSession::generate();
        let headers = with_cookie(&format!("a=b; glasshouse_session={}; c=d", session.id));

        assert_eq!(cookie_in(&headers, false), Some(session.id.as_str()));
        assert_eq!(cookie_in(&headers, true), None);
    }

    #[test]
    fn the_session_is_found_beside_a_cookie_that_is_no_ascii() {
        let session = NewSession::generate();
        let cookies = [b"a=caf\xe9; glasshouse_session=", session.id.as_bytes(), b"; b=\xc3\xa9"].concat();
        let headers = HeaderMap::from_iter([(header::COOKIE, HeaderValue::from_bytes(&cookies).unwrap())]);

        assert_eq!(cookie_in(&headers, false), Some(session.id.as_str()));
    }

    #[test]
    fn a_cookie_that_is_no_session_id_is_ignored() {
        for value in ["", "short", &"é".repeat(21), &format!("{};", "a".repeat(42)), &"a".repeat(44)] {
            let headers = with_cookie(&format!("glasshouse_session={value}").replace('é', "%"));

            assert_eq!(cookie_in(&headers, false), None, "{value}");
        }
    }
}
