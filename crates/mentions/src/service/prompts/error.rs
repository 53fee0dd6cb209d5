//! Refusals of changes to prompts.

use store::DbError;

use platform::api::{ApiError, ErrorCode};
use platform::plans::{Plan, PlanLimit};

/// Reason why a prompt was not created, changed or asked.
#[derive(Debug, thiserror::Error)]
pub enum PromptError {
    #[error("the domain is gone")]
    DomainGone,
    #[error("the domain has no such prompt")]
    NotFound,
    /// An assistant is above the account's plan.
    #[error("an assistant needs the plan {0}")]
    PlanRequired(Plan),
    /// An assistant cannot be asked by this installation, or none can.
    #[error("no key is set for an assistant, or the stand-in of the demo does not answer this question")]
    ProviderUnavailable,
    #[error("the plan allows {limit:?} assistants for a prompt")]
    ProviderLimit { limit: PlanLimit, current: u64 },
    #[error("the plan allows {limit:?} prompts")]
    PromptLimit { limit: PlanLimit, current: u64 },
    #[error("the plan allows {limit:?} active prompts")]
    MonitorLimit { limit: PlanLimit, current: u64 },
    #[error(transparent)]
    Store(#[from] DbError),
}

impl PromptError {
    /// Returns the code of a refusal that is about one prompt. None: it concerns the domain, or the database.
    pub fn code(&self) -> Option<ErrorCode> {
        Some(match self {
            PromptError::PlanRequired(_) => ErrorCode::PlanRequired,
            PromptError::ProviderUnavailable => ErrorCode::ProviderUnavailable,
            PromptError::ProviderLimit { .. } => ErrorCode::ProviderLimitReached,
            PromptError::PromptLimit { .. } => ErrorCode::PromptLimitReached,
            PromptError::MonitorLimit { .. } => ErrorCode::MonitorLimitReached,
            PromptError::NotFound => ErrorCode::NotFound,
            PromptError::DomainGone | PromptError::Store(_) => return None,
        })
    }
}

impl From<PromptError> for ApiError {
    fn from(error: PromptError) -> ApiError {
        let code = error.code();
        match error {
            PromptError::PlanRequired(plan) => ApiError::plan_required(plan),
            PromptError::DomainGone => ApiError::new(ErrorCode::DomainNotOwned),
            PromptError::Store(error) => error.into(),
            PromptError::ProviderLimit { limit, current }
            | PromptError::PromptLimit { limit, current }
            | PromptError::MonitorLimit { limit, current } => {
                let code = code.expect("limits have codes, as the match above says");
                ApiError::new(code).with("limit", limit).with("current", current)
            }
            PromptError::ProviderUnavailable => ApiError::new(ErrorCode::ProviderUnavailable),
            PromptError::NotFound => ApiError::not_found(),
        }
    }
}
