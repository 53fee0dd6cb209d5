//! Operations that stand twice in the API: for keys at the specification's path, and for the dashboard's sessions.
//! Both call one function; the limits and gates of the second follow from those of the first ([`platform::api::access::Dashboard`]).
//! See docs/decisions/0010.

/// Declares one operation and its twin for the dashboard. `state` is the state of the file's router.
#[macro_export]
macro_rules! for_keys_and_sessions {
    (
        $(#[doc = $doc:literal])*
        $method:ident($caller:ident<$access:ident>) $name:ident: $path:literal, $twin:ident: $twin_path:literal;
        state($state:ty);
        tag($tag:literal);
        security($($security:tt)*);
        errors($errors:ident);
        $(params($($params:tt)*);)?
        $(body($($body:tt)*);)?
        responses($($responses:tt)*);
        $do:ident($($argument:ident: $extractor:ty),*) -> $reply:ty
    ) => {
        $(#[doc = $doc])*
        #[utoipa::path($method, path = $path, tag = $tag,
            $(params($($params)*),)?
            $(request_body($($body)*),)?
            security($($security)*),
            responses(platform::api::openapi::Refusals::<$access, $errors>, $($responses)*))]
        async fn $name(
            caller: $caller<$access>,
            axum::extract::State(app): axum::extract::State<$state>,
            $($argument: $extractor),*
        ) -> platform::api::ApiResult<$reply> {
            $do(&caller, &app, $($argument),*).await
        }

        $(#[doc = $doc])*
        ///
        /// For a session.
        #[utoipa::path($method, path = $twin_path, tag = $tag,
            $(params($($params)*),)?
            $(request_body($($body)*),)?
            security(("session" = [])),
            responses(platform::api::openapi::Refusals::<platform::api::access::Dashboard::<$access>, $errors>, $($responses)*))]
        async fn $twin(
            caller: $caller<platform::api::access::Dashboard<$access>>,
            axum::extract::State(app): axum::extract::State<$state>,
            $($argument: $extractor),*
        ) -> platform::api::ApiResult<$reply> {
            $do(&caller, &app, $($argument),*).await
        }
    };
}
pub use crate::for_keys_and_sessions;
