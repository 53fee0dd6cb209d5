//! The installation itself, at the host of its public address: API and dashboard, over TLS only. Used by the edge's handlers.
//! Must never answer in the clear, since signing in sends a password.
//! See docs/decisions/0482.

use std::net::IpAddr;
use std::sync::Arc;

use http::{Request, Response};
use url::Url;

use super::body::{self, EdgeBody};
use platform::api::envelope::Envelope;
use platform::config::Config;
use platform::listen::unread::ClientBody;

/// Site of the installation itself. Cheap to clone.
#[derive(Clone)]
pub struct OwnSite {
    host: Arc<str>,
    /// Scheme, host and port of the public address.
    origin: Arc<str>,
    envelope: Envelope,
}

impl OwnSite {
    /// Returns the site with the whole API. None when the settings have no host for it.
    pub fn new(config: &Config, envelope: Envelope) -> Option<OwnSite> {
        let origin = Url::parse(&config.public_url()).ok()?.origin().ascii_serialization();
        Some(OwnSite { host: config.own_host()?.into(), origin: origin.into(), envelope })
    }

    /// Decides whether a host in canonical form is the installation's own.
    pub fn has(&self, host: &str) -> bool {
        *self.host == *host
    }

    /// Returns the address of the request's path at the public address.
    pub fn location(&self, request: &Request<ClientBody>) -> String {
        let path = request.uri().path_and_query().map_or("/", |path| path.as_str());
        format!("{}{path}", self.origin)
    }

    /// Answers a request that `peer` sent over TLS.
    pub async fn respond(&self, request: Request<ClientBody>, peer: IpAddr) -> Response<EdgeBody> {
        self.envelope.respond(request, peer).await.map(body::of_service)
    }
}
