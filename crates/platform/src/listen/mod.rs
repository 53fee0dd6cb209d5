//! Listeners of the service: addresses and connections, limits of their number, the order in which requests
//! begin, time limits for slow clients, the guard against request smuggling. Used by the edge, the API and the metrics.
//! Must never know what is answered.
//! See docs/decisions/0061.

pub mod accept;
pub mod admission;
pub mod bind;
pub mod descriptors;
pub mod in_flight;
pub mod interim;
mod open_connections;
pub mod pressure;
mod proxy_header;
pub mod smuggling_guard;
mod stall;
pub mod streams;
pub mod timed;
pub mod tracked;
pub mod turns;
pub mod unread;

pub use accept::Listening;
pub use bind::{ListenError, bind};
