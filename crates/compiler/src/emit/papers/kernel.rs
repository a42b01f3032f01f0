//! One kernel: a step of a rule, or its initial values.

use super::body::{Code, Names, Near, Needs, Place, ty_of};
use super::plan::{Grid, Strategy};
use crate::emit::cuda::Argument;
use crate::emit::cuda::operations::{Used, c_type};
use crate::ir::rule::{Body, NodeId, Op, Rule};
use minijinja::{Value, context};

/// A kernel of a [`Program`](super::Program).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Kernel {
    /// Its name in the program.
    pub name: String,
    /// Its arguments before the world.
    pub arguments: Vec<Argument>,
    /// The states that it stores.
    pub writes: Vec<u16>,
    /// Whether it looks for neighbours by way of the blocks around, and so by ν where blocks are compact.
    pub near: bool,
    /// Whether it finds its blocks by λ.
    pub corners: bool,
}

/// What all kernels of a program share.
pub(super) struct Setting<'a> {
    pub grid: &'a Grid,
    pub rule: &'a Rule,
    pub states: &'a [Names],
    /// How far tiles reach, if there are any.
    pub halo: Option<u32>,
}

/// Prints the code of one kernel; also tells what it needs of the program.
pub(super) fn print(
    setting: &Setting<'_>,
    used: &mut Used,
    name: String,
    about: String,
    body: &Body,
    guard: Option<NodeId>,
) -> (Kernel, Needs, Value) {
    let Setting { grid, rule, states, halo } = *setting;
    let place = Place {
        near: match halo {
            None => Near::Nowhere,
            Some(_) if grid.strategy == Strategy::Squeeze => Near::Tile,
            Some(_) => Near::Direct,
        },
        reach: halo.unwrap_or(0),
        axes: grid.axes(),
        level: grid.domain().level(),
        side: grid.domain().side(),
    };
    let mut code = Code::new(rule, body, place, states, used);
    let wanted: Vec<NodeId> = guard.into_iter().chain(body.results.iter().map(|(_, node)| *node)).collect();
    code.print(&wanted);
    let mut stores = Vec::new();
    for (state, node) in &body.results {
        let mut value = code.value(*node).to_owned();
        if let Some(guard) = guard {
            let own = code.own(*state);
            value = format!("{} ? {value} : {own}", code.value(guard));
        }
        stores.push((*state, value));
    }
    let (mut lines, needs) = (std::mem::take(&mut code.lines), std::mem::take(&mut code.needs));
    for (state, value) in stores {
        let value = used.canonical(ty_of(rule.state(state).ty), &value);
        lines.push(format!("{}[own] = {value};", states[usize::from(state.0)].next));
    }
    let ty = |state: u16| c_type(ty_of(rule.states[usize::from(state)].ty), false);
    let reads = needs.reads.iter().map(|state| Argument::Old(state.0));
    let writes: Vec<u16> = body.results.iter().map(|(state, _)| state.0).collect();
    let arguments: Vec<Argument> = reads.chain(writes.iter().map(|state| Argument::New(*state))).collect();
    let declared: Vec<String> = (arguments.iter())
        .map(|argument| match argument {
            Argument::Old(state) => format!("const {} *__restrict__ {}", ty(*state), states[usize::from(*state)].now),
            Argument::New(state) => format!("{} *__restrict__ {}", ty(*state), states[usize::from(*state)].next),
        })
        .collect();
    let tiles: Vec<Value> = (needs.tiles.iter())
        .map(|state| {
            let Names { now, tile, .. } = &states[usize::from(state.0)];
            context! { type => ty(state.0), name => tile, memory => now }
        })
        .collect();
    let near = needs.there || !needs.tiles.is_empty();
    let corners = near || needs.canonical || needs.point || grid.strategy != Strategy::Squeeze;
    let context = context! {
        about => [about],
        name => name.clone(),
        arguments => declared,
        canonical => needs.canonical,
        there => needs.there,
        point => needs.point,
        near,
        corners,
        tiles,
        body => lines,
    };
    (Kernel { name, arguments, writes, near, corners }, needs, context)
}

/// How far a body looks, each distance once, ascending.
pub(super) fn distances(rule: &Rule, grid: &Grid) -> Vec<u32> {
    let axes = grid.axes();
    let far = |offset: &[i32; 3]| offset[..axes].iter().map(|v| v.unsigned_abs()).max().unwrap_or(0);
    let mut list = Vec::new();
    for node in rule.steps.iter().flat_map(|step| &step.body.nodes) {
        match &node.op {
            Op::Read { offset, .. } => list.push(far(offset)),
            Op::Aggregate(aggregate) => {
                let around = &rule.neighbourhoods[usize::from(aggregate.neighbourhood)];
                list.push(around.offsets(grid.domain().dimension()).iter().map(far).max().unwrap_or(0));
            }
            _ => {}
        }
    }
    list.sort_unstable();
    list.dedup();
    list
}
