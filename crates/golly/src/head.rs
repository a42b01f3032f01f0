//! The head of a pattern: the rule, in a string that Golly itself reads, and the grid that it lives on.
//!
//! Golly has a reader for each family of rules, and each takes one notation: `B3/S23` for two states, `/2/3` for generations (survival, birth,
//! states), `R5,C0,M1,S34..58,B34..45,NM` for larger than life, `WireWorld` for that rule. Behind a colon follows the grid if it is bounded: `:T40,30`
//! is a torus, `:P40,30` a box with dead cells beyond its edges.

use super::strings::{elementary, joined, parse};
use super::{Counted, Golly, MOST_STATES, NeighbourShape, string_of};
use squeeze_compiler::geometry::Domain;
use squeeze_compiler::ir::evaluate::evaluate_flushed;
use squeeze_compiler::ir::{AggregateKind, Axes, Body, Dimension, Neighbourhood, NodeId, Op, Rule, Step, Type, Value};

/// Wireworld, as Golly calls it.
const WIREWORLD: &str = "WireWorld";

/// The rule that the head of a pattern in RLE names, such as `x = 3, y = 3, rule = B3/S23:T100,100`, and the grid behind the colon.
pub fn rule_in_head(head: &str) -> Option<(&str, Option<&str>)> {
    let at = head.strip_prefix(['x', 'X'])?.to_ascii_lowercase().find("rule")?;
    split_grid(head[1 + at + "rule".len()..].trim_start().strip_prefix('=')?)
}

/// A rule, and the grid behind its colon. `None` if there is no rule.
pub fn split_grid(rule: &str) -> Option<(&str, Option<&str>)> {
    let (rule, grid) = match rule.split_once(':') {
        Some((rule, grid)) => (rule.trim(), Some(grid.trim())),
        None => (rule.trim(), None),
    };
    (!rule.is_empty()).then_some((rule, grid.filter(|grid| !grid.is_empty())))
}

/// The string of a rule that a pattern's head calls by a name that Golly gives it, and the string itself of any other.
pub fn unnamed(rule: &str) -> &str {
    if rule.eq_ignore_ascii_case("life") { "B3/S23" } else { super::names::string_of(rule).unwrap_or(rule) }
}

/// Whether a pattern's head names wireworld, which no string describes.
pub fn is_wireworld(rule: &str) -> bool {
    rule.eq_ignore_ascii_case(WIREWORLD)
}

/// A rule of a pattern's head or of this project in the form that Golly reads. `None` if it is in no notation that is known here.
pub fn canonical(rule: &str) -> Option<String> {
    if is_wireworld(rule) {
        return Some(WIREWORLD.to_owned());
    }
    if let Some(number) = elementary(rule.trim()) {
        return number.ok().map(|number| format!("W{number}"));
    }
    if let Some(table) = Counted::parse(rule) {
        let Counted { neighbourhood, middle, odd, next } = table.ok()?;
        let most = neighbourhood.count() as usize;
        let next: Vec<Vec<u32>> = next.iter().map(|row| row[..=most].to_vec()).collect();
        return (!middle && !odd).then(|| named(neighbourhood, &next)).flatten();
    }
    parse(unnamed(rule.trim()))?.ok().map(|golly| golly.string())
}

/// A rule in the form that Golly reads, if it is one of Golly's: made of a string, or one that computes the same.
pub fn notation(rule: &Rule) -> Option<String> {
    let table = rule.doc.strip_suffix(super::NOTE_OF_TABLE).map(str::to_owned);
    string_of(rule).and_then(canonical).or(table).or_else(|| recognised(rule))
}

/// The grid of a domain as it stands behind the colon of a rule: `T40,30` for a torus, `P40,30` for a box. `None` for what has holes, other
/// values beyond its edges, one periodic axis of two, or not two axes.
pub fn grid_of(domain: &Domain) -> Option<String> {
    let fractal = domain.fractal();
    let [width, height, _] = domain.extent();
    let full = domain.dimension() == Dimension::Two && width.checked_mul(height) == Some(domain.cells());
    if !full || !fractal.edges.is_empty() {
        return None;
    }
    let kind = match fractal.periodic {
        Axes([true, true, _]) => 'T',
        Axes([false, false, _]) => 'P',
        Axes(_) => return None,
    };
    Some(format!("{kind}{width},{height}"))
}

