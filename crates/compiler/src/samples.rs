//! Fractals and rules for the tests of this folder.

use crate::check::{Library, NoFiles, check};
use crate::ir::{
    Aggregate, AggregateKind, Axes, BinaryOp, Body, CompareOp, Dimension, Fractal, FractalParts, Neighbourhood, Node,
    NodeId, Op, Pattern, Rule, RuleParts, State, StateId, Step, Type, Value,
};
use crate::text::source::Sources;
use std::sync::Arc;

/// What a text defines.
pub(crate) fn library(text: &str) -> Library {
    let mut sources = Sources::new();
    let root = sources.add("test", text);
    check(&mut sources, root, &mut NoFiles).unwrap_or_else(|errors| panic!("{text}\n{errors:?}"))
}

fn pattern(name: &str, dimension: Dimension, scale: u32, replicas: &[[u32; 3]]) -> Arc<Pattern> {
    box_pattern(name, dimension, dimension.scales(scale), replicas)
}

fn box_pattern(name: &str, dimension: Dimension, scale: [u32; 3], replicas: &[[u32; 3]]) -> Arc<Pattern> {
    Arc::new(Pattern { name: name.to_owned(), dimension, scale, replicas: replicas.to_vec(), places: None })
}

fn fractal(patterns: Vec<Arc<Pattern>>) -> Arc<Fractal> {
    let name = patterns[0].name.clone();
    Arc::new(Fractal(FractalParts {
        name,
        doc: String::new(),
        dimension: patterns[0].dimension,
        patterns,
        periodic: Axes::NONE,
        extent: None,
        edges: Vec::new(),
    }))
}

fn triangle_pattern() -> Arc<Pattern> {
    pattern("triangle", Dimension::Two, 2, &[[0, 0, 0], [0, 1, 0], [1, 1, 0]])
}

fn vicsek_pattern() -> Arc<Pattern> {
    pattern("vicsek", Dimension::Two, 3, &[[1, 0, 0], [0, 1, 0], [1, 1, 0], [2, 1, 0], [1, 2, 0]])
}

/// The Sierpinski triangle.
pub(crate) fn triangle() -> Arc<Fractal> {
    fractal(vec![triangle_pattern()])
}

/// A fractal with open edges, with periodic ones, and with each kind on one axis.
pub(crate) fn with_edges(fractal: Arc<Fractal>) -> impl Iterator<Item = Arc<Fractal>> {
    let mut all = vec![Axes::NONE, Axes::of(fractal.dimension)];
    if fractal.dimension != Dimension::One {
        all.extend([Axes([true, false, false]), Axes([false, true, false])]);
    }
    all.into_iter().map(move |periodic| Arc::new(Fractal(FractalParts { periodic, ..fractal.0.clone() })))
}

/// One of each kind: 2-D with connected and unconnected neighbours, full, mixed, 3-D, rectangular, also in part, and 1-D.
pub(crate) fn fractals() -> Vec<Arc<Fractal>> {
    let carpet = pattern(
        "carpet",
        Dimension::Two,
        3,
        &[[0, 0, 0], [1, 0, 0], [2, 0, 0], [0, 1, 0], [2, 1, 0], [0, 2, 0], [1, 2, 0], [2, 2, 0]],
    );
    let square = pattern("square", Dimension::Two, 2, &[[0, 0, 0], [1, 0, 0], [0, 1, 0], [1, 1, 0]]);
    let tetrix = pattern("tetrix", Dimension::Three, 2, &[[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]]);
    let stairs = box_pattern("stairs", Dimension::Two, [3, 2, 1], &[[0, 0, 0], [1, 0, 0], [1, 1, 0], [2, 1, 0]]);
    let wide = box_pattern("wide", Dimension::Two, [2, 1, 1], &[[0, 0, 0], [1, 0, 0]]);
    let line = pattern("line", Dimension::One, 3, &[[0, 0, 0], [2, 0, 0], [1, 0, 0]]);
    vec![
        triangle(),
        fractal(vec![vicsek_pattern()]),
        fractal(vec![carpet]),
        fractal(vec![square]),
        fractal(vec![triangle_pattern(), vicsek_pattern()]),
        fractal(vec![tetrix]),
        fractal(vec![stairs.clone()]),
        fractal(vec![wide, stairs]),
        fractal(vec![line]),
    ]
}

/// Builds a body node by node.
#[derive(Default)]
pub(crate) struct Code(pub Body);

impl Code {
    /// Adds a node.
    pub(crate) fn node(&mut self, ty: Type, op: Op) -> NodeId {
        self.0.nodes.push(Node { ty, op });
        NodeId(self.0.nodes.len() as u32 - 1)
    }

