//! Prompts, their targets and their runs, as they are stored and shown. Pure: no database, no clock, no HTTP.

use assistants::change::DynamicState;
use assistants::providers::{Persona, Provider, Usd};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use ::domains::DomainId;
use accounts::AccountId;
use platform::clock::Timestamp;
use platform::ids::id_type;

id_type! {
    /// Identifier of a prompt.
    PromptId
}
id_type! {
    /// Identifier of a run. Ids sort by the time at which they were made.
    PromptRunId
}

/// Makes the id of a report. Ids sort by the time at which they were made.
pub fn id_of_report() -> String {
    PromptRunId::generate().to_string()
}

/// Days since 1970, UTC.
pub type UtcDay = i64;

/// Declares an enum whose variants are texts in the database and in the API.
macro_rules! text_enum {
    ($(#[$doc:meta])* $name:ident { $($(#[$variant_doc:meta])* $variant:ident = $text:literal,)* }) => {
        $(#[$doc])*
        #[derive(
            Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, serde::Serialize, serde::Deserialize, utoipa::ToSchema,
        )]
        #[serde(rename_all = "snake_case")]
        pub enum $name {
            $($(#[$variant_doc])* $variant,)*
        }

        impl $name {
            pub const ALL: &'static [$name] = &[$($name::$variant),*];

            /// Returns the text that is stored and shown.
            pub const fn as_str(self) -> &'static str {
                match self {
                    $($name::$variant => $text,)*
                }
            }

            /// Reads a stored text. None: a newer version wrote it.
            pub fn parse(text: &str) -> Option<$name> {
                $name::ALL.iter().copied().find(|known| known.as_str() == text)
            }
        }
    };
}

pub(crate) use text_enum;

text_enum! {
    /// Purpose of a question.
    PromptIntent {
        /// Informational.
        Info = "info",
        /// Transactional.
        Trans = "trans",
        /// Commercial.
        Comm = "comm",
    }
}

text_enum! {
    /// Interval at which a prompt is asked.
    MonitorInterval {
        /// From six hours to four days, by how much answers change.
        Dynamic = "dynamic",
        /// Every 7 days.
        Weekly = "weekly",
        /// Every 30 days.
        Monthly = "monthly",
    }
}

text_enum! {
    /// Cause of a run.
    RunReason {
        /// The prompt or one of its providers is new.
        Create = "create",
        /// Text or personaLocation changed.
        Changed = "changed",
        /// The prompt was paused before.
        Activated = "activated",
        Scheduled = "scheduled",
        /// Somebody asked for it.
        Manual = "manual",
    }
}

text_enum! {
    /// State of a run.
    PromptRunStatus {
        Queued = "queued",
        Running = "running",
        /// The answer is stored, and its analysis is not complete.
        Answered = "answered",
        Ok = "ok",
        Error = "error",
    }
}

text_enum! {
    /// Reason of a run that ended without an answer.
    RunErrorCode {
        /// The assistant declined to answer.
        Refused = "refused",
        /// The provider refused the key.
        Auth = "auth",
        /// The settings are wrong: no such model, a refused parameter.
        Config = "config",
        Timeout = "timeout",
        /// The response is not an answer.
        Unreadable = "unreadable",
        ProviderError = "provider_error",
        /// The job of the run is gone.
        Lost = "lost",
        /// It waited six hours for a provider that was away.
        ProviderUnavailable = "provider_unavailable",
    }
}

impl PromptRunStatus {
    /// States in which a run is over.
    pub const fn is_final(self) -> bool {
        matches!(self, PromptRunStatus::Ok | PromptRunStatus::Error)
    }
}

/// A question that is asked again and again.
#[derive(Debug, Clone, PartialEq)]
pub struct Prompt {
    pub id: PromptId,
    pub account: AccountId,
    pub domain: DomainId,
    /// Stands for the prompt in the sums of its domain.
    pub number: i64,
    /// Counts up when text or personaLocation changes.
    pub revision: i64,
    pub text: String,
    pub intent: PromptIntent,
    pub is_active: bool,
    /// Providers in the order of [`Provider::ALL`].
    pub providers: Vec<Provider>,
    pub tags: Vec<String>,
    pub persona: Persona,
    pub interval: MonitorInterval,
    /// The text names the own brand.
    pub is_branded: bool,
    pub created_at: Timestamp,
}

/// State of the schedule of a prompt at one provider.
#[derive(Debug, Clone, PartialEq)]
pub struct PromptTarget {
    pub prompt: PromptId,
    pub provider: Provider,
    pub domain: DomainId,
    /// Read for the interval `dynamic` only.
    pub dynamic: DynamicState,
    /// Next slot. None: paused.
    pub next_due: Option<Timestamp>,
    pub last_ok: Option<Timestamp>,
    pub last_attempt: Option<Timestamp>,
    /// Runs in a row that ended in an error.
    pub failures: u32,
    /// Runs that wait for money at the next slot.
    pub postponed: Option<PostponedRuns>,
}

/// Runs that could not be paid, to be made again at the target's next slot.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PostponedRuns {
    pub reason: RunReason,
    pub samples: i64,
}

impl PromptTarget {
    /// Makes the target of a prompt at a provider that has not been asked.
    pub fn new(prompt: &PromptId, provider: Provider, domain: &DomainId) -> PromptTarget {
        PromptTarget {
            prompt: prompt.clone(),
            provider,
            domain: domain.clone(),
            dynamic: DynamicState::default(),
            next_due: None,
            last_ok: None,
            last_attempt: None,
            failures: 0,
            postponed: None,
        }
    }
}

/// A run that is to be queued.
#[derive(Debug, Clone, PartialEq)]
pub struct NewPromptRun {
    pub id: PromptRunId,
    pub account: AccountId,
    pub domain: DomainId,
    pub prompt: PromptId,
    pub revision: i64,
    pub provider: Provider,
    pub slot: Timestamp,
    /// Position among the answers that are wanted at once.
    pub sample: i64,
    pub reason: RunReason,
    /// Upper end of the price of its call.
    pub expected: Usd,
    pub is_demo: bool,
    /// Time before which it is not asked.
    pub not_before: Option<Timestamp>,
}
