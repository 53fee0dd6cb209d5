//! Tests of the gate: urgency, turns of domains, limits of origins, waits, and the number of slots.

use futures::FutureExt;
use futures::future::{BoxFuture, join_all};

use super::slots::CLIENT_COOLDOWN;
use super::*;
use RenderPurpose::{Background, Forced, OnDemand, Refresh};

fn gate(slots: usize) -> RenderAdmission {
    RenderAdmission::new(slots, 100_000, &Clock::system())
}

fn applicant(purpose: RenderPurpose, domain: &str) -> Applicant {
    Applicant { purpose, domain: domain.to_owned(), origin: format!("{domain}.origin") }
}

fn enter<'a>(
    admission: &'a RenderAdmission,
    purpose: RenderPurpose,
    domain: &str,
) -> BoxFuture<'a, Result<Permit, RenderRefusal>> {
    let applicant = applicant(purpose, domain);
    Box::pin(async move { admission.enter(applicant, &CancellationToken::new()).await })
}

/// Enters a render that has a slot at once, at an origin that has answered.
fn enter_now(admission: &RenderAdmission, purpose: RenderPurpose, domain: &str) -> Permit {
    let permit = enter(admission, purpose, domain).now_or_never().expect("a free slot").unwrap();
    permit.note(OriginResult::Responded);
    permit
}

fn counts(admission: &RenderAdmission) -> (usize, usize) {
    let load = admission.slots().load(Instant::now());
    (load.active, load.waiting)
}

