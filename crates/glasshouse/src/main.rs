//! The `glasshouse` binary. Must stay thin: the code is in the library, where tests reach it.

use std::process::ExitCode;

/// Renders and requests allocate a lot from many threads: measured faster than the system's allocator, and it returns memory.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    glasshouse::cli::run()
}
