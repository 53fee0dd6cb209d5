//! Domains of one account, read and written by the API's own operations in this process, as the operator. So the command refuses
//! what the API refuses, and knows every setting that the API has.

use std::collections::HashMap;
use std::net::Ipv4Addr;

use anyhow::{Context as _, bail};
use assistants::analysis::brand::key;
use axum::body::{Body, to_bytes};
use http::{Request, header};
use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::file::{PROMPT_TEXT, SecretVariables, Tables, normal, prompts_by_text, unknown_tables};
use super::tables::{DomainTable, PROMPTS, RECORD, Schemas, TABLES};
use crate::app::AppState;
use accounts::Account;
use accounts::callers::Operator;
use domains::{Domain, DomainStatus};
use mentions::model::Prompt;
use mentions::service::prompts::body::PromptFields;
use mentions::service::prompts::{PromptOwner, change_prompt, delete_prompt, import_prompts, list_prompts};
use platform::api::envelope::Envelope;
use platform::config::Config;

/// Longest response of an operation: 20 root files of 512 KiB.
const MAX_RESPONSE_BYTES: usize = 64 << 20;

/// Treatment of what the service has and the file has not.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unlisted {
    Keep,
    Remove,
}

/// An account, with the services to read and change its domains.
pub struct AccountDomains {
    app: AppState,
    api: Envelope,
    operator: Operator,
    schemas: Schemas,
    account: Account,
}

impl AccountDomains {
    /// Makes the services of an account.
    pub fn new(app: &AppState, account: Account) -> AccountDomains {
        AccountDomains {
            api: app.envelope(),
            operator: Operator::acting_as(&account),
            schemas: Schemas::new(&app.platform.config),
            app: app.clone(),
            account,
        }
    }

    /// Lists the account's domains by name.
    pub async fn list(&self) -> anyhow::Result<Vec<Domain>> {
        let mut domains = self.app.domains.list(Some(&self.account.id)).await?;
        domains.sort_by(|a, b| a.host.cmp(&b.host));
        Ok(domains)
    }

    /// Adds a domain.
    pub async fn add(&self, host: &str) -> anyhow::Result<()> {
        self.call("post", "/api/dashboard/domains", host, Some(&json!({ "domain": host }))).await.map(drop)
    }

    /// Removes a domain.
    pub async fn remove(&self, host: &str) -> anyhow::Result<()> {
        self.call("delete", RECORD, host, None).await.map(drop)
    }

    /// Reads the state of a domain: all tables, and the prompts by their text. It has the secrets in the clear.
    pub async fn read(&self, host: &str) -> anyhow::Result<Tables> {
        let mut responses: HashMap<&str, Value> = HashMap::new();
        let mut state = Tables::new();
        for table in &TABLES {
            if !responses.contains_key(table.read) {
                responses.insert(table.read, self.call("get", table.read, host, None).await?);
            }
            let response = responses[table.read].clone();
            if let Some(value) = self.value_of(table, host, response).await? {
                state.insert(table.name.to_owned(), value);
            }
        }
        let mut prompts = Map::new();
        for prompt in self.prompts(host).await? {
            prompts.entry(prompt.text.clone()).or_insert_with(|| fields_of(&prompt));
        }
        state.insert(PROMPTS.to_owned(), Value::Object(prompts));
        Ok(state)
    }

    /// Returns the settings of a response. None: nobody has saved the table.
    async fn value_of(
        &self,
        table: &DomainTable,
        host: &str,
        response: Value,
    ) -> anyhow::Result<Option<Value>> {
        if response["derived"] == true {
            return Ok(None);
        }
        let mut value = normal(self.schemas.settings_of(self.schemas.of(table), response));
        if !table.secrets.is_empty() {
            let credentials = self.app.audits.settings.credentials(&self.record(host).await?).await?;
            value["headers"] = json!(credentials.headers);
            if let Some(user) = credentials.basic_auth {
                value["basicAuth"] = json!(user);
            }
        }
        if let Some(Value::Array(competitors)) = value.get_mut("competitors") {
            // Findings of the service, not settings.
            competitors.retain(|competitor| !is_discovered(competitor));
        }
        Ok(Some(value))
    }

