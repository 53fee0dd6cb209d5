//! `glasshouse commands`: the reference of all commands in Markdown, made from their definitions. `docs/commands.md` is this
//! text. Pure.

use clap::builder::StyledStr;
use clap::{Arg, Command};

const HEAD: &str = "# Commands

Written by `glasshouse commands`; do not edit. `glasshouse COMMAND --help` says the same of one command, and the package has a manual page for each.

Every command exits with 0 on success, 2 on bad usage and 1 on another failure; `audit` and `verify` exit with 3 when they found something. Messages go to stderr, results to stdout.
";

/// Writes the reference: a section for each command, with a table of its arguments and options.
pub fn describe(program: &Command) -> String {
    let mut text = format!("{HEAD}\nOptions of every command:\n\n{}", table(program));
    for command in program.get_subcommands() {
        write(command, program.get_name(), &mut text);
    }
    text
}

fn write(command: &Command, parent: &str, text: &mut String) {
    let name = format!("{parent} {}", command.get_name());
    text.push_str(&format!("\n## {name}\n\n{}.\n", cell(command.get_about())));
    if visible(command).next().is_some() {
        text.push_str(&format!("\n{}", table(command)));
    }
    for below in command.get_subcommands() {
        write(below, &name, text);
    }
}

fn visible(command: &Command) -> impl Iterator<Item = &Arg> {
    command.get_arguments().filter(|argument| !argument.is_hide_set())
}

fn table(command: &Command) -> String {
    let rows = visible(command).map(|argument| format!("| {} | {} |\n", form(argument), meaning(argument)));
    format!("| option | meaning |\n| --- | --- |\n{}", rows.collect::<String>())
}

/// Writes an argument as on a command line: `DOMAIN`, `-q`, `--quiet`, `--out <FILE>`.
fn form(argument: &Arg) -> String {
    let values = argument.get_value_names().unwrap_or_default().join(" ");
    if argument.is_positional() {
        return format!("`{values}`");
    }
    let values = if argument.get_action().takes_values() { format!(" <{values}>") } else { String::new() };
    let short = argument.get_short().map(|letter| format!("`-{letter}`"));
    let long = argument.get_long().map(|word| format!("`--{word}{values}`"));
    short.into_iter().chain(long).collect::<Vec<_>>().join(", ").replace('|', "\\|")
}

fn meaning(argument: &Arg) -> String {
    let mut text = cell(argument.get_help());
    let list =
        |texts: Vec<String>| texts.iter().map(|text| format!("`{text}`")).collect::<Vec<_>>().join(", ");
    if !argument.get_action().takes_values() {
        return text;
    }
    if argument.is_required_set() {
        text.push_str(". Required");
    }
    let allowed = argument
        .get_possible_values()
        .iter()
        .filter(|value| !value.is_hide_set())
        .map(|value| value.get_name().to_owned())
        .collect::<Vec<_>>();
    if !allowed.is_empty() {
        text.push_str(&format!(". One of {}", list(allowed)));
    }
    let usual: Vec<String> =
        argument.get_default_values().iter().map(|value| value.to_string_lossy().into_owned()).collect();
    if !usual.is_empty() {
        text.push_str(&format!(". Default: {}", list(usual)));
    }
    text
}

/// Returns a text of a definition as a cell of a table.
fn cell(text: Option<&StyledStr>) -> String {
    text.map(ToString::to_string)
        .unwrap_or_default()
        .replace('\n', " ")
        .replace('|', "\\|")
        .replace('<', "&lt;")
}
