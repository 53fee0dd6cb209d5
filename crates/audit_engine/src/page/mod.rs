//! Facts of one document, and what is worked out from them. Everything here is pure.

mod attributes;
pub mod challenge;
mod collect;
mod directives;
mod facts;
mod language;
mod link_header;
mod measures;
mod microdata;
mod navigation;
pub mod not_found;
mod open_elements;
mod readability;
mod scan;
mod sentences;
pub mod sketch;
pub mod structured;
pub mod text;
pub mod view;
mod vocabulary;

pub use directives::Directives;
pub use facts::{Alternate, Heading, Image, Link, Meta, PageFacts, PageStep, Placed, Resource, ResourceKind};
pub use language::language_of;
pub use measures::Measures;
pub use readability::{Readability, readability};
pub use scan::{Provenance, scan};
pub use view::Page;

#[cfg(test)]
mod tests;