    async fn record(&self, host: &str) -> anyhow::Result<Domain> {
        self.app.domains.find_exact(&self.account.id, host).await?.context("the domain is gone")
    }

    async fn prompts(&self, host: &str) -> anyhow::Result<Vec<Prompt>> {
        Ok(list_prompts(&self.app.mentions.db, &self.record(host).await?.id, None).await?)
    }

    /// Lists the keys of a domain in a file that do not exist.
    pub fn unknown_keys(&self, wanted: &Tables) -> Vec<String> {
        let mut unknown = unknown_tables(wanted);
        for table in TABLES.iter().filter(|table| wanted.contains_key(table.name)) {
            let value = without_references(&wanted[table.name]);
            unknown.extend(self.schemas.unknown_keys(self.schemas.of(table), &value, table.name));
            let orders = table.orders.iter().filter(|order| value.get(order).is_some());
            unknown.extend(orders.map(|order| format!("{}.{order} is no setting", table.name)));
        }
        if let Some(prompts) = wanted.get(PROMPTS) {
            let list = json!({ "items": self.schemas.of_prompt() });
            unknown.extend(self.schemas.unknown_keys(&list, prompts, PROMPTS));
        }
        unknown
    }

    /// Writes what differs of a domain's tables and prompts. The caller undoes everything when this fails. Returns lines for the
    /// operator that are not errors.
    pub async fn write(
        &self,
        host: &str,
        before: &Tables,
        wanted: &Tables,
        unlisted: Unlisted,
    ) -> anyhow::Result<Vec<String>> {
        let mut remarks = Vec::new();
        for table in TABLES.iter().filter(|table| wanted.contains_key(table.name)) {
            // Secrets belong to the origin host, which a table before may have changed.
            let current = match table.secrets.is_empty() {
                true => before.get(table.name).cloned(),
                false => {
                    let response = self.call("get", table.read, host, None).await?;
                    self.value_of(table, host, response).await?
                }
            };
            if let Some(body) = self.body(table, &current.unwrap_or_default(), wanted, &mut remarks)? {
                self.write_table(table, host, body, &mut remarks).await.context(table.name)?;
            }
        }
        if let Some(prompts) = wanted.get(PROMPTS) {
            self.write_prompts(host, prompts_by_text(prompts)?, unlisted).await?;
        }
        Ok(remarks)
    }

    /// Decides whether something of a domain may differ from the file.
    pub fn differs(&self, before: &Tables, wanted: &Tables, unlisted: Unlisted) -> anyhow::Result<bool> {
        for table in TABLES.iter().filter(|table| wanted.contains_key(table.name)) {
            let current = before.get(table.name).cloned().unwrap_or_default();
            if self.body(table, &current, wanted, &mut Vec::new())?.is_some() {
                return Ok(true);
            }
        }
        let Some(prompts) = wanted.get(PROMPTS) else { return Ok(false) };
        let (prompts, current) = (prompts_by_text(prompts)?, &before[PROMPTS]);
        let is_unlisted = |text: &String| unlisted == Unlisted::Remove && !prompts.contains_key(text);
        Ok(prompts.iter().any(|(text, prompt)| !self.prompt_patch(&current[text], prompt).is_empty())
            || current.as_object().is_some_and(|current| current.keys().any(is_unlisted)))
    }

