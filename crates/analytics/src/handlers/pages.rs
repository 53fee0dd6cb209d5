//! HTTP API of the list of crawled pages. For sessions and keys; a public token does not open it.

use std::fmt::Write as _;

use axum::extract::State;
use axum::response::{IntoResponse, Response};
use http::{HeaderMap, header};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use utoipa::{IntoParams, ToSchema};
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use super::question::{NotAnswered, Question, ReportQuery, Span, check_length, private_list};
use crate::AnalyticsState;
use crate::access::ReadAnalytics;
use crate::pages::{CrawledPage, OnlyPages, PageQuestion, PageSort};
use domains::Site;
use platform::api::csv::cell;
use platform::api::listing::{ListFormat, SortOrder};
use platform::api::openapi::Refusals;
use platform::api::{ApiError, ApiResult};

/// Maximum number of rows of one answer.
const MAX_LIMIT: u32 = 500;
const DEFAULT_LIMIT: u32 = 50;
/// Longest `search` and `provider`, in characters.
const MAX_TEXT_CHARS: usize = 500;

/// Returns the operations of this file.
pub(super) fn routes() -> OpenApiRouter<AnalyticsState> {
    OpenApiRouter::new().routes(routes!(list_crawled_pages))
}

/// Domain, days, filters and order of a list of pages.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(rename_all = "camelCase")]
struct CrawledPagesQuery {
    /// Domain of the account.
    #[param(required, example = "shop.example")]
    domain: Option<String>,
    /// First day, `yyyy-mm-dd`; 30 days ago unless given.
    #[param(example = "2026-11-01")]
    from: Option<String>,
    /// Last day, `yyyy-mm-dd`; today unless given.
    #[param(example = "2026-11-20")]
    to: Option<String>,
    /// Only paths that contain this text, in any case.
    #[param(max_length = 500)]
    search: Option<String>,
    /// Only visits of this provider's crawlers.
    #[param(example = "openai", max_length = 500)]
    provider: Option<String>,
    /// Only new pages, or only stored pages that no crawler asked for.
    #[param(inline, example = "new")]
    only: Option<OnlyPages>,
    /// Property to order by; `visits` unless given.
    #[param(inline, example = "visits")]
    sort: Option<PageSort>,
    /// Direction; `desc` unless given.
    #[param(inline, example = "desc")]
    order: Option<SortOrder>,
    /// Number of rows, 1 to 500.
    #[param(minimum = 1, maximum = 500, default = 50)]
    limit: Option<u32>,
    /// Number of rows to skip.
    #[param(default = 0)]
    offset: Option<u64>,
    /// `csv`: all rows as a file; limit and offset are ignored.
    #[param(inline, example = "csv")]
    format: Option<ListFormat>,
}

/// Pages that crawlers visited.
#[derive(Serialize, ToSchema)]
struct CrawledPageList {
    pages: Vec<CrawledPage>,
    /// Number of pages without limit and offset.
    total: usize,
}

impl ReportQuery for CrawledPagesQuery {
    fn domain(&self) -> Option<&str> {
        self.domain.as_deref()
    }

    fn span(&self) -> Span<'_> {
        Span::Dates(self.from.as_deref(), self.to.as_deref())
    }

    fn check(&self, _: Option<&str>) -> ApiResult<()> {
        check_length("search", self.search.as_deref(), MAX_TEXT_CHARS)?;
        check_length("provider", self.provider.as_deref(), MAX_TEXT_CHARS)?;
        match self.limit {
            Some(limit) if !(1..=MAX_LIMIT).contains(&limit) => {
                Err(ApiError::invalid_parameter("limit", format!("must be from 1 to {MAX_LIMIT}")))
            }
            _ => Ok(()),
        }
    }
}

impl CrawledPagesQuery {
    fn question(&self) -> PageQuestion {
        let is_file = self.format == Some(ListFormat::Csv);
        let text = |text: &Option<String>| text.clone().filter(|text| !text.is_empty());
        PageQuestion {
            search: text(&self.search),
            provider: text(&self.provider),
            only: self.only,
            sort: self.sort.unwrap_or_default(),
            is_ascending: self.order.unwrap_or_default() == SortOrder::Asc,
            limit: (!is_file).then_some(self.limit.unwrap_or(DEFAULT_LIMIT) as usize),
            offset: if is_file { 0 } else { usize::try_from(self.offset.unwrap_or(0)).unwrap_or(usize::MAX) },
        }
    }
}

/// Lists the pages that crawlers visited in a window, or the stored pages that no crawler visited.
#[utoipa::path(get, path = "/api/analytics/pages", tag = "Analytics", params(CrawledPagesQuery),
    security(("apiKey" = []), ("session" = [])),
    responses(Refusals::<ReadAnalytics, NotAnswered>,
        (status = 200, description = "The pages.", content(
            (CrawledPageList = "application/json"),
            (String = "text/csv", example = "path,visits,cache,render,origin,crawlers,providers,firstSeen,lastSeen\n\"/pricing\",4,3,1,0,2,\"openai 3; google 1\",\"2026-11-01\",\"2026-11-20\"\n")))))]
async fn list_crawled_pages(
    Question { query, window, domain, name, .. }: Question<CrawledPagesQuery>,
    request: HeaderMap,
    State(app): State<AnalyticsState>,
) -> ApiResult<Response> {
    let stored = match query.only {
        Some(OnlyPages::Unvisited) => {
            // The domain may have been removed meanwhile.
            let record = app.domains.find_by_id(&domain).await?.ok_or_else(ApiError::not_found)?;
            let urls = app.stored_pages.list(&Site::new(record)).await?;
            urls.iter().map(|url| url.path().to_owned()).collect()
        }
        Some(OnlyPages::New) | None => Vec::new(),
    };
    let (pages, total) = app.analytics.pages(&domain, window, query.question(), stored).await?;
    if query.format == Some(ListFormat::Csv) {
        let headers = [
            (header::CONTENT_TYPE, "text/csv; charset=utf-8".to_owned()),
            (header::CONTENT_DISPOSITION, format!("attachment; filename=\"crawled-pages-{name}.csv\"")),
            (header::CACHE_CONTROL, "private, no-store".to_owned()),
        ];
        return Ok((headers, csv(&pages)).into_response());
    }
    let json = move || serde_json::to_vec(&CrawledPageList { pages, total }).expect("rows are plain data");
    Ok(private_list(&request, json).await?.into_response())
}

/// Writes the rows as CSV.
fn csv(pages: &[CrawledPage]) -> String {
    let mut csv = "path,visits,cache,render,origin,crawlers,providers,firstSeen,lastSeen\n".to_owned();
    for page in pages {
        let CrawledPage { visits, cache, render, origin, crawlers, .. } = page;
        let providers: Vec<String> =
            page.providers.iter().map(|count| format!("{} {}", count.provider, count.count)).collect();
        let text = |text: Option<&str>| cell(text.map(Value::from).as_ref());
        let (path, providers) = (text(Some(&page.path)), text(Some(&providers.join("; "))));
        let (first, last) = (text(page.first_seen.as_deref()), text(page.last_seen.as_deref()));
        writeln!(csv, "{path},{visits},{cache},{render},{origin},{crawlers},{providers},{first},{last}")
            .expect("a string takes all text");
    }
    csv
}
