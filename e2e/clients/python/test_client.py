"""The hand-written part of the Python client, against a server that answers as each test says, and webhooks against the library of
Standard Webhooks."""

import base64
import hmac
import json
import threading
import time
import unittest
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from glasshouse_client import ApiError, Glasshouse, NoAnswer, WebhookError, refusals, verify_webhook, wait_for_batch
from glasshouse_client.api.account import create_key, get_usage
from glasshouse_client.api.analytics import watch_visits
from glasshouse_client.api.render import list_snapshots_rows
from glasshouse_client.models import NewKeyRequest
from standardwebhooks import Webhook

Reply = tuple[int, dict[str, str], Any]
COUNTS = {"fresh": 0, "stale": 0, "failing": 0}
USAGE: Reply = (200, {}, {"month": "2026-11", "plan": "pro", "limits": []})


def limited(seconds: str) -> Reply:
    """The answer to too many requests."""
    return 429, {"retry-after": seconds}, {"error": "rate_limited"}


class ClientTest(unittest.TestCase):
    """Tests with a server of their own."""

    def serve(self, *replies: Reply, **options: Any) -> tuple[Glasshouse, list[str]]:
        """Starts a server that gives the replies in turn, the last one for ever; none: it stays silent. Returns a client, and what was asked."""
        asked: list[str] = []

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                asked.append(f"{self.command} {self.path}")
                if not replies:
                    time.sleep(2)
                    return
                status, headers, body = replies[min(len(asked), len(replies)) - 1]
                content = body if isinstance(body, bytes) else json.dumps(body).encode()
                self.send_response(status)
                for name, value in {
                    "content-type": "application/json",
                    "content-length": str(len(content)),
                    **headers,
                }.items():
                    self.send_header(name, value)
                self.end_headers()
                self.wfile.write(content)

            do_POST = do_GET

            def log_message(self, *_: object) -> None:
                pass

        server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.addCleanup(server.server_close)
        self.addCleanup(server.shutdown)
        threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True).start()
        client = Glasshouse(f"http://127.0.0.1:{server.server_port}/", **options)
        self.addCleanup(client.close)
        return client, asked

    def test_a_refused_request_is_repeated_after_the_time_that_the_service_says(self) -> None:
        soon = format_datetime(datetime.now(UTC) + timedelta(seconds=1), usegmt=True)
        client, asked = self.serve(limited("1"), (503, {"retry-after": soon}, {}), USAGE)
        began = time.monotonic()

        self.assertEqual(client.read("get", "/api/usage")["plan"], "pro")

        self.assertEqual(len(asked), 3)
        self.assertGreaterEqual(time.monotonic() - began, 1)

    def test_a_request_is_repeated_at_most_as_often_as_was_asked_for(self) -> None:
        client, asked = self.serve(limited("0"), retries=2)

        with self.assertRaises(refusals.RateLimited) as refused:
            create_key(client, body=NewKeyRequest())

        self.assertEqual((len(asked), refused.exception.retry_after), (3, 0))

    def test_a_wait_that_is_too_long_or_that_the_service_does_not_ask_for_is_an_error_at_once(self) -> None:
        for reply in [limited("61"), (503, {}, {"error": "service_unavailable"}), (500, {"retry-after": "1"}, {})]:
            client, asked = self.serve(reply)

            with self.assertRaises(ApiError) as refused:
                get_usage(client)

            self.assertEqual((refused.exception.status, len(asked)), (reply[0], 1))

    def test_a_service_that_is_gone_is_an_error_and_one_that_is_silent_too_after_the_time_limit(self) -> None:
        with self.assertRaisesRegex(NoAnswer, "^the service did not answer$"):
            get_usage(Glasshouse("http://127.0.0.1:9"))
        client, _ = self.serve(timeout=0.2)
        began = time.monotonic()

        with self.assertRaises(NoAnswer):
            get_usage(client)

        self.assertLess(time.monotonic() - began, 2)

    def test_an_error_has_its_code_its_fields_and_the_name_of_the_request(self) -> None:
        body = {"error": "plan_required", "requiredPlan": "pro"}
        client, _ = self.serve((403, {"x-request-id": "r1"}, body), (418, {"content-type": "text/html"}, b"tea"))

        with self.assertRaises(refusals.PlanRequired) as refused:
            get_usage(client)
        error = refused.exception
        self.assertEqual((error.required_plan, error.code, error.request_id), ("pro", "plan_required", "r1"))
        self.assertEqual(str(error), '403 plan_required {"requiredPlan": "pro"}')

        with self.assertRaises(ApiError) as unknown:
            get_usage(client)
        self.assertEqual((unknown.exception.status, unknown.exception.code), (418, ""))

    def test_the_status_of_a_rendered_page_is_no_error_of_the_service(self) -> None:
        headers = {"x-service-render-cache": "miss", "retry-after": "1", "content-type": "text/html"}
        client, asked = self.serve((503, headers, b"away"))

        page = client.render("https://shop.example/a?b=ü&c")

        self.assertEqual((page.status_code, page.text), (503, "away"))
        self.assertEqual(asked, ["GET /api/prerender/render?url=https%3A%2F%2Fshop.example%2Fa%3Fb%3D%C3%BC%26c"])

    def test_a_list_is_read_part_by_part_until_its_total_or_an_empty_part(self) -> None:
        snapshot: dict[str, Any] = {
            "ageSeconds": 1,
            "createdAt": "2026-11-20T12:00:00Z",
            "etag": "",
            "htmlBytes": 1,
            "intervalSeconds": 1,
        }
        snapshot |= {
            "path": "/",
            "renderMs": 1,
            "snapshotKey": "",
            "stale": False,
            "state": "fresh",
            "status": 200,
            "url": "https://shop.example/",
        }
        full: Reply = (200, {}, {"snapshots": [snapshot, snapshot], "total": 3, "counts": COUNTS})
        for rest in [[snapshot], []]:
            client, asked = self.serve(full, (200, {}, {"snapshots": rest, "total": 3, "counts": COUNTS}))

            rows = list(list_snapshots_rows(client, domain="shop.example", limit=2))

            self.assertEqual(len(rows), 2 + len(rest))
            self.assertEqual([line.split("&")[-1] for line in asked], ["offset=0", "offset=2"])

    def test_a_stream_gives_the_data_of_its_events(self) -> None:
        visit: dict[str, Any] = {
            "at": "2026-11-20T12:00:00Z",
            "crawler": "gptbot",
            "provider": "openai",
            "verified": "yes",
        }
        visit |= {"servedBy": "cache", "status": 200, "durationMs": 1.5, "path": "/ü"}
        stream = f"event: visit\ndata: {json.dumps(visit, ensure_ascii=False)}\n\nevent: missed\ndata: 3\n\n: alive\n\n"
        client, _ = self.serve((200, {"content-type": "text/event-stream"}, stream.encode()))

        self.assertEqual([visit.path for visit in watch_visits(client, domain="shop.example")], ["/ü"])

    def test_waiting_ends_with_the_work_or_when_it_is_told_to(self) -> None:
        running = {"total": 2, "done": 1, "failed": 0, "running": 1, "failures": []}
        done = running | {"done": 2, "completedAt": "2026-11-20T12:00:00.000Z"}
        client, _ = self.serve((200, {}, running), (200, {}, done))
        seen: list[int] = []

        wait_for_batch(client, "b", every=0.01, on_progress=lambda progress: seen.append(progress.done))
        self.assertEqual(seen, [1, 2])

        client, _ = self.serve((200, {}, running))
        with self.assertRaises(TimeoutError):
            wait_for_batch(client, "b", every=0.05, timeout=0.2)


