//! People: who signs in, what each may do in which account, and how somebody comes in who cannot.
//! Must never store or log a password, a code or a link's token in the clear.
//! See docs/decisions/0520.

mod credentials;
mod links;
mod mails;
mod members;
mod model;
mod second_factor;
mod totp;
mod weekly_mail;

pub use credentials::PersonCredentials;
pub use links::{AcceptError, Links};
pub use members::{AccountMembers, InviteError, MOST_PEOPLE, MemberError, list_owners};
pub use model::{
    Invitation, InvitationOrder, MemberChange, MemberId, MemberInfo, MemberState, NewMember, PersonRecord,
};
pub use second_factor::{CodeError, SecondFactors, TotpSetup};
#[cfg(any(test, feature = "testing"))]
pub use totp::code_at;
pub use weekly_mail::{SeenAccount, WeeklyMails, WeeklyReader, monday_of};

use std::sync::Arc;

use platform::Platform;
use platform::clock::Clock;
use platform::notify::mail::Mailer;
use platform::secret::SealKey;
use store::Db;
use tokio_util::task::TaskTracker;

/// Services about people. Each may be used alone. Cheap to clone.
#[derive(Clone)]
pub struct People {
    pub credentials: PersonCredentials,
    pub second_factors: SecondFactors,
    pub members: AccountMembers,
    pub links: Links,
    pub weekly_mails: WeeklyMails,
}

/// Parts that the services of people share.
pub(crate) struct Shared {
    db: Db,
    clock: Clock,
    /// Key of the secrets of second factors.
    seal: SealKey,
    /// None: no mail server is set, or it cannot be used.
    mailer: Option<Mailer>,
    /// Address of the dashboard, without a slash at its end.
    public_url: String,
    tasks: TaskTracker,
}

impl People {
    /// Makes the services.
    pub fn new(platform: &Platform) -> People {
        let mailer = Mailer::of_settings(&platform.config).unwrap_or_else(|error| {
            tracing::error!(error = %error, "no invitations, links to another password or weekly mails are sent");
            None
        });
        let shared = Arc::new(Shared {
            db: platform.db.clone(),
            clock: platform.clock.clone(),
            seal: platform.secrets.seal_key("second factors"),
            mailer,
            public_url: platform.config.public_url().trim_end_matches('/').to_owned(),
            tasks: platform.tasks.clone(),
        });
        let second_factors = SecondFactors(shared.clone());
        People {
            credentials: PersonCredentials { shared: shared.clone(), second_factors: second_factors.clone() },
            second_factors,
            members: AccountMembers(shared.clone()),
            links: Links(shared.clone()),
            weekly_mails: WeeklyMails(shared),
        }
    }
}
