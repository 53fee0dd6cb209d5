//! Catalogue of tools: names, descriptions, costs, and the operations of the API that they call. Pure.
//! Schemas of arguments and answers come from the OpenAPI document: see `schema`.

/// Cost of a call beside the request itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ToolCost {
    /// Renders of the account's plan.
    Render,
    /// Money at AI vendors.
    Money,
}

impl ToolCost {
    /// Returns the value of `_meta.cost`.
    pub const fn as_str(self) -> &'static str {
        match self {
            ToolCost::Render => "render",
            ToolCost::Money => "money",
        }
    }
}

/// Entry of the catalogue: name, cost, and the operations of the API that the tool calls.
#[derive(Debug)]
pub struct ToolSpec {
    /// Name by which agents call it.
    pub name: &'static str,
    /// Text for agents.
    pub description: &'static str,
    /// True when a call changes nothing.
    pub is_read_only: bool,
    /// Cost of a call; none: no more than any request.
    pub cost: Option<ToolCost>,
    /// Operations of the API that it calls. The answer is that of the first one.
    pub operations: &'static [&'static str],
    /// Names of arguments. Schemas are those of the operations, or of `schema::OWN_ARGUMENTS`.
    pub arguments: &'static [&'static str],
    /// Arguments that must be given.
    pub required: &'static [&'static str],
    /// Field of the answer that is returned page by page; none: long texts are.
    pub list: Option<ToolList>,
    /// Fields at any depth whose values are untrusted text.
    pub untrusted: &'static [&'static str],
}

/// List in an answer that is returned page by page.
#[derive(Debug, Clone, Copy)]
pub struct ToolList {
    /// Field of the list.
    pub field: &'static str,
    /// JSON pointer to the number of all entries; none: the operation returns all of them.
    pub total: Option<&'static str>,
}

const fn list(field: &'static str) -> Option<ToolList> {
    Some(ToolList { field, total: None })
}

const fn paged(field: &'static str, total: &'static str) -> Option<ToolList> {
    Some(ToolList { field, total: Some(total) })
}

/// Fields of an audit with text of pages, robots.txt and headers.
const OF_AUDITS: &[&str] = &[
    "anchor",
    "canonical",
    "charset",
    "contentSignals",
    "contentType",
    "contentTypes",
    "detail",
    "effective",
    "examples",
    "extracted",
    "groups",
    "h1",
    "lastModified",
    "metaDesc",
    "metaRobots",
    "problems",
    "raw",
    "rel",
    "rendered",
    "securityHeaders",
    "socialTags",
    "title",
    "viewport",
];
/// Fields of a view with text of pages.
const OF_VIEWS: &[&str] = &["console", "headers", "html", "location", "markdown", "problems", "text"];
/// Fields of assistants' answers.
const OF_ANSWERS: &[&str] = &[
    "analysisText",
    "citationDomains",
    "citations",
    "competitorMentions",
    "errorDetail",
    "queries",
    "rawResponse",
    "retrieved",
    "spans",
];
const OF_PAGES: &[&str] = &["html", "markdown"];

const READS: ToolSpec = ToolSpec {
    name: "",
    description: "",
    is_read_only: true,
    cost: None,
    operations: &[],
    arguments: &[],
    required: &[],
    list: None,
    untrusted: &[],
};
const CHANGES: ToolSpec = ToolSpec { is_read_only: false, ..READS };
const RENDERS: ToolSpec = ToolSpec { cost: Some(ToolCost::Render), ..CHANGES };

