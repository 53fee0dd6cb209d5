//! Kinds of answers of the edge, by which its requests are counted and timed. Used by the handlers. Must never count an origin's
//! error as an error of the service.

use std::time::Duration;

use http::StatusCode;

use super::pages::NoticePage;

/// Kind of an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AnswerKind {
    /// A page that was stored or rendered for a crawler.
    Snapshot,
    /// An answer of the origin.
    Origin,
    /// A refusal by the domain's crawler policy.
    Refused,
    /// A file at the site's root that the edge serves.
    RootFile,
    /// A redirect of the domain's settings, or to https.
    Redirect,
    /// A 5xx of the origin, or a page that says that the origin did not answer.
    OriginError,
    /// A failure of the service itself.
    ServiceError,
    /// A page or line about the domain or the request: pending, suspended, unknown, malformed.
    Notice,
    /// A proof of control over a host, or a page of the installation's own site.
    OwnSite,
}

impl AnswerKind {
    /// Returns the kind of an origin's answer.
    pub fn of_origin(status: StatusCode) -> AnswerKind {
        if status.is_server_error() { AnswerKind::OriginError } else { AnswerKind::Origin }
    }

    /// Returns the kind of one of the edge's own pages.
    pub const fn of_notice(page: NoticePage) -> AnswerKind {
        match page {
            NoticePage::OriginDown | NoticePage::OriginSlow | NoticePage::OriginBusy | NoticePage::Loop => {
                AnswerKind::OriginError
            }
            NoticePage::Unavailable => AnswerKind::ServiceError,
            NoticePage::Pending
            | NoticePage::Suspended
            | NoticePage::UnknownHost
            | NoticePage::BadRequest
            | NoticePage::ClientStopped
            | NoticePage::Method => AnswerKind::Notice,
        }
    }

    /// Counts an answer of this kind and records its duration.
    pub fn record(self, took: Duration) {
        let answer = match self {
            AnswerKind::Snapshot => "snapshot",
            AnswerKind::Origin => "origin",
            AnswerKind::Refused => "refused",
            AnswerKind::RootFile => "root_file",
            AnswerKind::Redirect => "redirect",
            AnswerKind::OriginError => "origin_error",
            AnswerKind::ServiceError => "service_error",
            AnswerKind::Notice => "notice",
            AnswerKind::OwnSite => "own_site",
        };
        metrics::counter!("glasshouse_edge_requests_total", "answer" => answer).increment(1);
        metrics::histogram!("glasshouse_edge_request_duration_seconds", "answer" => answer)
            .record(took.as_secs_f64());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_origins_error_is_none_of_the_service() {
        assert_eq!(AnswerKind::of_origin(StatusCode::BAD_GATEWAY), AnswerKind::OriginError);
        assert_eq!(AnswerKind::of_origin(StatusCode::NOT_FOUND), AnswerKind::Origin);
        assert_eq!(AnswerKind::of_notice(NoticePage::OriginDown), AnswerKind::OriginError);
        assert_eq!(AnswerKind::of_notice(NoticePage::Pending), AnswerKind::Notice);
        assert_eq!(AnswerKind::of_notice(NoticePage::Unavailable), AnswerKind::ServiceError);
    }
}
