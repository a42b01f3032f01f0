//! Rules built by hand, against brute force on closed forms of their fractals.

use super::*;
use crate::ir::{
    Aggregate, AggregateKind, Axes, BinaryOp, Body, Combine, CompareOp, Dimension, EnumId, EnumType, FractalParts,
    Grouping, Neighbourhood, Node, NodeId, Op, Param, Pattern, Reduction, Round, RuleParts, State, Step, Type,
};
use crate::numbers::philox;
use std::collections::HashMap;

const LIMIT: u64 = 1 << 30;

fn fractal(name: &str, dimension: Dimension, patterns: &[(u32, &[[u32; 3]])]) -> Arc<Fractal> {
    let pattern = |&(scale, replicas): &(u32, &[[u32; 3]])| Pattern {
        name: name.into(),
        dimension,
        scale: dimension.scales(scale),
        replicas: replicas.into(),
        places: None,
    };
    let patterns = patterns.iter().map(|p| Arc::new(pattern(p))).collect();
    Arc::new(Fractal(FractalParts {
        name: name.into(),
        doc: String::new(),
        dimension,
        patterns,
        periodic: Axes::NONE,
        extent: None,
        edges: Vec::new(),
    }))
}

fn triangle() -> Arc<Fractal> {
    fractal("triangle", Dimension::Two, &[(2, &[[0, 0, 0], [0, 1, 0], [1, 1, 0]])])
}

fn cantor_dust_3d() -> Arc<Fractal> {
    let corners: Vec<[u32; 3]> = (0..8).map(|i| [2 * (i & 1), i & 2, (i & 4) / 2]).collect();
    fractal("dust", Dimension::Three, &[(3, &corners)])
}

/// Builds a body node by node.
#[derive(Default)]
struct Code(Body);

impl Code {
    fn node(&mut self, ty: Type, op: Op) -> NodeId {
        self.0.nodes.push(Node { ty, op });
        NodeId(self.0.nodes.len() as u32 - 1)
    }
    fn constant(&mut self, value: Value) -> NodeId {
        self.node(value.ty(), Op::Const(value))
    }
    fn binary(&mut self, ty: Type, op: BinaryOp, a: NodeId, b: NodeId) -> NodeId {
        self.node(ty, Op::Binary(op, a, b))
    }
    fn equals(&mut self, a: NodeId, value: Value) -> NodeId {
        let b = self.constant(value);
        self.node(Type::Bit, Op::Compare(CompareOp::Equal, a, b))
    }
    fn select(&mut self, ty: Type, condition: NodeId, then: NodeId, otherwise: NodeId) -> NodeId {
        self.node(ty, Op::Select { condition, then, otherwise })
    }
    /// An aggregate over neighbourhood 0 whose term begins at node `from`.
    fn aggregate(&mut self, ty: Type, kind: AggregateKind, from: u32, otherwise: Option<NodeId>) -> NodeId {
        let end = self.0.nodes.len() as u32;
        let value = NodeId(end - 1);
        self.node(
            ty,
            Op::Aggregate(Aggregate { kind, neighbourhood: 0, term: from..end, value, otherwise, index: None }),
        )
    }
    fn giving(mut self, state: u16, node: NodeId) -> Body {
        self.0.results.push((StateId(state), node));
        self.0
    }
}

fn rule(ty: Type, neighbourhood: Neighbourhood, init: Body, next: Body) -> Rule {
    Rule(RuleParts {
        init_pairs: Vec::new(),
        observed_steps: 0,
        bonds: Vec::new(),
        name: "test".into(),
        doc: String::new(),
        enums: vec![EnumType { variants: vec!["rest".into(), "excited".into()] }],
        params: vec![],
        states: vec![State { name: "s".into(), ty }],
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
        names_coordinates: false,
        names_level: false,
        edges: Vec::new(),
        keeps_cheaper: false,
        sums: Vec::new(),
        earlier: Vec::new(),
    })
}

fn reduction(kind: Combine, ty: Type) -> Reduction {
    let mut code = Code::default();
    let term = code.node(ty, Op::State(StateId(0)));
    Reduction { name: "o".into(), kind, ty, term, body: code.0.into(), grouping: Grouping::Whole, round: Round::First }
}

