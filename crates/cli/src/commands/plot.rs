//! `plot DIR`

use crate::args::Plot;
use crate::report::{Failure, print};
use squeeze::files;
use squeeze::run::plot;
use squeeze::run::{Manifest, Observations, RunFolder};

/// Plots the observables of a run.
pub fn plot(arguments: &Plot) -> Result<(), Failure> {
    let folder = RunFolder::look(&arguments.folder)?;
    let manifest = Manifest::read(&folder)?;
    let rows = folder.observables_path();
    let title = format!("{} on {}", manifest.rule.definition, manifest.fractal.definition);
    let svg = plot::svg(&Observations::read(&rows)?, &title, &rows)?;
    let path = arguments.output.clone().unwrap_or_else(|| folder.plot_path());
    files::write_atomically(&path, svg.as_bytes())?;
    print(&format!("{}\n", path.display()))
}
