//! The syntax tree: what the text says, with the place of every part, before any name is looked up.
//!
//! Equality of trees compares places too; [`print`](super::print) is tested by comparing trees after
//! [`File::without_places`].

use crate::source::Span;

/// A name and its place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ident {
    /// The name.
    pub name: String,
    /// Its place.
    pub span: Span,
}

/// A whole text.
#[derive(Clone, Debug, PartialEq)]
pub struct File {
    /// Definitions and `use`s, in order.
    pub items: Vec<Item>,
    /// All comments, in order, for the printer.
    pub comments: Vec<Comment>,
}

/// A comment, `//` or `///`, to the end of its line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Comment {
    /// The text with its slashes, without the line's end.
    pub text: String,
    /// Its place.
    pub span: Span,
    /// True if nothing but blanks stands before it on its line.
    pub own_line: bool,
}

/// Something that stands at the top level of a file.
#[derive(Clone, Debug, PartialEq)]
pub enum Item {
    /// `use "path"`
    Use(Use),
    /// `fractal NAME { … }`
    Fractal(FractalDef),
    /// `neighbourhood NAME [ … ]`
    Neighbourhood(NeighbourhoodDef),
    /// `rule NAME { … }`
    Rule(RuleDef),
    /// A definition that did not parse: its errors are reported, and its name counts as defined.
    Broken(BrokenDef),
}

/// `use "path"`: brings the definitions of another file into scope.
#[derive(Clone, Debug, PartialEq)]
pub struct Use {
    /// The path as written, relative to the file that says `use`.
    pub path: String,
    /// The place of the quoted path.
    pub path_span: Span,
    /// The whole.
    pub span: Span,
}

/// A definition that did not parse.
#[derive(Clone, Debug, PartialEq)]
pub struct BrokenDef {
    /// The kind that its first word says.
    pub kind: DefKind,
    /// Its name.
    pub name: Ident,
    /// The whole.
    pub span: Span,
}

/// The kinds of definitions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum DefKind {
    /// `fractal`
    Fractal,
    /// `neighbourhood`
    Neighbourhood,
    /// `rule`
    Rule,
}

/// `fractal NAME { … }`
#[derive(Clone, Debug, PartialEq)]
pub struct FractalDef {
    /// The text of the `///` lines directly above, without slashes and one blank, joined by newlines.
    pub doc: String,
    /// The name.
    pub name: Ident,
    /// The parts in the order of the text: whether they are complete and fit together is checked later.
    pub parts: Vec<FractalPart>,
    /// The whole.
    pub span: Span,
}

/// A part of a fractal.
#[derive(Clone, Debug, PartialEq)]
pub enum FractalPart {
    /// `dimension 3`
    Dimension(Number),
    /// `scale 2`
    Scale(Number),
    /// `replicas { 0: (0, 0) … }`
    Replicas {
        /// The entries.
        entries: Vec<ReplicaEntry>,
        /// The whole part.
        span: Span,
    },
    /// `pattern { … }`
    Picture {
        /// One picture per z.
        planes: Vec<Plane>,
        /// The whole part.
        span: Span,
    },
    /// `levels [a, b]`
    Levels {
        /// The list.
        list: Vec<LevelEntry>,
        /// The whole part.
        span: Span,
    },
}

impl FractalPart {
    /// The place of the part.
    pub fn span(&self) -> Span {
        match self {
            FractalPart::Dimension(number) | FractalPart::Scale(number) => number.span,
            FractalPart::Replicas { span, .. }
            | FractalPart::Picture { span, .. }
            | FractalPart::Levels { span, .. } => *span,
        }
    }
}

/// A whole number as written, possibly negative; too long for an i64 counts as its largest or smallest value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Number {
    /// Its value.
    pub value: i64,
    /// Its place (of the number alone).
    pub span: Span,
}

/// As messages show it.
impl std::fmt::Display for Number {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.value {
            i64::MAX => f.write_str("2^63 - 1 or more"),
            i64::MIN => f.write_str("-2^63 or less"),
            value => value.fmt(f),
        }
    }
}

