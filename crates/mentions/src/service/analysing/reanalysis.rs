//! Analyses the kept answers of a domain again: because its brand profile changed, or on an operator's wish. Asks no model:
//! replies of models are kept with the answers. Resumable: a part is some days of one prompt and provider, whose sums are
//! replaced in one transaction. See docs/decisions/0366.

use std::time::Duration;

use assistants::providers::Provider;
use assistants::statistics::CountedAnswer;
use serde::{Deserialize, Serialize};
use store::{DbError, Tx};

use super::answer::{AnalysedAnswer, KeptAnswer, compared_of};
use super::brand_cache::DomainBrands;
use crate::jobs::ReanalyseDomain;
use crate::model::{PromptId, PromptRunId, UtcDay};
use crate::parts::runs_of_part;
use crate::queries::answers::{self, RunAnswerRow, RunPosition, StoredPlaceRow, StoredRunRow};
use crate::queries::domains::{self, MonitoredDomain};
use crate::queries::sums::{self, AnswerSumColumns, PromptDays};
use crate::queries::{prompts, runs};
use crate::schedule::model_family;
use crate::service::MentionParts;
use crate::sums::{AnswerPair, SumChanges, SumKey};
use ::domains::DomainId;
use platform::jobs::{HoldError, Job, JobError, JobOutcome, JobPriority, JobRun};

/// Answers of one part, unless a single day has more.
const PART: i64 = 100;
/// Pause between two parts, so that asking goes first.
const PAUSE: Duration = Duration::from_millis(5);

/// Place at which the next attempt goes on.
#[derive(Debug, Clone, Serialize, Deserialize)]
struct Checkpoint {
    /// Version under which the answers are analysed.
    version: i64,
    prompt: String,
    provider: Provider,
    slot: i64,
    sample: i64,
    done: i64,
    total: i64,
}

/// Some answers of one prompt and provider: whole days.
struct Part {
    places: Vec<StoredPlaceRow>,
    /// Runs that this version can read, without their texts.
    rows: Vec<StoredRunRow>,
    analysed: Vec<AnalysedAnswer>,
}

/// End of a part.
enum PartEnd {
    Written,
    /// Answers came meanwhile: the part is read again.
    Changed,
    /// The brands changed meanwhile: everything starts again.
    Stale,
}

/// Queues the job, in the transaction that raised the domain's version. Returns the number of answers; none: there are
/// none. Call [`platform::jobs::Jobs::wake`] and [`super::brand_cache::BrandCache::forget`] after the commit.
pub async fn begin_reanalysis(
    mentions: &MentionParts,
    tx: &mut Tx,
    domain: &MonitoredDomain,
) -> Result<Option<i64>, DbError> {
    let total = runs::count_analysed(tx, &domain.domain).await?;
    if total == 0 {
        domains::set_recompute(tx, &domain.domain, None).await?;
        return Ok(None);
    }
    domains::set_recompute(tx, &domain.domain, Some((0, total))).await?;
    let job = ReanalyseDomain { domain: domain.domain.clone() }
        .queued_for(domain.account.as_str())
        .domain(domain.domain.as_str())
        .unique(format!("reanalyse {}", domain.domain))
        .priority(JobPriority::Background);
    mentions.jobs.enqueue(tx, vec![job]).await?;
    Ok(Some(total))
}

/// Raises the version of a domain and begins. Returns the number of answers; none: nothing of it is monitored.
pub async fn restart_reanalysis(mentions: &MentionParts, domain: &DomainId) -> Result<Option<i64>, DbError> {
    let mut tx = mentions.db.write().await?;
    let Some(mut record) = domains::find_for_change(&mut tx, domain).await? else { return Ok(None) };
    record.analysis_version += 1;
    domains::save_brand(&mut tx, &record, mentions.clock.now()).await?;
    let total = begin_reanalysis(mentions, &mut tx, &record).await?;
    tx.commit_durably().await?;
    mentions.books.forget(domain);
    mentions.jobs.wake();
    Ok(Some(total.unwrap_or(0)))
}

