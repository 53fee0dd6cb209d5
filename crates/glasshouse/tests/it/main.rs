//! Black-box tests: the real binary as an operator runs it. One test program, so that it is linked once.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on ends")]
#![allow(
    clippy::disallowed_methods,
    reason = "tests speak HTTP to loopback and pass settings in the environment"
)]

mod apply;
mod audits;
mod commands;
mod faults;
mod import;
mod mentions;
mod process;
mod refresh;
mod render;
mod serve;
mod support;
mod telemetry;
mod up;
mod views;
mod visits;
