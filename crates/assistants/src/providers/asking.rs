//! Question or task on its way to a provider: everything that a request is written from. Used by every provider. Pure.

use jiff::Timestamp;
use serde_json::Value;

use super::{LocationSent, Persona, ProviderConnection, Quirk, Quirks, Usage};

/// Output tokens of an answer, thinking and searching included.
const ANSWER_TOKENS: u32 = 8_000;

/// A question to an assistant.
#[derive(Debug, Clone, Copy)]
pub struct AssistantQuestion<'a> {
    pub text: &'a str,
    pub persona: &'a Persona,
    /// Identifier of the run, which some providers show in their logs.
    pub run: Option<&'a str>,
    /// Time at which it is asked.
    pub now: Timestamp,
}

/// A task whose result is JSON of a given form.
#[derive(Debug, Clone, Copy)]
pub struct CompletionTask<'a> {
    pub system: &'a str,
    pub user: &'a str,
    /// JSON schema of the result. Limits of numbers, texts and lists in it are for the caller to check.
    pub schema: &'a Value,
    pub max_output_tokens: u32,
    /// Time at which it is asked.
    pub now: Timestamp,
}

/// A question or a task.
#[derive(Debug, Clone, Copy)]
pub enum Matter<'a> {
    Question(AssistantQuestion<'a>),
    Task(CompletionTask<'a>),
}

/// State between the requests of one question.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Progress {
    /// The response was cut off before the first word: the next one may be twice as long.
    pub is_doubled: bool,
    /// Earlier responses that are part of the answer, oldest first.
    pub earlier: Vec<Value>,
    /// Usage of the earlier responses.
    pub usage: Usage,
    /// Token with which SerpApi hands an overview out.
    pub page_token: Option<String>,
    /// Searches that were started again.
    pub restarts: u32,
}

/// Field of a request that takes a place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum PlaceField {
    /// Country, region and city.
    Names,
    /// Country, region and city, or coordinates.
    NamesOrCoordinates,
    Coordinates,
}

/// Everything that the next request is written from.
#[derive(Debug, Clone)]
pub struct AskState<'a> {
    pub connection: &'a ProviderConnection,
    pub matter: Matter<'a>,
    pub quirks: Quirks,
    pub progress: Progress,
}

impl<'a> AskState<'a> {
    /// Begins with a question or a task; `quirks` are those that earlier requests have learnt.
    pub fn new(connection: &'a ProviderConnection, matter: Matter<'a>, quirks: Quirks) -> AskState<'a> {
        AskState { connection, matter, quirks, progress: Progress::default() }
    }

    pub(super) fn now(&self) -> Timestamp {
        match self.matter {
            Matter::Question(question) => question.now,
            Matter::Task(task) => task.now,
        }
    }

    /// Returns the text that a user would have typed.
    pub(super) fn user_text(&self) -> &'a str {
        match self.matter {
            Matter::Question(question) => question.text,
            Matter::Task(task) => task.user,
        }
    }

    /// Decides whether the provider may search the web.
    pub(super) fn searches(&self) -> bool {
        matches!(self.matter, Matter::Question(_)) && self.connection.search
    }

    pub(super) fn max_output_tokens(&self) -> u32 {
        let tokens = match self.matter {
            Matter::Question(_) => ANSWER_TOKENS,
            Matter::Task(task) => task.max_output_tokens,
        };
        if self.progress.is_doubled { tokens.saturating_mul(2) } else { tokens }
    }

    /// Returns the schema of a task's result.
    pub(super) fn schema(&self) -> Option<&'a Value> {
        match self.matter {
            Matter::Question(_) => None,
            Matter::Task(task) => Some(task.schema),
        }
    }

    /// Returns the identifier of the run, unless the server refuses such marks.
    pub(super) fn run(&self) -> Option<&'a str> {
        match self.matter {
            Matter::Question(question) => question.run.filter(|_| self.accepts(Quirk::Metadata)),
            Matter::Task(_) => None,
        }
    }

    pub(super) fn persona(&self) -> Option<&'a Persona> {
        match self.matter {
            Matter::Question(question) => Some(question.persona),
            Matter::Task(_) => None,
        }
    }

    pub(super) fn accepts(&self, quirk: Quirk) -> bool {
        !self.quirks.contains(quirk)
    }

    /// Decides how the provider is told where the person is. The field of a place belongs to the search, so that without
    /// searching there is none.
    pub(super) fn location(&self, field: PlaceField, refused: Quirk) -> LocationSent {
        let Some(persona) = self.persona().filter(|persona| persona.has_location()) else {
            return LocationSent::None;
        };
        let fits = match field {
            PlaceField::Names => persona.has_place_name(),
            PlaceField::NamesOrCoordinates => true,
            PlaceField::Coordinates => persona.coordinates().is_some(),
        };
        let has_field = self.searches() && self.accepts(refused);
        if fits && has_field { LocationSent::Parameters } else { LocationSent::Text }
    }

    /// Writes the system message: the person who asks, and the place when it is said in words. None by default, since any
    /// system message changes the answer.
    pub(super) fn system_text(&self, location: LocationSent) -> Option<String> {
        let persona = match self.matter {
            Matter::Question(question) => question.persona,
            Matter::Task(task) => return Some(task.system.to_owned()).filter(|text| !text.is_empty()),
        };
        let place = Some(location).filter(|location| *location == LocationSent::Text);
        let place = place.and_then(|_| persona.place_in_words());
        let parts: Vec<String> = persona.persona.clone().into_iter().chain(place).collect();
        (!parts.is_empty()).then(|| parts.join("\n\n"))
    }
}
