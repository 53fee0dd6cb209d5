//! Calls of providers over HTTP: sends what the provider files write, through the gate of paid calls, until there is an
//! answer or a failure. Used by the application's runs, `ask`, `doctor` and the analysis with a model.
//! Must never send a byte before the gate is open, and closes it for every request that it opened it for.

mod cost;
mod exchange;
mod gate;
mod redirects;

use std::sync::Arc;
use std::time::Duration;

use crawler::Network;
use http::HeaderMap;
use jiff::Timestamp;
use jiff::civil::Date;
use jiff::tz::TimeZone;
use serde_json::Value;

pub use gate::{CallEnd, CallGate, CallOutcome};

use super::asking::{AskState, AssistantQuestion, CompletionTask, Matter};
use super::wire::{
    FailureClass, ProviderCheck, ProviderFailure, ReadOutcome, advised_pause, json_in, read_check,
    read_response, write_check, write_request,
};
use super::{Answer, Provider, ProviderConnection, Quirks, Usage, Usd};
use cost::{CallCost, Tariff};
use exchange::{Exchange, Exchanged};
use redirects::Redirects;

/// Maximum number of requests of one question. Refused parameters, continuations and searches started again stay below it.
const MAX_REQUESTS: usize = 16;

/// The way to all providers. Cheap to clone; clones share their connections.
#[derive(Debug, Clone)]
pub struct Assistants(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    exchange: Exchange,
    redirects: Redirects,
}

/// An answer, with the requests and the money that it took.
#[derive(Debug, Clone, PartialEq)]
pub struct Asked {
    pub answer: Answer,
    /// Quirks that were learnt, beside those that were known.
    pub quirks: Quirks,
    /// Requests that were sent, without those that a rate limit refused.
    pub calls: u32,
    pub cost: Usd,
    pub is_cost_estimated: bool,
    /// Pause that the provider advises before the next request, because a limit is nearly used up.
    pub pause: Option<Duration>,
}

/// Result of a task.
#[derive(Debug, Clone, PartialEq)]
pub struct Completed {
    /// JSON that the model gave; to be checked against the schema by the caller.
    pub value: Value,
    pub served_model: Option<String>,
    pub usage: Usage,
    /// Quirks that were learnt, beside those that were known.
    pub quirks: Quirks,
    pub calls: u32,
    pub cost: Usd,
    pub is_cost_estimated: bool,
}

/// A question or a task without a result, with the requests and the money that it took.
#[derive(Debug, Clone, PartialEq)]
pub struct AskFailure<R> {
    pub cause: AskFailureCause<R>,
    /// Quirks that were learnt, beside those that were known.
    pub quirks: Quirks,
    /// Requests that were sent, without those that a rate limit refused.
    pub calls: u32,
    pub cost: Usd,
    pub is_cost_estimated: bool,
}

/// Reason of a missing answer.
#[derive(Debug, Clone, PartialEq)]
pub enum AskFailureCause<R> {
    /// The gate stayed closed; `R` is its reason.
    Gate(R),
    Provider(ProviderFailure),
}

/// Price of one question, before it is asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ExpectedPrice {
    /// Upper end.
    pub usd: Usd,
    /// False when the price table does not have the model, so that its provider's dearest price stands in.
    pub is_model_known: bool,
}

impl Assistants {
    /// Prepares connections through `network`. Sends nothing yet.
    pub fn new(network: &Network) -> Assistants {
        let exchange = Exchange::new(network.clone());
        let redirects = Redirects::new(network.clone());
        Assistants(Arc::new(Inner { exchange, redirects }))
    }

    /// Asks a question. `quirks` are those that are known of the connection's model.
    ///
    /// Every request waits for the gate. A dropped future leaves its last reservation open.
    pub async fn ask<G: CallGate>(
        &self,
        connection: &ProviderConnection,
        question: AssistantQuestion<'_>,
        quirks: &Quirks,
        gate: &G,
    ) -> Result<Asked, AskFailure<G::Refusal>> {
        let mut dialogue = self.dialogue(connection, Matter::Question(question), quirks);
        match dialogue.run(gate).await {
            Ok((mut answer, headers)) => {
                if connection.provider == Provider::Gemini {
                    self.0.redirects.resolve(&mut answer).await;
                }
                let pause = advised_pause(&headers, question.now);
                let CallCost { cost, is_estimated, calls, .. } = dialogue.tally;
                Ok(Asked {
                    answer,
                    quirks: dialogue.learnt,
                    calls,
                    cost,
                    is_cost_estimated: is_estimated,
                    pause,
                })
            }
            Err(cause) => Err(dialogue.fail(cause)),
        }
    }

    /// Runs a task whose result is JSON, in the provider's own form of structured output.
    pub async fn complete<G: CallGate>(
        &self,
        connection: &ProviderConnection,
        task: CompletionTask<'_>,
        quirks: &Quirks,
        gate: &G,
    ) -> Result<Completed, AskFailure<G::Refusal>> {
        let mut dialogue = self.dialogue(connection, Matter::Task(task), quirks);
        let answer = match dialogue.run(gate).await {
            Ok((answer, _)) => answer,
            Err(cause) => return Err(dialogue.fail(cause)),
        };
        let Some(value) = json_in(&answer.text) else {
            let failure = ProviderFailure::new(FailureClass::Unreadable, "the model's answer is not JSON");
            return Err(dialogue.fail(AskFailureCause::Provider(failure)));
        };
        let CallCost { cost, is_estimated, calls, .. } = dialogue.tally;
        let Answer { served_model, usage, .. } = answer;
        let quirks = dialogue.learnt;
        Ok(Completed { value, served_model, usage, quirks, calls, cost, is_cost_estimated: is_estimated })
    }

