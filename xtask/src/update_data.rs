//! `cargo xtask update-data`: refreshes the data files that are taken from packages, through npm and pip.
//! Run by a person, who reads the difference and runs the tests before committing it. Never run by a build.

use std::fs;
use std::path::Path;
use std::process::Command;

/// File of the crawler patterns. The licence is in the same folder.
const CRAWLERS: &str = "crates/analytics/data/crawler-user-agents.tsv";
/// Folder of the user agents that the patterns are compared with, and of the scripts that refresh and compare them.
const CORPUS: &str = "crates/analytics/data/corpus";

/// Refreshes every file, one after the other; stops at the first that cannot be.
pub fn run(root: &Path) -> Result<(), String> {
    output(Command::new("sh").arg("refresh-browsers.sh").current_dir(root.join(CORPUS)))?;
    crawler_user_agents(root)?;
    output(
        Command::new("sh").arg("refresh-tracking-params.sh").current_dir(root.join("crates/crawler/data")),
    )?;
    println!("refreshed crates/crawler/data/tracking_params.txt");

    for kept_by_hand in ["crates/analytics/data/crawlers.json", "crates/domains/data/editor_hosts.txt"] {
        let text = read(&root.join(kept_by_hand))?;
        let date = text.lines().take(5).find_map(date_in).unwrap_or("an unknown day");
        println!("kept by hand: {kept_by_hand}, last read through on {date}");
    }
    println!("now read `git diff`, then: cargo test -p glasshouse crawlers && cargo test -p crawler");
    Ok(())
}

/// Takes the newest list of crawler patterns from PyPI.
fn crawler_user_agents(root: &Path) -> Result<(), String> {
    let work = root.join("target/update-data");
    // What an earlier run left would be taken for the download.
    let _ = fs::remove_dir_all(&work);
    fs::create_dir_all(&work).map_err(|error| format!("could not create {}: {error}", work.display()))?;
    output(
        Command::new("python3")
            .args(["-m", "pip", "download", "--quiet", "--no-deps", "--dest", "."])
            .arg("crawler-user-agents")
            .current_dir(&work),
    )?;
    let wheel = only_file(&work, ".whl")?;
    output(Command::new("python3").args(["-m", "zipfile", "-e", &wheel, "."]).current_dir(&work))?;

    let version = wheel.split('-').nth(1).unwrap_or("of unknown version");
    let date = output(Command::new("date").args(["-u", "+%F"]))?;
    let patterns = pattern_lines(&read(&work.join("crawleruseragents/crawler-user-agents.json"))?)?;
    let target = root.join(CRAWLERS);
    refuse_shrinking(&read(&target).unwrap_or_default(), &patterns)?;
    let listed = work.join("patterns.tsv");
    write(&listed, &patterns.join("\n"))?;
    let clashes = output(Command::new("node").arg(root.join(CORPUS).join("clashes.mjs")).arg(&listed))?;
    let patterns = usable(&patterns, &clashes);
    let text = format!(
        "# Patterns of crawler user agents. Source: PyPI crawler-user-agents {version} ({}), MIT (crawler-user-agents.LICENSE).\n\
         # One per line: tags separated by commas, a tab, a regular expression, which is for its own case. Rows that match people's browsers (corpus) or\n\
         # have an open-ended gap are left out. Refreshed by `cargo xtask update-data`; not edited by hand.\n\
         {}\n",
        date.trim(),
        patterns.join("\n")
    );
    write(&target, &text)?;
    let licence = work.join(format!("crawler_user_agents-{version}.dist-info/licenses/LICENSE"));
    write(&root.join("crates/analytics/data/crawler-user-agents.LICENSE"), &read(&licence)?)?;
    println!("refreshed {CRAWLERS}: {} patterns of version {version}", patterns.len());
    Ok(())
}

/// Converts the package's JSON into one `tags<TAB>pattern` line per entry, in the same order.
fn pattern_lines(json: &str) -> Result<Vec<String>, String> {
    let entries: serde_json::Value =
        serde_json::from_str(json).map_err(|error| format!("the list is not JSON: {error}"))?;
    let entries = entries.as_array().ok_or("the list is not an array")?;
    entries
        .iter()
        .map(|entry| {
            let pattern = entry["pattern"].as_str().ok_or("an entry has no pattern")?.replace("\\/", "/");
            let tags: Vec<&str> =
                entry["tags"].as_array().into_iter().flatten().filter_map(|tag| tag.as_str()).collect();
            if pattern.contains(['\t', '\n', '\r']) || tags.iter().any(|tag| tag.contains(['\t', '\n', ',']))
            {
                return Err(format!("the pattern {pattern:?} does not fit on a line"));
            }
            Ok(format!("{}\t{pattern}", tags.join(",")))
        })
        .collect()
}

