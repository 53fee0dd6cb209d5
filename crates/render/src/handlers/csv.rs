//! List of snapshots as a CSV file, streamed in chunks: a domain may have a hundred thousand snapshots.

use std::sync::Arc;

use axum::body::Body;
use axum::response::{IntoResponse, Response};
use futures::stream;
use http::header;
use serde_json::Value;
use store::DbError;

use crate::model::Snapshot;
use crate::snapshot_list::{FoundSnapshots, SnapshotLists, SnapshotState};
use domains::Site;
use platform::api::csv::cell;

/// Number of rows in one chunk.
const PIECE: usize = 500;
const HEAD: &str = "url,path,status,state,htmlBytes,renderMs,createdAt,intervalSeconds,lastError\n";

/// Makes the response. An error of the database ends the stream early, and the file is then incomplete.
pub(super) fn response(lists: SnapshotLists, site: Arc<Site>, found: FoundSnapshots) -> Response {
    let name = format!("attachment; filename=\"snapshots-{}.csv\"", site.domain.host);
    let pieces = stream::try_unfold((0, lists, site, found), |(at, lists, site, found)| async move {
        if at > found.total() {
            return Ok::<_, DbError>(None);
        }
        let rows = lists.read(&site, &found, (PIECE, at)).await?;
        let mut text = if at == 0 { HEAD.to_owned() } else { String::new() };
        rows.iter().for_each(|row| write_row(&mut text, row));
        Ok(Some((text, (at + PIECE, lists, site, found))))
    });
    let headers = [
        (header::CONTENT_TYPE, "text/csv; charset=utf-8".to_owned()),
        (header::CONTENT_DISPOSITION, name),
        (header::CACHE_CONTROL, "private, no-store".to_owned()),
    ];
    (headers, Body::from_stream(pieces)).into_response()
}

fn write_row(text: &mut String, row: &Snapshot) {
    let state = match row.state {
        SnapshotState::Fresh => "fresh",
        SnapshotState::Stale => "stale",
        SnapshotState::Failing => "failing",
    };
    let cells = [
        Value::from(row.url.as_str()),
        Value::from(row.path.as_str()),
        Value::from(row.status),
        Value::from(state),
        Value::from(row.html_bytes),
        Value::from(row.render_ms),
        Value::from(row.created_at.to_string()),
        Value::from(row.interval_seconds),
        row.last_error.as_deref().map_or(Value::Null, Value::from),
    ];
    text.push_str(&cells.each_ref().map(|value| cell(Some(value))).join(","));
    text.push('\n');
}
