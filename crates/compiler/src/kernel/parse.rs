//! Reads the text that [`dump`](super::dump) writes: kernels in tests.

use super::WAYS;
use super::dump::AXES;
use super::{
    Direction, Kernel, LaneType, Load, LogicOp, MicroFractal, Neighbours, Node, Op, Planes, ValueId, Variable,
};
use crate::ir::fractal::{Axes, Dimension};
use crate::numbers::operators::{BinaryOp, CompareOp, MathFn, MathFn2, UnaryOp};
use crate::numbers::table::ConstTable;
use crate::numbers::value::Value;
use std::collections::HashMap;
use std::str::FromStr;

/// Why a text is no kernel.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {problem}")]
pub(crate) struct ParseError {
    /// The line, from 1.
    pub line: usize,
    /// The error there.
    pub problem: Problem,
}

/// The error in a line.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum Problem {
    /// Something else should stand here.
    #[error("expected {expected}, found {found}")]
    Expected {
        /// The valid text.
        expected: &'static str,
        /// A word of the text, in backquotes, or `the end of the line`.
        found: String,
    },
    /// A name that nothing has so far.
    #[error("there is no {kind} `{name}` above")]
    Unknown {
        /// The kind of thing that it should name.
        kind: &'static str,
        /// The name.
        name: String,
    },
    /// A value's name that is taken.
    #[error("`{0}` is defined twice")]
    Twice(String),
    /// An operation that does not exist.
    #[error("there is no operation `{0}`")]
    UnknownOperation(String),
    /// The text ends before `}`.
    #[error("the kernel has no `}}` at its end")]
    Unfinished,
}

/// Reads one kernel. The result is well formed as text only: verify it before use.
///
/// # Errors
/// The first line that cannot be read.
pub(crate) fn parse(text: &str) -> Result<Kernel, ParseError> {
    let micro = MicroFractal { dimension: Dimension::Two, sides: [1; 3], cells: Vec::new() };
    let kernel = Kernel {
        name: String::new(),
        micro,
        neighbours: Neighbours::Beside,
        steps: 1,
        flush: false,
        states: Vec::new(),
        params: Vec::new(),
        nodes: Vec::new(),
    };
    let mut parser = Parser { kernel, values: HashMap::new() };
    let mut state = Progress::Before;
    let mut last = 0;
    for (number, line) in text.lines().enumerate() {
        last = number + 1;
        let at = |problem| ParseError { line: last, problem };
        let line = line.trim();
        if line.is_empty() || line.starts_with("//") {
            continue;
        }
        let words = words(line);
        let mut words = Words { words: &words };
        match state {
            Progress::Before => {
                words.exactly("kernel", "`kernel`").map_err(at)?;
                parser.kernel.name = words.next("a name").map_err(at)?.to_owned();
                words.exactly("{", "`{`").map_err(at)?;
                state = Progress::Inside;
            }
            Progress::Inside if line == "}" => {
                state = Progress::After;
                continue;
            }
            Progress::Inside => parser.line(&mut words).map_err(at)?,
            Progress::After => {}
        }
        words.end().map_err(at)?;
    }
    match state {
        Progress::After => Ok(parser.kernel),
        _ => Err(ParseError { line: last, problem: Problem::Unfinished }),
    }
}

/// How far the text has come.
enum Progress {
    Before,
    Inside,
    After,
}

/// Splits a line: `( ) , : = { }` stand for themselves, all else is parted by blanks.
fn words(line: &str) -> Vec<&str> {
    let is_mark = |c: char| "(),:={}".contains(c);
    let mut words = Vec::new();
    for part in line.split_whitespace() {
        let mut start = 0;
        for (place, c) in part.char_indices().filter(|(_, c)| is_mark(*c)) {
            words.extend((start < place).then(|| &part[start..place]));
            words.push(&part[place..place + c.len_utf8()]);
            start = place + c.len_utf8();
        }
        words.extend((start < part.len()).then(|| &part[start..]));
    }
    words
}

/// The words of a line that have not been read.
struct Words<'a> {
    words: &'a [&'a str],
}

