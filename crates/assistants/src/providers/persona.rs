//! Place, language and role of the person who asks: `personaLocation` of a prompt. Pure.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::countries::find_country;

/// Longest `personaLocation` as JSON, in bytes.
pub const MAX_PERSONA_BYTES: usize = 1_000;

/// Place, language and role of the person who asks. Everything may be missing: then nothing is said of it.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Persona {
    /// ISO 3166-1 alpha-2, upper case.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub country: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub region: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub city: Option<String>,
    /// IANA name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub timezone: Option<String>,
    /// ISO 639-1, optionally with a region: `de`, `pt-BR`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub language: Option<String>,
    /// Degrees north.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lat: Option<f64>,
    /// Degrees east.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lng: Option<f64>,
    /// System message that says who asks. Sent only when there is one, since any system message changes the answer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub persona: Option<String>,
}

/// A `personaLocation` that cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct PersonaError(pub String);

impl Persona {
    /// Reads an object, its JSON as a text, or null for none. Blank texts count as missing.
    pub fn from_json(value: &Value) -> Result<Persona, PersonaError> {
        let refuse = |problem: &str| Err(PersonaError(problem.to_owned()));
        let parsed;
        let object = match value {
            Value::Null => return Ok(Persona::default()),
            Value::String(text) if text.trim().is_empty() => return Ok(Persona::default()),
            Value::String(text) => {
                parsed = serde_json::from_str(text)
                    .map_err(|_| PersonaError("must be an object or its JSON".to_owned()))?;
                &parsed
            }
            value => value,
        };
        if !object.is_object() {
            return refuse("must be an object or its JSON");
        }
        if object.to_string().len() > MAX_PERSONA_BYTES {
            return refuse("is longer than 1,000 bytes");
        }
        let mut persona: Persona =
            serde_json::from_value(object.clone()).map_err(|error| PersonaError(error.to_string()))?;
        persona.texts().into_iter().for_each(trim);
        match persona.problem() {
            Some(problem) => refuse(problem),
            None => Ok(persona),
        }
    }

    /// Writes the canonical JSON text; `{}` when there is nothing to say.
    pub fn to_json(&self) -> String {
        serde_json::to_string(self).expect("a persona is plain data")
    }

    /// Decides whether anything says where the person is.
    pub fn has_location(&self) -> bool {
        self.has_place_name() || self.coordinates().is_some()
    }

    /// Returns latitude and longitude, when both are known.
    pub fn coordinates(&self) -> Option<(f64, f64)> {
        Some((self.lat?, self.lng?))
    }

    /// Decides whether the place has a name: a country, a region or a city.
    pub fn has_place_name(&self) -> bool {
        self.country.is_some() || self.region.is_some() || self.city.is_some()
    }

    /// Names of the place, from the smallest to the country, each once.
    pub fn place_names(&self) -> Vec<&str> {
        let country = self.country.as_deref();
        let country = country.map(|code| find_country(code).map_or(code, |country| country.name));
        let mut names: Vec<&str> = self.city.as_deref().into_iter().chain(self.region.as_deref()).collect();
        names.extend(country);
        names.dedup();
        names
    }

    /// Says where the person is, in a sentence for a system message.
    pub fn place_in_words(&self) -> Option<String> {
        if self.has_place_name() {
            return Some(format!("The user is in {}.", self.place_names().join(", ")));
        }
        let (lat, lng) = self.coordinates()?;
        Some(format!("The user is near latitude {lat}, longitude {lng}."))
    }

    fn texts(&mut self) -> [&mut Option<String>; 6] {
        [
            &mut self.country,
            &mut self.region,
            &mut self.city,
            &mut self.timezone,
            &mut self.language,
            &mut self.persona,
        ]
    }

    fn problem(&self) -> Option<&'static str> {
        let is_country = |text: &String| text.len() == 2 && text.bytes().all(|b| b.is_ascii_uppercase());
        let is_language = |text: &String| {
            (2..=10).contains(&text.len()) && text.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-')
        };
        if self.country.as_ref().is_some_and(|text| !is_country(text)) {
            return Some("country must be two upper-case letters, such as DE");
        }
        if self.language.as_ref().is_some_and(|text| !is_language(text)) {
            return Some("language must be a code such as de or pt-BR");
        }
        if self.timezone.as_ref().is_some_and(|text| jiff::tz::TimeZone::get(text).is_err()) {
            return Some("timezone must be a name such as Europe/Berlin");
        }
        if self.lat.is_some_and(|lat| !(-90.0..=90.0).contains(&lat)) {
            return Some("lat must be from -90 to 90");
        }
        if self.lng.is_some_and(|lng| !(-180.0..=180.0).contains(&lng)) {
            return Some("lng must be from -180 to 180");
        }
        if self.lat.is_some() != self.lng.is_some() {
            return Some("lat and lng go together");
        }
        let has_nul = |text: &Option<String>| text.as_ref().is_some_and(|text| text.contains('\0'));
        if [&self.region, &self.city, &self.persona].into_iter().any(has_nul) {
            return Some("must not contain NUL");
        }
        None
    }
}

fn trim(text: &mut Option<String>) {
    *text = text.take().map(|text| text.trim().to_owned()).filter(|text| !text.is_empty());
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn an_object_its_text_and_nothing_are_read() {
        let object =
            json!({ "country": "DE", "city": " Berlin ", "lat": 52.52, "lng": 13.405, "persona": "" });

        let read = Persona::from_json(&object).unwrap();

        assert_eq!(read, Persona::from_json(&json!(object.to_string())).unwrap());
        assert_eq!(read.to_json(), r#"{"country":"DE","city":"Berlin","lat":52.52,"lng":13.405}"#);
        for nothing in [json!(null), json!(""), json!({}), json!("{}")] {
            assert_eq!(Persona::from_json(&nothing).unwrap().to_json(), "{}");
        }
    }

    #[test]
    fn a_place_is_said_in_words() {
        let words = |object| Persona::from_json(&object).unwrap().place_in_words();

        let berlin =
            json!({ "country": "DE", "region": "Berlin", "city": "Berlin", "lat": 52.5, "lng": 13.4 });
        assert_eq!(words(berlin).as_deref(), Some("The user is in Berlin, Germany."));
        assert_eq!(words(json!({ "country": "ZZ" })).as_deref(), Some("The user is in ZZ."));
        let near = words(json!({ "lat": 52.5, "lng": 13.4 }));
        assert_eq!(near.as_deref(), Some("The user is near latitude 52.5, longitude 13.4."));
        assert_eq!(words(json!({ "language": "de" })), None);
    }

    #[test]
    fn a_value_that_means_nothing_is_refused() {
        let bad = [
            json!([]),
            json!(1),
            json!("Berlin"),
            json!({ "town": "Berlin" }),
            json!({ "country": "de" }),
            json!({ "country": "GER" }),
            json!({ "language": "german language" }),
            json!({ "timezone": "Mars/Olympus" }),
            json!({ "lat": 91, "lng": 0 }),
            json!({ "lat": 1 }),
            json!({ "city": "a\u{0}b" }),
            json!({ "persona": "x".repeat(1_000) }),
        ];

        for value in bad {
            assert!(Persona::from_json(&value).is_err(), "{value}");
        }
    }
}
