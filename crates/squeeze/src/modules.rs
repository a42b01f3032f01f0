//! Modules of other crates: the names that stay and, with the feature `unstable`, all others as well.

/// From what a user typed to checked fractals and rules, and their texts.
pub mod resolve {
    pub use squeeze_compiler::check::{CellSettings, Library};
    pub use squeeze_compiler::text::{
        diagnostics::{Diagnostic, Label, Suggestion},
        source::{Source, SourceId, Sources, Span},
    };
    #[cfg(feature = "unstable")]
    pub use squeeze_records::resolve::*;
    pub use squeeze_records::resolve::{
        Checked, Edges, Kind, Periodic, ResolveError, check, domain, domain_with_texts, format, fractal,
        fractal_of_text, fractal_with_texts, mask_of_array, rule, rule_of_text, rule_with_texts, shipped_names,
        shipped_text, unpicked_rules,
    };
    pub use squeeze_records::texts::{Digest, Finding, FindingPlace, RecordedInput, Text, TextErrors, Texts, Use};
}

/// Pictures of states and fractals.
#[cfg(feature = "pictures")]
pub mod picture {
    #[cfg(feature = "unstable")]
    pub use squeeze_records::picture::*;
    pub use squeeze_records::picture::{
        Background, Colours, Extent, Format, Image, Picture, Sheet, Style, View, Zoom, of_fractal, of_simulation,
    };
}

/// Parts of states, and states in files: saved ones, initial values, and those of other programs.
pub mod state {
    pub use squeeze_compiler::geometry::bitmap::{Bitmap, Threshold};
    #[cfg(feature = "unstable")]
    pub use squeeze_records::state::*;
    #[cfg(feature = "files")]
    pub use squeeze_records::state::{export, initial, mask};
    #[cfg(feature = "files")]
    pub use squeeze_records::state::{store::ArrayShape, store::Damaged, store::StoredFields, store::StoredState};
}

/// Runs in folders: how they are begun, watched, gone on with and read.
#[cfg(feature = "files")]
pub mod run {
    pub use squeeze_records::observation_times::ObservationTimes;
    #[cfg(feature = "unstable")]
    pub use squeeze_records::run::*;
    pub use squeeze_records::run::{
        Costs, Drawing, Manifest, NamedEngine, NotFinite, Observations, Outcome, Pace, Recording, RunFolder, Saves,
        Schedule, Session, Watch,
    };
    pub use squeeze_records::run::{animation::Form, plot};
}

/// Sweeps: many members that differ in seed and parameters, in folders.
#[cfg(feature = "files")]
pub mod sweep {
    pub use squeeze_records::sweep::plot;
    pub use squeeze_records::sweep::work::{How, Watch, run};
    #[cfg(feature = "unstable")]
    pub use squeeze_records::sweep::*;
    pub use squeeze_records::sweep::{
        Axis, Collector, Discard, Gathered, Group, Incomplete, MOST_MEMBERS, Probe, Shard, Summary, SummaryRow, Sweep,
        SweepFolder, Wishes, merge,
    };
}

/// Means with errors, of folders.
#[cfg(feature = "files")]
pub mod analysis {
    #[cfg(feature = "unstable")]
    pub use squeeze_records::analysis::*;
    pub use squeeze_records::analysis::{Analysis, Column, Crossing, Over, analyse, crossings, power_laws};
}

/// Curves of sweeps between the values at which members ran.
#[cfg(all(feature = "files", feature = "unstable"))]
pub mod reweighting {
    pub use squeeze_records::reweighting::*;
}

/// What computes on CPUs, and programs that need no compiler of kernels.
#[cfg(feature = "jit")]
pub mod cpu {
    pub use squeeze_codegen::CodeError;
    pub use squeeze_engine::cpu::Isa;
    #[cfg(feature = "standalone")]
    pub use squeeze_engine::cpu::program;
    #[cfg(feature = "unstable")]
    pub use squeeze_engine::cpu::*;
}

/// NVIDIA GPUs.
#[cfg(feature = "cuda")]
pub mod cuda {
    #[cfg(feature = "unstable")]
    pub use squeeze_engine::cuda::*;
    pub use squeeze_engine::cuda::{CudaError, LoadError};
}

pub use squeeze_records::statistics;
