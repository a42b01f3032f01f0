//! The bits by which members of an ensemble are compared: the values of EXPR in `observe NAME = overlap(EXPR)`.

use super::CountingKernel;
use super::product::{BitRows, Counts};
use super::source::no_memory;
use squeeze_compiler::ir::{ComparedBit, Edge, Overlap, StateId, Value};
use squeeze_engine::simulation::error::Result;
use squeeze_engine::{Backend, Ensemble, Simulation, failure, packed};
use squeeze_host::memory;
use squeeze_records::run::params_as_settings;
use squeeze_records::sweep::Probe;
use std::sync::Arc;

/// Cells that are copied at once: a multiple of 8, so that bits stay whole bytes.
const PIECE: u64 = 1 << 22;

/// Takes the bits of all overlaps of a rule from simulations of it.
pub(crate) struct OverlapProbes(Vec<OfOverlap>);

struct OfOverlap {
    state: StateId,
    /// A simulation that computes the bit from a copy of the states, and its parameters.
    computed: Option<(Box<Simulation>, Vec<Value>)>,
}

impl OverlapProbes {
    /// The probes of the simulation's rule. Derived bits are computed on the same backend with `threads` threads.
    ///
    /// # Errors
    /// As [`SimulationBuilder::build`](squeeze_engine::SimulationBuilder::build).
    pub(crate) fn of(simulation: &Simulation, threads: Option<usize>) -> Result<OverlapProbes> {
        let probe = |overlap: &Overlap| {
            let state = overlap.state(simulation.rule());
            let ComparedBit::Computed(rule) = &overlap.bit else { return Ok(OfOverlap { state, computed: None }) };
            let domain = simulation.domain();
            // Edges of lets that it does not read are left out.
            let is_read = |edge: &Edge| rule.states_and_fields().any(|state| edge.is_of(&state.name));
            let fractal = domain.fractal().with_edges(is_read);
            let builder = Simulation::builder(Arc::new(fractal), Arc::clone(rule));
            let builder = builder.level(domain.level()).backend(simulation.backend());
            let builder = match threads {
                Some(threads) if simulation.backend() == Backend::Cpu => builder.threads(threads),
                _ => builder,
            };
            let computing = builder.build()?;
            let params = computing.params().to_vec();
            Ok(OfOverlap { state, computed: Some((Box::new(computing), params)) })
        };
        Ok(OverlapProbes(simulation.rule().overlaps.iter().map(probe).collect::<Result<_>>()?))
    }
}

impl Probe for OverlapProbes {
    /// Adds the bits of all overlaps, one after the other, each filled up to whole bytes.
    fn take(&mut self, simulation: &Simulation, bytes: &mut Vec<u8>) -> failure::Result<()> {
        let cells = simulation.domain().cells();
        for OfOverlap { state, computed } in &mut self.0 {
            let from = match computed {
                None => simulation,
                Some((computing, params)) => {
                    if params != simulation.params() {
                        computing.restart(0, &params_as_settings(simulation.rule(), simulation.params()))?;
                        *params = simulation.params().to_vec();
                    }
                    copy_states(simulation, computing)?;
                    computing.set_time(0);
                    computing.step(1)?;
                    computing
                }
            };
            let begin = bytes.len();
            bytes.resize(begin + cells.div_ceil(8) as usize, 0);
            from.read(*state, 0..cells, &mut bytes[begin..])?;
        }
        Ok(())
    }
}

/// Gives the first states of one simulation the values of another's.
fn copy_states(from: &Simulation, to: &mut Simulation) -> Result<()> {
    let cells = from.domain().cells();
    let mut bytes = Vec::new();
    for (number, state) in from.rule().states.iter().enumerate() {
        for begin in (0..cells).step_by(PIECE as usize) {
            let piece = begin..(begin + PIECE).min(cells);
            bytes.resize(packed::bytes(state.ty, piece.end - begin) as usize, 0);
            from.read(StateId(number as u16), piece.clone(), &mut bytes)?;
            to.write(StateId(number as u16), piece, &bytes)?;
        }
    }
    Ok(())
}

/// The overlaps of an ensemble's members at the present time: for each that the rule observes its name, and what all members have in common.
///
/// ```
/// use squeeze_overlap::{Similarity, of_members};
/// use squeeze_engine::{Member, Simulation};
/// use squeeze_records::resolve;
/// let text = "rule spins { state up: bit init up = random(0.5) next up = up observe q = overlap(up) }";
/// let (fractal, (rule, _)) = (resolve::fractal("vicsek")?, resolve::rule_of_text("<spins>", text, None)?);
/// let members = [7, 8, 7].map(Member::new);
/// let ensemble = Simulation::builder(fractal, rule).level(3).members(members).build()?;
/// let (name, counts) = of_members(&ensemble)?.remove(0);
/// assert_eq!((name.as_str(), counts.bits(), counts.value(Similarity::Overlap, 0, 2)), ("q", 125, 1.0));
/// # Ok::<(), squeeze_engine::failure::Error>(())
/// ```
///
/// # Errors
/// If the bits of all members do not fit, or if the machine fails.
pub fn of_members(ensemble: &Ensemble) -> failure::Result<Vec<(String, Counts)>> {
    let members = ensemble.members();
    let (rule, cells) = (members[0].rule(), members[0].domain().cells());
    let mut rows: Vec<BitRows> = Vec::new();
    for _ in &rule.overlaps {
        let (needed, available) = (BitRows::bytes(members.len(), cells), memory::available());
        if needed > available {
            return Err(no_memory(&format!("{} members", members.len()), needed, available));
        }
        rows.push(BitRows::new(members.len(), cells));
    }
    let mut probes = OverlapProbes::of(&members[0], None)?;
    let (mut bytes, length) = (Vec::new(), cells.div_ceil(8) as usize);
    for (number, member) in members.iter().enumerate() {
        bytes.clear();
        probes.take(member, &mut bytes)?;
        for (rows, bytes) in rows.iter_mut().zip(bytes.chunks(length)) {
            rows.row(number).set(bytes);
        }
    }
    let names = rule.overlaps.iter().map(|overlap| overlap.name.clone());
    Ok(names.zip(rows.iter().map(|rows| Counts::of(rows, CountingKernel::best()))).collect())
}
