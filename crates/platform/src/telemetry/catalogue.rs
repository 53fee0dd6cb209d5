//! Every metric of the process: name, kind, labels and meaning.
//! The exporter's help texts and the table of `docs/logging.md` are written from it; `cargo xtask tidy` refuses a metric that
//! is counted and not listed. A label must never be a path or a domain: their number would grow with customers.

use metrics::{Unit, describe_counter, describe_gauge, describe_histogram};

/// Behaviour of a metric over time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum MetricKind {
    /// Only grows.
    Counter,
    /// Goes up and down.
    Gauge,
    /// Durations in buckets, in seconds.
    Histogram,
}

struct Metric {
    name: &'static str,
    kind: MetricKind,
    labels: &'static [&'static str],
    help: &'static str,
}

const METRICS: &[Metric] = &[
    Metric {
        name: "glasshouse_http_requests_total",
        kind: MetricKind::Counter,
        labels: &["route", "status", "answered_by"],
        help: "Responses of the API; `answered_by` is `page` where a page's own status is relayed.",
    },
    Metric {
        name: "glasshouse_http_request_duration_seconds",
        kind: MetricKind::Histogram,
        labels: &["route", "status"],
        help: "Time from a request's head to its response.",
    },
    Metric {
        name: "glasshouse_edge_requests_total",
        kind: MetricKind::Counter,
        labels: &["answer"],
        help: "Requests at the edge by answer: `snapshot`, `origin`, `root_file`, `refused` (by a crawler policy), `redirect`, `origin_error` (its 5xx, or none), `service_error`, `notice` (pending, unknown, malformed and the like), `own_site`.",
    },
    Metric {
        name: "glasshouse_edge_request_duration_seconds",
        kind: MetricKind::Histogram,
        labels: &["answer"],
        help: "Time from a request's head at the edge to the head of its response.",
    },
    Metric {
        name: "glasshouse_open_connections",
        kind: MetricKind::Gauge,
        labels: &["listener"],
        help: "Open connections of a listener: `edge`, `edge_tls`, `api`, `metrics`.",
    },
    Metric {
        name: "glasshouse_certificate_expiry_seconds",
        kind: MetricKind::Gauge,
        labels: &[],
        help: "Time until the first of the certificates that are served here expires.",
    },
    Metric {
        name: "glasshouse_build_info",
        kind: MetricKind::Gauge,
        labels: &["version"],
        help: "Always 1.",
    },
    Metric {
        name: "process_cpu_seconds_total",
        kind: MetricKind::Counter,
        labels: &[],
        help: "Processor time of the process, in whole seconds.",
    },
    Metric {
        name: "process_start_time_seconds",
        kind: MetricKind::Gauge,
        labels: &[],
        help: "Start of the process, in epoch seconds.",
    },
    Metric {
        name: "process_resident_memory_bytes",
        kind: MetricKind::Gauge,
        labels: &[],
        help: "Memory of the process.",
    },
    Metric { name: "process_open_fds", kind: MetricKind::Gauge, labels: &[], help: "Open file descriptors." },
    Metric {
        name: "process_max_fds",
        kind: MetricKind::Gauge,
        labels: &[],
        help: "Most file descriptors that may be open.",
    },
    Metric {
        name: "glasshouse_access_log_lines_dropped_total",
        kind: MetricKind::Counter,
        labels: &[],
        help: "Lines of the access log that were left out because more came than could be written.",
    },
    Metric {
        name: "glasshouse_pages_served_total",
        kind: MetricKind::Counter,
        labels: &["tier"],
        help: "Pages served to crawlers, by where they came from.",
    },
    Metric {
        name: "glasshouse_render_seconds",
        kind: MetricKind::Histogram,
        labels: &[],
        help: "Time of one render in the browser, without the wait for a slot.",
    },
    Metric {
        name: "glasshouse_renders_failed_total",
        kind: MetricKind::Counter,
        labels: &[],
        help: "Renders that made no page.",
    },
    Metric {
        name: "glasshouse_background_renders_skipped_total",
        kind: MetricKind::Counter,
        labels: &[],
        help: "Stale pages that were not rendered again because enough renders wait already.",
    },
    Metric {
        name: "glasshouse_unverified_renders_refused_total",
        kind: MetricKind::Counter,
        labels: &[],
        help: "Renders that unverified crawlers may not cause any more this day or month.",
    },
    Metric {
        name: "glasshouse_jobs",
        kind: MetricKind::Gauge,
        labels: &["kind", "state"],
        help: "Jobs in the queue.",
    },
    Metric {
        name: "glasshouse_jobs_oldest_seconds",
        kind: MetricKind::Gauge,
        labels: &["kind", "state"],
        help: "Age of the oldest job of its kind and state.",
    },
    Metric {
        name: "glasshouse_jobs_ended_total",
        kind: MetricKind::Counter,
        labels: &["kind", "result"],
        help: "Attempts of jobs that ended in this process.",
    },
    Metric {
        name: "glasshouse_job_duration_seconds",
        kind: MetricKind::Histogram,
        labels: &["kind"],
        help: "Time of one attempt of a job.",
    },
    Metric {
        name: "glasshouse_jobs_upkeep_seconds",
        kind: MetricKind::Histogram,
        labels: &["what"],
        help: "Time that the queue takes for itself: one claim, one sweep, one count of all depths.",
    },
    Metric {
        name: "glasshouse_visits_recorded_total",
        kind: MetricKind::Counter,
        labels: &[],
        help: "Crawler visits that were written down.",
    },
    Metric {
        name: "glasshouse_visits_folded_total",
        kind: MetricKind::Counter,
        labels: &[],
        help: "Crawler visits that were counted under (other) because of too many paths at once.",
    },
    Metric {
        name: "glasshouse_visits_dropped_total",
        kind: MetricKind::Counter,
        labels: &[],
        help: "Crawler visits that were not counted because more came than could be kept.",
    },
    Metric {
        name: "glasshouse_spool_files_damaged_total",
        kind: MetricKind::Counter,
        labels: &[],
        help: "Files of the spool with visits that could not be read; they are kept.",
    },
    Metric {
        name: "glasshouse_mention_calls_total",
        kind: MetricKind::Counter,
        labels: &["provider", "purpose", "result"],
        help: "Requests to AI providers, by purpose (answer, analysis) and result.",
    },
    Metric {
        name: "glasshouse_mention_cost_nanodollars_total",
        kind: MetricKind::Counter,
        labels: &["provider"],
        help: "Settled costs of requests to AI providers, in billionths of a US dollar.",
    },
    Metric {
        name: "glasshouse_mention_runs_total",
        kind: MetricKind::Counter,
        labels: &["provider", "result"],
        help: "Ends of attempts at runs of AI mentions.",
    },
    Metric {
        name: "glasshouse_mention_wait_seconds",
        kind: MetricKind::Histogram,
        labels: &["provider"],
        help: "Time from the making of a run to its request.",
    },
    Metric {
        name: "glasshouse_mention_breaker_openings_total",
        kind: MetricKind::Counter,
        labels: &["provider"],
        help: "Times that a failing AI provider was left alone.",
    },
];

