//! All layouts of a case, measured: how far is the planner's choice from the best, and its model from the truth?

use super::case::{Case, no_case};
use squeeze_compiler::plan::candidates;
use squeeze_compiler::target::{Choice, Hardware, Machine};
use squeeze_engine::cpu::usual_machine;
use squeeze_engine::failure::{Error, Result};
use squeeze_engine::simulation::{Backend, Simulation};
use std::time::Instant;

/// The shortest repeat, in seconds; many layouts have to share the time.
const SHORTEST_REPEAT: f64 = 0.008;
/// How many of the fastest layouts are measured again, by turns, since the first look is a short one.
const FINALISTS: usize = 4;
/// How often each of them is.
const ROUNDS: usize = 7;

/// A layout that was tried.
#[derive(Clone, Debug)]
pub struct Tried {
    /// The layout and the model's estimate of it.
    pub choice: Choice,
    /// Seconds of one time step as the model predicts.
    pub predicted: f64,
    /// Seconds of one time step, the fastest repeat: others on the machine can only make it slower.
    pub measured: f64,
}

/// The times of all layouts that were tried.
#[derive(Clone, Debug)]
pub struct LayoutSweep {
    /// The threads that it ran on.
    pub threads: usize,
    /// The number of cells.
    pub cells: u64,
    /// All layouts that were tried, the one that the planner chooses first, in the order of the model.
    pub tried: Vec<Tried>,
    /// The place in [`LayoutSweep::tried`] of the fastest.
    pub best: usize,
    /// How many layouts did not run, or not in time.
    pub untried: usize,
}

impl LayoutSweep {
    /// The planner's choice.
    pub fn choice(&self) -> &Tried {
        &self.tried[0]
    }

    /// The fastest.
    pub fn best(&self) -> &Tried {
        &self.tried[self.best]
    }

    /// How much longer a step takes with the planner's choice than with the fastest layout: 0.1 is 10%.
    pub fn behind(&self) -> f64 {
        self.choice().measured / self.best().measured - 1.0
    }
}

/// Measures the layouts of a case on `threads` threads, in the order of the model, until about `seconds` are over.
///
/// # Errors
/// If the case's backend has no layouts, there is none for it, or the planner's choice cannot run.
pub fn sweep(case: &Case, threads: usize, seconds: f64) -> Result<LayoutSweep> {
    // Layouts of a GPU are compiled side by side, as many as the host has threads; they run one after the other.
    let (machine, at_once) = match case.backend {
        Backend::Cpu => {
            let machine = case.hardware.as_ref().and_then(|hardware| hardware.cpu(threads));
            (machine.unwrap_or_else(|| usual_machine(threads, case.isa)), 1)
        }
        Backend::Cuda => {
            let machine = case.hardware.as_ref().and_then(Hardware::gpu);
            (machine.unwrap_or_else(Machine::gpu), threads.max(1))
        }
        backend => {
            let text = format!("{},{},{},{}", case.fractal_spec, case.rule_spec, case.level, backend.name());
            let problem = format!("`{}` has no layouts to compare, `cpu` and `cuda` have", backend.name());
            return Err(no_case(&text, &problem).into());
        }
    };
    let all = candidates(case.domain(), &case.rule, &machine, 1);
    let total = all.len();
    let cells = case.domain().cells();
    let began = Instant::now();
    let mut tried: Vec<Tried> = Vec::new();
    for some in all.chunks(at_once) {
        if !tried.is_empty() && began.elapsed().as_secs_f64() > seconds {
            break;
        }
        let built: Vec<Result<Simulation>> = std::thread::scope(|scope| {
            let build = |candidate| move || WarmSimulation::build(case, threads, candidate);
            let builders: Vec<_> = some.iter().map(|candidate| scope.spawn(build(candidate))).collect();
            let died = |_| Error::system("a thread that compiled a layout died".to_owned());
            builders.into_iter().map(|builder| builder.join().map_err(died).flatten()).collect()
        });
        for (candidate, built) in some.iter().zip(built) {
            let bench = built.and_then(|simulation| WarmSimulation::warm(simulation, candidate));
            match bench.and_then(|mut bench| bench.time(3)) {
                Ok(measured) => {
                    let predicted = candidate.estimate.cost * 1e-12 * cells as f64;
                    tried.push(Tried { choice: candidate.clone(), predicted, measured });
                }
                // The planner's choice must run. Others may be beyond memory or beyond a compiler's patience.
                Err(error) if tried.is_empty() => return Err(error),
                Err(_) => {}
            }
        }
    }
    let untried = total - tried.len();
    let Some(best) = run_finals(case, threads, &mut tried)? else {
        return Err(Error::system("the planner knows no layout".to_owned()));
    };
    Ok(LayoutSweep { threads, cells, tried, best, untried })
}

