"""Client of Glasshouse, typed by its OpenAPI document. Operations are functions in `glasshouse_client.api`."""

from .client import Glasshouse
from .errors import ApiError, NoAnswer
from .waiting import wait_for_audit, wait_for_batch
from .webhooks import WebhookError, verify_webhook

__all__ = ["ApiError", "Glasshouse", "NoAnswer", "WebhookError", "verify_webhook", "wait_for_audit", "wait_for_batch"]