/// Shows no more progress of a job that gave up.
pub async fn abandon_reanalysis(
    mentions: &MentionParts,
    domain: &DomainId,
    reason: &str,
) -> Result<(), DbError> {
    tracing::error!(%domain, reason, "kept answers were not analysed again");
    let mut tx = mentions.db.write().await?;
    domains::set_recompute(&mut tx, domain, None).await?;
    tx.commit().await
}

/// Analyses all answers of a domain, from where an earlier attempt was cut off.
pub async fn reanalyse(
    mentions: &MentionParts,
    domain: &DomainId,
    job: &JobRun,
) -> Result<JobOutcome, JobError> {
    let Some(mut book) = mentions.books.read(domain).await? else { return Ok(JobOutcome::Done) };
    let total = runs::count_analysed(&mut mentions.db.read().await?, domain).await?;
    let begin = |book: &DomainBrands| Checkpoint {
        version: book.record.analysis_version,
        prompt: String::new(),
        provider: Provider::ALL[0],
        slot: i64::MIN,
        sample: 0,
        done: 0,
        total,
    };
    let resumed = job.checkpoint::<Checkpoint>();
    let mut at = resumed
        .filter(|checkpoint| checkpoint.version == book.record.analysis_version)
        .unwrap_or_else(|| begin(&book));
    record_branded(mentions, &book).await?;
    loop {
        if job.is_stopping() {
            return Ok(JobOutcome::Later(Duration::from_millis(1)));
        }
        let Some(part) = next_part(mentions, &book, &mut at).await? else { break };
        match write_part(mentions, &book, job, &part, &mut at).await? {
            PartEnd::Written => tokio::time::sleep(PAUSE).await,
            PartEnd::Changed => {}
            PartEnd::Stale => {
                let Some(newer) = mentions.books.read(domain).await? else { return Ok(JobOutcome::Done) };
                book = newer;
                at = begin(&book);
                record_branded(mentions, &book).await?;
            }
        }
    }
    end(mentions, &book, job).await
}

/// Records for the domain's prompts whether they name the own brand.
async fn record_branded(mentions: &MentionParts, book: &DomainBrands) -> Result<(), DbError> {
    let all = prompts::list_prompts(&mut mentions.db.read().await?, &book.record.domain).await?;
    let changed: Vec<(PromptId, bool)> = all
        .into_iter()
        .map(|prompt| (book.brands.branded(&prompt.text), prompt))
        .filter(|(is_branded, prompt)| *is_branded != prompt.is_branded)
        .map(|(is_branded, prompt)| (prompt.id, is_branded))
        .collect();
    if changed.is_empty() {
        return Ok(());
    }
    let mut tx = mentions.db.write().await?;
    prompts::set_branded(&mut tx, &changed).await?;
    tx.commit().await
}

/// Reads and analyses the next part. None: all are done.
async fn next_part(
    mentions: &MentionParts,
    book: &DomainBrands,
    at: &mut Checkpoint,
) -> Result<Option<Part>, DbError> {
    let domain = &book.record.domain;
    loop {
        let mut conn = mentions.db.read().await?;
        if !at.prompt.is_empty() {
            let places = read_days(&mut conn, at).await?;
            if !places.is_empty() {
                drop(conn);
                return Ok(Some(analyse(mentions, book, places).await?));
            }
        }
        let next = Provider::ALL.into_iter().find(|provider| *provider > at.provider);
        match next.filter(|_| !at.prompt.is_empty()) {
            Some(provider) => at.provider = provider,
            None => {
                let next = runs::find_next_prompt(&mut conn, domain, &at.prompt).await?;
                let Some(prompt) = next else { return Ok(None) };
                (at.prompt, at.provider) = (prompt, Provider::ALL[0]);
            }
        }
        (at.slot, at.sample) = (i64::MIN, 0);
    }
}

/// Analyses the answers of a part, of which only so many are in memory as [`runs_of_part`] allows.
async fn analyse(
    mentions: &MentionParts,
    book: &DomainBrands,
    places: Vec<StoredPlaceRow>,
) -> Result<Part, DbError> {
    let mut part = Part { places: Vec::new(), rows: Vec::new(), analysed: Vec::new() };
    let mut left = places.as_slice();
    while !left.is_empty() {
        let (now, later) = left.split_at(runs_of_part(left.iter().map(|place| place.bytes)));
        let ids: Vec<String> = now.iter().map(|place| place.id.clone()).collect();
        let rows = answers::list_stored(&mut mentions.db.read().await?, &ids).await?;
        add(mentions, &mut part, book, rows).await?;
        left = later;
    }
    part.places = places;
    Ok(part)
}

