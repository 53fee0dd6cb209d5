//! Tests of the verifier against a directory of keys on loopback.

use base64::Engine;
use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};
use bytes::Bytes;
use crawler::testing::{DnsServer, Trouble};
use http::Response;
use http_body_util::Full;
use ring::signature::{Ed25519KeyPair, KeyPair};
use sha2::{Digest, Sha256};

use super::*;
use crate::CrawlerIndex;
use crate::testing::*;

const CHATGPT: &str = "\"https://chatgpt.com\"";
const GOOGLE: &str = "g=\"https://agent.bot.goog\"";

/// An agent's key.
struct Signer(Ed25519KeyPair);

impl Signer {
    fn new(seed: u8) -> Signer {
        Signer(Ed25519KeyPair::from_seed_unchecked(&[seed; 32]).unwrap())
    }

    fn x(&self) -> String {
        URL_SAFE_NO_PAD.encode(self.0.public_key())
    }

    fn directory(&self) -> String {
        let other = r#"{"kty":"future","crv":"unheard-of"}"#;
        let x = self.x();
        format!(r#"{{"keys":[{other},{{"kty":"OKP","crv":"Ed25519","x":"{x}","use":"sig","kid":"short"}}]}}"#)
    }

    /// Makes headers of a request as Google-Agent does: a dictionary, a label of its own, and a short key id.
    fn sign_as_google(&self, authority: &str) -> HeaderMap {
        let (created, expires) = (now(), now() + 300);
        let params = format!(
            r#"("@authority" "signature-agent";key="g");created={created};expires={expires};keyid="short";alg="ed25519";tag="web-bot-auth""#
        );
        let base = format!(
            "\"@authority\": {authority}\n\"signature-agent\";key=\"g\": \"https://agent.bot.goog\"\n\"@signature-params\": {params}"
        );
        let signature = STANDARD.encode(self.0.sign(base.as_bytes()));
        let mut headers = HeaderMap::new();
        headers.insert("signature-agent", GOOGLE.parse().unwrap());
        headers.insert("signature-input", format!("g={params}").parse().unwrap());
        headers.insert("signature", format!("g=:{signature}:").parse().unwrap());
        headers
    }

    /// Makes headers of a request to `authority`, signed from `created` until `expires` (seconds).
    fn sign(&self, authority: &str, agent: &str, nonce: &str, created: i64, expires: i64) -> HeaderMap {
        let thumbprint = Sha256::digest(format!(r#"{{"crv":"Ed25519","kty":"OKP","x":"{}"}}"#, self.x()));
        let keyid = URL_SAFE_NO_PAD.encode(thumbprint);
        let params = format!(
            r#"("@authority" "signature-agent");created={created};expires={expires};keyid="{keyid}";alg="ed25519";nonce="{nonce}";tag="web-bot-auth""#
        );
        let base = format!(
            "\"@authority\": {authority}\n\"signature-agent\": {agent}\n\"@signature-params\": {params}"
        );
        let signature = STANDARD.encode(self.0.sign(base.as_bytes()));
        let mut headers = HeaderMap::new();
        headers.insert("signature-agent", agent.parse().unwrap());
        headers.insert("signature-input", format!("sig1={params}").parse().unwrap());
        headers.insert("signature", format!("sig1=:{signature}:").parse().unwrap());
        headers
    }
}

/// Makes a service for which chatgpt.com and other agents publish the signer's key.
async fn app_knowing(signer: &Signer) -> (TestApp, crawler::testing::WebServer) {
    let directory = signer.directory();
    let server = crawler::testing::WebServer::start(move |_| {
        let directory = directory.clone();
        async move { Response::new(Full::new(Bytes::from(directory))) }
    })
    .await;
    let at = server.address();
    let settings = format!(
        r#"
        network.allow_private = ["127.0.0.0/8"]
        network.hosts = {{ "chatgpt.com" = "{at}", "agent.bot.goog" = "{at}", "agents.acme.example" = "{at}" }}
        [[edge.signers]]
        directory = "https://agents.acme.example/.well-known/http-message-signatures-directory"
        id = "acme-agent"
        name = "Acme agent"
        provider = "acme"
        purpose = "llm-user"
        "#
    );
    (TestApp::with(&settings).await, server)
}

fn now() -> i64 {
    NOON.as_millis() / 1000
}

fn stranger() -> IpAddr {
    "192.0.2.1".parse().unwrap()
}

#[tokio::test]
async fn a_signed_request_of_a_listed_agent_is_a_verified_crawler() {
    let signer = Signer::new(1);
    let (app, _server) = app_knowing(&signer).await;
    let verifier = Verifier::new(&app.state.platform);
    let headers = signer.sign("shop.example", CHATGPT, "n1", now(), now() + 300);

    let claim = verifier.check(None, stranger(), &headers, "Shop.example:443").await;

    assert!(claim.is_crawler);
    assert_eq!(claim.crawler.map(|crawler| crawler.id.as_str()), Some("chatgpt-agent"));
    assert_eq!(claim.verified, Verified::Yes);
}

#[tokio::test]
async fn google_agent_signs_with_a_label_and_a_key_id_of_its_own() {
    let signer = Signer::new(1);
    let (app, _server) = app_knowing(&signer).await;
    let verifier = Verifier::new(&app.state.platform);

    let claim =
        verifier.check(None, stranger(), &signer.sign_as_google("shop.example"), "shop.example").await;

    assert_eq!(claim.crawler.map(|crawler| crawler.id.as_str()), Some("google-agent-mariner"));
    assert_eq!(claim.verified, Verified::Yes);
    let elsewhere = signer.sign_as_google("other.example");
    assert!(!verifier.check(None, stranger(), &elsewhere, "shop.example").await.is_crawler);
}

#[tokio::test]
async fn a_signer_of_the_operator_is_a_crawler_with_the_name_and_purpose_of_the_setting() {
    let signer = Signer::new(1);
    let (app, _server) = app_knowing(&signer).await;
    let verifier = Verifier::new(&app.state.platform);
    let agent = "\"https://agents.acme.example\"";
    let headers = signer.sign("shop.example", agent, "n1", now(), now() + 300);

    let claim = verifier.check(None, stranger(), &headers, "shop.example").await;

    let crawler = claim.crawler.expect("a crawler");
    assert_eq!(
        (claim.verified, crawler.name.as_str(), crawler.class),
        (Verified::Yes, "Acme agent", crate::Class::LlmUser)
    );
    let index = CrawlerIndex::shared();
    assert_eq!((index.provider_of("acme-agent"), index.has_provider("acme")), ("acme", true));
    assert_eq!(index.find_named("ACME AGENT"), Some(crawler));
}

#[tokio::test]
async fn a_signature_is_good_once_for_one_host_and_for_its_time() {
    let signer = Signer::new(1);
    let (app, _server) = app_knowing(&signer).await;
    let verifier = Verifier::new(&app.state.platform);
    let is_crawler = async |headers: HeaderMap| {
        verifier.check(None, stranger(), &headers, "shop.example").await.is_crawler
    };
    let sign = |nonce: &str, created, expires| signer.sign("shop.example", CHATGPT, nonce, created, expires);

    assert!(is_crawler(sign("n1", now(), now() + 300)).await);
    assert!(!is_crawler(sign("n1", now(), now() + 300)).await, "used twice");
    assert!(
        !is_crawler(signer.sign("other.example", CHATGPT, "n2", now(), now() + 300)).await,
        "another host"
    );
    assert!(!is_crawler(sign("n3", now() - 600, now() - 300)).await, "over");
    assert!(!is_crawler(sign("n4", now() + 120, now() + 300)).await, "from the future");
    assert!(!is_crawler(sign("n5", now(), now() + 90_000)).await, "made to last");
    assert!(
        !is_crawler(Signer::new(2).sign("shop.example", CHATGPT, "n6", now(), now() + 300)).await,
        "another key"
    );
}

#[tokio::test]
async fn a_directory_that_is_not_listed_is_never_fetched() {
    let signer = Signer::new(1);
    let (app, server) = app_knowing(&signer).await;
    let verifier = Verifier::new(&app.state.platform);

    for agent in
        ["\"https://evil.example\"", "\"http://chatgpt.com\"", "\"https://chatgpt.com.evil.example\""]
    {
        let headers = signer.sign("shop.example", agent, "n1", now(), now() + 300);
        assert!(!verifier.check(None, stranger(), &headers, "shop.example").await.is_crawler, "{agent}");
    }

    assert_eq!(server.requests(), 0);
}

#[tokio::test]
async fn keys_are_fetched_once_for_many_requests() {
    let signer = Signer::new(1);
    let (app, server) = app_knowing(&signer).await;
    let verifier = Verifier::new(&app.state.platform);

    for nonce in ["n1", "n2", "n3"] {
        let headers = signer.sign("shop.example", CHATGPT, nonce, now(), now() + 300);
        assert!(verifier.check(None, stranger(), &headers, "shop.example").await.is_crawler);
    }

    assert_eq!(server.requests(), 1);
}

#[tokio::test]
async fn an_address_inside_a_private_network_proves_nothing() {
    let app = TestApp::new().await;
    let verifier = Verifier::new(&app.state.platform);
    let googlebot = CrawlerIndex::shared().identify("Mozilla/5.0 (compatible; Googlebot/2.1)");

    let claim =
        verifier.check(googlebot, "127.0.0.1".parse().unwrap(), &HeaderMap::new(), "shop.example").await;

    assert!(claim.is_crawler);
    assert_eq!(claim.verified, Verified::Unknown);
}

#[tokio::test]
async fn a_published_address_verifies_a_crawler_at_once() {
    let app = TestApp::new().await;
    let verifier = Verifier::new(&app.state.platform);
    let googlebot = CrawlerIndex::shared().identify("Mozilla/5.0 (compatible; Googlebot/2.1)");

    let claim =
        verifier.check(googlebot, "66.249.66.1".parse().unwrap(), &HeaderMap::new(), "shop.example").await;

    assert_eq!(claim.verified, Verified::Yes);
}

#[tokio::test]
async fn an_address_that_its_provider_does_not_publish_is_an_impostors_when_dns_does_not_answer() {
    // The tests' DNS server does not answer.
    let app = TestApp::new().await;
    let verifier = Verifier::new(&app.state.platform);
    let googlebot = CrawlerIndex::shared().identify("Mozilla/5.0 (compatible; Googlebot/2.1)");
    let check = async || {
        let address = "9.9.9.9".parse().unwrap();
        verifier.check(googlebot, address, &HeaderMap::new(), "shop.example").await.verified
    };

    assert_eq!((check().await, check().await), (Verified::No, Verified::No));
}

#[tokio::test]
async fn the_first_visit_from_an_address_is_verified_like_the_ones_after_it() {
    let dns = DnsServer::start().await;
    let (own, strangers): (IpAddr, IpAddr) = ("9.9.9.10".parse().unwrap(), "9.9.9.11".parse().unwrap());
    let (forged, silent): (IpAddr, IpAddr) = ("9.9.9.12".parse().unwrap(), "9.9.9.13".parse().unwrap());
    dns.is_named(own, "crawl-1.googlebot.com");
    dns.is_named(forged, "crawl-1.googlebot.com");
    dns.is_named(silent, "crawl-2.googlebot.com");
    dns.leads_to("crawl-1.googlebot.com", &["9.9.9.10"]);
    dns.troubles("crawl-2.googlebot.com", Trouble::ServFail);
    let app = TestApp::with(&dns.setting()).await;
    let verifier = Verifier::new(&app.state.platform);
    let googlebot = CrawlerIndex::shared().find("googlebot").unwrap();
    let baidu = CrawlerIndex::shared().find("baiduspider").unwrap();

    for (address, expected) in
        [(own, Verified::Yes), (strangers, Verified::No), (forged, Verified::No), (silent, Verified::No)]
    {
        for _ in 0..2 {
            assert_eq!(verifier.by_address(googlebot, address).await, expected, "{address}");
        }
        assert_eq!(verifier.known(googlebot, address), Some(expected));
    }
    // For a crawler without published addresses, a name that cannot be resolved proves nothing.
    let of_baidu = "9.9.9.14".parse().unwrap();
    dns.is_named(of_baidu, "crawl-2.crawl.baidu.com");
    dns.troubles("crawl-2.crawl.baidu.com", Trouble::ServFail);
    assert_eq!(verifier.by_address(baidu, of_baidu).await, Verified::Unknown);
}
