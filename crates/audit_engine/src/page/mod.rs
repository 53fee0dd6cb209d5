//! Facts of one document, and what is worked out from them. Everything here is pure.

mod attributes;
pub mod challenge;
mod collect;
mod directives;
mod facts;
mod link_header;
mod microdata;
mod navigation;
pub mod not_found;
mod open_elements;
mod readability;
mod scan;
pub mod sketch;
pub mod structured;
pub mod text;
pub mod view;

pub use directives::Directives;
pub use facts::{Alternate, Heading, Image, Link, Meta, PageFacts, PageStep, Placed, Resource, ResourceKind};
pub use readability::{Readability, language_of, readability};
pub use scan::{Provenance, scan};
pub use view::Page;

#[cfg(test)]
mod tests;
