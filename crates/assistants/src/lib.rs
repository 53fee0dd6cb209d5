//! AI assistants without a database: how each provider is asked and its answer is read, which brands an answer names,
//! and the formulas that turn answers into numbers. Used by the application's `mentions`, `glasshouse ask`, fuzz targets
//! and the stand-ins of the vendors. Must know no feature, no table and no HTTP server.

pub mod analysis;
pub mod change;
mod countries;
pub mod providers;
pub mod statistics;