fn life() -> Rule {
    let mut init = Code::default();
    let half = init.constant(Value::F64(0.5));
    let alive = init.node(Type::Bit, Op::RandomBit { draw: 0, probability: half });
    let mut next = Code::default();
    let alive_now = next.node(Type::Bit, Op::State(StateId(0)));
    next.node(Type::Bit, Op::Neighbour(StateId(0)));
    let n = next.aggregate(Type::I32, AggregateKind::Count, 1, None);
    let two = next.equals(n, Value::I32(2));
    let three = next.equals(n, Value::I32(3));
    let stay = next.binary(Type::Bit, BinaryOp::Or, two, three);
    let result = next.select(Type::Bit, alive_now, stay, two);
    let mut rule = rule(Type::Bit, Neighbourhood::Moore(1), init.giving(0, alive), next.giving(0, result));
    rule.0.reductions.push(reduction(Combine::Sum, Type::Bit));
    rule
}

/// u + alpha · sum(von_neumann, nb.u − u), from coordinates.
fn heat() -> Rule {
    let mut init = Code::default();
    let x = init.node(Type::I32, Op::Coordinate(0));
    let y = init.node(Type::I32, Op::Coordinate(1));
    let (x, y) = (init.node(Type::F32, Op::Cast(x)), init.node(Type::F32, Op::Cast(y)));
    let third = init.constant(Value::F32(1.0 / 3.0));
    let x = init.binary(Type::F32, BinaryOp::Multiply, x, third);
    let start = init.binary(Type::F32, BinaryOp::Add, x, y);
    let mut next = Code::default();
    let own = next.node(Type::F32, Op::State(StateId(0)));
    let nb = next.node(Type::F32, Op::Neighbour(StateId(0)));
    next.binary(Type::F32, BinaryOp::Subtract, nb, own);
    let sum = next.aggregate(Type::F32, AggregateKind::Sum, 1, None);
    let alpha = next.node(Type::F32, Op::Param(0));
    let change = next.binary(Type::F32, BinaryOp::Multiply, alpha, sum);
    let result = next.binary(Type::F32, BinaryOp::Add, own, change);
    let mut rule = rule(Type::F32, Neighbourhood::VonNeumann(1), init.giving(0, start), next.giving(0, result));
    rule.0.params.push(Param {
        name: "alpha".into(),
        ty: Type::F32,
        default: Value::F32(0.1),
        derived: None,
        range: None,
        range_in: None,
    });
    rule.0.names_coordinates = true;
    rule.0.reductions.push(reduction(Combine::Sum, Type::F32));
    rule
}

fn default_params(rule: &Rule) -> Vec<Value> {
    rule.params.iter().map(|param| param.default).collect()
}

fn start(fractal: &Arc<Fractal>, level: u32, rule: &Rule, seed: u64) -> Oracle {
    Oracle::new(fractal, level, Arc::new(rule.clone()), seed, default_params(rule), LIMIT).unwrap()
}

/// The cells of the triangle are those whose x has ones only where y has them; digit d is the sum of the two bits.
fn triangle_cells(level: u32) -> HashMap<(i64, i64), u64> {
    let mut cells = HashMap::new();
    for y in 0..1i64 << level {
        for x in (0..1i64 << level).filter(|x| x & !y == 0) {
            let digit = |i: u32| ((x >> i & 1) + (y >> i & 1)) as u64 * 3u64.pow(i);
            cells.insert((x, y), (0..level).map(digit).sum());
        }
    }
    cells
}

#[test]
fn the_cells_are_where_the_closed_form_has_them() {
    let oracle = start(&triangle(), 6, &life(), 0);
    let cells = triangle_cells(6);
    assert_eq!((oracle.cells(), oracle.side(), oracle.state_bytes()), (729, 64, 2 * 64 * 64));
    assert_eq!(cells.len(), 729);
    for (&(x, y), &c) in &cells {
        assert_eq!(oracle.coordinate(c), [x as u64, y as u64, 0]);
    }
}

