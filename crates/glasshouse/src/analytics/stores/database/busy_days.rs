//! Which open days have so many rows that reports would take long over them. Used by the database store, which packs them.
//! See docs/decisions/0311.

use std::collections::HashMap;
use std::time::Duration;

use crate::analytics::model::{Day, VisitKey};
use crate::analytics::segments::close::ROWS_AT_ONCE;
use crate::clock::Timestamp;
use crate::domains::DomainId;

/// Rows that a day may have open: a report reads so many in some milliseconds.
const MAX_ROWS: usize = 4_000;
/// A day is packed no more often than this, as its packed row is written anew each time: unless more rows are open than are
/// packed at once.
const EVERY: Duration = Duration::from_secs(10);
/// Days that are remembered; with more, all are forgotten, and get some more rows before they are packed.
const MAX_REMEMBERED: usize = 100_000;

/// Rows that were counted since their days were last packed.
#[derive(Debug, Default)]
pub struct BusyDays(HashMap<(DomainId, Day), Added>);

#[derive(Debug, Default)]
struct Added {
    rows: usize,
    packed: Option<Timestamp>,
}

impl BusyDays {
    /// Notes rows that were counted.
    pub fn note(&mut self, rows: &[(VisitKey, u64)]) {
        if self.0.len() >= MAX_REMEMBERED {
            self.0.clear();
        }
        for rows in rows.chunk_by(|(a, _), (b, _)| a.domain == b.domain && a.day == b.day) {
            let key = &rows[0].0;
            self.0.entry((key.domain.clone(), key.day)).or_default().rows += rows.len();
        }
    }

    /// The days to pack now. They count as packed.
    pub fn take_due(&mut self, now: Timestamp) -> Vec<(DomainId, Day)> {
        let is_rested = |packed: Timestamp| now.since(packed) >= EVERY;
        self.take(now, |added| added.rows >= ROWS_AT_ONCE || added.packed.is_none_or(is_rested))
    }

    /// All days that have many rows. They count as packed.
    pub fn take_all(&mut self, now: Timestamp) -> Vec<(DomainId, Day)> {
        self.take(now, |_| true)
    }

    fn take(&mut self, now: Timestamp, is_due: impl Fn(&Added) -> bool) -> Vec<(DomainId, Day)> {
        let due = self.0.iter_mut().filter(|(_, added)| added.rows >= MAX_ROWS && is_due(added));
        let take = |(key, added): (&(DomainId, Day), &mut Added)| {
            *added = Added { rows: 0, packed: Some(now) };
            key.clone()
        };
        due.map(take).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analytics::segments::tests::{apply, domains, key, reports};
    use crate::analytics::spool::Counts;
    use crate::analytics::stores::VisitStore;
    use crate::analytics::stores::database::DatabaseStore;
    use crate::testing::{NOON, TestApp};

    fn rows(domain: &str, day: Day, count: usize) -> Vec<(VisitKey, u64)> {
        let row = |number| (VisitKey { domain: domain.into(), ..key(day, &format!("/{number}")) }, 1);
        (0..count).map(row).collect()
    }

    #[test]
    fn a_day_with_many_new_rows_is_due_once_in_ten_seconds() {
        let mut busy = BusyDays::default();
        busy.note(&[rows("a", 7, MAX_ROWS - 1), rows("b", 7, 10)].concat());
        assert!(busy.take_due(NOON).is_empty());

        busy.note(&rows("a", 7, 1));
        assert_eq!(busy.take_due(NOON), [("a".into(), 7)]);

        busy.note(&rows("a", 7, MAX_ROWS));
        assert!(busy.take_due(NOON.plus(EVERY / 2)).is_empty());
        assert_eq!(busy.take_all(NOON), [("a".into(), 7)], "nothing more comes");
        busy.note(&rows("a", 7, MAX_ROWS));
        assert_eq!(busy.take_due(NOON.plus(EVERY)), [("a".into(), 7)]);
        assert!(busy.take_due(NOON.plus(EVERY * 2)).is_empty(), "nothing new came");
        busy.note(&rows("a", 7, ROWS_AT_ONCE));
        assert_eq!(busy.take_due(NOON.plus(EVERY)), [("a".into(), 7)], "too many to wait");
    }

    #[tokio::test]
    async fn visits_of_a_busy_day_are_packed_while_it_goes_on_and_answers_stay_the_same() {
        TestApp::on_each_engine(async |app| {
            let (busy, quiet) = domains(&app).await;
            let today = app.state.analytics.today();
            let counts = |from: usize, count| Counts {
                pages: rows("none", today, from + count).split_off(from),
                ..Counts::default()
            };
            // The same visits, some at a time and from other processes.
            apply(&app, &busy, "1", &counts(0, MAX_ROWS)).await;
            apply(&app, &busy, "2", &counts(2_000, MAX_ROWS)).await;
            apply(&app, &busy, "3", &counts(10, 5)).await;
            for number in 0..4 {
                apply(&app, &quiet, &format!("{number}"), &counts(number * 1_000, 1_000)).await;
                apply(&app, &quiet, &format!("{number}b"), &counts(2_000 + number * 1_000, 1_000)).await;
            }
            apply(&app, &quiet, "3c", &counts(10, 5)).await;

            let open = app.visits().await;
            let of = |domain: &crate::domains::Domain| {
                open.iter().filter(|row| row.domain_id == domain.id.as_str()).count()
            };
            assert_eq!((of(&busy), of(&quiet)), (5, 6_000));
            assert_eq!(reports(&app, &busy).await, reports(&app, &quiet).await);
        })
        .await;
    }

    #[tokio::test]
    async fn processes_that_count_and_pack_the_same_pages_at_once_never_wait_for_each_other_for_ever() {
        TestApp::on_each_engine(async |app| {
            let (shop, quiet) = domains(&app).await;
            let today = app.state.analytics.today();
            let pages = |from: usize| Counts {
                pages: rows(shop.id.as_str(), today, from + 300).split_off(from),
                ..Counts::default()
            };
            let platform = &app.state.platform;
            let process = async |number: usize| {
                let store = DatabaseStore::new(&platform.db, &platform.clock);
                for file in 0..10 {
                    // Each begins somewhere else among the pages of the others.
                    let counts = pages((number * 70 + file * 130) % 400);
                    store.apply(&format!("{number}-{file}"), &counts).await.unwrap();
                    store.pack_busy_day(&shop.id, today).await.unwrap();
                }
            };
            tokio::join!(process(0), process(1), process(2), process(3));

            for (number, file) in (0..4).flat_map(|number| (0..10).map(move |file| (number, file))) {
                let counts = pages((number * 70 + file * 130) % 400);
                apply(&app, &quiet, &format!("{number}-{file}"), &counts).await;
            }
            assert_eq!(reports(&app, &shop).await, reports(&app, &quiet).await);
        })
        .await;
    }
}
