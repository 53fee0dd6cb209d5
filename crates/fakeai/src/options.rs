//! Options of the stand-ins. Used in process and by the command line.

use std::net::SocketAddr;

use crate::answers::FakeBrand;
use crate::script::AnswerFile;

/// Sources of an answer.
const CITATIONS: usize = 12;

/// Options of the stand-ins.
#[derive(Debug, Clone)]
pub struct FakeOptions {
    /// Address to listen at; port 0 is any free one.
    pub listen: SocketAddr,
    pub seed: u64,
    /// Time before the first byte, from and to, in milliseconds.
    pub latency_ms: (u64, u64),
    /// Brands that answers name.
    pub brands: Vec<FakeBrand>,
    /// Sources of an answer.
    pub citations: usize,
    /// Answers from a file; every question that it does not have is refused.
    pub answers: Option<AnswerFile>,
    /// Day of the answers, in days since 1970; none: today.
    pub day: Option<i64>,
}

impl Default for FakeOptions {
    fn default() -> FakeOptions {
        FakeOptions {
            listen: SocketAddr::from(([127, 0, 0, 1], 0)),
            seed: 1,
            latency_ms: (0, 0),
            brands: FakeBrand::usual(),
            citations: CITATIONS,
            answers: None,
            day: None,
        }
    }
}

impl FakeOptions {
    #[expect(
        clippy::disallowed_methods,
        reason = "the stand-ins are a program of their own, without the application's clock"
    )]
    pub(crate) fn day(&self) -> i64 {
        self.day.unwrap_or_else(|| jiff::Timestamp::now().as_second().div_euclid(86_400))
    }
}
