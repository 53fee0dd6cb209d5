//! Ids of records: text in the database, opaque to clients.

pub use cache::Key;

/// Makes an id type: text in the database, opaque to clients, cheap to clone.
#[macro_export]
macro_rules! id_type {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, ToSchema)]
        #[serde(transparent)]
        #[schema(value_type = String, examples("01989d3c-5b1e-7c40-8f0a-2f6f7c1f4a10"))]
        pub struct $name(std::sync::Arc<str>);

        impl $name {
            /// Makes a new id. Ids sort by the time they were made.
            pub fn generate() -> $name {
                $name($crate::ids::new_id().into())
            }

            /// Returns the stored and displayed text.
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl $crate::ids::Key for $name {
            fn with_bytes<R>(&self, f: impl FnOnce(&[u8]) -> R) -> R {
                f(self.as_str().as_bytes())
            }
        }

        impl From<String> for $name {
            fn from(text: String) -> $name {
                $name(text.into())
            }
        }

        impl From<&str> for $name {
            fn from(text: &str) -> $name {
                $name(text.into())
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(&self.0)
            }
        }

        impl std::fmt::Debug for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(&self.0)
            }
        }
    };
}
pub use crate::id_type;

/// Makes a new id. Ids sort by the time they were made.
pub fn new_id() -> String {
    uuid::Uuid::now_v7().to_string()
}
