//! `fakeai`: the stand-ins as a program. Used by demonstrations, benchmarks and the check of their form.
#![allow(clippy::print_stdout, reason = "a command line tool talks on its terminal")]

use std::net::SocketAddr;
use std::path::PathBuf;

use anyhow::Context;
use clap::Parser;
use fakeai::{AnswerFile, FakeBrand, FakeOptions, FakeVendors, Vendor};

/// Stand-ins of the AI vendors on one port. GET /_count counts requests; POST /_scenario sets faults.
#[derive(Debug, Parser)]
#[command(version)]
struct Arguments {
    /// Address to listen at
    #[arg(long, default_value = "127.0.0.1:4010")]
    listen: SocketAddr,
    /// Number on which all answers depend
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Milliseconds before the first byte: 300, or from and to: 200-900
    #[arg(long, default_value = "0", value_parser = latency)]
    latency: (u64, u64),
    /// File of answers (JSON: question, provider, list of answers); other questions are refused
    #[arg(long)]
    answers: Option<PathBuf>,
    /// Brands that answers name, as NAME=DOMAIN; may be repeated
    #[arg(long = "brand", value_parser = brand)]
    brands: Vec<FakeBrand>,
    /// Sources of an answer
    #[arg(long, default_value_t = 12)]
    citations: usize,
    /// Day of the answers, in days since 1970 (default: today)
    #[arg(long)]
    day: Option<i64>,
}

fn latency(text: &str) -> Result<(u64, u64), String> {
    let number = |text: &str| text.trim().parse::<u64>().map_err(|error| format!("{text:?}: {error}"));
    match text.split_once('-') {
        Some((from, to)) => Ok((number(from)?, number(to)?)),
        None => Ok((number(text)?, number(text)?)),
    }
}

fn brand(text: &str) -> Result<FakeBrand, String> {
    let (name, domain) = text.split_once('=').ok_or("is not NAME=DOMAIN")?;
    Ok(FakeBrand::new(name, domain, 0.55))
}

#[tokio::main]
async fn main() -> anyhow::Result<()> {
    let arguments = Arguments::parse();
    let usual = FakeOptions::default();
    let answers = match &arguments.answers {
        Some(path) => {
            let text = std::fs::read_to_string(path)
                .with_context(|| format!("could not read {}", path.display()))?;
            Some(
                AnswerFile::parse(&text)
                    .with_context(|| format!("{} is not a file of answers", path.display()))?,
            )
        }
        None => None,
    };
    let options = FakeOptions {
        listen: arguments.listen,
        seed: arguments.seed,
        latency_ms: arguments.latency,
        brands: if arguments.brands.is_empty() { usual.brands } else { arguments.brands },
        citations: arguments.citations,
        answers,
        day: arguments.day,
    };
    let vendors = FakeVendors::start(options)
        .await
        .with_context(|| format!("could not listen at {}", arguments.listen))?;
    for vendor in Vendor::ALL {
        println!("{vendor:?}: {}", vendors.base_url(vendor));
    }
    tokio::signal::ctrl_c().await.context("could not wait for the end")
}
