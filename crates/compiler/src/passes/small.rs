//! Numbers that are made of a few bits become logic.
//!
//! Counts, numbers of bits, choices between constants, and sums, differences and multiples of such are sums of bits with weights ([`WeightedSum`]). An integer that
//! follows from one form alone is a list of its values, one for each value of the form ([`Small`]): remainders, minima, tables. So a comparison, or a digit,
//! asks whether a form is one of some numbers, and that is logic: tests of a count, which [`boolean`](super::boolean) makes the least of, or where the weights
//! are those of digits a shared decision diagram. Of inputs that a table treats alike only their count matters.
//!
//! Kernels are taken so where nothing but bits is left of them: beside numbers that stay, others do better as numbers.

use crate::kernel::graph::{KernelBuilder, remade};
use crate::kernel::{LaneType, Node, Op, ValueId};
use crate::numbers::operators::{BinaryOp, CompareOp, UnaryOp};
use crate::numbers::value::Value;
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;
use std::rc::Rc;

/// The most by which the greatest value of a form is more than the least: sixteen digits.
const MOST_SPAN: i64 = (1 << 16) - 1;
/// The most that the least value of a form may be away from 0, so that no multiple of it is beyond 64 bits.
const MOST_LEAST: i64 = 1 << 40;
/// The most values of all lists. Guess: a fraction of a second.
const MOST_LISTED: usize = 1 << 21;
/// The most bits that a count adds, each as often as its weight says. Guess: not measured.
const MOST_COUNTED: i64 = 256;
/// The most digits of a list of values that is added to other numbers. Guess: not measured.
const MOST_DIGITS: u32 = 8;
/// The most digits of a count that [`boolean`](super::boolean) takes for a table, and the most runs of numbers that a larger one is compared with.
const DIGITS_OF_TABLE: u32 = 6;
const MOST_RUNS: usize = 4;
/// The fewest inputs that a table treats alike for them to be counted, and the most others beside them. Guess: not measured.
const FEWEST_ALIKE: usize = 3;
const MOST_OTHERS: usize = 3;

/// A sum of bits with weights.
#[derive(Clone, Debug, PartialEq, Eq)]
struct WeightedSum {
    least: i64,
    /// Bits, ascending, and how much each adds where it is true, which is more than 0.
    terms: Vec<(ValueId, i64)>,
}

/// An integer that follows from a form.
#[derive(Clone, Debug)]
struct Small {
    form: Rc<WeightedSum>,
    /// For each value of the form, from the least on; without them it is the form itself.
    values: Option<Rc<[i64]>>,
}

/// A bit for each value of a form, from the least on.
type RowBits = Vec<bool>;

impl WeightedSum {
    fn span(&self) -> i64 {
        self.terms.iter().map(|(_, weight)| weight).sum()
    }

    fn is_constant(&self) -> bool {
        self.terms.is_empty()
    }

    /// The bits by the digits that they are, the lowest first, if each is another one.
    fn digits(&self) -> Option<Vec<Option<ValueId>>> {
        let mut digits = Vec::new();
        for (bit, weight) in &self.terms {
            let place = weight.trailing_zeros() as usize;
            digits.resize(digits.len().max(place + 1), None);
            if weight.count_ones() != 1 || digits[place].replace(*bit).is_some() {
                return None;
            }
        }
        Some(digits)
    }
}

impl Small {
    /// The value in a row of its form, or of another one if it is the same everywhere.
    fn at(&self, row: usize) -> i64 {
        let row = if self.form.is_constant() { 0 } else { row };
        self.values.as_ref().map_or_else(|| self.form.least + row as i64, |values| values[row])
    }

    /// The number that it is everywhere.
    fn everywhere(&self) -> Option<i64> {
        self.form.is_constant().then(|| self.at(0))
    }
}

/// The nodes with the comparisons of small numbers as logic; `None` if there are none but those of counts with constants.
pub(crate) fn as_logic(nodes: &[Node], flush: bool) -> Option<Vec<Node>> {
    let numbers = Vec::with_capacity(nodes.len());
    let mut maker = Maker { numbers, tests: FxHashMap::default(), made: false, left: MOST_LISTED };
    let graph = remade(nodes, flush, |graph, node, new| {
        let small = maker.small(graph, node, new);
        let bit = if small.is_some() { None } else { maker.bit(graph, nodes, node, new) };
        maker.numbers.push(small);
        bit.unwrap_or_else(|| graph.copy(node, new))
    });
    maker.made.then(|| graph.into_nodes())
}

