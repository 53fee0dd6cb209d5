//! Renewals over simulated time, with an authority that dates its certificates by the test's clock.

use std::collections::BTreeSet;
use std::time::Duration;

use store::on_engine;

use super::queries;
use super::service::Certificates;
use crate::testing::*;
use crate::tests::authority::{Advice, DatingAuthority, lock};
use crate::tests::world::SETTINGS;
use accounts::AccountId;
use platform::clock::{Clock, Timestamp};
use platform::plans::Plan;
use webhooks::testing::HeardEvents;

const MINUTE: Duration = Duration::from_secs(60);
const HOUR: Duration = Duration::from_secs(60 * 60);
const DAY: Duration = Duration::from_secs(24 * 60 * 60);
const WAITS: Duration = Duration::from_secs(6 * 60 * 60);

/// A service whose names have certificates of an authority.
struct Renewing {
    app: TestApp,
    authority: DatingAuthority,
    hosts: Vec<String>,
    account: AccountId,
}

impl Renewing {
    /// Starts with a number of domains of one account, each with a new certificate.
    async fn start(domains: usize, life: Duration, advice: Advice) -> Renewing {
        // The authority is one of the service's settings, and dates by a clock that is kept equal to the service's.
        let clock = Clock::fixed(NOON);
        let authority = DatingAuthority::start(&clock, life, advice).await;
        let app = TestApp::with(&format!("{SETTINGS}{}", authority.settings())).await;
        let account = app.account("owner@shop.example", Plan::Enterprise).await;
        let hosts: Vec<_> = (0..domains).map(|number| format!("shop{number}.example")).collect();
        let renewing = Renewing { app, authority, hosts, account: account.id.clone() };
        renewing.set_clock(NOON);
        for host in &renewing.hosts {
            renewing.app.domain(&account, host).await;
            let (chain, key) = renewing.authority.state.issue(host);
            let stored = renewing.certificates().sealed(host, &chain, &key).unwrap();
            let mut tx = renewing.app.state.platform.db.write().await.unwrap();
            queries::save_certificate(&mut tx, &stored, NOON).await.unwrap();
            tx.commit().await.unwrap();
        }
        renewing.certificates().0.follower.take_over().await;
        renewing
    }

    fn certificates(&self) -> &Certificates {
        self.app.state.certificates.as_ref().unwrap()
    }

    fn now(&self) -> Timestamp {
        self.app.clock.now()
    }

    fn set_clock(&self, to: Timestamp) {
        self.app.clock.set(to);
        self.authority.state.clock.set(to);
    }

    /// Does as the periodic jobs do, and runs what they queue.
    async fn look(&self) {
        self.certificates().ask_renewal_times().await.unwrap();
        self.certificates().queue_renewals().await.unwrap();
        self.app.state.worker().run_until_idle().await;
    }

    /// Returns the names without a certificate that a handshake may use.
    async fn without_certificate(&self) -> Vec<&String> {
        let mut without = Vec::new();
        for host in &self.hosts {
            if !self.certificates().has(host).await {
                without.push(host);
            }
        }
        without
    }

    fn orders(&self) -> usize {
        lock(&self.authority.state.orders).len()
    }

    fn advise(&self, start: Timestamp, end: Timestamp) {
        *lock(&self.authority.state.advice) = window(start, end);
    }

    async fn renewal_times(&self) -> Vec<Timestamp> {
        let mut conn = self.app.state.platform.db.read().await.unwrap();
        let sql = "select renew_at from certificates order by renew_at";
        let rows: Vec<(i64,)> = on_engine!(conn, |c| sqlx::query_as(sql).fetch_all(c).await).unwrap();
        rows.into_iter().map(|(at,)| Timestamp::from_millis(at)).collect()
    }
}

fn window(start: Timestamp, end: Timestamp) -> Advice {
    Advice::Window { start, end, retry_after_s: WAITS.as_secs() }
}

#[tokio::test]
async fn in_a_day_of_a_hundred_domains_no_handshake_meets_an_expired_certificate() {
    let renewing = Renewing::start(100, 12 * HOUR, Advice::NotOffered).await;

    while renewing.now() < NOON.plus(DAY) {
        renewing.set_clock(renewing.now().plus(20 * MINUTE));
        renewing.look().await;
        assert_eq!(renewing.without_certificate().await, Vec::<&String>::new());
    }

    assert!((200..=300).contains(&renewing.orders()), "{}", renewing.orders());
}