/// Leaves out patterns with an open-ended gap, which make servers slow, and those that match people's browsers, and names each.
fn usable(patterns: &[String], clashes: &str) -> Vec<String> {
    let browser_of = |pattern: &str| {
        clashes
            .lines()
            .find_map(|line| line.split_once('\t').filter(|(row, _)| *row == pattern))
            .map(|(_, one)| one)
    };
    let keep = |line: &&String| {
        let pattern = line.split_once('\t').map_or(line.as_str(), |(_, pattern)| pattern);
        if is_open_ended(pattern) {
            println!("left out, an open-ended gap: {pattern}");
        } else if let Some(browser) = browser_of(pattern) {
            println!("left out, matches a browser: {pattern} ({browser})");
        } else {
            return true;
        }
        false
    };
    patterns.iter().filter(keep).cloned().collect()
}

fn is_open_ended(pattern: &str) -> bool {
    let unescaped = pattern.replace("\\*", "").replace("\\+", "");
    unescaped.contains(['*', '+']) || unescaped.contains(",}")
}

/// Refuses a list that lost more than a tenth of its lines: the download is probably broken.
fn refuse_shrinking(old: &str, new: &[String]) -> Result<(), String> {
    let before = old.lines().filter(|line| !line.starts_with('#')).count();
    if new.len() * 10 < before * 9 {
        return Err(format!(
            "the new list has {} patterns where the old one has {before}: not taken",
            new.len()
        ));
    }
    Ok(())
}

/// Finds the first `YYYY-MM-DD` of a line.
fn date_in(line: &str) -> Option<&str> {
    let is_date = |text: &&str| {
        text.bytes()
            .enumerate()
            .all(|(at, byte)| if at == 4 || at == 7 { byte == b'-' } else { byte.is_ascii_digit() })
    };
    (0..line.len()).filter_map(|start| line.get(start..start + 10)).find(is_date)
}

/// Runs a command to its end and gives its standard output.
fn output(command: &mut Command) -> Result<String, String> {
    let result =
        command.output().map_err(|error| format!("could not start {:?}: {error}", command.get_program()))?;
    if !result.status.success() {
        return Err(format!(
            "{:?} failed: {}",
            command.get_program(),
            String::from_utf8_lossy(&result.stderr).trim()
        ));
    }
    Ok(String::from_utf8_lossy(&result.stdout).into_owned())
}

/// Finds the file of the folder whose name has this ending.
fn only_file(folder: &Path, ending: &str) -> Result<String, String> {
    let entries =
        fs::read_dir(folder).map_err(|error| format!("could not list {}: {error}", folder.display()))?;
    let mut names = entries
        .flatten()
        .filter_map(|entry| entry.file_name().into_string().ok())
        .filter(|name| name.ends_with(ending));
    match (names.next(), names.next()) {
        (Some(name), None) => Ok(name),
        _ => Err(format!("expected one file that ends in {ending} in {}", folder.display())),
    }
}

fn read(path: &Path) -> Result<String, String> {
    fs::read_to_string(path).map_err(|error| format!("could not read {}: {error}", path.display()))
}

fn write(path: &Path, text: &str) -> Result<(), String> {
    fs::write(path, text).map_err(|error| format!("could not write {}: {error}", path.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_become_lines_in_their_order() {
        let json = r#"[{"pattern": "Googlebot\\/", "tags": ["search-engine"]}, {"pattern": "\\bcurl", "tags": ["http-library", "cli"]}]"#;

        let lines = pattern_lines(json).unwrap();

        assert_eq!(lines, ["search-engine\tGooglebot/", "http-library,cli\t\\bcurl"]);
    }

    #[test]
    fn a_pattern_with_a_line_break_is_refused() {
        let json = r#"[{"pattern": "a\nb", "tags": []}]"#;

        let result = pattern_lines(json);

        assert!(result.is_err());
    }

    #[test]
    fn rows_that_match_browsers_or_have_an_open_ended_gap_are_left_out() {
        let rows = ["seo\tSonic", "feed\tCurrent[\\s\\S]*RSS", "x\tA{2,}", "x\tC\\+\\+bot", "ads\tSonicBot"]
            .map(str::to_owned);

        let kept = usable(&rows, "Sonic\tMozilla/5.0 (Windows NT 10.0) Sonic Slack_SSB/4.4.2\n");

        assert_eq!(kept, ["x\tC\\+\\+bot", "ads\tSonicBot"]);
    }

    #[test]
    fn a_list_that_lost_a_tenth_is_refused() {
        let old = format!("# header\n{}", "x\ty\n".repeat(100));
        let line = || "x\ty".to_owned();

        let results = (refuse_shrinking(&old, &vec![line(); 89]), refuse_shrinking(&old, &vec![line(); 90]));

        assert!(results.0.is_err() && results.1.is_ok());
    }

    #[test]
    fn a_date_is_found_wherever_it_stands_in_the_line() {
        let line = "  \"updated\": \"2026-11-20\",";

        let date = date_in(line);

        assert_eq!(date, Some("2026-11-20"));
    }
}
