//! The rules of both caches.

use std::net::IpAddr;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use super::*;

#[test]
fn what_was_kept_is_found_by_an_equal_key_until_it_is_removed() {
    let cache: Cache<str, u32> = Cache::new(10);
    cache.insert("tea", 1);
    cache.insert("tea", 2);

    assert_eq!(cache.get("tea").as_deref(), Some(&2));
    assert!(cache.contains("tea") && !cache.contains("te"));

    cache.remove("tea");
    assert_eq!(cache.get("tea"), None);
}

#[test]
fn the_parts_of_a_key_do_not_flow_into_each_other() {
    let cache: Cache<(&str, &str), u32> = Cache::new(100);
    let long = "x".repeat(ON_STACK_AND_MORE);
    let keys = [("a", "bc"), ("ab", "c"), ("abc", ""), ("", "abc"), (&long[..], "a"), (&long[1..], "xa")];

    for (value, key) in (0..).zip(keys) {
        assert!(cache.insert_if_absent(&key, value), "{key:?}");
    }
    for (value, key) in (0..).zip(keys) {
        assert_eq!(cache.get(&key).as_deref(), Some(&value), "{key:?}");
    }
}
const ON_STACK_AND_MORE: usize = 300;

#[test]
fn an_address_is_no_other_address_of_the_same_bytes() {
    let cache: Cache<IpAddr, ()> = Cache::new(10);
    cache.insert(&"1.2.3.4".parse().unwrap(), ());

    assert!(!cache.contains(&"::ffff:1.2.3.4".parse().unwrap()));
    assert!(!cache.contains(&"102:304::".parse().unwrap()));
}

#[test]
fn of_many_callers_one_makes_the_value() {
    let cache: Cache<u64, u32> = Cache::new(10);
    let made = AtomicUsize::new(0);
    let make = || {
        made.fetch_add(1, Ordering::SeqCst);
        std::thread::sleep(Duration::from_millis(20));
        7
    };

    std::thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| assert_eq!(*cache.get_with(&1, make), 7));
        }
    });

    assert_eq!(made.into_inner(), 1);
}

#[test]
fn the_first_of_two_is_told_that_its_value_was_kept() {
    let cache: Cache<str, ()> = Cache::new(10);

    assert!(cache.insert_if_absent("nonce", ()));
    assert!(!cache.insert_if_absent("nonce", ()));
}

#[test]
fn a_value_is_replaced_by_what_is_chosen_from_it() {
    let cache: Cache<str, u32> = Cache::new(10);
    let larger =
        |new: u32| move |old: Option<Arc<u32>>| old.filter(|old| **old > new).unwrap_or(Arc::new(new));

    for value in [2, 5, 3] {
        cache.upsert("n", larger(value));
    }

    assert_eq!(cache.get("n").as_deref(), Some(&5));
}

#[test]
fn weights_bound_what_is_kept() {
    let cache: Cache<u64, Vec<u8>> =
        Cache::builder(1_000).weigher(|key, value: &Vec<u8>| key.len() + value.len()).build();
    for key in 0..100 {
        cache.insert(&key, vec![0; 92]);
    }
    cache.insert(&1_000, vec![0; 2_000]);
    cache.settle();

    assert!((1..=10).contains(&cache.len()), "{}", cache.len());
    assert_eq!(cache.values().map(|value| value.len() + 8).sum::<usize>(), 100 * cache.len() as usize);
}

#[test]
fn a_cache_without_room_keeps_nothing() {
    let cache: Cache<str, ()> = Cache::new(0);
    cache.insert("a", ());

    assert_eq!(cache.get("a"), None);
}

#[test]
fn who_leaves_is_told_to_the_listener() {
    let left = Arc::new(AtomicUsize::new(0));
    let told = left.clone();
    let cache: Cache<u64, u32> = Cache::builder(5)
        .keeps_newest()
        .on_leave(move |_: Arc<u32>| {
            told.fetch_add(1, Ordering::SeqCst);
        })
        .build();

    for key in 0..20 {
        cache.insert(&key, 0);
        cache.settle();
    }

    assert_eq!(left.load(Ordering::SeqCst), 15);
    assert!(cache.contains(&19), "who came last is kept");
}

#[test]
fn an_entry_leaves_when_its_time_is_over() {
    let cache: Cache<str, ()> = Cache::builder(5).time_to_live(Duration::from_millis(1)).build();
    cache.insert("a", ());
    std::thread::sleep(Duration::from_millis(5));

    assert_eq!(cache.get("a"), None);
}

#[tokio::test]
async fn of_many_tasks_one_makes_the_value() {
    let cache: SharedCache<str, u32> = SharedCache::new(10, Duration::from_secs(60));
    let made = AtomicUsize::new(0);
    let make = || async {
        made.fetch_add(1, Ordering::SeqCst);
        tokio::task::yield_now().await;
        7
    };

    let (a, b, c) =
        tokio::join!(cache.get_with("k", make()), cache.get_with("k", make()), cache.get_with("k", make()));

    assert_eq!((*a, *b, *c), (7, 7, 7));
    assert_eq!(made.load(Ordering::SeqCst), 1);
    cache.remove("k").await;
    assert_eq!(cache.get("k").await, None);
}

#[tokio::test]
async fn what_could_not_be_made_is_tried_again() {
    let cache: SharedCache<str, Vec<u8>> = SharedCache::weighed(100, Vec::len);

    assert_eq!(cache.try_get_with("k", async { Err(()) }).await, None);
    assert_eq!(cache.try_get_with("k", async { Ok(vec![1]) }).await.as_deref(), Some(&vec![1]));
}
