//! Numbers that a domain gives, the count of its cells above all, where globals, observables and stops convert them, or `below` in steps: the type must hold them. Other casts
//! in steps wrap.

use super::domain::Domain;
use crate::ir::{GlobalExpr, Op, Random, Rule, Step, Type, Value};
use crate::numbers::scalar;

impl Domain {
    /// A number of this domain that a rule converts to a type which does not hold it.
    pub(super) fn cast_that_wraps(&self, rule: &Rule) -> Option<(i64, Type)> {
        let steps = rule.steps.iter().flat_map(|step| &step.globals).map(|(_, total)| total);
        let observables = rule.observables.iter().map(|observable| &observable.value);
        let stop = rule.stop.iter().map(|stop| &stop.condition);
        let equilibrium = rule.equilibrium.iter().map(|weight| &weight.exponent);
        let mut found = None;
        for total in steps.chain(observables).chain(stop).chain(equilibrium) {
            total.clone().visit(&mut |inner| {
                let (operand, ty) = match inner {
                    GlobalExpr::Cast(ty, operand) => (&**operand, *ty),
                    GlobalExpr::Random { of: Random::Below, operands, .. } => (&operands[0], Type::U32),
                    _ => return,
                };
                found = found.or_else(|| self.beyond(operand, ty));
            });
        }
        let cells = rule.globals.iter().position(|global| global.initial == GlobalExpr::Cells(None));
        let of_cells = |op: &Op| matches!(op, Op::Param(index) if Some(usize::from(*index)) == cells.map(|at| rule.params.len() + at));
        let of_pairs = rule.init_pairs.iter().map(|code| &code.body);
        for body in rule.steps.iter().flat_map(Step::bodies).chain([&rule.init]).chain(of_pairs) {
            for node in &body.nodes {
                if let Op::RandomBelow { bound, .. } = node.op
                    && let Op::Cast(inner) = body.node(bound).op
                    && of_cells(&body.node(inner).op)
                {
                    found = found.or_else(|| self.beyond(&GlobalExpr::Cells(None), Type::U32));
                }
            }
        }
        found
    }

    /// The value of an expression that the domain alone decides, if it is beyond a type of whole numbers.
    fn beyond(&self, operand: &GlobalExpr, ty: Type) -> Option<(i64, Type)> {
        let mut of_domain = false;
        operand.clone().visit(&mut |inner| {
            of_domain |= matches!(inner, GlobalExpr::Cells(_) | GlobalExpr::Side | GlobalExpr::Extent(_));
        });
        let (least, most) = Value::range(ty).filter(|_| of_domain)?;
        let value = self.whole(operand)?;
        (!(least..=most).contains(&i128::from(value))).then_some((value, ty))
    }

    /// The value of an expression of whole numbers that the domain alone says.
    fn whole(&self, of: &GlobalExpr) -> Option<i64> {
        let number = match of {
            GlobalExpr::Integer(value) => return Some(*value),
            GlobalExpr::Cells(None) => self.cells(),
            GlobalExpr::Cells(Some(level)) => self.cell_product((*level).min(self.level())),
            GlobalExpr::Side => self.side(),
            GlobalExpr::Extent(axis) => self.extent()[usize::from(*axis)],
            GlobalExpr::Level => u64::from(self.level()),
            GlobalExpr::Binary(op, operands) => {
                let [a, b] = [self.whole(&operands[0])?, self.whole(&operands[1])?].map(Value::I64);
                return scalar::binary(*op, a, b).as_i128().and_then(|value| i64::try_from(value).ok());
            }
            _ => return None,
        };
        i64::try_from(number).ok()
    }
}
