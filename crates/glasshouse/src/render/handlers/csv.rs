//! The list of snapshots as a file, written piece by piece: a domain may have a hundred thousand.

use std::sync::Arc;

use axum::body::Body;
use axum::response::{IntoResponse, Response};
use futures::stream;
use http::header;
use store::DbError;

use crate::domains::Site;
use crate::render::model::Snapshot;
use crate::render::snapshot_list::{FoundSnapshots, SnapshotLists, SnapshotState};

/// Rows of one piece.
const PIECE: usize = 500;
const HEAD: &str = "url,path,status,state,htmlBytes,renderMs,createdAt,intervalSeconds,lastError\n";

/// Makes the response. A file that breaks off is not complete.
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
        row.url.clone(),
        row.path.clone(),
        row.status.to_string(),
        state.to_owned(),
        row.html_bytes.to_string(),
        row.render_ms.to_string(),
        row.created_at.to_string(),
        row.interval_seconds.to_string(),
        row.last_error.clone().unwrap_or_default(),
    ];
    text.push_str(&cells.map(cell).join(","));
    text.push('\n');
}

/// Quotes a cell where it must be. One that a spreadsheet would take for a formula gets an apostrophe.
fn cell(text: String) -> String {
    let text = if text.starts_with(['=', '+', '-', '@', '\t', '\r']) { format!("'{text}") } else { text };
    match text.contains([',', '"', '\n', '\r']) {
        true => format!("\"{}\"", text.replace('"', "\"\"")),
        false => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cell_is_one_cell_and_no_formula() {
        let cells = ["a", "a,b", "say \"a\"", "=1+1"].map(|text| cell(text.to_owned()));

        assert_eq!(cells, ["a", "\"a,b\"", "\"say \"\"a\"\"\"", "'=1+1"]);
    }
}