SECRET = "whsec_" + base64.b64encode(b"a secret of thirty-two bytes ...").decode()
BODY = '{"type":"audit.completed","domain":"bücher.example"}'
NOW = datetime(2026, 11, 20, 12, tzinfo=UTC)


class WebhookTest(unittest.TestCase):
    """Messages with right and wrong signatures."""

    def verify(self, headers: dict[str, str], *, body: str = BODY, secret: str = SECRET, late: float = 0) -> Any:
        """Verifies a message some seconds after it was sent."""
        return verify_webhook(body.encode(), headers, secret, NOW.timestamp() + late)

    def assert_refused(self, headers: dict[str, str], **changes: Any) -> None:
        """Asserts that a message is not handed out."""
        with self.assertRaises(WebhookError):
            self.verify(headers, **changes)

    def test_a_message_that_standard_webhooks_signed_is_handed_out_and_no_other(self) -> None:
        signature = Webhook(SECRET).sign("msg_1", NOW, BODY)
        headers = {
            "Webhook-Id": "msg_1",
            "webhook-timestamp": str(int(NOW.timestamp())),
            "webhook-signature": signature,
        }

        self.assertEqual(self.verify(headers), json.loads(BODY))
        self.assertEqual(
            self.verify(headers | {"webhook-signature": f"v1,{'A' * 44} v2,other v1,%% {signature}"}), json.loads(BODY)
        )

        self.assert_refused(headers, body=BODY.replace("bücher", "bucher"))
        self.assert_refused(headers, secret="whsec_" + base64.b64encode(b"another").decode())
        self.assert_refused(headers, secret="no base64")
        self.assert_refused(headers, late=301)
        self.assert_refused(headers | {"Webhook-Id": "msg_2"})
        self.assert_refused(headers | {"webhook-signature": signature.replace("v1,", "v2,")})
        self.assert_refused(headers | {"webhook-timestamp": "nan"})
        self.assert_refused({"webhook-signature": signature})

    def test_a_message_with_the_signature_of_the_service_alone_is_handed_out_and_no_other(self) -> None:
        sent_at = str(int(NOW.timestamp() * 1000))

        def signed(secret: str) -> str:
            return "sha256=" + hmac.new(secret.encode(), f"{sent_at}.{BODY}".encode(), "sha256").hexdigest()

        headers = {"X-Service-Timestamp": sent_at, "x-service-signature": f"{signed('old')}, {signed(SECRET)}"}

        self.assertEqual(self.verify(headers), json.loads(BODY))

        self.assert_refused(headers, secret="another")
        self.assert_refused(headers, late=-301)
        self.assert_refused(headers | {"x-service-signature": "sha256=zz"})
        self.assert_refused({"X-Service-Timestamp": sent_at})
        self.assert_refused({})


if __name__ == "__main__":
    unittest.main()
