//! The logarithm of a rule's weight, from observables that were recorded.

use crate::run::param_as_text;
use crate::statistics::reweight::Weight;
use crate::sweep::{carrying, following, named_in, unweighted, weight_of};
use squeeze_compiler::geometry::Domain;
use squeeze_compiler::ir::{BinaryOp, Equilibrium, GlobalExpr, GlobalType, Rule, Type, UnaryOp, Value};
use squeeze_compiler::reduce::fold::ObservedValue;
use squeeze_compiler::reduce::global_expr::{ObservedInputs, evaluate};
use squeeze_engine::failure::{Message, Result};
use squeeze_engine::params::{self, ParamError};
use std::sync::Arc;

/// The weight of a rule along one of its parameters.
pub(super) struct RuleWeight {
    rule: Arc<Rule>,
    /// The parameter,
    parameter: usize,
    /// and the settings of all others.
    settings: Vec<String>,
    /// The observables that the weight is made of, ascending.
    pub(super) named: Vec<usize>,
    /// Cells in a replica of each level, and the places along each axis.
    cells: Vec<u64>,
    extent: [u64; 3],
    /// Whether it is a sum of the observables times numbers.
    is_linear: bool,
}

impl RuleWeight {
    /// The weight of members with these settings, the parameter's aside.
    ///
    /// # Errors
    /// If the rule says no weight, or it has no such parameter of floats, or its weight or the observables in it do not allow it.
    pub(super) fn new(rule: &Arc<Rule>, name: &str, settings: Vec<String>, domain: &Domain) -> Result<RuleWeight> {
        const PURPOSE: &str = "then compute the sweep anew";
        let weight = weight_of(rule, PURPOSE)?;
        let parameter = parameter_of(rule, name)?;
        let named = named_in(rule, parameter, &settings, PURPOSE)?;
        let degree = degree(rule, &weight.exponent);
        let is_linear = degree.is_some_and(|(degree, _)| degree < 2);
        Ok(RuleWeight {
            rule: Arc::clone(rule),
            parameter,
            settings,
            named,
            cells: (0..=domain.level()).map(|level| domain.cell_product(level)).collect(),
            extent: domain.extent(),
            is_linear,
        })
    }

    /// The number that a text gives the parameter.
    ///
    /// # Errors
    /// If it is none, or the rule does not allow it.
    pub(super) fn value(&self, text: &str) -> Result<f64, ParamError> {
        let name = &self.rule.params[self.parameter].name;
        let (_, value) = params::read(&self.rule, &format!("{name}={text}"))?;
        self.at(value)?;
        Ok(value.as_f64())
    }

    /// The value that follows for the parameter from the other ones, as a text.
    pub(super) fn own(&self) -> Result<String, ParamError> {
        let all = params::resolve(&self.rule, &self.settings)?;
        Ok(param_as_text(&self.rule, all.to_vec()[self.parameter]))
    }

    /// All parameters with a value of this one.
    fn at(&self, value: Value) -> Result<Vec<Value>, ParamError> {
        let own = format!("{}={}", self.rule.params[self.parameter].name, param_as_text(&self.rule, value));
        let settings = self.settings.iter().map(String::as_str).chain([own.as_str()]).collect::<Vec<_>>();
        Ok(params::resolve(&self.rule, &settings)?.to_vec())
    }
}

/// Whether a weight reads the number of cells.
pub(super) fn counts_cells(weight: &Equilibrium) -> bool {
    let mut counts = false;
    weight.exponent.clone().visit(&mut |inner| counts |= matches!(inner, GlobalExpr::Cells(_)));
    counts
}

impl Weight for RuleWeight {
    fn logs(&self, place: f64, kinds: &[f64], into: &mut Vec<f64>) {
        let width = self.named.len();
        let value = match self.rule.params[self.parameter].ty {
            Type::F32 => Value::F32(place as f32),
            _ => Value::F64(place),
        };
        let Some((weight, mut params)) = self.rule.equilibrium.as_ref().zip(self.at(value).ok()) else {
            into.extend(kinds.chunks_exact(width).map(|_| f64::NAN));
            return;
        };
        // Between numbers of f32 curves go on.
        params[self.parameter] = Value::F64(place);
        let (cells, extent) = (&self.cells, self.extent);
        let inputs = ObservedInputs { params: &params, cells, extent, time: 0, seed: 0, reductions: &[] };
        let mut observed = vec![ObservedValue::Integer(0); self.rule.observables.len()];
        let mut log = |values: &[f64]| {
            for (index, value) in self.named.iter().zip(values) {
                observed[*index] = match self.rule.observables[*index].ty {
                    GlobalType::Float => ObservedValue::Float(*value),
                    GlobalType::Integer | GlobalType::Bit => ObservedValue::Integer(*value as i64),
                };
            }
            match evaluate(&weight.exponent, &inputs, &observed) {
                ObservedValue::Float(log) => log,
                ObservedValue::Integer(log) => log as f64,
                ObservedValue::List(_) => f64::NAN,
            }
        };
        if !self.is_linear {
            into.extend(kinds.chunks_exact(width).map(log));
            return;
        }
        let zero = vec![0.0; width];
        let base = log(&zero);
        let slope = |index: usize| {
            let mut one = zero.clone();
            one[index] = 1.0;
            log(&one) - base
        };
        let slopes: Vec<f64> = (0..width).map(slope).collect();
        let linear = |values: &[f64]| values.iter().zip(&slopes).fold(base, |sum, (value, slope)| sum + slope * value);
        into.extend(kinds.chunks_exact(width).map(linear));
    }
}

