//! Set-up of DNS resolvers, and classification of their errors. Used by [`crate::network`] for addresses and by the
//! application for records. Connects to name servers only.

use std::net::SocketAddr;

use hickory_resolver::config::{ConnectionConfig, NameServerConfig, ResolveHosts, ResolverConfig};
use hickory_resolver::net::runtime::TokioRuntimeProvider;
use hickory_resolver::net::{DnsError, NetError};
use hickory_resolver::proto::op::ResponseCode;
use hickory_resolver::{Resolver, ResolverBuilder, TokioResolver};

/// Makes a resolver for DNS alone: asks `servers`, or the system's when there are none, and never the hosts file.
pub fn resolver(servers: &[SocketAddr]) -> Result<ResolverBuilder<TokioRuntimeProvider>, NetError> {
    let mut builder = match servers {
        [] => TokioResolver::builder_tokio()?,
        servers => builder_for(servers),
    };
    builder.options_mut().use_hosts_file = ResolveHosts::Never;
    Ok(builder)
}

/// Returns true when DNS answered that the name or record does not exist. Every other error is no answer at all.
pub fn is_absence(error: &NetError) -> bool {
    use ResponseCode::{NXDomain, NoError};
    matches!(error, NetError::Dns(DnsError::NoRecordsFound(none)) if matches!(none.response_code, NXDomain | NoError))
}

pub(crate) fn builder_for(servers: &[SocketAddr]) -> ResolverBuilder<TokioRuntimeProvider> {
    let servers = servers.iter().map(|address| {
        let connections = [ConnectionConfig::udp(), ConnectionConfig::tcp()].map(|mut connection| {
            connection.port = address.port();
            connection
        });
        NameServerConfig::new(address.ip(), true, connections.into())
    });
    let config = ResolverConfig::from_name_servers(servers.collect());
    Resolver::builder_with_config(config, TokioRuntimeProvider::default())
}
