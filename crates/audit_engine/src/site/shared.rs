//! Values that pages share: equal titles, equal texts and similar texts. Read once rows are joined.

use super::{CrawledSite, Row, UrlId};
use crate::checks::thresholds::ThresholdId;
use crate::checks::{Evidence, MAX_EXAMPLES};

/// A bucket of alike pages is compared up to this many: templates without text would make it quadratic.
pub(super) const MAX_BUCKET: usize = 200;

/// Kind of shared value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SharedContent {
    /// Equal titles in one language.
    Title,
    /// Equal descriptions.
    Description,
    /// Equal first headings.
    H1,
    /// Equal main texts.
    Text,
    /// Equal main texts with and without a final slash.
    SlashVariant,
    /// Equal main texts with and without parameters.
    ParameterVariant,
}

impl CrawledSite {
    /// Adds the pages that share something with a row.
    pub fn shared(&self, shared: SharedContent, row: &Row, found: &mut Evidence) {
        let is_variant = matches!(shared, SharedContent::SlashVariant | SharedContent::ParameterVariant);
        if is_variant {
            self.variant_of(shared, row).into_iter().for_each(|id| found.add(self.url(id), "", ""));
            return;
        }
        let Some(key) = row.share_key(shared) else { return };
        let group = self.joined.groups[shared as usize].get(key);
        if group.binary_search_by_key(&row.id, |(_, id)| *id).is_err() {
            return;
        }
        // The number of pages with the same text is unbounded, so only some are named and the others are counted.
        let others = group.iter().map(|(_, id)| *id).filter(|id| *id != row.id);
        others.take(MAX_EXAMPLES).for_each(|id| found.add(self.url(id), "", ""));
        found.count += u32::try_from((group.len() - 1).saturating_sub(MAX_EXAMPLES)).unwrap_or(u32::MAX);
    }

    /// Adds the pages whose text is nearly a row's.
    pub fn near_duplicates(&self, row: &Row, found: &mut Evidence) {
        for (id, likeness) in self.near_pages(row) {
            found.add(self.url(id), "", format!("{:.0} % alike", likeness * 100.0));
        }
    }

    fn near_pages(&self, row: &Row) -> Vec<(UrlId, f64)> {
        let Some(sketch) = self.joined.sketches.get(&row.id).filter(|_| self.is_comparable(row)) else {
            return Vec::new();
        };
        let least = self.thresholds.number(ThresholdId::NearDuplicatePercent);
        let mut seen = hashbrown::HashSet::new();
        let mut near = Vec::new();
        for (band, groups) in sketch.bands().zip(&self.joined.bands) {
            for (_, id) in groups.get(band).iter().filter(|(_, id)| *id != row.id) {
                if !seen.insert(*id) {
                    continue;
                }
                let Some(other) = self.row(*id) else { continue };
                let likeness = self.joined.sketches.get(id).map_or(0.0, |other| other.likeness(sketch));
                if likeness * 100.0 >= least && other.fingerprints.text != row.fingerprints.text {
                    near.push((*id, likeness));
                }
            }
        }
        near.sort_unstable_by_key(|(id, _)| *id);
        near
    }

    /// Groups of pages that share something.
    pub fn clusters(&self, shared: SharedContent) -> usize {
        self.joined.groups[shared as usize].keys().count()
    }

    /// Groups of pages whose texts are nearly one: pages that are alike by way of others are one group.
    pub fn near_clusters(&self) -> usize {
        let mut seen = hashbrown::HashSet::new();
        let mut clusters = 0;
        for row in self.pages() {
            if !seen.contains(&row.id) && !self.near_pages(row).is_empty() {
                clusters += 1;
                let mut next = vec![row.id];
                while let Some(id) = next.pop() {
                    if let Some(row) = self.row(id).filter(|_| seen.insert(id)) {
                        next.extend(self.near_pages(row).into_iter().map(|(id, _)| id));
                    }
                }
            }
        }
        clusters
    }

    fn is_comparable(&self, row: &Row) -> bool {
        row.is_indexable() && row.words >= 50 && !self.joined.variants.contains(&row.id)
    }

    /// Finds the other form of an address, when both are pages with one text.
    pub(super) fn variant_of(&self, shared: SharedContent, row: &Row) -> Option<UrlId> {
        let key = self.urls.key(row.id);
        let (path, query) = key.split_once('?').map_or((key, None), |(path, query)| (path, Some(query)));
        let other = match shared {
            SharedContent::ParameterVariant => query.map(|_| path.to_owned())?,
            _ => {
                let path = path.strip_suffix('/').map_or_else(|| format!("{path}/"), str::to_owned);
                let path = Some(path).filter(|path| !path.is_empty() && path != "/")?;
                query.map_or_else(|| path.clone(), |query| format!("{path}?{query}"))
            }
        };
        let other =
            self.row(self.find(&other)?).filter(|other| other.is_indexable() && row.is_indexable())?;
        (other.fingerprints.text == row.fingerprints.text).then_some(other.id)
    }
}