impl<'a> Words<'a> {
    fn peek(&self) -> Option<&'a str> {
        self.words.first().copied()
    }

    fn expected(&self, expected: &'static str) -> Problem {
        let found = self.peek().map_or("the end of the line".to_owned(), |word| format!("`{word}`"));
        Problem::Expected { expected, found }
    }

    fn next(&mut self, expected: &'static str) -> Result<&'a str, Problem> {
        let word = self.peek().ok_or_else(|| self.expected(expected))?;
        self.words = &self.words[1..];
        Ok(word)
    }

    fn exactly(&mut self, word: &str, expected: &'static str) -> Result<(), Problem> {
        if self.peek() != Some(word) {
            return Err(self.expected(expected));
        }
        self.next(expected).map(|_| ())
    }

    fn value<T: FromStr>(&mut self, expected: &'static str) -> Result<T, Problem> {
        let value = self.peek().and_then(|word| word.parse().ok()).ok_or_else(|| self.expected(expected))?;
        self.next(expected)?;
        Ok(value)
    }

    /// The value that stands beside the next word in a table.
    fn one_of<T: Copy>(&mut self, table: &[(&str, T)], expected: &'static str) -> Result<T, Problem> {
        let found = find(table, self.peek().unwrap_or_default()).ok_or_else(|| self.expected(expected))?;
        self.next(expected)?;
        Ok(found)
    }

    fn end(&self) -> Result<(), Problem> {
        if self.words.is_empty() { Ok(()) } else { Err(self.expected("the end of the line")) }
    }
}

/// The value that stands beside a name in a table.
fn find<T: Copy>(table: &[(&str, T)], wanted: &str) -> Option<T> {
    table.iter().find(|(name, _)| *name == wanted).map(|(_, value)| *value)
}

struct Parser {
    kernel: Kernel,
    /// The values so far, by name.
    values: HashMap<String, ValueId>,
}

impl Parser {
    /// One line between the braces.
    fn line(&mut self, words: &mut Words<'_>) -> Result<(), Problem> {
        let first = words.next("a line of a kernel")?;
        match first {
            _ if words.peek() == Some(":") => return self.value_line(first, words),
            "dimension" => {
                self.kernel.micro.dimension = words
                    .one_of(&[("1", Dimension::One), ("2", Dimension::Two), ("3", Dimension::Three)], "1, 2 or 3")?;
            }
            "side" | "sides" => {
                let (micro, each) = (&mut self.kernel.micro, first == "sides");
                let mut side = 1;
                for axis in 0..micro.dimension.axes() {
                    if each || axis == 0 {
                        side = words.value("a side")?;
                    }
                    micro.sides[axis] = side;
                }
            }
            "cells" => {
                while words.peek().is_some() {
                    let cell = self.cell(words)?;
                    self.kernel.micro.cells.push(cell);
                }
            }
            "whole" => self.kernel.neighbours = Neighbours::None,
            "far" => self.kernel.neighbours = Neighbours::Far,
            "anywhere" => self.kernel.neighbours = Neighbours::Anywhere,
            "steps" => self.kernel.steps = words.value("a number of steps")?,
            "flush" => self.kernel.flush = true,
            "state" => self.kernel.states.push(variable(words)?),
            "param" => self.kernel.params.push(variable(words)?),
            "store" => {
                let (state, plane) = plane(&self.kernel.states, "state", words)?;
                let micro = words.value("a micro cell")?;
                words.exactly("=", "`=`")?;
                let value = self.operand(words)?;
                let op = Op::Store { state, plane, micro, value };
                self.kernel.nodes.push(Node { name: String::new(), ty: None, op });
            }
            other => return Err(Problem::UnknownOperation(other.to_owned())),
        }
        Ok(())
    }

    /// `(x)`, `(x, y)` or `(x, y, z)`
    fn cell(&self, words: &mut Words<'_>) -> Result<[u32; 3], Problem> {
        let mut cell = [0; 3];
        words.exactly("(", "`(`")?;
        for (axis, coordinate) in cell.iter_mut().enumerate().take(self.kernel.micro.dimension.axes()) {
            if axis > 0 {
                words.exactly(",", "`,`")?;
            }
            *coordinate = words.value("a coordinate")?;
        }
        words.exactly(")", "`)`")?;
        Ok(cell)
    }