#[test]
fn life_on_the_triangle_equals_brute_force() {
    let (level, seed) = (6, 0x1234_5678_9abc_def0);
    let cells = triangle_cells(level);
    // Its digits, from the highest down, are those of the digit-reversed index from the lowest up.
    let reversed = |c: u64| (0..level).fold(0, |q, i| q * 3 + c / 3u64.pow(i) % 3);
    let mut alive: HashMap<(i64, i64), bool> =
        cells.iter().map(|(&p, &c)| (p, philox::draw(seed, reversed(c), 0, 0) < 1 << 31)).collect();
    let mut oracle = start(&triangle(), level, &life(), seed);
    for t in 0..10 {
        assert_eq!(oracle.time(), t);
        let mut digest = 0u64;
        for (p, &c) in &cells {
            assert_eq!(oracle.value(StateId(0), c), Value::Bit(alive[p]), "{p:?} at {t}");
            digest = digest.wrapping_add(crate::numbers::digest::term(c, u64::from(alive[p])));
        }
        assert_eq!(oracle.digest(StateId(0)), digest);
        let population = alive.values().filter(|&&a| a).count() as i64;
        assert!(population > 0);
        assert_eq!(oracle.reductions().unwrap(), [ObservedValue::Integer(population)]);
        let count = |(x, y): (i64, i64)| {
            let around = (-1..=1).flat_map(|dy| (-1..=1).map(move |dx| (dx, dy))).filter(|&o| o != (0, 0));
            around.filter(|(dx, dy)| alive.get(&(x + dx, y + dy)) == Some(&true)).count()
        };
        alive = alive.iter().map(|(&p, &a)| (p, if a { (2..=3).contains(&count(p)) } else { count(p) == 2 })).collect();
        oracle.step().unwrap();
    }
}

#[test]
fn heat_on_the_triangle_equals_brute_force() {
    let level = 5;
    let cells = triangle_cells(level);
    let mut u: HashMap<(i64, i64), f32> =
        cells.keys().map(|&(x, y)| ((x, y), x as f32 * (1.0 / 3.0) + y as f32)).collect();
    let mut oracle = start(&triangle(), level, &heat(), 0);
    oracle.set_params(&[Value::F32(0.15)]).unwrap();
    for _ in 0..10 {
        let mut by_index = vec![0.0f64; cells.len()];
        for (p, &c) in &cells {
            assert_eq!(oracle.value(StateId(0), c), Value::F32(u[p]), "{p:?}");
            by_index[c as usize] = f64::from(u[p]);
        }
        while by_index.len() > 1 {
            by_index = by_index.chunks(3).map(|v| 0.0 + v[0] + v[1] + v[2]).collect();
        }
        assert_eq!(oracle.reductions().unwrap()[0], ObservedValue::Float(by_index[0]));
        let next = |(x, y): (i64, i64), own: f32| {
            let mut sum = 0.0f32;
            for p in [(x, y - 1), (x - 1, y), (x + 1, y), (x, y + 1)] {
                if let Some(nb) = u.get(&p) {
                    sum += nb - own;
                }
            }
            own + 0.15 * sum
        };
        u = u.iter().map(|(&p, &own)| (p, next(p, own))).collect();
        oracle.step().unwrap();
    }
}

#[test]
fn three_dimensions_and_mixed_levels_place_cells_by_the_definition() {
    let cross: &[[u32; 3]] = &[[1, 0, 0], [0, 1, 0], [1, 1, 0], [2, 1, 0], [1, 2, 0]];
    let mixed = fractal("mixed", Dimension::Two, &[(2, &[[0, 0, 0], [0, 1, 0], [1, 1, 0]]), (3, cross)]);
    let oracle = start(&mixed, 3, &life(), 0);
    assert_eq!((oracle.cells(), oracle.side()), (45, 12));
    // c = 2 + 3·4 + 15·1: digits 2, 4, 1.
    assert_eq!(oracle.coordinate(29), [1 + 2, 1 + 4 + 6, 0]);
    let dust = start(&cantor_dust_3d(), 2, &life(), 0);
    assert_eq!((dust.cells(), dust.side()), (64, 9));
    assert_eq!(dust.coordinate(3 + 8 * 6), [2, 2 + 6, 6]);
    let point = start(&triangle(), 0, &life(), 0);
    assert_eq!((point.cells(), point.side(), point.coordinate(0)), (1, 1, [0, 0, 0]));
}

