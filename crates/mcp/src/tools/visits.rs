//! Tools for visits of crawlers and for AI assistants.

use std::time::Duration;

use serde_json::json;

use super::{ToolAnswer, ToolCall, arguments, only};

/// Days of crawlers' visits unless `days` is given, as of the API.
const DEFAULT_DAYS: u64 = 30;
const DAY: Duration = Duration::from_secs(24 * 3600);

impl ToolCall<'_> {
    /// Returns the sums of crawlers' visits and each crawler, both of the same days.
    pub(super) async fn crawler_visits(&self) -> ToolAnswer {
        let domain = self.required("domain")?;
        let mut visits = self.ask("get_bots_summary", self.given(&["domain", "days"])).await?;
        let days = self.arguments.get("days").and_then(|days| days.as_u64()).unwrap_or(DEFAULT_DAYS);
        let back = DAY * u32::try_from(days.saturating_sub(1)).unwrap_or_default();
        let from = self.tools.clock.now().minus(back).day();
        let crawlers =
            self.ask("list_crawlers", arguments(json!({ "domain": domain, "from": from }))).await?;
        visits["crawlers"] = crawlers["crawlers"].clone();
        Ok(visits)
    }

    /// Lists answers of assistants, or returns one with all its details.
    pub(super) async fn assistants_answers(&self, limit: usize) -> ToolAnswer {
        match self.text("runId") {
            Some(run) => self.ask("get_prompt_run", only("runId", run)).await,
            None => {
                self.required("domain")?;
                self.operation(limit).await
            }
        }
    }

    /// Asks a prompt now; a new one is created first, which asks it.
    pub(super) async fn ask_assistants(&self) -> ToolAnswer {
        if self.text("promptId").is_some() {
            return self.ask("run_prompt", self.given(&["promptId", "providers", "samples"])).await;
        }
        self.required("promptText")?;
        self.required("domain")?;
        let mut created = self.given(&["domain", "promptText", "intent", "providers", "active"]);
        created.insert("action".to_owned(), "create".into());
        created.entry("intent").or_insert_with(|| "info".into());
        self.ask("change_prompt", created).await
    }
}
