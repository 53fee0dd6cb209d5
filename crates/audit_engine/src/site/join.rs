//! Joins rows with each other once the crawl is over: who links to whom, how far from the seeds, who shares what.

use std::collections::VecDeque;

use hashbrown::{HashMap, HashSet, hash_map::Entry};

use super::groups::Groups;
use super::{Inlinks, Joined, MAX_BUCKET, Shared, Site, UrlId};
use crate::checks::MAX_EXAMPLES;

/// Pages below which a tenth of them says nothing.
const LEAST_SCORED: usize = 20;
const SWEEPS: usize = 20;
const DAMPING: f64 = 0.85;

impl Site {
    /// Prepares what the checks ask about rows together. To be called once, after the last row.
    pub fn join(&mut self) {
        self.joined = Joined::default();
        self.joined.inlinks = self.count_inlinks();
        self.joined.depths = self.measure_depths();
        self.joined.variants = self.find_variants();
        self.score_links();
        self.group();
    }

    fn count_inlinks(&self) -> HashMap<UrlId, Inlinks> {
        let mut inlinks = HashMap::<UrlId, Inlinks>::new();
        for row in self.pages() {
            // Per target: whether any link may be followed, and whether any may not.
            let mut targets: Vec<(UrlId, bool, bool)> = Vec::with_capacity(row.links.len());
            for link in &row.links {
                let end = self.end_id(link.to).filter(|end| *end != link.to);
                let ends = [Some(link.to), end].into_iter().flatten().filter(|target| *target != row.id);
                targets.extend(ends.map(|target| (target, !link.is_nofollow, link.is_nofollow)));
            }
            targets.sort_unstable_by_key(|(target, ..)| *target);
            targets.dedup_by(|next, kept| {
                let is_same = next.0 == kept.0;
                if is_same {
                    (kept.1, kept.2) = (kept.1 | next.1, kept.2 | next.2);
                }
                is_same
            });
            for (target, is_followed, is_nofollowed) in targets {
                let inlinks = inlinks.entry(target).or_default();
                inlinks.pages += 1;
                inlinks.followed += u32::from(is_followed);
                inlinks.nofollowed += u32::from(is_nofollowed);
                if inlinks.from.len() < MAX_EXAMPLES {
                    inlinks.from.push(row.id);
                }
            }
        }
        inlinks
    }

    fn measure_depths(&self) -> HashMap<UrlId, u32> {
        let mut depths = HashMap::new();
        let mut queue = VecDeque::new();
        for row in self.rows.values().filter(|row| row.is_seed) {
            let id = self.end_id(row.id).unwrap_or(row.id);
            if depths.insert(id, 0).is_none() {
                queue.push_back(id);
            }
        }
        while let Some(id) = queue.pop_front() {
            let Some(row) = self.row(id).filter(|row| !row.is_nofollow) else { continue };
            let depth = depths[&id] + 1;
            for link in row.links.iter().filter(|link| !link.is_nofollow) {
                let target = self.end_id(link.to).unwrap_or(link.to);
                if let Entry::Vacant(entry) = depths.entry(target) {
                    entry.insert(depth);
                    queue.push_back(target);
                }
            }
        }
        depths
    }

    /// Gives each indexable page the share of visits that it would get from somebody who follows links at random.
    fn score_links(&mut self) {
        let pages: Vec<UrlId> = self.pages().filter(|row| row.is_indexable()).map(|row| row.id).collect();
        if pages.len() < LEAST_SCORED {
            return;
        }
        let number: HashMap<UrlId, u32> = pages.iter().copied().zip(0..).collect();
        let targets = |id: &UrlId| -> Vec<u32> {
            let Some(row) = self.row(*id).filter(|row| !row.is_nofollow) else { return Vec::new() };
            let followed = row.links.iter().filter(|link| !link.is_nofollow);
            followed.filter_map(|link| number.get(&self.end_id(link.to)?).copied()).collect()
        };
        // One list for all pages, with where each one's part ends: a large site has millions of links.
        let (mut all, mut ends) = (Vec::<u32>::new(), Vec::with_capacity(pages.len()));
        for id in &pages {
            all.extend(targets(id));
            ends.push(all.len());
        }
        let mut scores = vec![1.0; pages.len()];
        for _ in 0..SWEEPS {
            let mut next = vec![1.0 - DAMPING; pages.len()];
            let mut start = 0;
            for (from, end) in ends.iter().enumerate() {
                let targets = &all[start..*end];
                start = *end;
                let share = DAMPING * scores[from] / targets.len().max(1) as f64;
                targets.iter().for_each(|to| next[*to as usize] += share);
            }
            scores = next;
        }
        let mut sorted = scores.clone();
        sorted.sort_by(f64::total_cmp);
        self.joined.low_score = sorted[sorted.len() / 10 - 1];
        self.joined.scores = pages.into_iter().zip(scores).collect();
    }

    /// Second addresses of one page: with parameters that change nothing, or with a final slash too many.
    fn find_variants(&self) -> HashSet<UrlId> {
        let is_variant = |row: &&super::Row| {
            let has_slash = self.urls.key(row.id).split('?').next().is_some_and(|path| path.ends_with('/'));
            self.variant_of(Shared::ParameterVariant, row).is_some()
                || has_slash && self.variant_of(Shared::SlashVariant, row).is_some()
        };
        self.pages().filter(|row| row.is_indexable()).filter(is_variant).map(|row| row.id).collect()
    }

    fn group(&mut self) {
        let (mut groups, mut bands) = (Vec::new(), Vec::new());
        for row in self.pages().filter(|row| row.is_indexable() && !self.joined.variants.contains(&row.id)) {
            for shared in [Shared::Title, Shared::Description, Shared::H1, Shared::Text] {
                groups.extend(row.share_key(shared).map(|key| ((shared, key), row.id)));
            }
            if let Some(sketch) = row.fingerprints.sketch.as_ref().filter(|_| row.words >= 50) {
                bands.extend(sketch.bands().map(|band| (band, row.id)));
            }
        }
        self.joined.groups = Groups::of(groups, usize::MAX);
        self.joined.bands = Groups::of(bands, MAX_BUCKET);
    }
}
