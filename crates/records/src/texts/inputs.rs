//! The inputs of a rule as records hold them, so that runs and sweeps need no file of them again.

use super::{Digest, Texts, changed};
use serde::{Deserialize, Serialize};
use squeeze_compiler::ir::{Rule, Type, Value};
use squeeze_compiler::numbers::digest::digest;
use squeeze_engine::failure::Result;
use std::sync::Arc;

/// The values of an input.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct RecordedInput {
    /// The input's name.
    pub name: String,
    /// How many values it has.
    pub length: usize,
    /// Their digest, as of a state.
    pub digest: Digest,
    /// The values as letters, if they are letters of ASCII.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// Else as numbers with blanks between them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub numbers: Option<String>,
}

/// A number of this type, as data are written.
pub(crate) fn number_of(ty: Type, text: &str) -> Option<Value> {
    Some(match ty {
        Type::F32 => Value::F32(text.parse().ok().filter(|value: &f32| value.is_finite() || !is_finite(text))?),
        Type::F64 => Value::F64(text.parse().ok().filter(|value: &f64| value.is_finite() || !is_finite(text))?),
        _ => {
            let (least, most) = Value::range(ty)?;
            let number = text.parse::<i128>().ok().filter(|number| (least..=most).contains(number))?;
            Value::whole(ty, number)
        }
    })
}

/// Whether a number is written by its digits, and not as `inf` or `nan`.
fn is_finite(text: &str) -> bool {
    text.bytes().any(|byte| byte.is_ascii_digit())
}

impl RecordedInput {
    /// The inputs that a rule was given.
    fn all(rule: &Rule) -> Vec<RecordedInput> {
        let of = |(field, _, values): (_, usize, &[Value])| {
            let state = rule.state(field);
            let letter = |value: &Value| match value {
                Value::U8(byte @ b' '..=b'~') => Some(char::from(*byte)),
                _ => None,
            };
            let text: Option<String> = values.iter().map(letter).collect();
            let numbers = || values.iter().map(|value| value.as_text()).collect::<Vec<_>>().join(" ");
            let (name, digest) = (state.name.clone(), Digest(digest(0, values.iter().copied())));
            RecordedInput { name, length: values.len(), digest, numbers: text.is_none().then(numbers), text }
        };
        rule.given_inputs().map(of).collect()
    }

    /// The values, if they are those of the digest.
    fn read(&self, ty: Type) -> Option<Vec<Value>> {
        let values: Vec<Value> = match (&self.text, &self.numbers) {
            (Some(text), None) if ty == Type::U8 => text.bytes().map(Value::U8).collect(),
            (None, Some(numbers)) => numbers.split(' ').map(|text| number_of(ty, text)).collect::<Option<_>>()?,
            _ => return None,
        };
        Some(values)
            .filter(|values| values.len() == self.length && Digest(digest(0, values.iter().copied())) == self.digest)
    }
}

impl Texts {
    /// The same texts of a rule, with the values of its inputs.
    #[must_use]
    pub(crate) fn with_inputs_of(self, rule: &Rule) -> Texts {
        Texts { inputs: RecordedInput::all(rule), ..self }
    }

    /// The rule with the values that were recorded.
    pub(super) fn bound(&self, rule: &Arc<Rule>) -> Result<Arc<Rule>> {
        let mut bound = Arc::clone(rule);
        for recorded in &self.inputs {
            let name = &recorded.name;
            let known = rule.named_inputs().find(|(_, state)| state.name == *name);
            let (_, state) = known.ok_or_else(|| changed(format!("the recorded rule has no input `{name}`")))?;
            let values = recorded.read(state.ty);
            let values =
                values.ok_or_else(|| changed(format!("the recorded values of the input `{name}` are damaged")))?;
            bound = Arc::new(bound.with_input(name, values));
        }
        Ok(bound)
    }
}
