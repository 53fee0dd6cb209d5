//! Forms of a report for people. Pure.
