//! Memory of a browser's processes, from /proc, and the decision which of them to end. Used by the supervisor.
//! Must never choose the browser's main process: a page that uses too much memory ends alone.

use std::fs;

use crate::process::page_size;

/// Process of a browser.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Member {
    pub pid: u32,
    /// Resident memory that is not shared with other processes.
    pub private_bytes: u64,
    /// The process runs pages.
    pub is_renderer: bool,
}

/// Lists the processes of a group.
pub(crate) fn members(group: u32) -> Vec<Member> {
    let Ok(entries) = fs::read_dir("/proc") else { return Vec::new() };
    let page = page_size();
    entries
        .flatten()
        .filter_map(|entry| entry.file_name().to_str()?.parse::<u32>().ok())
        .filter(|pid| {
            fs::read_to_string(format!("/proc/{pid}/stat")).ok().and_then(|stat| group_of(&stat))
                == Some(group)
        })
        .filter_map(|pid| {
            let statm = fs::read_to_string(format!("/proc/{pid}/statm")).ok()?;
            let command = fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
            let is_renderer = String::from_utf8_lossy(&command).contains("--type=renderer");
            Some(Member { pid, private_bytes: private_pages(&statm)?.saturating_mul(page), is_renderer })
        })
        .collect()
}

/// Action that bounds the memory of a browser.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Remedy<'a> {
    Nothing,
    /// This page uses too much.
    KillPage(&'a Member),
    /// Memory gets short.
    CloseIdleTabs,
    /// The main process has grown, so ending pages does not help.
    Replace,
}

/// Decides about a browser with a limit of `limit` bytes and `page_limit` bytes per page.
///
/// A main process that leaks is replaced at half of the limit, while there is memory for its renders to end.
pub(crate) fn remedy(members: &[Member], limit: u64, page_limit: u64) -> Remedy<'_> {
    let largest =
        members.iter().filter(|member| member.is_renderer).max_by_key(|member| member.private_bytes);
    let sum = |is_renderer: bool| -> u64 {
        members.iter().filter(|m| m.is_renderer == is_renderer).map(|m| m.private_bytes).sum()
    };
    let (pages, main) = (sum(true), sum(false));
    match largest {
        Some(page) if page.private_bytes > page_limit => Remedy::KillPage(page),
        _ if main > limit / 2 => Remedy::Replace,
        Some(page) if pages + main > limit / 10 * 9 => Remedy::KillPage(page),
        _ if pages + main > limit / 10 * 6 => Remedy::CloseIdleTabs,
        _ => Remedy::Nothing,
    }
}

/// Parses the fifth field of `/proc/PID/stat`. The second field, the name, may contain any character.
fn group_of(stat: &str) -> Option<u32> {
    stat.rsplit_once(')')?.1.split_whitespace().nth(2)?.parse().ok()
}

/// Returns the number of resident pages without shared ones.
fn private_pages(statm: &str) -> Option<u64> {
    let mut fields = statm.split_whitespace().skip(1).map(str::parse::<u64>);
    let (resident, shared) = (fields.next()?.ok()?, fields.next()?.ok()?);
    Some(resident.saturating_sub(shared))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn main_process(private_bytes: u64) -> Member {
        Member { pid: 1, private_bytes, is_renderer: false }
    }

    fn page(pid: u32, private_bytes: u64) -> Member {
        Member { pid, private_bytes, is_renderer: true }
    }

    #[test]
    fn a_page_over_its_limit_ends_alone() {
        let all = [main_process(500), page(2, 90), page(3, 120)];

        assert_eq!(remedy(&all, 10_000, 100), Remedy::KillPage(&all[2]));
        assert_eq!(remedy(&all, 10_000, 200), Remedy::Nothing);
    }

    #[test]
    fn over_the_browsers_limit_the_largest_page_ends() {
        let all = [main_process(100), page(2, 390), page(3, 420)];

        assert_eq!(remedy(&all, 1_000, 1_000), Remedy::KillPage(&all[2]));
        assert_eq!(remedy(&all, 1_200, 1_000), Remedy::CloseIdleTabs);
    }

    #[test]
    fn a_browser_that_leaks_is_replaced_and_its_pages_are_left_alone() {
        let leaking = [main_process(850), page(2, 90)];

        assert_eq!(remedy(&leaking, 1_000, 500), Remedy::Replace);
        assert_eq!(remedy(&leaking[..1], 1_000, 500), Remedy::Replace);
    }

    #[test]
    fn process_files_are_parsed_whatever_the_name_contains() {
        assert_eq!(group_of("7 (a) b (c)) S 1 42 42 0"), Some(42));
        assert_eq!(private_pages("1000 300 100 1 0 1 0"), Some(200));
    }

    #[test]
    fn this_process_is_found_in_its_group() {
        let own = std::process::id();
        let stat = fs::read_to_string("/proc/self/stat").unwrap();

        let found = members(group_of(&stat).unwrap());

        assert!(found.iter().any(|member| member.pid == own && member.private_bytes > 0));
    }
}
