"""Calls every operation of the service through the installed Python client. Run by ../run.mjs, which notes the requests; checked by
mypy in strict mode, so that a changed operation fails there first."""

import base64
import hmac
import io
import json
import os
import re
import threading
import time
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import TypeVar

from glasshouse_client import ApiError, Glasshouse, refusals, verify_webhook, wait_for_audit, wait_for_batch
from glasshouse_client.api import (
    account,
    ai_mentions,
    analytics,
    cache_refresh,
    dashboard,
    domains,
    people,
    render,
    seo_audit,
    service,
    session,
    tools,
    webhooks,
)
from glasshouse_client.models import (
    AcceptedInvitation,
    AddRequest,
    AuditingChange,
    BrandBody,
    CrawlerPolicy,
    Credentials,
    DismissedEntry,
    EnteredAccount,
    ImportRequest,
    IndexNowChange,
    JsonRpcMessage,
    MonitoringChange,
    NewKeyRequest,
    NewPerson,
    NewWebhookRequest,
    OwnPassword,
    PageRequest,
    PasswordChange,
    PasswordReset,
    PathsRequest,
    PatternTest,
    PersonChange,
    PromptFields,
    PromptRequest,
    RenderingChange,
    ResetRequest,
    RootFilesChange,
    RuleTest,
    RunRequest,
    SentRootFile,
    SessionChange,
    SettingsChange,
    SitemapRequest,
    SiteRequest,
    StartRequest,
    TermsBody,
    TotpCode,
    VerificationChange,
    VerifyBody,
    ViewOrder,
    WebhookChangeRequest,
)
from glasshouse_client.types import File

T = TypeVar("T")
ADDRESS, EMAIL, PASSWORD, DOMAIN, KEY, DOCUMENT = (
    os.environ[name] for name in ["ADDRESS", "EMAIL", "PASSWORD", "DOMAIN", "KEY", "DOCUMENT"]
)
GOOGLEBOT = "Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)"
client = Glasshouse(ADDRESS, key=KEY)
crawler = Glasshouse(ADDRESS, key=KEY, headers={"user-agent": GOOGLEBOT})


def until(read: Callable[[], T | None]) -> T:
    """Asks until there is something."""
    end = time.monotonic() + 120
    while time.monotonic() < end:
        found = read()
        if found is not None:
            return found
        time.sleep(0.3)
    raise TimeoutError("nothing came")


def refused(call: Callable[[], object]) -> ApiError:
    """Returns the error of a call that must be refused."""
    try:
        call()
    except ApiError as error:
        return error
    raise AssertionError("the call was not refused")


def call_service() -> None:
    assert service.get_health(client).ok
    service.get_readiness(client)
    service.get_traffic_readiness(client)
    assert refusals.DOCUMENT_SHA256 == DOCUMENT


def call_tools() -> None:
    answer = tools.call_tools(client, body=JsonRpcMessage(jsonrpc="2.0", id=1, method="tools/list"))
    assert "list_domains" in str(answer)


def call_account() -> None:
    made = account.create_key(client, body=NewKeyRequest(name="second"))
    assert sorted(str(key.name) for key in account.list_keys(client).keys) == ["second", "test"]
    account.revoke_key(client, made.id)
    error = refused(lambda: account.list_keys(Glasshouse(ADDRESS, key=made.key)))
    assert isinstance(error, refusals.InvalidApiKey)
    account.get_usage(client)


