//! Common parameters of the reports: domain, days and visits that count. One extractor serves all reports, so that their
//! parameters mean the same and are checked in the same order: caller, parameters, ownership of the domain.

use std::io::Write as _;

use axum::Json;
use axum::extract::FromRequestParts;
use axum::response::IntoResponse;
use http::request::Parts;
use http::{HeaderMap, header};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::AnalyticsState;
use crate::access::{ReadAnalytics, StatsReader};
use crate::model::{Day, parse_day};
use crate::service::{DEFAULT_DAYS, MAX_DAYS, Scope};
use accounts::callers::Caller;
use domains::DomainId;
use platform::api::accept::takes_gzip;
use platform::api::access::{Access, Rate};
use platform::api::openapi::own_errors;
use platform::api::{ApiError, ApiResult, AppQuery};

own_errors! {
    /// Errors of a parameter, and of a domain that is not the caller's.
    pub NotAnswered: InvalidRequest, ApiKeyDomainScopeMismatch, DomainNotOwned;
}

/// Days of a report.
pub enum Span<'a> {
    /// Number of last days, today included.
    Last(Option<u32>),
    /// First and last day.
    Dates(Option<&'a str>, Option<&'a str>),
}

/// Parameters of a report. By default no public token opens the report, and all visits but impostors' count.
pub trait ReportQuery: DeserializeOwned + Send {
    /// True when the public token of a domain opens the report.
    const OPEN_TO_TOKENS: bool = false;
    /// Requests that a public token may make.
    const RATE_OF_TOKENS: Rate = ReadAnalytics::RATE;

    /// Returns the requested domain. A token carries its own.
    fn domain(&self) -> Option<&str>;

    /// Returns the requested days.
    fn span(&self) -> Span<'_>;

    /// Returns the visits that count beside those answered with a snapshot.
    fn include(&self) -> Option<Include> {
        Some(Include::Origin)
    }

    /// Checks the other parameters for a domain of this name, whoever owns it; none: no domain has such a name.
    fn check(&self, _host: Option<&str>) -> ApiResult<()> {
        Ok(())
    }
}

/// Least size of a compressed report, in bytes. A shorter one fits into one packet.
const MIN_PACKED_BYTES: usize = 1_400;
/// Compression level. Lists of paths shrink to a twentieth in a fifth of the time of the default level.
const COMPRESSION_LEVEL: u32 = 2;

/// Visits that count beside those answered with a snapshot.
#[derive(Debug, Clone, Copy, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum Include {
    /// Visits that the site's own server answered.
    Origin,
}

/// Checked request for a report.
pub struct Question<Q> {
    /// Parameters of the request.
    pub query: Q,
    /// Visits that count.
    pub scope: Scope,
    /// First and last day, both included.
    pub window: (Day, Day),
    /// The domain record.
    pub domain: DomainId,
    pub name: String,
}

impl<Q: ReportQuery> FromRequestParts<AnalyticsState> for Question<Q> {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, app: &AnalyticsState) -> ApiResult<Question<Q>> {
        let reader = match Q::OPEN_TO_TOKENS {
            true => StatsReader::find(parts, app, Q::RATE_OF_TOKENS).await?,
            false => StatsReader::Account(Caller::from_request_parts(parts, app).await?),
        };
        let AppQuery(query) = AppQuery::<Q>::from_request_parts(parts, app).await?;
        let window = match query.span() {
            Span::Last(days) => app.analytics.window(self::days(days)?),
            Span::Dates(from, to) => dates(from, to, app.analytics.today())?,
        };
        let scope = match query.include() {
            None => Scope::Snapshots,
            Some(Include::Origin) => Scope::WithOrigin,
        };
        let name = reader.name(query.domain())?;
        if reader.own_host().is_some() {
            // A domain other than the token's is refused before the other parameters are checked.
            reader.domain(app, name.as_deref()).await?;
        }
        query.check(reader.own_host().or(name.as_deref()))?;
        let (domain, name) = reader.domain(app, name.as_deref()).await?;
        Ok(Question { query, scope, window, domain, name })
    }
}

