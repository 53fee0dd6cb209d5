//! Settings of a domain's monitoring: its brand and how it is monitored.

pub mod brands;
pub mod monitoring;
pub mod records;
