//! Decides which brand each word of praise or blame in a sentence is about. Used by the tone analyser. Pure.

use std::collections::HashMap;
use std::ops::Range;

use super::lexicon::{Cue, CueKind};
use super::sentences::{sentences, words_in};
use super::topics::{BlockView, Topic};
use super::{FIRST_SENTENCE, IMPLIED, LEANING_ITEM, Naming, ToneSums};
use crate::analysis::matcher::BrandIndex;

/// Words before a weight in which a negation, or a word that strengthens it, counts.
const REACH_BEFORE: usize = 4;
/// Words after a weight in which a negation counts.
const REACH_AFTER: usize = 3;
/// Words between a preposition or a verb and its object.
const REACH_OBJECT: usize = 3;
/// Words between brands that are named side by side.
const REACH_SIDE: usize = 2;
/// Brands in a sentence from which on it is about none of them.
const MANY_BRANDS: usize = 3;
/// Share of a comparison's weight that counts for what its subject is compared with.
const COMPARED: f64 = 0.5;

/// Reader of an answer, sentence by sentence, that sums up the tone of each brand.
pub struct SentenceReader<'a> {
    text: &'a str,
    /// Brand of an answer that names no other.
    sole: Option<BrandIndex>,
    is_sole_named: bool,
    sums: HashMap<BrandIndex, ToneSums>,
}

/// Brands that are named side by side, as one subject or object.
#[derive(Debug)]
struct Group {
    brands: Vec<BrandIndex>,
    range: Range<usize>,
    /// The sentence compares something with these brands.
    is_reference: bool,
}

/// A weight within its sentence, as it counts in the end.
struct Weighing {
    at: Range<usize>,
    weight: f64,
}

