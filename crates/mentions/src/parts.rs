//! Parts of lists of runs, by their bytes: an answer may have megabytes, so nobody reads a fixed number of answers at once.
//! Used by lists, exports and the analysis of kept answers. Pure.

/// Bytes of stored texts that are read at once, unless a single run has more.
const PART_BYTES: i64 = 1024 * 1024;

/// Counts the runs of the next part, at least one of those that are left, by the bytes of each.
pub fn runs_of_part(bytes: impl IntoIterator<Item = i64>) -> usize {
    let mut sum = 0;
    let fitting = bytes.into_iter().enumerate().take_while(|(at, bytes)| {
        sum += bytes;
        *at == 0 || sum <= PART_BYTES
    });
    fitting.count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_part_has_so_many_bytes_or_a_single_run() {
        let half = PART_BYTES / 2;

        assert_eq!(runs_of_part([half, half, 1]), 2);
        assert_eq!(runs_of_part([8 * PART_BYTES, 1]), 1);
        assert_eq!(runs_of_part([1; 5]), 5);
        assert_eq!(runs_of_part([]), 0);
    }
}
