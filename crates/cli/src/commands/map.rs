//! `map lambda` and `map nu`

use super::input;
use crate::args::Map;
use crate::report::{CliError, print};
use std::fmt::Display;

/// Prints a coordinate, or a canonical index or `hole`.
pub(crate) fn map(arguments: &Map) -> Result<(), CliError> {
    match arguments {
        Map::Lambda { at, index } => {
            let domain = input::domain(at)?;
            if *index >= domain.cells() {
                return Err(CliError::input(
                    format!("{domain} has no cell {index}"),
                    format!("its {} cells are numbered from 0 to {}", domain.cells(), domain.cells() - 1),
                ));
            }
            let coordinate = domain.lambda(*index);
            print(&format!("{}\n", spaced(&coordinate[..domain.dimension().axes()])))
        }
        Map::Nu { at, coordinate } => {
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
            print(&domain.nu(place).map_or("hole\n".to_owned(), |index| format!("{index}\n")))
        }
    }
}

fn spaced(numbers: &[impl Display]) -> String {
    numbers.iter().map(|number| number.to_string()).collect::<Vec<_>>().join(" ")
}