/// Tells the installed recorder what each metric means.
pub(super) fn describe_all() {
    for metric in METRICS {
        let mut help = metric.help.to_owned();
        if !metric.labels.is_empty() {
            help.push_str(&format!(" Labels: {}.", metric.labels.join(", ")));
        }
        match metric.kind {
            MetricKind::Counter => describe_counter!(metric.name, help),
            MetricKind::Gauge => describe_gauge!(metric.name, help),
            MetricKind::Histogram => describe_histogram!(metric.name, Unit::Seconds, help),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Writes the table of the documentation.
    fn table() -> String {
        let mut table = String::from("| metric | kind | labels | meaning |\n| --- | --- | --- | --- |\n");
        for metric in METRICS {
            let kind = format!("{:?}", metric.kind).to_ascii_lowercase();
            let labels: Vec<_> = metric.labels.iter().map(|label| format!("`{label}`")).collect();
            let labels = labels.join(", ");
            table.push_str(&format!("| `{}` | {kind} | {labels} | {} |\n", metric.name, metric.help));
        }
        table
    }

    #[test]
    fn the_documentation_has_the_table_of_the_catalogue() {
        let page = include_str!("../../../../docs/logging.md");

        assert!(page.contains(&table()), "docs/logging.md is old; its table of metrics is:\n{}", table());
    }

    #[test]
    fn names_say_unit_and_kind() {
        for metric in METRICS {
            let is_total = metric.name.ends_with("_total");
            assert_eq!(is_total, metric.kind == MetricKind::Counter, "{}", metric.name);
            assert!(
                metric.kind != MetricKind::Histogram || metric.name.ends_with("_seconds"),
                "{}",
                metric.name
            );
        }
    }
}
