//! The rows of a site: found by the number of their address in one step, listed in the order of these numbers.

use super::{Row, UrlId};

const NONE: u32 = u32::MAX;

/// Rows by address.
#[derive(Default)]
pub struct Rows {
    #[expect(
        clippy::vec_box,
        reason = "rows are large: a list of them would be copied whole whenever it grows"
    )]
    list: Vec<Box<Row>>,
    /// Place of each address's row in the list.
    places: Vec<u32>,
}

impl Rows {
    /// Adds a row; one of the same address goes.
    pub fn insert(&mut self, row: Box<Row>) {
        let index = row.id.index();
        if let Some(place) = self.place(row.id) {
            self.list[place] = row;
            return;
        }
        if self.places.len() <= index {
            self.places.resize(index + 1, NONE);
        }
        self.places[index] = u32::try_from(self.list.len()).expect("there are fewer rows than addresses");
        self.list.push(row);
    }

    /// Returns the index of an address's row in the order of all rows. Valid after [`Rows::renumber`].
    pub fn place(&self, id: UrlId) -> Option<usize> {
        self.places.get(id.index()).filter(|place| **place != NONE).map(|place| *place as usize)
    }

    /// Returns the row of an address.
    pub fn get(&self, id: UrlId) -> Option<&Row> {
        self.place(id).map(|place| &*self.list[place])
    }

    /// Returns the row of an address for changes.
    pub fn get_mut(&mut self, id: UrlId) -> Option<&mut Row> {
        self.place(id).map(|place| &mut *self.list[place])
    }

    /// Returns all rows, in the order of their addresses' numbers.
    pub fn iter(&self) -> impl Iterator<Item = &Row> {
        self.places.iter().filter(|place| **place != NONE).map(|place| &*self.list[*place as usize])
    }

    pub fn len(&self) -> usize {
        self.list.len()
    }

    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// Drops the rows that are not wanted.
    pub fn retain(&mut self, is_wanted: impl Fn(&Row) -> bool) {
        self.list.retain(|row| is_wanted(row));
        self.find_places();
    }

    /// Gives the rows' addresses other numbers, and puts them in their order.
    pub fn renumber(&mut self, number: impl Fn(UrlId) -> UrlId) {
        self.list.iter_mut().for_each(|row| row.renumber(&number));
        self.list.sort_unstable_by_key(|row| row.id);
        self.find_places();
    }

    fn find_places(&mut self) {
        let most = self.list.iter().map(|row| row.id.index() + 1).max();
        self.places.clear();
        self.places.resize(most.unwrap_or_default(), NONE);
        for (place, row) in (0..).zip(&self.list) {
            self.places[row.id.index()] = place;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::Interner;
    use super::*;

    #[test]
    fn rows_are_found_by_address_and_stand_in_its_order() {
        let mut urls = Interner::default();
        let ids = ["/a", "/b", "/c", "/d"].map(|key| urls.intern(key));
        let mut rows = Rows::default();
        for id in [ids[3], ids[0], ids[1]] {
            rows.insert(Box::new(Row { id, ..Row::default() }));
        }

        assert!(rows.iter().map(|row| row.id).eq([ids[0], ids[1], ids[3]]));

        rows.retain(|row| row.id != ids[0]);
        rows.renumber(|id| if id == ids[1] { ids[2] } else { ids[1] });

        assert!(rows.iter().map(|row| row.id).eq([ids[1], ids[2]]));
        assert_eq!((rows.place(ids[2]), rows.get(ids[0]).is_none(), rows.len()), (Some(1), true, 2));
    }
}
