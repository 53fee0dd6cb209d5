//! Addresses of the installation itself: the base of links, and the host of the edge that is its own.

use super::{Config, values};

impl Config {
    /// Returns the address of links and the documentation, without a slash at the end.
    pub fn public_url(&self) -> String {
        match &self.server.public_url {
            Some(url) => url.as_str().trim_end_matches('/').to_owned(),
            None => format!("http://{}", values::shown_address(self.server.listen)),
        }
    }

    /// Decides whether an operator has said which public address the service has.
    pub fn has_public_url(&self) -> bool {
        self.server.public_url.is_some()
    }

    /// Decides whether the public address is https, so that cookies may be sent over TLS only.
    pub fn is_public_https(&self) -> bool {
        self.server.public_url.as_ref().is_some_and(|url| url.scheme() == "https")
    }

    /// Returns the host of the public address, where the edge serves it with TLS: lower case, without a port.
    ///
    /// None where the edge has no TLS, where the address is not https, and where its host is one that no certificate authority
    /// certifies by challenge: an address or a single label.
    pub fn own_host(&self) -> Option<&str> {
        self.edge.https_listen?;
        let url = self.server.public_url.as_ref().filter(|url| url.scheme() == "https")?;
        let host = url.domain()?;
        let host = host.strip_suffix('.').unwrap_or(host);
        host.contains('.').then_some(host)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn own_host(public_url: &str, https_listen: &str) -> Option<String> {
        let toml = format!("server.public_url = \"{public_url}\"\nedge.https_listen = \"{https_listen}\"\n");
        Config::from_toml(&toml).unwrap().own_host().map(str::to_owned)
    }

    #[test]
    fn the_edge_serves_the_host_of_an_https_address_that_can_have_a_certificate() {
        for url in ["https://Glasshouse.Example", "https://glasshouse.example.:8443/"] {
            assert_eq!(own_host(url, "127.0.0.1:8443").as_deref(), Some("glasshouse.example"), "{url}");
        }
        for url in
            ["http://glasshouse.example", "https://192.0.2.1", "https://[2001:db8::1]", "https://glasshouse"]
        {
            assert_eq!(own_host(url, "127.0.0.1:8443"), None, "{url}");
        }
        assert_eq!(own_host("https://glasshouse.example", ""), None);
    }
}
