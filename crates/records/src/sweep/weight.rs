//! The weights of rules along one of their parameters: what may be exchanged, and reweighted, along it.

use squeeze_compiler::ir::{Body, Equilibrium, GlobalExpr, Observable, Op, Rule, StateId};
use squeeze_engine::failure::{Message, Result};
use std::collections::BTreeSet;

/// The weight that a rule says. `purpose` says what one would allow.
///
/// # Errors
/// If the rule says none.
pub(crate) fn weight_of<'r>(rule: &'r Rule, purpose: &str) -> Result<&'r Equilibrium> {
    let none = || {
        let what = format!("the rule `{}` does not say how likely its states are", rule.name);
        let help = "a line such as `equilibrium exp(-beta * energy)`, of parameters and observables, says so";
        Message::users(what).with_help(format!("{help}; {purpose}")).into()
    };
    rule.equilibrium.as_ref().ok_or_else(none)
}

/// The numbers of the observables in a rule's weight, ascending. The weight depends on the parameter of this number, and these do not. `purpose` says what a
/// weight would allow.
///
/// # Errors
/// If the rule says no weight, or the weight or the observables in it do not allow to compare values of the parameter.
pub(crate) fn named_in(rule: &Rule, parameter: usize, settings: &[String], purpose: &str) -> Result<Vec<usize>> {
    let name = &rule.params[parameter].name;
    let weight = weight_of(rule, purpose)?;
    let following = following(rule, parameter, settings);
    let (mut named, mut depends) = (BTreeSet::new(), false);
    weight.exponent.clone().visit(&mut |inner| match inner {
        GlobalExpr::Observable(index) => drop(named.insert(*index as usize)),
        GlobalExpr::Param(index) => depends |= following.contains(&usize::from(*index)),
        _ => {}
    });
    let carry = carrying(rule, &following);
    if let Some(index) = named.iter().find(|index| carry[**index]) {
        let observable = &rule.observables[*index].name;
        let what = format!("`{observable}`, of which the weight is made, depends on `{name}` itself");
        let help = format!(
            "leave `{name}` out of it, and write it in `equilibrium`: what was recorded holds for one value alone"
        );
        return Err(Message::users(what).with_help(help).into());
    }
    if !depends {
        let what = format!("`{name}` is not in the weight of the rule `{}`, `{}`", rule.name, weight.text);
        let help = "states at other values of a parameter are compared by its weight alone";
        return Err(Message::users(what).with_help(help).into());
    }
    if named.is_empty() {
        let what = format!("the weight `{}` is the same for all states", weight.text);
        return Err(Message::users(what).with_help("it names no observable").into());
    }
    Ok(named.into_iter().collect())
}

/// A parameter with those that follow from it, and are not set.
pub(crate) fn following(rule: &Rule, parameter: usize, settings: &[String]) -> BTreeSet<usize> {
    let mut found = BTreeSet::from([parameter]);
    for (index, param) in rule.params.iter().enumerate() {
        let is_set = settings.iter().any(|setting| setting.split('=').next() == Some(param.name.as_str()));
        if param.derived.as_ref().is_some_and(|derived| !is_set && reads(&derived.body, &found)) {
            found.insert(index);
        }
    }
    found
}

/// Whether code reads one of these parameters.
fn reads(body: &Body, params: &BTreeSet<usize>) -> bool {
    body.nodes.iter().any(|node| matches!(node.op, Op::Param(index) if params.contains(&usize::from(index))))
}

/// What to say of observables of which the weight does not say all that a parameter does, by their numbers.
pub(crate) fn unweighted(rule: &Rule, params: &BTreeSet<usize>, name: &str) -> Vec<Option<Message>> {
    let weight = rule.equilibrium.as_ref().map_or("", |weight| &weight.text);
    let told = |(own, state): (&Observable, Option<StateId>)| {
        let (own, state) = (&own.name, &rule.state(state?).name);
        let what = format!(
            "`{own}` is made of `{state}`, which follows from `{name}`, and of which the weight `{weight}` says nothing"
        );
        let help = format!(
            "a weight is that of all states together: let it name an observable of `{state}`, as `equilibrium` of the shipped rule `swendsen_wang` does, or leave `{own}` out"
        );
        Some(Message::users(what).with_help(help))
    };
    rule.observables.iter().zip(rule.unweighted_in_observables(params)).map(told).collect()
}

/// The observables whose recorded values hold for one value of these parameters alone.
pub(crate) fn carrying(rule: &Rule, params: &BTreeSet<usize>) -> Vec<bool> {
    let fields = rule.observed_fields.iter();
    let in_fields = fields.flat_map(|step| step.pairs.iter().map(|pairs| &pairs.body).chain([&step.body]));
    // A field may be read by any reduction.
    let all = in_fields.into_iter().any(|body| reads(body, params));
    let mut found: Vec<bool> = Vec::new();
    for (observable, unweighted) in rule.observables.iter().zip(rule.unweighted_in_observables(params)) {
        let mut carries = unweighted.is_some();
        observable.value.clone().visit(&mut |inner| {
            carries |= match inner {
                GlobalExpr::Param(index) => params.contains(&usize::from(*index)),
                GlobalExpr::Reduction(index) => all || reads(&rule.reductions[*index as usize].body, params),
                GlobalExpr::Observable(index) => found[*index as usize],
                _ => false,
            };
        });
        found.push(carries);
    }
    found
}
