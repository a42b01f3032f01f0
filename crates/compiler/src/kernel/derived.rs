//! Numbers behind the parameters of kernels, which follow from the parameters alone.
//!
//! Engines compute these numbers when they set a kernel's parameters. The numbers that the steps of a plan ask for are known once these are
//! compiled; other kernels compute the rest themselves.

use super::evaluate::{GlobalInputs, evaluate_global};
use super::graph::KernelBuilder;
use super::{LaneType, Op, Planes, ValueId, Variable};
use crate::numbers::{philox, scalar};

/// Numbers that follow from parameters, and how.
#[derive(Clone, Debug, Default)]
pub struct Derived {
    /// How many parameters, globals and numbers of earlier rounds stand before them.
    first: usize,
    /// Whether kernels may ask for more.
    open: bool,
    flush: bool,
    /// The operations that make them.
    graph: KernelBuilder,
    numbers: Vec<DerivedNumber>,
}

/// The definition of one derived number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum DerivedNumber {
    /// The value of a node.
    Value(ValueId),
    /// I64: the threshold of a probability, ⌊p · 2^32⌋, and 2^33 more if bits of p are left. Behind it stands the [probability](Self::Probability).
    Threshold(ValueId),
    /// F64: the probability of the threshold before.
    Probability(ValueId),
}

impl Derived {
    /// No derived numbers yet, to stand behind `first` parameters, of kernels that flush or not: kernels may ask for any.
    pub(crate) fn behind(first: usize, flush: bool) -> Derived {
        Derived { first, open: true, flush, graph: KernelBuilder::new(flush), numbers: Vec::new() }
    }

    /// The same, of which no kernel may ask for more.
    pub(crate) fn closed(self) -> Derived {
        Derived { open: false, ..self }
    }

    /// How many numbers there are with the parameters.
    pub fn end(&self) -> usize {
        self.first + self.numbers.len()
    }

    /// The bits of parameters and of the numbers that follow from them; zeros stand for those between that are not given.
    pub fn with_params(&self, mut params: Vec<u64>) -> Vec<u64> {
        // No number depends on anything else.
        let inputs = GlobalInputs { params: &params, time: 0, level: 0, side: 0 };
        let values = evaluate_global(self.flush, self.graph.nodes(), inputs);
        params.resize(self.first, 0);
        params.extend(self.numbers.iter().map(|number| match number {
            DerivedNumber::Value(id) | DerivedNumber::Probability(id) => values[id.0 as usize].bits(),
            DerivedNumber::Threshold(id) => {
                let p = scalar::probability(values[id.0 as usize]);
                philox::threshold(p) | u64::from(philox::planes(p) > philox::PLANES) << 33
            }
        }));
        params
    }

    /// An operation on parameters and constants.
    pub(crate) fn node(&mut self, ty: LaneType, op: Op) -> ValueId {
        self.graph.intern(ty, op)
    }

    /// Where a number stands among the parameters; `None` if it does not.
    pub(crate) fn place(&mut self, number: DerivedNumber) -> Option<u16> {
        if self.open && !self.numbers.contains(&number) {
            self.numbers.push(number);
            if let DerivedNumber::Threshold(id) = number {
                self.numbers.push(DerivedNumber::Probability(id));
            }
        }
        let place = self.numbers.iter().position(|known| *known == number)?;
        u16::try_from(self.first + place).ok()
    }

    /// Makes them parameters, behind those that there are.
    pub(crate) fn declare(&self, params: &mut Vec<Variable>) {
        let ty = |number: &DerivedNumber| match number {
            DerivedNumber::Value(id) => self.graph.ty(*id),
            DerivedNumber::Threshold(_) => LaneType::I64,
            DerivedNumber::Probability(_) => LaneType::F64,
        };
        let between = (params.len()..self.first).map(|_| LaneType::F64);
        let types = between.chain(self.numbers.iter().map(ty)).zip(params.len()..);
        params
            .extend(types.map(|(ty, place)| Variable { name: format!("derived_{place}"), planes: Planes::Number(ty) }));
    }
}
