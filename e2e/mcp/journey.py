"""Goes from an account without domains to a page that a crawler got, an audit and reports, with the Python SDK. Run by run.mjs."""

import asyncio
import os
import urllib.parse
import urllib.request
from typing import Any

import httpx2
from mcp import ClientSession
from mcp.client.streamable_http import streamable_http_client

ADDRESS, KEY, DOMAIN = os.environ["ADDRESS"], os.environ["KEY"], os.environ["DOMAIN"]
GOOGLEBOT = "Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)"
URL = f"http://{DOMAIN}/jugs"


def get_as_googlebot() -> str:
    """Returns the page as the render endpoint answers a crawler."""
    address = f"{ADDRESS}/api/prerender/render?url={urllib.parse.quote(URL, safe='')}"
    request = urllib.request.Request(address, headers={"x-service-api-key": KEY, "user-agent": GOOGLEBOT})
    with urllib.request.urlopen(request, timeout=60) as answer:
        return str(answer.read(), "utf-8")


async def main() -> None:
    """Makes the calls."""
    calls = 0

    async def call(name: str, **arguments: Any) -> Any:
        nonlocal calls
        calls += 1
        result = await session.call_tool(name, arguments)
        text = result.content[0].text
        assert not result.is_error, f"{name}: {text}"
        assert len(text.encode()) <= 25_000
        return result.structured_content

    client = httpx2.AsyncClient(headers={"authorization": f"Bearer {KEY}"}, timeout=120)
    async with streamable_http_client(f"{ADDRESS}/api/mcp", http_client=client) as streams:
        async with ClientSession(streams[0], streams[1]) as session:
            await session.initialize()
            assert len((await session.list_tools()).tools) == 20
            assert (await call("list_domains"))["domains"] == []
            await call("add_domain", domain=DOMAIN)
            page = await call("render_page", url=URL)
            assert "<h1>Pots /jugs</h1>" in page["untrusted"]["html"]
            assert "<h1>Pots /jugs</h1>" in await asyncio.to_thread(get_as_googlebot)
            run = (await call("start_audit", domain=DOMAIN, urls=[f"http://{DOMAIN}/"]))["runId"]
            audit = await call("get_audit", runId=run)
            assert audit["run"]["status"] == "success", audit["run"]
            assert (await call("list_issues", domain=DOMAIN))["issues"]
            assert (await call("crawler_visits", domain=DOMAIN))["totalCrawlsServed"] == 1
            assert calls <= 12

            refused = await session.call_tool("render_page", {"url": "https://other.example/"})
            assert refused.is_error and "domain_not_owned" in refused.content[0].text


asyncio.run(main())
