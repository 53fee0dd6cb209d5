//! SQL of the results of renders for processes without browsers.

use store::{Conn, DbError, on_engine};

use platform::clock::Timestamp;

/// Inserts the result of a job. A second attempt at the same job replaces the result.
pub async fn insert_remote_render(
    conn: &mut Conn,
    job: &str,
    result: &str,
    object_key: Option<&str>,
    now: Timestamp,
) -> Result<(), DbError> {
    const SQL: &str = "insert into remote_renders (job_id, result, object_key, created_at) values ($1, $2, $3, $4) \
         on conflict (job_id) do update set result = excluded.result, object_key = excluded.object_key";
    on_engine!(conn, |c| {
        let query = sqlx::query(SQL).bind(job).bind(result).bind(object_key).bind(now.as_millis());
        query.execute(c).await.map(drop)
    })?;
    Ok(())
}

/// Finds the result of a job, once there is one.
pub async fn find_remote_render(conn: &mut Conn, job: &str) -> Result<Option<String>, DbError> {
    const SQL: &str = "select result from remote_renders where job_id = $1";
    Ok(on_engine!(conn, |c| sqlx::query_scalar(SQL).bind(job).fetch_optional(c).await)?)
}

/// Deletes results from before `until`. Returns the keys of their objects.
pub async fn delete_remote_renders(conn: &mut Conn, until: Timestamp) -> Result<Vec<String>, DbError> {
    const SQL: &str = "delete from remote_renders where created_at < $1 returning object_key";
    let deleted: Vec<Option<String>> =
        on_engine!(conn, |c| sqlx::query_scalar(SQL).bind(until.as_millis()).fetch_all(c).await)?;
    Ok(deleted.into_iter().flatten().collect())
}
