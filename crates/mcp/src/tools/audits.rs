//! Tools for audits.

use serde_json::{Value, json};

use super::{LONGEST_WAIT, ToolAnswer, ToolCall, only};
use crate::refusal::ToolRefusal;
use platform::api::ErrorCode;

/// Fields of an audit's pages unless `fields` is given.
const FIELDS: &str = "id,path,statusCode,healthScore,indexable,issueCount,issues,title";

/// Returns a page with the fields of lists.
fn as_listed(page: &Value) -> Value {
    let fields = FIELDS.split(',').chain(["id"]).map(|field| (field.to_owned(), page[field].clone()));
    Value::Object(fields.collect())
}

impl ToolCall<'_> {
    /// Starts an audit; without addresses from the home page.
    pub(super) async fn start_audit(&self) -> ToolAnswer {
        let mut order = self.arguments.clone();
        let home = format!("https://{}/", self.required("domain")?);
        order.entry("urls").or_insert_with(|| json!([home]));
        order.entry("mode").or_insert_with(|| json!("follow"));
        let started = self.ask("start_run", order.clone()).await;
        match (started, &self.tools.machine) {
            (Err(refusal), Some(machine)) if refusal.code() == "domain_not_owned" => {
                let run = machine.start_audit(&order)?;
                Ok(json!({ "ok": true, "runId": run, "status": "running" }))
            }
            (started, _) => started,
        }
    }

    /// Returns an audit with its pages, and waits for one that runs.
    pub(super) async fn audit(&self, limit: usize) -> ToolAnswer {
        let run = self.run_id().await?;
        if let Some(mut audit) = self.audit_of_machine(&run).await? {
            let pages = audit["pages"].as_array().map(Vec::as_slice).unwrap_or_default();
            let (total, listed) = (pages.len(), pages.iter().skip(self.offset).take(limit).map(as_listed));
            audit["pages"] = listed.collect();
            audit["pageTotal"] = total.into();
            return Ok(audit);
        }
        let mut wanted = self.given(&["search", "issueId", "sort", "order", "fields"]);
        wanted.insert("runId".to_owned(), run.into());
        wanted.insert("limit".to_owned(), limit.into());
        wanted.insert("offset".to_owned(), self.offset.into());
        wanted.entry("fields").or_insert_with(|| FIELDS.into());
        let is_done = |audit: &Value| !matches!(audit["run"]["status"].as_str(), Some("queued" | "running"));
        self.wait_for("get_run", wanted, is_done).await
    }

    /// Lists the issues of an audit.
    pub(super) async fn audit_issues(&self) -> ToolAnswer {
        let run = self.run_id().await?;
        match self.audit_of_machine(&run).await? {
            Some(audit) => Ok(json!({ "issues": audit["issues"] })),
            None => self.ask("list_run_issues", only("runId", run)).await,
        }
    }

    /// Returns one page of an audit.
    pub(super) async fn audited_page(&self) -> ToolAnswer {
        let Some(audit) = self.audit_of_machine(self.required("runId")?).await? else {
            return self.ask("get_run_page", self.given(&["runId", "pageId"])).await;
        };
        let id = self.required("pageId")?;
        let page = audit["pages"].as_array().into_iter().flatten().find(|page| page["id"] == id);
        page.cloned()
            .ok_or_else(|| ToolRefusal::new(ErrorCode::NotFound, "The audit has no page of this id."))
    }

    /// Finds an audit of a site that is not a domain of the account.
    async fn audit_of_machine(&self, run: &str) -> Result<Option<Value>, ToolRefusal> {
        let Some(machine) = &self.tools.machine else { return Ok(None) };
        Ok(machine.find_audit(run, LONGEST_WAIT).await.transpose()?)
    }

    /// Returns the audit that is meant: that of `runId`, or the newest of `domain`.
    async fn run_id(&self) -> Result<String, ToolRefusal> {
        if let Some(run) = self.text("runId") {
            return Ok(run.to_owned());
        }
        let Some(domain) = self.text("domain") else {
            return Err(ToolRefusal::of_argument("runId", "is missing, and no domain is given"));
        };
        let listed = self.ask("list_runs", only("domain", domain)).await?;
        let newest = listed["runs"][0]["id"].as_str();
        newest.map(str::to_owned).ok_or_else(|| {
            ToolRefusal::new(ErrorCode::NotFound, "The domain has no audit; start_audit starts one.")
        })
    }
}
