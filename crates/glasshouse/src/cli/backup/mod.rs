//! `glasshouse backup FILE` and `glasshouse restore FILE`: write all data of an installation to one file while the service
//! runs, and read it back, on either engine.
//! See docs/decisions/0261.

mod archive;
mod restore;
#[cfg(test)]
mod tests;
mod write;

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;

use super::{Context, output};

/// Writes everything that the service keeps into one file
#[derive(Args)]
pub struct BackupArgs {
    /// The file to make
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// Leaves out DATA_DIR/edge.secret, which opens the certificates' keys: keep it elsewhere
    #[arg(long)]
    without_secret: bool,
}

/// Reads a backup into an empty installation
#[derive(Args)]
pub struct RestoreArgs {
    /// A file that `backup` made
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// Deletes the existing data first
    #[arg(long)]
    replace: bool,
}

/// Runs `backup`.
pub async fn backup(args: BackupArgs, context: &Context) -> anyhow::Result<ExitCode> {
    let source = write::BackupSource {
        db: context.database().await?,
        blobs: context.blobs()?,
        secret_file: context.secret_file().filter(|_| !args.without_secret),
    };
    let done = write::run(&source, &args.file).await?;
    output::note(&format!("{}: {done}", args.file.display()));
    output::note(match (&source.secret_file, args.without_secret) {
        (Some(_), _) => {
            "the file holds secrets: hashes of passwords and keys, and the installation's secret, which opens the keys of \
             certificates (--without-secret leaves that one out). Keep it where nobody else reads"
        }
        (None, true) => {
            "the file holds hashes of passwords and keys. The installation's secret is not in it: keep DATA_DIR/edge.secret beside"
        }
        (None, false) => {
            "the file holds hashes of passwords and keys. The installation's secret is a setting (edge.secret) and not in it: keep \
             it beside"
        }
    });
    Ok(ExitCode::SUCCESS)
}

/// Runs `restore`.
pub async fn restore(args: RestoreArgs, context: &Context) -> anyhow::Result<ExitCode> {
    // Before opening the installation, since opening creates missing parts.
    let contents = restore::examine(&args.file).await?;
    super::serve::prepare_folder(&context.config.storage.data_dir)?;
    let _lock = super::serve::lock_folder(context)?;
    let target = restore::RestoreTarget {
        db: context.database().await?,
        blobs: context.blobs()?,
        secret_file: context.secret_file(),
    };
    let done = restore::run(&args.file, &contents, &target, args.replace).await?;
    output::note(&format!("{}: {done} restored", args.file.display()));
    Ok(ExitCode::SUCCESS)
}