    /// The rest of `name: type = operation operands` after the name.
    fn value_line(&mut self, name: &str, words: &mut Words<'_>) -> Result<(), Problem> {
        words.exactly(":", "`:`")?;
        let types: Vec<_> = LaneType::ALL.iter().map(|ty| (ty.name(), *ty)).collect();
        let ty = words.one_of(&types, "bits, u8, i32, u32, f32 or f64")?;
        words.exactly("=", "`=`")?;
        let op = self.operation(ty, words)?;
        let id = ValueId(self.kernel.nodes.len() as u32);
        if self.values.insert(name.to_owned(), id).is_some() {
            return Err(Problem::Twice(name.to_owned()));
        }
        self.kernel.nodes.push(Node { name: name.to_owned(), ty: Some(ty), op });
        Ok(())
    }

    fn operand(&self, words: &mut Words<'_>) -> Result<ValueId, Problem> {
        let name = words.next("the name of a value")?;
        self.values.get(name).copied().ok_or_else(|| Problem::Unknown { kind: "value", name: name.to_owned() })
    }

    fn operands(&self, words: &mut Words<'_>) -> Result<Vec<ValueId>, Problem> {
        let mut operands = Vec::new();
        while words.peek().is_some() {
            operands.push(self.operand(words)?);
        }
        Ok(operands)
    }

    fn operation(&self, ty: LaneType, words: &mut Words<'_>) -> Result<Op, Problem> {
        let word = words.next("an operation")?;
        let op = match word {
            "load" => {
                let (state, plane) = plane(&self.kernel.states, "state", words)?;
                let direction = direction(words)?;
                Op::Load(Load { state, plane, direction, micro: words.value("a micro cell")? })
            }
            "presence" => Op::Presence(direction(words)?),
            "lane_corner" => Op::LaneCorner(axis(words)?),
            "odd_corner" => {
                let mut axes = Axes::NONE;
                axes.0[usize::from(axis(words)?)] = true;
                while words.peek().is_some() {
                    axes.0[usize::from(axis(words)?)] = true;
                }
                Op::OddCorner(axes)
            }
            "superblock_corner" => Op::SuperblockCorner(axis(words)?),
            "param" => {
                let (param, plane) = plane(&self.kernel.params, "param", words)?;
                Op::Param { param, plane }
            }
            "level" => Op::Level,
            "side" => Op::Side,
            "time" => Op::Time { ahead: words.value("a number of steps")? },
            "random" => Op::Random { draw: words.value("the number of a draw")?, micro: words.value("a micro cell")? },
            "random_bit" => {
                let (draw, micro) = (words.value("the number of a draw")?, words.value("a micro cell")?);
                let (mut classes, mut probabilities) = (Vec::new(), Vec::new());
                while words.peek().is_some() {
                    classes.push(self.operand(words)?);
                    probabilities.push(self.operand(words)?);
                }
                Op::RandomBit { draw, micro, classes, probabilities }
            }
            "const" => Op::Const(constant(ty, words)?),
            "table" => {
                let written = words.peek().and_then(|word| u8::from_str_radix(word.strip_prefix("0x")?, 16).ok());
                let table = written.ok_or_else(|| words.expected("a table such as 0xe8"))?;
                words.next("a table")?;
                Op::Table { table, operands: [self.operand(words)?, self.operand(words)?, self.operand(words)?] }
            }
            "count" => Op::Count(self.operands(words)?),
            "digit" => Op::Digit { value: self.operand(words)?, bit: words.value("the number of a bit")? },
            "widen" => Op::Widen(self.operands(words)?),
            "shift_left" | "shift_right" => {
                let left = word == "shift_left";
                Op::Shift { left, value: self.operand(words)?, count: self.operand(words)? }
            }
            "select" => {
                let condition = self.operand(words)?;
                Op::Select { condition, then: self.operand(words)?, otherwise: self.operand(words)? }
            }
            "cast" => Op::Cast(self.operand(words)?),
            "look_up" => {
                let index = self.operand(words)?;
                let mut values = vec![constant(ty, words)?];
                while words.peek().is_some() {
                    values.push(constant(ty, words)?);
                }
                Op::LookUp { table: ConstTable::new(&values), index }
            }
            "add_where" => {
                let condition = self.operand(words)?;
                Op::AddWhere { condition, sum: self.operand(words)?, term: self.operand(words)? }
            }
            "canonical" => Op::Canonical(self.operand(words)?),
            "chance" => Op::Chance { word: self.operand(words)?, probability: self.operand(words)? },
            "below" => Op::Below { word: self.operand(words)?, bound: self.operand(words)? },
            "not" if ty == LaneType::Bits => Op::Not(self.operand(words)?),
            word => return self.operator(ty, word, words),
        };
        Ok(op)
    }

