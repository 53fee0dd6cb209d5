//! Access to the operations of SEO audits. Operations of the specification need the Pro plan with a key; the others need
//! no plan. One empty type per kind of operation.

use platform::api::access::SharedLimit;
use platform::api::access::{Access, Credentials, PersonRole, Rate};
use platform::plans::Plan;

/// Audits that a caller may start per minute: each reads a whole site.
const STARTS: Rate = Rate::Shared(SharedLimit { name: "audits", per_minute: 60, per_minute_of_sessions: 60 });

/// Starting an audit.
#[derive(Debug)]
pub struct StartAudit;

impl Access for StartAudit {
    const ROLE: PersonRole = PersonRole::Editor;
    const CREDENTIALS: Credentials = Credentials::KeysAndSessions;
    const ACTIVE: bool = true;
    const KEY_PLAN: Option<Plan> = Some(Plan::Agency);
    const RATE: Rate = STARTS;
}

/// Reading audits.
#[derive(Debug)]
pub struct ReadAudits;

impl Access for ReadAudits {
    const ROLE: PersonRole = PersonRole::Viewer;
    const CREDENTIALS: Credentials = Credentials::KeysAndSessions;
    const KEY_PLAN: Option<Plan> = Some(Plan::Agency);
    const RATE: Rate = Rate::Beyond;
}
