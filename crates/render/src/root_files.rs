//! Root files of a site as they are served: the file that may answer for an address, and its content. Used by the edge, by
//! audits, which check these paths as the edge serves them, and by crawler policies, which never apply to root files.
//! See docs/decisions/0530.

use bytes::Bytes;
use crawler::errors::one_line;
use sha2::{Digest, Sha256};
use store::DbError;
use url::Url;

use super::sitemaps::ManagedSitemaps;
use analytics::Analytics;
use domains::origin::OriginClient;
use domains::root_files::{RootFile, RootFileMode, RootFileSource, sitemap_part};
use domains::{DomainsService, Site};
use platform::Platform;

/// A file as it is served.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ServedFile {
    pub mode: RootFileMode,
    pub content_type: String,
    pub body: Bytes,
    /// True when the service generated the content.
    pub is_made: bool,
}

impl ServedFile {
    /// Returns the strong etag of the content.
    pub fn etag(&self) -> String {
        format!("\"{}\"", hex::encode(&Sha256::digest(&self.body)[..16]))
    }
}

/// Root files of all sites. Cheap to clone.
#[derive(Clone)]
pub struct RootFileAnswers {
    domains: DomainsService,
    sitemaps: ManagedSitemaps,
}

impl RootFileAnswers {
    pub(super) fn new(
        platform: &Platform,
        domains: &DomainsService,
        origins: &OriginClient,
        analytics: &Analytics,
    ) -> RootFileAnswers {
        RootFileAnswers {
            domains: domains.clone(),
            sitemaps: ManagedSitemaps::new(platform, origins, analytics),
        }
    }

    /// Finds the file that may answer for an address. A failure is logged, and the origin answers then.
    pub async fn find(&self, site: &Site, target: &Url) -> Option<RootFile> {
        let found = self.domains.find_root_file(site, target.path()).await;
        found.unwrap_or_else(|error| {
            tell(site, &error);
            None
        })
    }

    /// Returns a file with its content. None: the file has no content at present, so that the origin answers.
    pub async fn serve(&self, site: &Site, target: &Url, file: &RootFile) -> Option<ServedFile> {
        let content = self.content(site, target, file).await;
        let body = content.unwrap_or_else(|error| {
            tell(site, &error);
            None
        })?;
        let is_made = file.source != RootFileSource::Text;
        Some(ServedFile { mode: file.mode, content_type: file.content_type.clone(), body, is_made })
    }

    async fn content(&self, site: &Site, target: &Url, file: &RootFile) -> Result<Option<Bytes>, DbError> {
        match file.source {
            RootFileSource::Text => Ok(file.body.clone().map(Bytes::from)),
            RootFileSource::Robots => {
                Ok(Some(self.domains.root_files_of(&site.domain).await?.robots(site).into()))
            }
            RootFileSource::Sitemap => {
                let sitemap = self.sitemaps.find(site).await?;
                Ok(sitemap.files.get(sitemap_part(target.path()).unwrap_or(0)).cloned())
            }
        }
    }
}

fn tell(site: &Site, error: &DbError) {
    tracing::warn!(error = %one_line(error), domain = %site.domain.host, "the origin answers for a root file");
}