/// The number of a parameter that curves can go along.
fn parameter_of(rule: &Rule, name: &str) -> Result<usize> {
    let Some(index) = rule.params.iter().position(|param| param.name == name) else {
        let known = rule.params.iter().map(|param| param.name.clone()).collect();
        return Err(ParamError::Unknown { rule: rule.name.clone(), name: name.to_owned(), known }.into());
    };
    let ty = rule.params[index].ty;
    if !ty.is_float() {
        let what = format!("`{name}` is of the type {}, and has no values in between", rule.type_name(ty));
        return Err(Message::users(what).with_help("curves go along a parameter of f32 or f64").into());
    }
    Ok(index)
}

/// Which of a rule's observables depend on a parameter by themselves, so that no mean of them at another value follows.
pub(super) fn depending(rule: &Rule, name: &str, settings: &[String]) -> Result<Vec<bool>> {
    Ok(carrying(rule, &following(rule, parameter_of(rule, name)?, settings)))
}

/// Why no mean of an observable at another value of a parameter follows from recorded values.
pub(super) fn refusal(rule: &Rule, observable: &str, name: &str, settings: &[String]) -> Result<Message> {
    let following = following(rule, parameter_of(rule, name)?, settings);
    let index = rule.observables.iter().position(|own| own.name == observable);
    let mut told = unweighted(rule, &following, name);
    Ok(index.and_then(|index| told[index].take()).unwrap_or_else(|| {
        let help =
            "its recorded values hold for one value alone: multiply means by functions of the parameter afterwards";
        Message::users(format!("`{observable}` depends on `{name}` itself")).with_help(help)
    }))
}

/// The degree of an expression as a polynomial of observables, and whether it is computed in floats; `None` if it is no polynomial, or rounds.
fn degree(rule: &Rule, of: &GlobalExpr) -> Option<(u32, bool)> {
    let constant = |operands: &[GlobalExpr]| {
        let degrees: Option<Vec<(u32, bool)>> = operands.iter().map(|operand| degree(rule, operand)).collect();
        degrees.filter(|all| all.iter().all(|(degree, _)| *degree == 0))
    };
    Some(match of {
        GlobalExpr::Integer(_)
        | GlobalExpr::Cells(_)
        | GlobalExpr::Side
        | GlobalExpr::Extent(_)
        | GlobalExpr::Level => (0, false),
        GlobalExpr::Float(_) => (0, true),
        GlobalExpr::Param(index) => (0, rule.params.get(usize::from(*index))?.ty.is_float()),
        GlobalExpr::Observable(index) => (1, rule.observables[*index as usize].ty == GlobalType::Float),
        GlobalExpr::ToFloat(a) | GlobalExpr::Cast(Type::F64, a) => (degree(rule, a)?.0, true),
        GlobalExpr::Unary(UnaryOp::Negate, a) => degree(rule, a)?,
        GlobalExpr::Math(_, a) => (constant(std::slice::from_ref(a))?.len() as u32 - 1, true),
        GlobalExpr::Math2(_, operands) => (constant(&operands[..])?.len() as u32 - 2, true),
        GlobalExpr::Binary(op, operands) => {
            let ((a, float), (b, _)) = (degree(rule, &operands[0])?, degree(rule, &operands[1])?);
            match op {
                BinaryOp::Add | BinaryOp::Subtract => (a.max(b), float),
                BinaryOp::Multiply => (a + b, float),
                BinaryOp::Divide if b == 0 && (float || a == 0) => (a, float),
                _ if a + b == 0 => (0, float),
                _ => return None,
            }
        }
        _ => return None,
    })
}
