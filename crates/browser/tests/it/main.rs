//! Tests of the pool with Chromium. One binary; every module is a group of rules. A missing browser is a failure.
#![allow(clippy::unwrap_used, reason = "a test that cannot set itself up fails, which is what unwrap says")]

mod absent;
mod article;
mod carousels;
mod clobbering;
mod documents;
mod egress;
mod environment;
mod fleet;
mod frames;
mod head;
mod hidden;
mod hostile;
mod inspection;
mod isolation;
mod lifecycle;
mod markup;
mod messages;
mod names;
mod origin;
mod redirects;
mod reopening;
mod reports;
mod requests;
mod scrolling;
mod shadow_roots;
mod skipping;
mod styles;
mod support;
mod timers;
mod trackers;
mod transport;
mod views;
mod waiting;
mod warm_tabs;
