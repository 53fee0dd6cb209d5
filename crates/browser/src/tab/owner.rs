//! Owner of a tab, and the check of addresses to render. Used by tabs and the pool. Pure.
//! Must never treat two owners as equal that may not share a tab's state.

use url::Url;

use crate::{OriginRoute, OwnHeaders, RenderRequest};

/// Owner of a tab. Renders share a warm tab only when their owners are equal.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct TabOwner {
    tenant: String,
    /// Scheme, host and port of the pages.
    pub(super) origin: String,
    route: Option<OriginRoute>,
    /// The tab's cache may contain responses to these headers.
    own_headers: Option<OwnHeaders>,
}

impl TabOwner {
    /// Returns the owner of the tab for a request.
    pub fn of(request: &RenderRequest) -> TabOwner {
        TabOwner {
            tenant: request.tenant.clone(),
            origin: request.url.origin().ascii_serialization(),
            route: request.route.clone(),
            own_headers: request.own_headers.clone(),
        }
    }
}

/// Checks that an address may be rendered.
pub(crate) fn check_url(url: &Url) -> Result<(), String> {
    if !matches!(url.scheme(), "http" | "https") {
        return Err(format!("{}: addresses cannot be rendered, only http and https", url.scheme()));
    }
    if url.host_str().is_none_or(str::is_empty) {
        return Err("the address names no host".to_owned());
    }
    if !url.username().is_empty() || url.password().is_some() {
        return Err("the address carries credentials".to_owned());
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_http_addresses_without_credentials_are_rendered() {
        for good in ["http://a.example/", "https://a.example:8443/x?y#z"] {
            assert!(check_url(&good.parse().unwrap()).is_ok(), "{good}");
        }
        for bad in
            ["file:///etc/passwd", "chrome://gpu", "data:text/html,x", "http://u:p@a.example/", "about:blank"]
        {
            assert!(check_url(&bad.parse().unwrap()).is_err(), "{bad}");
        }
    }
}