/// All tools, in the order in which they are listed.
pub const TOOLS: &[ToolSpec] = &[
    ToolSpec {
        name: "list_domains",
        description: "Lists the domains of the account with their status.",
        operations: &["list_domains"],
        arguments: &["limit", "offset"],
        list: list("domains"),
        ..READS
    },
    ToolSpec {
        name: "add_domain",
        description: "Adds a domain to the account. Answers with the DNS records that connect it.",
        operations: &["add_domain"],
        arguments: &["domain", "originHost"],
        required: &["domain"],
        ..CHANGES
    },
    ToolSpec {
        name: "check_domain",
        description: "Checks whether a domain is connected, by DNS and by a request to the site, and promotes it when it is.",
        operations: &["check_domain"],
        arguments: &["domain"],
        required: &["domain"],
        ..CHANGES
    },
    ToolSpec {
        name: "get_page_as_crawler",
        description: "Returns the stored page that a crawler gets at an address, as HTML or Markdown. Renders nothing: \
            `render_page` does.",
        arguments: &["url", "format", "offset"],
        required: &["url"],
        untrusted: OF_PAGES,
        ..READS
    },
    ToolSpec {
        name: "render_page",
        description: "Returns a page as crawlers get it, as HTML or Markdown. Renders and stores the page when nothing fresh is \
            stored, or when `cache_invalidate` is \"1\".",
        operations: &["render_page"],
        arguments: &["url", "format", "cache_invalidate", "offset"],
        required: &["url"],
        untrusted: OF_PAGES,
        ..RENDERS
    },
    ToolSpec {
        name: "compare_views",
        description: "Shows a page as a person sees it, as a crawler gets it, and as it is without rendering. Waits 45 seconds; \
            a view that is still running has an `id`, by which the next call gets it.",
        operations: &["get_view", "take_view"],
        arguments: &["domain", "path", "width", "id", "offset"],
        untrusted: OF_VIEWS,
        ..RENDERS
    },
    ToolSpec {
        name: "list_snapshots",
        description: "Lists the stored pages of a domain: age, status, size, and errors of their last render.",
        operations: &["list_snapshots"],
        arguments: &["domain", "search", "state", "sort", "order", "limit", "offset"],
        required: &["domain"],
        list: paged("snapshots", "/total"),
        ..READS
    },
    ToolSpec {
        name: "refresh_pages",
        description: "Renders stored pages again: `paths`, or all pages of the domain, or only those that its sitemap calls \
            updated (`updatedOnly`). With `batchGroupId` alone: waits up to 45 seconds for that refresh and returns its progress.",
        operations: &[
            "invalidate_site_cache",
            "invalidate_paths_cache",
            "invalidate_updated_paths",
            "get_batch",
        ],
        arguments: &["domain", "paths", "updatedOnly", "sitemapUrl", "prewarm", "batchGroupId"],
        ..RENDERS
    },
    ToolSpec {
        name: "start_audit",
        description: "Starts an SEO audit of a domain. Without `mode` and `urls` it follows links from the home page. \
            `get_audit` waits for its results.",
        operations: &["start_run"],
        arguments: &["domain", "mode", "urls", "sitemapUrl", "newPagesOnly", "allowSampling"],
        required: &["domain"],
        ..RENDERS
    },
    ToolSpec {
        name: "get_audit",
        description: "Returns an audit with its pages: `runId`, or the newest of `domain`. Waits up to 45 seconds for one that \
            runs.",
        operations: &["get_run", "list_runs"],
        arguments: &["runId", "domain", "search", "issueId", "sort", "order", "fields", "limit", "offset"],
        list: paged("pages", "/pageTotal"),
        untrusted: OF_AUDITS,
        ..READS
    },
    ToolSpec {
        name: "list_issues",
        description: "Lists the issues that an audit found with the number of pages of each, beside those of earlier audits: \
            `runId`, or the newest of `domain`. The resource glasshouse://issues says what an issue means and how to repair it.",
        operations: &["list_run_issues", "list_runs"],
        arguments: &["runId", "domain", "limit", "offset"],
        list: list("issues"),
        ..READS
    },
    ToolSpec {
        name: "get_audited_page",
        description: "Returns all that an audit found out about one page: findings with examples, links, facts.",
        operations: &["get_run_page"],
        arguments: &["runId", "pageId", "offset"],
        required: &["runId", "pageId"],
        untrusted: OF_AUDITS,
        ..READS
    },
    ToolSpec {
        name: "crawler_visits",
        description: "Returns the visits of crawlers to a domain in the last `days`: sums, and each crawler with its visits by day.",
        operations: &["get_bots_summary", "list_crawlers"],
        arguments: &["domain", "days", "limit", "offset"],
        required: &["domain"],
        list: list("crawlers"),
        ..READS
    },
    ToolSpec {
        name: "page_insights",
        description: "Returns what is known of one page: visits of crawlers, and its state in the newest audit.",
        operations: &["get_page_insights"],
        arguments: &["url", "domain", "days"],
        required: &["url", "domain"],
        ..READS
    },
    ToolSpec {
        name: "ai_visibility",
        description: "Returns how often AI assistants name the brand of a domain: sums, and each monitored prompt.",
        operations: &["list_prompt_stats"],
        arguments: &["domain", "from", "to", "provider", "tag", "intent", "branded", "limit", "offset"],
        required: &["domain"],
        list: list("prompts"),
        untrusted: &["topCompetitor", "topCompetitors"],
        ..READS
    },
    ToolSpec {
        name: "ai_answers",
        description: "Lists answers of AI assistants to the prompts of a domain, the newest first; with `runId`: one answer with \
            its sources and searches.",
        operations: &["list_prompt_runs", "get_prompt_run"],
        arguments: &["domain", "runId", "promptId", "provider", "date", "from", "to", "limit", "offset"],
        list: paged("runs", "/summary/total"),
        untrusted: OF_ANSWERS,
        ..READS
    },
    ToolSpec {
        name: "ask_assistants",
        description: "Asks AI assistants now: a monitored prompt (`promptId`), or a new one (`domain`, `promptText`, `intent`), \
            which is monitored from then on unless `active` is 0. `ai_answers` lists the answers.",
        cost: Some(ToolCost::Money),
        operations: &["run_prompt", "change_prompt"],
        arguments: &["promptId", "providers", "samples", "domain", "promptText", "intent", "active"],
        ..CHANGES
    },
    ToolSpec {
        name: "verify_site",
        description: "Asks a site as a crawler and as a person, and says whether crawlers get pages and people the app, with the \
            remedy where they do not.",
        operations: &["verify_domain"],
        arguments: &["domain", "path", "as"],
        required: &["domain"],
        untrusted: &["detail"],
        ..READS
    },
    ToolSpec {
        name: "domain_settings",
        description: "Returns all settings of a domain, in the sections that `update_domain_settings` takes.",
        operations: &["get_domain"],
        arguments: &["domain", "offset"],
        required: &["domain"],
        ..READS
    },
    ToolSpec {
        name: "update_domain_settings",
        description: "Changes settings of a domain, section by section. Sections and fields that are left out stay as they are, \
            except in `crawlerPolicy`, `rootFiles` and `brand`, which are replaced as a whole.",
        operations: &["update_settings"],
        arguments: &[
            "domain",
            "settings",
            "sitemap",
            "rendering",
            "crawlerPolicy",
            "rootFiles",
            "indexnow",
            "auditing",
            "brand",
            "monitoring",
        ],
        required: &["domain"],
        ..CHANGES
    },
];