    /// Returns the body that makes a table what the file says. None: it is.
    fn body(
        &self,
        table: &DomainTable,
        current: &Value,
        wanted: &Tables,
        remarks: &mut Vec<String>,
    ) -> anyhow::Result<Option<Value>> {
        let mut variables = SecretVariables { read: Config::secret_variable, unset: Vec::new() };
        let wanted = variables.resolve(&wanted[table.name], current, &mut vec![table.name.to_owned()])?;
        remarks.append(&mut variables.unset);
        if table.method == "put" {
            return Ok((wanted != *current).then_some(wanted));
        }
        let mut body = self.schemas.patch(self.schemas.of(table), current, &wanted);
        body.retain(|key, _| !table.orders.contains(&key.as_str()));
        Ok((!body.is_empty()).then_some(Value::Object(body)))
    }

    async fn write_table(
        &self,
        table: &DomainTable,
        host: &str,
        mut body: Value,
        remarks: &mut Vec<String>,
    ) -> anyhow::Result<()> {
        if let Some(Value::Array(listed)) = body.get_mut("competitors") {
            let response = self.call("get", table.read, host, None).await?;
            listed.extend(unnamed_discoveries(listed, &response));
        }
        let response = self.call(table.method, table.path, host, Some(&body)).await?;
        let invalid = response["invalidFields"].as_array().cloned().unwrap_or_default();
        if !invalid.is_empty() {
            bail!("not valid: {}", invalid.iter().filter_map(Value::as_str).collect::<Vec<_>>().join(", "));
        }
        if let Some(secret) = response["webhookSecret"].as_str() {
            remarks.push(format!("{}.webhookSecret, shown once: {secret}", table.name));
        }
        Ok(())
    }

    fn prompt_patch(&self, current: &Value, wanted: &Value) -> Map<String, Value> {
        let mut patch = self.schemas.patch(self.schemas.of_prompt(), current, wanted);
        // The text with blanks around it is the same text.
        if !current.is_null() {
            patch.remove(PROMPT_TEXT);
        }
        patch.retain(|_, value| !value.is_null());
        patch
    }

    /// Creates and changes prompts.
    async fn write_prompts(
        &self,
        host: &str,
        mut wanted: Map<String, Value>,
        unlisted: Unlisted,
    ) -> anyhow::Result<()> {
        let (mentions, domain) = (&self.app.mentions, self.record(host).await?);
        let owner = PromptOwner { account: &self.account.id, plan: self.account.plan };
        let is_changeable = self.account.active && domain.status != DomainStatus::Suspended;
        let check = || match is_changeable {
            true => Ok(()),
            false => bail!("prompts: the account is inactive or the domain is suspended"),
        };
        for prompt in self.prompts(host).await? {
            let Some(fields) = wanted.remove(&prompt.text) else {
                if unlisted == Unlisted::Remove {
                    check()?;
                    delete_prompt(mentions, &domain.id, prompt.id.as_str()).await?;
                }
                continue;
            };
            let patch = self.prompt_patch(&fields_of(&prompt), &fields);
            if patch.is_empty() {
                continue;
            }
            check()?;
            let change = read_prompt(Value::Object(patch), &prompt.text, PromptFields::change)?;
            let changed = change_prompt(mentions, owner, &domain.id, prompt.id.as_str(), change).await;
            changed.with_context(|| label(&prompt.text))?;
        }
        if wanted.is_empty() {
            return Ok(());
        }
        check()?;
        let texts: Vec<String> = wanted.keys().cloned().collect();
        let new = wanted
            .into_iter()
            .map(|(text, fields)| read_prompt(fields, &text, PromptFields::create).map(Some));
        let new = new.collect::<anyhow::Result<Vec<_>>>()?;
        let outcome = import_prompts(mentions, owner, &domain, new).await?;
        match outcome.refused.first() {
            Some(refused) => bail!("{}: {}", label(&texts[refused.index]), refused.error),
            None => Ok(()),
        }
    }

