//! Values for parameters, from text.

use crate::failure::Failure;
use squeeze_compiler::ir::evaluate::constant;
use squeeze_compiler::ir::{DerivedValue, Param, Rule, Value};
use squeeze_compiler::numbers::mode::DefaultMode;
use std::ops::Deref;

pub use squeeze_compiler::text::words::{list, meant, nearest, short};

/// Why a `name=value` was refused.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum ParamError {
    /// There is no `=`.
    #[error("`{}` is not of the form `name=value`", short(.0))]
    Form(String),
    /// The rule has no parameter of this name.
    #[error("the rule `{rule}` has no parameter `{}`{}", short(name), meant(name, known.iter().map(String::as_str)))]
    Unknown {
        /// The rule.
        rule: String,
        /// The name that was looked for.
        name: String,
        /// All names there are.
        known: Vec<String>,
    },
    /// The value is outside the range that the rule gives.
    #[error(
        "`{value}` is outside the range of the parameter `{}`{}; {valid}",
        short(name),
        if *follows { ", which follows from others" } else { "" }
    )]
    Range {
        /// The parameter.
        name: String,
        /// The value that it would have.
        value: String,
        /// The valid values, in words.
        valid: String,
        /// Whether it follows from other parameters, and was not set itself.
        follows: bool,
    },
    /// The same parameter was set twice.
    #[error("the parameter `{}` is set twice", short(.0))]
    Twice(String),
    /// The value does not fit the type.
    #[error("`{}` is not a value of the parameter `{}: {}`; {valid}", short(value), short(name), short(ty))]
    Value {
        /// The parameter.
        name: String,
        /// Its type as the language writes it.
        ty: String,
        /// The value that was given.
        value: String,
        /// The valid values, in words.
        valid: String,
    },
}

impl Failure for ParamError {
    fn help(&self) -> Vec<String> {
        match self {
            ParamError::Form(_) => vec!["write for example `--set alpha=0.1`".to_owned()],
            ParamError::Unknown { rule, known, .. } if known.is_empty() => {
                vec![format!("the rule `{rule}` has no parameters")]
            }
            ParamError::Unknown { known, .. } => vec![format!("its parameters are {}", list(known))],
            ParamError::Twice(_) | ParamError::Value { .. } | ParamError::Range { .. } => Vec::new(),
        }
    }
}

/// The values of all parameters of a rule, and which of them were set: what follows from others, and was not set, follows them. Behind them stand
/// the globals, as soon as they have values. They are read as a list.
#[derive(Clone, Debug, PartialEq)]
pub struct Params {
    pub(crate) values: Vec<Value>,
    set: Vec<bool>,
}

impl Deref for Params {
    type Target = [Value];

    fn deref(&self) -> &[Value] {
        &self.values
    }
}

impl Params {
    /// With one of them changed by a setting of the form `name=value`.
    ///
    /// # Errors
    /// As of [`resolve`].
    pub(crate) fn with(&self, rule: &Rule, setting: &str) -> Result<Params, ParamError> {
        let (index, value) = read(rule, setting)?;
        let mut params = self.clone();
        (params.values[index], params.set[index]) = (value, true);
        params.settled(rule)
    }

    /// Computes the parameters that follow from others, and checks that all are in their ranges.
    fn settled(mut self, rule: &Rule) -> Result<Params, ParamError> {
        // Parameters follow from earlier ones, so one pass is enough.
        for (index, param) in rule.params.iter().enumerate() {
            let derived = self.derived(rule, index);
            if let Some(value) = derived.and_then(|derived| constant(&derived.body, derived.value, &self.values)) {
                self.values[index] = value;
            }
            admit(param, self.values[index], derived.is_some())?;
        }
        Ok(self)
    }

