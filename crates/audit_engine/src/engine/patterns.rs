//! Templates of addresses: pages that are probably made alike. Decides which pages are rendered without a sign that
//! they need it, which pages represent others, and which are an endless trap.

use std::cmp::Reverse;
use std::collections::VecDeque;

use hashbrown::{HashMap, HashSet};
use serde::{Deserialize, Serialize};
use tokio::sync::oneshot;
use utoipa::ToSchema;
use xxhash_rust::xxh3::xxh3_64;

use super::template::{has_far_date, has_repeated_segment, has_session, template};
use crate::site::{Interner, Row};

/// Pages of each template that are rendered to see whether scripts change them.
const FIRST: u32 = 3;
/// Pages that are rendered once one of the first showed that they do.
const MORE: u32 = 200;
/// Pages of a template that are always audited.
const LEAST_SAMPLE: u32 = 20;
const MOST_SAMPLE: u32 = 200;
/// Pages in a row without a new set of findings after which more would show nothing new.
const SATURATED: u32 = 10;
/// Addresses of a template, and different texts among its last pages, from which and below which it is a trap.
const TRAP_ADDRESSES: u32 = 500;
const TRAP_WINDOW: usize = 100;
const TRAP_TEXTS: usize = 10;
/// Addresses with repeated segments, far dates or grown paths that may be honest.
const HONEST: u32 = 50;
/// Segments that a path has more than another page of the same text, from which its own links make it grow without end.
const GROWN: u8 = 2;
/// Maximum number of pages of a template that are audited although others represent them.
const MOST_KEPT: u32 = 200;

/// Decision about requesting an address.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Admission {
    Yes,
    /// It leads nowhere new, and so would those after it.
    Trap,
    /// Other pages of its template represent it.
    Sampled,
}

/// Decision about rendering a page for the sake of its template.
#[derive(Debug)]
pub enum Wish {
    Render,
    /// It is not.
    Leave,
    /// The decision depends on earlier pages of its template whose checks are not finished; the receiver gets it later.
    Unsure(oneshot::Receiver<bool>),
}

/// Numbers of one template. A site can have as many templates as addresses.
#[derive(Default)]
struct TemplateCounts {
    seen: u32,
    judged: u32,
    extra: u32,
    is_changed_by_scripts: bool,
    discovered: u32,
    queued: u32,
    crawled: u32,
    sampled: u32,
    kept: u32,
    trapped: u32,
    since_new: u32,
    learned: Option<Box<Learned>>,
}

/// Results of the rendered pages of a template.
#[derive(Default)]
struct Learned {
    texts: VecDeque<u64>,
    signatures: HashSet<u64>,
    /// Pages that wait for the results of the first ones.
    waiting: Vec<oneshot::Sender<bool>>,
}

/// One template in the numbers of a crawl.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct SampledPattern {
    /// The template.
    pub pattern: String,
    /// Addresses that were seen.
    pub discovered: u32,
    /// Audited pages.
    pub crawled: u32,
    /// Addresses that other pages represent.
    pub skipped: u32,
    /// The last pages showed nothing new.
    pub saturated: bool,
    /// Different sets of findings.
    pub issue_signatures: usize,
}

/// Templates of a site and their counts.
#[derive(Default)]
pub struct Patterns {
    names: Interner,
    /// Counts by the number of the template's name.
    patterns: Vec<TemplateCounts>,
    repeated: u32,
    far_dates: u32,
    sessions: u32,
    grown: u32,
    /// Minimum number of segments of the paths of each text.
    depths: HashMap<u64, u8>,
    waiting: usize,
}

impl Patterns {
    fn of(&mut self, key: &str) -> &mut TemplateCounts {
        let index = self.names.intern(&template(key)).index();
        if self.patterns.len() <= index {
            self.patterns.resize_with(index + 1, TemplateCounts::default);
        }
        &mut self.patterns[index]
    }

    fn named(&self) -> impl Iterator<Item = (&str, &TemplateCounts)> {
        self.names.from(0).map(|(_, name)| name).zip(&self.patterns)
    }

    /// Counts a page, and decides whether it is rendered for the sake of its template.
    pub fn wants_render(&mut self, key: &str) -> Wish {
        let pattern = self.of(key);
        if pattern.count() {
            return Wish::Render;
        }
        let learned = pattern.learned.get_or_insert_default();
        if pattern.is_changed_by_scripts || pattern.judged >= FIRST || learned.waiting.len() >= MORE as usize
        {
            return Wish::Leave;
        }
        let (tell, told) = oneshot::channel();
        learned.waiting.push(tell);
        self.waiting += 1;
        Wish::Unsure(told)
    }

