//! `glasshouse ask …`: asks assistants without a server and without a database, and reports how their answers mention a brand.
//! The price is printed first, on stderr.

use std::collections::HashSet;
use std::convert::Infallible;
use std::process::ExitCode;
use std::sync::Arc;

use assistants::analysis::{BrandProfile, Brands};
use assistants::providers::call::{
    AskFailure, AskFailureCause, Asked, Assistants, CallEnd, CallGate, CallOutcome,
};
use assistants::providers::{AssistantQuestion, Persona, Provider, Quirks, Usd, listing_of};
use futures::StreamExt;
use serde_json::json;

use super::{BadUsage, Context, output};
use domains::names::parse_domain;
use mentions::connections::{AssistantSetup, Connections};
use mentions::handlers::PromptRunDetails;
use mentions::model::{PromptRunId, PromptRunStatus, RunReason};
use mentions::queries::history::{RunListRow, RunRow};
use mentions::service::analysing::answer::{AnalysedAnswer, KeptAnswer};
use mentions::service::asking::failure::code_of;
use platform::clock::Timestamp;

/// Longest question, in characters, as of a prompt.
const MAX_QUESTION_CHARS: usize = 2_000;
/// Concurrent calls.
const AT_ONCE: usize = 8;

#[derive(clap::Args)]
pub struct Args {
    /// The question
    question: String,
    /// Domain of the brand to look for
    #[arg(long, value_name = "DOMAIN")]
    brand: String,
    /// Name of the brand [default: from the domain]
    #[arg(long, value_name = "N")]
    name: Option<String>,
    /// Assistant to ask; may be repeated [default: all that are set up]
    #[arg(long = "provider", value_name = "ID")]
    providers: Vec<String>,
    /// Answers of each assistant
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=5))]
    samples: u32,
    /// Prints JSON
    #[arg(long)]
    json: bool,
}

/// Gate of calls without a ledger: the person at the terminal has seen the price.
pub struct OpenGate;

impl CallGate for OpenGate {
    type Ticket = ();
    type Refusal = Infallible;

    async fn open(&self, _: Usd) -> Result<(), Infallible> {
        Ok(())
    }

    async fn close(&self, (): (), end: CallEnd) {
        if end.outcome == CallOutcome::Unanswered {
            output::note("A call stayed without an answer and may have been paid.");
        }
    }
}

/// Result of one question.
struct AskedOnce {
    provider: Provider,
    is_demo: bool,
    result: Result<Asked, AskFailure<Infallible>>,
}

