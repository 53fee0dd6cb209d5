//! `glasshouse account …`: accounts and their plans, people's passwords and second factors.

use std::process::ExitCode;

use clap::{Args, Subcommand};

use super::{Context, Output, output, table};
use accounts::model::Email;
use platform::plans::Plan;

/// Manages accounts.
#[derive(Subcommand)]
pub enum Command {
    /// Makes an account and its owner, and prints the account's id
    Create(CreateAccount),
    /// Lists the accounts
    List {
        /// Prints JSON
        #[arg(long)]
        json: bool,
    },
    /// Moves an account to another plan
    SetPlan {
        #[command(flatten)]
        account: NamedAccount,
        /// essential, agency, business or enterprise
        #[arg(long)]
        plan: Plan,
    },
    /// Closes an account's subscription: it may read, and nothing that costs
    Deactivate(NamedAccount),
    /// Opens an account's subscription again
    Activate(NamedAccount),
    /// Gives a person another password and ends the person's sessions
    SetPassword {
        #[command(flatten)]
        person: NamedPerson,
        /// The password; without it one is generated and printed
        #[arg(long)]
        password: Option<String>,
    },
    /// Turns a person's second factor off and ends the person's sessions
    ResetTotp(NamedPerson),
}

/// A new account.
#[derive(Args)]
pub struct CreateAccount {
    #[command(flatten)]
    account: NamedAccount,
    /// The password; without it one is generated and printed
    #[arg(long)]
    password: Option<String>,
    /// essential, agency, business or enterprise
    #[arg(long, default_value = "essential")]
    plan: Plan,
}

/// An account by its e-mail address.
#[derive(Args)]
pub struct NamedAccount {
    /// E-mail address of the account
    #[arg(long, value_name = "E")]
    email: Email,
}

/// A person by the e-mail address.
#[derive(Args)]
pub struct NamedPerson {
    /// E-mail address of the person
    #[arg(long, value_name = "E")]
    email: Email,
}

pub async fn run(command: Command, context: &Context) -> anyhow::Result<ExitCode> {
    let accounts = context.accounts().await?;
    match command {
        Command::Create(CreateAccount { account, password, plan }) => {
            let (account, generated) = accounts.create_account(&account.email, password, plan).await?;
            if let Some(password) = generated {
                // On stderr, so that stdout has only the id.
                output::note(&format!("password: {password}"));
            }
            output::line(account.id.as_str())
        }
        Command::List { json } => {
            let list = accounts.list_accounts().await?;
            if json {
                return Output::Json(list).print();
            }
            let row = |account: accounts::Account| {
                let active = if account.active { "yes" } else { "no" };
                let made = account.created_at.to_string();
                vec![account.id.to_string(), account.email, account.plan.to_string(), active.to_owned(), made]
            };
            let headings = ["id", "email", "plan", "active", "created"];
            output::line(&table(&headings, list.into_iter().map(row).collect()))
        }
        Command::SetPlan { account, plan } => {
            accounts.set_plan(&account.email, plan).await?;
            Ok(ExitCode::SUCCESS)
        }
        Command::Deactivate(account) => {
            accounts.set_active(&account.email, false).await?;
            Ok(ExitCode::SUCCESS)
        }
        Command::Activate(account) => {
            accounts.set_active(&account.email, true).await?;
            Ok(ExitCode::SUCCESS)
        }
        Command::ResetTotp(person) => {
            accounts.reset_totp(&person.email).await?;
            Ok(ExitCode::SUCCESS)
        }
        Command::SetPassword { person, password } => {
            match accounts.set_password(&person.email, password).await? {
                Some(password) => output::line(&password),
                None => Ok(ExitCode::SUCCESS),
            }
        }
    }
}
