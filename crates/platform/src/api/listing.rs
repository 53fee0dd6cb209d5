//! Parameters that lists have in common. Used by the handlers of lists that people sort and save as a file.

use serde::Deserialize;
use utoipa::ToSchema;

/// Direction of an order.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum SortOrder {
    Asc,
    #[default]
    Desc,
}

/// Form of a list.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum ListFormat {
    #[default]
    Json,
    Csv,
}
