"""Verification of webhooks: the signature of Standard Webhooks, and `x-service-signature`, which messages of audits and mentions have alone.

Must never hand out a body whose signature was not checked.
"""

import base64
import binascii
import hmac
import json
import time
from collections.abc import Mapping
from typing import Any

TOLERANCE = 300
"""Greatest difference between the clock here and the time of a message, in seconds."""


class WebhookError(Exception):
    """Reason why a message is not the service's."""


def verify_webhook(body: bytes, headers: Mapping[str, str], secret: str, now: float | None = None) -> Any:
    """Returns the JSON of a message once its signature and its time are right; else raises `WebhookError`.

    `body` is the body as it was received, byte for byte; `secret` the webhook's, `whsec_…`, or the `webhookSecret` of audits
    or mentions; `now` is in seconds of the epoch.
    """
    found = {name.lower(): value for name, value in headers.items()}
    read = _of_standard if "webhook-signature" in found else _of_service
    try:
        sent_at, content, key, signatures = read(found, secret)
    except KeyError as error:
        raise WebhookError(f"the message has no header {error.args[0]}") from None
    except ValueError:
        raise WebhookError("the time of the message or the secret cannot be read") from None
    if abs((time.time() if now is None else now) - sent_at) > TOLERANCE:
        raise WebhookError("the time of the message is too far from now")
    right = hmac.digest(key, content.encode() + body, "sha256")
    if not any(hmac.compare_digest(right, signature) for signature in signatures):
        raise WebhookError("no signature is that of the message")
    return json.loads(body)


def _of_standard(headers: dict[str, str], secret: str) -> tuple[float, str, bytes, list[bytes]]:
    identity, timestamp = headers["webhook-id"], headers["webhook-timestamp"]
    signatures = [
        _bytes_of(one.removeprefix("v1,")) for one in headers["webhook-signature"].split() if one.startswith("v1,")
    ]
    return (
        int(timestamp),
        f"{identity}.{timestamp}.",
        base64.b64decode(secret.removeprefix("whsec_"), validate=True),
        signatures,
    )


def _of_service(headers: dict[str, str], secret: str) -> tuple[float, str, bytes, list[bytes]]:
    timestamp = headers["x-service-timestamp"]
    signatures = [one.strip().removeprefix("sha256=") for one in headers["x-service-signature"].split(",")]
    return int(timestamp) / 1000, f"{timestamp}.", secret.encode(), [_from_hex(one) for one in signatures]


def _bytes_of(text: str) -> bytes:
    try:
        return base64.b64decode(text, validate=True)
    except binascii.Error:
        return b""


def _from_hex(text: str) -> bytes:
    try:
        return bytes.fromhex(text)
    except ValueError:
        return b""