/// The work on a kernel.
struct Maker {
    /// What is known of each old node.
    numbers: Vec<Option<Small>>,
    /// The new bits that ask whether a form is one of some numbers.
    tests: FxHashMap<ValueId, (Rc<WeightedSum>, Rc<RowBits>)>,
    /// Whether anything was made that the other passes do not.
    made: bool,
    /// How many values of lists may be made.
    left: usize,
}

impl Maker {
    fn of(&self, id: ValueId) -> Option<&Small> {
        self.numbers[id.0 as usize].as_ref()
    }

    /// An integer, if it is small.
    fn small(&mut self, graph: &mut KernelBuilder, node: &Node, new: &[ValueId]) -> Option<Small> {
        let ty = node.ty.filter(|ty| *ty != LaneType::Bits)?;
        let (least, most) = Value::range(ty.scalar())?;
        let holds = |number: i64| (least..=most).contains(&i128::from(number));
        if let Some(form) = self.linear(graph, node, new)
            && holds(form.least)
            && holds(form.least + form.span())
        {
            return Some(Small { form: Rc::new(form), values: None });
        }
        self.listed(graph, node, new)
    }

    /// A sum of bits with weights.
    fn linear(&mut self, graph: &mut KernelBuilder, node: &Node, new: &[ValueId]) -> Option<WeightedSum> {
        let bits = |terms: &[ValueId], weight: &dyn Fn(usize) -> i64| {
            terms.iter().enumerate().map(|(place, bit)| (new[bit.0 as usize], weight(place))).collect::<Vec<_>>()
        };
        match &node.op {
            Op::Const(value) => weighted(graph, i64::try_from(value.as_i128()?).ok()?, Vec::new()),
            Op::Count(terms) => weighted(graph, 0, bits(terms, &|_| 1)),
            Op::Widen(planes) => weighted(graph, 0, bits(planes, &|place| 1 << place)),
            Op::Cast(a) => self.form(graph, *a).filter(|_| self.of(*a).is_some_and(|a| a.values.is_none())),
            Op::Unary(UnaryOp::Negate, a) => {
                let a = self.form(graph, *a)?;
                added(graph, &[(-1, &a)])
            }
            Op::Binary(op @ (BinaryOp::Add | BinaryOp::Subtract), a, b) => {
                // What follows from one form stays a list of its values.
                if let (Some(a), Some(b)) = (self.of(*a), self.of(*b))
                    && (a.values.is_some() || b.values.is_some())
                    && (a.form == b.form || a.form.is_constant() || b.form.is_constant())
                {
                    return None;
                }
                let (a, b) = (self.form(graph, *a)?, self.form(graph, *b)?);
                added(graph, &[(1, &a), (if *op == BinaryOp::Add { 1 } else { -1 }, &b)])
            }
            Op::Binary(BinaryOp::Or | BinaryOp::Xor, a, b) => {
                // Of numbers without a digit in common it is the sum.
                let (a, b) = (self.form(graph, *a)?, self.form(graph, *b)?);
                let digits = |form: &WeightedSum| form.digits().filter(|_| form.least == 0).map(|_| form.span());
                (digits(&a)? & digits(&b)? == 0).then(|| added(graph, &[(1, &a), (1, &b)])).flatten()
            }
            Op::Binary(BinaryOp::Multiply, a, b) => {
                let (factor, other) = match (self.of(*a)?.everywhere(), self.of(*b)?.everywhere()) {
                    (Some(factor), _) => (factor, *b),
                    (_, Some(factor)) => (factor, *a),
                    _ => return None,
                };
                let other = self.of(other).filter(|other| other.values.is_none())?.form.clone();
                added(graph, &[(factor, &other)])
            }
            Op::Shift { left: true, value, count } => {
                let (value, count) = (self.of(*value)?, self.of(*count)?.everywhere()?);
                let form = Rc::clone(&value.form);
                let suits = value.values.is_none() && (0..32).contains(&count);
                suits.then(|| added(graph, &[(1 << count, &form)])).flatten()
            }
            Op::Select { condition, then, otherwise } => {
                let condition = new[condition.0 as usize];
                if self.tests.contains_key(&condition) && self.is_listed(condition, *then, *otherwise) {
                    return None;
                }
                let (then, otherwise) = (self.form(graph, *then)?, self.form(graph, *otherwise)?);
                let mut terms = vec![(condition, then.least - otherwise.least)];
                for (bit, weight) in &then.terms {
                    terms.push((graph.and(*bit, condition), *weight));
                }
                for (bit, weight) in &otherwise.terms {
                    terms.push((graph.and_not(*bit, condition), *weight));
                }
                weighted(graph, otherwise.least, terms)
            }
            _ => None,
        }
    }

