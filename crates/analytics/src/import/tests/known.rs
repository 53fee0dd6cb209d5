//! Tests that no line counts twice, however a log is cut, and that only counted lines are known.

use rand::prelude::*;
use rand::rngs::StdRng;

use super::*;

/// Makes lines of crawlers and people in random order.
fn mixed(random: &mut StdRng, lines: usize) -> Vec<String> {
    let line = |number| {
        let line = combined_line(&format!("/{number}"));
        let line = if random.random_bool(0.3) { line.replace(GPTBOT, "Firefox") } else { line };
        let month = if random.random_bool(0.2) { "Oct" } else { "Nov" };
        line.replace("Nov", month) + "\n"
    };
    (0..lines).map(line).collect()
}

/// Import of a log, and the number of lines that it has read.
struct Reader {
    import: Import,
    read: usize,
}

impl Reader {
    /// Makes an import with random limits: a version that recognises more or fewer visits has other ends of parts too.
    fn new(app: &TestApp, domain: &Domain, random: &mut StdRng) -> Reader {
        let (store, domain) = (app.state.visits.clone(), domain.clone());
        let import = Import::new(&app.state.platform, store, domain, LogFormat::Combined);
        Reader { import: import.bounded(16, random.random_range(1..9)), read: 0 }
    }

    /// Counts the written lines that it has not read. Returns the number of their visits.
    async fn read(&mut self, written: &[String]) -> u64 {
        let (before, new) = (self.import.imported().visits, written[self.read..].concat());
        self.read = written.len();
        self.import.read(&mut new.as_bytes()).await.expect("the database is there").visits - before
    }
}

#[tokio::test]
async fn a_log_counts_each_line_once_whoever_reads_it_as_it_grows() {
    TestApp::on_each_visit_store(async |app| {
        let account = app.account("a@x.example", Plan::Business).await;
        let mut random = StdRng::seed_from_u64(7);
        for case in 0..6 {
            let domain = app.domain(&account, &format!("shop{case}.example")).await;
            let (lines, mut written, mut counted) = (mixed(&mut random, 70), 0, 0);
            let mut follower = Reader::new(&app, &domain, &mut random);

            while written < lines.len() {
                written = lines.len().min(written + random.random_range(1..30));
                if random.random_bool(0.3) {
                    follower = Reader::new(&app, &domain, &mut random);
                }
                if random.random_bool(0.7) {
                    counted += follower.read(&lines[..written]).await;
                }
                if random.random_bool(0.4) {
                    counted += Reader::new(&app, &domain, &mut random).read(&lines[..written]).await;
                }
            }
            counted += Reader::new(&app, &domain, &mut random).read(&lines).await;

            let visits = lines.iter().filter(|line| line.contains("GPTBot")).count() as u64;
            assert_eq!(counted, visits, "case {case}");
        }
    })
    .await;
}

#[tokio::test]
async fn a_log_that_was_read_in_the_wrong_format_counts_in_the_right_one() {
    TestApp::on_each_visit_store(async |app| {
        let domain = shop(&app).await;
        let text = format!("# a header\n\n{}", lines(0, 30));
        let store = app.state.visits.clone();

        let mut wrong = Import::new(&app.state.platform, store, domain.clone(), LogFormat::Caddy);
        wrong.read(&mut text.as_bytes()).await.unwrap();
        let wrong = wrong.finish().await.unwrap_err();
        let (right, again) = (import(&app, &domain, &text).await, import(&app, &domain, &text).await);

        let ImportError::OtherFormat { lines, form } = wrong else { panic!("{wrong:?}") };
        assert_eq!((lines, form), (32, Some(LogFormat::Combined)));
        assert_eq!((right.lines, right.lines_unreadable, right.visits), (32, 1, 30));
        assert_eq!((again.lines_known, again.visits), (30, 0));
    })
    .await;
}
