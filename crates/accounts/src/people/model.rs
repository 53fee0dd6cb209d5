//! People, memberships and invitations as values. Pure.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::keys::KeyHash;
use crate::model::{AccountId, Email, PersonId};
use platform::api::access::PersonRole;
use platform::clock::Timestamp;
use platform::ids::id_type;

id_type! {
    /// Identifies a person in one account, or an invitation to it.
    MemberId
}

/// A person of an account as lists show it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct MemberInfo {
    pub id: MemberId,
    #[schema(examples("ada@shop.example"))]
    pub email: String,
    pub role: PersonRole,
    /// Only domains that the person sees; null: all.
    pub domains: Option<Vec<String>>,
    pub state: MemberState,
    /// True when the person signs in with a second factor.
    pub second_factor: bool,
    /// Time at which the person was last seen in the account, to within a minute.
    pub last_seen_at: Option<Timestamp>,
    #[serde(skip)]
    pub person: Option<PersonId>,
}

/// State of a membership.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum MemberState {
    /// The link of the invitation was not used yet.
    Invited,
    Active,
}

/// Invitation that somebody wants to send.
#[derive(Debug, Clone)]
pub struct InvitationOrder {
    pub email: Email,
    pub role: PersonRole,
    pub domains: Option<Vec<String>>,
    /// E-mail address of the person who invites.
    pub inviter: String,
    /// Name of the account.
    pub account_name: String,
}

/// Role and domains that a membership gets.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MemberChange {
    pub role: PersonRole,
    pub domains: Option<Vec<String>>,
}

/// Membership that is to be stored.
#[derive(Debug, Clone, Copy)]
pub struct NewMember<'a> {
    pub id: &'a MemberId,
    pub email: &'a Email,
    /// None: invited.
    pub person: Option<&'a PersonId>,
    pub role: PersonRole,
    pub domains: Option<&'a [String]>,
    /// Hash of the token of its link, and the link's end.
    pub invitation: Option<(KeyHash, Timestamp)>,
}

/// An open invitation.
#[derive(Debug, Clone)]
pub struct Invitation {
    pub member: MemberId,
    pub account: AccountId,
    pub email: Email,
}

/// A person's credentials as they are stored.
#[derive(Clone)]
pub struct PersonRecord {
    pub id: PersonId,
    pub password_hash: String,
    /// Sealed secret of the second factor.
    pub totp_secret: Option<String>,
    pub totp_confirmed: bool,
}