async fn add(
    mentions: &MentionParts,
    part: &mut Part,
    book: &DomainBrands,
    rows: Vec<StoredRunRow>,
) -> Result<(), DbError> {
    let now = mentions.clock.now();
    let mut question: Option<(i64, String)> = None;
    // A name that only this answer proposed counts in no other: pending names are left out.
    let pending = std::collections::HashSet::new();
    for mut row in rows {
        if question.as_ref().is_none_or(|(revision, _)| *revision != row.revision) {
            let prompt = PromptId::from(row.prompt_id.as_str());
            let found = prompts::find_question(&mut mentions.db.read().await?, &prompt, row.revision).await?;
            question = Some((row.revision, found.map(|(text, _)| text).unwrap_or_default()));
        }
        let text = question.as_ref().map_or("", |(_, text)| text);
        // A row of a newer version of this program stays as it is.
        let Some(kept) = KeptAnswer::of_row(&row, text) else { continue };
        let reply = super::answer::details_of(&row.answer).reply;
        let run = PromptRunId::from(row.answer.id.as_str());
        let mut analysed = kept.complete(&run, &book.brands, &pending, reply.as_deref());
        analysed.row.answer = String::new();
        (row.answer.answer, row.answer.details) = (String::new(), String::new());
        part.analysed.push(analysed.stamped(book.record.analysis_version, now));
        part.rows.push(row);
        tokio::task::yield_now().await;
    }
    Ok(())
}

async fn write_part(
    mentions: &MentionParts,
    book: &DomainBrands,
    job: &JobRun,
    part: &Part,
    at: &mut Checkpoint,
) -> Result<PartEnd, HoldError> {
    let mut tx = mentions.db.write().await?;
    job.hold(&mut tx).await?;
    let domain = &book.record.domain;
    let record = domains::find_for_change(&mut tx, domain).await?;
    if record.is_none_or(|record| record.analysis_version != book.record.analysis_version) {
        return Ok(PartEnd::Stale);
    }
    // Answers that are being counted for the prompt are waited for.
    let prompt = prompts::find_for_change(&mut tx, &PromptId::from(at.prompt.as_str())).await?;
    let places = read_days(&mut tx, at).await?;
    let is_same = places.iter().map(|place| &place.id).eq(part.places.iter().map(|place| &place.id));
    let Some(last) = part.places.last().filter(|_| is_same) else {
        return Ok(PartEnd::Changed);
    };
    if let Some(prompt) = prompt {
        replace_sums(&mut tx, part, (book.record.number, prompt.number)).await?;
    }
    let changed: Vec<RunAnswerRow> = part
        .analysed
        .iter()
        .zip(&part.rows)
        // The time of the change is that of the answer, not of its analysis.
        .map(|(analysed, row)| RunAnswerRow { changed_at: row.answer.changed_at, ..analysed.row.clone() })
        .collect();
    answers::set_analyses(&mut tx, &changed).await?;
    at.done += i64::try_from(part.places.len()).unwrap_or_default();
    (at.slot, at.sample) = (last.slot, last.sample);
    let progress = (at.done.min(at.total), at.total);
    domains::set_recompute(&mut tx, domain, Some(progress)).await?;
    let shown = serde_json::json!({ "done": progress.0, "total": progress.1 });
    job.save(&mut tx, at, &shown).await?;
    tx.commit().await?;
    Ok(PartEnd::Written)
}

async fn end(mentions: &MentionParts, book: &DomainBrands, job: &JobRun) -> Result<JobOutcome, JobError> {
    let domain = &book.record.domain;
    let mut tx = mentions.db.write().await?;
    job.hold(&mut tx).await?;
    let record = domains::find_for_change(&mut tx, domain).await?;
    // A newer version queued the job once more.
    if record.is_some_and(|record| record.analysis_version == book.record.analysis_version) {
        domains::set_recompute(&mut tx, domain, None).await?;
        domains::mark_reports_due(&mut tx, domain, 0, mentions.clock.now()).await?;
    }
    tx.commit_durably().await?;
    Ok(JobOutcome::Done)
}

