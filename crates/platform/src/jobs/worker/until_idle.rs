//! Work until nothing is left, for tests.

use super::Worker;

impl Worker {
    /// Runs everything that is due and everything that follows from it.
    pub async fn run_until_idle(&mut self) {
        loop {
            let begun = self.step().await.expect("the database answers");
            if begun == 0 && self.ended.is_empty() {
                match (self.running.join_next().await, self.until_lane_opens()) {
                    (Some(over), _) => self.take_result(over),
                    (None, Some(wait)) => tokio::time::sleep(wait).await,
                    (None, None) => return,
                }
            }
            self.take_ready_results();
        }
    }
}
