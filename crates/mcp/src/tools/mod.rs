//! Calls of tools: checks the arguments, calls the operations, and shapes the answer.

mod audits;
mod pages;
mod settings;
mod visits;

use std::sync::{Arc, LazyLock};
use std::time::Duration;

use axum::Router;
use http::Method;
use rmcp::model::Tool;
use serde_json::{Value, json};

use crate::answer::{AnswerPart, shape};
use crate::api::{Api, ToolCaller};
use crate::catalogue::{TOOLS, ToolSpec};
use crate::operations::Arguments;
use crate::ports::ThisMachine;
use crate::refusal::ToolRefusal;
use crate::schema::ToolSchemas;
use accounts::callers::Callers;
use domains::DomainsService;
use platform::clock::Clock;
use render::PagesForViews;

/// Entries of a list unless `limit` is given.
const DEFAULT_LIMIT: usize = 50;
/// Greatest `limit`, as of the API.
const MAX_LIMIT: usize = 500;
/// Time for which a call waits for work in the background. Clients give up after a minute.
const LONGEST_WAIT: Duration = Duration::from_secs(45);
const POLL_INTERVAL: Duration = Duration::from_millis(500);

/// Services from which tools are made.
pub struct ToolParts {
    /// Router of the API.
    pub router: Router,
    /// Maker of the tools' schemas.
    pub schemas: fn() -> ToolSchemas,
    pub callers: Callers,
    pub domains: DomainsService,
    pub stored: PagesForViews,
    pub clock: Clock,
    /// Work for addresses of any site; none: only those of the account.
    pub machine: Option<Arc<dyn ThisMachine>>,
}

/// Tools of this process. Cheap to clone.
#[derive(Clone)]
pub struct ToolBox(Arc<ToolBoxParts>);

struct ToolBoxParts {
    api: Api,
    callers: Callers,
    domains: DomainsService,
    stored: PagesForViews,
    clock: Clock,
    machine: Option<Arc<dyn ThisMachine>>,
}

/// Call of a tool.
struct ToolCall<'a> {
    tools: &'a ToolBoxParts,
    spec: &'static ToolSpec,
    caller: &'a ToolCaller,
    arguments: &'a Arguments,
    offset: usize,
}

type ToolAnswer = Result<Value, ToolRefusal>;

/// Finds a tool by its name.
pub fn find_tool(name: &str) -> Option<&'static ToolSpec> {
    TOOLS.iter().find(|spec| spec.name == name)
}

impl ToolBox {
    /// Makes the tools.
    pub fn new(parts: ToolParts) -> ToolBox {
        let ToolParts { router, schemas, callers, domains, stored, clock, machine } = parts;
        let api = Api { router, schemas: LazyLock::new(schemas) };
        ToolBox(Arc::new(ToolBoxParts { api, callers, domains, stored, clock, machine }))
    }

    /// Returns the tools with their schemas.
    pub fn list(&self) -> &[Tool] {
        &self.0.api.schemas.tools
    }

    /// Calls a tool.
    pub async fn call(
        &self,
        spec: &'static ToolSpec,
        caller: &ToolCaller,
        arguments: &Arguments,
    ) -> ToolAnswer {
        check_names(spec, arguments)?;
        let offset = number(arguments, "offset")?.unwrap_or(0);
        let limit = number(arguments, "limit")?.unwrap_or(DEFAULT_LIMIT);
        if !(1..=MAX_LIMIT).contains(&limit) {
            return Err(ToolRefusal::of_argument("limit", "must be from 1 to 500"));
        }
        let call = ToolCall { tools: &self.0, spec, caller, arguments, offset };
        let answer = Box::pin(call.answer(limit)).await?;
        let first = spec.operations.first().and_then(|id| self.0.api.schemas.operations.get(*id));
        let is_cut_already = first.is_some_and(|operation| operation.takes_offset());
        Ok(shape(spec, answer, AnswerPart { offset, limit, is_cut_already }))
    }
}