/// Finds the answers of the next whole days of a prompt and provider.
async fn read_days(conn: &mut store::Conn, at: &Checkpoint) -> Result<Vec<StoredPlaceRow>, DbError> {
    let mut most = PART;
    loop {
        let target = (at.prompt.as_str(), at.provider.as_str());
        let mut rows = answers::list_stored_places(conn, target, (at.slot, at.sample), most).await?;
        if (rows.len() as i64) < most {
            return Ok(rows);
        }
        let last_day = rows.last().map(|row| row.day);
        rows.retain(|row| Some(row.day) != last_day);
        if !rows.is_empty() {
            return Ok(rows);
        }
        most *= 4;
    }
}

/// Replaces the sums of the days of a part.
async fn replace_sums(tx: &mut Tx, part: &Part, (domain, prompt): (i64, i64)) -> Result<(), DbError> {
    let Some(provider) = part.rows.first().and_then(|row| row.provider.parse().ok()) else { return Ok(()) };
    let provider: Provider = provider;
    let mut days: Vec<UtcDay> = part.rows.iter().map(|row| row.day).collect();
    days.dedup();
    let place = |day| SumKey { domain, day, prompt: Some(prompt), provider };
    let of = PromptDays { domain, prompt, provider: provider.as_str(), days };
    let (stored, competitors) = sums::list_of_prompt(tx, &of).await?;
    let mut changes = SumChanges::default();
    for row in &stored {
        changes.add_stored(place(row.day), &row.sums, -1);
    }
    for row in &competitors {
        changes.add_stored_competitor(place(row.day), &row.competitor, &row.sums, -1);
    }
    sums::delete_of_prompt(tx, &of).await?;
    changes.keep_domains_only();
    for row in &stored {
        // Runs without an answer are not analysed.
        let errors = AnswerSumColumns { errors: row.sums.errors, ..AnswerSumColumns::default() };
        changes.add_stored(place(row.day), &errors, 1);
    }
    for (row, analysed) in part.rows.iter().zip(&part.analysed) {
        changes.add_analysis(place(row.day), analysed.parts());
    }
    let mut before = find_before(tx, part).await?;
    for (row, analysed) in part.rows.iter().zip(&part.analysed) {
        if analysed.counted.is_absent {
            continue;
        }
        let own = Compared {
            revision: row.revision,
            day: row.day,
            family: model_family(&analysed.row.served_model).to_owned(),
            answer: analysed.counted.clone(),
        };
        if let Some(pair) = before.as_ref().and_then(|before| before.pair_with(&own)) {
            changes.add_pair(place(row.day), pair, 1);
        }
        before = Some(own);
    }
    sums::write(tx, changes).await
}

/// An answer as far as its distance to the next one goes.
struct Compared {
    revision: i64,
    day: UtcDay,
    family: String,
    answer: CountedAnswer,
}

impl Compared {
    fn pair_with(&self, after: &Compared) -> Option<AnswerPair> {
        let is_same = self.revision == after.revision && self.family == after.family;
        is_same.then(|| AnswerPair::of((&self.answer, self.day), (&after.answer, after.day)))
    }
}

/// Finds the answer before the first one of a part.
async fn find_before(tx: &mut Tx, part: &Part) -> Result<Option<Compared>, DbError> {
    let Some(first) = part.rows.first() else { return Ok(None) };
    let Ok(provider) = first.provider.parse::<Provider>() else { return Ok(None) };
    let place = RunPosition {
        prompt_id: first.prompt_id.clone(),
        provider: provider.as_str(),
        slot: first.slot,
        sample: first.sample,
    };
    let before = answers::find_before(tx, &place).await?;
    Ok(before.map(|row| Compared {
        revision: row.revision,
        day: row.day,
        family: model_family(&row.served_model).to_owned(),
        answer: compared_of(&row),
    }))
}
