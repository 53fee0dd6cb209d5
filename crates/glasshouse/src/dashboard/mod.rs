//! The dashboard: its files inside the binary, and the API that only it uses.
//! The rightmost feature: it may use every other one, and none uses it.

pub mod assets;
pub mod handlers;
