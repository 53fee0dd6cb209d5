//! The `glasshouse` binary. Must stay thin: everything lives in the library, where tests reach it.

use std::process::ExitCode;

/// Renders and requests allocate a lot from many threads: measured faster than the system's allocator, and it gives back.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    glasshouse::cli::run()
}