    /// Whether a choice by a test follows from the form that is tested.
    fn is_listed(&self, condition: ValueId, then: ValueId, otherwise: ValueId) -> bool {
        let Some((form, _)) = self.tests.get(&condition) else { return false };
        let follows = |id| self.of(id).is_some_and(|of: &Small| of.form.is_constant() || of.form == *form);
        follows(then) && follows(otherwise)
    }

    /// An integer that follows from one form alone.
    fn listed(&mut self, graph: &KernelBuilder, node: &Node, new: &[ValueId]) -> Option<Small> {
        let ty = node.ty?;
        let mut operands = node.op.operands();
        let condition = match &node.op {
            Op::Select { condition, .. } => {
                operands.remove(0);
                Some(self.tests.get(&new[condition.0 as usize])?)
            }
            Op::Unary(..) | Op::Binary(..) | Op::Shift { .. } | Op::Cast(_) | Op::LookUp { .. } => None,
            _ => return None,
        };
        let form = self.one_form(&operands, condition.map(|(form, _)| form))?;
        let condition = condition.map(|(_, rows)| Rc::clone(rows));
        self.left = self.left.checked_sub(form.span() as usize + 1)?;
        let value = |row: usize| {
            let mut of = |id: ValueId| match (&node.op, &condition) {
                (Op::Select { condition, .. }, Some(rows)) if *condition == id => Some(Value::Bit(rows[row])),
                _ => Some(Value::whole(graph.ty(new[id.0 as usize]).scalar(), self.of(id)?.at(row).into())),
            };
            graph.evaluate(ty, &node.op, &mut of).and_then(|value| i64::try_from(value.as_i128()?).ok())
        };
        let values = (0..=form.span() as usize).map(value).collect::<Option<Rc<[i64]>>>()?;
        Some(Small { form, values: Some(values) })
    }

