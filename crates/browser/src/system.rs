//! Resources of this machine and their use: cores, memory, and the cgroup's limits. Used by the pool and the settings.
//! Must never exceed the limits of a container. A value that cannot be read counts as unlimited or idle.

use std::fs;
use std::path::PathBuf;
use std::time::Instant;

use crate::cgroup::{Hierarchy, own_folder};

/// Default number of concurrent pages per core: a page that waits for the network needs no core.
const PAGES_PER_CORE: usize = 16;
/// Approximate memory of a page, including its share of the browser.
const PAGE_BYTES: u64 = 160 << 20;

/// Returns the number of cores of this process.
pub(crate) fn cores() -> usize {
    std::thread::available_parallelism().map_or(2, usize::from)
}

/// Returns the memory for all browsers: three quarters of the machine's, or of the cgroup's limit.
pub(crate) fn memory_budget() -> u64 {
    let machine = meminfo().map_or(u64::MAX, |(total, _)| total);
    let total = machine.min(memory_cgroup().map_or(u64::MAX, |group| group.limit));
    total / 4 * 3
}

/// Returns the maximum number of concurrent pages on this machine. The current number follows the load.
pub fn max_concurrency() -> usize {
    let by_memory = usize::try_from(memory_budget() / PAGE_BYTES).unwrap_or(usize::MAX);
    (cores() * PAGES_PER_CORE).min(by_memory).max(2)
}

/// Returns the free share of the memory, 0 to 1: the machine's or the cgroup's, whichever is less.
pub(crate) fn memory_free() -> f64 {
    let machine = meminfo().map_or(1.0, |(total, available)| available as f64 / total.max(1) as f64);
    let group = memory_cgroup().map_or(1.0, |group| 1.0 - group.used as f64 / group.limit.max(1) as f64);
    machine.min(group)
}

/// Measurement of processor use over an interval.
#[derive(Debug)]
pub(crate) struct CpuMeter {
    at: Instant,
    machine: Option<(u64, u64)>,
    group_ns: Option<u64>,
    allowed_cores: f64,
}

impl CpuMeter {
    /// Starts an interval.
    pub fn start() -> CpuMeter {
        CpuMeter {
            at: Instant::now(),
            machine: processor_ticks(),
            group_ns: cgroup_processor_ns(),
            allowed_cores: cores() as f64,
        }
    }

    /// Returns the used share of the processor since the last call, 0 to 1: the machine's or the cgroup's, whichever is more.
    pub fn busy(&mut self) -> f64 {
        let now = CpuMeter::start();
        let machine = match (self.machine, now.machine) {
            (Some((busy, total)), Some((later_busy, later_total))) if later_total > total => {
                later_busy.saturating_sub(busy) as f64 / (later_total - total) as f64
            }
            _ => 0.0,
        };
        let allowed_ns = now.at.duration_since(self.at).as_nanos() as f64 * self.allowed_cores;
        let group = match (self.group_ns, now.group_ns) {
            (Some(before), Some(after)) if allowed_ns > 0.0 => {
                after.saturating_sub(before) as f64 / allowed_ns
            }
            _ => 0.0,
        };
        *self = now;
        machine.max(group).clamp(0.0, 1.0)
    }
}

/// Returns the busy ticks and all ticks of all processors since boot.
fn processor_ticks() -> Option<(u64, u64)> {
    parse_stat(&fs::read_to_string("/proc/stat").ok()?)
}

fn parse_stat(stat: &str) -> Option<(u64, u64)> {
    let ticks: Vec<u64> =
        stat.lines().next()?.strip_prefix("cpu ")?.split_whitespace().flat_map(str::parse).collect();
    // user nice system idle iowait irq softirq steal; what follows is in `user` already.
    let total: u64 = ticks.iter().take(8).sum();
    let idle = ticks.get(3)? + ticks.get(4)?;
    Some((total - idle, total))
}

fn cgroup_processor_ns() -> Option<u64> {
    let (folder, hierarchy) = own_folder("cpuacct")?;
    match hierarchy {
        Hierarchy::V1 => fs::read_to_string(folder.join("cpuacct.usage")).ok()?.trim().parse().ok(),
        Hierarchy::V2 => {
            let stat = fs::read_to_string(folder.join("cpu.stat")).ok()?;
            let usage: u64 = field(&stat, "usage_usec")?;
            Some(usage.saturating_mul(1000))
        }
    }
}

struct MemoryGroup {
    limit: u64,
    /// Without memory that the kernel can reclaim at once.
    used: u64,
}

/// Returns the memory cgroup of this process; `None` when it has no limit.
fn memory_cgroup() -> Option<MemoryGroup> {
    let (folder, hierarchy) = own_folder("memory")?;
    let (limit, used, cache) = match hierarchy {
        Hierarchy::V1 => ("memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file"),
        Hierarchy::V2 => ("memory.max", "memory.current", "inactive_file"),
    };
    let limit = number(folder.join(limit))?;
    // Version 1 writes "no limit" as a number near the maximum.
    if limit > 1 << 60 {
        return None;
    }
    let stat = fs::read_to_string(folder.join("memory.stat")).unwrap_or_default();
    let used = number(folder.join(used))?.saturating_sub(field(&stat, cache).unwrap_or(0));
    Some(MemoryGroup { limit, used })
}

fn number(file: PathBuf) -> Option<u64> {
    fs::read_to_string(file).ok()?.trim().parse().ok()
}

/// Returns the number in the line `name number`.
fn field(text: &str, name: &str) -> Option<u64> {
    text.lines().find_map(|line| line.strip_prefix(name)?.trim().parse().ok())
}

/// Returns the total and the available bytes of memory.
fn meminfo() -> Option<(u64, u64)> {
    parse_meminfo(&fs::read_to_string("/proc/meminfo").ok()?)
}

fn parse_meminfo(text: &str) -> Option<(u64, u64)> {
    let kibibytes = |name: &str| {
        text.lines()
            .find_map(|line| line.strip_prefix(name)?.trim().strip_suffix("kB")?.trim().parse::<u64>().ok())
    };
    Some((kibibytes("MemTotal:")? << 10, kibibytes("MemAvailable:")? << 10))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waiting_for_disks_does_not_count_as_processor_use() {
        let stat = "cpu  100 0 50 700 150 0 0 0 90 0\ncpu0 1 2 3\n";

        assert_eq!(parse_stat(stat), Some((150, 1000)));
    }

    #[test]
    fn total_and_available_memory_are_read_from_meminfo() {
        let text = "MemTotal:       2048 kB\nMemFree: 1 kB\nMemAvailable:   1024 kB\n";

        assert_eq!(parse_meminfo(text), Some((2048 << 10, 1024 << 10)));
    }

    #[test]
    fn processor_use_is_measured() {
        let mut meter = CpuMeter::start();
        let until = Instant::now() + std::time::Duration::from_millis(200);
        while Instant::now() < until {
            std::hint::spin_loop();
        }

        let busy = meter.busy();

        assert!(busy > 0.3 / cores() as f64 && busy <= 1.0, "{busy}");
    }

    #[test]
    fn memory_and_page_limits_are_plausible() {
        assert!((0.0..=1.0).contains(&memory_free()) && memory_free() > 0.0);
        assert!((2..=cores() * PAGES_PER_CORE).contains(&max_concurrency()));
    }
}
