//! HTTP of deliveries: list, redelivery, test.

use accounts::callers::Caller;
use axum::Json;
use axum::extract::State;
use axum::response::IntoResponse;
use http::{StatusCode, header};
use platform::api::access::{Access, Credentials, PersonRole, Rate, SharedLimit};
use platform::api::openapi::{Refusals, own_errors};
use platform::api::{ApiError, ApiResult, AppPath, AppQuery};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use super::{ReadWebhooks, seen, to_change};
use crate::model::{DeliveryId, DeliveryInfo, WebhookId};
use crate::{Webhooks, WebhooksState};

pub(super) fn routes() -> OpenApiRouter<WebhooksState> {
    OpenApiRouter::new()
        .routes(routes!(list_webhook_deliveries))
        .routes(routes!(redeliver_webhook_delivery))
        .routes(routes!(test_webhook))
}

own_errors! {
    NotListed: InvalidRequest, NotFound;
    NotSent: RoleForbidden, NotFound;
}

/// Sending by request, 6 a minute: the same callers as those of changes.
#[derive(Debug)]
struct TestWebhooks;

impl Access for TestWebhooks {
    const ROLE: PersonRole = PersonRole::Editor;
    const CREDENTIALS: Credentials = Credentials::KeysAndSessions;
    const ACCOUNT_WIDE: bool = true;
    const RATE: Rate =
        Rate::Shared(SharedLimit { name: "webhook-test", per_minute: 6, per_minute_of_sessions: 6 });
}

/// Sending again by request, 6 a minute: the same callers as those of changes.
#[derive(Debug)]
struct RedeliverEvents;

impl Access for RedeliverEvents {
    const ROLE: PersonRole = PersonRole::Editor;
    const CREDENTIALS: Credentials = Credentials::KeysAndSessions;
    const ACCOUNT_WIDE: bool = true;
    const RATE: Rate =
        Rate::Shared(SharedLimit { name: "webhook-redeliver", per_minute: 6, per_minute_of_sessions: 6 });
}

/// Part of a list of deliveries.
#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
struct DeliveryQuery {
    /// Most deliveries, 1 to 500; 50 when left out.
    #[param(minimum = 1, maximum = 500, example = 50)]
    limit: Option<i64>,
    /// Deliveries to leave out before.
    #[param(minimum = 0, example = 0)]
    offset: Option<i64>,
}

/// Deliveries of a webhook.
#[derive(Serialize, ToSchema)]
struct DeliveryList {
    /// Newest first.
    deliveries: Vec<DeliveryInfo>,
    /// Number of all deliveries that are listed.
    #[schema(examples(12))]
    total: u64,
}

/// Lists the deliveries of a webhook of the last 30 days.
#[utoipa::path(get, path = "/api/webhooks/{id}/deliveries", tag = "Webhooks",
    params(("id" = WebhookId, Path, description = "Id of the webhook."), DeliveryQuery),
    security(("apiKey" = []), ("session" = [])),
    responses(Refusals::<ReadWebhooks, NotListed>, (status = 200, description = "The deliveries.", body = DeliveryList)))]
async fn list_webhook_deliveries(
    caller: Caller<ReadWebhooks>,
    State(webhooks): State<Webhooks>,
    AppPath(id): AppPath<String>,
    AppQuery(query): AppQuery<DeliveryQuery>,
) -> ApiResult<impl IntoResponse> {
    let (limit, offset) = (query.limit.unwrap_or(50), query.offset.unwrap_or(0));
    if !(1..=500).contains(&limit) {
        return Err(ApiError::invalid_parameter("limit", "must be between 1 and 500"));
    }
    if offset < 0 {
        return Err(ApiError::invalid_parameter("offset", "must not be negative"));
    }
    let webhook = seen(&caller, &webhooks, &id).await?;
    let (deliveries, total) = webhooks.list_deliveries(&webhook.id, (limit, offset)).await?;
    Ok(([(header::CACHE_CONTROL, "private, no-store")], Json(DeliveryList { deliveries, total })))
}

/// A delivery that was queued.
#[derive(Serialize, ToSchema)]
struct QueuedDelivery {
    /// Id of the delivery, as in the list.
    id: DeliveryId,
}

/// Sends a delivery once more.
///
/// It begins anew: its tries, and the time for which it is tried. At most 6 a minute.
#[utoipa::path(post, path = "/api/webhooks/{id}/deliveries/{deliveryId}/redeliver", tag = "Webhooks",
    params(("id" = WebhookId, Path, description = "Id of the webhook."),
        ("deliveryId" = DeliveryId, Path, description = "Id of the delivery.")),
    security(("apiKey" = []), ("session" = [])),
    responses(Refusals::<RedeliverEvents, NotSent>, (status = 202, description = "Queued.", body = QueuedDelivery)))]
async fn redeliver_webhook_delivery(
    caller: Caller<RedeliverEvents>,
    State(webhooks): State<Webhooks>,
    AppPath((id, delivery)): AppPath<(String, String)>,
) -> ApiResult<impl IntoResponse> {
    let webhook = to_change(&caller, &webhooks, &id).await?;
    let delivery = DeliveryId::from(delivery);
    if !webhooks.redeliver(caller.account(), &webhook, &delivery).await? {
        return Err(ApiError::not_found());
    }
    Ok((StatusCode::ACCEPTED, Json(QueuedDelivery { id: delivery })))
}

/// Sends a test to a webhook: an event `webhook.test`.
///
/// It is sent at once and by itself, also to a webhook that is switched off. At most 6 a minute.
#[utoipa::path(post, path = "/api/webhooks/{id}/test", tag = "Webhooks",
    params(("id" = WebhookId, Path, description = "Id of the webhook.")),
    security(("apiKey" = []), ("session" = [])),
    responses(Refusals::<TestWebhooks, NotSent>, (status = 202, description = "Queued.", body = QueuedDelivery)))]
async fn test_webhook(
    caller: Caller<TestWebhooks>,
    State(webhooks): State<Webhooks>,
    AppPath(id): AppPath<String>,
) -> ApiResult<impl IntoResponse> {
    let webhook = to_change(&caller, &webhooks, &id).await?;
    let id = webhooks.test(caller.account(), &webhook).await?;
    Ok((StatusCode::ACCEPTED, Json(QueuedDelivery { id })))
}