    /// Calls an operation of the API as the operator. Fails with its refusal.
    async fn call(
        &self,
        method: &str,
        path: &str,
        host: &str,
        body: Option<&Value>,
    ) -> anyhow::Result<Value> {
        let request = Request::builder()
            .method(method.to_uppercase().as_str())
            .uri(path.replace("{domain}", host))
            .header(header::CONTENT_TYPE, "application/json")
            .extension(self.operator.clone())
            .body(body.map_or_else(Body::empty, |body| Body::from(body.to_string())))?;
        let response = self.api.respond(request, Ipv4Addr::LOCALHOST.into()).await;
        let is_done = response.status().is_success();
        let bytes = to_bytes(response.into_body(), MAX_RESPONSE_BYTES).await?;
        let value: Value = serde_json::from_slice(&bytes).context("the service gave no JSON")?;
        if is_done { Ok(value) } else { bail!("{}", refusal(&value)) }
    }
}

/// Returns a prompt in the form of its import.
fn fields_of(prompt: &Prompt) -> Value {
    let providers: Vec<&str> = prompt.providers.iter().map(|provider| provider.as_str()).collect();
    normal(json!({
        PROMPT_TEXT: prompt.text, "intent": prompt.intent, "providers": providers,
        "monitorInterval": prompt.interval, "tags": prompt.tags.join(","), "active": u8::from(prompt.is_active),
        "personaLocation": prompt.persona.to_json(),
    }))
}

/// Reads the fields of a prompt, and checks them by `check`.
fn read_prompt<T>(
    fields: Value,
    text: &str,
    check: impl FnOnce(PromptFields) -> Result<T, Vec<(String, String)>>,
) -> anyhow::Result<T> {
    let fields = PromptFields::deserialize(fields).with_context(|| label(text))?;
    check(fields).map_err(|issues| {
        let issues = issues.into_iter().map(|(path, message)| format!("{path} {message}"));
        anyhow::anyhow!("{}: {}", label(text), issues.collect::<Vec<_>>().join("; "))
    })
}

fn label(text: &str) -> String {
    format!("{PROMPTS}, {text:?}")
}

fn is_discovered(competitor: &Value) -> bool {
    competitor["status"] == "discovered"
}

/// Lists the competitors that the service found and that a list does not name, for a body that would remove them.
fn unnamed_discoveries(listed: &[Value], response: &Value) -> Vec<Value> {
    let named: Vec<String> = listed.iter().flat_map(names_of).collect();
    let found = response["competitors"].as_array().into_iter().flatten();
    found
        .filter(|competitor| {
            is_discovered(competitor) && !names_of(competitor).iter().any(|name| named.contains(name))
        })
        .cloned()
        .collect()
}

fn names_of(competitor: &Value) -> Vec<String> {
    let aliases = competitor["aliases"].as_array().into_iter().flatten();
    aliases.chain([&competitor["name"]]).filter_map(|name| name.as_str().map(key)).collect()
}

/// Removes references to environment variables, whose keys are none of the API's.
fn without_references(value: &Value) -> Value {
    match value {
        Value::Object(object) if object.len() == 1 && object.contains_key("env") => Value::Null,
        Value::Object(object) => Value::Object(
            object.iter().map(|(key, value)| (key.clone(), without_references(value))).collect(),
        ),
        Value::Array(list) => list.iter().map(without_references).collect(),
        value => value.clone(),
    }
}

/// Returns the sentence of a refusal of the API.
fn refusal(body: &Value) -> String {
    let issues = body["issues"].as_array().into_iter().flatten();
    let issues: Vec<String> = issues
        .map(|issue| {
            let part = |key: &str| issue[key].as_str().unwrap_or_default().to_owned();
            format!("{} {}", part("path"), part("message"))
        })
        .collect();
    if !issues.is_empty() {
        return issues.join("; ");
    }
    let code = body["error"].as_str().unwrap_or("internal_error");
    let rest: Map<String, Value> =
        body.as_object().cloned().unwrap_or_default().into_iter().filter(|(key, _)| key != "error").collect();
    if rest.is_empty() { code.to_owned() } else { format!("{code} {}", Value::Object(rest)) }
}
