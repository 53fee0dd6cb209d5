//! The graph of links, as numbers in one list: a large site has millions of links. Exists while rows are joined.

use super::{Inlinks, Row, Rows, UrlId};
use crate::checks::MAX_EXAMPLES;

/// Pages below which a tenth of them says nothing.
const LEAST_SCORED: usize = 20;
const SWEEPS: usize = 20;
const DAMPING: f64 = 0.85;
/// Destination of an address whose redirect leads away from the site, or to no valid address.
const NOWHERE: u32 = u32::MAX;
/// Destination of an address whose redirect leads to one without a row.
const UNKNOWN: u32 = u32::MAX - 1;

/// Links between rows, each row by its place in their order.
pub(super) struct Graph {
    /// Row by row: twice the target, and one more when the link has nofollow.
    links: Vec<u32>,
    /// End of each row's links in the list.
    ends: Vec<usize>,
    /// Destination of each row: the row at the end of its redirects.
    leads_to: Vec<u32>,
}

/// Results of the graph, by the rows' places.
#[derive(Default)]
pub(super) struct Linking {
    /// Links to each row.
    pub inlinks: Vec<Inlinks>,
    /// The first pages that link to each row, one row after the other.
    pub from: Vec<UrlId>,
    /// Minimum number of links from a seed; none when no seed leads there.
    pub depths: Vec<Option<u32>>,
    /// Link scores, 0 to 100.
    pub scores: Vec<f32>,
    /// Rows whose link score is in the lowest tenth.
    pub low_scores: Vec<bool>,
}

impl Graph {
    /// Makes a graph without links, with capacity for `links`. `end_of` returns the end of an address's redirects.
    pub fn new(rows: &Rows, links: usize, end_of: impl Fn(UrlId) -> Option<UrlId>) -> Graph {
        let leads_to = rows.iter().enumerate().map(|(place, row)| match (&row.redirect, end_of(row.id)) {
            (None, _) => place as u32,
            (Some(_), None) => NOWHERE,
            (Some(_), Some(end)) => rows.place(end).map_or(UNKNOWN, |place| place as u32),
        });
        Graph {
            links: Vec::with_capacity(links),
            ends: Vec::with_capacity(rows.len()),
            leads_to: leads_to.collect(),
        }
    }

    /// Adds the links of the next row.
    pub fn add(&mut self, links: impl Iterator<Item = (usize, bool)>) {
        self.links.extend(links.map(|(place, is_nofollow)| (place as u32) << 1 | u32::from(is_nofollow)));
        self.ends.push(self.links.len());
    }

    /// Computes the results of the graph.
    pub fn linking(&self, rows: &Rows) -> Linking {
        let rows: Vec<&Row> = rows.iter().collect();
        let (inlinks, from) = self.count_inlinks(&rows);
        let pages: Vec<bool> = rows.iter().map(|row| row.is_indexable()).collect();
        let (scores, low_scores) = scores(&self.visits(&rows, &pages), &pages);
        Linking { inlinks, from, depths: self.measure_depths(&rows), scores, low_scores }
    }

    /// Targets of a row's links, and whether each has nofollow.
    fn of(&self, place: usize) -> impl Iterator<Item = (u32, bool)> {
        let start = if place == 0 { 0 } else { self.ends[place - 1] };
        self.links[start..self.ends[place]].iter().map(|link| (link >> 1, link & 1 == 1))
    }

    /// Returns the row at which a link ends; the redirect itself when its redirects end nowhere.
    fn end(&self, to: u32) -> Option<u32> {
        match self.leads_to[to as usize] {
            NOWHERE => Some(to),
            UNKNOWN => None,
            end => Some(end),
        }
    }

    fn count_inlinks(&self, rows: &[&Row]) -> (Vec<Inlinks>, Vec<UrlId>) {
        let mut inlinks = vec![Inlinks::default(); rows.len()];
        let mut targets = Vec::new();
        for place in 0..rows.len() {
            self.targets_of(place, &mut targets);
            for (target, is_followed, is_nofollowed) in &targets {
                let inlinks = &mut inlinks[*target as usize];
                inlinks.pages += 1;
                inlinks.followed += u32::from(*is_followed);
                inlinks.nofollowed += u32::from(*is_nofollowed);
            }
        }
        let mut named = 0;
        for inlinks in &mut inlinks {
            inlinks.first = named;
            named += inlinks.named();
        }
        let (mut from, mut filled) = (vec![UrlId::default(); named], vec![0_u8; rows.len()]);
        for (place, row) in rows.iter().enumerate() {
            self.targets_of(place, &mut targets);
            for (target, ..) in &targets {
                let (inlinks, filled) = (&inlinks[*target as usize], &mut filled[*target as usize]);
                if usize::from(*filled) < inlinks.named() {
                    from[inlinks.first + usize::from(*filled)] = row.id;
                    *filled += 1;
                }
            }
        }
        (inlinks, from)
    }

