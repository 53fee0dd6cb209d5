//! The gate of paid calls: nothing is sent before the application has reserved its price. Implemented by the application.

use super::super::Usd;

/// Gate that every request to a provider passes. See docs/decisions/0362.
pub trait CallGate: Sync {
    /// Proof of a reservation.
    type Ticket: Send;
    /// Reason why nothing may be sent.
    type Refusal: Send;

    /// Reserves a price, durably, before the first byte of a request. After an error nothing is sent.
    fn open(&self, reserve: Usd) -> impl Future<Output = Result<Self::Ticket, Self::Refusal>> + Send;

    /// Settles a reservation. Called once for each that was made.
    fn close(&self, ticket: Self::Ticket, end: CallEnd) -> impl Future<Output = ()> + Send;
}

/// End of a request to a provider.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CallEnd {
    pub cost: Usd,
    /// Computed from usage and price table, or assumed; false when the provider states the cost or bills nothing.
    pub is_estimated: bool,
    pub outcome: CallOutcome,
}

/// Kind of the end of a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CallOutcome {
    /// A response came, be it an error.
    Answered,
    /// A rate limit or a used-up quota refused it. Not counted as a call.
    Throttled,
    /// No byte was sent. Not counted as a call.
    NotSent,
    /// The answer never came, or could not be read: it may have been paid.
    Unanswered,
}