    /// How a parameter follows from others, if it does.
    fn derived<'r>(&self, rule: &'r Rule, index: usize) -> Option<&'r DerivedValue> {
        rule.params[index].derived.as_ref().filter(|_| !self.set[index])
    }

    /// How many of them have values of the types of a rule's parameters and globals.
    pub(crate) fn fitting(&self, rule: &Rule) -> usize {
        let types = rule.params.iter().map(|param| param.ty).chain(rule.globals.iter().map(|global| global.ty));
        let is_variant = |value| match value {
            Value::Enum(id, number) => usize::from(number) < rule.enum_type(id).variants.len(),
            _ => true,
        };
        self.values.iter().zip(types).filter(|(value, ty)| value.ty() == *ty && is_variant(**value)).count()
    }

    /// The names of those that follow from others.
    pub(crate) fn following<'r>(&self, rule: &'r Rule) -> impl Iterator<Item = &'r str> {
        let follows = |index: &usize| self.derived(rule, *index).is_some();
        (0..rule.params.len()).filter(follows).map(|index| rule.params[index].name.as_str())
    }
}

/// The values of all parameters of a rule: the defaults, changed by settings of the form `name=value`. Parameters that follow
/// from one that is set, and are not set themselves, are computed anew.
///
/// # Errors
/// For the first setting that is malformed, names no parameter, repeats one or does not fit its type; or for the first parameter outside its range.
pub fn resolve(rule: &Rule, settings: &[impl AsRef<str>]) -> Result<Params, ParamError> {
    let _mode = DefaultMode::enter();
    let values: Vec<Value> = rule.params.iter().map(|param| param.default).collect();
    let mut params = Params { set: vec![false; values.len()], values };
    for setting in settings {
        let (index, value) = read(rule, setting.as_ref())?;
        if std::mem::replace(&mut params.set[index], true) {
            return Err(ParamError::Twice(rule.params[index].name.clone()));
        }
        params.values[index] = value;
    }
    params.settled(rule)
}

/// Reads a setting of the form `name=value`: the number of the parameter and its value.
///
/// # Errors
/// If it is malformed, names no parameter, or the value does not fit its type or range.
pub fn read(rule: &Rule, setting: &str) -> Result<(usize, Value), ParamError> {
    let (index, value) = parted(rule, setting)?;
    let value = parse(rule, &rule.params[index], value)?;
    admit(&rule.params[index], value, false)?;
    Ok((index, value))
}

/// Refuses a value outside the range of its parameter, which may follow from others.
fn admit(param: &Param, value: Value, follows: bool) -> Result<(), ParamError> {
    if param.admits(value) {
        return Ok(());
    }
    let (name, value, valid) = (param.name.clone(), value.as_text(), param.range_text());
    Err(ParamError::Range { name, value, valid, follows })
}

/// The number of the parameter that a setting `name=value` names, and the text of the value.
fn parted<'s>(rule: &Rule, setting: &'s str) -> Result<(usize, &'s str), ParamError> {
    let (name, value) = setting.split_once('=').ok_or_else(|| ParamError::Form(setting.to_owned()))?;
    let name = name.trim();
    let index = rule.params.iter().position(|param| param.name == name).ok_or_else(|| {
        let known = rule.params.iter().map(|param| param.name.clone()).collect();
        ParamError::Unknown { rule: rule.name.clone(), name: name.to_owned(), known }
    })?;
    Ok((index, value.trim()))
}

