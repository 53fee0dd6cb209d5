//! Guarded, polite HTTP: everything that a customer's input can make this service connect to goes through here.
//! Used by the application and the browser's egress proxy. Knows nothing of features, databases or configuration files.

pub mod connector;
pub mod dns;
pub mod errors;
pub mod fetch;
pub mod guard;
pub mod hop_by_hop;
mod lengths;
pub mod network;
pub mod retry_after;
pub mod robots;
pub mod sitemap;
#[cfg(feature = "testing")]
pub mod testing;
pub mod tls;
pub mod tolerant;
pub mod url;

pub use fetch::{FetchError, FetchRequest, Fetched, Fetcher};
pub use guard::{Guard, Refusal};
pub use network::{Destination, HostTarget, Network, NetworkConfig, NetworkError};