def call_domains() -> None:
    other = f"other-{DOMAIN}"
    assert domains.add_domain(client, body=AddRequest(domain=other)).domain == other
    error = refused(lambda: domains.add_domain(client, body=AddRequest(domain=other)))
    assert isinstance(error, refusals.DomainAlreadyConnected) and error.status == 409
    domains.check_domain(client, other)
    domains.remove_domain(client, other)
    assert [item.domain for item in domains.list_domains(client).domains] == [DOMAIN]
    domains.get_domain(client, DOMAIN)
    assert domains.update_settings(client, DOMAIN, body=SettingsChange(ignore_paths="/cart")).ignore_paths == "/cart"
    domains.update_sitemap(client, DOMAIN, body=SitemapRequest(sitemap_url=f"http://{DOMAIN}/sitemap.xml"))
    domains.get_required_records(client, DOMAIN)
    changed = domains.update_rendering(client, DOMAIN, body=RenderingChange(refresh_interval_seconds=86_400))
    assert domains.get_rendering(client, DOMAIN) == changed
    policy = domains.replace_crawler_policy(client, DOMAIN, body=CrawlerPolicy(mode="off"))
    assert domains.get_crawler_policy(client, DOMAIN) == policy
    file = SentRootFile(path="/llms.txt", mode="fallback", source="text", body="# Shop")
    files = domains.update_root_files(client, DOMAIN, body=RootFilesChange(files=[file]))
    assert domains.get_root_files(client, DOMAIN) == files
    index_now = domains.update_indexnow(client, DOMAIN, body=IndexNowChange(enabled=False))
    assert domains.get_indexnow(client, DOMAIN) == index_now
    token = analytics.create_stats_token(client, DOMAIN).token
    analytics.get_stats_token(client, DOMAIN)
    analytics.get_bots(Glasshouse(ADDRESS, headers={"x-service-public-stats-token": token}), domain=DOMAIN)
    analytics.delete_stats_token(client, DOMAIN)
    domains.verify_domain(client, DOMAIN, body=VerifyBody())


def call_render() -> None:
    page = crawler.render(f"http://{DOMAIN}/jugs")
    assert (page.status_code, page.headers["x-service-render-cache"]) == (200, "miss")
    assert "Hand-made pots from the quay" in page.text
    assert crawler.render(f"http://{DOMAIN}/nowhere").status_code == 404

    cache_refresh.invalidate_page_cache(client, body=PageRequest(domain=DOMAIN, path="/cups"))
    cache_refresh.invalidate_paths_cache(client, body=PathsRequest(domain=DOMAIN, paths=["/about"]))
    batch = str(cache_refresh.invalidate_site_cache(client, body=SiteRequest(domain=DOMAIN)).batch_group_id)
    done = wait_for_batch(client, batch, every=0.2, timeout=120)
    assert (done.total, done.done) == (4, 4)
    cache_refresh.invalidate_updated_paths(client, body=SiteRequest(domain=DOMAIN))
    cache_refresh.list_batches(client, domain=DOMAIN)
    cache_refresh.cancel_batch(client, batch)

    rows = render.list_snapshots_rows(client, domain=DOMAIN, limit=2, sort="path", order="asc")
    assert [row.path for row in rows] == ["/", "/about", "/cups", "/jugs", "/nowhere"]
    file = client.request("get", "/api/prerender/snapshots", params={"domain": DOMAIN, "format": "csv"})
    assert file.text.startswith("url,path,status")


def call_analytics() -> None:
    visits = analytics.watch_visits(client, domain=DOMAIN)
    found: list[tuple[str, str]] = []

    def watch() -> None:
        visit = next(visits)
        found.append((visit.path, visit.crawler))

    watcher = threading.Thread(target=watch)
    watcher.start()
    while watcher.is_alive():
        crawler.render(f"http://{DOMAIN}/cups")
        time.sleep(0.2)
    assert found == [("/cups", "googlebot")]

    line = json.dumps({"ts": time.time(), "path": "/cups", "userAgent": "GPTBot/1.2"})
    log = File(payload=io.BytesIO(f"{line}\nnonsense\n".encode()))
    counted = analytics.push_log(client, body=log, domain=DOMAIN, idempotency_key="calls")
    assert (counted.lines, counted.visits, counted.unreadable) == (2, 1, 1)
    assert analytics.get_fastly_challenge(client).text == "*"
    analytics.get_bots(client, domain=DOMAIN)
    analytics.get_daily_bots(client, domain=DOMAIN)
    analytics.get_bots_summary(client, domain=DOMAIN)
    assert analytics.get_badge(client, domain=DOMAIN).text.startswith("<svg ")
    analytics.get_page_insights(client, domain=DOMAIN, url_query=f"http://{DOMAIN}/cups")
    analytics.list_crawlers(client, domain=DOMAIN)
    analytics.list_crawl_errors(client, domain=DOMAIN)
    analytics.list_crawled_pages(client, domain=DOMAIN)
    analytics.list_policy_refusals(client, domain=DOMAIN)
    analytics.list_referrals(client, domain=DOMAIN)
    analytics.list_robots_violations(client, domain=DOMAIN)
    analytics.get_timeline(client, domain=DOMAIN)
    assert analytics.export_visits(client, domain=DOMAIN).text.startswith("day,path,crawler")


