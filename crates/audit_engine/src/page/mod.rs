//! Facts of one document, and conclusions from them. Everything here is pure.

pub mod addresses;
mod attributes;
pub mod caps;
pub mod challenge;
mod charset;
mod collect;
mod declarations;
pub mod directives;
mod ends;
mod facts;
mod language;
pub mod link_header;
mod measures;
mod microdata;
pub mod names;
pub mod not_found;
mod open_elements;
#[cfg(test)]
mod oracle;
mod readability;
mod reading;
mod references;
mod roles;
mod scan;
mod sentences;
pub mod sketch;
mod srcset;
pub mod structured;
pub mod text;
mod texts;
pub mod tokens;
pub mod view;
mod vocabulary;
mod words;

pub use addresses::Base;
pub use charset::encoding_of;
pub use directives::Directives;
pub use facts::{Alternate, Heading, Image, Link, Meta, PageFacts, PageStep, Placed, Resource, ResourceKind};
pub use language::language_of;
pub use measures::Measures;
pub use readability::{Readability, readability};
pub use reading::Reading;
pub use scan::{Provenance, scan};
pub use view::Page;

#[cfg(test)]
mod tests;