/// The grid behind a colon, in words, and the domain that is the same.
///
/// # Errors
/// The name of the grid, if no domain is the same.
pub fn described(grid: &str) -> Result<(String, String), String> {
    let grid = normal(grid);
    let sides = grid.get(1..).and_then(|sides| sides.split_once(','));
    let sides = sides.and_then(|(x, y)| Some((x.parse::<u32>().ok()?, y.parse::<u32>().ok()?)));
    let (kind, periodic) = match grid.chars().next() {
        Some('T') => ("a torus", "  periodic"),
        Some('P') => ("a box", ""),
        _ => return Err(format!("the grid `{grid}`")),
    };
    match sides {
        Some((width @ 1.., height @ 1..)) => {
            Ok((format!("{kind} of {width} × {height}"), format!("size ({width}, {height}){periodic}")))
        }
        _ => Err(format!("the grid `{grid}`")),
    }
}

/// A grid as [`grid_of`] writes it: `T20` is `T20,20`.
fn normal(grid: &str) -> String {
    let grid: String = grid.chars().filter(|c| !c.is_whitespace()).collect::<String>().to_ascii_uppercase();
    match grid.get(1..) {
        Some(side) if !side.is_empty() && !side.contains(',') => format!("{grid},{side}"),
        _ => grid,
    }
}

/// Whether a domain is the grid behind a colon.
pub fn is_grid(grid: &str, domain: &Domain) -> bool {
    grid_of(domain).is_some_and(|own| own == normal(grid))
}

impl Golly {
    /// The rule as Golly reads it.
    pub(super) fn string(&self) -> String {
        let most = self.neighbourhood.count() + u32::from(self.middle);
        let digits = |ranges: &[(u32, u32)]| -> String {
            ranges.iter().flat_map(|&(low, high)| low..=high.min(most)).map(|count| count.to_string()).collect()
        };
        let (born, survives) = match &self.letters {
            Some(letters) => letters.each_ref().map(super::arrangements::canonical).into(),
            None => (digits(&self.born), digits(&self.survives)),
        };
        let (radius, letter) = match self.neighbourhood {
            NeighbourShape::Moore(1) if !self.middle => (1, ""),
            NeighbourShape::VonNeumann(1) if !self.middle => (1, "V"),
            NeighbourShape::Hexagon => (1, "H"),
            NeighbourShape::Moore(radius) => (radius, "NM"),
            NeighbourShape::VonNeumann(radius) => (radius, "NN"),
            NeighbourShape::Circle(radius) => (radius, "NC"),
        };
        if letter.starts_with('N') {
            let states = if self.states == 2 { 0 } else { self.states };
            let range = |ranges: &[(u32, u32)]| {
                let (low, high) = ranges.first().copied().unwrap_or_default();
                format!("{low}..{}", high.min(most))
            };
            let (survives, born) = (range(&self.survives), range(&self.born));
            return format!("R{radius},C{states},M{},S{survives},B{born},{letter}", u32::from(self.middle));
        }
        match self.states {
            2 => format!("B{born}/S{survives}{letter}"),
            states => format!("{survives}/{born}/{states}{letter}"),
        }
    }
}

/// The string of a rule that computes the same as one of Golly's: its one state depends on itself and on how many neighbours are in state 1.
/// All that it can depend on is tried, so a recognised rule is proved equal.
fn recognised(rule: &Rule) -> Option<String> {
    let [state] = &rule.states[..] else { return None };
    let states = match state.ty {
        Type::Bit => 2,
        Type::Enum(id) => rule.enum_type(id).variants.len() as u32,
        _ => return None,
    };
    let [Step { guard: None, order: None, body, .. }] = &rule.steps[..] else { return None };
    if !(2..=MOST_STATES).contains(&states) || !rule.fields.is_empty() || rule.needs_three_dimensions {
        return None;
    }
    let neighbourhood = neighbours(rule, body)?;
    let value = |number: u32| Value::from_bits(state.ty, u64::from(number));
    let next = |own: u32, count: u32| outcome(rule, body, value(own), value, count).map(|value| value.bits() as u32);
    let counts = 0..=neighbourhood.count();
    let table: Vec<Vec<u32>> =
        (0..states).map(|own| counts.clone().map(|count| next(own, count)).collect()).collect::<Option<_>>()?;
    named(neighbourhood, &table)
}

/// The string of a rule whose table gives the next state of each state, by how many neighbours are in state 1.
fn named(neighbourhood: NeighbourShape, table: &[Vec<u32>]) -> Option<String> {
    if is_table_of_wireworld(neighbourhood, table) {
        return Some(WIREWORLD.to_owned());
    }
    let (states, counts) = (table.len() as u32, 0..=neighbourhood.count());
    let fades = |own: u32| table[own as usize].iter().all(|&next| next == (own + 1) % states);
    let becomes = |own: usize, no: u32| table[own].iter().all(|&next| next == 1 || next == no);
    if !becomes(0, 0) || !becomes(1, 2 % states) || !(2..states).all(fades) {
        return None;
    }
    let ranges =
        |own: usize| joined(&counts.clone().filter(|&count| table[own][count as usize] == 1).collect::<Vec<u32>>());
    let golly = Golly { neighbourhood, middle: false, states, born: ranges(0), survives: ranges(1), letters: None };
    // Larger than life has one range for each.
    let small =
        matches!(neighbourhood, NeighbourShape::Moore(1) | NeighbourShape::VonNeumann(1) | NeighbourShape::Hexagon);
    (small || golly.born.len() == 1 && golly.survives.len() == 1).then(|| golly.string())
}

