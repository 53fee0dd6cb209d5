//! Lets renders of audits in as what nobody waits for: a crawler's page never stands behind one.

use async_trait::async_trait;

use super::admission::{OriginResult, Permit};
use super::service::RenderService;
use crate::audit::source::{RenderTurn, RenderTurns};
use crate::domains::Site;

#[async_trait]
impl RenderTurns for RenderService {
    async fn take(&self, site: &Site) -> Option<Box<dyn RenderTurn>> {
        let permit = self.background_turn(site).await?;
        Some(Box::new(permit))
    }
}

impl RenderTurn for Permit {
    fn note_answer(&self) {
        self.note(OriginResult::Responded);
    }
}
