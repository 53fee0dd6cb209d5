//! Telemetry of the process: the log on stderr, traces to a collector, metrics for Prometheus.
//! Must never carry a key, token, password, cookie, body or query string; `docs/logging.md` lists the fields.

pub mod access_log;
mod catalogue;
pub mod process;

use std::sync::OnceLock;

use metrics_exporter_prometheus::{Matcher, PrometheusBuilder, PrometheusHandle};
use opentelemetry::trace::TracerProvider;
use opentelemetry_otlp::{SpanExporter, WithExportConfig, WithHttpConfig};
use opentelemetry_sdk::Resource;
use opentelemetry_sdk::runtime::Tokio;
use opentelemetry_sdk::trace::SdkTracerProvider;
use opentelemetry_sdk::trace::span_processor_with_async_runtime::BatchSpanProcessor;
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::util::SubscriberInitExt;
use tracing_subscriber::{EnvFilter, Layer, Registry};

use crate::config::{ServiceLogFormat, TelemetrySection};

/// Seconds at which the duration of requests is counted: from a memory hit to a page that never settles.
const DURATION_BUCKETS: &[f64] =
    &[0.0005, 0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 15.0, 30.0];

/// Reason why the log or the traces could not be set up.
#[derive(Debug, thiserror::Error)]
pub enum TelemetryError {
    /// The filter is not one.
    #[error("telemetry.log_level {0:?} is neither a level (error, warn, info, debug, trace) nor a filter")]
    BadLevel(String),
    /// The exporter refused its settings. What it says is left out, since it may name a password.
    #[error("telemetry.otlp_endpoint cannot be used")]
    Exporter,
}

/// Ends the traces properly when the process ends.
#[must_use = "dropped, it sends what is still held"]
pub struct TelemetryGuard(Option<SdkTracerProvider>);

impl TelemetryGuard {
    /// Sends what is still held.
    pub async fn flush(mut self) {
        if let Some(provider) = self.0.take() {
            // It waits for the collector, on this thread: not on one that serves.
            let _ = tokio::task::spawn_blocking(move || provider.shutdown()).await;
        }
    }
}

/// Sets the log up, and the traces when a collector is configured. `level` wins over the settings.
pub fn start(settings: &TelemetrySection, level: Option<&str>) -> Result<TelemetryGuard, TelemetryError> {
    let level = level.unwrap_or(&settings.log_level);
    let filter = filter(level).ok_or_else(|| TelemetryError::BadLevel(level.to_owned()))?;
    let log: Box<dyn Layer<Registry> + Send + Sync> = match settings.log_format {
        ServiceLogFormat::Text => {
            let is_terminal = std::io::IsTerminal::is_terminal(&std::io::stderr());
            tracing_subscriber::fmt::layer().with_writer(std::io::stderr).with_ansi(is_terminal).boxed()
        }
        ServiceLogFormat::Json => {
            let json = tracing_subscriber::fmt::layer().json().flatten_event(true).with_current_span(true);
            json.with_span_list(false).with_writer(std::io::stderr).boxed()
        }
    };
    let provider = settings.otlp_endpoint.as_ref().map(|endpoint| exporter(endpoint.as_str())).transpose()?;
    let traces = provider.as_ref().map(|provider| {
        let layer = tracing_opentelemetry::layer().with_tracer(provider.tracer("glasshouse"));
        // Spans are made at info; what the libraries below say about themselves would drown them.
        layer.with_filter(EnvFilter::new("info,hyper=off,sqlx=off"))
    });
    // A second start in one process (a test) keeps the first subscriber.
    let _ = Registry::default().with(log.with_filter(filter)).with(traces).try_init();
    log_panics();
    Ok(TelemetryGuard(provider))
}

/// Reads what is logged. A word alone that is not a level would pass for the name of a part, and silence all others.
fn filter(text: &str) -> Option<EnvFilter> {
    let text = text.trim();
    let is_word = !text.is_empty() && text.chars().all(char::is_alphanumeric);
    if is_word && text.parse::<tracing::level_filters::LevelFilter>().is_err() {
        return None;
    }
    EnvFilter::try_new(text).ok()
}

fn exporter(endpoint: &str) -> Result<SdkTracerProvider, TelemetryError> {
    // The one address outside that is not a customer's: the operator chose it, so it does not pass the guard.
    #[expect(clippy::disallowed_methods, reason = "the collector is the operator's, often on this machine")]
    let client = reqwest::Client::new();
    let base = endpoint.trim_end_matches('/');
    let address = if base.ends_with("/v1/traces") { base.to_owned() } else { format!("{base}/v1/traces") };
    let exporter =
        SpanExporter::builder().with_http().with_http_client(client).with_endpoint(address).build();
    let exporter = exporter.map_err(|_| TelemetryError::Exporter)?;
    let resource = Resource::builder().with_service_name("glasshouse").build();
    let processor = BatchSpanProcessor::builder(exporter, Tokio).build();
    Ok(SdkTracerProvider::builder().with_span_processor(processor).with_resource(resource).build())
}

/// Logs a panic in one line with its location, and without a backtrace unless `RUST_BACKTRACE` is set.
fn log_panics() {
    std::panic::set_hook(Box::new(|panic| {
        let payload = panic.payload();
        let text = payload.downcast_ref::<&str>().copied();
        let message =
            text.or_else(|| payload.downcast_ref::<String>().map(String::as_str)).unwrap_or("no message");
        let place = panic.location().map(ToString::to_string).unwrap_or_default();
        let backtrace = std::backtrace::Backtrace::capture();
        match backtrace.status() {
            std::backtrace::BacktraceStatus::Captured => {
                tracing::error!(place, %backtrace, "panic: {message}")
            }
            _ => tracing::error!(place, "panic: {message}"),
        }
    }));
}

/// Returns the process's metrics. The first call installs the recorder.
pub fn metrics() -> &'static PrometheusHandle {
    static HANDLE: OnceLock<PrometheusHandle> = OnceLock::new();
    HANDLE.get_or_init(|| {
        let builder = PrometheusBuilder::new()
            .set_buckets_for_metric(Matcher::Suffix("_seconds".to_owned()), DURATION_BUCKETS)
            .expect("there are buckets");
        let recorder = builder.build_recorder();
        let handle = recorder.handle();
        // Only this function sets a recorder, and only once.
        let _ = metrics::set_global_recorder(recorder);
        catalogue::describe_all();
        handle
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::api::envelope::AnsweredBy;

    #[test]
    fn durations_are_counted_in_buckets() {
        let handle = metrics();

        let took = std::time::Duration::from_millis(3);
        crate::api::envelope::record("/telemetry-test", 200, AnsweredBy::Service, took);

        let text = handle.render();
        let line = "glasshouse_http_request_duration_seconds_bucket{route=\"/telemetry-test\",status=\"200\",le=\"0.005\"} 1";
        assert!(text.contains(line), "{text}");
        assert!(
            text.contains(
                "# HELP glasshouse_http_requests_total Responses of the API; `answered_by` is `page` where a page's own status is relayed. Labels: route, status, answered_by."
            ),
            "{text}"
        );
        assert!(
            text.contains("glasshouse_http_requests_total{route=\"/telemetry-test\",status=\"200\",answered_by=\"service\"} 1"),
            "{text}"
        );
    }
}