    /// Adds a constant.
    pub(crate) fn constant(&mut self, value: Value) -> NodeId {
        self.node(value.ty(), Op::Const(value))
    }

    /// Adds an aggregate over neighbourhood 0, whose term's nodes begin at `from` and end with its value.
    pub(crate) fn aggregate(&mut self, ty: Type, kind: AggregateKind, from: u32) -> NodeId {
        let end = self.0.nodes.len() as u32;
        let term =
            Aggregate { kind, neighbourhood: 0, term: from..end, value: NodeId(end - 1), otherwise: None, index: None };
        self.node(ty, Op::Aggregate(term))
    }

    /// The body, giving one state.
    pub(crate) fn giving(mut self, state: u16, node: NodeId) -> Body {
        self.0.results.push((StateId(state), node));
        self.0
    }
}

fn rule(name: &str, ty: Type, neighbourhood: Neighbourhood, init: Body, next: Body) -> Rule {
    Rule(RuleParts {
        bonds: Vec::new(),
        init_pairs: Vec::new(),
        observed_steps: 0,
        name: name.to_owned(),
        doc: String::new(),
        enums: Vec::new(),
        params: Vec::new(),
        states: vec![State { name: "s".to_owned(), ty }],
        neighbourhoods: vec![neighbourhood],
        init,
        init_from: Vec::new(),
        disorder: Vec::new(),
        rolling: Vec::new(),
        steps: vec![Step {
            name: None,
            globals: Vec::new(),
            guard: None,
            order: None,
            body: next,
            pairs: Vec::new(),
            clusters: Vec::new(),
        }],
        coloured: Vec::new(),
        globals: Vec::new(),
        fields: Vec::new(),
        index: None,
        inputs: Vec::new(),
        observed_fields: Vec::new(),
        reductions: Vec::new(),
        observables: Vec::new(),
        overlaps: Vec::new(),
        stop: None,
        equilibrium: None,
        picture: None,
        flush: false,
        needs_three_dimensions: false,
        names_coordinates: true,
        names_level: false,
        edges: Vec::new(),
        keeps_cheaper: false,
        sums: Vec::new(),
        earlier: Vec::new(),
    })
}

/// `next s = if s { n in survive } else { n in birth }`, n over a neighbourhood.
pub(crate) fn life_like(name: &str, neighbourhood: Neighbourhood, birth: &[i32], survive: &[i32]) -> Rule {
    let mut init = Code::default();
    let half = init.constant(Value::F64(0.4));
    let alive = init.node(Type::Bit, Op::RandomBit { draw: 0, probability: half });
    let mut next = Code::default();
    let own = next.node(Type::Bit, Op::State(StateId(0)));
    next.node(Type::Bit, Op::Neighbour(StateId(0)));
    let n = next.aggregate(Type::I32, AggregateKind::Count, 1);
    let mut among = |numbers: &[i32]| {
        let mut any = next.constant(Value::Bit(false));
        for number in numbers {
            let number = next.constant(Value::I32(*number));
            let equal = next.node(Type::Bit, Op::Compare(CompareOp::Equal, n, number));
            any = next.node(Type::Bit, Op::Binary(BinaryOp::Or, any, equal));
        }
        any
    };
    let (birth, survive) = (among(birth), among(survive));
    let select = Op::Select { condition: own, then: survive, otherwise: birth };
    let result = next.node(Type::Bit, select);
    rule(name, Type::Bit, neighbourhood, init.giving(0, alive), next.giving(0, result))
}

/// Life on fractals: B2/S23.
pub(crate) fn life() -> Rule {
    life_like("life", Neighbourhood::Moore(1), &[2], &[2, 3])
}

/// `next s = s + 0.1 · sum(von_neumann, nb.s − s)`
pub(crate) fn heat() -> Rule {
    let mut init = Code::default();
    let uniform = init.node(Type::F32, Op::RandomUniform { draw: 0 });
    let mut next = Code::default();
    let own = next.node(Type::F32, Op::State(StateId(0)));
    let there = next.node(Type::F32, Op::Neighbour(StateId(0)));
    next.node(Type::F32, Op::Binary(BinaryOp::Subtract, there, own));
    let sum = next.aggregate(Type::F32, AggregateKind::Sum, 1);
    let alpha = next.constant(Value::F32(0.1));
    let flow = next.node(Type::F32, Op::Binary(BinaryOp::Multiply, alpha, sum));
    let result = next.node(Type::F32, Op::Binary(BinaryOp::Add, own, flow));
    let init = init.giving(0, uniform);
    rule("heat", Type::F32, Neighbourhood::VonNeumann(1), init, next.giving(0, result))
}
