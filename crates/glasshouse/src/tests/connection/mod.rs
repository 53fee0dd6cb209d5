//! Tests of the check as a whole: a real DNS server, the real edge, and customers' servers that ask the render endpoint.

mod certified;
mod contested;
mod dns_records;
mod probing;
mod world;
