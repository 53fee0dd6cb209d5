//! SQL of sums: rows that are added up in the transaction that ends a run. A change of sums is a row with the difference.

mod changes;
mod of_prompt;

use assistants::statistics::{AnswerSums, CompetitorSums};
use serde::Serialize;
use store::{Conn, DbError};

use super::RowSet;

pub use changes::write;
pub use of_prompt::{PromptDays, delete_of_prompt, list_of_domain, list_of_prompt};

/// Declares the columns of a sum once, each with the number of the crate's sums that it holds.
macro_rules! sum_columns {
    ($(#[$doc:meta])* $name:ident of $sums_type:ty as $sums:ident { $($column:ident: $value:expr,)+ }) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, sqlx::FromRow)]
        pub struct $name {
            $(pub $column: i64,)+
        }

        impl $name {
            pub const NAMES: &'static [&'static str] = &[$(stringify!($column)),+];

            /// Adds other sums `times` times; −1 takes them away.
            pub fn add(&mut self, other: &$name, times: i64) {
                $(self.$column += times * other.$column;)+
            }

            pub fn is_zero(&self) -> bool {
                *self == $name::default()
            }
        }

        impl From<&$sums_type> for $name {
            fn from($sums: &$sums_type) -> $name {
                $name { $($column: $value as i64,)+ }
            }
        }

        impl From<&$name> for $sums_type {
            fn from(columns: &$name) -> $sums_type {
                let mut $sums = <$sums_type>::default();
                $($value = columns.$column.max(if stringify!($column) == "sentiment_sum" { i64::MIN } else { 0 }) as _;)+
                $sums
            }
        }
    };
}

sum_columns! {
    /// Sums of answers, a column each. Without competitors, which have rows of their own.
    AnswerSumColumns of AnswerSums as sums {
        responses: sums.responses,
        mentions: sums.mentions,
        position_sum: sums.position_sum,
        first_positions: sums.first_positions,
        sentiment_sum: sums.sentiment_sum,
        sentiment_count: sums.sentiment_count,
        positive: sums.positive,
        neutral: sums.neutral,
        negative: sums.negative,
        recommended_yes: sums.recommended_yes,
        recommended_known: sums.recommended_known,
        own_cited: sums.own_cited,
        own_citations: sums.citations.own,
        competitor_citations: sums.citations.competitor,
        third_party_citations: sums.citations.third_party,
        absent_overviews: sums.absent_overviews,
        not_retrieved: sums.not_retrieved,
        errors: sums.errors,
        distinct_competitors: sums.distinct_competitors,
        informative: sums.informative,
        pair_distance_sum: sums.pairs.distance_sum,
        pair_count: sums.pairs.count,
        earlier_distance_sum: sums.earlier_pairs.distance_sum,
        earlier_count: sums.earlier_pairs.count,
    }
}

sum_columns! {
    /// Sums of one competitor, a column each.
    CompetitorSumColumns of CompetitorSums as sums {
        responses: sums.responses,
        occurrences: sums.occurrences,
        prominence_sum: sums.prominence_sum,
        position_sum: sums.position_sum,
        cited: sums.cited,
        sentiment_sum: sums.sentiment_sum,
        sentiment_count: sums.sentiment_count,
        ahead_of_own: sums.ahead_of_own,
    }
}

/// Declares a table of sums: its key and the columns that are added up.
macro_rules! sum_table {
    ($(#[$doc:meta])* $row:ident, $add:ident, $table:literal, [$($key:ident: $kind:ty),+], $flat:ident: $columns:ty) => {
        $(#[$doc])*
        #[derive(Debug, Clone, PartialEq, Eq, Serialize, sqlx::FromRow)]
        pub struct $row {
            $(pub $key: $kind,)+
            #[serde(flatten)]
            #[sqlx(flatten)]
            pub $flat: $columns,
        }

        /// Adds rows up.
        pub async fn $add(conn: &mut Conn, rows: &[$row]) -> Result<(), DbError> {
            const KEY: &[&str] = &[$(stringify!($key)),+];
            add_rows(conn, $table, KEY, <$columns>::NAMES, rows).await
        }
    };
}

async fn add_rows(
    conn: &mut Conn,
    table: &'static str,
    key: &'static [&'static str],
    sums: &'static [&'static str],
    rows: &[impl Serialize],
) -> Result<(), DbError> {
    let columns = [key, sums].concat();
    RowSet { table, columns: &columns, bytes: &[] }.add(conn, rows, key).await.map(drop)
}

sum_table! {
    /// Sums of a prompt, provider and day.
    PromptSumRow, add_prompt_sums, "mention_sums",
    [domain: i64, day: i64, prompt: i64, provider: String], sums: AnswerSumColumns
}

