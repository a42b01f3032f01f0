//! What observables are made of, and what steps make with a parameter: whether a weight of states says all that a parameter does to an observable.

use super::global_expr::GlobalExpr;
use super::ids::StateId;
use super::rule::{Body, Node, NodeId, Op, Rule, RuleParts};
use std::collections::BTreeSet;

impl RuleParts {
    /// The states that the values of some reductions are made of, through fields and clusters.
    #[doc(hidden)]
    pub fn behind(&self, reductions: &[usize]) -> BTreeSet<StateId> {
        let (mut open, mut seen) = (self.read_by(reductions), BTreeSet::new());
        while let Some(id) = open.pop_first() {
            if !seen.insert(id) {
                continue;
            }
            let values = self.observed_fields.iter().flat_map(|step| &step.clusters);
            let asked = values.flat_map(|of| of.values.iter().map(move |value| (of, value)));
            for (of, value) in asked.filter(|(_, value)| value.to == id) {
                for from in [Some(of.bond), of.when, value.of.field()].into_iter().flatten() {
                    let computed = self.computing(from);
                    match computed.is_empty() {
                        true => drop(open.insert(from)),
                        false => open.extend(self.read_from(computed)),
                    }
                }
            }
        }
        seen.retain(|id| usize::from(id.0) < self.states.len());
        seen
    }

    /// The states to which a step gives values that are made with one of these parameters: by its code, or through fields, clusters and globals, but not through
    /// other states. With them come the parameters, and behind all parameters those globals that are made with them.
    #[doc(hidden)]
    pub fn made_with(&self, params: &BTreeSet<usize>) -> (BTreeSet<StateId>, BTreeSet<usize>) {
        let (mut params, mut made) = (params.clone(), BTreeSet::new());
        loop {
            let before = (params.len(), made.len());
            let is_made =
                |made: &BTreeSet<StateId>, id: &StateId| usize::from(id.0) >= self.states.len() && made.contains(id);
            let reads = |params: &BTreeSet<usize>, made: &BTreeSet<StateId>, node: &Node| match &node.op {
                Op::Param(index) => params.contains(&usize::from(*index)),
                Op::State(id) | Op::Neighbour(id) | Op::Read { state: id, .. } => is_made(made, id),
                _ => false,
            };
            for step in &self.steps {
                for (global, value) in &step.globals {
                    let mut follows = false;
                    value.clone().visit(&mut |inner| {
                        follows |= match inner {
                            GlobalExpr::Param(index) => params.contains(&usize::from(*index)),
                            GlobalExpr::Reduction(index) => {
                                let body = &self.reductions[*index as usize].body;
                                body.nodes.iter().any(|node| reads(&params, &made, node))
                            }
                            _ => false,
                        };
                    });
                    if follows {
                        params.insert(self.params.len() + usize::from(*global));
                    }
                }
                for of in &step.clusters {
                    for value in &of.values {
                        let mut from = [Some(of.bond), of.when, value.of.field()].into_iter().flatten();
                        if from.any(|id| is_made(&made, &id)) {
                            made.insert(value.to);
                        }
                    }
                }
                let guarded = |body: &Body| step.guard.filter(|_| std::ptr::eq(body, &step.body));
                for body in step.bodies() {
                    for (id, node) in &body.results {
                        let wanted: Vec<NodeId> = guarded(body).into_iter().chain([*node]).collect();
                        let mut needed = body.nodes.iter().zip(body.needed(&wanted));
                        if needed.any(|(node, needed)| needed && reads(&params, &made, node)) {
                            made.insert(*id);
                        }
                    }
                }
            }
            if (params.len(), made.len()) == before {
                break;
            }
        }
        made.retain(|id| usize::from(id.0) < self.states.len());
        (made, params)
    }
}

impl Rule {
    /// A state that an observable is made of, that steps make with one of these parameters, and of which the rule's weight says nothing: recorded values of the
    /// observable then hold for one value of the parameters alone.
    #[doc(hidden)]
    pub fn unweighted(&self, observable: usize, params: &BTreeSet<usize>) -> Option<StateId> {
        let mut weighted = Vec::new();
        self.equilibrium.iter().for_each(|weight| self.reductions_in(&weight.exponent, &mut weighted));
        let known = self.behind(&weighted);
        let mut own = Vec::new();
        self.reductions_in(&self.observables[observable].value, &mut own);
        let (made, _) = self.made_with(params);
        self.behind(&own).into_iter().find(|state| made.contains(state) && !known.contains(state))
    }

    /// The reductions in an expression, and in the observables that it names.
    fn reductions_in(&self, of: &GlobalExpr, into: &mut Vec<usize>) {
        of.clone().visit(&mut |inner| match inner {
            GlobalExpr::Reduction(index) => into.push(*index as usize),
            GlobalExpr::Observable(index) => self.reductions_in(&self.observables[*index as usize].value, into),
            _ => {}
        });
    }
}