/// `0: (0, 1)`
#[derive(Clone, Debug, PartialEq)]
pub struct ReplicaEntry {
    /// The replica's number.
    pub id: Number,
    /// Two or three coordinates, if the text is right.
    pub place: Vec<Number>,
    /// The place of `( … )`.
    pub place_span: Span,
    /// The whole entry.
    pub span: Span,
}

/// One picture: rows of `#`, `.`, `0`–`9`, `a`–`z`.
#[derive(Clone, Debug, PartialEq)]
pub struct Plane {
    /// The rows, from y = 0.
    pub rows: Vec<Row>,
    /// The place of all rows; empty, where it should be, if there are none.
    pub span: Span,
}

/// One row of a picture, without quotes.
#[derive(Clone, Debug, PartialEq)]
pub struct Row {
    /// The characters.
    pub text: String,
    /// Their place, without quotes.
    pub span: Span,
    /// Whether it was quoted; the printer keeps it.
    pub quoted: bool,
}

/// An element of a `levels` list: a name or a nested list, which is flattened.
#[derive(Clone, Debug, PartialEq)]
pub enum LevelEntry {
    /// The name of a fractal.
    Name(Ident),
    /// `[ … ]`
    List(Vec<LevelEntry>, Span),
}

/// `neighbourhood NAME [(1, 2), …]`
#[derive(Clone, Debug, PartialEq)]
pub struct NeighbourhoodDef {
    /// As [`FractalDef::doc`].
    pub doc: String,
    /// The name.
    pub name: Ident,
    /// The offsets.
    pub offsets: Vec<OffsetEntry>,
    /// The place of `[ … ]`.
    pub list_span: Span,
    /// The whole.
    pub span: Span,
}

/// `(1, 2)` or `(1, 2, 0)`
#[derive(Clone, Debug, PartialEq)]
pub struct OffsetEntry {
    /// The coordinates.
    pub offset: Vec<Number>,
    /// The place of `( … )`.
    pub span: Span,
}

/// `rule NAME { … }`
#[derive(Clone, Debug, PartialEq)]
pub struct RuleDef {
    /// As [`FractalDef::doc`].
    pub doc: String,
    /// The name.
    pub name: Ident,
    /// What stands between the braces, in order.
    pub items: Vec<RuleItem>,
    /// The whole.
    pub span: Span,
}

/// An entry of a rule.
#[derive(Clone, Debug, PartialEq)]
pub struct RuleItem {
    /// Which.
    pub kind: RuleItemKind,
    /// The whole entry.
    pub span: Span,
}

/// The entries of a rule. Those marked † may also stand inside `step { … }`.
#[derive(Clone, Debug, PartialEq)]
pub enum RuleItemKind {
    /// `param NAME: TYPE = EXPR`
    Param {
        /// The name.
        name: Ident,
        /// The type.
        ty: TypeName,
        /// The default value.
        value: Expr,
    },
    /// `state NAME: TYPE`
    State {
        /// The name.
        name: Ident,
        /// The type.
        ty: TypeName,
    },
    /// `init NAME = EXPR`
    Init {
        /// The state's name.
        name: Ident,
        /// The value.
        value: Expr,
    },
    /// † `let NAME = EXPR`
    Let {
        /// The name.
        name: Ident,
        /// The value.
        value: Expr,
    },
    /// † `next NAME = EXPR`
    Next {
        /// The state's name.
        name: Ident,
        /// The value.
        value: Expr,
    },
    /// `step NAME when EXPR { … }`, the guard being optional
    Step {
        /// The name.
        name: Ident,
        /// The guard.
        guard: Option<Expr>,
        /// `let` and `next` only: the grammar admits nothing else.
        items: Vec<RuleItem>,
    },
    /// `observe NAME = EXPR by level N` or `observe NAME = [EXPR, …]`, the level being optional
    Observe {
        /// The name.
        name: Ident,
        /// The value, or the elements of a list.
        values: Vec<Expr>,
        /// The place of `[ … ]` if it is a list.
        list: Option<Span>,
        /// The level whose replicas have a value each.
        level: Option<Number>,
    },
    /// `stop when EXPR`
    Stop(Expr),
}

