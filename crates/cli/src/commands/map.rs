//! `map lambda` and `map nu`

use super::input;
use crate::args::Map;
use crate::report::{CliError, print};
use squeeze::Domain;
use squeeze::geometry::CompactSpace;
use std::fmt::Display;

/// Prints a coordinate, or a canonical index or `hole`.
pub(crate) fn map(arguments: &Map) -> Result<(), CliError> {
    match arguments {
        Map::Lambda { at, index, compact } => {
            let domain = input::domain(at)?;
            if *index >= domain.cells() {
                return Err(CliError::input(
                    format!("{domain} has no cell {index}"),
                    format!("its {} cells are numbered from 0 to {}", domain.cells(), domain.cells() - 1),
                ));
            }
            let compact = compact_space(&domain, *compact)?;
            print(&line(&domain, compact.map_or(domain.lambda(*index), |space| space.from_canonical(*index))))
        }
        Map::Nu { at, coordinate, compact } => {
            let domain = input::domain(at)?;
            let (name, axes) = (&domain.fractal().name, domain.dimension().axes());
            if coordinate.len() != axes {
                return Err(CliError::input(
                    format!("`{name}` is {axes}-D: a place in it has {axes} coordinates, not {}", coordinate.len()),
                    format!("give {}", ["X", "X Y", "X Y Z"][axes - 1]),
                ));
            }
            if coordinate.iter().zip(domain.extent()).any(|(v, side)| *v >= side) {
                return Err(CliError::input(
                    format!("({}) lies outside {domain}", spaced(coordinate)),
                    if domain.levels().is_none() || domain.fractal().is_rectangular() {
                        format!("its extents are {}", spaced(&domain.extent()[..axes]))
                    } else {
                        format!("coordinates run from 0 to {}", domain.side() - 1)
                    },
                ));
            }
            let mut place = [0; 3];
            place[..axes].copy_from_slice(coordinate);
            let compact = compact_space(&domain, *compact)?;
            let found = match (domain.nu(place), compact) {
                (Some(index), Some(space)) => line(&domain, space.from_canonical(index)),
                (Some(index), None) => format!("{index}\n"),
                (None, _) => "hole\n".to_owned(),
            };
            print(&found)
        }
    }
}

/// The papers' compact space, if it is asked for.
fn compact_space(domain: &Domain, asked: bool) -> Result<Option<CompactSpace<'_>>, CliError> {
    if asked && domain.levels().is_none() {
        return Err(CliError::input(
            format!("`--compact` needs a fractal, and `{}` is a mask or a box", domain.fractal().name),
            "without it cells are numbered in reading order",
        ));
    }
    Ok(asked.then(|| CompactSpace::new(domain)))
}

/// A place as a line of text.
fn line(domain: &Domain, place: [u64; 3]) -> String {
    format!("{}\n", spaced(&place[..domain.dimension().axes()]))
}

fn spaced(numbers: &[impl Display]) -> String {
    numbers.iter().map(|number| number.to_string()).collect::<Vec<_>>().join(" ")
}