sum_table! {
    /// Sums of a provider and day over all prompts of a domain.
    DomainSumRow, add_domain_sums, "mention_domain_sums",
    [domain: i64, day: i64, provider: String], sums: DomainSumColumns
}

sum_table! {
    /// Sums of a competitor in the answers of a prompt, provider and day.
    PromptCompetitorRow, add_prompt_competitors, "mention_competitor_sums",
    [domain: i64, day: i64, prompt: i64, provider: String, competitor: String], sums: CompetitorSumColumns
}

sum_table! {
    /// Sums of a competitor in the answers of a provider and day over all prompts of a domain.
    DomainCompetitorRow, add_domain_competitors, "mention_domain_competitor_sums",
    [domain: i64, day: i64, provider: String, competitor: String], sums: CompetitorSumColumns
}

sum_table! {
    /// Sums of a page in the answers of a prompt, provider and day.
    SourceSumRow, add_sources, "mention_source_sums",
    [domain: i64, day: i64, prompt: i64, provider: String, page: i64], sums: SourceSumColumns
}

sum_table! {
    /// Sums of a search in the answers of a prompt, provider and day.
    QuerySumRow, add_queries, "mention_query_sums",
    [domain: i64, day: i64, prompt: i64, provider: String, query: i64], sums: QuerySumColumns
}

sum_table! {
    /// Responses of a model on a day.
    ModelSumRow, add_models, "mention_models",
    [domain: i64, day: i64, provider: String, model: String], sums: ModelSumColumns
}

/// Declares columns that are counted here and nowhere else.
macro_rules! plain_columns {
    ($(#[$doc:meta])* $name:ident { $($(#[$field_doc:meta])* $column:ident,)+ }) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, sqlx::FromRow)]
        pub struct $name {
            $($(#[$field_doc])* pub $column: i64,)+
        }

        impl $name {
            pub const NAMES: &'static [&'static str] = &[$(stringify!($column)),+];

            /// Adds other sums `times` times; −1 takes them away.
            pub fn add(&mut self, other: &$name, times: i64) {
                $(self.$column += times * other.$column;)+
            }
        }
    };
}

plain_columns! {
    /// Sums of a page.
    SourceSumColumns {
        /// Answers that cite the page.
        citations,
        /// Answers that cite the page, and name a brand and not the own one.
        gap_citations,
        /// Answers that cite the page's site, counted at the first of its pages.
        site_answers,
        /// Answers that cite the site, and name a brand and not the own one.
        site_gap_answers,
        /// Answers for which the page was found and not cited.
        retrieved,
    }
}

plain_columns! {
    /// Sums of a search.
    QuerySumColumns {
        answers,
        /// Answers that name the own brand.
        named_in,
    }
}

plain_columns! {
    /// Sums of a model.
    ModelSumColumns { responses, }
}

/// Sums of a domain: those of its answers, and runs of all prompts, deleted ones included.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, sqlx::FromRow)]
pub struct DomainSumColumns {
    #[serde(flatten)]
    #[sqlx(flatten)]
    pub answers: AnswerSumColumns,
    pub ok_runs: i64,
    pub error_runs: i64,
}

impl DomainSumColumns {
    const NAMES: &'static [&'static str] = &domain_names();
}

/// Names of the columns of answers, and the two of runs.
const fn domain_names() -> [&'static str; AnswerSumColumns::NAMES.len() + 2] {
    let mut names = [""; AnswerSumColumns::NAMES.len() + 2];
    let mut at = 0;
    while at < AnswerSumColumns::NAMES.len() {
        names[at] = AnswerSumColumns::NAMES[at];
        at += 1;
    }
    names[at] = "ok_runs";
    names[at + 1] = "error_runs";
    names
}

/// Address of a page, and the number that stands for it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct SourcePageRow {
    pub domain: i64,
    pub page: i64,
    pub url: String,
    pub site: String,
}

/// Keeps addresses of pages.
pub async fn put_pages(conn: &mut Conn, rows: &[SourcePageRow]) -> Result<(), DbError> {
    const ROWS: RowSet = RowSet::new("mention_pages", &["domain", "page", "url", "site"]);
    ROWS.insert(conn, rows, "on conflict (domain, page) do nothing").await.map(drop)
}

/// Text of a search, and the number that stands for it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct QueryTextRow {
    pub domain: i64,
    pub query: i64,
    pub text: String,
}

/// Keeps texts of searches.
pub async fn put_queries(conn: &mut Conn, rows: &[QueryTextRow]) -> Result<(), DbError> {
    const ROWS: RowSet = RowSet::new("mention_queries", &["domain", "query", "text"]);
    ROWS.insert(conn, rows, "on conflict (domain, query) do nothing").await.map(drop)
}
