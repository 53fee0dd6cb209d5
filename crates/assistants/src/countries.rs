//! Countries by their code: English name and number. Used where a provider wants the name of a place. Pure.

use std::collections::HashMap;
use std::sync::LazyLock;

static COUNTRIES: LazyLock<HashMap<&str, Country>> = LazyLock::new(|| {
    let lines = include_str!("data/countries.tsv").lines().filter(|line| !line.starts_with('#'));
    lines.filter_map(read_line).collect()
});

/// A country of ISO 3166-1.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Country {
    pub(crate) number: u32,
    /// English name in the spelling of Google's list of places.
    pub(crate) name: &'static str,
}

/// Finds a country by its code of two upper-case letters.
pub(crate) fn find_country(code: &str) -> Option<Country> {
    COUNTRIES.get(code).copied()
}

fn read_line(line: &'static str) -> Option<(&'static str, Country)> {
    let mut cells = line.split('\t');
    let (code, number, name) = (cells.next()?, cells.next()?, cells.next()?);
    Some((code, Country { number: number.parse().ok()?, name }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_country_has_its_number_and_name() {
        assert_eq!(find_country("DE"), Some(Country { number: 276, name: "Germany" }));
        assert_eq!(find_country("US").unwrap().number, 840);
        assert_eq!(find_country("de"), None);
    }

    #[test]
    fn no_line_of_the_list_is_lost() {
        let lines = include_str!("data/countries.tsv").lines().filter(|line| !line.starts_with('#')).count();

        assert_eq!(COUNTRIES.len(), lines);
        assert!(COUNTRIES.values().all(|country| country.number < 1_000 && !country.name.contains(',')));
    }
}
