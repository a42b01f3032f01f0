//! Observables from the reductions that engines compute.

use squeeze_compiler::geometry::{Domain, FittedRule};
use squeeze_compiler::ir::{GlobalExpr, GlobalShape, Rule, Value};
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

/// What the logarithm of a rule's weight is made of.
#[derive(Clone, Debug)]
pub struct LogWeight {
    /// For each observable whether it is needed.
    observables: Vec<bool>,
    reductions: Vec<usize>,
}

impl LogWeight {
    /// Of the weight that a rule says by `equilibrium`; `None` if it says none.
    pub fn of(rule: &Rule) -> Option<LogWeight> {
        let (mut observables, mut reductions) = (vec![false; rule.observables.len()], Vec::new());
        let mark = |of: &GlobalExpr, needed: &mut [bool]| {
            of.clone().visit(&mut |inner| {
                if let GlobalExpr::Observable(index) = inner {
                    needed[*index as usize] = true;
                }
            });
        };
        mark(&rule.equilibrium.as_ref()?.exponent, &mut observables);
        // Observables read those above them alone.
        for (index, observable) in rule.observables.iter().enumerate().rev() {
            if observables[index] {
                mark(&observable.value, &mut observables);
                observable.value.reductions(&mut reductions);
            }
        }
        reductions.sort_unstable();
        reductions.dedup();
        Some(LogWeight { observables, reductions })
    }

    /// The reductions that it needs, ascending.
    pub fn reductions(&self) -> &[usize] {
        &self.reductions
    }

    /// The observables that it needs, at their places among all.
    pub fn observe(&self, reduced: &Reduced<'_>) -> Vec<ObservedValue> {
        reduced.with_inputs(|inputs| {
            let mut values = Vec::with_capacity(self.observables.len());
            for (observable, needed) in reduced.rule.observables.iter().zip(&self.observables) {
                let value = match needed {
                    true => global_expr::evaluate(&observable.value, inputs, &values),
                    false => ObservedValue::Integer(0),
                };
                values.push(value);
            }
            values
        })
    }

    /// The logarithm of the weight of a state with these observables, at the parameters of `member`.
    pub fn at(&self, member: &Reduced<'_>, observables: &[ObservedValue]) -> f64 {
        let Some(weight) = &member.rule.equilibrium else { return f64::NAN };
        match member.with_inputs(|inputs| global_expr::evaluate(&weight.exponent, inputs, observables)) {
            ObservedValue::Float(log) => log,
            ObservedValue::Integer(log) => log as f64,
            ObservedValue::List(_) => f64::NAN,
        }
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