    /// Collects the rows that a row links to, directly or by redirects: whether any link may be followed, and whether
    /// any may not.
    fn targets_of(&self, place: usize, targets: &mut Vec<(u32, bool, bool)>) {
        targets.clear();
        for (to, is_nofollow) in self.of(place) {
            let end = self.end(to).filter(|end| *end != to);
            let ends = [Some(to), end].into_iter().flatten().filter(|target| *target as usize != place);
            targets.extend(ends.map(|target| (target, !is_nofollow, is_nofollow)));
        }
        targets.sort_unstable_by_key(|(target, ..)| *target);
        targets.dedup_by(|next, kept| {
            let is_same = next.0 == kept.0;
            if is_same {
                (kept.1, kept.2) = (kept.1 | next.1, kept.2 | next.2);
            }
            is_same
        });
    }

    fn measure_depths(&self, rows: &[&Row]) -> Vec<Option<u32>> {
        let mut depths = vec![None; rows.len()];
        let seeds = (0..).zip(rows).filter(|(_, row)| row.is_seed).filter_map(|(place, _)| self.end(place));
        let mut queue: Vec<u32> = Vec::new();
        let mut reach = |place: u32, depth: u32, queue: &mut Vec<u32>| {
            if depths[place as usize].is_none() {
                depths[place as usize] = Some(depth);
                queue.push(place);
            }
        };
        seeds.for_each(|place| reach(place, 0, &mut queue));
        let mut depth = 0;
        while !queue.is_empty() {
            depth += 1;
            for place in std::mem::take(&mut queue) {
                self.followed(rows, place as usize).for_each(|to| reach(to, depth, &mut queue));
            }
        }
        depths
    }

    /// Returns the destinations of a row's links that may be followed.
    fn followed(&self, rows: &[&Row], place: usize) -> impl Iterator<Item = u32> {
        let is_followed = !rows[place].is_nofollow;
        self.of(place)
            .filter(move |(_, is_nofollow)| is_followed && !is_nofollow)
            .filter_map(|(to, _)| self.end(to))
    }

    /// Computes each indexable page's share of the visits of a random surfer.
    fn visits(&self, rows: &[&Row], pages: &[bool]) -> Vec<f64> {
        let mut visits = vec![1.0; rows.len()];
        for _ in 0..SWEEPS {
            let mut next = vec![1.0 - DAMPING; rows.len()];
            for from in (0..rows.len()).filter(|place| pages[*place]) {
                let targets = || self.followed(rows, from).filter(|to| pages[*to as usize]);
                let share = DAMPING * visits[from] / targets().count().max(1) as f64;
                targets().for_each(|to| next[to as usize] += share);
            }
            visits = next;
        }
        visits
    }
}

/// Computes link scores from 0 to 100, and the rows in the lowest tenth; none of these among few pages.
fn scores(visits: &[f64], pages: &[bool]) -> (Vec<f32>, Vec<bool>) {
    let of_pages = || visits.iter().zip(pages).filter(|(_, is_page)| **is_page).map(|(visits, _)| *visits);
    let least = 1.0 - DAMPING;
    let most = of_pages().fold(least, f64::max);
    // Visits of pages differ by powers of ten; a page without links has the least there are.
    let scale = (most / least).ln();
    let score =
        |visits: f64| if scale > 0.0 { ((visits / least).ln() / scale * 1000.0).round() / 10.0 } else { 0.0 };
    let all =
        visits.iter().zip(pages).map(|(visits, is_page)| if *is_page { score(*visits) as f32 } else { 0.0 });
    let scores: Vec<f32> = all.collect();
    let mut sorted: Vec<f64> = of_pages().collect();
    if sorted.len() < LEAST_SCORED {
        return (scores, Vec::new());
    }
    sorted.sort_unstable_by(f64::total_cmp);
    let low = sorted[sorted.len() / 10 - 1];
    let lowest = visits.iter().zip(pages).map(|(visits, is_page)| *is_page && *visits <= low);
    (scores, lowest.collect())
}

impl Inlinks {
    /// Returns the number of linking pages that are listed.
    pub(super) fn named(&self) -> usize {
        (self.pages as usize).min(MAX_EXAMPLES)
    }
}
