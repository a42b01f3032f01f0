//! The arguments of what looks at results: `analyse`, `plot`, `export`.

use super::run::Look;
use super::shared::ShownPart;
use super::values::{discard, exponents, logarithmic, megabytes, paper_width, picture_file, reweight, window, within};
use clap::Args;
use squeeze::reweighting::Along;
use squeeze::run::plot::Logarithmic;
use squeeze::sweep::Discard;
use std::path::PathBuf;

/// How it is called.
pub(crate) const EXAMPLES: &str = "Examples:
  squeeze analyse spots --discard 1000
  squeeze analyse small large --binder u=magnetisation --crossing u
  squeeze analyse sizes --binder u=m --crossing u --reweight beta=0.66..=0.70/0.0005
  squeeze analyse growth --power-law mass --over time --from 100 --to 10000";

/// `export`
#[derive(Args)]
pub(crate) struct Export {
    /// The folder of the run
    #[arg(value_name = "DIR")]
    pub folder: PathBuf,
    /// The file to write: .npy, .vti, .png, .svg, .pdf, .gif, .mp4 (by ffmpeg) or .rle; .zarr for all saved states, .npz for the adjacency matrix of the cells
    #[arg(short, long = "out", alias = "output", value_name = "FILE")]
    pub output: PathBuf,
    /// The step of the state [default: the last that was saved]
    #[arg(long, value_name = "T", value_parser = within(0..=u32::MAX), allow_negative_numbers = true)]
    pub step: Option<u32>,
    /// The state of the rule [default: the first; for .vti all]
    #[arg(long, value_name = "STATE")]
    pub field: Option<String>,
    #[command(flatten)]
    pub part: ShownPart,
    #[command(flatten)]
    pub look: Look,
    /// For .png, .svg and .pdf: the width on paper, such as 85mm, 8.5cm or 3.4in: letters have 8 points there
    #[arg(long, value_name = "WIDTH", value_parser = paper_width, allow_negative_numbers = true, help_heading = "Pictures")]
    pub width: Option<f64>,
    /// For .gif: shrink the frames until the file has at most this many megabytes
    #[arg(long, value_name = "MB", value_parser = megabytes, allow_negative_numbers = true, help_heading = "Pictures")]
    pub max_size: Option<f64>,
    /// The value of holes in .npy windows [default: 0, for floats NaN]
    #[arg(long, value_name = "VALUE", allow_negative_numbers = true, help_heading = "Arrays")]
    pub hole: Option<String>,
    /// For .npy: write the coordinates of the cells instead of a state, one row for each cell in the order of their numbers, x first
    #[arg(long, conflicts_with_all = ["step", "field"], help_heading = "Arrays")]
    pub coordinates: bool,
    /// The neighbourhood of the adjacency matrix: moore, von_neumann, with a radius as in 'moore(2)', a list such as '[(1, 0), (2, 1)]', or
    /// the name of a list in the rule [default: von_neumann]
    #[arg(long, value_name = "NEIGHBOURHOOD", help_heading = "Arrays")]
    pub neighbourhood: Option<String>,
}

/// `plot`
#[derive(Args)]
pub(crate) struct Plot {
    /// Folders of runs, folders of sweeps, or matrices of overlaps (.npy, or a folder of them); all are drawn into the same panels
    #[arg(required = true, value_name = "DIR")]
    pub folders: Vec<PathBuf>,
    /// The file to write, .svg, .pdf or .png [default: observables.svg for runs and summary.svg for sweeps, in the first folder; for a matrix its
    /// name with .svg]
    #[arg(short, long = "out", alias = "output", value_name = "FILE", value_parser = picture_file())]
    pub output: Option<PathBuf>,
    /// The width on paper, such as 85mm, 8.5cm or 3.4in [default: 190mm for one column of panels]
    #[arg(long, value_name = "WIDTH", value_parser = paper_width, allow_negative_numbers = true, help_heading = "Page")]
    pub width: Option<f64>,
    /// Draw how often members of sweeps exchanged their states, and how often these went through all values and back
    #[arg(long, conflicts_with_all = ["log", "only", "binder", "fluctuation", "crossing", "reweight"])]
    pub exchange: bool,
    /// Logarithmic axes
    #[arg(long, value_name = "AXES", value_parser = logarithmic(), help_heading = "Page")]
    pub log: Option<Logarithmic>,
    #[command(flatten)]
    pub columns: ColumnArgs,
}

