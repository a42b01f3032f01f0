//! `figures [--quick] [--out DIR] [NAME...]`

use crate::args::values::one_of_backends;
use crate::report::{CliError, print};
use clap::Args;
use clap::builder::{PossibleValue, PossibleValuesParser};
use squeeze::Backend;
use squeeze::numbers::counted;
use squeeze_papers::{FIGURES, FigureOptions, Tier};
use std::io::{IsTerminal, Write};
use std::path::PathBuf;

/// How it is called.
pub(super) const EXAMPLES: &str = "Examples:
  squeeze figures --quick
  squeeze figures --out h100
  squeeze figures 2022-fig-1 2022-fig-10 2021-table-1";

/// `figures`
#[derive(Args)]
pub(crate) struct Figures {
    /// Figures and tables, such as 2022-fig-12 or 2021-table-1 [default: all]
    #[arg(value_name = "NAME", value_parser = PossibleValuesParser::new(FIGURES.map(|figure| PossibleValue::new(figure.name).help(figure.title))))]
    pub names: Vec<String>,
    /// Measure small sizes only, on the CPU if there is no GPU
    #[arg(long)]
    pub quick: bool,
    /// The folder for figures, numbers and REPORT.md; measurements that are there are kept
    #[arg(short, long, alias = "output", value_name = "DIR", default_value = "figures")]
    pub out: PathBuf,
    /// The backend that is measured; the full tier needs cuda
    #[arg(long, value_name = "BACKEND", default_value = "auto", value_parser = one_of_backends(vec![Backend::Auto, Backend::Cpu, Backend::Cuda]))]
    pub backend: Backend,
    /// Measure nothing; draw the measurements in the folder again
    #[arg(long, conflicts_with = "backend")]
    pub redraw: bool,
    /// Do not show what is being measured
    #[arg(long)]
    pub quiet: bool,
}

/// Makes the figures of the papers again.
pub(super) fn figures(arguments: &Figures) -> Result<(), CliError> {
    let wishes = FigureOptions {
        names: arguments.names.clone(),
        tier: if arguments.quick { Tier::Quick } else { Tier::Full },
        backend: arguments.backend,
        redraw: arguments.redraw,
    };
    let terminal = std::io::stderr().is_terminal();
    let mut shown = false;
    let mut begin = |what: &str| {
        if arguments.quiet {
            return;
        }
        // If standard error is closed there is no reader left.
        _ = match terminal {
            true => write!(std::io::stderr(), "\r\x1b[K{what}"),
            false => writeln!(std::io::stderr(), "{what}"),
        };
        shown = terminal;
    };
    let made = squeeze_papers::make(&arguments.out, &wishes, &mut begin);
    if shown {
        _ = write!(std::io::stderr(), "\r\x1b[K");
    }
    let done = made?;
    let squeeze_papers::VerdictCounts { held, better, not_held, not_measured } = done.counts;
    let claims = counted((held + better + not_held + not_measured) as u64, "claim");
    print(&format!(
        "{}\n{claims}: {held} held, {better} surpassed, {not_held} not held, {not_measured} not testable here\n",
        done.report.display()
    ))
}
