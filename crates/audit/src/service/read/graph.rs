//! The link graph of a run as a picture shows it: pages with the most links to them, and the links between these.

use std::cmp::Reverse;
use std::collections::{BTreeSet, HashMap};

use audit_engine::engine::LinkEntry;
use serde::Serialize;
use utoipa::ToSchema;

use super::AuditReader;
use super::rows::RowReader;
use crate::model::Run;
use crate::segments::ReadError;
use crate::stored::{PartKind, page_id, show_page_id};

/// Links in one answer.
const MOST_EDGES: usize = 20_000;

/// Pages with the most links to them, and the links between these.
#[derive(Debug, Default, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct LinkGraph {
    /// Pages, those with the most links to them first.
    pub nodes: Vec<GraphNode>,
    /// Links between these pages: positions in `nodes` of the page that it stands on and of the page that it leads to. Each pair
    /// once, at most 20,000.
    #[schema(example = json!([[0, 1], [1, 0]]))]
    pub edges: Vec<GraphEdge>,
    /// Pages of the run.
    pub page_total: usize,
    /// Links between the pages of `nodes`, those that are left out of `edges` too.
    pub edge_total: usize,
}

/// Link between two pages of the graph: positions of the page with the link and of its target.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, ToSchema)]
pub struct GraphEdge(u16, u16);

/// A page of the graph.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct GraphNode {
    #[schema(examples("5f0c8d1b2a7e4c39"))]
    pub id: String,
    #[schema(examples("/pricing"))]
    pub path: String,
    /// Status of the page; 0: no response, or robots.txt forbids it.
    pub status_code: u16,
    /// 0 to 100, one decimal.
    pub health_score: f64,
    /// Clicks from the start; null: nothing leads to it, or the run goes on.
    #[schema(required = true)]
    pub depth: Option<u32>,
    /// Pages of the site that link to it.
    pub inlink_count: u32,
}

impl LinkGraph {
    /// Reads the link graph of a run with at most `limit` pages.
    pub async fn read(reader: &AuditReader, run: &Run, limit: usize) -> Result<LinkGraph, ReadError> {
        let index = reader.segments.index(run).await?;
        let mut rows: Vec<usize> = (0..index.len()).collect();
        // Rows are sorted by path, and so are pages with equally many links.
        rows.sort_by_key(|row| Reverse(index.inlinks[*row]));
        rows.truncate(limit);
        let node = |row: &usize| GraphNode {
            id: show_page_id(page_id(&index.paths[*row])),
            path: index.paths[*row].clone(),
            status_code: index.status[*row],
            health_score: f64::from(index.health[*row]) / 10.0,
            depth: index.depth.get(*row).copied().flatten(),
            inlink_count: index.inlinks[*row],
        };
        let nodes: Vec<GraphNode> = rows.iter().map(node).collect();
        // Two thousand pages can have four million links between them.
        let places: HashMap<&str, u16> = nodes.iter().map(|node| node.path.as_str()).zip(0..).collect();
        let mut in_order: Vec<(usize, u16)> = rows.iter().copied().zip(0..).collect();
        in_order.sort_unstable();
        let mut edges: Vec<GraphEdge> = Vec::new();
        let mut links_of_rows = RowReader::new(reader, run, PartKind::Links);
        for (row, from) in in_order {
            let links: Vec<LinkEntry<'static>> = links_of_rows.read(row).await?.unwrap_or_default();
            let places = links.iter().filter_map(|link| places.get(&*link.to).copied());
            let others: BTreeSet<u16> = places.filter(|to| *to != from).collect();
            edges.extend(others.into_iter().map(|to| GraphEdge(from, to)));
        }
        edges.sort_unstable();
        let edge_total = edges.len();
        edges.truncate(MOST_EDGES);
        Ok(LinkGraph { nodes, edges, page_total: index.len(), edge_total })
    }
}
