//! The modules behind the facade, for the command, tests and satellites: it may change with any version.

/// Reading texts and writing results: never a hang, never a half-written file.
pub mod files {
    pub use squeeze_host::files::{
        File, FileError, Output, PendingFile, TEXT_LIMIT, announce, begin_command, read_standard_input,
        read_text_bytes, write_atomically,
    };
}

pub use squeeze_compiler as compiler;
pub use squeeze_compiler::{geometry, ir};
pub use squeeze_engine as engine;
pub use squeeze_engine::{packed, params, simulation, totals};
pub use squeeze_host::{memory, numbers, threads};
#[cfg(feature = "files")]
pub use squeeze_records::state::{export, initial, store};
#[cfg(feature = "pictures")]
pub use squeeze_records::{chart, drawing};
pub use squeeze_records::{golly, pattern, texts};
#[cfg(feature = "files")]
pub use squeeze_records::{hardware, lists, observation_times};
