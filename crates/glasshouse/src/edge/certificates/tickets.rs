//! TLS session tickets that every process of the installation made and can read, for a day: a client that comes back, to
//! whichever node and after a restart, needs no full handshake. Used by the shared set-up of handshakes.
//! Must never accept a ticket that is older, or that another installation made.
//! See docs/decisions/0124.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use rustls::server::ProducesTickets;

use crate::clock::{Clock, Timestamp};
use crate::secret::{SealKey, Secrets};

const LIFETIME: Duration = Duration::from_secs(24 * 60 * 60);
/// How far the clocks of two nodes may be apart.
const CLOCK_SKEW: Duration = Duration::from_secs(60);

pub struct Tickets {
    secrets: Arc<Secrets>,
    clock: Clock,
}

impl Tickets {
    /// Tickets under the installation's secret.
    pub fn new(secrets: &Arc<Secrets>, clock: &Clock) -> Tickets {
        Tickets { secrets: secrets.clone(), clock: clock.clone() }
    }

    /// A key per day, so that none seals too many tickets.
    fn key(&self, made: Timestamp) -> SealKey {
        self.secrets.seal_key(&format!("tls tickets of {}", made.day()))
    }
}

impl fmt::Debug for Tickets {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("Tickets")
    }
}

impl ProducesTickets for Tickets {
    fn enabled(&self) -> bool {
        true
    }

    fn lifetime(&self) -> u32 {
        LIFETIME.as_secs() as u32
    }

    fn encrypt(&self, plain: &[u8]) -> Option<Vec<u8>> {
        let made = self.clock.now();
        let at = made.as_millis().to_string();
        let sealed = self.key(made).seal(plain, &at);
        Some(format!("{at}.{sealed}").into_bytes())
    }

    fn decrypt(&self, ticket: &[u8]) -> Option<Vec<u8>> {
        let (at, sealed) = std::str::from_utf8(ticket).ok()?.split_once('.')?;
        let (made, now) = (Timestamp::from_millis(at.parse().ok()?), self.clock.now());
        let is_fresh = now.since(made) <= LIFETIME && made.since(now) <= CLOCK_SKEW;
        is_fresh.then(|| self.key(made).open(sealed, at)).flatten()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::NOON;

    fn tickets(secret: &[u8], now: Timestamp) -> Tickets {
        Tickets { secrets: Arc::new(Secrets::from_bytes(secret)), clock: Clock::fixed(now) }
    }

    #[test]
    fn a_ticket_is_read_by_every_node_for_a_day_and_no_longer() {
        let ticket = tickets(b"one secret", NOON).encrypt(b"session").unwrap();
        let later = |after| tickets(b"one secret", NOON.plus(after)).decrypt(&ticket);

        assert_eq!(later(Duration::ZERO).as_deref(), Some(&b"session"[..]));
        assert_eq!(later(LIFETIME).as_deref(), Some(&b"session"[..]));
        assert_eq!(later(LIFETIME + Duration::from_secs(1)), None);
    }

    #[test]
    fn a_ticket_from_elsewhere_or_with_another_time_is_no_ticket() {
        let ticket = tickets(b"one secret", NOON).encrypt(b"session").unwrap();
        let (_, sealed) = std::str::from_utf8(&ticket).unwrap().split_once('.').unwrap();
        let postdated = format!("{}.{sealed}", NOON.plus(Duration::from_secs(1)).as_millis());

        assert_eq!(tickets(b"another secret", NOON).decrypt(&ticket), None);
        assert_eq!(tickets(b"one secret", NOON).decrypt(postdated.as_bytes()), None);
        assert_eq!(tickets(b"one secret", NOON).decrypt(b"\xff.x"), None);
    }
}
