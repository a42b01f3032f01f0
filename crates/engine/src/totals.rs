//! Observables from the reductions that engines compute.

use squeeze_compiler::geometry::{Domain, FittedRule};
use squeeze_compiler::ir::{GlobalShape, Rule, Value};
use squeeze_compiler::reduce::fold::ObservedValue;
use squeeze_compiler::reduce::global_expr::{self, ObservedInputs};

/// A member's reductions over all cells at one time, and the inputs that its observables read.
#[derive(Clone, Copy, Debug)]
pub struct Reduced<'a> {
    /// The rule.
    pub rule: &'a FittedRule,
    /// The values of its parameters.
    pub params: &'a [Value],
    /// The time.
    pub time: u32,
    /// The seed of draws.
    pub seed: u64,
    /// The values that [`Engine::reduce`](crate::Engine::reduce) gives for this member.
    pub reductions: &'a [ObservedValue],
}

impl Reduced<'_> {
    /// The observables, in the order of the rule.
    pub fn observables(&self) -> Vec<ObservedValue> {
        self.with_inputs(|inputs| global_expr::observables(self.rule, inputs))
    }

    /// Whether the run is to stop, given the observables. Before the first step nothing has come to an end yet.
    pub fn stops(&self, observables: &[ObservedValue]) -> bool {
        let Some(stop) = self.rule.stop.as_ref().filter(|_| self.time > 0) else { return false };
        self.with_inputs(|inputs| global_expr::evaluate(&stop.condition, inputs, observables))
            == ObservedValue::Integer(1)
    }

    pub(crate) fn with_inputs<T>(&self, work: impl FnOnce(&ObservedInputs<'_>) -> T) -> T {
        /// A sweep asks a million times, from many threads: memory is only asked for where levels are many.
        const FEW: usize = 64;
        let (mut few, many);
        let domain = self.rule.domain();
        let levels = domain.level() as usize + 1;
        let cells: &[u64] = if levels <= FEW {
            few = [0; FEW];
            (few[..levels].iter_mut().zip(0..)).for_each(|(cells, mu)| *cells = domain.cell_product(mu));
            &few[..levels]
        } else {
            many = cells(domain);
            &many
        };
        work(&ObservedInputs {
            params: self.params,
            cells,
            extent: domain.extent(),
            time: self.time,
            seed: self.seed,
            reductions: self.reductions,
        })
    }
}

/// How many cells a replica of each level has.
fn cells(domain: &Domain) -> Vec<u64> {
    (0..=domain.level()).map(|mu| domain.cell_product(mu)).collect()
}

/// Items of observables, in the order of the rule: of those `at end` alone, or of all others.
pub fn of_observables<T>(rule: &Rule, at_end: bool, all: impl Iterator<Item = T>) -> impl Iterator<Item = T> {
    rule.observables.iter().zip(all).filter(move |(observable, _)| observable.at_end == at_end).map(|(_, one)| one)
}

/// The names of the numbers of all observables that are of the end alone, or of all others: of lists, `NAME[0]`, `NAME[1]` and so on.
pub fn columns(rule: &Rule, domain: &Domain, at_end: bool) -> Vec<String> {
    let cells = cells(domain);
    let of = |observable: &squeeze_compiler::ir::Observable| match observable.shape {
        GlobalShape::One => vec![observable.name.clone()],
        shape => (0..global_expr::length(shape, &cells)).map(|index| format!("{}[{index}]", observable.name)).collect(),
    };
    of_observables(rule, at_end, rule.observables.iter()).flat_map(of).collect()
}
