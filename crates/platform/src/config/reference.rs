//! The reference of all settings, made from `defaults.toml`. Used by `glasshouse config --describe` and the test that compares
//! `docs/settings.md` with it. Pure.

use super::layers::{DEFAULTS, default_values};

/// Writes the reference of all settings in Markdown, made from `defaults.toml`. `docs/settings.md` is this text.
pub fn describe_settings() -> String {
    let mut page = String::from(SETTINGS_INTRODUCTION);
    let mut comment = Vec::new();
    let mut section = String::new();
    // The first plan and the first provider describe the settings of all of them.
    let mut described = std::collections::BTreeSet::new();
    for line in DEFAULTS.lines() {
        if let Some(text) = line.strip_prefix("# ") {
            comment.push(text);
        } else if let Some(name) = line.strip_prefix('[') {
            section = name.trim_end_matches(']').to_owned();
            if !section.contains('.') || section.ends_with("essential") || section.ends_with("chatgpt") {
                let introduction = comment.join(" ");
                let title = section.replace("essential", "<id>").replace("chatgpt", "<id>");
                page.push_str(&format!("\n## `{title}`\n\n"));
                if !introduction.is_empty() {
                    page.push_str(&format!("{introduction}\n\n"));
                }
                page.push_str("| key | default | meaning |\n| --- | --- | --- |\n");
            }
            comment.clear();
        } else if let Some((name, default)) = line.split_once(" = ") {
            let group = section.split('.').next().unwrap_or_default();
            let id = if section.contains('.') { ".<id>" } else { "" };
            if described.insert(format!("{group}.{name}")) {
                let meaning = comment.join(" ").replace('|', "\\|");
                page.push_str(&format!("| `{group}{id}.{name}` | `{default}` | {meaning} |\n"));
            }
            comment.clear();
        } else {
            comment.clear();
        }
    }
    page.push_str(&plans_table());
    page
}

const SETTINGS_INTRODUCTION: &str = "# Settings

`glasshouse.toml` in the working folder or `--config FILE`; every key can be set by an environment variable
`GLASSHOUSE_<SECTION>__<KEY>` (two underscores between levels), which wins over the file. A list or a map is JSON in a
variable; a list may also be separated by commas. Sizes are numbers of bytes or texts such as `1 MiB`. Unknown keys are
an error that names the nearest known key. Variables that begin with `GLASSHOUSE_` and have no two underscores after it are
no settings and are ignored with one warning (Kubernetes sets such ones). `glasshouse config` shows what is in effect, secrets masked.

This page is written by `glasshouse config --describe` from `crates/platform/src/config/defaults.toml`.
";

fn plans_table() -> String {
    let defaults = default_values();
    let ids = crate::plans::Plan::ALL.map(|plan| plan.id());
    let mut table = String::from("\n## Defaults of the plans\n\n| key below `plans.<id>.` |");
    table.push_str(&ids.map(|id| format!(" {id} |")).concat());
    table.push_str("\n| --- | --- | --- | --- | --- |\n");
    for key in defaults.keys().filter_map(|key| key.strip_prefix("plans.essential.")) {
        let values = ids.map(|id| format!(" {} |", defaults[&format!("plans.{id}.{key}")]));
        table.push_str(&format!("| `{key}` |{}\n", values.concat()));
    }
    table
}