#[test]
fn steps_read_the_state_before_them_and_guards_keep() {
    // s counts; the first step adds one where x is even, the second doubles everywhere.
    let mut rule = rule(Type::U8, Neighbourhood::Moore(1), Body::default(), Body::default());
    let mut first = Code::default();
    let x = first.node(Type::I32, Op::Coordinate(0));
    let two = first.constant(Value::I32(2));
    let parity = first.binary(Type::I32, BinaryOp::Remainder, x, two);
    let even = first.equals(parity, Value::I32(0));
    let own = first.node(Type::U8, Op::State(StateId(0)));
    let one = first.constant(Value::U8(1));
    let more = first.binary(Type::U8, BinaryOp::Add, own, one);
    let mut second = Code::default();
    let own = second.node(Type::U8, Op::State(StateId(0)));
    let twice = second.binary(Type::U8, BinaryOp::Add, own, own);
    rule.0.steps = vec![
        Step {
            globals: Vec::new(),
            name: Some("a".into()),
            guard: Some(even),
            order: None,
            body: first.giving(0, more),
            pairs: Vec::new(),
            clusters: Vec::new(),
        },
        Step {
            globals: Vec::new(),
            name: Some("b".into()),
            guard: None,
            order: None,
            body: second.giving(0, twice),
            pairs: Vec::new(),
            clusters: Vec::new(),
        },
    ];
    // A second state without `next` keeps what it was set to.
    rule.0.states.push(State { name: "kept".into(), ty: Type::F32 });
    let mut oracle = start(&triangle(), 2, &rule, 0);
    oracle.set_value(StateId(1), 4, Value::F32(f32::from_bits(0xff80_0001))).unwrap();
    for _ in 0..3 {
        oracle.step().unwrap();
    }
    for c in 0..9 {
        let even = oracle.coordinate(c)[0].is_multiple_of(2);
        assert_eq!(oracle.value(StateId(0), c), Value::U8(if even { 14 } else { 0 }));
    }
    let Value::F32(kept) = oracle.value(StateId(1), 4) else { panic!() };
    assert_eq!(kept.to_bits(), 0x7fc0_0000);
}

#[test]
fn minima_reads_and_offsets_know_holes() {
    // max of dx + c-th seed …: here the largest dx of an existing neighbour, or −9 where there is none.
    let mut next = Code::default();
    let none = next.constant(Value::I32(-9));
    next.node(Type::I32, Op::Offset(0));
    let most = next.aggregate(Type::I32, AggregateKind::Max, 1, Some(none));
    let listed = Neighbourhood::Listed { name: "right".into(), offsets: vec![[0, -1, 0], [1, 0, 0], [2, 0, 0]] };
    let rule_max = rule(Type::I32, listed, Body::default(), next.giving(0, most));
    let mut oracle = start(&triangle(), 2, &rule_max, 0);
    oracle.step().unwrap();
    // The level-2 triangle: rows x = {0}, {0, 1}, {0, 2}, {0, 1, 2, 3}.
    let at = |oracle: &Oracle, p: (i64, i64)| oracle.value(StateId(0), triangle_cells(2)[&p]);
    for (p, expected) in [((0, 0), -9), ((0, 1), 1), ((1, 1), -9), ((0, 2), 2), ((1, 3), 2), ((2, 3), 1), ((3, 3), -9)]
    {
        assert_eq!(at(&oracle, p), Value::I32(expected), "{p:?}");
    }
    let mut next = Code::default();
    let otherwise = next.constant(Value::I32(-1));
    let read = next.node(Type::I32, Op::Read { state: StateId(0), offset: [1, 0, 0], otherwise });
    let rule_read = rule(Type::I32, Neighbourhood::Moore(1), Body::default(), next.giving(0, read));
    let mut oracle = start(&triangle(), 2, &rule_read, 0);
    oracle.set_value(StateId(0), triangle_cells(2)[&(1, 1)], Value::I32(5)).unwrap();
    oracle.step().unwrap();
    for (p, expected) in [((0, 0), -1), ((0, 1), 5), ((1, 1), -1), ((0, 2), -1), ((2, 3), 0), ((3, 3), -1)] {
        assert_eq!(at(&oracle, p), Value::I32(expected), "{p:?}");
    }
}