/// Asks and prints. Exit code 1 when no assistant answered.
pub async fn run(args: Args, context: &Context) -> anyhow::Result<ExitCode> {
    let question = args.question.trim();
    if question.is_empty() || question.chars().count() > MAX_QUESTION_CHARS || question.contains('\0') {
        return Err(BadUsage("the question must have 1 to 2,000 characters".to_owned()).into());
    }
    let domain = parse_domain(&args.brand)
        .ok_or_else(|| BadUsage(format!("--brand {:?} is not the name of a domain", args.brand)))?;
    let mut brand = BrandProfile::derive(&domain, None);
    if let Some(name) = args.name.as_deref().map(str::trim).filter(|name| !name.is_empty()) {
        brand.name = name.to_owned();
    }
    let connections = Connections::new(&context.config);
    let setups = choose(&connections, &args.providers)?;
    let assistants = Assistants::new(&context.network()?);
    let now = context.clock.now();
    announce(&assistants, &setups, args.samples, now);
    let asked = ask(&assistants, &setups, (question, args.samples), now).await;
    let brands = Brands::compile(brand.clone(), Vec::new());
    let rows: Vec<RunRow> = asked.into_iter().map(|asked| row_of(asked, question, &brands, now)).collect();
    let has_answer = rows.iter().any(|row| row.listed.error_code.is_empty());
    let cost: Usd = rows.iter().map(|row| Usd::from_nanos(row.cost_nanos)).sum();
    if args.json {
        let answers: Vec<PromptRunDetails> = rows.into_iter().map(PromptRunDetails::of).collect();
        let shown = json!({ "question": question, "brand": brand.name, "answers": answers, "costUsd": cost });
        output::line(&serde_json::to_string_pretty(&shown)?)?;
    } else {
        let parts: Vec<String> = rows.iter().map(describe).collect();
        output::line(&format!("{}\n\nCost: ${cost}", parts.join("\n\n")))?;
    }
    Ok(if has_answer { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// Chooses the assistants to ask.
fn choose<'a>(connections: &'a Connections, named: &[String]) -> anyhow::Result<Vec<&'a AssistantSetup>> {
    if named.is_empty() {
        let available: Vec<&AssistantSetup> =
            connections.all().iter().filter(|setup| setup.connection.is_available()).collect();
        anyhow::ensure!(
            !available.is_empty(),
            "no assistant is set up: set providers.chatgpt.api_key, or another provider's"
        );
        return Ok(available);
    }
    let mut setups: Vec<&AssistantSetup> = Vec::new();
    for name in named {
        let provider: Provider = name.parse().map_err(|error| BadUsage(format!("--provider: {error}")))?;
        let setup = connections.get(provider);
        if !setup.connection.is_available() {
            let connect = listing_of(provider).connect;
            return Err(BadUsage(format!("{provider} is not set up: {connect}")).into());
        }
        if setups.iter().all(|known| known.provider != provider) {
            setups.push(setup);
        }
    }
    Ok(setups)
}

/// Prints on stderr the highest price of the answers.
fn announce(assistants: &Assistants, setups: &[&AssistantSetup], samples: u32, now: Timestamp) {
    let price = |setup: &&AssistantSetup| assistants.expected_price(&setup.connection, now.date()).usd;
    let total: Usd = setups.iter().map(price).sum::<Usd>().times(samples.into());
    let names: Vec<&str> = setups.iter().map(|setup| setup.provider.title()).collect();
    output::note(&format!("Asking {} ({samples} each): about ${total} at most.", names.join(", ")));
}

async fn ask(
    assistants: &Assistants,
    setups: &[&AssistantSetup],
    (question, samples): (&str, u32),
    now: Timestamp,
) -> Vec<AskedOnce> {
    let persona = Persona::default();
    let calls = setups.iter().flat_map(|setup| (0..samples).map(move |_| *setup)).map(|setup| {
        let question = AssistantQuestion { text: question, persona: &persona, run: None, now: now.to_jiff() };
        async move {
            let result = assistants.ask(&setup.connection, question, &Quirks::default(), &OpenGate).await;
            AskedOnce { provider: setup.provider, is_demo: setup.is_demo, result }
        }
    });
    let calls: Vec<_> = calls.collect();
    futures::stream::iter(calls).buffered(AT_ONCE).collect().await
}

/// Converts an answer into the row of a run.
fn row_of(asked: AskedOnce, question: &str, brands: &Arc<Brands>, now: Timestamp) -> RunRow {
    let AskedOnce { provider, is_demo, result } = asked;
    let empty = RunRow {
        account_id: String::new(),
        domain_id: String::new(),
        prompt_text: question.to_owned(),
        persona: "{}".to_owned(),
        reason: RunReason::Manual.as_str().to_owned(),
        location: "none".to_owned(),
        is_query_cut: false,
        list_rank: None,
        recommended: None,
        calls: 0,
        cost_nanos: 0,
        is_cost_estimated: false,
        error_detail: String::new(),
        analysis_mode: String::new(),
        analysis_version: 0,
        details: "{}".to_owned(),
        listed: RunListRow {
            id: PromptRunId::generate().to_string(),
            prompt_id: String::new(),
            day: now.day_number(),
            provider: provider.to_string(),
            status: PromptRunStatus::Error.as_str().to_owned(),
            answer: String::new(),
            mention_position: 0,
            citation_count: 0,
            sentiment: 0,
            analysis_text: String::new(),
            competitor_mentions: "[]".to_owned(),
            citation_domains: "[]".to_owned(),
            created_at: now.as_millis(),
            retrieval: "unknown".to_owned(),
            finish: String::new(),
            served_model: String::new(),
            error_code: String::new(),
            is_demo,
        },
    };
    match result {
        Ok(asked) => {
            let (calls, cost_nanos) = (i64::from(asked.calls), asked.cost.nanos());
            let is_cost_estimated = asked.is_cost_estimated;
            let kept = KeptAnswer::of_answer(provider, question, asked.answer);
            let run = PromptRunId::from(empty.listed.id.as_str());
            let analysed = kept.complete(&run, brands, &HashSet::new(), None);
            RunRow { calls, cost_nanos, is_cost_estimated, ..filled(empty, analysed) }
        }
        Err(failure) => {
            let (code, detail) = match &failure.cause {
                AskFailureCause::Provider(failure) => (code_of(failure).as_str(), failure.detail.clone()),
                AskFailureCause::Gate(never) => match *never {},
            };
            RunRow {
                calls: failure.calls.into(),
                cost_nanos: failure.cost.nanos(),
                is_cost_estimated: failure.is_cost_estimated,
                error_detail: detail,
                listed: RunListRow { error_code: code.to_owned(), ..empty.listed },
                ..empty
            }
        }
    }
}

fn filled(empty: RunRow, analysed: AnalysedAnswer) -> RunRow {
    let row = analysed.row;
    RunRow {
        location: row.location,
        is_query_cut: row.is_query_cut,
        list_rank: row.list_rank,
        recommended: row.recommended,
        analysis_mode: row.analysis_mode,
        analysis_version: 1,
        details: row.details,
        listed: RunListRow {
            status: PromptRunStatus::Ok.as_str().to_owned(),
            answer: row.answer,
            mention_position: row.mention_position,
            citation_count: row.citation_count,
            sentiment: row.sentiment,
            analysis_text: row.analysis_text,
            competitor_mentions: row.competitor_mentions,
            citation_domains: row.citation_domains,
            retrieval: row.retrieval,
            finish: row.finish,
            served_model: row.served_model,
            ..empty.listed
        },
        ..empty
    }
}

/// Describes an answer in some lines.
fn describe(row: &RunRow) -> String {
    let listed = &row.listed;
    let title = listed.provider.parse::<Provider>().map_or("", Provider::title);
    let demo = if listed.is_demo { ", invented answer" } else { "" };
    let cost = Usd::from_nanos(row.cost_nanos);
    let estimated = if row.is_cost_estimated { ", estimated" } else { "" };
    if !listed.error_code.is_empty() {
        return format!("{title}: {} ({}); ${cost}{estimated}", row.error_detail, listed.error_code);
    }
    if listed.finish == "absent_overview" {
        return format!("{title}: Google showed no answer; ${cost}{estimated}");
    }
    let domains: Vec<String> = serde_json::from_str(&listed.citation_domains).unwrap_or_default();
    let sources = if domains.is_empty() { "none".to_owned() } else { domains.join(", ") };
    let position = match listed.mention_position {
        0 => "not named".to_owned(),
        position => format!("position {position}, tone {:.2}", listed.sentiment as f64 / 100.0),
    };
    format!(
        "{title} ({}{demo}): {position}\n  {}\n  Sources: {sources}\n  Cost: ${cost}{estimated}",
        listed.served_model, listed.analysis_text
    )
}