    /// The operations that are named by their operator or function. On bits, `and` and the like are [`Op::Logic`].
    fn operator(&self, ty: LaneType, word: &str, words: &mut Words<'_>) -> Result<Op, Problem> {
        if let (LaneType::Bits, Some(op)) = (ty, LogicOp::named(word)) {
            Ok(Op::Logic(op, self.operand(words)?, self.operand(words)?))
        } else if let Some(op) = UnaryOp::named(word) {
            Ok(Op::Unary(op, self.operand(words)?))
        } else if let Some(op) = BinaryOp::named(word) {
            Ok(Op::Binary(op, self.operand(words)?, self.operand(words)?))
        } else if let Some(op) = CompareOp::named(word) {
            Ok(Op::Compare(op, self.operand(words)?, self.operand(words)?))
        } else if let Some(function) = MathFn::named(word) {
            Ok(Op::Math(function, self.operand(words)?))
        } else if let Some(function) = MathFn2::named(word) {
            Ok(Op::Math2(function, self.operand(words)?, self.operand(words)?))
        } else {
            Err(Problem::UnknownOperation(word.to_owned()))
        }
    }
}

/// `alive: bits 1` or `u: f32`
fn variable(words: &mut Words<'_>) -> Result<Variable, Problem> {
    let name = words.next("a name")?.to_owned();
    words.exactly(":", "`:`")?;
    let types: Vec<_> = LaneType::ALL.iter().map(|ty| (ty.name(), *ty)).collect();
    let planes = match words.one_of(&types, "bits, u8, i32, u32, f32 or f64")? {
        LaneType::Bits => Planes::Bits(words.value("a number of planes")?),
        ty => Planes::Number(ty),
    };
    Ok(Variable { name, planes })
}

/// `alive` or `phase.1`
fn plane(variables: &[Variable], kind: &'static str, words: &mut Words<'_>) -> Result<(u16, u8), Problem> {
    let written = words.next("a name")?;
    let (name, plane) = written.split_once('.').unwrap_or((written, "0"));
    let unknown = || Problem::Unknown { kind, name: written.to_owned() };
    let variable = variables.iter().position(|variable| variable.name == name).ok_or_else(unknown)?;
    Ok((variable as u16, plane.parse().map_err(|_| unknown())?))
}

fn direction(words: &mut Words<'_>) -> Result<Direction, Problem> {
    let found = words.peek().unwrap_or_default().parse();
    let found = found.map_err(|()| words.expected("a direction such as `above_left`"))?;
    words.next("a direction")?;
    Ok(found)
}

/// Reads what its `Display` writes.
impl FromStr for Direction {
    type Err = ();

    fn from_str(text: &str) -> Result<Direction, ()> {
        let mut direction = Direction::CENTRE;
        for part in text.split('_').filter(|_| text != "centre") {
            let word = part.trim_end_matches(|c: char| c.is_ascii_digit());
            let distance = if word == part { 1 } else { part[word.len()..].parse().map_err(|_| ())? };
            let way = WAYS.into_iter().find_map(|(axis, ways)| Some((axis, ways.iter().position(|way| *way == word)?)));
            let (axis, way) = way.ok_or(())?;
            direction.0[axis] = if way == 0 { -distance } else { distance };
        }
        if direction.to_string() == text { Ok(direction) } else { Err(()) }
    }
}

fn axis(words: &mut Words<'_>) -> Result<u8, Problem> {
    words.one_of(&[(AXES[0], 0), (AXES[1], 1), (AXES[2], 2)], "x, y or z")
}

fn constant(ty: LaneType, words: &mut Words<'_>) -> Result<Value, Problem> {
    Ok(match ty {
        LaneType::Bits => Value::Bit(words.value("true or false")?),
        LaneType::U8 => Value::U8(words.value("a u8")?),
        LaneType::U16 => Value::U16(words.value("a u16")?),
        LaneType::I32 => Value::I32(words.value("an i32")?),
        LaneType::U32 => Value::U32(words.value("a u32")?),
        LaneType::I64 => Value::I64(words.value("an i64")?),
        LaneType::F32 => Value::F32(words.value("an f32")?),
        LaneType::F64 => Value::F64(words.value("an f64")?),
    })
}
