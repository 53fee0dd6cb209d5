//! Database storage of the data that outlives an order: the sealed account, and proofs that every process answers with.
//! Used by `acme` through its trait.

use store::DbError;

use super::acme::{OrderError, OrderStore};
use super::ordering::LEASE;
use super::queries;
use super::service::Certificates;

impl OrderStore for Certificates {
    async fn credentials(&self, directory_url: &str) -> Result<Option<String>, OrderError> {
        let find = async { queries::find_acme_account(&mut self.0.db.read().await?, directory_url).await };
        let sealed = find.await.map_err(store_error)?;
        let opened = sealed.and_then(|sealed| self.0.account_seal.open(&sealed, directory_url));
        Ok(opened.and_then(|bytes| String::from_utf8(bytes).ok()))
    }

    async fn keep_credentials(&self, directory_url: &str, credentials: &str) -> Result<(), OrderError> {
        let sealed = self.0.account_seal.seal(credentials.as_bytes(), directory_url);
        let save = async {
            let mut tx = self.0.db.write().await?;
            queries::save_acme_account(&mut tx, directory_url, &sealed, self.0.clock.now()).await?;
            tx.commit().await
        };
        save.await.map_err(store_error)
    }

    async fn show(&self, token: &str, host: &str, proof: &str) -> Result<(), OrderError> {
        let save = async {
            let mut tx = self.0.db.write().await?;
            queries::save_challenge(&mut tx, token, host, proof, self.0.clock.now().plus(LEASE)).await?;
            tx.commit().await
        };
        save.await.map_err(store_error)
    }
}

fn store_error(error: DbError) -> OrderError {
    OrderError::Store(Box::new(error))
}
