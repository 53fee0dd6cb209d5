//! Settings of a domain's monitoring as the API takes and shows them. Pure.

use assistants::providers::{Persona, Usd};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use utoipa::ToSchema;

use super::model::text_enum;

const MAX_URL_BYTES: usize = 2048;
/// Budget above which a number is taken for a mistake.
const MAX_BUDGET_USD: f64 = 1e9;

text_enum! {
    /// Frequency of the digest by e-mail.
    DigestFrequency {
        Off = "off",
        Daily = "daily",
        Weekly = "weekly",
    }
}

/// Changes of a domain's monitoring. Fields that are left out stay as they are.
#[derive(Debug, Clone, Default, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct MonitoringChange {
    /// Default of new prompts: an object or its JSON; null: none.
    #[serde(deserialize_with = "given")]
    #[schema(value_type = Option<Object>)]
    persona_location: Option<Option<Value>>,
    /// US dollars a UTC month; null: no limit.
    #[serde(deserialize_with = "given")]
    #[schema(value_type = Option<f64>, minimum = 0)]
    budget_usd_per_month: Option<Option<f64>>,
    /// Told when a report is ready; null: nobody.
    #[serde(deserialize_with = "given")]
    #[schema(value_type = Option<String>)]
    webhook_url: Option<Option<String>>,
    digest: Option<DigestFrequency>,
}

/// Tells a field that is null from one that is not there.
fn given<'de, T: Deserialize<'de>, D: serde::Deserializer<'de>>(
    deserializer: D,
) -> Result<Option<T>, D::Error> {
    T::deserialize(deserializer).map(Some)
}

/// A change that was checked.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct CheckedMonitoring {
    pub persona: Option<Persona>,
    pub budget: Option<Option<Usd>>,
    pub webhook_url: Option<Option<String>>,
    pub digest: Option<DigestFrequency>,
}

impl MonitoringChange {
    /// Checks the change. An error has the dotted path and a sentence of everything that is wrong.
    pub fn check(self) -> Result<CheckedMonitoring, Vec<(String, String)>> {
        let mut issues = Vec::new();
        let persona =
            self.persona_location.map(|value| Persona::from_json(&value.unwrap_or_default())).transpose();
        let persona = persona.unwrap_or_else(|error| {
            issues.push(("personaLocation".to_owned(), error.to_string()));
            None
        });
        let is_budget = |usd: &f64| (0.0..=MAX_BUDGET_USD).contains(usd);
        if let Some(Some(usd)) = &self.budget_usd_per_month
            && !is_budget(usd)
        {
            issues.push(("budgetUsdPerMonth".to_owned(), "must be 0 or more, or null".to_owned()));
        }
        if let Some(Some(url)) = &self.webhook_url
            && crawler::url::parse_target(url, MAX_URL_BYTES).is_err()
        {
            issues.push(("webhookUrl".to_owned(), "is not an absolute http or https address".to_owned()));
        }
        if !issues.is_empty() {
            return Err(issues);
        }
        let budget = self.budget_usd_per_month.map(|usd| usd.and_then(Usd::from_dollars));
        Ok(CheckedMonitoring { persona, budget, webhook_url: self.webhook_url, digest: self.digest })
    }
}

/// Settings of a domain's monitoring, as the API shows them.
#[derive(Debug, Clone, PartialEq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct MonitoringView {
    /// Default of new prompts, JSON; `{}` when none.
    #[schema(examples("{\"country\":\"DE\"}"))]
    pub persona_location: String,
    /// US dollars a UTC month; null: no limit.
    #[schema(value_type = Option<f64>, examples(20))]
    pub budget_usd_per_month: Option<Usd>,
    /// Told when a report is ready; null: nobody.
    pub webhook_url: Option<String>,
    pub digest: DigestFrequency,
    /// Key of the `x-service-signature` of webhooks. In the answer that made it, and never again.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub webhook_secret: Option<String>,
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn check(body: Value) -> Result<CheckedMonitoring, Vec<String>> {
        let change: MonitoringChange = serde_json::from_value(body).unwrap();
        change.check().map_err(|issues| issues.into_iter().map(|(path, _)| path).collect())
    }

    #[test]
    fn null_is_none_and_a_missing_field_is_no_change() {
        let none =
            check(json!({ "budgetUsdPerMonth": null, "webhookUrl": null, "personaLocation": null })).unwrap();

        assert_eq!((none.budget, none.webhook_url), (Some(None), Some(None)));
        assert_eq!(none.persona, Some(Persona::default()));
        assert_eq!(check(json!({})).unwrap(), CheckedMonitoring::default());
    }

    #[test]
    fn what_cannot_be_used_is_named() {
        let refused = check(json!({
            "personaLocation": { "country": "Germany" }, "budgetUsdPerMonth": -1, "webhookUrl": "ftp://x.example/",
        }));

        assert_eq!(refused.unwrap_err(), ["personaLocation", "budgetUsdPerMonth", "webhookUrl"]);
    }
}
