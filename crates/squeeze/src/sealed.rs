//! The parts of other crates' modules that the facade shows. With the feature `unstable` these are there whole.

/// From what a user typed to checked fractals and rules, and their texts.
pub mod resolve {
    pub use squeeze_records::resolve::{
        Checked, Edges, Kind, Periodic, ResolveError, check, domain, domain_with_texts, format, fractal,
        fractal_with_texts, rule, rule_with_texts, shipped_names, shipped_text, unpicked_rules,
    };
    pub use squeeze_records::texts::{TextErrors, Texts};
}

/// Pictures of states and fractals.
#[cfg(feature = "pictures")]
pub mod picture {
    pub use squeeze_records::picture::{
        Background, Colours, Extent, Format, Image, Picture, Sheet, Style, View, Zoom, of_fractal, of_simulation,
    };
}

/// Parts of states, and states in files: saved ones, initial values, and those of other programs.
pub mod state {
    #[cfg(feature = "files")]
    pub use squeeze_records::state::{export, initial, mask};
    pub use squeeze_records::state::{field::Field, window};
    #[cfg(feature = "files")]
    pub use squeeze_records::state::{store::ArrayShape, store::Damaged, store::StoredState};
}

/// Runs in folders: how they are begun, watched, gone on with and read.
#[cfg(feature = "files")]
pub mod run {
    pub use squeeze_records::run::plot;
    pub use squeeze_records::run::{
        Costs, Drawing, Manifest, NamedEngine, NotFinite, Observations, Outcome, Pace, Recording, RunFolder, Saves,
        Schedule, Session, Watch,
    };
}

/// Sweeps: many members that differ in seed and parameters, in folders.
#[cfg(feature = "files")]
pub mod sweep {
    pub use squeeze_records::sweep::plot;
    pub use squeeze_records::sweep::work::{How, Watch, run};
    pub use squeeze_records::sweep::{
        Axis, Discard, Group, Incomplete, MOST_MEMBERS, Shard, Summary, SummaryRow, Sweep, SweepFolder, Wishes, merge,
    };
}

/// Means with errors, of folders.
#[cfg(feature = "files")]
pub mod analysis {
    pub use squeeze_records::analysis::{Analysis, Column, Crossing, Over, analyse, crossings, power_laws};
}

pub use squeeze_records::statistics;
