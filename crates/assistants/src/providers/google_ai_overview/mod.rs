//! Google AI Overviews: read off Google's result pages by a vendor, since Google has no interface for them.
//! Never a chat model in its place: an overview that Google did not show is no answer.

mod blocks;
mod dataforseo;
mod serpapi;

use super::asking::AskState;
use super::wire::SourceList;
use super::{
    Answer, Finish, Listing, LocationSent, OverviewVendor, PlanLevel, Provider, ProviderConnection,
    Retrieval, Usage,
};

pub const LISTING: Listing = Listing {
    provider: Provider::GoogleAiOverview,
    plan: PlanLevel::Agency,
    base_url: dataforseo::BASE_URL,
    model: "dataforseo",
    connect: "Open an account at dataforseo.com and set its API login and password as providers.google_ai_overview.api_key = \"login:password\"; or one at serpapi.com, with vendor = \"serpapi\" and its key.",
    documentation: "https://docs.dataforseo.com/v3/serp/google/organic/live/advanced/",
    requests_per_minute: 120,
    in_flight: 16,
    wire: |connection| match connection.vendor {
        OverviewVendor::Dataforseo => &dataforseo::WIRE,
        OverviewVendor::Serpapi => &serpapi::WIRE,
    },
};

/// Longest query, in characters. Longer ones seldom bring an overview.
const MAX_QUERY: usize = 400;
/// Searches that are begun anew when Google fails to make an overview.
const MAX_RESTARTS: u32 = 2;

/// The question as a query: on one line, cut at a word.
struct OverviewQuery {
    text: String,
    is_cut: bool,
}

impl OverviewQuery {
    fn of(asking: &AskState) -> OverviewQuery {
        let words: Vec<&str> = asking.user_text().split_whitespace().collect();
        let line = words.join(" ");
        let Some((end, _)) = line.char_indices().nth(MAX_QUERY) else {
            return OverviewQuery { text: line, is_cut: false };
        };
        let head = &line[..end];
        // A language without spaces has no word to cut at.
        let at_word = if line[end..].starts_with(' ') {
            head
        } else {
            head.rsplit_once(' ').map_or(head, |(head, _)| head)
        };
        OverviewQuery { text: at_word.to_owned(), is_cut: true }
    }
}

/// Chooses the language of the results: the person's, else that of the question, else English.
fn language_of(asking: &AskState) -> String {
    let given = asking.persona().and_then(|persona| persona.language.as_deref());
    if let Some(language) = given {
        return google_language(language);
    }
    let guess = whatlang::detect(asking.user_text()).filter(whatlang::Info::is_reliable);
    let code = guess.and_then(|info| two_letters(info.lang())).unwrap_or("en");
    code.to_owned()
}

/// Writes a language as Google does: without a region, but for Chinese.
fn google_language(language: &str) -> String {
    let base = language.split('-').next().unwrap_or(language).to_ascii_lowercase();
    match (base.as_str(), language.to_ascii_lowercase().as_str()) {
        ("zh", "zh-tw" | "zh-hk" | "zh-hant") => "zh-TW".to_owned(),
        ("zh", _) => "zh-CN".to_owned(),
        _ => base,
    }
}

fn two_letters(language: whatlang::Lang) -> Option<&'static str> {
    use whatlang::Lang;
    let code = match language {
        Lang::Ara => "ar",
        Lang::Ces => "cs",
        Lang::Cmn => "zh-CN",
        Lang::Dan => "da",
        Lang::Deu => "de",
        Lang::Ell => "el",
        Lang::Eng => "en",
        Lang::Fin => "fi",
        Lang::Fra => "fr",
        Lang::Heb => "he",
        Lang::Hin => "hi",
        Lang::Hun => "hu",
        Lang::Ind => "id",
        Lang::Ita => "it",
        Lang::Jpn => "ja",
        Lang::Kor => "ko",
        Lang::Nld => "nl",
        Lang::Pol => "pl",
        Lang::Por => "pt",
        Lang::Ron => "ro",
        Lang::Rus => "ru",
        Lang::Spa => "es",
        Lang::Swe => "sv",
        Lang::Tha => "th",
        Lang::Tur => "tr",
        Lang::Ukr => "uk",
        Lang::Vie => "vi",
        _ => return None,
    };
    Some(code)
}

/// Makes the answer of an overview that was shown, or of none (empty text).
fn overview_answer(
    asking: &AskState,
    text: String,
    cited: SourceList,
    place: LocationSent,
    raw: serde_json::Value,
) -> Answer {
    Answer {
        finish: if text.is_empty() { Finish::AbsentOverview } else { Finish::Complete },
        text,
        citations: cited.into_vec(),
        retrieved: Vec::new(),
        queries: Vec::new(),
        retrieval: Retrieval::Used,
        served_model: None,
        location: place,
        query_cut: OverviewQuery::of(asking).is_cut,
        usage: Usage { searches: asking.progress.usage.searches + 1, ..Usage::default() },
        raw,
    }
}

/// Returns the address of a vendor, for connections without their own.
pub(super) fn default_base(connection: &ProviderConnection) -> &'static str {
    match connection.vendor {
        OverviewVendor::Dataforseo => dataforseo::BASE_URL,
        OverviewVendor::Serpapi => serpapi::BASE_URL,
    }
}

#[cfg(test)]
mod tests {
    use super::super::asking::{AssistantQuestion, Matter};
    use super::super::{Persona, Quirks};
    use super::*;

    fn query_of(text: &str) -> (String, bool) {
        let connection = ProviderConnection::new(Provider::GoogleAiOverview);
        let persona = Persona::default();
        let question =
            AssistantQuestion { text, persona: &persona, run: None, now: jiff::Timestamp::UNIX_EPOCH };
        let query =
            OverviewQuery::of(&AskState::new(&connection, Matter::Question(question), Quirks::default()));
        (query.text, query.is_cut)
    }

    #[test]
    fn a_long_question_is_cut_at_a_word() {
        let (short, long) = ("best  tool\nfor spas", "word ".repeat(100));

        assert_eq!(query_of(short), ("best tool for spas".to_owned(), false));
        assert_eq!(query_of(&long[..399]), (long[..399].to_owned(), false));
        assert_eq!(query_of(&long), (long[..399].to_owned(), true));
        assert_eq!(query_of(&format!("{} x", "a".repeat(400))).0.len(), 400);
        assert_eq!(query_of(&"語".repeat(500)), ("語".repeat(400), true));
    }

    #[test]
    fn languages_are_those_of_google() {
        let languages = ["de-AT", "EN", "zh", "zh-TW", "pt-BR"].map(google_language);

        assert_eq!(languages, ["de", "en", "zh-CN", "zh-TW", "pt"]);
    }
}