#[tokio::test]
async fn certificates_of_ten_minutes_are_renewed_before_they_expire() {
    let renewing = Renewing::start(3, 10 * MINUTE, Advice::NotOffered).await;

    while renewing.now() < NOON.plus(HOUR / 2) {
        renewing.set_clock(renewing.now().plus(MINUTE));
        renewing.look().await;
        assert_eq!(renewing.without_certificate().await, Vec::<&String>::new());
    }

    assert!((12..=18).contains(&renewing.orders()), "{}", renewing.orders());
}

#[tokio::test]
async fn a_revocation_of_all_certificates_is_answered_at_once_by_orders_that_name_them() {
    let renewing = Renewing::start(60, 90 * DAY, window(NOON.plus(59 * DAY), NOON.plus(61 * DAY))).await;
    renewing.look().await;
    assert_eq!(renewing.orders(), 0);
    renewing.advise(NOON.minus(DAY), NOON.minus(HOUR));

    renewing.set_clock(NOON.plus(WAITS - MINUTE));
    renewing.look().await;
    let before_its_time = renewing.orders();
    renewing.set_clock(NOON.plus(WAITS));
    renewing.look().await;

    assert_eq!((before_its_time, renewing.orders()), (0, 60));
    let asked: BTreeSet<_> = lock(&renewing.authority.state.asked).iter().cloned().collect();
    let orders = lock(&renewing.authority.state.orders).clone();
    let replaced: BTreeSet<_> = orders.into_iter().filter_map(|order| order.replaces).collect();
    assert_eq!((replaced.len(), replaced), (60, asked));
}

#[tokio::test]
async fn certificates_are_renewed_at_points_of_the_window_that_the_authority_suggests() {
    let (start, end) = (NOON.plus(10 * DAY), NOON.plus(12 * DAY));
    let renewing = Renewing::start(5, 90 * DAY, window(start, end)).await;

    renewing.look().await;
    let times = renewing.renewal_times().await;
    renewing.set_clock(start.minus(MINUTE));
    renewing.look().await;
    let early = renewing.orders();
    renewing.set_clock(end);
    renewing.look().await;

    assert!(times.iter().all(|time| (start..=end).contains(time)), "{times:?}");
    assert_eq!(times.iter().collect::<BTreeSet<_>>().len(), 5, "spread over the window");
    assert_eq!((early, renewing.orders()), (0, 5));
}

#[tokio::test]
async fn a_suggestion_that_cannot_be_read_leaves_a_third_of_the_life_and_is_asked_for_again() {
    let renewing = Renewing::start(1, 90 * DAY, Advice::Unreadable).await;
    let asked = || lock(&renewing.authority.state.asked).len();
    let planned = renewing.renewal_times().await;

    renewing.look().await;
    renewing.look().await;
    let at_once = asked();
    renewing.set_clock(NOON.plus(WAITS));
    renewing.look().await;

    assert_eq!((at_once, asked()), (1, 2));
    assert_eq!(renewing.renewal_times().await, planned);
    assert!((NOON.plus(55 * DAY)..=NOON.plus(60 * DAY)).contains(&planned[0]), "{planned:?}");
}

#[tokio::test]
async fn an_authority_that_does_not_take_a_replacement_gets_a_plain_order() {
    let renewing = Renewing::start(1, 90 * DAY, window(NOON.minus(DAY), NOON.minus(HOUR))).await;
    *lock(&renewing.authority.state.refuses_replacements) = true;

    renewing.look().await;

    let orders = lock(&renewing.authority.state.orders).clone();
    assert_eq!(orders.iter().map(|order| order.replaces.is_some()).collect::<Vec<_>>(), [false]);
    assert_eq!(renewing.without_certificate().await, Vec::<&String>::new());
}

#[tokio::test]
async fn webhooks_are_told_once_of_a_certificate_that_has_a_fifth_of_its_life_left() {
    let renewing = Renewing::start(2, 10 * DAY, Advice::NotOffered).await;
    let (platform, jobs) = (&renewing.app.state.platform, &renewing.app.state.jobs);
    let heard = HeardEvents::of(platform, jobs, &renewing.account, &["certificate.expiring"]).await;
    let tell = async |after: Duration| {
        renewing.set_clock(NOON.plus(after));
        renewing.certificates().tell_expiring().await.unwrap();
        heard.list().await.len()
    };

    let early = tell(8 * DAY - MINUTE).await;
    let due = tell(8 * DAY + MINUTE).await;
    let again = tell(9 * DAY).await;

    assert_eq!((early, due, again), (0, 2, 2));
    let told: BTreeSet<_> = heard.list().await.into_iter().map(|(_, domain)| domain).collect();
    assert_eq!(told.into_iter().collect::<Vec<_>>(), renewing.hosts);
}
