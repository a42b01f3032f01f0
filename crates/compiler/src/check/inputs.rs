//! Inputs: data along an axis, which are fields of the rule.

use super::expression::Checker;
use crate::ir::{Axes, Input, State, StateId, Type};
use crate::text::diagnostics::Diagnostic;
use crate::text::syntax::ast::{Ident, TypeName, TypeNameKind};

/// The number of an input among [`Checker::fields`], which of other fields is that of a let.
const INPUT: usize = usize::MAX - 1;

impl Checker<'_, '_> {
    /// `input NAME: TYPE along AXIS`: its number.
    pub(super) fn declare_input(&mut self, name: &Ident, ty: &TypeName, axis: &Ident) -> Option<usize> {
        let numbers = "an input is of numbers: u8, u16, i32, u32, i64, f32 or f64";
        let of = match &ty.kind {
            TypeNameKind::Name(named) => self.type_named(named, ty.span)?,
            TypeNameKind::Of(vector, _) => return super::names::no_vector(vector).fail(self.errors),
            TypeNameKind::Enum(_) => {
                return Diagnostic::new("an input that is an enum", ty.span, "not possible")
                    .help(numbers)
                    .fail(self.errors);
            }
        };
        if of == Type::Bit {
            return Diagnostic::new("an input of bits", ty.span, "not possible").help(numbers).fail(self.errors);
        }
        let axis = Axes::NAMES.iter().position(|known| *known == axis.name)?;
        self.rule.needs_three_dimensions |= axis == 2;
        // Its field is numbered after all states.
        self.rule.inputs.push(Input { field: StateId(0), axis: axis as u8, values: None });
        self.fields.push((INPUT, State { name: name.name.clone(), ty: of }));
        Some(self.rule.inputs.len() - 1)
    }

    /// The field of an input, and its type.
    pub(super) fn field_of_input(&self, index: usize) -> (StateId, Type) {
        (self.rule.inputs[index].field, self.fields[index].1.ty)
    }
}
