//! Tools for pages: the stored page, a render, a view, a refresh, and a verification.

use axum::extract::FromRequestParts;
use http::header::{ETAG, LOCATION};
use http::{HeaderMap, StatusCode};
use serde_json::{Value, json};
use url::Url;

use super::{ToolAnswer, ToolCall, arguments, only};
use crate::refusal::ToolRefusal;
use accounts::callers::Caller;
use domains::{DomainAccess, RequestedDomain};
use platform::api::ErrorCode;
use platform::api::access::ReadDomain;
use platform::api::header_names::{RENDER_CACHE, RENDER_PARTIAL};

/// Form of a page's text.
#[derive(Clone, Copy, PartialEq, Eq)]
enum TextForm {
    Html,
    Markdown,
}

impl TextForm {
    const fn as_str(self) -> &'static str {
        match self {
            TextForm::Html => "html",
            TextForm::Markdown => "markdown",
        }
    }
}

impl ToolCall<'_> {
    /// Returns the stored page of an address, without a render and without a visit.
    pub(super) async fn stored_page(&self) -> ToolAnswer {
        let form = self.form()?;
        let limit = self.tools.callers.config.limits.url_bytes;
        let url = crawler::url::parse_target(self.required("url")?, limit)
            .map_err(|error| ToolRefusal::of_argument("url", &error.to_string()))?;
        let mut parts = self.parts()?;
        let caller = Caller::<ReadDomain>::from_request_parts(&mut parts, &self.tools.callers).await?;
        let domain = RequestedDomain::of_host(url.host_str().unwrap_or_default());
        let site = domain.site(&caller, &self.tools.domains, DomainAccess::Read).await?;
        let stored = self.tools.stored.stored_page(&site, &url).await;
        let Some(stored) = stored.map_err(platform::api::ApiError::from)? else {
            let sentence = "No page is stored for this address; render_page renders and stores it.";
            return Err(ToolRefusal::new(ErrorCode::NotFound, sentence));
        };
        let text = match (form, &stored.markdown) {
            (TextForm::Markdown, Some(markdown)) => &markdown.text,
            (TextForm::Markdown, None) => &bytes::Bytes::new(),
            (TextForm::Html, _) => &stored.page.html,
        };
        Ok(json!({
            "url": url,
            "status": stored.page.status,
            "location": stored.page.location,
            "partial": stored.page.partial,
            "createdAt": stored.page.created_at,
            form.as_str(): String::from_utf8_lossy(text),
        }))
    }

    /// Renders a page through the render endpoint, or returns what it has stored.
    pub(super) async fn rendered_page(&self) -> ToolAnswer {
        let (form, url) = (self.form()?, self.required("url")?);
        let mut asked = arguments(json!({ "url": url, "format": form.as_str() }));
        // The further parts of a page are those of the render that the first call made.
        if let Some(invalidate) = self.arguments.get("cache_invalidate").filter(|_| self.offset == 0) {
            let is_wanted = *invalidate == "1" || *invalidate == 1 || *invalidate == true;
            asked.insert("cache_invalidate".to_owned(), if is_wanted { "1" } else { "0" }.into());
        }
        let answer = self.tools.api.call(self.caller, "render_page", &asked).await?;
        let is_page = answer.headers.contains_key(RENDER_CACHE) || answer.status.is_redirection();
        if !is_page && !answer.status.is_success() {
            let refusal = ToolRefusal::of_answer(answer.status, &answer.body);
            return self.on_this_machine(refusal, form, url).await;
        }
        let header = |name| text_of(&answer.headers, name);
        let mut page = json!({
            "url": url,
            "status": answer.status.as_u16(),
            "location": header(LOCATION),
            "cache": header(RENDER_CACHE).unwrap_or_default(),
            "partial": answer.headers.contains_key(RENDER_PARTIAL),
            "etag": header(ETAG),
            form.as_str(): String::from_utf8_lossy(&answer.body),
        });
        if answer.status == StatusCode::NOT_MODIFIED {
            page["note"] = "The site's own server answers this address: it is no page, is ignored, or nothing is stored and \
                the domain renders nothing on demand."
                .into();
        }
        Ok(page)
    }

    /// Renders a page of another site in a browser of this machine.
    async fn on_this_machine(&self, refusal: ToolRefusal, form: TextForm, url: &str) -> ToolAnswer {
        let Some(machine) = self.tools.machine.as_ref().filter(|_| refusal.code() == "domain_not_owned")
        else {
            return Err(refusal);
        };
        let mut page = machine.render(url.to_owned()).await?;
        if form == TextForm::Markdown {
            let html = page["html"].take();
            let base = page["url"].as_str().and_then(|url| Url::parse(url).ok());
            let made = base.map(|base| markdown::convert(html.as_str().unwrap_or_default(), &base).text);
            page["markdown"] = made.unwrap_or_default().into();
            page.as_object_mut().map(|fields| fields.remove("html"));
        }
        Ok(page)
    }

    /// Takes a view and waits for it, or returns the one of an id.
    pub(super) async fn view(&self) -> ToolAnswer {
        let id = match self.text("id") {
            Some(id) => id.to_owned(),
            None => {
                let (domain, path) = (self.required("domain")?, self.required("path")?);
                let mut order = arguments(json!({ "domain": domain, "path": path }));
                order.extend(self.given(&["width"]));
                let taken = self.ask("take_view", order).await?;
                taken["id"].as_str().unwrap_or_default().to_owned()
            }
        };
        self.wait_for("get_view", only("id", id), |view| view["state"] != "running").await
    }

    /// Has pages rendered again, or waits for a refresh that was begun before.
    pub(super) async fn refresh(&self) -> ToolAnswer {
        if let Some(batch) = self.text("batchGroupId") {
            let is_done = |batch: &Value| batch["completedAt"].is_string();
            return self.wait_for("get_batch", only("batchGroupId", batch), is_done).await;
        }
        self.required("domain")?;
        let (operation, names) = if self.arguments.contains_key("paths") {
            ("invalidate_paths_cache", &["domain", "paths", "prewarm"][..])
        } else if self.arguments.get("updatedOnly").is_some_and(|only| *only == true) {
            ("invalidate_updated_paths", &["domain", "sitemapUrl", "prewarm"][..])
        } else {
            ("invalidate_site_cache", &["domain", "sitemapUrl", "prewarm"][..])
        };
        self.ask(operation, self.given(names)).await
    }

    /// Verifies a domain, or on this machine any site.
    pub(super) async fn verify(&self) -> ToolAnswer {
        let verified = self.ask("verify_domain", self.arguments.clone()).await;
        let machine = self.tools.machine.as_ref();
        match (verified, machine) {
            (Err(refusal), Some(machine)) if refusal.code() == "not_found" => {
                let url = format!("https://{}{}", self.required("domain")?, self.text("path").unwrap_or("/"));
                Ok(machine.verify(url, self.text("as").map(str::to_owned)).await?)
            }
            (verified, _) => verified,
        }
    }

    fn form(&self) -> Result<TextForm, ToolRefusal> {
        match self.arguments.get("format").filter(|format| !format.is_null()) {
            None => Ok(TextForm::Html),
            Some(format) if format == "html" => Ok(TextForm::Html),
            Some(format) if format == "markdown" => Ok(TextForm::Markdown),
            Some(_) => Err(ToolRefusal::of_argument("format", "must be html or markdown")),
        }
    }
}

fn text_of(headers: &HeaderMap, name: http::HeaderName) -> Option<String> {
    headers.get(name).and_then(|value| value.to_str().ok()).map(str::to_owned)
}
