//! Bounds of the facts of one document. Strangers write documents that hold a million elements, or that make a long
//! address of each short one. Facts beyond a bound are counted, and the run reports them.
//! Used by the collector and by views of pages. See docs/decisions/0245.

use std::cell::Cell;

/// Maximum number of elements of one kind: links, pictures, headings, ids, blocks of text.
pub const MAX_ELEMENTS: usize = 20_000;
/// Maximum number of elements of a kind that a sound page has few of: titles, canonicals, language versions, steps of a list.
pub const MAX_DECLARATIONS: usize = 1000;
/// Bytes of JSON-LD that are parsed. A value in memory takes up to a hundred times its text.
pub const MAX_JSON_LD_BYTES: usize = 512 * 1024;
/// Maximum number of microdata items, and of the values of all of them.
pub const MAX_ITEMS: usize = 5000;
/// Bytes of addresses that one page may name, once they are absolute.
pub const MAX_RESOLVED_BYTES: usize = 8 * 1024 * 1024;

/// Adds an element to a list unless that is full; then it is counted as left out. Returns whether it was added.
pub fn keep<T>(list: &mut Vec<T>, item: T, most: usize, left_out: &mut usize) -> bool {
    let has_room = list.len() < most;
    if has_room {
        list.push(item);
    } else {
        *left_out += 1;
    }
    has_room
}

/// Room for the addresses of one page.
#[derive(Debug)]
pub struct AddressRoom {
    left: Cell<usize>,
    left_out: Cell<usize>,
}

impl Default for AddressRoom {
    fn default() -> AddressRoom {
        AddressRoom { left: Cell::new(MAX_RESOLVED_BYTES), left_out: Cell::new(0) }
    }
}

impl AddressRoom {
    /// Reserves the bytes of an address. Returns false when none are left, and counts the address as left out.
    pub fn take(&self, bytes: usize) -> bool {
        match self.left.get().checked_sub(bytes) {
            Some(left) => {
                self.left.set(left);
                true
            }
            None => {
                self.left_out.set(self.left_out.get() + 1);
                false
            }
        }
    }

    /// Returns the number of addresses beyond the bound.
    pub fn left_out(&self) -> usize {
        self.left_out.get()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_full_list_counts_what_it_leaves_out() {
        let (mut list, mut left_out) = (Vec::new(), 0);

        (0..5).for_each(|item| _ = keep(&mut list, item, 3, &mut left_out));

        assert_eq!((list, left_out), (vec![0, 1, 2], 2));
    }

    #[test]
    fn a_long_address_without_room_leaves_room_for_short_ones() {
        let room = AddressRoom::default();

        let took = [room.take(10), room.take(MAX_RESOLVED_BYTES), room.take(20)];

        assert_eq!((took, room.left_out()), ([true, false, true], 1));
    }
}