/// Measures the planner's choice and the fastest layouts again, by turns, so that all see the same machine. Returns
/// which is the fastest.
fn run_finals(case: &Case, threads: usize, tried: &mut [Tried]) -> Result<Option<usize>> {
    let mut order: Vec<usize> = (0..tried.len()).collect();
    order.sort_by(|&a, &b| tried[a].measured.total_cmp(&tried[b].measured));
    order.truncate(FINALISTS);
    if !order.contains(&0) && !tried.is_empty() {
        order.push(0);
    }
    let benches = order.iter().map(|&i| WarmSimulation::new(case, threads, &tried[i].choice));
    let mut benches = benches.collect::<Result<Vec<_>>>()?;
    // The first times were taken at other moments, and are dropped.
    order.iter().for_each(|&i| tried[i].measured = f64::INFINITY);
    for _ in 0..ROUNDS {
        for (bench, &i) in benches.iter_mut().zip(&order) {
            tried[i].measured = tried[i].measured.min(bench.time(1)?);
        }
    }
    Ok(order.into_iter().min_by(|&a, &b| tried[a].measured.total_cmp(&tried[b].measured)))
}

/// A simulation with one layout, warm.
struct WarmSimulation {
    simulation: Simulation,
    /// Time steps of one repeat.
    steps: u64,
}

impl WarmSimulation {
    fn new(case: &Case, threads: usize, candidate: &Choice) -> Result<WarmSimulation> {
        WarmSimulation::warm(WarmSimulation::build(case, threads, candidate)?, candidate)
    }

    fn build(case: &Case, threads: usize, candidate: &Choice) -> Result<Simulation> {
        Ok(case.builder().threads(threads).plan(candidate.clone()).build()?)
    }

    fn warm(mut simulation: Simulation, candidate: &Choice) -> Result<WarmSimulation> {
        let unit = u64::from(candidate.steps);
        simulation.step(unit)?;
        let began = Instant::now();
        simulation.step(unit)?;
        let once = began.elapsed().as_secs_f64().max(1e-9);
        let steps = (SHORTEST_REPEAT / once).ceil().max(1.0) as u64 * unit;
        Ok(WarmSimulation { simulation, steps })
    }

    /// Seconds of one step: the fastest of `repeats` repeats.
    fn time(&mut self, repeats: usize) -> Result<f64> {
        let mut best = f64::INFINITY;
        for _ in 0..repeats {
            let began = Instant::now();
            self.simulation.step(self.steps)?;
            best = best.min(began.elapsed().as_secs_f64());
        }
        Ok(best / self.steps as f64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_choice_comes_first_and_none_is_faster_than_the_best() {
        let case = Case::parse("sierpinski_triangle,life,6").unwrap();
        let sweep = sweep(&case, 1, 0.5).unwrap();
        assert!(sweep.behind() >= 0.0 && sweep.best().measured > 0.0);
        assert!(sweep.tried.is_sorted_by(|a, b| a.predicted <= b.predicted));
        let all = candidates(case.domain(), &case.rule, &usual_machine(1, None), 1).len();
        assert_eq!(sweep.tried.len() + sweep.untried, all);
    }
}
