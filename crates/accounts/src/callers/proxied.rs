//! Sign-in by a proxy in front: a header of its connections holds the e-mail address of the person. Pure.
//! Must never read the header of any other connection.
//! See docs/decisions/0520.

use axum::extract::FromRequestParts;
use http::request::Parts;

use super::Callers;
use crate::model::Email;
use axum::extract::FromRef;
use platform::api::client::peer_address;
use platform::api::{ApiError, ErrorCode};
use platform::config::Config;

/// Person that a connection is, by the header of a proxy.
#[derive(Debug, PartialEq, Eq)]
pub enum ProxiedPerson {
    /// The connection comes from no proxy that signs people in.
    NoProxy,
    /// The proxy names nobody.
    Nobody,
    /// The proxy names the person with this address.
    Named(Email),
}

/// Reads the header of a proxy's connection. 403 for a repeated header, a list, and what is no address.
pub fn proxied_person(parts: &Parts, config: &Config) -> Result<ProxiedPerson, ApiError> {
    let Some(header) = config.server.auth_header.as_ref().filter(|_| is_proxy(parts, config)) else {
        return Ok(ProxiedPerson::NoProxy);
    };
    let mut values = parts.headers.get_all(header).iter();
    let Some(value) = values.next() else { return Ok(ProxiedPerson::Nobody) };
    let only = value.to_str().ok().filter(|value| values.next().is_none() && !value.contains([',', ';']));
    let email = only.and_then(|value| value.parse().ok());
    email.map(ProxiedPerson::Named).ok_or_else(|| ApiError::new(ErrorCode::SignInByProxy))
}

fn is_proxy(parts: &Parts, config: &Config) -> bool {
    let peer = peer_address(parts);
    config.server.auth_proxies.iter().any(|network| network.contains(&peer))
}

/// A connection that no proxy signs people in for. From such a proxy 403: passwords and links in mails are none of its own.
#[derive(Debug)]
pub struct NotProxied;

impl<S: Send + Sync> FromRequestParts<S> for NotProxied
where
    Callers: FromRef<S>,
{
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, ApiError> {
        match proxied_person(parts, &Callers::from_ref(state).config)? {
            ProxiedPerson::NoProxy => Ok(NotProxied),
            ProxiedPerson::Nobody | ProxiedPerson::Named(_) => Err(ApiError::new(ErrorCode::SignInByProxy)),
        }
    }
}