/// A type as written.
#[derive(Clone, Debug, PartialEq)]
pub struct TypeName {
    /// Which.
    pub kind: TypeNameKind,
    /// Its place.
    pub span: Span,
}

/// The ways to write a type.
#[derive(Clone, Debug, PartialEq)]
pub enum TypeNameKind {
    /// `bit`, `f32`, or a name that is no type: the check says so.
    Name(String),
    /// `enum { a, b }`
    Enum(Vec<Ident>),
}

/// An expression.
#[derive(Clone, Debug, PartialEq)]
pub struct Expr {
    /// Which.
    pub kind: ExprKind,
    /// Its place.
    pub span: Span,
}

/// The kinds of expressions. Parentheses leave no trace but the shape of the tree.
#[derive(Clone, Debug, PartialEq)]
pub enum ExprKind {
    /// A whole number as written: decimal, `0x…` or `0b…`, `_` allowed between digits.
    Int(String),
    /// A number with a point or an exponent, as written: `1.0`, `1e-3`.
    Float(String),
    /// `true` or `false`
    Bool(bool),
    /// A name.
    Name(String),
    /// `nb.field`
    Neighbour(Ident),
    /// `name(a, b) else EXPR`: functions, casts, aggregates, observables; the `else` is optional.
    Call {
        /// The name before the parenthesis.
        name: Ident,
        /// The arguments.
        arguments: Vec<Expr>,
        /// What follows `else`.
        otherwise: Option<Box<Expr>>,
    },
    /// `name[1, 0] else EXPR`: the `else` is missing only if the text is wrong.
    Read {
        /// The state's name.
        name: Ident,
        /// The offsets.
        offset: Vec<Number>,
        /// The place of `[ … ]`.
        offset_span: Span,
        /// What follows `else`.
        otherwise: Option<Box<Expr>>,
    },
    /// `-a`, `!a`
    Unary {
        /// The operator.
        op: UnaryOperator,
        /// The operand.
        operand: Box<Expr>,
    },
    /// `a + b` and the like
    Binary {
        /// The operator.
        op: BinaryOperator,
        /// The place of the operator.
        op_span: Span,
        /// The left operand.
        left: Box<Expr>,
        /// The right operand.
        right: Box<Expr>,
    },
    /// `n in 2..=3`
    InRange {
        /// What is looked for.
        value: Box<Expr>,
        /// The first.
        low: Box<Expr>,
        /// The last.
        high: Box<Expr>,
    },
    /// `n in {2, 5}`
    InSet {
        /// What is looked for.
        value: Box<Expr>,
        /// The elements, at least one if the text is right.
        set: Vec<Expr>,
    },
    /// `if a { … } else { … }`; `else if` is an `otherwise` that is a bare `If`.
    If {
        /// The condition.
        condition: Box<Expr>,
        /// What stands in the first braces.
        then: Box<Block>,
        /// What stands after `else`: `None` only if the text is wrong.
        otherwise: Option<Box<Expr>>,
    },
    /// `{ let a = 1  a + 1 }`
    Block(Box<Block>),
}

/// `{ let … EXPR }`
#[derive(Clone, Debug, PartialEq)]
pub struct Block {
    /// The lets, in order.
    pub lets: Vec<(Ident, Expr)>,
    /// The value.
    pub value: Expr,
    /// The place, braces included.
    pub span: Span,
}

/// Operators before one operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum UnaryOperator {
    /// `-`
    Negate,
    /// `!`
    Not,
}

/// Operators between two operands, binding from tight to loose as listed (those of one line alike).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs, reason = "the names are the operators")]
#[rustfmt::skip]
pub enum BinaryOperator {
    Multiply, Divide, Remainder,
    Add, Subtract,
    ShiftLeft, ShiftRight,
    BitAnd,
    BitXor,
    BitOr,
    Equal, NotEqual, Less, LessEqual, Greater, GreaterEqual,
    And,
    Or,
}
