//! The background work of certificates: a domain that is connected gets its certificates before anybody asks for them.
//! Renewals are due by their own time; first handshakes order what is still missing.

use async_trait::async_trait;
use serde::{Deserialize, Serialize};

use super::service::Certificates;
use crate::domains::{Domain, names};
use crate::jobs::{Job, JobError, JobOutcome, NewJob, Run};

/// Orders the first certificate of a name.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct OrderCertificate {
    host: String,
}

impl OrderCertificate {
    /// The jobs for a domain's names, to be queued with what connects it.
    pub fn for_names_of(domain: &Domain) -> Vec<NewJob> {
        let queued = |host: String| {
            let key = format!("certificate of {host}");
            let job = OrderCertificate { host }.queued_for(domain.account_id.as_str());
            job.domain(domain.id.as_str()).unique(key)
        };
        std::iter::once(domain.host.clone()).chain(names::twin(&domain.host)).map(queued).collect()
    }
}

#[async_trait]
impl Job for OrderCertificate {
    const KIND: &'static str = "OrderCertificate";
    type Services = Certificates;

    async fn run(&self, certificates: &Certificates, _: &Run) -> Result<JobOutcome, JobError> {
        certificates.order_for_job(&self.host).await
    }
}