impl<'a> SentenceReader<'a> {
    pub fn of(text: &'a str, sole: Option<BrandIndex>) -> SentenceReader<'a> {
        SentenceReader { text, sole, is_sole_named: false, sums: HashMap::new() }
    }

    /// Returns the sums of all brands that were named or meant.
    pub fn finish(self) -> HashMap<BrandIndex, ToneSums> {
        self.sums
    }

    /// Adds what the sentences of a block say, with its topic for those that name nobody.
    pub fn read_block(&mut self, view: &BlockView<'_>, topic: Topic) {
        let mut subject = topic.brand.or(self.sole.filter(|_| self.is_sole_named));
        let mut has_cue = false;
        for range in sentences(self.text, view.range.clone()) {
            let namings: Vec<&Naming> =
                view.namings.iter().filter(|naming| range.contains(&naming.range.start)).collect();
            for naming in &namings {
                self.sums.entry(naming.brand).or_default();
            }
            let cues: Vec<&Cue> = view.cues.iter().filter(|cue| range.contains(&cue.range.start)).collect();
            has_cue |= cues.iter().any(|cue| matches!(cue.kind, CueKind::Weight(_)));
            let is_question = self.text[range.clone()].trim_end().ends_with(['?', '？']);
            if !is_question {
                self.read_sentence(range, &namings, &cues, subject);
            }
            subject = next_subject(&namings).unwrap_or(subject);
            self.is_sole_named |= !namings.is_empty();
        }
        let names_nobody = view.namings.is_empty();
        if let Some(brand) = topic.brand.filter(|_| topic.lean != 0.0 && names_nobody && !has_cue) {
            self.add(&[brand], topic.lean * LEANING_ITEM, IMPLIED);
        }
    }

    fn read_sentence(
        &mut self,
        range: Range<usize>,
        namings: &[&Naming],
        cues: &[&Cue],
        subject: Option<BrandIndex>,
    ) {
        let before: HashMap<BrandIndex, f64> =
            self.sums.iter().map(|(brand, sums)| (*brand, sums.sum)).collect();
        let groups = self.groups(namings, cues);
        let mut last: Vec<BrandIndex> = subject.into_iter().collect();
        let is_first =
            |reader: &Self, brand: BrandIndex| reader.sums.get(&brand).is_none_or(|sums| sums.sentences == 0);
        let first: Vec<BrandIndex> = groups
            .iter()
            .flat_map(|group| &group.brands)
            .copied()
            .filter(|brand| is_first(self, *brand))
            .collect();
        for clause in self.clauses(range.clone(), cues, &groups) {
            let inside: Vec<&Group> =
                groups.iter().filter(|group| clause.contains(&group.range.start)).collect();
            let cues: Vec<&Cue> =
                cues.iter().copied().filter(|cue| clause.contains(&cue.range.start)).collect();
            for weighing in self.weighings(&clause, &cues) {
                let (brands, is_named) = self.owner(&weighing.at, &inside, &cues, &last);
                for brand in brands {
                    let factor = match (is_named, first.contains(&brand)) {
                        (true, true) => FIRST_SENTENCE,
                        (true, false) => 1.0,
                        (false, _) => IMPLIED,
                    };
                    self.add(&[brand], weighing.weight, factor);
                }
                self.compare(&weighing, &inside, &cues);
            }
            self.advise(&inside, &cues, &last);
            if let Some(group) = inside.iter().rev().find(|group| !group.is_reference) {
                last = group.brands.clone();
            }
        }
        self.record_quotes(&range, &before);
        for group in &groups {
            for brand in &group.brands {
                self.sums.entry(*brand).or_default().sentences += 1;
            }
        }
    }

    /// Keeps the sentence for every brand that it speaks of better or worse than all before.
    fn record_quotes(&mut self, sentence: &Range<usize>, before: &HashMap<BrandIndex, f64>) {
        for (brand, sums) in &mut self.sums {
            let said = sums.sum - before.get(brand).copied().unwrap_or(0.0);
            if said > 0.0 && sums.best.as_ref().is_none_or(|(best, _)| said > *best) {
                sums.best = Some((said, sentence.clone()));
            }
            if said < 0.0 && sums.worst.as_ref().is_none_or(|(worst, _)| said < *worst) {
                sums.worst = Some((said, sentence.clone()));
            }
        }
    }

    fn add(&mut self, brands: &[BrandIndex], weight: f64, factor: f64) {
        for brand in brands {
            let sums = self.sums.entry(*brand).or_default();
            sums.sum += weight * factor;
            sums.amount += weight.abs() * factor;
        }
    }

    /// Joins brands that stand side by side: `A, B and C`.
    fn groups(&self, namings: &[&Naming], cues: &[&Cue]) -> Vec<Group> {
        let mut groups: Vec<Group> = Vec::new();
        for naming in namings {
            if let Some(group) = groups.last_mut() {
                let between = group.range.end..naming.range.start;
                let is_parted = cues.iter().any(|cue| {
                    between.contains(&cue.range.start)
                        && matches!(
                            cue.kind,
                            CueKind::Weight(_) | CueKind::But | CueKind::Than | CueKind::Unlike
                        )
                }) || self.text[between.clone()].contains([';', '.', ':', '：']);
                if !is_parted && words_in(&self.text[between]) <= REACH_SIDE {
                    group.brands.push(naming.brand);
                    group.range.end = naming.range.end;
                    continue;
                }
            }
            let is_reference = cues.iter().any(|cue| self.refers(cue, cues, &naming.range));
            groups.push(Group { brands: vec![naming.brand], range: naming.range.clone(), is_reference });
        }
        for group in &mut groups {
            group.brands.dedup();
        }
        groups
    }

    /// Decides whether a cue makes a brand the object of a comparison: `than A`, `unlike A`, `Aより`.
    fn refers(&self, cue: &Cue, cues: &[&Cue], brand: &Range<usize>) -> bool {
        let before = cue.range.end <= brand.start && self.words(cue.range.end..brand.start) < REACH_OBJECT;
        match cue.kind {
            CueKind::Unlike if self.is_postposed(cue) => cue.range.start == brand.end,
            CueKind::Unlike => before,
            CueKind::Over => before,
            CueKind::Than if self.is_postposed(cue) => cue.range.start == brand.end,
            CueKind::Than => {
                before
                    && cues.iter().any(|other| {
                        other.kind == CueKind::Comparative
                            && other.range.start <= cue.range.start
                            && self.words(other.range.start..cue.range.start) <= 8
                    })
            }
            _ => false,
        }
    }

    /// Returns true for a Japanese word, which follows the word that it refers to.
    fn is_postposed(&self, cue: &Cue) -> bool {
        self.text[cue.range.clone()].starts_with(|c| ('\u{3040}'..'\u{a000}').contains(&c))
    }

    fn words(&self, range: Range<usize>) -> usize {
        words_in(&self.text[range])
    }

    /// Splits a sentence where another thing is said: at `but`, a semicolon, and, after `while A …`, at the comma.
    fn clauses(&self, sentence: Range<usize>, cues: &[&Cue], groups: &[Group]) -> Vec<Range<usize>> {
        let mut cuts: Vec<usize> =
            cues.iter().filter(|cue| cue.kind == CueKind::But).map(|cue| cue.range.start).collect();
        let text = &self.text[sentence.clone()];
        let opens_with_but = cues
            .iter()
            .any(|cue| cue.kind == CueKind::But && self.words(sentence.start..cue.range.start) == 0);
        for (at, c) in text.char_indices().filter(|(_, c)| matches!(c, ';' | ',' | '、' | '，' | '；')) {
            let at = sentence.start + at;
            let names_next =
                groups.iter().any(|group| group.range.start > at && self.words(at..group.range.start) <= 1);
            let is_inside = groups.iter().any(|group| group.range.contains(&at));
            let is_cut = match c {
                ';' | '；' => true,
                _ => (opens_with_but || names_next) && !is_inside,
            };
            if is_cut {
                cuts.push(at + c.len_utf8());
            }
        }
        cuts.sort_unstable();
        let mut clauses = Vec::with_capacity(cuts.len() + 1);
        let mut start = sentence.start;
        for cut in cuts {
            if cut > start {
                clauses.push(start..cut);
                start = cut;
            }
        }
        clauses.push(start..sentence.end);
        clauses
    }

    /// Returns the weights of a clause after negations and intensities.
    fn weighings(&self, clause: &Range<usize>, cues: &[&Cue]) -> Vec<Weighing> {
        let mut found = Vec::new();
        for cue in cues {
            let CueKind::Weight(mut weight) = cue.kind else { continue };
            let mut is_turned = false;
            for other in cues {
                let precedes = other.range.end <= cue.range.start
                    && self.words(other.range.end..cue.range.start) < REACH_BEFORE
                    && !self.text[other.range.end..cue.range.start].contains([',', ':', '(', ')', '、']);
                let follows = other.range.start >= cue.range.end
                    && self.words(cue.range.end..other.range.start) < REACH_AFTER
                    && !self.text[cue.range.end..other.range.start].contains([',', '、', '(', ')']);
                match other.kind {
                    CueKind::Not if precedes => is_turned = !is_turned,
                    CueKind::NotAfter if follows && other.range.end <= clause.end => is_turned = !is_turned,
                    CueKind::More if precedes && self.words(other.range.end..cue.range.start) == 0 => {
                        weight *= 1.3
                    }
                    CueKind::Less if precedes && self.words(other.range.end..cue.range.start) == 0 => {
                        weight *= 0.6
                    }
                    _ => {}
                }
            }
            let weight = if is_turned { -0.75 * weight } else { weight };
            found.push(Weighing { at: cue.range.clone(), weight });
        }
        found
    }

    /// Returns the brands that a word is about, and whether the clause names them.
    fn owner(
        &self,
        word: &Range<usize>,
        groups: &[&Group],
        cues: &[&Cue],
        last: &[BrandIndex],
    ) -> (Vec<BrandIndex>, bool) {
        let mut subjects = groups.iter().filter(|group| !group.is_reference);
        let is_advice = cues.iter().any(|cue| {
            matches!(cue.kind, CueKind::Recommended | CueKind::Discouraged) && cue.range.start == word.start
        });
        let object = groups.iter().find(|group| {
            group.range.start >= word.end
                && self.words(word.end..group.range.start) < REACH_OBJECT
                && !self.text[word.end..group.range.start].contains([',', '、', '(', '。'])
        });
        if let Some(object) = object.filter(|object| is_advice && !object.is_reference) {
            return (object.brands.clone(), true);
        }
        let before = subjects.clone().rev().find(|group| group.range.end <= word.start);
        if let Some(group) = before.or_else(|| subjects.next()) {
            return (group.brands.clone(), true);
        }
        (last.to_vec(), false)
    }

    /// Counts a comparison for what the subject is compared with, with the opposite sign.
    fn compare(&mut self, weighing: &Weighing, groups: &[&Group], cues: &[&Cue]) {
        let object = groups.iter().find(|group| {
            let is_after =
                group.range.start >= weighing.at.end && self.words(weighing.at.end..group.range.start) <= 4;
            let is_before = group.range.end <= weighing.at.start
                && cues.iter().any(|cue| self.is_postposed(cue) && cue.range.start == group.range.end);
            let is_than = cues.iter().any(|cue| {
                matches!(cue.kind, CueKind::Than | CueKind::Over) && self.refers(cue, cues, &group.range)
            });
            group.is_reference && is_than && (is_after || is_before)
        });
        if let Some(object) = object {
            self.add(&object.brands.clone(), -COMPARED * weighing.weight, 1.0);
        }
    }

    /// Counts recommendations and their opposite.
    fn advise(&mut self, groups: &[&Group], cues: &[&Cue], last: &[BrandIndex]) {
        for cue in cues {
            let is_yes = match cue.kind {
                CueKind::Recommended => true,
                CueKind::Discouraged => false,
                _ => continue,
            };
            let is_turned = cues.iter().any(|other| {
                other.kind == CueKind::Not
                    && other.range.end <= cue.range.start
                    && self.words(other.range.end..cue.range.start) < REACH_OBJECT
            });
            let (brands, _) = self.owner(&cue.range, groups, cues, last);
            for brand in brands {
                let sums = self.sums.entry(brand).or_default();
                // "Not to be avoided" recommends nothing.
                match (is_yes, is_turned) {
                    (true, false) => sums.recommended += 1,
                    (true, true) | (false, false) => sums.discouraged += 1,
                    (false, true) => {}
                }
            }
        }
    }
}

/// Returns the subject of the sentences after one that names these brands: its first brand, none of many.
fn next_subject(namings: &[&Naming]) -> Option<Option<BrandIndex>> {
    let first = namings.first()?.brand;
    let mut distinct: Vec<BrandIndex> = namings.iter().map(|naming| naming.brand).collect();
    distinct.sort_unstable();
    distinct.dedup();
    Some((distinct.len() < MANY_BRANDS).then_some(first))
}
