//! One transaction around the work of several services: each of them commits as usual, and everything becomes visible together
//! or never. Used by the command `apply`. Must never be used by the service itself, whose writers would wait for the whole.

use sqlx::pool::PoolConnection;
use sqlx::{Database, Pool};
use sqlx_core::sql_str::SqlStr;
use sqlx_core::transaction::TransactionManager;

use super::conn::sync_log;
use super::limits::time_limited;
use super::open::log_of;
use super::{Db, Pools};
use crate::DbError;

/// A database handle of one connection. Everything that is read and written through it between [`Enclosure::begin`] and
/// [`Enclosure::commit`] is one transaction: transactions of services are savepoints in it.
///
/// A service that asks for a second connection while it holds one fails after the usual wait for a connection.
#[derive(Debug)]
pub struct Enclosure(Db);

impl Db {
    /// Returns an enclosure of this database. Opens its connection at its first use.
    pub fn enclosure(&self) -> Enclosure {
        Enclosure(Db(match &self.0 {
            Pools::Sqlite { path, writer, .. } => {
                let own = of_one_connection(writer);
                Pools::Sqlite { path: path.clone(), writer: own.clone(), readers: own, is_enclosed: true }
            }
            Pools::Postgres(pool) => Pools::Postgres(of_one_connection(pool)),
        }))
    }
}

impl Enclosure {
    /// Returns the handle for the services.
    pub fn db(&self) -> &Db {
        &self.0
    }

    /// Begins the transaction.
    pub async fn begin(&self) -> Result<(), DbError> {
        match &self.0.0 {
            Pools::Sqlite { writer, .. } => begin(writer, Some("begin immediate")).await,
            Pools::Postgres(pool) => begin(pool, None).await,
        }
    }

    /// Makes everything since [`Enclosure::begin`] visible, and waits until a power cut cannot undo it.
    pub async fn commit(&self) -> Result<(), DbError> {
        match &self.0.0 {
            Pools::Sqlite { path, writer, .. } => {
                commit(writer).await?;
                sync_log(log_of(path)).await
            }
            Pools::Postgres(pool) => commit(pool).await,
        }
    }

    /// Undoes everything since [`Enclosure::begin`].
    pub async fn roll_back(&self) -> Result<(), DbError> {
        match &self.0.0 {
            Pools::Sqlite { writer, .. } => roll_back(writer).await,
            Pools::Postgres(pool) => roll_back(pool).await,
        }
    }
}

/// Returns a pool of one connection, which is never replaced: a replacement would be outside the transaction.
fn of_one_connection<D: Database>(pool: &Pool<D>) -> Pool<D> {
    let options = pool.options().clone().max_connections(1).min_connections(0);
    let options = options.idle_timeout(None).max_lifetime(None);
    options.connect_lazy_with(pool.connect_options().as_ref().clone())
}

async fn begin<D: Database>(pool: &Pool<D>, statement: Option<&'static str>) -> Result<(), DbError> {
    let mut conn = pool.acquire().await?;
    let begun = D::TransactionManager::begin(raw(&mut conn), statement.map(SqlStr::from_static));
    Ok(time_limited(begun).await?)
}

async fn commit<D: Database>(pool: &Pool<D>) -> Result<(), DbError> {
    let mut conn = pool.acquire().await?;
    Ok(time_limited(D::TransactionManager::commit(raw(&mut conn))).await?)
}

async fn roll_back<D: Database>(pool: &Pool<D>) -> Result<(), DbError> {
    let mut conn = pool.acquire().await?;
    Ok(time_limited(D::TransactionManager::rollback(raw(&mut conn))).await?)
}

fn raw<D: Database>(conn: &mut PoolConnection<D>) -> &mut D::Connection {
    conn
}