impl ToolCall<'_> {
    async fn answer(&self, limit: usize) -> ToolAnswer {
        match self.spec.name {
            "get_page_as_crawler" => self.stored_page().await,
            "render_page" => self.rendered_page().await,
            "compare_views" => self.view().await,
            "refresh_pages" => self.refresh().await,
            "start_audit" => self.start_audit().await,
            "get_audit" => self.audit(limit).await,
            "list_issues" => self.audit_issues().await,
            "get_audited_page" => self.audited_page().await,
            "crawler_visits" => self.crawler_visits().await,
            "ai_answers" => self.assistants_answers(limit).await,
            "ask_assistants" => self.ask_assistants().await,
            "verify_site" => self.verify().await,
            "domain_settings" => self.settings().await,
            "update_domain_settings" => self.update_settings().await,
            _ => self.operation(limit).await,
        }
    }

    /// Calls the tool's only operation with all arguments.
    async fn operation(&self, limit: usize) -> ToolAnswer {
        let mut arguments = self.arguments.clone();
        if self.spec.arguments.contains(&"limit") {
            arguments.insert("limit".to_owned(), limit.into());
        }
        let operation = self.spec.operations.first().copied().unwrap_or_default();
        self.ask(operation, arguments).await
    }

    async fn ask(&self, operation: &str, arguments: Arguments) -> ToolAnswer {
        self.tools.api.json(self.caller, operation, &arguments).await
    }

    /// Asks an operation until `is_done` of its answer, or until the longest wait is over.
    async fn wait_for(
        &self,
        operation: &str,
        arguments: Arguments,
        is_done: impl Fn(&Value) -> bool,
    ) -> ToolAnswer {
        let mut left = LONGEST_WAIT;
        loop {
            let answer = self.ask(operation, arguments.clone()).await?;
            if is_done(&answer) || left.is_zero() {
                return Ok(answer);
            }
            tokio::time::sleep(POLL_INTERVAL).await;
            left = left.saturating_sub(POLL_INTERVAL);
        }
    }

    /// Returns an argument that is a text. An empty one is none.
    fn text(&self, name: &str) -> Option<&str> {
        self.arguments.get(name).and_then(Value::as_str).filter(|text| !text.is_empty())
    }

    fn required(&self, name: &str) -> Result<&str, ToolRefusal> {
        self.text(name).ok_or_else(|| ToolRefusal::of_argument(name, "is missing, or is no text"))
    }

    /// Returns the arguments of these names that were given.
    fn given(&self, names: &[&str]) -> Arguments {
        let is_wanted = |name: &str| names.contains(&name);
        let given = self.arguments.iter().filter(|(name, _)| is_wanted(name));
        given.map(|(name, value)| (name.clone(), value.clone())).collect()
    }

    /// Makes the parts of a request of the caller for an extractor.
    fn parts(&self) -> Result<http::request::Parts, ToolRefusal> {
        let parts = self.caller.parts(Method::GET, "/");
        parts.map_err(|error| ToolRefusal::of_argument("", &error.to_string()))
    }
}

/// Refuses arguments that the tool does not have, and requires those that it needs.
fn check_names(spec: &ToolSpec, arguments: &Arguments) -> Result<(), ToolRefusal> {
    if let Some(unknown) = arguments.keys().find(|name| !spec.arguments.contains(&name.as_str())) {
        let problem = format!("is no argument of {}; it takes {}", spec.name, spec.arguments.join(", "));
        return Err(ToolRefusal::of_argument(unknown, &problem));
    }
    let is_missing = |name: &&&str| arguments.get(**name).is_none_or(Value::is_null);
    match spec.required.iter().find(is_missing) {
        Some(missing) => Err(ToolRefusal::of_argument(missing, "is missing")),
        None => Ok(()),
    }
}

fn number(arguments: &Arguments, name: &str) -> Result<Option<usize>, ToolRefusal> {
    match arguments.get(name) {
        None | Some(Value::Null) => Ok(None),
        Some(value) => match value.as_u64() {
            Some(number) => Ok(Some(usize::try_from(number).unwrap_or(usize::MAX / 2))),
            None => Err(ToolRefusal::of_argument(name, "must be a whole number from 0")),
        },
    }
}

/// Makes arguments of an object.
fn arguments(value: Value) -> Arguments {
    match value {
        Value::Object(arguments) => arguments,
        _ => Arguments::new(),
    }
}

/// Makes the arguments of an operation that only takes an id or a name.
fn only(name: &str, value: impl Into<Value>) -> Arguments {
    arguments(json!({ name: value.into() }))
}
