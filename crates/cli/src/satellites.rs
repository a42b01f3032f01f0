//! Commands, flags and engines of satellites, each behind the feature of its name: a line of [`SATELLITES`] is all that the rest knows of one.

#![cfg_attr(not(any(feature = "overlap", feature = "packing", feature = "papers", feature = "view")), allow(dead_code))]

#[cfg(feature = "overlap")]
mod overlap;
#[cfg(feature = "packing")]
mod packing;
#[cfg(feature = "papers")]
mod papers;
#[cfg(feature = "view")]
mod view;

use crate::args::Bench;
use crate::commands::Drawer;
use crate::engines::Engines;
use crate::report::CliError;
use crate::watch::BoxedViewer;
use clap::{ArgMatches, Command, FromArgMatches};
use squeeze::sweep::Collector;

/// All satellites of this build.
pub(crate) const SATELLITES: &[Satellite] = &[
    #[cfg(feature = "packing")]
    packing::PACKING,
    #[cfg(feature = "overlap")]
    overlap::OVERLAP,
    #[cfg(feature = "papers")]
    papers::PAPERS,
    #[cfg(feature = "view")]
    view::VIEW,
];

/// A satellite's contributions to the command.
pub(crate) struct Satellite {
    /// Its command.
    pub command: fn() -> Command,
    /// The command in front of it in lists.
    pub behind: &'static str,
    /// Does what its command was asked.
    pub run: fn(&ArgMatches) -> Result<(), CliError>,
    /// Arguments of other commands.
    pub arguments: &'static [CommandArguments],
    /// A benchmark for `bench`, instead of cases.
    pub bench: Option<Benchmark>,
    /// Its engines.
    pub engines: Option<&'static Engines>,
    /// Gathers results of the members of sweeps beside their observables.
    pub collector: Option<&'static dyn Collector>,
    /// Plots other things than runs and sweeps.
    pub drawer: Option<Drawer>,
    /// Shows a run while it goes on, if its arguments ask for that.
    pub viewer: Option<fn(&ArgMatches) -> Option<BoxedViewer>>,
}

/// Arguments of a command of the core.
pub(crate) struct CommandArguments {
    /// The command's name.
    pub command: &'static str,
    /// Adds them.
    pub add: fn(Command) -> Command,
    /// The argument in front of each; no name puts it at the end.
    pub behind: &'static [&'static str],
}

/// A benchmark that `bench` runs if a flag asks for it.
pub(crate) struct Benchmark {
    /// The flag, which no other satellite's goes with.
    pub flag: &'static str,
    /// Whether `--backend` says where.
    pub takes_backend: bool,
    /// Measures, and prints the results.
    pub run: fn(&Bench, &ArgMatches) -> Result<(), CliError>,
}

/// The arguments, which have been checked, as a struct.
fn read<T: FromArgMatches>(matches: &ArgMatches) -> T {
    T::from_arg_matches(matches).unwrap_or_else(|error| unreachable!("clap has checked them: {error}"))
}
