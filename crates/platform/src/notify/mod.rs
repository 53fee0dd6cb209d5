//! Messages that leave the service by itself: to customers' servers and to e-mail addresses.
//! Used by features' jobs, which retry. Knows no feature and no table.

pub mod mail;
pub mod webhook;
