//! Reading of AI mentions: statistics, trend, sources, searches, suggestions, exports and the numbers of the dashboard.
//! Used by handlers. Reads sums, and answers for exports only; changes nothing.
//! See docs/decisions/0394.

mod exporting;
pub mod filter;
pub(super) mod joins;
mod series;
mod service;
pub(super) mod sources;
mod statistics;
mod suggesting;
mod visibility;

pub use exporting::{ExportFormat, ExportKind};
pub use filter::{DayRange, ReadingFilter};
pub use series::{ProviderPoint, TrendEntry, TrendSums};
pub use service::MentionReading;
pub use sources::{OwnPage, SearchItem, SourceItem};
pub use statistics::{PromptStats, StatsSummary, TopCompetitorItem, TopCompetitorSummary};
pub use suggesting::{MAX_TERMS, SuggestionItem, SuggestionSource};
pub use visibility::{
    AccountVisibility, CitedPage, DomainVisibility, MentionEvent, MentionEventKind, ProviderVisibility,
    VisibilityPoint,
};

pub use super::queries::reading::sources::{ListPart, SourceUnit};