    /// Returns the number of pages that wait for the results of their template.
    pub fn waiting(&self) -> usize {
        self.waiting
    }

    /// Counts a page of an earlier run as it was counted then.
    pub fn remember(&mut self, key: &str, row: &Row) {
        if row.is_page() {
            self.of(key).count();
            self.judge(key, row.is_changed_by_scripts);
        }
    }

    /// Records whether scripts change a page significantly, in the order in which pages were counted, and notifies
    /// the waiting pages.
    pub fn judge(&mut self, key: &str, is_changed: bool) {
        let pattern = self.of(key);
        pattern.judged = pattern.judged.saturating_add(1);
        pattern.is_changed_by_scripts |= is_changed;
        if !pattern.is_changed_by_scripts && pattern.judged < FIRST {
            return;
        }
        let waiting = pattern.learned.as_mut().map(|learned| std::mem::take(&mut learned.waiting));
        for tell in waiting.unwrap_or_default() {
            self.waiting -= 1;
            let pattern = self.of(key);
            let is_wanted = pattern.is_changed_by_scripts && pattern.extra < MORE && !tell.is_closed();
            pattern.extra += u32::from(is_wanted);
            // Whoever looks empty without scripts did not wait.
            let _ = tell.send(is_wanted);
        }
    }

    /// Decides whether the path of a page has grown: pages with a shorter one had the same text.
    pub fn has_grown(&self, key: &str, row: &Row) -> bool {
        let fewest = self.depths.get(&(row.fingerprints.text as u64));
        row.words > 0 && fewest.is_some_and(|fewest| depth(key) >= fewest.saturating_add(GROWN))
    }

    /// Weighs an address that was not seen before; `grows`: it is longer than the grown path of the page that links to it.
    /// See docs/decisions/0161.
    pub fn admit(&mut self, key: &str, year: i32, may_sample: bool, grows: bool) -> Admission {
        let signs = [
            (has_repeated_segment(key), &mut self.repeated),
            (has_far_date(key, year), &mut self.far_dates),
            (has_session(key), &mut self.sessions),
            (grows, &mut self.grown),
        ];
        let mut is_endless = false;
        for (_, count) in signs.into_iter().filter(|(has_it, _)| *has_it) {
            *count += 1;
            is_endless |= *count > HONEST;
        }
        let pattern = self.of(key);
        pattern.discovered += 1;
        if is_endless || pattern.is_trap() {
            pattern.trapped += 1;
            return Admission::Trap;
        }
        if may_sample && pattern.queued >= pattern.budget() {
            pattern.sampled += 1;
            return Admission::Sampled;
        }
        pattern.queued += 1;
        Admission::Yes
    }

    /// Counts an address that a sitemap lists.
    pub fn discover(&mut self, key: &str) {
        self.of(key).discovered += 1;
    }

    /// Takes back that an address was counted: it is weighed as one that a page links to.
    pub fn undiscover(&mut self, key: &str) {
        let pattern = self.of(key);
        pattern.discovered = pattern.discovered.saturating_sub(1);
    }

    /// Counts a listed address that is requested.
    pub fn record_queued(&mut self, key: &str) {
        self.of(key).queued += 1;
    }

    /// Counts a listed address that other pages of its template represent.
    pub fn record_sampled(&mut self, key: &str) {
        self.of(key).sampled += 1;
    }

    /// Decides whether an address may be audited although others of its template represent it, within `MOST_KEPT`.
    pub fn keeps(&mut self, key: &str) -> bool {
        let pattern = self.of(key);
        pattern.kept += 1;
        pattern.kept <= MOST_KEPT
    }

    /// Returns how many more listed addresses of a template are to be requested now, `key` included. Returns `None`
    /// when no more are needed: pages show nothing new, or enough of them were audited.
    pub fn listed_share(&mut self, key: &str) -> Option<u32> {
        let pattern = self.of(key);
        if pattern.is_saturated() {
            return None;
        }
        let most = pattern.budget().saturating_sub(pattern.queued);
        let now = if pattern.queued < LEAST_SAMPLE { LEAST_SAMPLE - pattern.queued } else { SATURATED };
        (most > 0).then_some(now.min(most))
    }

