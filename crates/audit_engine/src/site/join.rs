//! Joins rows with each other after the crawl: links, distances from the seeds, shared values.
//!
//! The addresses that pages name are read from a file page by page, several times: those of a large site do not fit
//! in memory, and the results of one reading are dropped before the next.

use hashbrown::{HashMap, HashSet};

use super::graph::Graph;
use super::groups::Groups;
use super::named::part_hashes;
use super::shared::MAX_BUCKET;
use super::{CrawledSite, JoinedSite, Row, SharedContent, UrlId};
use crate::page::sketch::{BANDS, Sketch};

/// Buckets of sketches that are in memory at once, over all pages: 16 bytes each.
const MOST_BUCKETS: usize = 500_000;

impl CrawledSite {
    /// Prepares the relations between rows for the checks. To be called once, after the last row.
    pub fn join(&mut self) {
        self.joined = JoinedSite::default();
        self.joined.variants = self.find_variants();
        let entries = self.sitemaps.iter().flat_map(|file| &file.entries);
        self.joined.important =
            entries.filter(|entry| entry.is_important).filter_map(|entry| entry.id).collect();
        self.read_named();
        self.group();
        self.find_alike();
    }

    /// Joins what pages name.
    fn read_named(&mut self) {
        let mut graph = Graph::new(&self.rows, self.links, |id| self.end_id(id));
        let mut joined = std::mem::take(&mut self.joined);
        let mut is_linked = vec![false; self.texts.len()];
        let mut fragments = Vec::new();
        for row in self.rows.iter() {
            if !row.is_page() {
                graph.add(std::iter::empty());
                continue;
            }
            let named = self.named(row);
            graph.add(
                named.links.iter().filter_map(|link| Some((self.rows.place(link.to)?, link.is_nofollow))),
            );
            joined.alternates.extend(named.alternates.iter().filter_map(|entry| Some((row.id, entry.to?))));
            named.external_links.iter().for_each(|link| is_linked[link.to.index()] = true);
            if row.is_indexable() {
                joined.blocked_resources.extend(named.blocked_resources);
            }
            let is_page = |id: UrlId| self.row(id).is_some_and(Row::is_page);
            let parts = named.fragments.iter().filter(|(to, _)| is_page(*to));
            fragments.extend(parts.map(|(to, fragment)| (*to, part_hashes(fragment))));
        }
        for target in self.targets.iter().filter(|target| target.is_page()) {
            let alternates = self.named(target).alternates;
            joined.alternates.extend(alternates.iter().filter_map(|entry| Some((target.id, entry.to?))));
        }
        joined.alternates.sort_unstable();
        joined.external = is_linked.iter().filter(|is_linked| **is_linked).count();
        joined.linking = graph.linking(&self.rows);
        drop(graph);
        joined.missing_parts = self.find_missing(fragments);
        self.joined = joined;
    }

    /// Leaves of links to parts of pages those whose part is not there.
    fn find_missing(&self, mut parts: Vec<(UrlId, [u64; 2])>) -> Vec<(UrlId, u64)> {
        parts.sort_unstable();
        parts.dedup();
        let mut missing = Vec::new();
        for parts in parts.chunk_by(|one, other| one.0 == other.0) {
            let Some(row) = self.row(parts[0].0) else { continue };
            let named = self.named(row);
            let lacking = parts.iter().filter(|(_, hashes)| !named.has_part(*hashes));
            missing.extend(lacking.map(|(id, [written, _])| (*id, *written)));
        }
        missing
    }

    /// Finds the second addresses of pages: with parameters that change nothing, or with a superfluous final slash.
    fn find_variants(&self) -> HashSet<UrlId> {
        let is_variant = |row: &&Row| {
            let has_slash = self.urls.key(row.id).split('?').next().is_some_and(|path| path.ends_with('/'));
            self.variant_of(SharedContent::ParameterVariant, row).is_some()
                || has_slash && self.variant_of(SharedContent::SlashVariant, row).is_some()
        };
        self.pages().filter(|row| row.is_indexable()).filter(is_variant).map(|row| row.id).collect()
    }

    /// Returns the rows that are compared with each other.
    fn compared(&self) -> impl Iterator<Item = &Row> {
        self.pages().filter(|row| row.is_indexable() && !self.joined.variants.contains(&row.id))
    }

    fn group(&mut self) {
        self.joined.groups =
            [SharedContent::Title, SharedContent::Description, SharedContent::H1, SharedContent::Text].map(
                |shared| {
                    let shares = self.compared().filter_map(|row| Some((row.share_key(shared)?, row.id)));
                    Groups::of(shares.collect(), usize::MAX)
                },
            );
    }

    /// Finds pages whose texts may be nearly one, and keeps their sketches.
    fn find_alike(&mut self) {
        let pages = self.compared().filter(|row| row.words >= 50).count();
        let at_once = (MOST_BUCKETS / pages.max(1)).clamp(1, BANDS);
        let mut alike = HashSet::new();
        for first in (0..BANDS).step_by(at_once) {
            let mut bands: Vec<Vec<(u64, UrlId)>> = Vec::new();
            bands.resize_with(at_once.min(BANDS - first), || Vec::with_capacity(pages));
            for row in self.compared().filter(|row| row.words >= 50) {
                let sketch = self.sketch(row);
                let keys = sketch.iter().flat_map(|sketch| sketch.bands().skip(first));
                bands.iter_mut().zip(keys).for_each(|(band, key)| band.push((key, row.id)));
            }
            for mut band in bands {
                band.sort_unstable();
                let groups = band.chunk_by(|one, other| one.0 == other.0).filter(|group| group.len() > 1);
                alike.extend(groups.flatten().map(|(_, id)| *id));
                self.joined.bands.push(Groups::of(band, MAX_BUCKET));
            }
        }
        let sketch = |id: UrlId| Some((id, self.sketch(self.row(id)?)?));
        let sketches: HashMap<UrlId, Box<Sketch>> = alike.into_iter().filter_map(sketch).collect();
        self.joined.sketches = sketches;
    }
}
