//! Number of concurrent renders: grows while processor and memory have room, shrinks when they do not.
//! Used by the pool, which measures the machine. Pure: no clock, no files. Must never exceed its ceiling nor fall to zero.
//! See docs/decisions/0115.

/// Processor use (0 to 1) below which the limit grows and above which it shrinks. High, since pages mostly wait.
const CPU_GROW_BELOW: f64 = 0.85;
const CPU_SHRINK_ABOVE: f64 = 0.95;
/// Processor use above which the background limit shrinks, lower so that urgent renders find a free processor.
const CPU_SHRINK_ABOVE_YIELDING: f64 = 0.90;
/// Share of the memory that is left to other processes. The limit grows only while twice this share is free.
const MEMORY_RESERVE: f64 = 0.10;
/// Consecutive samples above the threshold before the limit shrinks. A single one is the start of a page.
const HOT_SAMPLES: u32 = 2;
/// Consecutive idle samples after which an unused limit shrinks.
const CALM_SAMPLES: u32 = 40;

/// Load of the machine and of the renders at one time.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Sample {
    /// Share of the processor in use, 0 to 1.
    pub busy: f64,
    /// Share of the memory that is free, 0 to 1.
    pub memory_free: f64,
    pub load: RenderLoad,
}

/// Load of the renders at one time.
#[derive(Debug, Clone, Copy)]
pub struct RenderLoad {
    /// Running renders.
    pub active: usize,
    /// Background renders have a lower limit because of urgent ones.
    pub is_yielding: bool,
    /// Renders that wait for a slot only.
    pub waiting: usize,
}

/// Limits of concurrent renders.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RenderCapacity {
    pub all: usize,
    /// Background renders while urgent ones run or are expected.
    pub background: usize,
}

/// Current number of concurrent renders.
#[derive(Debug)]
pub(crate) struct Capacity {
    limit: usize,
    background: usize,
    floor: usize,
    ceiling: usize,
    hot: u32,
    hot_yielding: u32,
    calm: u32,
}

impl Capacity {
    /// Starts with `floor` renders. A busy processor does not take the limit below the floor, and it never exceeds `ceiling`.
    pub fn new(floor: usize, ceiling: usize) -> Capacity {
        let ceiling = ceiling.max(1);
        let floor = floor.clamp(1, ceiling);
        let background = min_background(floor);
        Capacity { limit: floor, background, floor, ceiling, hot: 0, hot_yielding: 0, calm: 0 }
    }

    /// Returns the current limits.
    pub fn limits(&self) -> RenderCapacity {
        RenderCapacity { all: self.limit, background: self.background.min(self.limit) }
    }

    /// Adjusts the limits to a sample and returns them.
    pub fn observe(&mut self, sample: &Sample) -> RenderCapacity {
        self.hot = if sample.busy > CPU_SHRINK_ABOVE { self.hot + 1 } else { 0 };
        self.hot_yielding = if sample.busy > CPU_SHRINK_ABOVE_YIELDING { self.hot_yielding + 1 } else { 0 };
        let is_calm = sample.load.waiting == 0 && sample.load.active < self.limit.div_ceil(2);
        self.calm = if is_calm { self.calm + 1 } else { 0 };
        let step = |part: usize| (self.limit / part).max(1);
        let more = |pages: usize| more_pages(pages, sample.busy).min(self.ceiling);
        if sample.memory_free < MEMORY_RESERVE {
            // Even below the floor: without memory, pages crash.
            self.limit = self.limit.saturating_sub(step(4)).max(1);
        } else if self.hot >= HOT_SAMPLES && self.limit > self.floor {
            self.limit = self.limit.saturating_sub(step(8)).max(self.floor);
            self.hot = 0;
        } else if self.wants_more(sample) {
            if sample.load.active >= self.limit {
                self.limit = more(self.limit);
            } else {
                self.background = more(self.background);
                self.limit = self.limit.max(self.background);
            }
        } else if self.calm >= CALM_SAMPLES && self.limit != self.floor {
            // The way back to the floor after a shortage of memory.
            self.limit =
                if self.limit < self.floor { self.limit + 1 } else { (self.limit - step(4)).max(self.floor) };
            self.calm = 0;
        }
        if self.hot_yielding >= HOT_SAMPLES {
            let fewer = self.background - (self.background / 4).max(1);
            self.background = fewer.max(min_background(self.floor));
        }
        self.limits()
    }

    fn wants_more(&self, sample: &Sample) -> bool {
        sample.load.waiting > 0
            && (sample.load.active >= self.limit || sample.load.is_yielding)
            && sample.busy < CPU_GROW_BELOW
            && sample.memory_free > 2.0 * MEMORY_RESERVE
    }
}

/// Returns the number of pages that would use the processor up to the target if each did as much as now; at most twice `pages`.
fn more_pages(pages: usize, busy: f64) -> usize {
    let wanted = pages as f64 * CPU_GROW_BELOW / busy.max(CPU_GROW_BELOW / 2.0);
    (wanted as usize).max(pages + 1)
}

