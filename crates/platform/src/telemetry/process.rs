//! Metrics of this process, as the system reports them, and its build. Read when the metrics are requested.

use std::fs;

use rustix::process::{Resource, getrlimit};

/// Publishes build and process metrics. What the system does not say is left out.
pub fn publish() {
    metrics::gauge!("glasshouse_build_info", "version" => env!("CARGO_PKG_VERSION")).set(1.0);
    if let Some((cpu_seconds, started_after)) = times() {
        metrics::counter!("process_cpu_seconds_total").absolute(cpu_seconds);
        if let Some(boot) = boot_time() {
            metrics::gauge!("process_start_time_seconds").set(boot + started_after);
        }
    }
    if let Some(pages) = resident_pages() {
        metrics::gauge!("process_resident_memory_bytes").set(pages * rustix::param::page_size() as f64);
    }
    if let Ok(open) = fs::read_dir("/proc/self/fd") {
        metrics::gauge!("process_open_fds").set(open.count() as f64);
    }
    if let Some(most) = getrlimit(Resource::Nofile).current {
        #[expect(clippy::cast_precision_loss, reason = "a gauge")]
        metrics::gauge!("process_max_fds").set(most as f64);
    }
}

/// Returns the seconds of processor time, and the seconds between the start of the machine and that of the process.
/// Source: proc(5), stat.
fn times() -> Option<(u64, f64)> {
    let stat = fs::read_to_string("/proc/self/stat").ok()?;
    // The name of the program may hold blanks and brackets; the third field follows its last bracket.
    let fields: Vec<&str> = stat.rsplit_once(')')?.1.split_whitespace().collect();
    let ticks = |number: usize| fields.get(number - 3)?.parse::<u64>().ok();
    let per_second = rustix::param::clock_ticks_per_second();
    #[expect(clippy::cast_precision_loss, reason = "a gauge")]
    let started = ticks(22)? as f64 / per_second as f64;
    Some(((ticks(14)? + ticks(15)?) / per_second, started))
}

/// Returns the start of the machine, in epoch seconds.
fn boot_time() -> Option<f64> {
    let stat = fs::read_to_string("/proc/stat").ok()?;
    stat.lines().find_map(|line| line.strip_prefix("btime ")?.trim().parse().ok())
}

fn resident_pages() -> Option<f64> {
    fs::read_to_string("/proc/self/statm").ok()?.split_whitespace().nth(1)?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_system_says_how_long_and_how_large_the_process_is() {
        let (_, started) = times().expect("there is a /proc");

        assert!(started > 0.0 && boot_time().expect("it says when it began") > 1.6e9);
        assert!(resident_pages().expect("it says how much memory there is") > 100.0);
    }
}