/// Which observables are shown, and what is made of them.
#[derive(Args)]
pub(crate) struct ColumnArgs {
    /// Show these observables alone: names of observables, of entries of lists such as q[3], and of --binder and --fluctuation
    #[arg(long, value_name = "NAME,NAME", value_delimiter = ',', help_heading = "Observables")]
    pub only: Vec<String>,
    /// Of sweeps and runs: Binder's cumulant 1 - <x^4> / (3 <x^2>^2) of an observable, as a column NAME; may be repeated
    #[arg(long, value_name = "NAME=OBSERVABLE", help_heading = "Observables")]
    pub binder: Vec<String>,
    /// Of sweeps and runs: the fluctuation <x^2> - <x>^2 of an observable, as a column NAME; may be repeated
    #[arg(long, value_name = "NAME=OBSERVABLE", help_heading = "Observables")]
    pub fluctuation: Vec<String>,
    /// Of sweeps: curves along a parameter, between the values at which members ran, from the `equilibrium` of the rule
    #[arg(long, value_name = "NAME=VALUES", value_parser = reweight, help_heading = "Curves")]
    pub reweight: Option<Along>,
    /// Find where the curve of this column is greatest; may be repeated
    #[arg(long, value_name = "NAME", requires = "reweight", help_heading = "Curves")]
    pub maximum: Vec<String>,
    /// Fit where the curves of this column cross, between each sweep and the next; may be repeated
    #[arg(long, value_name = "NAME", help_heading = "Fits")]
    pub crossing: Vec<String>,
    /// Lower end of the range for fits of crossings and power laws
    #[arg(long, value_name = "X", allow_negative_numbers = true, help_heading = "Fits")]
    pub from: Option<f64>,
    /// Upper end of the range for fits of crossings and power laws
    #[arg(long, value_name = "X", allow_negative_numbers = true, help_heading = "Fits")]
    pub to: Option<f64>,
}

/// `analyse`
#[derive(Args)]
pub(crate) struct Analyse {
    /// The folders of runs and sweeps
    #[arg(required = true, value_name = "DIR")]
    pub folders: Vec<PathBuf>,
    /// Leave the first N steps out, or as many as observables need to come to equilibrium [default: for sweeps as recorded, for runs 0]
    #[arg(long, value_name = "N|auto", value_parser = discard, allow_negative_numbers = true)]
    pub discard: Option<Discard>,
    #[command(flatten)]
    pub columns: ColumnArgs,
    /// Fit exponents with which the curves of the columns in --only fall on one another, y L^(-GAMMA/NU) over (x - x_c) L^(1/NU), from these on
    #[arg(long, value_name = "NU,GAMMA", value_parser = exponents, allow_negative_numbers = true, requires = "reweight", help_heading = "Curves")]
    pub collapse: Option<[f64; 2]>,
    /// Fit a power law to this column: of runs over time, of sweeps over the parameter; may be repeated
    #[arg(long, value_name = "NAME", conflicts_with = "reweight", help_heading = "Fits")]
    pub power_law: Vec<String>,
    /// What power laws of sweeps are over: the parameter that was set first, or time
    #[arg(long, value_name = "WHAT", default_value = "parameter", value_parser = ["parameter", "time"], help_heading = "Fits")]
    pub over: String,
    /// Power laws of a run: one mean for each window of time, which is FACTOR times as long as the one before
    #[arg(long, value_name = "FACTOR", value_parser = window, conflicts_with = "reweight", help_heading = "Fits")]
    pub window: Option<f64>,
    /// Print one JSON object and nothing else
    #[arg(long)]
    pub json: bool,
}
