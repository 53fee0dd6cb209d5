//! Callers of the operations of AI mentions: sessions, and keys of the Pro plan and above. One empty type per kind of
//! operation.

use platform::api::access::{Access, Credentials, PersonRole, Rate};
use platform::plans::Plan;

/// Reading prompts and runs.
#[derive(Debug)]
pub struct ReadMentions;

impl Access for ReadMentions {
    const ROLE: PersonRole = PersonRole::Viewer;
    const CREDENTIALS: Credentials = Credentials::KeysAndSessions;
    const KEY_PLAN: Option<Plan> = Some(Plan::Agency);
    const RATE: Rate = Rate::Beyond;
}

/// Reading of costs, which viewers do not see.
#[derive(Debug)]
pub struct ReadCosts;

impl Access for ReadCosts {
    const ROLE: PersonRole = PersonRole::Editor;
    const CREDENTIALS: Credentials = Credentials::KeysAndSessions;
    const KEY_PLAN: Option<Plan> = Some(Plan::Agency);
    const RATE: Rate = Rate::Beyond;
}

/// Changing prompts and asking assistants, which costs money.
#[derive(Debug)]
pub struct ChangeMentions;

impl Access for ChangeMentions {
    const ROLE: PersonRole = PersonRole::Editor;
    const CREDENTIALS: Credentials = Credentials::KeysAndSessions;
    const ACTIVE: bool = true;
    const KEY_PLAN: Option<Plan> = Some(Plan::Agency);
    const RATE: Rate = Rate::Beyond;
}