    /// The only form from which these numbers follow, and a given form if there is one.
    fn one_form<'s>(&'s self, numbers: &[ValueId], mut form: Option<&'s Rc<WeightedSum>>) -> Option<Rc<WeightedSum>> {
        for id in numbers {
            let of = &self.of(*id)?.form;
            match form {
                Some(form) if of.is_constant() || of == form => {}
                Some(other) if !other.is_constant() => return None,
                _ => form = Some(of),
            }
        }
        form.cloned()
    }

    /// A small number as a sum of bits: what follows from a form by its digits.
    fn form(&mut self, graph: &mut KernelBuilder, id: ValueId) -> Option<WeightedSum> {
        let Small { form, values } = self.of(id)?.clone();
        let Some(values) = values else { return Some(WeightedSum::clone(&form)) };
        let (least, most) = (*values.iter().min()?, *values.iter().max()?);
        let digits = u64::BITS - most.abs_diff(least).leading_zeros();
        if digits > MOST_DIGITS {
            return None;
        }
        let mut terms = Vec::new();
        for digit in 0..digits {
            let rows = values.iter().map(|value| (value - least) >> digit & 1 == 1).collect();
            terms.push((self.test(graph, &form, rows)?, 1 << digit));
        }
        weighted(graph, least, terms)
    }

    /// A bit that asks something of small numbers, or is made of such bits.
    fn bit(&mut self, graph: &mut KernelBuilder, nodes: &[Node], node: &Node, new: &[ValueId]) -> Option<ValueId> {
        let made = match node.op {
            Op::Compare(op, a, b) => {
                let is_plain = |id: ValueId| matches!(nodes[id.0 as usize].op, Op::Count(_) | Op::Const(_));
                let holds = |a: i64, b: i64| match op {
                    CompareOp::Equal => a == b,
                    CompareOp::NotEqual => a != b,
                    CompareOp::Less => a < b,
                    CompareOp::LessEqual => a <= b,
                    CompareOp::Greater => a > b,
                    CompareOp::GreaterEqual => a >= b,
                };
                if let Some(form) = self.one_form(&[a, b], None) {
                    let (left, right) = (self.of(a)?, self.of(b)?);
                    let rows: RowBits =
                        (0..=form.span() as usize).map(|row| holds(left.at(row), right.at(row))).collect();
                    if is_plain(a) && is_plain(b) {
                        let made = graph.copy(node, new);
                        self.tests.insert(made, (form, Rc::new(rows)));
                        return Some(made);
                    }
                    self.test(graph, &form, rows)?
                } else {
                    let (left, right) = (self.form(graph, a)?, self.form(graph, b)?);
                    let difference = added(graph, &[(1, &left), (-1, &right)])?;
                    let rows = (0..=difference.span()).map(|row| holds(difference.least + row, 0)).collect();
                    self.test(graph, &Rc::new(difference), rows)?
                }
            }
            Op::Digit { value, bit } => {
                let of = self.of(value)?.clone();
                let rows = (0..=of.form.span() as usize).map(|row| of.at(row) >> bit & 1 == 1).collect();
                self.test(graph, &of.form, rows)?
            }
            Op::Not(a) => {
                let (form, rows) = self.tests.get(&new[a.0 as usize])?.clone();
                let made = graph.copy(node, new);
                self.tests.insert(made, (form, Rc::new(rows.iter().map(|row| !row).collect())));
                return Some(made);
            }
            Op::Logic(op, a, b) => {
                let (form, left) = self.tests.get(&new[a.0 as usize])?.clone();
                let (other, right) = self.tests.get(&new[b.0 as usize])?.clone();
                let made = graph.copy(node, new);
                if form == other {
                    let rows = left.iter().zip(right.iter()).map(|(left, right)| op.apply(*left, *right)).collect();
                    self.tests.insert(made, (form, Rc::new(rows)));
                }
                return Some(made);
            }
            _ => return None,
        };
        self.made = true;
        Some(made)
    }

    /// Whether a form is one of some numbers; `None` if that takes too much.
    fn test(&mut self, graph: &mut KernelBuilder, form: &Rc<WeightedSum>, rows: RowBits) -> Option<ValueId> {
        let made = asked(graph, form, &rows)?;
        self.tests.insert(made, (Rc::clone(form), Rc::new(rows)));
        Some(made)
    }
}

/// A number and some bits with weights of any sign, added up; `None` if that is no small number.
fn weighted(graph: &mut KernelBuilder, mut least: i64, terms: Vec<(ValueId, i64)>) -> Option<WeightedSum> {
    let mut weights: BTreeMap<ValueId, i64> = BTreeMap::new();
    for (bit, weight) in terms {
        match *graph.op(bit) {
            Op::Const(value) => least += weight * i64::from(value == Value::Bit(true)),
            Op::Not(inner) => {
                least += weight;
                *weights.entry(inner).or_default() -= weight;
            }
            _ => *weights.entry(bit).or_default() += weight,
        }
    }
    let mut terms = Vec::new();
    for (bit, weight) in weights.into_iter().filter(|(_, weight)| *weight != 0) {
        if weight < 0 {
            least += weight;
        }
        terms.push((if weight < 0 { graph.not(bit) } else { bit }, weight.abs()));
    }
    terms.sort_unstable();
    let form = WeightedSum { least, terms };
    let is_small = form.span() <= MOST_SPAN && form.least.unsigned_abs() <= MOST_LEAST as u64;
    (is_small && form.terms.len() as i64 <= MOST_COUNTED).then_some(form)
}

