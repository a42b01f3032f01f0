//! Arguments that several commands have.

use super::values::{initial_values, level, periodic, within};
use clap::Args;
use squeeze::hardware::NamedHardware;
use squeeze::resolve::{self, Periodic};

/// A fractal at a level.
#[derive(Args)]
pub(crate) struct At {
    /// The fractal: one that ships, a file, or FILE#NAME
    #[arg(value_name = "FRACTAL")]
    pub fractal: String,
    /// The level: 0 is a single cell; each further level replaces every cell with the pattern. Masks and boxes have no level
    #[arg(short, long, value_name = "R", value_parser = level, allow_negative_numbers = true)]
    pub level: Option<u32>,
}

/// What lies beyond the edges.
#[derive(Args)]
pub(crate) struct EdgeArgs {
    /// Join opposite edges along these axes, such as x or x,y; along all axes if none is named
    #[arg(long, value_name = "AXES", num_args = 0..=1, require_equals = true, default_missing_value = "all", value_parser = periodic, help_heading = "Domain")]
    periodic: Option<Periodic>,
    /// The value of a state beyond the edges, such as u=0.0; u=reflect mirrors the state at the edges; "u=0.0 at -x" is of one side; may be repeated
    #[arg(long, value_name = "STATE=VALUE", help_heading = "Domain")]
    edge: Vec<String>,
}

impl EdgeArgs {
    /// As the library takes them.
    pub(crate) fn wanted(&self) -> resolve::Edges {
        let mut edges = resolve::Edges::default();
        edges.periodic = self.periodic.unwrap_or_default();
        edges.values = self.edge.clone();
        edges
    }
}

/// Data for the rule.
#[derive(Args)]
pub(crate) struct InputArgs {
    /// Read an input of the rule from a file: .npy, text or FASTA; FILE#NAME takes a record of FASTA; may be repeated
    #[arg(long = "input", value_name = "NAME=FILE", value_parser = initial_values())]
    pub inputs: Vec<String>,
}

/// The machine that layouts are chosen for.
#[derive(Args)]
pub(crate) struct Planned {
    /// Choose layouts for this machine: h100, a100, zen4, … or a file written by `doctor --measure`. Results do not depend on it [default: an
    /// H100, or a Xeon with AVX-512]
    #[arg(long = "machine", value_name = "NAME|FILE", help_heading = "Execution")]
    machine: Option<String>,
}

impl Planned {
    /// The machine that was named.
    ///
    /// # Errors
    /// If it neither ships nor is a file that describes one.
    pub(crate) fn open(&self) -> squeeze::Result<Option<NamedHardware>> {
        self.machine.as_deref().map(NamedHardware::open).transpose()
    }
}

/// The part of the grid that is shown.
#[derive(Args)]
pub(crate) struct ShownPart {
    /// Show this part of the expanded grid: X,Y,WIDTH,HEIGHT, or in 3-D X,Y,Z,WIDTH,HEIGHT,DEPTH
    #[arg(long, value_name = "BOX", help_heading = "Pictures")]
    pub window: Option<String>,
    /// Show one layer of a 3-D grid, the one with this z
    #[arg(long, value_name = "Z", value_parser = within(0..=u64::MAX), allow_negative_numbers = true, help_heading = "Pictures")]
    pub slice: Option<u64>,
}
