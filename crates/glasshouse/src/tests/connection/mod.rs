//! Tests of the whole connection check: a real DNS server, the real edge, and customers' servers that call the render endpoint.

mod certified;
mod contested;
mod dns_records;
mod probing;
mod world;