    /// Checks a connection without a paid call: the key, the model and its announced end, searching, credit.
    pub async fn check(
        &self,
        connection: &ProviderConnection,
        now: Timestamp,
    ) -> Result<ProviderCheck, ProviderFailure> {
        if let Some(problem) = connection.problem() {
            return Err(ProviderFailure::new(FailureClass::Config, problem));
        }
        let response = self.0.exchange.send(connection, write_check(connection)).await?;
        read_check(connection, &response.as_response(), now)
    }

    /// Returns the upper end of the price of one question on a day.
    pub fn expected_price(&self, connection: &ProviderConnection, day: Date) -> ExpectedPrice {
        let tariff = self.tariff(connection, day);
        let is_model_known = !matches!(tariff, Tariff::Table(price) if !price.is_known);
        ExpectedPrice { usd: tariff.expected_run(connection), is_model_known }
    }

    fn tariff(&self, connection: &ProviderConnection, day: Date) -> Tariff {
        Tariff::of(connection, connection.is_at_private_address(self.0.exchange.network()), day)
    }

    fn dialogue<'a>(
        &'a self,
        connection: &'a ProviderConnection,
        matter: Matter<'a>,
        quirks: &Quirks,
    ) -> Dialogue<'a> {
        let asking = AskState::new(connection, matter, quirks.clone());
        let day = asking.now().to_zoned(TimeZone::UTC).date();
        let tally = CallCost::new(self.tariff(connection, day));
        Dialogue { exchange: &self.0.exchange, asking, tally, learnt: Quirks::default() }
    }
}

/// The requests of one question or task.
struct Dialogue<'a> {
    exchange: &'a Exchange,
    asking: AskState<'a>,
    tally: CallCost,
    learnt: Quirks,
}

impl Dialogue<'_> {
    /// Sends requests until there is an answer. Returns it with the headers of its response.
    async fn run<G: CallGate>(
        &mut self,
        gate: &G,
    ) -> Result<(Answer, HeaderMap), AskFailureCause<G::Refusal>> {
        self.refuse_what_cannot_be_sent().map_err(AskFailureCause::Provider)?;
        for _ in 0..MAX_REQUESTS {
            let (outcome, headers) = self.request(gate).await?;
            match outcome {
                ReadOutcome::Answer(answer) => return Ok((*answer, headers)),
                ReadOutcome::Next { progress, pause } => {
                    self.asking.progress = *progress;
                    tokio::time::sleep(pause).await;
                }
                ReadOutcome::Without(quirk) => {
                    tracing::debug!(provider = %self.asking.connection.provider, ?quirk, "parameter refused");
                    self.asking.quirks.insert(quirk);
                    self.learnt.insert(quirk);
                }
                ReadOutcome::Failure(failure) => return Err(AskFailureCause::Provider(failure)),
            }
        }
        let failure = ProviderFailure::new(FailureClass::Retry, "the answer took too many requests");
        Err(AskFailureCause::Provider(failure))
    }

    fn refuse_what_cannot_be_sent(&self) -> Result<(), ProviderFailure> {
        let connection = self.asking.connection;
        let problem = match self.asking.matter {
            Matter::Task(_) if connection.provider.is_google_search() => {
                Some("Google's search cannot run tasks: choose another analysis.provider")
            }
            _ => connection.problem(),
        };
        problem.map_or(Ok(()), |problem| Err(ProviderFailure::new(FailureClass::Config, problem)))
    }

    /// Sends one request between the opening and the closing of the gate.
    async fn request<G: CallGate>(
        &mut self,
        gate: &G,
    ) -> Result<(ReadOutcome, HeaderMap), AskFailureCause<G::Refusal>> {
        let reserve = self.tally.reserve(&self.asking);
        let request = write_request(&self.asking);
        let ticket = gate.open(reserve).await.map_err(AskFailureCause::Gate)?;
        let sent = self.exchange.send(self.asking.connection, request).await;
        let (end, result) = self.settle(reserve, sent);
        gate.close(ticket, end).await;
        result.map_err(AskFailureCause::Provider)
    }

    fn settle(
        &mut self,
        reserve: Usd,
        sent: Result<Exchanged, ProviderFailure>,
    ) -> (CallEnd, Result<(ReadOutcome, HeaderMap), ProviderFailure>) {
        let response = match sent {
            Ok(response) => response,
            Err(mut failure) => {
                failure.mask(self.asking.connection.key.as_ref());
                return (self.tally.unanswered(reserve, &failure), Err(failure));
            }
        };
        let reading = read_response(&self.asking, &response.as_response());
        let failure = match &reading.outcome {
            ReadOutcome::Failure(failure) => Some(failure),
            _ => None,
        };
        let end = self.tally.answered(reserve, reading.bill, failure);
        (end, Ok((reading.outcome, response.headers)))
    }

    fn fail<R>(self, cause: AskFailureCause<R>) -> AskFailure<R> {
        let CallCost { cost, is_estimated, calls, .. } = self.tally;
        AskFailure { cause, quirks: self.learnt, calls, cost, is_cost_estimated: is_estimated }
    }
}
