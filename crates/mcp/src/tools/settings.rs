//! Tools for a domain's settings, section by section.

use serde_json::{Value, json};

use super::{ToolAnswer, ToolCall, only};
use crate::catalogue::SECTIONS;
use crate::refusal::ToolRefusal;

impl ToolCall<'_> {
    /// Returns all sections. One that the plan does not have is its refusal.
    pub(super) async fn settings(&self) -> ToolAnswer {
        let domain = self.required("domain")?;
        let mut sections = json!({});
        for section in SECTIONS {
            let Some(operation) = section.read else { continue };
            sections[section.name] = match self.ask(operation, only("domain", domain)).await {
                Ok(settings) => settings,
                Err(refusal) if refusal.code() == "plan_required" => refusal.body,
                Err(refusal) => return Err(refusal),
            };
        }
        Ok(sections)
    }

    /// Changes the sections that are given, in order, until one is refused.
    pub(super) async fn update_settings(&self) -> ToolAnswer {
        let domain = self.required("domain")?;
        let is_given = |name: &str| self.arguments.get(name).is_some_and(|section| !section.is_null());
        let given: Vec<_> = SECTIONS.iter().filter(|section| is_given(section.name)).collect();
        if given.is_empty() {
            return Err(ToolRefusal::of_argument("", "No section of settings is given"));
        }
        let mut changed = json!({});
        for section in given {
            let Some(Value::Object(fields)) = self.arguments.get(section.name) else {
                return Err(ToolRefusal::of_argument(section.name, "must be an object"));
            };
            let mut change = fields.clone();
            change.insert("domain".to_owned(), domain.into());
            match self.ask(section.update, change).await {
                Ok(settings) => changed[section.name] = settings,
                Err(refusal) => return Err(refused_section(section.name, &changed, refusal)),
            }
        }
        Ok(changed)
    }
}

/// Names the section that was refused, and those that were changed before it.
fn refused_section(name: &str, changed: &Value, mut refusal: ToolRefusal) -> ToolRefusal {
    let before: Vec<&str> =
        changed.as_object().into_iter().flatten().map(|(name, _)| name.as_str()).collect();
    refusal.sentence = match before.is_empty() {
        true => format!("{name}: {}", refusal.sentence),
        false => format!("{name}: {} Changed before it: {}.", refusal.sentence, before.join(", ")),
    };
    refusal
}
