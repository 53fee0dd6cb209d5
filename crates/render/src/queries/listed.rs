//! SQL of the pages of a domain that a sitemap may list, and of the links between pages.

use store::{Conn, DbError, on_engine};

use super::PageId;
use domains::DomainId;

/// A stored page that search engines may list.
#[derive(Debug, sqlx::FromRow)]
pub struct ListableRow {
    pub key_hash: String,
    pub url: String,
    /// Time of the last change of the page's text, epoch milliseconds.
    pub text_changed_at: i64,
}

/// Lists pages that answered 200, may be listed and are their own canonical, in the order of hashes and after one hash.
pub async fn list_listable(
    conn: &mut Conn,
    domain: &DomainId,
    after: &str,
    most: i64,
) -> Result<Vec<ListableRow>, DbError> {
    const SQL: &str = "select key_hash, url, coalesce(text_changed_at, created_at) as text_changed_at from snapshots \
         where domain_id = $1 and key_hash > $2 and object_key is not null and status = 200 and listable \
         order by key_hash limit $3";
    Ok(on_engine!(conn, |c| {
        sqlx::query_as(SQL).bind(domain.as_str()).bind(after).bind(most).fetch_all(c).await
    })?)
}

/// Replaces the links of a page.
pub async fn put_links(conn: &mut Conn, page: &PageId, links: &[u8]) -> Result<(), DbError> {
    const SQL: &str = "insert into snapshot_links (domain_id, key_hash, links) values ($1, $2, $3) \
         on conflict (domain_id, key_hash) do update set links = excluded.links";
    on_engine!(conn, |c| {
        sqlx::query(SQL)
            .bind(page.domain.as_str())
            .bind(&page.key_hash)
            .bind(links)
            .execute(c)
            .await
            .map(drop)
    })?;
    Ok(())
}

/// Lists the links of pages in the order of hashes, after one hash.
pub async fn list_links(
    conn: &mut Conn,
    domain: &DomainId,
    after: &str,
    most: i64,
) -> Result<Vec<(String, Vec<u8>)>, DbError> {
    const SQL: &str = "select key_hash, links from snapshot_links \
         where domain_id = $1 and key_hash > $2 order by key_hash limit $3";
    Ok(on_engine!(conn, |c| {
        sqlx::query_as(SQL).bind(domain.as_str()).bind(after).bind(most).fetch_all(c).await
    })?)
}