fn is_table_of_wireworld(neighbourhood: NeighbourShape, table: &[Vec<u32>]) -> bool {
    let [empty, head, tail, wire] = table else { return false };
    let all = |row: &[u32], next: u32| row.iter().all(|&value| value == next);
    neighbourhood == NeighbourShape::Moore(1)
        && all(empty, 0)
        && all(head, 2)
        && all(tail, 3)
        && wire.iter().enumerate().all(|(heads, &next)| next == if (1..=2).contains(&heads) { 1 } else { 3 })
}

/// The neighbourhood that all aggregates of a body have.
fn neighbours(rule: &Rule, body: &Body) -> Option<NeighbourShape> {
    let mut found = None;
    for node in &body.nodes {
        let Op::Aggregate(aggregate) = &node.op else { continue };
        let neighbourhood = match &rule.neighbourhoods[usize::from(aggregate.neighbourhood)] {
            Neighbourhood::Moore(radius) => NeighbourShape::Moore(*radius),
            Neighbourhood::VonNeumann(radius) => NeighbourShape::VonNeumann(*radius),
            Neighbourhood::Listed { offsets, .. } => listed(offsets)?,
            Neighbourhood::Pairs(_) => return None,
        };
        if found.is_some_and(|found| found != neighbourhood) {
            return None;
        }
        found = Some(neighbourhood);
    }
    Some(found.unwrap_or(NeighbourShape::Moore(1)))
}

/// A list that is one of Golly's neighbourhoods of radius 1.
fn listed(offsets: &[[i32; 3]]) -> Option<NeighbourShape> {
    let mut own = offsets.to_vec();
    own.sort_unstable();
    let is = |mut offsets: Vec<[i32; 3]>| {
        offsets.sort_unstable();
        offsets == own
    };
    let known = [
        (NeighbourShape::Hexagon, vec![[-1, -1, 0], [0, -1, 0], [-1, 0, 0], [1, 0, 0], [0, 1, 0], [1, 1, 0]]),
        (NeighbourShape::Moore(1), Neighbourhood::Moore(1).offsets(Dimension::Two)),
        (NeighbourShape::VonNeumann(1), Neighbourhood::VonNeumann(1).offsets(Dimension::Two)),
    ];
    known.into_iter().find_map(|(cells, offsets)| is(offsets).then_some(cells))
}

/// The state's next value where the cell has the value `own` and `count` neighbours are in state 1. `None` if it depends on anything else.
fn outcome(rule: &Rule, body: &Body, own: Value, state: impl Fn(u32) -> Value, count: u32) -> Option<Value> {
    let states = match own {
        Value::Enum(id, _) => rule.enum_type(id).variants.len() as u32,
        _ => 2,
    };
    let mut values: Vec<Value> = body.nodes.iter().map(|node| Value::zero(node.ty)).collect();
    let evaluate = |values: &[Value], id: NodeId, neighbour: Option<Value>| {
        let node = body.node(id);
        match node.op {
            Op::State(_) => Some(own),
            Op::Neighbour(_) => neighbour,
            _ => evaluate_flushed(rule.flush, node.ty, &node.op, |id| values[id.0 as usize]),
        }
    };
    for id in body.cell_nodes() {
        let Op::Aggregate(aggregate) = &body.node(id).op else {
            values[id.0 as usize] = evaluate(&values, id, None)?;
            continue;
        };
        // Its term must be 1 for the state 1 and 0 for all others, whatever the cell is.
        for number in 0..states {
            for id in aggregate.term.clone().map(NodeId) {
                values[id.0 as usize] = evaluate(&values, id, Some(state(number)))?;
            }
            let term = values[aggregate.value.0 as usize];
            if term.as_i128()? != i128::from(number == 1) {
                return None;
            }
        }
        values[id.0 as usize] = match (aggregate.kind, body.node(id).ty) {
            (AggregateKind::Sum | AggregateKind::Count, Type::I32) => Value::I32(count as i32),
            (AggregateKind::Any, _) => Value::Bit(count > 0),
            _ => return None,
        };
    }
    let [(_, result)] = &body.results[..] else { return None };
    Some(values[result.0 as usize])
}