/// A section of a domain's settings.
#[derive(Debug)]
pub struct SettingsSection {
    /// Name of the section.
    pub name: &'static str,
    /// Operation that reads it; none: it is part of `settings`.
    pub read: Option<&'static str>,
    /// Operation that changes it.
    pub update: &'static str,
}

/// Sections of a domain's settings, in the order in which they are changed.
pub const SECTIONS: &[SettingsSection] = &[
    SettingsSection { name: "settings", read: Some("get_domain"), update: "update_settings" },
    SettingsSection { name: "sitemap", read: None, update: "update_sitemap" },
    SettingsSection { name: "rendering", read: Some("get_rendering"), update: "update_rendering" },
    SettingsSection {
        name: "crawlerPolicy",
        read: Some("get_crawler_policy"),
        update: "replace_crawler_policy",
    },
    SettingsSection { name: "rootFiles", read: Some("get_root_files"), update: "update_root_files" },
    SettingsSection { name: "indexnow", read: Some("get_indexnow"), update: "update_indexnow" },
    SettingsSection { name: "auditing", read: Some("get_auditing"), update: "update_auditing" },
    SettingsSection { name: "brand", read: Some("get_brand"), update: "replace_brand" },
    SettingsSection { name: "monitoring", read: Some("get_monitoring"), update: "update_monitoring" },
];
