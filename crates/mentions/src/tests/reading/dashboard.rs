//! Visibility of all domains of an account, and the numbers and events of one.

use super::*;
use crate::reading::{MentionEventKind, ReadingFilter, VisibilityPoint};

#[tokio::test]
async fn one_read_gives_every_domain_of_an_account_its_rate() {
    TestApp::on_each_engine(async |app| {
        let mut monitored = Monitored::begin(&app, "a@x.example", OWN_DOMAIN).await;
        let mut other = Monitored::begin(&app, "b@x.example", "other.example").await;
        let (own, foreign) =
            (monitored.prompt(&app, "own", |_| {}).await, other.prompt(&app, "foreign", |_| {}).await);
        let on = |day, brands: &[&'static str]| Given::on(today() - day, Provider::Gemini, brands, &[]);
        for given in
            [on(0, &[OWN]), on(29, &["Notchly"]), on(30, &[OWN]), on(59, &[OWN]), on(60, &["Notchly"])]
        {
            monitored.answer(&app, &own, &given).await;
        }
        other.answer(&app, &foreign, &on(1, &[])).await;

        let rates = app.state.mention_reading.account_visibility(&monitored.account.id, 30).await.unwrap();

        assert_eq!(rates.len(), 1);
        let rate = rates[&monitored.domain.id];
        assert_eq!(
            (rate.answers, rate.rate, rate.previous_rate, rate.is_significant),
            (2, Some(50.0), Some(100.0), false)
        );
    })
    .await;
}

#[tokio::test]
async fn every_screen_has_the_rate_of_the_prompts_that_do_not_name_the_brand() {
    TestApp::on_each_engine(async |app| {
        let mut monitored = Monitored::begin(&app, "a@x.example", OWN_DOMAIN).await;
        let plain = monitored.prompt(&app, "best docs tool", |_| {}).await;
        let branded = monitored.prompt(&app, "is LumaDocs good", |prompt| prompt.is_branded = true).await;
        let on = |day, brands: &[&'static str]| Given::on(today() - day, Provider::Gemini, brands, &[]);
        for (prompt, given) in [
            (&plain, on(1, &[OWN, "Notchly"])),
            (&plain, on(2, &["Notchly"])),
            (&branded, on(1, &[OWN])),
            (&branded, on(2, &[OWN])),
        ] {
            monitored.answer(&app, prompt, &given).await;
        }
        let reading = &app.state.mention_reading;
        let filter =
            ReadingFilter { days: (today() - 29, today()), branded: Some(false), ..ReadingFilter::default() };

        let (_, screen) = reading.prompt_stats(&monitored.domain.id, &filter).await.unwrap();
        let overview = reading.domain_visibility(&monitored.domain.id, 30).await.unwrap().unwrap();
        let row = reading.account_visibility(&monitored.account.id, 30).await.unwrap()[&monitored.domain.id];

        assert_eq!((screen.total_responses, screen.visibility_rate), (2, 50.0));
        assert_eq!((overview.answers, overview.rate), (2, Some(50.0)));
        assert_eq!(overview.providers[0].rate, Some(50.0));
        assert_eq!((row.answers, row.rate), (2, Some(50.0)));
        let rivals: Vec<(&str, u64)> =
            screen.top_competitors.iter().map(|rival| (rival.name.as_str(), rival.count)).collect();
        assert_eq!((rivals, screen.total_voices), (vec![("Notchly", 2)], 3));
        assert_eq!(screen.share_of_voice, 33.3);
    })
    .await;
}

#[tokio::test]
async fn a_domain_has_providers_points_pages_and_events() {
    TestApp::on_each_engine(async |app| {
        let mut monitored = Monitored::begin(&app, "a@x.example", OWN_DOMAIN).await;
        let prompt = monitored.prompt(&app, "best docs tool", |_| {}).await;
        for day in [13, 12, 11, 10, 9, 8, 7] {
            monitored
                .answer(&app, &prompt, &Given::on(today() - day, Provider::Chatgpt, &["Notchly"], &[]))
                .await;
        }
        for day in [6, 5, 4, 3, 2, 1] {
            let cited = ["lumadocs.io/pricing?plan=pro", "lumadocs.io", "docs.lumadocs.io/a", "g2.com"];
            monitored
                .answer(&app, &prompt, &Given::on(today() - day, Provider::Chatgpt, &[OWN], &cited))
                .await;
        }
        let reading = &app.state.mention_reading;

        let visibility = reading.domain_visibility(&monitored.domain.id, 7).await.unwrap().unwrap();
        let pages = reading.cited_pages(&monitored.domain, 7, 5).await.unwrap();
        let events = reading.events(&monitored.domain.id, 14).await.unwrap();

        assert_eq!(
            (visibility.answers, visibility.rate, visibility.previous_rate),
            (6, Some(100.0), Some(0.0))
        );
        assert!(visibility.is_significant);
        assert_eq!((visibility.providers.len(), visibility.points.len()), (1, 7));
        assert_eq!(visibility.points[6], VisibilityPoint { date: "2026-11-20".to_owned(), rate: None });
        let paths: Vec<(&str, u64)> = pages.iter().map(|page| (page.path.as_str(), page.citations)).collect();
        assert_eq!(paths, [("/", 6), ("/pricing?plan=pro", 6)]);
        assert_eq!(pages[0].providers, ["chatgpt"]);
        let kinds: Vec<MentionEventKind> = events.iter().map(|event| event.kind).collect();
        assert_eq!(kinds, [MentionEventKind::FirstNamed, MentionEventKind::VisibilityChanged]);
        assert_eq!((events[0].subject.as_deref(), events[0].day), (Some("chatgpt"), today() - 6));
        assert!(
            reading
                .domain_visibility(&domains::DomainId::from("none".to_owned()), 7)
                .await
                .unwrap()
                .is_none()
        );
    })
    .await;
}
