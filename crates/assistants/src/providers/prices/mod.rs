//! Price table of the providers: the price of a model on a day, the cost of an answer, the amount to reserve before a
//! call. Used by `call` and by whoever shows prices. Pure; the table is `data/prices.json`.

mod usd;

use std::sync::LazyLock;

use jiff::civil::Date;
use serde::{Deserialize, Deserializer, de};

pub use usd::Usd;

use super::{Provider, Usage};

/// Tokens of a question that is answered without searching, upper end.
const WITHOUT_SEARCH: Usage = Usage { input_tokens: 2_000, output_tokens: 4_000, searches: 0 };

static TABLE: LazyLock<Vec<PriceRow>> = LazyLock::new(|| {
    let file: PriceFile = serde_json::from_str(include_str!("../../data/prices.json"))
        .expect("the table is part of the binary and tested");
    file.rows
});

#[derive(Deserialize)]
struct PriceFile {
    rows: Vec<PriceRow>,
}

/// One row of the price table.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct PriceRow {
    pub provider: Provider,
    /// Identifier of the model, or of the vendor of Google's search.
    pub model: String,
    /// First day on which the price holds.
    #[serde(deserialize_with = "day")]
    pub from: Date,
    /// Price of a million input tokens.
    pub input: Usd,
    /// Price of a million output tokens, thinking included.
    pub output: Usd,
    pub search: Usd,
    /// Searches a month that cost nothing, of the vendor's whole account. Not taken off by [`Price::cost`].
    pub free_searches: u32,
    /// Upper end of the price of one question with searching.
    pub run: Usd,
    /// Page that states the price.
    pub source: String,
    /// Day on which the page was read.
    #[serde(deserialize_with = "day")]
    pub read: Date,
}

fn day<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Date, D::Error> {
    String::deserialize(deserializer)?.parse().map_err(de::Error::custom)
}

/// Price of a model on a day.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Price {
    pub row: &'static PriceRow,
    /// False when the table does not have the model: the row is then the dearest one of the provider.
    pub is_known: bool,
}

impl Price {
    /// Returns the cost of an answer by its usage, rounded up.
    pub fn cost(&self, usage: Usage) -> Usd {
        self.row.input.per_million(usage.input_tokens)
            + self.row.output.per_million(usage.output_tokens)
            + self.row.search.times(usage.searches)
    }

    /// Returns the upper end of the price of one question, with searching.
    pub fn expected_run(&self) -> Usd {
        self.row.run
    }

    /// Returns the upper end of the price of one question that is answered without searching.
    pub fn expected_run_without_search(&self) -> Usd {
        self.cost(WITHOUT_SEARCH)
    }
}

/// Finds the price of a model (or of a vendor of Google's search) on a day.
///
/// A dated model (`gpt-6-luna-2026-09-01`) has the price of the model that its name begins with.
pub fn price_of(provider: Provider, model: &str, day: Date) -> Price {
    let of_provider = || TABLE.iter().filter(move |row| row.provider == provider);
    let named = of_provider().filter(|row| is_model(model, &row.model)).map(|row| row.model.len()).max();
    match named {
        Some(length) => {
            let rows = of_provider().filter(|row| row.model.len() == length && is_model(model, &row.model));
            Price { row: newest(rows, day), is_known: true }
        }
        None => {
            let dearest = of_provider()
                .map(|row| newest(of_provider().filter(|other| other.model == row.model), day))
                .max_by_key(|row| (row.run, row.output));
            Price { row: dearest.expect("every provider has a row, which a test checks"), is_known: false }
        }
    }
}

fn is_model(name: &str, model: &str) -> bool {
    let name = name.rsplit_once('/').filter(|_| !model.contains('/')).map_or(name, |(_, last)| last);
    name.strip_prefix(model).is_some_and(|rest| rest.is_empty() || rest.starts_with(['-', '@', ':']))
}

/// Chooses the latest row that has begun, else the earliest.
fn newest(rows: impl Iterator<Item = &'static PriceRow> + Clone, day: Date) -> &'static PriceRow {
    let begun = rows.clone().filter(|row| row.from <= day).max_by_key(|row| row.from);
    begun.or_else(|| rows.min_by_key(|row| row.from)).expect("called with the rows of a model that has some")
}

#[cfg(test)]
mod tests {
    use jiff::civil::date;

    use super::*;

    const DAY: Date = date(2026, 11, 25);

    fn usd(dollars: f64) -> Usd {
        Usd::from_dollars(dollars).unwrap()
    }

    #[test]
    fn every_provider_has_a_price_with_its_source() {
        for provider in Provider::ALL {
            assert!(!price_of(provider, "no such model", DAY).is_known);
        }
        for row in TABLE.iter() {
            let is_free = row.input == Usd::ZERO && row.output == Usd::ZERO && row.search == Usd::ZERO;
            assert!(!row.source.is_empty() && row.read >= date(2026, 11, 24) && !is_free, "{row:?}");
        }
    }

    #[test]
    fn an_expected_run_is_more_than_a_common_answer_costs() {
        for row in TABLE.iter() {
            let price = Price { row, is_known: true };

            let common = price.cost(Usage { input_tokens: 5_000, output_tokens: 500, searches: 1 });

            assert!(price.expected_run() >= common, "{row:?}: {common}");
        }
    }

    #[test]
    fn a_price_holds_from_its_first_day() {
        let price = |day| price_of(Provider::Gemini, "gemini-3.8-flash", day).row.input;

        assert_eq!(price(date(2026, 1, 1)), usd(0.75));
        assert_eq!(price(date(2026, 12, 31)), usd(0.75));
        assert_eq!(price(date(2027, 1, 1)), usd(1.5));
    }

    #[test]
    fn a_dated_model_has_the_price_of_its_family() {
        let found = |model: &str| {
            let price = price_of(Provider::Chatgpt, model, DAY);
            (price.row.model.as_str(), price.is_known)
        };

        assert_eq!(found("gpt-6-luna-2026-09-01"), ("gpt-6-luna", true));
        assert_eq!(found("openai/gpt-6-luna"), ("gpt-6-luna", true));
        assert!(!found("gpt-6-lunatic").1);
        assert!(price_of(Provider::Perplexity, "perplexity/sonar", DAY).is_known);
    }

    #[test]
    fn an_unknown_model_costs_what_the_dearest_one_does() {
        let price = price_of(Provider::Claude, "claude-opus-9", DAY);

        assert_eq!((price.row.model.as_str(), price.is_known), ("claude-sonnet-5-5", false));
    }

    #[test]
    fn an_answer_costs_its_tokens_and_its_searches() {
        let price = price_of(Provider::Chatgpt, "gpt-6-luna", DAY);

        let cost = price.cost(Usage { input_tokens: 8_731, output_tokens: 912, searches: 1 });

        assert_eq!(cost, usd(0.0113291));
        assert_eq!(price.expected_run(), usd(0.022));
        assert_eq!(price.expected_run_without_search(), usd(0.0022));
    }
}
