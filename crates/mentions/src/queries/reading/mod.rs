//! SQL of reading: sums of a window, added up by the database for statistics, sources and searches. Changes nothing.

pub mod exports;
pub mod sources;
pub mod statistics;
pub mod visibility;

use crate::model::UtcDay;

/// Part of a domain's sums.
#[derive(Debug, Clone, Copy)]
pub struct SumFilter<'a> {
    /// Number of the domain.
    pub domain: i64,
    /// First and last day.
    pub days: (UtcDay, UtcDay),
    /// Empty: all.
    pub provider: &'a str,
    /// Numbers of the prompts. None: all.
    pub prompts: Option<&'a [i64]>,
}

impl SumFilter<'_> {
    /// Writes the condition on the columns of a table of sums, whose parameters are `$1` to `$5`.
    fn condition(&self, engine: store::Engine) -> String {
        let of_prompts = match (self.prompts, engine) {
            (None, _) => "$5 = ''",
            (Some(_), store::Engine::Sqlite) => "s.prompt in (select value from json_each($5))",
            (Some(_), store::Engine::Postgres) => {
                "s.prompt in (select cast(value as bigint) from json_array_elements_text(cast($5 as json)))"
            }
        };
        format!(
            "s.domain = $1 and s.day >= $2 and s.day <= $3 and ($4 = '' or s.provider = $4) and {of_prompts}"
        )
    }

    /// Returns the numbers of the prompts as parameter `$5`.
    fn prompts_json(&self) -> String {
        self.prompts
            .map(|numbers| serde_json::to_string(numbers).expect("numbers are JSON"))
            .unwrap_or_default()
    }
}

/// Writes the sums of columns, each under its own name.
fn summed(names: &[&str]) -> String {
    let sums: Vec<String> =
        names.iter().map(|name| format!("cast(coalesce(sum(s.{name}), 0) as bigint) as {name}")).collect();
    sums.join(", ")
}

/// Binds the five parameters of a [`SumFilter`].
macro_rules! bind_filter {
    ($query:expr, $filter:expr) => {
        $query
            .bind($filter.domain)
            .bind($filter.days.0)
            .bind($filter.days.1)
            .bind($filter.provider)
            .bind($filter.prompts_json())
    };
}
use bind_filter;
