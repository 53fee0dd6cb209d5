//! Tests of the crate from outside: golden numbers, properties, labelled and hostile answers.

mod golden;
mod sums;
