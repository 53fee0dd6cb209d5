//! People of an account: list, invitations, roles, removal.

use std::sync::Arc;
use std::time::Duration;

use store::{Conn, DbError};

use super::links::TOKEN_LENGTH;
use super::model::{InvitationOrder, MemberChange, MemberId, MemberInfo, MemberState, NewMember};
use super::{Shared, mails};
use crate::keys::{KeyHash, random_text};
use crate::model::AccountId;
use crate::queries::{self, people};
use platform::api::access::PersonRole;

/// Maximum number of people of an account, invited ones among them.
pub const MOST_PEOPLE: usize = 100;
/// Lifetime of the link of an invitation.
const INVITATION_LIFETIME: Duration = Duration::from_secs(7 * 24 * 3600);

/// People of accounts. Cheap to clone.
#[derive(Clone)]
pub struct AccountMembers(pub(super) Arc<Shared>);

/// Refusal of an invitation.
#[derive(Debug, thiserror::Error)]
pub enum InviteError {
    /// The account has as many people as it may have.
    #[error("the account has as many people as it may have")]
    LimitReached,
    /// The address is somebody's of the account.
    #[error("the address belongs to somebody of the account")]
    Exists,
    /// The database failed.
    #[error(transparent)]
    Store(#[from] DbError),
}

/// Refusal of a change of a membership.
#[derive(Debug, thiserror::Error)]
pub enum MemberError {
    /// The account has no such member.
    #[error("the account has no such member")]
    Unknown,
    /// The account would be without an owner.
    #[error("the account would be without an owner")]
    LastOwner,
    /// The domains of an owner cannot be limited.
    #[error("an owner sees all domains")]
    LimitedOwner,
    /// The database failed.
    #[error(transparent)]
    Store(#[from] DbError),
}

impl AccountMembers {
    /// Lists the people of an account, those who were invited among them.
    pub async fn list(&self, account: &AccountId) -> Result<Vec<MemberInfo>, DbError> {
        people::list_members(&mut self.0.db.read().await?, account).await
    }

    /// Returns true when invitations can be mailed.
    pub fn has_mail(&self) -> bool {
        self.0.mailer.is_some()
    }

    /// Invites an address, or makes a new link for one that was invited, and returns the link.
    pub async fn invite(
        &self,
        account: &AccountId,
        order: &InvitationOrder,
    ) -> Result<(MemberId, String), InviteError> {
        let token = random_text(TOKEN_LENGTH);
        let now = self.0.clock.now();
        let invitation = (KeyHash::of(&token), now.plus(INVITATION_LIFETIME));
        let mut tx = self.0.db.write().await?;
        queries::lock_account(&mut tx, account).await?;
        let members = people::list_members(&mut tx, account).await?;
        let known = members.iter().find(|member| member.email == order.email.as_str());
        let id = match known {
            Some(member) if member.state == MemberState::Active => return Err(InviteError::Exists),
            Some(member) => {
                let change = MemberChange { role: order.role, domains: order.domains.clone() };
                people::update_member(&mut tx, &member.id, &change).await?;
                people::set_invitation(&mut tx, &member.id, invitation).await?;
                member.id.clone()
            }
            None if members.len() >= MOST_PEOPLE => return Err(InviteError::LimitReached),
            None => {
                let id = MemberId::generate();
                let member = NewMember {
                    id: &id,
                    email: &order.email,
                    person: None,
                    role: order.role,
                    domains: order.domains.as_deref(),
                    invitation: Some(invitation),
                };
                people::insert_member(&mut tx, account, &member, now).await?;
                id
            }
        };
        tx.commit_durably().await?;
        Ok((id, format!("{}/invitation#{token}", self.0.public_url)))
    }

    /// Mails an invitation. Returns false when the mail failed; the link then has to reach the person in another way.
    pub async fn mail_invitation(&self, order: &InvitationOrder, link: &str) -> bool {
        let Some(mailer) = &self.0.mailer else { return false };
        let mail = mails::invitation(&order.inviter, &order.account_name, order.role, link);
        let sent = mail.send(mailer, &order.email).await;
        if let Err(error) = &sent {
            tracing::warn!(error = error as &dyn std::error::Error, "an invitation was not mailed");
        }
        sent.is_ok()
    }

    /// Changes the role or the domains of a member; what is not given stays. Returns the member as it is then.
    pub async fn change(
        &self,
        account: &AccountId,
        id: &MemberId,
        role: Option<PersonRole>,
        domains: Option<Option<Vec<String>>>,
    ) -> Result<MemberInfo, MemberError> {
        let mut tx = self.0.db.write().await?;
        queries::lock_account(&mut tx, account).await?;
        let mut member = find(&mut tx, account, id).await?;
        let role = role.unwrap_or(member.role);
        let domains = domains.unwrap_or_else(|| member.domains.clone());
        if role == PersonRole::Owner && domains.is_some() {
            return Err(MemberError::LimitedOwner);
        }
        if role != PersonRole::Owner {
            check_owner_left(&mut tx, account, id).await?;
        }
        (member.role, member.domains) = (role, domains.clone());
        people::update_member(&mut tx, id, &MemberChange { role, domains }).await?;
        tx.commit_durably().await?;
        Ok(member)
    }

    /// Removes a member from an account and returns the number of keys that the member made and that go on working. A person who
    /// is in no account any more is forgotten.
    pub async fn remove(&self, account: &AccountId, id: &MemberId) -> Result<u64, MemberError> {
        let mut tx = self.0.db.write().await?;
        queries::lock_account(&mut tx, account).await?;
        let member = find(&mut tx, account, id).await?;
        check_owner_left(&mut tx, account, id).await?;
        people::delete_member(&mut tx, id).await?;
        let mut keys = 0;
        if let Some(person) = &member.person {
            people::delete_if_alone(&mut tx, person).await?;
            let now = self.0.clock.now();
            keys = queries::count_working_keys(&mut tx, account, Some(&member.email), now).await?;
        }
        tx.commit_durably().await?;
        Ok(keys)
    }
}

fn is_active_owner(member: &MemberInfo) -> bool {
    member.role == PersonRole::Owner && member.state == MemberState::Active
}

async fn find(conn: &mut Conn, account: &AccountId, id: &MemberId) -> Result<MemberInfo, MemberError> {
    let members = people::list_members(conn, account).await?;
    members.into_iter().find(|member| member.id == *id).ok_or(MemberError::Unknown)
}

/// Refuses to take the last active owner away.
async fn check_owner_left(
    conn: &mut Conn,
    account: &AccountId,
    without: &MemberId,
) -> Result<(), MemberError> {
    let owners: Vec<MemberInfo> =
        people::list_members(conn, account).await?.into_iter().filter(is_active_owner).collect();
    match owners.as_slice() {
        [only] if only.id == *without => Err(MemberError::LastOwner),
        _ => Ok(()),
    }
}

/// Lists the e-mail addresses of an account's owners, without those who were only invited.
pub async fn list_owners(conn: &mut Conn, account: &AccountId) -> Result<Vec<String>, DbError> {
    let members = people::list_members(conn, account).await?;
    Ok(members.into_iter().filter(is_active_owner).map(|member| member.email).collect())
}
