//! Cliffs: rules a little beyond the usual ones, which are suddenly slow in many simulators. Each is measured beside numpy code for it, on one thread.

use super::peers::{self, Answer, TIME_LIMIT};
use super::{Case, Measurement, measure};
use squeeze_engine::failure::{Error, Result};
use squeeze_records::resolve;
use std::io::Write;
use std::path::Path;
use std::sync::Arc;

/// The rules, and numpy's side of them.
const RULES: &str = include_str!("cliffs/cliffs.rule");
const SCRIPT: &str = include_str!("cliffs/numpy.py");
const COMMON: &str = include_str!("cliffs/peer.py");
/// The line by which a script imports common code from a file beside it; here both are one text.
const IMPORT: &str = "from peer import Skip, answer, clock, compare\n";

/// One of them: a rule of this module's own, on a fractal at a level.
#[derive(Clone, Copy, Debug)]
pub struct Cliff {
    /// The feature that makes it one.
    pub what: &'static str,
    /// The rule's name.
    pub rule: &'static str,
    /// A fractal that ships.
    pub fractal: &'static str,
    /// The level.
    pub level: u32,
}

/// All of them.
pub const CLIFFS: [Cliff; 16] = [
    Cliff { what: "a function of each cell", rule: "sine", fractal: "full_square", level: 9 },
    Cliff { what: "a power", rule: "power", fractal: "full_square", level: 9 },
    Cliff { what: "a function of neighbours", rule: "oscillators", fractal: "sierpinski_carpet", level: 5 },
    Cliff { what: "weights of radius 3", rule: "weights", fractal: "full_square", level: 8 },
    Cliff { what: "weights of those that exist", rule: "normalised", fractal: "candy", level: 4 },
    Cliff { what: "bits of radius 5", rule: "counted", fractal: "full_square", level: 9 },
    Cliff { what: "sums of radius 13", rule: "summed", fractal: "full_square", level: 9 },
    Cliff { what: "weights of radius 13", rule: "lenia", fractal: "full_square", level: 10 },
    Cliff { what: "a coin for each cell", rule: "coins", fractal: "full_square", level: 10 },
    Cliff { what: "half-steps of spins", rule: "spins", fractal: "sierpinski_carpet", level: 5 },
    Cliff { what: "spins on a square", rule: "spins", fractal: "full_square", level: 9 },
    Cliff { what: "steps of four colours", rule: "colours", fractal: "sierpinski_carpet", level: 4 },
    Cliff { what: "reaction and diffusion", rule: "reaction", fractal: "sierpinski_carpet", level: 5 },
    Cliff { what: "a step that looks two cells far", rule: "separation", fractal: "sierpinski_carpet", level: 5 },
    Cliff { what: "a chance that is a power", rule: "epidemic", fractal: "sierpinski_carpet", level: 5 },
    Cliff { what: "numbers below the normal ones", rule: "cold", fractal: "sierpinski_carpet", level: 5 },
];

impl Cliff {
    /// The case to measure.
    ///
    /// # Errors
    /// Never: the rules are this program's own.
    pub fn case(&self) -> Result<Case> {
        let broken = || Error::system(format!("the rule `{}` of this program is broken", self.rule));
        let checked = resolve::check(Path::new("cliffs.rule"), RULES.as_bytes()).map_err(|_| broken())?;
        let mut rules = checked.library.rules.iter();
        let rule = rules.find(|rule| rule.name == self.rule).ok_or_else(broken)?;
        let text = format!("{},{},{}", self.fractal, self.rule, self.level);
        Case::of(&text, resolve::fractal, |_| Ok(Arc::clone(rule)))
    }
}

/// Measures a cliff on one thread, and asks numpy.
///
/// # Errors
/// As [`measure`], or if there is no place for the script.
pub fn measure_beside_numpy(case: &Case, seconds: f64) -> Result<(Measurement, Answer)> {
    let measurement = measure(case, 1, seconds)?;
    let no_place = |error: std::io::Error| Error::system(format!("no place for a script: {error}"));
    let mut script = tempfile::Builder::new().prefix("numpy").suffix(".py").tempfile().map_err(no_place)?;
    write!(script, "{COMMON}\n\n{}", SCRIPT.replace(IMPORT, "")).map_err(no_place)?;
    let answer = peers::ask(script.path(), &peers::question(case, seconds)?, TIME_LIMIT);
    Ok((measurement, answer))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// At a small level numpy computes what the rules do, or is not there.
    #[test]
    fn numpy_computes_the_same() {
        for cliff in CLIFFS {
            let case = Cliff { level: cliff.level.min(3), ..cliff }.case().unwrap();
            let (measurement, answer) = measure_beside_numpy(&case, 0.001).unwrap();
            assert!(measurement.step.median > 0.0);
            if let Err(problem) = answer.outcome {
                let absent = ["is not installed", "does not start"];
                assert!(absent.iter().any(|reason| problem.contains(reason)), "{}: {problem}", cliff.rule);
            }
        }
    }
}
