//! Work of the tools for sites that are not a domain of the account: renders, verifications, audits. Every request passes the guard.
//! Audits are kept in memory, the newest few.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use audit_engine::checks::CheckId;
use browser::Renderer;
use crawler::Network;
use futures::future::BoxFuture;
use mcp::ports::{Arguments, MachineError, MachineResult, ThisMachine};
use serde_json::{Value, json};
use tokio::sync::watch;
use tokio_util::task::TaskTracker;
use url::Url;

use crate::cli::{Context, audit, render};
use platform::ids::new_id;
use verify::{DEFAULT_CRAWLER, ImitatedCrawler, SiteVerifier, VerifyTarget};

/// Audits that are kept.
const MOST_AUDITS: usize = 8;
/// HTML pages after which an audit ends.
const MOST_PAGES: usize = 500;

/// Audit of a site: its id, and its report when it has ended.
type SiteAudit = (String, watch::Receiver<Option<Arc<Value>>>);

/// Work for sites that are not a domain of the account.
pub struct SitesOfMachine {
    pub context: Context,
    pub network: Network,
    pub browser: Arc<dyn Renderer>,
    pub tasks: TaskTracker,
    pub audits: Mutex<Vec<SiteAudit>>,
}

impl SitesOfMachine {
    fn target(&self, url: &str) -> Result<Url, MachineError> {
        crawler::url::parse_target(url, self.context.config.limits.url_bytes).map_err(told)
    }

    fn audits(&self) -> MutexGuard<'_, Vec<SiteAudit>> {
        self.audits.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl ThisMachine for SitesOfMachine {
    fn render(&self, url: String) -> BoxFuture<'_, MachineResult> {
        Box::pin(async move {
            let (url, timeout) = (self.target(&url)?, self.context.config.render_timeout());
            let rendered = render::render(&*self.browser, url, timeout, &self.context).await;
            let rendered = rendered.map_err(|error| told(crawler::errors::one_line(error.as_ref())))?;
            Ok(json!({
                "url": rendered.final_url,
                "status": rendered.status,
                "location": rendered.location,
                "partial": rendered.partial,
                "html": rendered.html,
            }))
        })
    }

    fn start_audit(&self, order: &Arguments) -> Result<String, MachineError> {
        let text = |value: Option<&Value>| value.and_then(Value::as_str).map(str::to_owned);
        let url = text(order.get("urls").and_then(|urls| urls.get(0))).unwrap_or_default();
        let url = self.target(&url)?;
        let mode = serde_json::from_value(order.get("mode").cloned().unwrap_or_default())
            .map_err(|_| told("mode must be follow, sitemap or selected"))?;
        let (id, (told, report)) = (new_id(), watch::channel(None));
        let (context, browser, run) = (self.context.clone(), self.browser.clone(), id.clone());
        self.tasks.spawn(async move {
            let audited = audit::audit_site(url, mode, MOST_PAGES, browser, &context).await;
            told.send_replace(Some(Arc::new(audited.map_or_else(
                |error| failed(&run, &crawler::errors::one_line(error.as_ref())),
                |report| with_ids(&run, report),
            ))));
        });
        let mut audits = self.audits();
        if audits.len() >= MOST_AUDITS {
            audits.remove(0);
        }
        audits.push((id.clone(), report));
        Ok(id)
    }

    fn find_audit(&self, run: &str, longest: Duration) -> BoxFuture<'static, Option<MachineResult>> {
        let found = self.audits().iter().find(|(id, _)| id == run).cloned();
        Box::pin(async move {
            let (id, mut report) = found?;
            let ended = tokio::time::timeout(longest, report.wait_for(Option::is_some)).await;
            let ended = ended.ok().and_then(Result::ok).and_then(|report| report.clone());
            Some(Ok(ended.map_or_else(|| unfinished(&id, "running", None), |report| Value::clone(&report))))
        })
    }

    fn verify(&self, url: String, crawler: Option<String>) -> BoxFuture<'_, MachineResult> {
        Box::pin(async move {
            let url = self.target(&url)?;
            let crawler = crawler.unwrap_or_else(|| DEFAULT_CRAWLER.to_owned());
            let crawler = ImitatedCrawler::named(&crawler).map_err(told)?;
            let target = VerifyTarget::new(url, crawler);
            let report = SiteVerifier::new(&self.network).verify(&target).await.map_err(told)?;
            Ok(serde_json::to_value(report).unwrap_or_default())
        })
    }
}

fn told(error: impl std::fmt::Display) -> MachineError {
    MachineError(format!("{error}."))
}

fn unfinished(run: &str, status: &str, error: Option<&str>) -> Value {
    json!({ "run": { "id": run, "status": status, "errorMessage": error }, "issues": [], "pages": [] })
}

fn failed(run: &str, error: &str) -> Value {
    unfinished(run, "error", Some(error))
}

/// Makes an audit as the tools return it of the report of the command.
fn with_ids(run: &str, mut report: Value) -> Value {
    let mut pages = report["pages"].take();
    for (number, page) in pages.as_array_mut().into_iter().flatten().enumerate() {
        page["id"] = number.to_string().into();
    }
    let found = report["issueBreakdown"].as_object().into_iter().flatten();
    let issues = found.map(|(id, count)| {
        let severity = CheckId::find(id).map_or("", |check| check.check().severity.as_str());
        json!({ "issueId": id, "severity": severity, "counts": [count] })
    });
    let issues: Vec<Value> = issues.collect();
    report["id"] = run.into();
    json!({ "run": report, "issues": issues, "pages": pages })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_report_of_the_command_becomes_an_audit_as_tools_return_it() {
        let report = json!({
            "status": "success",
            "issueBreakdown": { "META_DESC_MISSING": 2 },
            "pages": [{ "path": "/" }, { "path": "/a" }],
        });

        let audit = with_ids("r1", report);

        assert_eq!((&audit["run"]["id"], &audit["run"]["status"]), (&json!("r1"), &json!("success")));
        assert_eq!(
            audit["issues"],
            json!([{ "issueId": "META_DESC_MISSING", "severity": "warning", "counts": [2] }])
        );
        assert_eq!(audit["pages"], json!([{ "path": "/", "id": "0" }, { "path": "/a", "id": "1" }]));
    }
}