fn parse(rule: &Rule, param: &Param, text: &str) -> Result<Value, ParamError> {
    rule.value(param.ty, text).map_err(|valid| ParamError::Value {
        name: param.name.clone(),
        ty: rule.type_name(param.ty),
        value: text.to_owned(),
        valid,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::samples::library;
    use squeeze_compiler::ir::EnumId;

    fn rule() -> Rule {
        rule_with("open")
    }

    fn rule_with(name: &str) -> Rule {
        let text = "rule r {
            param NAME: bit = false
            param small: u8 = 0
            param signed: i32 = 0
            param alpha: f32 = 0.0
            param phase: enum { rest, excited } = rest
            state up: bit
            next up = up
        }";
        Rule::clone(&library("r", &text.replace("NAME", name)).rules[0])
    }

    #[test]
    fn values_are_read_by_type() {
        let values = resolve(&rule(), &["open=1", "small=255", "signed=-7", "alpha = 1e-3", "phase=excited"]).unwrap();
        let expected = [Value::Bit(true), Value::U8(255), Value::I32(-7), Value::F32(1e-3), Value::Enum(EnumId(0), 1)];
        assert_eq!(values[..], expected);
        assert_eq!(resolve(&rule(), &["alpha=-inf"]).unwrap()[3], Value::F32(f32::NEG_INFINITY));
    }

    #[test]
    fn long_names_cost_no_time_and_are_not_shown_whole() {
        let long = rule_with(&"o".repeat(15 << 20));
        let start = std::time::Instant::now();
        for setting in ["o".repeat(100_000) + "=1", "x".repeat(100_000), "opem=".to_owned() + &"1".repeat(1 << 20)] {
            let error = resolve(&long, &[setting]).unwrap_err();
            let text = format!("{error} {}", error.help().join(" "));
            assert!(text.len() < 2000, "{} bytes of message", text.len());
        }
        assert!(start.elapsed().as_secs() < 10);
        let many: Vec<usize> = (0..1000).collect();
        assert!(list(&many).ends_with("`22` and 977 more"), "{}", list(&many));
    }

    #[test]
    fn what_follows_from_a_parameter_follows_unless_it_is_set() {
        let text = "rule r { param a: f32 = 1.0  param b: f32 in 0.0..=4.0 = 2.0 * a  param c: f32 = b + a  state u: f32  next u = u + c }";
        let rule = Rule::clone(&library("r", text).rules[0]);
        let of = |params: &Params| params.iter().map(|value| value.as_text()).collect::<Vec<_>>();
        let params = resolve(&rule, &[""; 0]).unwrap();
        assert_eq!(params.following(&rule).collect::<Vec<_>>(), ["b", "c"]);
        let more = params.with(&rule, "a=1.5").unwrap();
        assert_eq!(of(&more), ["1.5", "3.0", "4.5"]);
        let error = more.with(&rule, "a=3").unwrap_err();
        assert_eq!(
            error.to_string(),
            "`6.0` is outside the range of the parameter `b`, which follows from others; valid are 0.0 to 4.0"
        );
        let own = more.with(&rule, "b=0.5").unwrap();
        assert_eq!(of(&own), ["1.5", "0.5", "2.0"]);
        assert_eq!(of(&own.with(&rule, "a=3").unwrap()), ["3.0", "0.5", "3.5"]);
        assert_eq!(own.following(&rule).collect::<Vec<_>>(), ["c"]);
        let error = own.with(&rule, "b=5").unwrap_err();
        assert_eq!(error.to_string(), "`5.0` is outside the range of the parameter `b`; valid are 0.0 to 4.0");
    }

    #[test]
    fn refusals_say_what_would_be_valid() {
        let refuse = |settings: &[&str]| {
            let error = resolve(&rule(), settings).unwrap_err();
            format!("{error}|{}", error.help().concat())
        };
        assert_eq!(
            refuse(&["small=256"]),
            "`256` is not a value of the parameter `small: u8`; valid are whole numbers from 0 to 255|"
        );
        assert_eq!(
            refuse(&["alfa=1"]),
            "the rule `r` has no parameter `alfa`; did you mean `alpha`?|its parameters are `open`, `small`, `signed`, \
             `alpha` and `phase`"
        );
        assert!(refuse(&["alpha"]).contains("name=value"));
        assert!(refuse(&["alpha=1", "alpha=2"]).contains("set twice"));
        assert!(refuse(&["alpha=1e60"]).contains("too large"));
        assert!(refuse(&["phase=asleep"]).contains("valid are `rest` and `excited`"));
        assert!(refuse(&["open=yes"]).contains("`true`"));
    }
}