/// Makes a response that no cache stores. Its address may hold a token, so browsers send other sites no `Referer`.
pub fn private<T: Serialize>(report: T) -> impl IntoResponse {
    ([(header::CACHE_CONTROL, "private, no-store"), (header::REFERRER_POLICY, "no-referrer")], Json(report))
}

/// Makes such a response of a report that may have megabytes. `json` writes the report on a blocking thread, which also
/// compresses it for clients that accept gzip.
pub async fn private_list<W: FnOnce() -> Vec<u8> + Send + 'static>(
    request: &HeaderMap,
    json: W,
) -> ApiResult<impl IntoResponse + use<W>> {
    let takes_gzip = takes_gzip(request);
    let written = tokio::task::spawn_blocking(move || packed(json(), takes_gzip));
    let (body, is_packed) = written.await.expect("writing a report does not panic")?;
    let headers = [
        (header::CONTENT_TYPE, "application/json"),
        (header::CACHE_CONTROL, "private, no-store"),
        (header::REFERRER_POLICY, "no-referrer"),
        (header::VARY, "accept-encoding"),
    ];
    Ok((headers, is_packed.then_some([(header::CONTENT_ENCODING, "gzip")]), body))
}

/// Compresses a report's JSON when the client accepts gzip and the report is large. Returns true with compressed bytes.
fn packed(json: Vec<u8>, takes_gzip: bool) -> ApiResult<(Vec<u8>, bool)> {
    if !takes_gzip || json.len() < MIN_PACKED_BYTES {
        return Ok((json, false));
    }
    let packed = Vec::with_capacity(json.len() / 8);
    let mut packer = flate2::write::GzEncoder::new(packed, flate2::Compression::new(COMPRESSION_LEVEL));
    packer.write_all(&json).map_err(ApiError::internal)?;
    Ok((packer.finish().map_err(ApiError::internal)?, true))
}

/// Returns the number of days to look back at, or the default.
pub fn days(days: Option<u32>) -> ApiResult<u32> {
    let days = days.unwrap_or(DEFAULT_DAYS);
    if (1..=MAX_DAYS).contains(&days) {
        return Ok(days);
    }
    Err(ApiError::invalid_parameter("days", format!("must be from 1 to {MAX_DAYS}")))
}

/// Refuses a text that is too long.
pub fn check_length(name: &str, text: Option<&str>, most: usize) -> ApiResult<()> {
    if text.is_some_and(|text| text.chars().count() > most) {
        return Err(ApiError::invalid_parameter(name, format!("is longer than {most} characters")));
    }
    Ok(())
}

/// Returns the days from one to another, both included. Without `from` they begin 30 days ago, or 30 days before an earlier `to`.
fn dates(from: Option<&str>, to: Option<&str>, today: Day) -> ApiResult<(Day, Day)> {
    let read = |name: &str, text: Option<&str>| {
        text.map(|text| {
            parse_day(text)
                .ok_or_else(|| ApiError::invalid_parameter(name, "must be a day such as 2026-11-20"))
        })
        .transpose()
    };
    let to = read("to", to)?.unwrap_or(today);
    let from = read("from", from)?.unwrap_or(to.min(today) - i64::from(DEFAULT_DAYS));
    if from > to {
        return Err(ApiError::invalid_parameter("from", "is after to"));
    }
    Ok((from, to))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_window_without_a_beginning_covers_31_days() {
        let today = 20_000;
        let on = |from, to| dates(from, to, today).ok();

        assert_eq!(on(None, None), Some((19_970, 20_000)));
        assert_eq!(on(None, Some("2024-10-01")), Some((19_967, 19_997)));
        assert_eq!(on(Some("2024-10-01"), None), Some((19_997, 20_000)));
        assert_eq!(on(Some("2024-10-02"), Some("2024-10-01")), None);
    }
}
