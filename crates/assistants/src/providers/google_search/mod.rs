//! Google's answers: AI Overviews, which stand above the results of a search, and AI Mode, whose page is one answer. Google has
//! no interface for either, so a vendor of search results reads them off its pages. Both vendors write the two alike.
//! Never a chat model in their place: an answer that Google did not show is not an answer. See docs/decisions/0547.

mod blocks;
mod dataforseo;
mod serpapi;

use super::asking::AskState;
use super::wire::SourceList;
use super::{
    Answer, Finish, Listing, LocationSent, PlanLevel, Provider, ProviderConnection, Retrieval, SearchVendor,
    Usage,
};

pub const OVERVIEW: Listing = Listing {
    provider: Provider::GoogleAiOverview,
    plan: PlanLevel::Agency,
    base_url: dataforseo::BASE_URL,
    model: "dataforseo",
    connect: "Open an account at dataforseo.com and set its API login and password as providers.google_ai_overview.api_key = \"login:password\"; or one at serpapi.com, with vendor = \"serpapi\" and its key.",
    documentation: "https://docs.dataforseo.com/v3/serp/google/organic/live/advanced/",
    requests_per_minute: 120,
    in_flight: 16,
    wire: |connection| match connection.vendor {
        SearchVendor::Dataforseo => &dataforseo::WIRE,
        SearchVendor::Serpapi => &serpapi::WIRE,
    },
};

pub const AI_MODE: Listing = Listing {
    provider: Provider::GoogleAiMode,
    connect: "Open an account at dataforseo.com and set its API login and password as providers.google_ai_mode.api_key = \"login:password\"; or one at serpapi.com, with vendor = \"serpapi\" and its key.",
    documentation: "https://docs.dataforseo.com/v3/serp/google/ai_mode/live/advanced/",
    ..OVERVIEW
};

/// Searches that are started again when Google fails to make an answer.
const MAX_RESTARTS: u32 = 2;
/// Part of the sentence that AI Mode shows in place of an answer.
const NO_RESPONSE: &str = "no response available for this search";
/// Longest text that can be that sentence, in bytes.
const NO_RESPONSE_BYTES: usize = 200;

/// Differences between the kinds of Google's answers.
struct GooglePage {
    /// Longest query, in characters.
    max_query: usize,
    /// Type of the page in DataForSEO's path.
    dataforseo_type: &'static str,
    /// Search results surround the answer, which Google may load later.
    has_results: bool,
    /// Extent of a place that DataForSEO is told by coordinates: a radius for results, a zoom of the map for AI Mode.
    extent: &'static str,
    /// Engine of SerpApi that begins a search.
    serpapi_engine: &'static str,
    /// Field of SerpApi's response that holds the answer. None: the response itself does.
    serpapi_field: Option<&'static str>,
}

impl GooglePage {
    fn of(asking: &AskState) -> &'static GooglePage {
        match asking.connection.provider {
            Provider::GoogleAiMode => &GooglePage {
                // DataForSEO takes no more.
                max_query: 700,
                dataforseo_type: "ai_mode",
                has_results: false,
                // About a city.
                extent: "12z",
                serpapi_engine: "google_ai_mode",
                serpapi_field: None,
            },
            _ => &GooglePage {
                // Longer ones rarely bring an overview.
                max_query: 400,
                dataforseo_type: "organic",
                has_results: true,
                // The least radius that is taken, in the vendor's unit.
                extent: "200",
                serpapi_engine: "google",
                serpapi_field: Some("ai_overview"),
            },
        }
    }
}

/// The question as a query: on one line, cut at a word.
struct SearchQuery {
    text: String,
    is_cut: bool,
}

impl SearchQuery {
    fn of(asking: &AskState) -> SearchQuery {
        let words: Vec<&str> = asking.user_text().split_whitespace().collect();
        let line = words.join(" ");
        let Some((end, _)) = line.char_indices().nth(GooglePage::of(asking).max_query) else {
            return SearchQuery { text: line, is_cut: false };
        };
        let head = &line[..end];
        // A language without spaces has no word to cut at.
        let at_word = if line[end..].starts_with(' ') {
            head
        } else {
            head.rsplit_once(' ').map_or(head, |(head, _)| head)
        };
        SearchQuery { text: at_word.to_owned(), is_cut: true }
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

/// Makes the answer that was shown, or that of a page without one (empty text).
fn search_answer(
    asking: &AskState,
    text: String,
    cited: SourceList,
    place: LocationSent,
    raw: serde_json::Value,
) -> Answer {
    let is_no_response = text.len() <= NO_RESPONSE_BYTES && text.contains(NO_RESPONSE);
    let text = if is_no_response { String::new() } else { text };
    Answer {
        finish: if text.is_empty() { Finish::AbsentOverview } else { Finish::Complete },
        text,
        citations: cited.into_vec(),
        retrieved: Vec::new(),
        queries: Vec::new(),
        retrieval: Retrieval::Used,
        served_model: None,
        location: place,
        query_cut: SearchQuery::of(asking).is_cut,
        usage: Usage { searches: asking.progress.usage.searches + 1, ..Usage::default() },
        raw,
    }
}

/// Returns the address of a vendor, for connections without their own.
pub(super) fn default_base(connection: &ProviderConnection) -> &'static str {
    match connection.vendor {
        SearchVendor::Dataforseo => dataforseo::BASE_URL,
        SearchVendor::Serpapi => serpapi::BASE_URL,
    }
}

#[cfg(test)]
mod tests {
    use super::super::asking::{AssistantQuestion, Matter};
    use super::super::{Persona, Quirks};
    use super::*;

    fn query_of(text: &str) -> (String, bool) {
        query_at(Provider::GoogleAiOverview, text)
    }

    fn query_at(provider: Provider, text: &str) -> (String, bool) {
        let connection = ProviderConnection::new(provider);
        let persona = Persona::default();
        let question =
            AssistantQuestion { text, persona: &persona, run: None, now: jiff::Timestamp::UNIX_EPOCH };
        let query =
            SearchQuery::of(&AskState::new(&connection, Matter::Question(question), Quirks::default()));
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
    fn ai_mode_takes_longer_questions_than_a_search() {
        let long = "word ".repeat(150);

        let query = query_at(Provider::GoogleAiMode, &long);

        assert_eq!(query, (long[..699].to_owned(), true));
    }

    #[test]
    fn languages_are_those_of_google() {
        let languages = ["de-AT", "EN", "zh", "zh-TW", "pt-BR"].map(google_language);

        assert_eq!(languages, ["de", "en", "zh-CN", "zh-TW", "pt"]);
    }
}
