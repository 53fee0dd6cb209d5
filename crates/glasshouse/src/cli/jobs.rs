//! `glasshouse jobs …`: background work, and jobs that have failed finally.

use std::process::ExitCode;

use clap::{Subcommand, ValueEnum};

use super::{Context, Output, output, table};
use platform::jobs::{JobInfo, JobState, Jobs};

/// Default limit of a listing.
const LISTED: i64 = 1_000;

/// Shows background work, and what gave up.
#[derive(Subcommand)]
pub enum Command {
    /// Lists jobs: those that run, then those that wait in their order, then those that gave up
    List {
        /// Only jobs in this state
        #[arg(long)]
        state: Option<State>,
        /// Most jobs to list
        #[arg(long, value_name = "N", default_value_t = LISTED, value_parser = clap::value_parser!(i64).range(1..))]
        limit: i64,
        /// Prints JSON
        #[arg(long)]
        json: bool,
    },
    /// Puts a job that gave up back into the queue
    Retry {
        /// Id of the job, as `jobs list` shows it
        #[arg(value_name = "JOB_ID")]
        id: String,
    },
    /// Removes a job; one that runs is stopped
    Cancel {
        /// Id of the job, as `jobs list` shows it
        #[arg(value_name = "JOB_ID")]
        id: String,
    },
}

/// State of a job.
#[derive(Debug, Clone, Copy, ValueEnum)]
pub enum State {
    /// In the queue, or put off until its time
    Waiting,
    /// A process works on it
    Running,
    /// It gave up
    Dead,
}

impl From<State> for JobState {
    fn from(state: State) -> JobState {
        match state {
            State::Waiting => JobState::Waiting,
            State::Running => JobState::Running,
            State::Dead => JobState::Dead,
        }
    }
}

pub async fn run(command: Command, context: &Context) -> anyhow::Result<ExitCode> {
    let jobs = Jobs::new(context.database().await?, context.clock.clone());
    match command {
        Command::List { state, limit, json } => {
            let listed = jobs.list(state.map(JobState::from), limit).await?;
            if json {
                return Output::Json(listed).print();
            }
            let headings = ["id", "kind", "state", "what", "attempts", "queued", "not before", "error"];
            output::line(&table(&headings, listed.into_iter().map(row).collect()))
        }
        Command::Retry { id } => {
            jobs.retry(&id).await?;
            Ok(ExitCode::SUCCESS)
        }
        Command::Cancel { id } => {
            jobs.cancel(&id).await?;
            Ok(ExitCode::SUCCESS)
        }
    }
}

fn row(job: JobInfo) -> Vec<String> {
    // Every job that concerns one address or domain names it in one of these fields.
    let what = ["url", "sitemap", "domain"].iter().find_map(|field| job.payload.get(field)?.as_str());
    vec![
        job.id.to_string(),
        job.kind,
        job.state.as_str().to_owned(),
        what.unwrap_or_default().to_owned(),
        format!("{} of {}", job.attempts, job.max_attempts),
        job.created_at.to_string(),
        job.not_before.map(|time| time.to_string()).unwrap_or_default(),
        job.error.unwrap_or_default(),
    ]
}
