//! Files at the roots of sites: read from memory for requests of the edge, and replaced by the endpoint.

use std::sync::Arc;

use crawler::robots::Robots;
use store::DbError;

use super::{DomainChangeError, DomainsService};
use crate::indexnow;
use crate::model::{Domain, DomainId, DomainStatus};
use crate::origin::{OriginClient, RobotsAnswer};
use crate::root_files::{ROBOTS, RootFile, RootFileMode, RootFileSource, RootFiles, may_answer, queries};
use crate::site::Site;

/// Capacity of the cache of files, in bytes.
const REMEMBERED_BYTES: u64 = 64 << 20;

/// Makes the cache of files.
pub(super) fn remembered() -> cache::Cache<(&'static str, u64), RootFiles> {
    cache::Cache::builder(REMEMBERED_BYTES).weigher(|_, files: &RootFiles| files.weight()).build()
}

impl DomainsService {
    /// Finds the file of a site that may answer for a path. Includes the key of IndexNow while IndexNow is on.
    pub async fn find_root_file(&self, site: &Site, path: &str) -> Result<Option<RootFile>, DbError> {
        if !may_answer(path) {
            return Ok(None);
        }
        let domain = &site.domain;
        let key = indexnow::key_of(&domain.id);
        if domain.settings.index_now && path == indexnow::key_path(&key) {
            return Ok(Some(RootFile {
                path: path.to_owned(),
                mode: RootFileMode::Always,
                source: RootFileSource::Text,
                content_type: "text/plain; charset=utf-8".to_owned(),
                body: Some(key),
            }));
        }
        Ok(self.root_files_of(domain).await?.find(path).cloned())
    }

    /// Returns the files of a domain at the version of its record, from memory.
    pub async fn root_files_of(&self, domain: &Domain) -> Result<Arc<RootFiles>, DbError> {
        // A record and its files are written together, so that each version of the record has its own entry.
        let key = (domain.id.as_str(), domain.version.unsigned_abs());
        if let Some(files) = self.root_files.get(&key) {
            return Ok(files);
        }
        let files = Arc::new(self.find_root_files(&domain.id).await?);
        self.root_files.insert(&key, files.clone());
        Ok(files)
    }

    /// Returns the files of a domain from the database.
    pub async fn find_root_files(&self, id: &DomainId) -> Result<RootFiles, DbError> {
        let stored = queries::find_root_files(&mut self.db.read().await?, id).await?;
        let files = stored.map(|text| serde_json::from_str(&text));
        Ok(files.transpose().unwrap_or_else(|error| {
            tracing::error!(%id, %error, "a domain's root files cannot be read: they are of a newer version");
            None
        }).unwrap_or_default())
    }

    /// Reads a site's `robots.txt` as the edge serves it: the domain's own file, or that of the site's server.
    pub async fn read_robots(&self, origins: &OriginClient, site: &Site) -> RobotsAnswer {
        let own = match site.domain.status {
            DomainStatus::Connected => self.own_robots(site).await.unwrap_or_else(|error| {
                tracing::warn!(%error, domain = %site.domain.host, "robots.txt is read from the origin alone");
                None
            }),
            _ => None,
        };
        let rules = |text: String| RobotsAnswer::Rules(Robots::parse(text.as_bytes()));
        match own {
            Some((RootFileMode::Always, text)) => rules(text),
            Some((_, text)) => {
                let origin = origins.read_robots(site).await;
                if origin.is_absent { rules(text) } else { origin.answer }
            }
            None => origins.read_robots(site).await.answer,
        }
    }

    /// Finds the mode and the text of a domain's own `robots.txt`.
    async fn own_robots(&self, site: &Site) -> Result<Option<(RootFileMode, String)>, DbError> {
        let Some(file) = self.find_root_file(site, ROBOTS).await? else { return Ok(None) };
        let text = match file.source {
            RootFileSource::Robots => Some(self.root_files_of(&site.domain).await?.robots(site)),
            RootFileSource::Text | RootFileSource::Sitemap => file.body,
        };
        Ok(text.map(|text| (file.mode, text)))
    }

    /// Replaces the files of a domain.
    pub async fn replace_root_files(
        &self,
        id: &DomainId,
        files: &RootFiles,
    ) -> Result<(), DomainChangeError> {
        let text = serde_json::to_string(files).expect("files are plain data");
        let (mut tx, mut domain) = self.begin_change(id).await?;
        queries::put_root_files(&mut tx, id, &text).await?;
        domain.updated_at = self.clock.now();
        self.end_change(tx, &domain).await
    }
}