/// The sum of multiples of some forms.
fn added(graph: &mut KernelBuilder, parts: &[(i64, &WeightedSum)]) -> Option<WeightedSum> {
    if parts.iter().any(|(factor, _)| factor.unsigned_abs() > MOST_SPAN as u64) {
        return None;
    }
    let least = parts.iter().map(|(factor, form)| factor * form.least).sum();
    let terms = parts.iter().flat_map(|(factor, form)| {
        let times = move |(bit, weight): &(ValueId, i64)| (*bit, factor * weight);
        form.terms.iter().map(times)
    });
    weighted(graph, least, terms.collect())
}

/// Whether a form has one of the values whose rows are true; `None` if that takes too much.
fn asked(graph: &mut KernelBuilder, form: &WeightedSum, rows: &[bool]) -> Option<ValueId> {
    if rows.iter().all(|row| *row == rows[0]) {
        return Some(graph.bit(rows[0]));
    }
    if let Some(digits) = form.digits() {
        return Some(of_digits(graph, &digits, rows));
    }
    if form.span() > MOST_COUNTED {
        return None;
    }
    let terms = form.terms.iter().flat_map(|(bit, weight)| std::iter::repeat_n(*bit, *weight as usize));
    graph.call("count");
    let count = graph.add(LaneType::I32, Op::Count(terms.collect()));
    let digits = 64 - form.span().leading_zeros();
    let begins = |row: &usize| rows[*row] && (*row == 0 || !rows[*row - 1]);
    let runs: Vec<usize> = (0..rows.len()).filter(begins).collect();
    if digits > DIGITS_OF_TABLE && runs.len() > MOST_RUNS {
        let digit = |bit: u32| Op::Digit { value: count, bit: bit as u8 };
        let digits: Vec<ValueId> = (0..digits).map(|bit| graph.add(LaneType::Bits, digit(bit))).collect();
        let mut rows = rows.to_vec();
        rows.resize(1 << digits.len(), rows[rows.len() - 1]);
        return Some(diagram(graph, &digits, &rows));
    }
    let mut found = graph.bit(false);
    for first in runs {
        let behind = rows[first..].iter().position(|row| !row).map(|length| first + length);
        let compared = |graph: &mut KernelBuilder, op: CompareOp, number: usize| {
            let number = graph.value(Value::I32(number as i32));
            graph.add(LaneType::Bits, Op::Compare(op, count, number))
        };
        let least = compared(graph, CompareOp::GreaterEqual, first);
        let run = match behind {
            None => least,
            Some(behind) if behind == first + 1 => compared(graph, CompareOp::Equal, first),
            Some(behind) => {
                let below = compared(graph, CompareOp::Less, behind);
                if first == 0 { below } else { graph.and(least, below) }
            }
        };
        found = graph.or(found, run);
    }
    Some(found)
}

/// The row of a table that has a true bit at some places of a number, in their order, where another number has one.
fn spread(number: usize, places: &[usize]) -> usize {
    places.iter().enumerate().fold(0, |row, (bit, place)| row | (number >> bit & 1) << place)
}

/// A function of digits, given for each number.
fn of_digits(graph: &mut KernelBuilder, digits: &[Option<ValueId>], rows: &[bool]) -> ValueId {
    let places: Vec<usize> = (0..digits.len()).filter(|place| digits[*place].is_some()).collect();
    let inputs: Vec<ValueId> = digits.iter().copied().flatten().collect();
    let rows: RowBits = (0..1 << inputs.len()).map(|number| rows[spread(number, &places)]).collect();
    // Exchanging two inputs is enough to know: those that can be exchanged with one can be with each other.
    let are_alike = |a: usize, b: usize| {
        let differs = |row: &usize| row >> a & 1 == 1 && row >> b & 1 == 0;
        (0..rows.len()).filter(differs).all(|row| rows[row] == rows[row ^ (1 << a | 1 << b)])
    };
    let like = |a: usize| (0..inputs.len()).partition::<Vec<usize>, _>(|b| a == *b || are_alike(a, *b));
    match (0..inputs.len()).map(like).max_by_key(|(alike, _)| alike.len()) {
        Some((alike, others)) if alike.len() >= FEWEST_ALIKE && others.len() <= MOST_OTHERS => {
            let counted = WeightedSum { least: 0, terms: alike.iter().map(|place| (inputs[*place], 1)).collect() };
            let mut chosen: Vec<ValueId> = Vec::new();
            for of_others in 0..1 << others.len() {
                let with = |count: usize| spread((1 << count) - 1, &alike) | spread(of_others, &others);
                let rows: RowBits = (0..=alike.len()).map(|count| rows[with(count)]).collect();
                chosen.push(asked(graph, &counted, &rows).expect("there are few inputs"));
            }
            for place in others {
                let halves = chosen.chunks_exact(2).map(|pair| [pair[0], pair[1]]).collect::<Vec<_>>();
                chosen = halves.into_iter().map(|[no, yes]| choice(graph, inputs[place], yes, no)).collect();
            }
            chosen[0]
        }
        _ => diagram(graph, &inputs, &rows),
    }
}