/// Queues renders while the only slot is in use, then admits them one by one. Returns their order.
async fn order_of(queued: &[(RenderPurpose, &'static str)]) -> Vec<&'static str> {
    let admission = gate(1);
    let first = enter_now(&admission, Forced, "first");
    // Clients' renders have a slot of their own.
    let client = enter_now(&admission, OnDemand, "first");
    let order = Mutex::new(Vec::new());
    let waits = queued.iter().map(|(purpose, domain)| {
        let entering = enter(&admission, *purpose, domain);
        let order = &order;
        async move {
            let permit = entering.await.unwrap();
            order.lock().unwrap().push(*domain);
            permit.note(OriginResult::Responded);
        }
    });
    let release = async {
        tokio::task::yield_now().await;
        drop(client);
        tokio::task::yield_now().await;
        drop(first);
    };
    futures::join!(join_all(waits), release);
    order.into_inner().unwrap()
}

#[tokio::test]
async fn a_client_precedes_a_refresh_and_a_refresh_precedes_a_background_render() {
    let order = order_of(&[(Background, "stale"), (Refresh, "job"), (OnDemand, "client")]).await;

    assert_eq!(order, ["client", "job", "stale"]);
}

#[tokio::test]
async fn while_refreshes_wait_every_third_render_is_of_the_background() {
    let mut queued = vec![(Refresh, "job"); 5];
    queued.extend([(Background, "stale"); 2]);

    let order = order_of(&queued).await;

    assert_eq!(order, ["job", "stale", "job", "job", "stale", "job", "job"]);
}

#[tokio::test]
async fn domains_take_turns_within_a_class() {
    for purpose in [OnDemand, Refresh] {
        let mut queued = vec![(purpose, "big"); 5];
        queued.push((purpose, "small"));

        let order = order_of(&queued).await;

        assert_eq!(order[..2], ["big", "small"]);
    }
}

#[tokio::test(start_paused = true)]
async fn an_origin_that_hangs_holds_two_slots_and_not_all() {
    let admission = gate(8);

    let first = enter(&admission, OnDemand, "hangs").await;
    let second = enter(&admission, OnDemand, "hangs").await;
    let other = enter(&admission, OnDemand, "well").await;
    let third = [enter(&admission, OnDemand, "hangs").await, enter(&admission, Refresh, "hangs").await];

    assert!(first.is_ok() && second.is_ok() && other.is_ok());
    assert_eq!(third.map(Result::err), [Some(RenderRefusal::Busy); 2]);
}

#[tokio::test]
async fn an_origin_that_answers_may_use_every_slot() {
    let admission = gate(8);
    drop(enter_now(&admission, OnDemand, "well"));

    let permits: Vec<_> = (0..8).map(|_| enter(&admission, Refresh, "well").now_or_never()).collect();

    assert!(permits.iter().all(|permit| matches!(permit, Some(Ok(_)))));
}

#[tokio::test]
async fn an_origin_that_failed_three_times_is_left_alone_for_a_while() {
    let admission = gate(8);
    for _ in 0..3 {
        enter(&admission, OnDemand, "down").await.unwrap().note(OriginResult::Failed);
    }

    assert_eq!(enter(&admission, OnDemand, "down").await.err(), Some(RenderRefusal::OriginDown));
    assert!(enter(&admission, OnDemand, "well").await.is_ok());
}

#[tokio::test]
async fn while_others_wait_a_domain_has_its_share_of_the_slots_and_no_more() {
    let admission = gate(4);
    let mut held: Vec<_> = (0..4).map(|_| enter_now(&admission, Refresh, "hangs")).collect();
    let mut own: Vec<_> = (0..2).map(|_| enter(&admission, Refresh, "hangs")).collect();
    let mut others: Vec<_> = (0..2).map(|_| enter(&admission, Refresh, "other")).collect();
    assert!(own.iter_mut().chain(&mut others).all(|waits| waits.now_or_never().is_none()));

    held.truncate(2);

    let begun: Vec<_> = others.iter_mut().filter_map(|waits| waits.now_or_never()).collect();
    assert!(begun.len() == 2 && begun.iter().all(Result::is_ok));
    assert!(own.iter_mut().all(|waits| waits.now_or_never().is_none()));
}

#[tokio::test]
async fn when_the_queue_is_full_the_newest_render_of_the_domain_with_most_is_refused() {
    let admission = gate(1);
    let _first = enter_now(&admission, Refresh, "first");
    let mut crowd: Vec<_> = (0..10)
        .flat_map(|number| vec![format!("crowd{number}"); MAX_WAITING_PER_DOMAIN])
        .map(|domain| enter(&admission, Refresh, &domain))
        .collect();
    assert!(crowd.iter_mut().all(|waits| waits.now_or_never().is_none()));

    let mut newcomer = enter(&admission, Refresh, "newcomer");
    assert!((&mut newcomer).now_or_never().is_none(), "it waits");

    let refused = crowd.iter_mut().filter_map(|waits| waits.now_or_never()).map(|found| found.err());
    assert_eq!(refused.collect::<Vec<_>>(), [Some(RenderRefusal::Busy)]);
    assert_eq!(admission.slots().waiting(), MAX_WAITING);
    let of_crowd = enter(&admission, Refresh, "crowd0").now_or_never().map(Result::err);
    assert_eq!(of_crowd, Some(Some(RenderRefusal::Busy)));
}

#[tokio::test]
async fn a_domain_has_only_so_many_renders_on_demand_in_a_minute() {
    let admission = RenderAdmission::new(8, 3, &Clock::system());
    for _ in 0..3 {
        enter(&admission, OnDemand, "busy").await.unwrap();
    }

    assert_eq!(enter(&admission, OnDemand, "busy").await.err(), Some(RenderRefusal::OverRate));
    assert!(enter(&admission, Refresh, "busy").await.is_ok(), "a job is nobody's demand");
    assert!(enter(&admission, OnDemand, "other").await.is_ok());
}

#[tokio::test]
async fn a_render_that_nobody_waits_for_any_more_does_not_start() {
    let admission = gate(1);
    let first = enter_now(&admission, Refresh, "first");
    let abandoned = CancellationToken::new();
    abandoned.cancel();

    let refused = admission.enter(applicant(Refresh, "left"), &abandoned).await;
    let mut gone = enter(&admission, Refresh, "gone");
    assert!((&mut gone).now_or_never().is_none());
    drop(gone);
    drop(first);

    assert_eq!(refused.err(), Some(RenderRefusal::Abandoned));
    assert!(enter(&admission, Refresh, "next").now_or_never().is_some(), "no slot is lost");
}

#[tokio::test(start_paused = true)]
async fn a_client_waits_twenty_seconds_for_a_slot_and_others_without_limit() {
    let admission = gate(1);
    let running = enter_now(&admission, Refresh, "a");
    let _client = enter_now(&admission, OnDemand, "a");
    let mut waiting = enter(&admission, Refresh, "b");
    assert!((&mut waiting).now_or_never().is_none());

    let client = tokio::time::timeout(2 * CLIENT_WAIT, enter(&admission, OnDemand, "b")).await;
    let still_waits = tokio::time::timeout(3 * ORIGIN_WAIT, &mut waiting).await.is_err();
    drop(running);

    assert!(matches!(client, Ok(Err(RenderRefusal::Busy))) && still_waits);
    assert!(waiting.await.is_ok());
}

#[tokio::test]
async fn a_higher_capacity_admits_waiting_renders_at_once_and_a_lower_one_none_until_enough_have_ended() {
    let admission = gate(8);
    let capacity = |all| RenderCapacity { all, background: all };
    admission.set_capacity(capacity(1));
    let first = enter_now(&admission, Refresh, "a");
    drop(enter(&admission, Refresh, "a").now_or_never());
    let mut waiting: Vec<_> = (0..3).map(|_| enter(&admission, Refresh, "a")).collect();
    assert!(waiting.iter_mut().all(|waits| waits.now_or_never().is_none()));
    assert_eq!(counts(&admission), (1, 1));

    admission.set_capacity(capacity(3));
    let second = (&mut waiting[0]).now_or_never();
    let third = (&mut waiting[1]).now_or_never();
    assert!(second.is_some() && third.is_some());
    admission.set_capacity(capacity(1));
    drop((first, second));
    assert!((&mut waiting[2]).now_or_never().is_none());
    drop(third);

    assert!((&mut waiting[2]).now_or_never().is_some());
}

#[tokio::test]
async fn the_slots_never_exceed_the_setting_whatever_the_browsers_capacity() {
    let admission = gate(2);
    admission.set_capacity(RenderCapacity { all: 9, background: 9 });

    let _held = [enter_now(&admission, Refresh, "a"), enter_now(&admission, Refresh, "b")];

    assert!(enter(&admission, Refresh, "c").now_or_never().is_none());
}

#[tokio::test]
async fn a_client_has_an_extra_slot_and_precedes_others_in_the_queue() {
    let admission = gate(2);
    let others = (enter_now(&admission, Refresh, "a"), enter_now(&admission, Refresh, "b"));
    let mut waiting = enter(&admission, Refresh, "a");
    assert!((&mut waiting).now_or_never().is_none());

    let _first = enter_now(&admission, OnDemand, "a");
    let mut second = enter(&admission, OnDemand, "a");
    assert!((&mut second).now_or_never().is_none(), "there is one extra slot");
    drop(others.0);

    assert!((&mut second).now_or_never().is_some());
    assert!((&mut waiting).now_or_never().is_none());
}

#[tokio::test(start_paused = true)]
async fn others_are_limited_beside_a_client_and_less_during_the_cooldown() {
    let admission = gate(8);
    admission.set_capacity(RenderCapacity { all: 8, background: 6 });
    let client = enter_now(&admission, OnDemand, "a");
    drop(enter_now(&admission, Refresh, "b"));
    let mut waiting: Vec<_> = (0..10).map(|_| enter(&admission, Refresh, "b")).collect();
    let mut held = Vec::new();
    let mut begun = || {
        waiting.retain_mut(|waits| waits.now_or_never().map(|permit| held.push(permit)).is_none());
        held.len()
    };
    assert_eq!(begun(), 2);

    drop(client);
    assert_eq!(begun(), 6, "the next client is expected");

    tokio::time::advance(CLIENT_COOLDOWN).await;
    admission.admit();
    assert_eq!(begun(), 8);
}

#[tokio::test]
async fn clients_leave_one_slot_to_others() {
    let admission = gate(2);
    let _clients = [enter_now(&admission, OnDemand, "a"), enter_now(&admission, OnDemand, "a")];

    assert!(enter(&admission, Refresh, "b").now_or_never().is_some());
}