    /// Learns what a page showed.
    pub fn learn(&mut self, key: &str, row: &Row) {
        if !row.is_page() {
            return;
        }
        if row.words > 0 {
            let fewest = self.depths.entry(row.fingerprints.text as u64).or_insert(u8::MAX);
            *fewest = depth(key).min(*fewest);
        }
        let pattern = self.of(key);
        pattern.crawled += 1;
        // Pages without text are shells that scripts fill: they say nothing about each other.
        let text = if row.words == 0 { xxh3_64(key.as_bytes()) } else { row.fingerprints.text as u64 };
        let learned = pattern.learned.get_or_insert_default();
        learned.texts.push_back(text);
        if learned.texts.len() > TRAP_WINDOW {
            learned.texts.pop_front();
        }
        let findings = row.details.iter().flat_map(|details| &details.findings);
        let ids: Vec<&str> = findings.map(|(check, _)| check.check().id).collect();
        let is_new = learned.signatures.insert(xxh3_64(ids.join(" ").as_bytes()));
        pattern.since_new = if is_new { 0 } else { pattern.since_new + 1 };
    }

    /// Returns the number of pages that a page represents, itself included.
    pub fn stands_for(&self, key: &str) -> f64 {
        match self.names.find(&template(key)).map(|id| &self.patterns[id.index()]) {
            Some(pattern) if pattern.sampled > 0 && pattern.crawled > 0 => {
                1.0 + f64::from(pattern.sampled) / f64::from(pattern.crawled)
            }
            _ => 1.0,
        }
    }

    /// Returns the templates whose addresses were cut off, with the number of these addresses.
    pub fn traps(&self) -> Vec<(String, u32)> {
        let cut = self.named().filter(|(_, pattern)| pattern.trapped > 0);
        let mut traps: Vec<_> = cut.map(|(name, pattern)| (name.to_owned(), pattern.trapped)).collect();
        traps.sort();
        traps
    }

    /// Returns the numbers of the largest templates.
    pub fn sampled(&self, most: usize) -> Vec<SampledPattern> {
        let mut patterns: Vec<_> = self.named().collect();
        patterns.sort_unstable_by_key(|(name, pattern)| (Reverse(pattern.seen_pages()), *name));
        patterns
            .into_iter()
            .take(most)
            .map(|(name, pattern)| SampledPattern {
                pattern: name.to_owned(),
                discovered: pattern.seen_pages(),
                crawled: pattern.crawled,
                skipped: pattern.sampled,
                saturated: pattern.is_saturated(),
                issue_signatures: pattern.learned.as_ref().map_or(0, |learned| learned.signatures.len()),
            })
            .collect()
    }

    /// Returns the extent of the sampling: name, audited and skipped pages of each sampled template, and the number
    /// of all pages.
    pub fn samples(&self) -> (Vec<(&str, u32, u32)>, f64) {
        let all = self.named().map(|(_, pattern)| f64::from(pattern.crawled + pattern.sampled)).sum();
        let sampled = self.named().filter(|(_, pattern)| pattern.sampled > 0);
        (sampled.map(|(name, pattern)| (name, pattern.crawled, pattern.sampled)).collect(), all)
    }
}

impl TemplateCounts {
    /// Counts a page. Returns true when it is one of the first, or scripts change the pages of its template.
    fn count(&mut self) -> bool {
        self.seen = self.seen.saturating_add(1);
        let is_extra = self.seen > FIRST && self.is_changed_by_scripts && self.extra < MORE;
        self.extra += u32::from(is_extra);
        self.seen <= FIRST || is_extra
    }

    fn seen_pages(&self) -> u32 {
        self.discovered.max(self.crawled)
    }

    fn is_saturated(&self) -> bool {
        self.crawled >= LEAST_SAMPLE && self.since_new >= SATURATED
    }

    /// Returns the number of addresses to audit of those seen so far.
    fn budget(&self) -> u32 {
        let share = (4.0 * f64::from(self.discovered).sqrt()).ceil() as u32;
        if self.is_saturated() { LEAST_SAMPLE } else { share.clamp(LEAST_SAMPLE, MOST_SAMPLE) }
    }

    fn is_trap(&self) -> bool {
        self.discovered > TRAP_ADDRESSES
            && self.learned.as_ref().is_some_and(|learned| {
                learned.texts.len() == TRAP_WINDOW
                    && learned.texts.iter().collect::<HashSet<_>>().len() < TRAP_TEXTS
            })
    }
}

