//! Audits a site: crawls it through a [`source::PageSource`], reads the facts of each page in one pass, runs the checks
//! of the catalogue over them, joins pages with each other, and scores the result.
//!
//! A document is read once and never kept (`page::scan`). A row keeps what is asked of any row at any time (`site::Row`, at
//! most 256 bytes); what its page names (`site::Named`) and what reports show of it (`site::Details`) wait in files
//! (`site::SpillFile`) until joins and reports ask for them row by row.
//!
//! Used by the application's audits and the `audit` command. Knows no database, no HTTP server and no browser; every
//! address is fetched by the caller's source, which guards it.

pub mod address;
pub mod checks;
pub mod custom;
pub mod engine;
pub mod page;
pub mod score;
pub mod site;
pub mod source;
#[cfg(test)]
mod testing;