/// Returns one page for each processor, since a page that only computes occupies one.
fn min_background(floor: usize) -> usize {
    floor.div_ceil(2)
}

#[cfg(test)]
mod tests {
    use super::*;

    const LOAD: RenderLoad = RenderLoad { active: usize::MAX, is_yielding: false, waiting: 9 };
    const ROOM: Sample = Sample { busy: 0.3, memory_free: 0.8, load: LOAD };

    fn repeat(capacity: &mut Capacity, times: usize, sample: &Sample) {
        for _ in 0..times {
            capacity.observe(sample);
        }
    }

    #[test]
    fn the_limit_grows_to_the_ceiling_while_renders_wait_and_resources_are_free() {
        let mut capacity = Capacity::new(4, 32);

        let limits: Vec<usize> = (0..5).map(|_| capacity.observe(&ROOM).all).collect();

        assert_eq!(limits, [8, 16, 32, 32, 32]);
    }

    #[test]
    fn the_limit_grows_in_proportion_to_the_free_processor_and_by_one_at_least() {
        let grown = |busy| Capacity::new(8, 32).observe(&Sample { busy, ..ROOM }).all;

        assert_eq!([0.0, 0.5, 0.6, 0.84, 0.85].map(grown), [16, 13, 11, 9, 8]);
    }

    #[test]
    fn the_limit_does_not_grow_while_no_render_waits() {
        let mut capacity = Capacity::new(4, 32);

        assert_eq!(capacity.observe(&Sample { load: RenderLoad { waiting: 0, ..LOAD }, ..ROOM }).all, 4);
        assert_eq!(
            capacity.observe(&Sample { load: RenderLoad { active: 3, ..LOAD }, ..ROOM }).all,
            4,
            "a slot is free still"
        );
    }

    #[test]
    fn the_background_limit_follows_the_load_more_closely() {
        let mut capacity = Capacity::new(8, 32);
        let beside = Sample { load: RenderLoad { active: 1, is_yielding: true, ..LOAD }, ..ROOM };

        assert_eq!(
            capacity.observe(&Sample { busy: 0.88, ..beside }),
            RenderCapacity { all: 8, background: 4 }
        );
        assert_eq!(capacity.observe(&beside), RenderCapacity { all: 8, background: 8 });
        repeat(&mut capacity, 20, &beside);
        assert_eq!(capacity.limits(), RenderCapacity { all: 32, background: 32 });
        repeat(&mut capacity, 20, &Sample { busy: 0.92, ..beside });
        assert_eq!(capacity.limits(), RenderCapacity { all: 32, background: 4 });
    }

    #[test]
    fn the_limit_is_stable_between_the_processor_thresholds() {
        let mut capacity = Capacity::new(4, 32);
        capacity.observe(&ROOM);

        for _ in 0..100 {
            assert_eq!(capacity.observe(&Sample { busy: 0.9, ..ROOM }).all, 8);
        }
    }

    #[test]
    fn the_limit_shrinks_to_the_floor_while_the_processor_is_full() {
        let mut capacity = Capacity::new(4, 32);
        repeat(&mut capacity, 20, &ROOM);

        let once = capacity.observe(&Sample { busy: 0.99, ..ROOM }).all;
        let twice = capacity.observe(&Sample { busy: 0.99, ..ROOM }).all;
        repeat(&mut capacity, 200, &Sample { busy: 0.99, ..ROOM });

        assert_eq!((once, twice, capacity.limits().all), (32, 28, 4));
    }

    #[test]
    fn short_memory_shrinks_the_limit_at_once_but_not_below_one() {
        let mut capacity = Capacity::new(8, 32);

        let first = capacity.observe(&Sample { memory_free: 0.05, ..ROOM }).all;
        repeat(&mut capacity, 50, &Sample { memory_free: 0.05, ..ROOM });

        assert_eq!((first, capacity.limits().all), (6, 1));
    }

    #[test]
    fn the_limit_does_not_grow_without_free_memory() {
        let mut capacity = Capacity::new(4, 32);

        assert_eq!(capacity.observe(&Sample { memory_free: 0.15, ..ROOM }).all, 4);
    }

    #[test]
    fn a_limit_unused_for_ten_seconds_shrinks_step_by_step() {
        let mut capacity = Capacity::new(4, 32);
        repeat(&mut capacity, 20, &ROOM);
        let calm = Sample { load: RenderLoad { waiting: 0, active: 1, ..LOAD }, ..ROOM };

        let limits: Vec<usize> = (0..400).map(|_| capacity.observe(&calm).all).collect();

        assert_eq!((limits[38], limits[39], limits[399]), (32, 24, 4));
    }

    #[test]
    fn the_ceiling_is_never_exceeded() {
        let mut capacity = Capacity::new(4, 2);

        repeat(&mut capacity, 50, &ROOM);

        assert_eq!(capacity.limits().all, 2);
    }
}
