//! The domain that a command names. Shared by the commands about one domain's visits.

use anyhow::bail;

use crate::app::AppState;
use accounts::model::Email;
use domains::{Domain, names};

/// The domain, and its account where several have it.
#[derive(clap::Args)]
pub struct DomainTarget {
    /// The domain
    #[arg(long, value_name = "D")]
    domain: String,
    /// E-mail address of the account, when several have the domain
    #[arg(long, value_name = "E")]
    account: Option<Email>,
}

impl DomainTarget {
    /// Finds the domain that the arguments name.
    pub async fn find(&self, app: &AppState) -> anyhow::Result<Domain> {
        let Some(host) = names::parse_domain(&self.domain) else {
            bail!("{:?} is not a domain", self.domain)
        };
        let mut found = app.domains.list_by_host(&host).await?;
        if let Some(email) = &self.account {
            let account = app.accounts.get_account(email).await?;
            found.retain(|domain| domain.account_id == account.id);
        }
        match found.len() {
            0 => bail!("there is no domain {host}; `glasshouse domain list` shows them"),
            1 => Ok(found.remove(0)),
            _ => bail!("several accounts have {host}; say which with --account E"),
        }
    }
}
