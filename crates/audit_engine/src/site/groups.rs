//! Rows grouped by a shared value. One sorted list: a large site has a million values, most of them of one row only.

use super::UrlId;

/// Rows by a key.
#[derive(Debug)]
pub struct Groups<K>(Vec<(K, UrlId)>);

impl<K> Default for Groups<K> {
    fn default() -> Groups<K> {
        Groups(Vec::new())
    }
}

impl<K: Ord + Copy> Groups<K> {
    /// Groups of `most` rows at most, the first ones. What only one row has is left out.
    pub fn of(mut shares: Vec<(K, UrlId)>, most: usize) -> Groups<K> {
        shares.sort_unstable();
        let groups = shares.chunk_by(|one, other| one.0 == other.0).filter(|group| group.len() > 1);
        let mut shared: Vec<_> = groups.flat_map(|group| group.iter().take(most).copied()).collect();
        shared.shrink_to_fit();
        Groups(shared)
    }

    /// Returns the rows that share a key, in their order; none when only one row has it.
    pub fn get(&self, key: K) -> &[(K, UrlId)] {
        let start = self.0.partition_point(|(other, _)| *other < key);
        let end = start + self.0[start..].partition_point(|(other, _)| *other == key);
        &self.0[start..end]
    }

    /// Returns the key of each group.
    pub fn keys(&self) -> impl Iterator<Item = K> {
        self.0.chunk_by(|one, other| one.0 == other.0).map(|group| group[0].0)
    }
}

#[cfg(test)]
mod tests {
    use super::super::Interner;
    use super::*;

    #[test]
    fn what_one_row_has_alone_is_no_group_and_a_group_has_its_first_rows() {
        let mut urls = Interner::default();
        let [a, b, c] = ["/a", "/b", "/c"].map(|key| urls.intern(key));

        let groups = Groups::of(vec![(7, c), (7, a), (9, b), (7, b)], 2);

        assert_eq!(groups.get(7), [(7, a), (7, b)]);
        assert_eq!((groups.get(9).len(), groups.get(8).len()), (0, 0));
        assert_eq!(groups.keys().collect::<Vec<_>>(), [7]);
    }
}