/// Counts the segments of a path.
fn depth(key: &str) -> u8 {
    let path = key.split('?').next().unwrap_or_default();
    let segments = path.split('/').filter(|segment| !segment.is_empty()).count();
    u8::try_from(segments).unwrap_or(u8::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_of_one_kind_have_one_template() {
        assert_eq!(template("/blog/2024/05/my-post/"), template("/blog/2019/11/another/"));
        assert_eq!(template("/p/1-shoe"), template("/p/2-boot"));
        assert_eq!(template("/list?b=1&a=2"), template("/list?a=3&b=4"));
        assert_ne!(template("/about"), template("/contact"));
        assert_ne!(template("/p/shoe"), template("/blog/shoe"));
    }

    fn renders(wish: Wish) -> bool {
        match wish {
            Wish::Render => true,
            Wish::Leave => false,
            Wish::Unsure(mut told) => told.try_recv().expect("the first pages were judged"),
        }
    }

    #[test]
    fn only_the_first_pages_are_rendered_unless_scripts_change_them() {
        for (changed, expected) in [(None, false), (Some(2), true)] {
            let mut patterns = Patterns::default();

            // Pages come faster than browsers: two more are there before the first is through.
            let wishes: Vec<Wish> =
                (0..5).map(|number| patterns.wants_render(&format!("/p/{number}"))).collect();
            let waiting = patterns.waiting();
            (0..3).for_each(|number| patterns.judge(&format!("/p/{number}"), changed == Some(number)));
            let rendered: Vec<bool> = wishes.into_iter().map(renders).collect();

            assert_eq!(rendered, [true, true, true, expected, expected]);
            assert_eq!((waiting, patterns.waiting()), (2, 0));
            assert_eq!(renders(patterns.wants_render("/p/9")), expected);
        }
    }

    #[test]
    fn two_hundred_pages_more_are_rendered_however_early_they_came() {
        let mut patterns = Patterns::default();

        let mut wishes: Vec<Wish> =
            (0..150).map(|number| patterns.wants_render(&format!("/p/{number}"))).collect();
        (0..150).for_each(|number| patterns.judge(&format!("/p/{number}"), number == 1));
        wishes.extend((150..400).map(|number| patterns.wants_render(&format!("/p/{number}"))));

        assert_eq!(wishes.into_iter().map(renders).filter(|is| *is).count(), 203);
    }

    fn page(text: u128) -> Row {
        let mut row =
            Row { words: 100, rows: Some(crate::page::view::CheckedRows::Indexable), ..Row::default() };
        row.fingerprints.text = text;
        row
    }

    #[test]
    fn many_addresses_with_few_texts_are_a_trap() {
        let mut patterns = Patterns::default();
        let mut honest = Patterns::default();
        for number in 0..600 {
            let key = format!("/filter/{number}");
            patterns.admit(&key, 2026, false, false);
            honest.admit(&key, 2026, false, false);
            patterns.learn(&key, &page(number % 3));
            honest.learn(&key, &page(number));
        }

        assert_eq!(patterns.admit("/filter/next", 2026, false, false), Admission::Trap);
        assert_eq!(honest.admit("/filter/next", 2026, false, false), Admission::Yes);
        assert_eq!(patterns.traps().len(), 1);
    }

    #[test]
    fn calendars_and_relative_links_without_end_are_traps_and_archives_are_not() {
        let mut patterns = Patterns::default();
        let mut cut = |key: &dyn Fn(i32) -> String| {
            (0..100)
                .filter(|number| patterns.admit(&key(*number), 2026, false, false) == Admission::Trap)
                .count()
        };

        assert_eq!(cut(&|number| format!("/calendar/{}-05", 2040 + number)), 50);
        assert_eq!(cut(&|number| format!("/a/b{number}/a/c/a")), 50);
        assert_eq!(cut(&|number| format!("/blog/2009/05/post-{number}")), 0);
    }

    #[test]
    fn sessions_and_calendars_of_any_form_are_traps_and_what_is_past_is_an_archive() {
        for (form, expected) in [
            ("/events/2040/05/#", 0),
            ("/events/20#/05/", 1),
            ("/events/20#/05/17", 1),
            ("/?year=20#", 1),
            ("/?page=20#", 0),
            ("/a?sid=#", 1),
            ("/a;jsessionid=#", 1),
            ("/archive/19#/05/", 0),
            ("/archive?year=19#", 0),
            ("/archive/19#-05", 0),
        ] {
            let mut patterns = Patterns::default();
            let keys = (40..99).map(|number| form.replace('#', &number.to_string()));

            let cut = keys.filter(|key| patterns.admit(key, 2026, false, false) == Admission::Trap).count();

            assert_eq!(usize::from(cut > 0), expected, "{form}");
        }
    }

    #[test]
    fn a_sample_stands_for_its_template() {
        let mut patterns = Patterns::default();
        let admitted: Vec<String> = (0..10_000)
            .map(|number| format!("/p/{number}"))
            .filter(|key| patterns.admit(key, 2026, true, false) == Admission::Yes)
            .collect();
        admitted.iter().for_each(|key| patterns.learn(key, &page(1)));

        assert_eq!(admitted.len(), 200);
        assert_eq!(patterns.stands_for("/p/1"), 50.0);
        assert_eq!(patterns.stands_for("/about"), 1.0);
        assert!(patterns.sampled(10)[0].saturated);
    }
}