class Receiver(BaseHTTPRequestHandler):
    """Receives the messages of audits."""

    received: list[tuple[bytes, dict[str, str]]] = []

    def do_POST(self) -> None:
        self.received.append((self.rfile.read(int(self.headers["content-length"])), dict(self.headers)))
        self.send_response(204)
        self.end_headers()

    def log_message(self, *_: object) -> None:
        """Says nothing."""


def call_seo_audit() -> None:
    assert len(seo_audit.list_issues(client).issues) > 50
    receiver = HTTPServer(("127.0.0.1", 0), Receiver)
    threading.Thread(target=receiver.serve_forever, daemon=True).start()
    address = f"http://127.0.0.1:{receiver.server_port}/"
    settings = seo_audit.update_auditing(client, DOMAIN, body=AuditingChange(webhook_url=address))
    assert seo_audit.get_auditing(client, DOMAIN).webhook_url == address
    order = StartRequest(domain=DOMAIN, mode="sitemap", urls=[f"http://{DOMAIN}/"])
    ids = []
    for _ in range(2):
        run_id = seo_audit.start_run(client, body=order).run_id
        error = refused(lambda: seo_audit.start_run(client, body=order))
        assert isinstance(error, refusals.RunAlreadyActive) and error.run_id == run_id
        assert [progress.run_id for progress in seo_audit.follow_run(client, run_id)][-1] == run_id
        assert wait_for_audit(client, run_id, every=0.2, timeout=120).close_reason == "finished"
        ids.append(run_id)
    first, run_id = ids
    body, headers = until(lambda: Receiver.received[0] if Receiver.received else None)
    assert verify_webhook(body, headers, str(settings.webhook_secret))["run"]["id"] == first
    receiver.shutdown()
    seo_audit.list_runs(client, domain=DOMAIN)
    pages = list(seo_audit.get_run_rows(client, run_id, limit=3))
    assert len(pages) == 4
    seo_audit.get_run_page(client, run_id, pages[0].id)
    seo_audit.list_run_issues(client, run_id)
    seo_audit.list_run_links(client, run_id)
    assert all(source != target for source, target in seo_audit.get_link_graph(client, run_id).edges)
    seo_audit.compare_runs(client, run_id, with_=first)
    assert "jugs" in seo_audit.export_run(client, run_id, what="pages").text
    seo_audit.cancel_run(client, seo_audit.start_run(client, body=order).run_id)


def call_ai_mentions() -> None:
    ai_mentions.replace_brand(client, DOMAIN, body=BrandBody(name="Pots"))
    assert ai_mentions.get_brand(client, DOMAIN).name == "Pots"
    ai_mentions.update_monitoring(client, DOMAIN, body=MonitoringChange(digest="off"))
    ai_mentions.get_monitoring(client, DOMAIN)
    ai_mentions.list_providers(client, domain=DOMAIN)
    question = PromptFields(prompt_text="Which pots are the best?", intent="comm", providers=["chatgpt"])
    assert ai_mentions.import_prompts(client, body=ImportRequest(domain=DOMAIN, prompts=[question])).created == 1
    prompt = ai_mentions.list_prompts(client, domain=DOMAIN)[0].id
    run = until(
        lambda: next(
            (run for run in ai_mentions.list_prompt_runs(client, domain=DOMAIN).runs if run.status == "ok"), None
        )
    )
    assert ai_mentions.get_prompt_run(client, run.id).prompt_text == question.prompt_text
    ai_mentions.list_prompt_stats(client, domain=DOMAIN)
    ai_mentions.list_trend(client, domain=DOMAIN)
    ai_mentions.run_prompt(client, prompt, body=RunRequest(samples=1))
    report = until(lambda: next(iter(ai_mentions.list_reports(client, domain=DOMAIN).reports), None))
    ai_mentions.get_report(client, report.id)
    html = client.request("get", f"/api/ai-mentions/reports/{report.id}", params={"format": "html"})
    assert "<html" in html.text
    ai_mentions.list_sources(client, domain=DOMAIN)
    ai_mentions.list_queries(client, domain=DOMAIN)
    ai_mentions.get_costs(client, domain=DOMAIN)
    ai_mentions.list_suggestions(client, domain=DOMAIN)
    ai_mentions.suggest_of_terms(client, body=TermsBody(domain=DOMAIN, terms=["stoneware jugs"]))
    assert "chatgpt" in ai_mentions.export_mentions(client, domain=DOMAIN, what="runs").text
    assert ai_mentions.change_prompt(client, body=PromptRequest(action="delete", domain=DOMAIN, id=prompt)) is None


