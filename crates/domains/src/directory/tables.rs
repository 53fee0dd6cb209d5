//! Records by their names and by their ids. Pure. Two tables of pointers, nine bytes a place, so that a hundred thousand domains
//! cost little more than their texts.

use std::collections::hash_map::RandomState;
use std::hash::BuildHasher;
use std::sync::Arc;

use hashbrown::HashTable;

use super::record::DomainRecord;

#[derive(Debug, Default)]
pub struct Tables {
    by_host: HashTable<Arc<DomainRecord>>,
    by_id: HashTable<Arc<DomainRecord>>,
    hasher: RandomState,
}

impl Tables {
    /// All records of exactly this name, in no order.
    pub fn named<'a>(&'a self, host: &'a str) -> impl Iterator<Item = &'a Arc<DomainRecord>> {
        let found = self.by_host.iter_hash(self.hasher.hash_one(host));
        found.filter(move |record| record.host() == host)
    }

    /// The record with an id.
    pub fn get(&self, id: &str) -> Option<&Arc<DomainRecord>> {
        self.by_id.find(self.hasher.hash_one(id), |record| record.with_id(|other| other == id))
    }

    /// Adds a record in place of the one with its id.
    pub fn put(&mut self, record: Arc<DomainRecord>) {
        record.with_id(|id| self.remove(id));
        let Tables { by_host, by_id, hasher } = self;
        let of_host = |record: &Arc<DomainRecord>| hasher.hash_one(record.host());
        let of_id = |record: &Arc<DomainRecord>| record.with_id(|id| hasher.hash_one(id));
        by_host.insert_unique(of_host(&record), record.clone(), of_host);
        by_id.insert_unique(of_id(&record), record, of_id);
    }

    /// Takes the record with an id out.
    pub fn remove(&mut self, id: &str) -> Option<Arc<DomainRecord>> {
        let Tables { by_host, by_id, hasher } = self;
        let found =
            by_id.find_entry(hasher.hash_one(id), |record| record.with_id(|other| other == id)).ok()?;
        let (record, _) = found.remove();
        let place = by_host.find_entry(hasher.hash_one(record.host()), |other| Arc::ptr_eq(other, &record));
        place.expect("every record is in both tables").remove();
        Some(record)
    }
}
