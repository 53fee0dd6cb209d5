//! Brand profile of a domain: read, and replaced. A change raises the version of the domain's analysis, so that kept answers
//! are analysed again in the background.

use assistants::analysis::{BrandProfile, Brands, CompetitorProfile};
use store::{DbError, Tx};

use crate::brand::{BrandView, CompetitorBody, RecomputeProgress};
use crate::queries::domains::{self, MonitoredDomain};
use crate::queries::prompts;
use crate::service::MentionParts;
use crate::service::analysing::reanalysis::begin_reanalysis;
use ::domains::{Domain, DomainId};
use platform::jobs::JobRun;

/// Domains of one look at the database.
const SOME: i64 = 500;
/// Version of the analysis of a domain whose profile nobody has changed.
const FIRST_VERSION: i64 = 1;

/// Reads the profile of a domain; one that was never saved is derived.
pub async fn get_brand(mentions: &MentionParts, domain: &Domain) -> Result<BrandView, DbError> {
    let mut conn = mentions.db.read().await?;
    let Some(record) = domains::find_domain(&mut conn, &domain.id).await? else {
        drop(conn);
        let profile = mentions.records.derive(domain).await;
        return Ok(view_of(profile, Vec::new(), None));
    };
    let competitors = domains::list_competitors(&mut conn, &domain.id).await?;
    Ok(view_of(record.brand.clone(), competitors, Some(&record)))
}

/// Replaces the profile and the competitors of a domain. None: the domain was removed.
pub async fn replace_brand(
    mentions: &MentionParts,
    domain: &Domain,
    profile: BrandProfile,
    competitors: Vec<CompetitorProfile>,
) -> Result<Option<BrandView>, DbError> {
    let first = mentions.records.first_profile(domain).await?;
    let now = mentions.clock.now();
    let mut tx = mentions.db.write().await?;
    let Some(mut record) = mentions.records.get_for_change(&mut tx, domain, &first).await? else {
        return Ok(None);
    };
    let before = domains::list_competitors(&mut tx, &domain.id).await?;
    let has_new_competitors = !are_same(&before, &competitors);
    let is_changed = record.brand != profile || has_new_competitors;
    if is_changed {
        record.analysis_version += 1;
    }
    if has_new_competitors {
        record.competitors_version += 1;
    }
    record.brand = profile;
    record.is_brand_saved = true;
    domains::save_brand(&mut tx, &record, now).await?;
    domains::replace_competitors(&mut tx, &domain.id, &competitors, now).await?;
    mark_prompts(&mut tx, &record).await?;
    if is_changed {
        record.recompute = begin_reanalysis(mentions, &mut tx, &record).await?.map(|total| (0, total));
    }
    tx.commit().await?;
    mentions.books.forget(&domain.id);
    mentions.jobs.wake();
    Ok(Some(view_of(record.brand.clone(), competitors, Some(&record))))
}

/// Derives again the profiles that nobody has saved, where the site's name in its latest audit gives another one.
pub async fn derive_brands_again(mentions: &MentionParts, job: &JobRun) -> Result<(), DbError> {
    let mut after = String::new();
    loop {
        let derived = domains::list_derived(&mut mentions.db.read().await?, &after, SOME).await?;
        let Some(last) = derived.last() else { return Ok(()) };
        after = last.domain.to_string();
        for record in &derived {
            if job.is_stopping() {
                return Ok(());
            }
            let Some(domain) = mentions.domains.find_by_id(&record.domain).await? else { continue };
            if let Some(profile) = mentions.records.derive_again(&domain).await
                && profile != record.brand
            {
                replace_derived(mentions, &record.domain, profile).await?;
            }
        }
    }
}

async fn replace_derived(
    mentions: &MentionParts,
    domain: &DomainId,
    profile: BrandProfile,
) -> Result<(), DbError> {
    let mut tx = mentions.db.write().await?;
    // Somebody may have saved one meanwhile.
    let found = domains::find_for_change(&mut tx, domain).await?.filter(|found| !found.is_brand_saved);
    let Some(mut record) = found else { return Ok(()) };
    record.brand = profile;
    record.analysis_version += 1;
    domains::save_brand(&mut tx, &record, mentions.clock.now()).await?;
    mark_prompts(&mut tx, &record).await?;
    begin_reanalysis(mentions, &mut tx, &record).await?;
    tx.commit().await?;
    mentions.books.forget(domain);
    mentions.jobs.wake();
    Ok(())
}

/// Records again which prompts name the own brand.
async fn mark_prompts(tx: &mut Tx, record: &MonitoredDomain) -> Result<(), DbError> {
    let brands = Brands::compile(record.brand.clone(), Vec::new());
    let listed = prompts::list_prompts(tx, &record.domain).await?;
    let changed = listed.into_iter().filter_map(|prompt| {
        let is_branded = brands.branded(&prompt.text);
        (is_branded != prompt.is_branded).then_some((prompt.id, is_branded))
    });
    prompts::set_branded(tx, &changed.collect::<Vec<_>>()).await
}

/// Decides whether two lists of competitors are equal, whatever their order.
fn are_same(before: &[CompetitorProfile], after: &[CompetitorProfile]) -> bool {
    let sorted = |list: &[CompetitorProfile]| {
        let mut list = list.to_vec();
        list.sort_by(|a, b| a.name.cmp(&b.name));
        list
    };
    sorted(before) == sorted(after)
}

fn view_of(
    profile: BrandProfile,
    competitors: Vec<CompetitorProfile>,
    record: Option<&MonitoredDomain>,
) -> BrandView {
    let competitors = competitors.into_iter().map(|competitor| CompetitorBody {
        name: competitor.name,
        aliases: competitor.aliases,
        domains: competitor.domains,
        status: competitor.status.into(),
    });
    BrandView {
        name: profile.name,
        aliases: profile.aliases,
        domains: profile.domains,
        competitors: competitors.collect(),
        derived: record.is_none_or(|record| !record.is_brand_saved),
        analysis_version: record.map_or(FIRST_VERSION, |record| record.analysis_version),
        recomputing: record
            .and_then(|record| record.recompute)
            .map(|(done, total)| RecomputeProgress { done, total }),
    }
}
