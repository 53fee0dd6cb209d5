//! The pool on real Chromium. One linked binary; every module is a group of rules. A missing browser is a failure.
#![allow(clippy::unwrap_used, reason = "a test that cannot set itself up fails, which is what unwrap says")]

mod documents;
mod egress;
mod environment;
mod hostile;
mod isolation;
mod lifecycle;
mod origin;
mod support;
mod waiting;
