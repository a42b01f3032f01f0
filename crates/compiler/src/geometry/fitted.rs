//! A rule as it runs on a domain.

use super::domain::{Domain, RuleMisfit};
use super::edges::with_edges;
use crate::ir::{OrderedStep, Rule, RuleParts, SignedAxis, Skips, StateId, Step, StepSchedule, strips::have_numbers};
use std::ops::Deref;
use std::sync::Arc;

/// The most places for each cell of masks on which running sums are taken. Guess: not measured.
const SPARSEST: u128 = 8;

/// A rule as it runs on a domain: with the values beyond the domain's edges, with a step for each colour of a coloured step and for each order of one that goes
/// along all axes, with values of pairs as fields of cells, and knowing whether it keeps fields in memory. [`Domain::fit`] makes it; compilers and engines take it.
#[derive(Clone, Debug)]
pub struct FittedRule {
    domain: Domain,
    rule: Arc<Rule>,
    written: Arc<Rule>,
}

impl FittedRule {
    /// The domain.
    pub fn domain(&self) -> &Domain {
        &self.domain
    }

    /// The rule, to be shared.
    pub fn shared(&self) -> &Arc<Rule> {
        &self.rule
    }

    /// The steps that are left out at some times.
    #[doc(hidden)]
    pub fn skips(&self) -> Skips {
        self.rule.skips(self.domain.level(), self.domain.side())
    }

    /// The steps whose cells take turns in an order, as they are here.
    #[doc(hidden)]
    pub fn ordered_steps(&self) -> Vec<OrderedStep> {
        self.rule.ordered_steps_in(self.domain.dimension(), self.domain.extent(), self.domain.periodic())
    }

    /// The axes along which the cells of a step must take turns, the last one slowest; empty if all can be taken at once.
    #[doc(hidden)]
    pub fn turns(&self, step: &Step) -> Vec<SignedAxis> {
        self.domain.turns(&self.rule, step)
    }

    /// How the cells of an ordered step are taken, if nothing is switched off.
    #[doc(hidden)]
    pub fn taken(&self, step: &Step) -> StepSchedule {
        self.domain.taken(&self.rule, step)
    }

    /// How the backend `cuda` takes the cells of an ordered step whose states are not packed.
    #[doc(hidden)]
    pub fn taken_by_gpu(&self, step: &Step) -> StepSchedule {
        self.domain.taken_by_gpu(&self.rule, step)
    }

    /// The axes of an ordered step with weights: cells whose coordinates in the order have the same sum with these do not wait for one another.
    #[doc(hidden)]
    pub fn fronts(&self, step: &Step) -> Vec<(SignedAxis, u64)> {
        self.rule.fronts(step, self.domain.dimension(), self.domain.extent(), self.domain.periodic())
    }

    /// The same rule, which keeps fields in memory that kernels could compute where they read them, or does not.
    #[doc(hidden)]
    #[must_use]
    pub fn keeping(self, keeps_cheaper: bool) -> FittedRule {
        if keeps_cheaper == self.rule.keeps_cheaper {
            return self;
        }
        FittedRule { rule: Arc::new(Rule(RuleParts { keeps_cheaper, ..self.rule.0.clone() })), ..self }
    }

    /// The same rule with the sums over neighbours that are computed faster for all cells at once; `None` if there are none, and on fractals and masks with
    /// few cells, as running sums go over every place.
    pub(crate) fn with_sums(&self) -> Option<FittedRule> {
        let (domain, extent) = (&self.domain, self.domain.extent());
        let places: u128 = extent.iter().map(|side| u128::from(*side)).product();
        let suits = domain.levels().is_none() && u128::from(domain.cells()) * SPARSEST >= places;
        let rule = suits.then(|| self.rule.with_sums(domain.dimension(), extent[0])).flatten()?;
        Some(FittedRule { rule: Arc::new(rule), ..self.clone() })
    }

    /// The positive offset of the pairs whose values a state holds, if it is one of a bond.
    #[doc(hidden)]
    pub fn offset_of_pairs(&self, state: StateId) -> Option<[i32; 3]> {
        let mut bonds = self.written.kept_bonds();
        bonds.find_map(|bond| bond.offsets.get(usize::from(state.0.checked_sub(bond.first.0)?)).copied())
    }

    /// The rule with its coloured steps as they are written: the oracle finds colours by itself.
    pub fn written(&self) -> &Arc<Rule> {
        &self.written
    }
}

impl Deref for FittedRule {
    type Target = Rule;

    fn deref(&self) -> &Rule {
        &self.rule
    }
}

impl Domain {
    /// A rule as it runs here.
    ///
    /// # Errors
    /// If the edges do not suit the rule; or as [`Domain::admits`].
    pub fn fit(&self, rule: &Arc<Rule>) -> Result<FittedRule, RuleMisfit> {
        let written = self.with_ranges(with_edges(self.fractal(), rule)?);
        let written = written.each_way(self.dimension()).map_or(written, Arc::new);
        let written = written.with_pairs(self.dimension()).map_or(written, Arc::new);
        self.admits(&written)?;
        let rule = written.pairs_of_cells().map_or(Arc::clone(&written), Arc::new);
        let rule = if rule.coloured.is_empty() { rule } else { Arc::new(self.in_turns(&rule)?) };
        let fitted = FittedRule { domain: self.clone(), rule, written };
        let keeps_cheaper = fitted.rule.is_cheaper_kept(self.dimension(), self.levels().is_some());
        Ok(fitted.keeping(keeps_cheaper))
    }

    /// As [`FittedRule::turns`].
    pub(crate) fn turns(&self, rule: &Rule, step: &Step) -> Vec<SignedAxis> {
        rule.turns(step, self.dimension(), self.extent(), self.periodic())
    }

    /// As [`FittedRule::taken`].
    pub(crate) fn taken(&self, rule: &Rule, step: &Step) -> StepSchedule {
        self.in_boxes(rule.taken(step, self.dimension(), self.extent(), self.periodic()))
    }

    /// As [`FittedRule::taken_by_gpu`].
    pub(crate) fn taken_by_gpu(&self, rule: &Rule, step: &Step) -> StepSchedule {
        self.in_boxes(rule.taken_by_gpu(step, self.dimension(), self.extent(), self.periodic()))
    }

    /// How cells are taken here that are taken so in a box.
    fn in_boxes(&self, taken: StepSchedule) -> StepSchedule {
        match taken {
            StepSchedule::AtOnce => taken,
            _ if self.levels().is_some() => StepSchedule::Singly("fractals are not stored in rows"),
            StepSchedule::InStrips(..) if !have_numbers(self.extent()) => {
                StepSchedule::Singly("its rows, sheared, are more than 32 bits can number")
            }
            taken => taken,
        }
    }

    /// A rule whose parameters have the ranges of this dimension.
    fn with_ranges(&self, rule: Arc<Rule>) -> Arc<Rule> {
        if rule.params.iter().all(|param| param.range_in.is_none()) {
            return rule;
        }
        let mut parts = rule.0.clone();
        for param in &mut parts.params {
            param.range = param.range_in.map_or(param.range, |ranges| Some(ranges[self.dimension().axes() - 1]));
        }
        Arc::new(Rule(parts))
    }

    pub(super) fn in_turns(&self, rule: &Rule) -> Result<Rule, RuleMisfit> {
        let in_turns = rule.in_turns(self.fractal(), self.extent());
        in_turns.map_err(|what| RuleMisfit::new(format!("rule `{}` runs a step once for each {what}", rule.name)))
    }
}
