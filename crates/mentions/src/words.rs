//! Words of texts about mentions: numbers with their nouns. Pure.

/// Writes a number with its noun.
pub fn counted(count: impl Into<i128>, one: &str, several: &str) -> String {
    let count = count.into();
    format!("{count} {}", if count == 1 { one } else { several })
}

#[cfg(test)]
mod tests {
    use super::counted;

    #[test]
    fn one_thing_is_in_the_singular() {
        assert_eq!(counted(1_u64, "person", "people"), "1 person");
        assert_eq!(counted(0_u64, "person", "people"), "0 people");
    }
}