def sign_in(password: str, email: str = EMAIL) -> Glasshouse:
    """Signs in and returns a client of the session."""
    signed_in = Glasshouse(ADDRESS)
    session.create_session(signed_in, body=Credentials(email=email, password=password))
    signed_in.http.headers["x-csrf-token"] = session.get_session(signed_in).csrf_token
    return signed_in


def mailed(link: str, to: str) -> str:
    """Waits for a mail to an address, and returns the token of its link."""
    form = re.compile(rf"^To: {to}$.*?/{link}#(\w+)", re.MULTILINE | re.DOTALL)
    return until(lambda: form.search(Path(os.environ["MAILBOX"]).read_text()))[1]


def code_of(secret: str) -> str:
    """Returns the code that an authenticator shows for a secret in base32."""
    tag = hmac.digest(base64.b32decode(secret), int(time.time() // 30).to_bytes(8, "big"), "sha1")
    start = tag[-1] & 0xF
    return f"{(int.from_bytes(tag[start : start + 4], 'big') & 0x7FFFFFFF) % 1_000_000:06}"


def call_people() -> None:
    owner = sign_in(PASSWORD)
    stranger = Glasshouse(ADDRESS)
    email = f"second@{DOMAIN}"
    invitation = people.invite_person(owner, body=NewPerson(email=email, role="viewer", domains=[DOMAIN]))
    assert invitation.invite_url is None
    accepted = AcceptedInvitation(token=mailed("invitation", email), password=PASSWORD)
    session.accept_invitation(stranger, body=accepted)
    error = refused(lambda: session.accept_invitation(Glasshouse(ADDRESS), body=accepted))
    assert isinstance(error, refusals.InvalidToken) and error.status == 400
    assert people.change_person(owner, invitation.id, body=PersonChange(role="editor")).role == "editor"
    listed = [(person.email, person.role, person.domains) for person in people.list_people(owner).people]
    assert listed == [(EMAIL, "owner", None), (email, "editor", [DOMAIN])]

    session.request_reset(stranger, body=ResetRequest(email=email))
    password = f"{PASSWORD}, reset"
    session.reset_password(stranger, body=PasswordReset(token=mailed("reset", email), new_password=password))
    second = sign_in(password, email)
    entered = session.get_session(second).account
    session.enter_account(second, body=EnteredAccount(id=entered.id))
    session.update_session(second, body=SessionChange(weekly_mail=True))
    secret = session.begin_totp(second, body=OwnPassword(password=password)).secret
    codes = session.confirm_totp(second, body=TotpCode(code=code_of(secret))).recovery_codes
    assert isinstance(refused(lambda: sign_in(password, email)), refusals.TotpRequired)
    session.delete_totp(second, body=TotpCode(code=codes[0]))
    assert people.remove_person(owner, invitation.id).keys == 0


def call_webhooks() -> None:
    wanted = NewWebhookRequest(url="http://hooks.test/in", events=["audit.completed"], domains=[DOMAIN])
    made = webhooks.create_webhook(client, body=wanted)
    assert isinstance(made.secret, str) and made.secret.startswith("whsec_")
    assert [hook.id for hook in webhooks.list_webhooks(client).webhooks] == [made.id]
    webhooks.change_webhook(client, made.id, body=WebhookChangeRequest(events=["audit.completed", "verify.failing"]))
    assert webhooks.rotate_webhook_secret(client, made.id).secret != made.secret
    sent = webhooks.test_webhook(client, made.id)
    listed = webhooks.list_webhook_deliveries(client, made.id)
    assert [delivery.event for delivery in listed.deliveries] == ["webhook.test"]
    assert webhooks.redeliver_webhook_delivery(client, made.id, sent.id).id == sent.id
    webhooks.delete_webhook(client, made.id)
    error = refused(lambda: webhooks.delete_webhook(client, made.id))
    assert isinstance(error, refusals.NotFound)
    assert domains.get_verification(client, DOMAIN).every == "daily"
    assert domains.update_verification(client, DOMAIN, body=VerificationChange(every="off")).every == "off"


def call_dashboard() -> None:
    person = sign_in(PASSWORD)
    other = f"dashboard-{DOMAIN}"
    domains.dashboard_add_domain(person, body=AddRequest(domain=other))
    domains.dashboard_list_domains(person)
    domains.dashboard_get_domain(person, other)
    domains.dashboard_check_domain(person, other)
    domains.dashboard_update_settings(person, other, body=SettingsChange(ignore_paths=""))
    domains.dashboard_update_sitemap(person, DOMAIN, body=SitemapRequest(refresh=True))
    domains.dashboard_remove_domain(person, other)
    dashboard.test_patterns(person, DOMAIN, body=PatternTest(patterns="/jugs"))
    ruled = dashboard.test_rules(person, DOMAIN, body=RuleTest(url=f"http://{DOMAIN}/jugs", as_="person"))
    assert ruled.decision == "origin"
    assert len(dashboard.list_agents(person, DOMAIN, url_query=f"http://{DOMAIN}/jugs").agents) > 5
    cache_refresh.dashboard_invalidate_page_cache(person, body=PageRequest(domain=DOMAIN, path="/cups"))
    cache_refresh.dashboard_invalidate_paths_cache(person, body=PathsRequest(domain=DOMAIN, paths=["/cups"]))
    cache_refresh.dashboard_invalidate_site_cache(person, body=SiteRequest(domain=DOMAIN))
    cache_refresh.dashboard_invalidate_updated_paths(person, body=SiteRequest(domain=DOMAIN))
    dashboard.get_first_run(person)
    dashboard.list_sites(person)
    dashboard.get_overview(person, domain=DOMAIN)
    dashboard.dismiss_entry(person, body=DismissedEntry(domain=DOMAIN, id="snapshots_failing"))
    dashboard.restore_entry(person, domain=DOMAIN, id="snapshots_failing")
    dashboard.get_preview_image(person, domain=DOMAIN, url_query=f"http://{DOMAIN}/cover.png")

    view = dashboard.take_view(person, body=ViewOrder(domain=DOMAIN, path="/jugs")).id
    until(lambda: None if dashboard.get_view(person, view).state == "running" else True)
    assert dashboard.get_view(person, view).state == "done"
    dashboard.find_newest_view(person, domain=DOMAIN, path="/jugs")
    dashboard.get_crawler_html(person, view)
    for read in [dashboard.get_person_picture, dashboard.get_crawler_picture, dashboard.get_raw_picture]:
        assert read(person, view).content[8:12] == b"WEBP"
    session.change_password(person, body=PasswordChange(current_password=PASSWORD, new_password=f"{PASSWORD}, changed"))
    session.delete_session(sign_in(f"{PASSWORD}, changed"))


for call in [
    call_service,
    call_tools,
    call_account,
    call_domains,
    call_render,
    call_analytics,
    call_seo_audit,
    call_ai_mentions,
    call_people,
    call_webhooks,
    call_dashboard,
]:
    began = time.monotonic()
    call()
    print(f"    {call.__name__.removeprefix('call_'):12} {time.monotonic() - began:.1f} s", flush=True)
