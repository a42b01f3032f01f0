//! `figures [--quick] [--out DIR] [NAME...]`

use crate::args::Figures;
use crate::report::{Failure, print};
use squeeze::numbers::counted;
use squeeze_papers::{Tier, Wishes};
use std::io::{IsTerminal, Write};

/// Makes the figures of the papers again.
pub(super) fn figures(arguments: &Figures) -> Result<(), Failure> {
    let wishes = Wishes {
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
        // If standard error is closed there is nobody to tell.
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
    let squeeze_papers::Counts { held, not_held, not_measured } = done.counts;
    let claims = counted((held + not_held + not_measured) as u64, "claim");
    print(&format!(
        "{}\n{claims}: {held} held, {not_held} not held, {not_measured} not measured\n",
        done.report.display()
    ))
}
