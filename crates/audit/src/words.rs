//! Enums of audits whose text is the same in the database and in responses. Pure.
//! Must never change a text, since stored rows contain it.

use std::fmt;

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// Declares a word of the API: an enum whose text in the database and in answers is the same.
macro_rules! words {
    ($($(#[doc = $doc:literal])* $name:ident { $($(#[doc = $variant_doc:literal])* $variant:ident = $text:literal,)+ })+) => {
        $(
            $(#[doc = $doc])*
            #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, ToSchema)]
            #[serde(rename_all = "snake_case")]
            pub enum $name {
                $($(#[doc = $variant_doc])* $variant,)+
            }

            impl $name {
                /// Returns the text in the database and in responses.
                pub const fn as_str(self) -> &'static str {
                    match self {
                        $($name::$variant => $text,)+
                    }
                }

                pub fn parse(text: &str) -> Option<$name> {
                    match text {
                        $($text => Some($name::$variant),)+
                        _ => None,
                    }
                }
            }

            impl fmt::Display for $name {
                fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                    f.write_str(self.as_str())
                }
            }
        )+
    };
}

words! {
    /// State of a run.
    RunStatus {
        /// It waits for its turn.
        Queued = "queued",
        /// Pages are being looked at.
        Running = "running",
        /// Everything was looked at.
        Success = "success",
        /// The page limit ended it.
        LimitReached = "limit_reached",
        /// It ended early, with results.
        Partial = "partial",
        /// It has no results.
        Error = "error",
    }
    /// Reason of a run's end.
    CloseReason {
        /// Everything was looked at.
        Finished = "finished",
        /// The page limit.
        UrlLimit = "url_limit",
        TimeLimit = "time_limit",
        /// Somebody stopped it.
        Cancelled = "cancelled",
        /// It failed again and again.
        Crashed = "crashed",
        /// The site does not answer, or its robots.txt forbids the audit.
        Unreachable = "unreachable",
    }
    /// Trigger of a run.
    Trigger {
        /// An API key.
        Api = "api",
        /// A person.
        Manual = "manual",
        /// The domain's schedule.
        Scheduled = "scheduled",
    }
    /// Frequency of a domain's scheduled audits.
    Frequency {
        /// Never.
        Manual = "manual",
        /// Every day.
        Daily = "daily",
        /// Every week.
        Weekly = "weekly",
        /// Every month.
        Monthly = "monthly",
    }
}