#[test]
fn draws_follow_cell_time_and_number() {
    let mut init = Code::default();
    let word = init.node(Type::U32, Op::RandomBits { draw: 6 });
    let mut next = Code::default();
    let other = next.node(Type::U32, Op::RandomBits { draw: 1 });
    let time = next.node(Type::U32, Op::Time);
    let both = next.binary(Type::U32, BinaryOp::Add, other, time);
    let rule = rule(Type::U32, Neighbourhood::Moore(1), init.giving(0, word), next.giving(0, both));
    let mut oracle = start(&cantor_dust_3d(), 2, &rule, 77);
    // The two digits of c, exchanged.
    let reversed = |c: u64| c % 8 * 8 + c / 8;
    let words =
        |t, d| (0..64).map(|c| Value::U32(philox::draw(77, reversed(c), t, d).wrapping_add(t))).collect::<Vec<_>>();
    assert_eq!(oracle.values(StateId(0)).collect::<Vec<_>>(), words(0, 6));
    oracle.step().unwrap();
    oracle.step().unwrap();
    assert_eq!(oracle.values(StateId(0)).collect::<Vec<_>>(), words(2, 1));
}

#[test]
fn what_does_not_fit_is_refused_with_what_would() {
    let new = |fractal: &Arc<Fractal>, level, rule: Rule, limit| {
        let params = default_params(&rule);
        Oracle::new(fractal, level, Arc::new(rule), 0, params, limit).map(|_| ()).unwrap_err()
    };
    // Level 3: 64 places of 3 bytes, 27 cells of 16, eight offsets of 36.
    let needed = Oracle::bytes_needed(&triangle(), 3, &life()).unwrap();
    assert_eq!(needed, 64 * 3 + 27 * 16 + 8 * 36);
    assert_eq!(
        new(&triangle(), 4, life(), needed).to_string(),
        "`test` on the expanded grid of `triangle` at level 4 needs 2352 bytes of memory and may use 912; \
         the largest level that fits is 3"
    );
    let OracleError::TooLarge { needed, largest, .. } = new(&triangle(), u32::MAX, life(), 5) else { panic!() };
    assert_eq!((needed, largest), (None, None));
    assert_eq!(
        new(&triangle(), 40, life(), LIMIT).to_string(),
        "`test` on the expanded grid of `triangle` at level 40 needs more than 2^64 bytes of memory and may use \
         1073741824; the largest level that fits is 14"
    );
    let mut rule = life();
    rule.0.neighbourhoods = vec![Neighbourhood::Moore(u32::MAX)];
    assert!(matches!(new(&triangle(), 1, rule, LIMIT), OracleError::TooLarge { needed: None, .. }));
    let mut rule = life();
    rule.0.needs_three_dimensions = true;
    assert!(matches!(new(&triangle(), 1, rule, LIMIT), OracleError::Misfit(_)));
}

#[test]
fn values_and_parameters_are_checked() {
    let rule = heat();
    let arc = Arc::new(rule.clone());
    let new = |params| Oracle::new(&triangle(), 2, Arc::clone(&arc), 0, params, LIMIT).map(|_| ()).unwrap_err();
    assert_eq!(new(vec![]).to_string(), "the rule has 1 parameters, but 0 values were given");
    assert_eq!(new(vec![Value::F64(0.1)]).to_string(), "`alpha` is of type f32, but the value is of type f64");
    let mut oracle = start(&triangle(), 2, &rule, 0);
    let two = oracle.set_params(&[Value::F32(0.0); 2]).unwrap_err();
    assert_eq!(two.to_string(), "the rule has 1 parameters, but 2 values were given");
    assert_eq!(
        oracle.set_value(StateId(0), 9, Value::F32(0.0)).unwrap_err().to_string(),
        "there is no cell 9: the cells are numbered from 0 to 8"
    );
    let phase = Type::Enum(EnumId(0));
    let rule = self::rule(phase, Neighbourhood::Moore(1), Body::default(), Body::default());
    let mut oracle = start(&triangle(), 1, &rule, 0);
    oracle.set_value(StateId(0), 2, Value::Enum(EnumId(0), 1)).unwrap();
    assert_eq!(
        oracle.set_value(StateId(0), 2, Value::Enum(EnumId(0), 2)).unwrap_err().to_string(),
        "`s` has no variant number 2; it has rest, excited, numbered from 0"
    );
}

#[test]
fn time_ends() {
    let mut oracle = start(&triangle(), 1, &life(), 0);
    oracle.time = u32::MAX - 1;
    oracle.step().unwrap();
    assert_eq!(oracle.step().unwrap_err().to_string(), "the time is 2^32 − 1, the last there is");
    assert_eq!(oracle.time(), u32::MAX);
}