/// A function of inputs, given for each number whose digits they are, by choices that share what is the same.
pub(super) fn diagram(graph: &mut KernelBuilder, inputs: &[ValueId], rows: &[bool]) -> ValueId {
    fn part<'r>(
        graph: &mut KernelBuilder,
        inputs: &[ValueId],
        rows: &'r [bool],
        known: &mut FxHashMap<&'r [bool], ValueId>,
    ) -> ValueId {
        if rows.iter().all(|row| *row == rows[0]) {
            return graph.bit(rows[0]);
        }
        if let Some(made) = known.get(rows) {
            return *made;
        }
        let (no, yes) = rows.split_at(rows.len() / 2);
        let (last, before) = inputs.split_last().expect("rows differ by an input");
        let (no, yes) = (part(graph, before, no, known), part(graph, before, yes, known));
        let made = choice(graph, *last, yes, no);
        known.insert(rows, made);
        made
    }
    part(graph, inputs, rows, &mut FxHashMap::default())
}

/// `condition ? yes : no`
fn choice(graph: &mut KernelBuilder, condition: ValueId, yes: ValueId, no: ValueId) -> ValueId {
    let constant = |graph: &KernelBuilder, id| graph.constant(id).map(|value| value == Value::Bit(true));
    match (constant(graph, yes), constant(graph, no)) {
        (Some(true), _) => graph.or(condition, no),
        (Some(false), _) => graph.and_not(no, condition),
        (_, Some(false)) => graph.and(condition, yes),
        (_, Some(true)) => {
            let unless = graph.not(condition);
            graph.or(unless, yes)
        }
        _ if graph.not(no) == yes => graph.xor(condition, no),
        _ => graph.choose(condition, yes, no),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::evaluate::evaluate;
    use crate::numbers::digest::mix;

    /// Bits that are known for each of these inputs.
    const INPUTS: u8 = 7;

    /// What is stored, in turn.
    fn stored(nodes: &[Node], inputs: usize) -> Vec<Value> {
        let (mut values, mut stored): (Vec<Option<Value>>, Vec<Value>) = (Vec::new(), Vec::new());
        for node in nodes {
            values.push(match node.op {
                Op::Param { plane, .. } => Some(Value::Bit(inputs >> plane & 1 == 1)),
                Op::Store { value, .. } => {
                    stored.extend(values[value.0 as usize]);
                    None
                }
                ref op => evaluate(false, node.ty.expect("it has a value"), op, &mut |id| values[id.0 as usize]),
            });
        }
        stored
    }

    /// Random code of bits and of integers that are made of them.
    fn code(seed: u64) -> Vec<Node> {
        let mut state = seed;
        let mut below = |end: usize| {
            state = mix(state);
            (state >> 24) as usize % end
        };
        let mut graph = KernelBuilder::new(false);
        let inputs: Vec<ValueId> =
            (0..INPUTS).map(|plane| graph.add(LaneType::Bits, Op::Param { param: 0, plane })).collect();
        let (mut bits, mut numbers) = (inputs.clone(), Vec::new());
        let types = [LaneType::I32, LaneType::I32, LaneType::U8, LaneType::U32];
        let ty = types[below(4)];
        for _ in 0..24 {
            let [a, b] = [0, 1].map(|_| bits[below(bits.len())]);
            let count = 1 + below(6);
            let number = match numbers.is_empty() || below(3) == 0 {
                true => match below(3) {
                    0 if ty == LaneType::I32 => {
                        graph.add(ty, Op::Count((0..count).map(|_| bits[below(bits.len())]).collect()))
                    }
                    1 => graph.value(Value::whole(ty.scalar(), below(9) as i128 - 3)),
                    _ => {
                        let planes = if ty == LaneType::U8 { 8 } else { count };
                        let no = graph.bit(false);
                        let plane = |place: usize| if place < count { inputs[(place + below(2)) % 7] } else { no };
                        let planes = (0..planes).map(plane).collect();
                        graph.add(ty, Op::Widen(planes))
                    }
                },
                false => {
                    let [x, y] = [0, 1].map(|_| numbers[below(numbers.len())]);
                    let small = graph.value(Value::whole(ty.scalar(), below(7) as i128));
                    match below(12) {
                        0 | 1 => graph.binary(BinaryOp::Add, x, y),
                        2 => graph.binary(BinaryOp::Subtract, x, y),
                        3 => graph.binary(BinaryOp::Multiply, x, small),
                        4 => graph.binary(BinaryOp::Remainder, x, small),
                        5 => graph.binary([BinaryOp::And, BinaryOp::Or, BinaryOp::Xor][below(3)], x, y),
                        6 => graph.binary([BinaryOp::Min, BinaryOp::Max, BinaryOp::Divide][below(3)], x, small),
                        7 => graph.add(ty, Op::Shift { left: below(2) == 0, value: x, count: small }),
                        8 => graph.unary([UnaryOp::Negate, UnaryOp::Not, UnaryOp::Abs][below(3)], x),
                        9 | 10 => graph.select(a, x, y),
                        _ => {
                            let wide = graph.cast(LaneType::I32, x);
                            graph.cast(ty, wide)
                        }
                    }
                }
            };
            numbers.push(number);
            let other = numbers[below(numbers.len())];
            let other =
                if below(2) == 0 { graph.value(Value::whole(ty.scalar(), below(9) as i128 - 1)) } else { other };
            let ops =
                [CompareOp::Equal, CompareOp::NotEqual, CompareOp::Less, CompareOp::LessEqual, CompareOp::Greater];
            bits.push(match below(4) {
                0 => graph.xor(a, b),
                1 => graph.and_not(a, b),
                2 => graph.add(LaneType::Bits, Op::Digit { value: number, bit: below(8) as u8 }),
                _ => graph.add(LaneType::Bits, Op::Compare(ops[below(5)], number, other)),
            });
        }
        bits.iter().skip(7).for_each(|bit| graph.store(0, 0, 0, *bit));
        graph.into_nodes()
    }

    #[test]
    fn small_numbers_are_what_they_were() {
        let mut made = 0;
        for seed in 0..600 {
            let nodes = code(mix(seed));
            let Some(logic) = as_logic(&nodes, false) else { continue };
            made += 1;
            for inputs in 0..1 << INPUTS {
                assert_eq!(stored(&logic, inputs), stored(&nodes, inputs), "seed {seed}, inputs {inputs:07b}");
            }
        }
        assert!(made > 500, "{made}");
    }

    /// Operations on bits that a comparison of a table takes, and whether it counts.
    #[test]
    fn tables_count_what_they_treat_alike() {
        let table = |on: &dyn Fn(u32) -> bool| {
            let mut graph = KernelBuilder::new(false);
            let planes = (0..9).map(|plane| graph.add(LaneType::Bits, Op::Param { param: 0, plane })).map(Some);
            let planes: Vec<_> = planes.collect();
            let rows: RowBits = (0..512).map(on).collect();
            of_digits(&mut graph, &planes, &rows);
            let counts = graph.nodes().iter().filter(|node| matches!(node.op, Op::Count(_))).count();
            (counts, graph.nodes().len())
        };
        let life = |number: u32| {
            let (own, others) = (number >> 4 & 1, (number & !16).count_ones());
            others == 3 || others == 2 && own == 1
        };
        let (counts, length) = table(&life);
        assert!(counts == 1 && length < 30, "{counts} counts, {length} nodes");
        let (counts, length) = table(&|number| mix(number.into()).is_multiple_of(2));
        assert!(counts == 0 && length < 450, "{counts} counts, {length} nodes");
    }
}
