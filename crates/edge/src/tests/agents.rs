//! Answers to coding agents and assistants by the headers that they send: the page's text, in the format that they prefer.
//! Forms as documented by the vendors and by acceptmarkdown.com (2026-05).

use super::world::{RawOrigin, World};
use crate::testing::*;
use analytics::CrawlerIndex;

const CHROME: &str =
    "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Safari/537.36";
const BROWSERS_ACCEPT: &str = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8";

/// Name, user agent, `Accept`, and true when the agent gets Markdown.
const AGENTS: [(&str, &str, &str, bool); 12] = [
    (
        "Claude Code",
        "Claude-User (claude-code/2.1.92; +https://support.anthropic.com/)",
        "text/markdown, text/html, */*",
        true,
    ),
    ("Cursor", "Mozilla/5.0 (compatible; Cursor/3.0)", "text/markdown, text/plain;q=0.9, */*;q=0.8", true),
    ("Cursor's fetch", "node", "text/markdown,text/html;q=0.9,application/xhtml+xml;q=0.8,*/*;q=0.5", true),
    ("Codex CLI", "codex_cli_rs/0.60.1 (Debian 12; x86_64)", "text/html, */*", false),
    ("Gemini CLI", "GeminiCLI/0.20.0/gemini-3-pro (linux; x64)", "*/*", false),
    (
        "opencode",
        CHROME,
        "text/markdown;q=1.0, text/x-markdown;q=0.9, text/plain;q=0.8, text/html;q=0.7, */*;q=0.1",
        true,
    ),
    ("OpenClaw", CHROME, "text/markdown, text/html;q=0.9, */*;q=0.1", true),
    ("Firecrawl", "FirecrawlAgent (+https://firecrawl.dev)", "*/*", false),
    (
        "ChatGPT-User",
        "Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko); compatible; ChatGPT-User/1.0; +https://openai.com/bot",
        BROWSERS_ACCEPT,
        false,
    ),
    (
        "Claude-User",
        "Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; Claude-User/1.0; +Claude-User@anthropic.com)",
        "*/*",
        false,
    ),
    (
        "Perplexity-User",
        "Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; Perplexity-User/1.0; +https://perplexity.ai/perplexity-user)",
        BROWSERS_ACCEPT,
        false,
    ),
    ("curl that asks for Markdown", "curl/8.4.0", "text/markdown", true),
];

#[tokio::test]
async fn each_agent_gets_words_in_the_form_that_it_prefers() {
    let origin = RawOrigin::echo().await;
    let world = World::with_origin(origin.address).await;
    world.shop().await;
    let page = "https://shop.example/shoes";
    world.app.renderer.answers_html(page, "<title>Shoes</title><main><h1>Felt shoes</h1></main>");

    for (name, agent, accept, is_markdown) in AGENTS {
        let reply =
            world.get("/shoes", &[&format!("User-Agent: {agent}"), &format!("Accept: {accept}")]).await;
        let by_api = world.app.render(&world.account, page).header("user-agent", agent);
        let by_api = by_api.header("accept", accept).await;

        let content_type =
            if is_markdown { "text/markdown; charset=utf-8" } else { "text/html; charset=utf-8" };
        assert_eq!(reply.header("content-type"), Some(content_type), "{name} at the edge");
        assert_eq!(by_api.header("content-type"), content_type, "{name} by the API");
        for text in [reply.text(), by_api.text()] {
            assert!(text.contains("Felt shoes"), "{name}: {text}");
        }
    }
}

#[test]
fn the_list_of_crawlers_says_which_agents_ask_for_markdown() {
    for (name, agent, _, is_markdown) in AGENTS {
        let known = CrawlerIndex::shared().identify(agent).filter(|crawler| crawler.is_documented());

        // An agent that sends a browser's or a library's user agent is known by its `Accept` alone.
        let asks = known.map(|crawler| crawler.asks_for_markdown);
        assert!(asks.is_none_or(|asks| asks == is_markdown), "{name}");
    }
    assert!(CrawlerIndex::shared().markdown_client(None).asks_for_markdown);
}
