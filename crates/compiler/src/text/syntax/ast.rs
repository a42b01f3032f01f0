//! The syntax tree: the parts of a text, each with its place, before any name is looked up.
//!
//! Equality of trees compares places too. A `span` is the place of the whole where nothing else is said.

#![allow(missing_docs, reason = "fields are called as what they hold; the crate and tests look at the tree")]

use crate::numbers::operators::{CompareOp, named};
use crate::text::source::Span;

/// A name and its place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ident {
    pub name: String,
    pub span: Span,
}

/// A whole text.
#[derive(Clone, Debug, PartialEq)]
pub struct SyntaxFile {
    pub items: Vec<Item>,
    /// In order, for the printer.
    pub comments: Vec<Comment>,
}

/// A comment, `//` or `///`, to the end of its line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Comment {
    /// The text with its slashes, without the line's end.
    pub text: String,
    pub span: Span,
    /// True if nothing but blanks stands before it on its line.
    pub own_line: bool,
}

/// Something that stands at the top level of a file.
#[derive(Clone, Debug, PartialEq)]
pub struct Item {
    pub kind: ItemKind,
    pub span: Span,
}

/// The kinds of items.
#[derive(Clone, Debug, PartialEq)]
pub enum ItemKind {
    /// `use "path"`
    Use(UseItem),
    /// `fractal NAME { … }` or `domain NAME { … }`
    Fractal(FractalDef),
    /// `neighbourhood NAME [ … ]`
    Neighbourhood(NeighbourhoodDef),
    /// `rule NAME { … }`
    Rule(RuleDef),
    /// `const NAME = …`
    Const(ConstDef),
    /// `fn NAME(…) -> TYPE = EXPR`
    Function(FunctionDef),
    /// A definition that did not parse, of the kind that its first word says: its errors are reported, and its name counts as defined.
    Broken(DefKind, Ident),
}

/// `use "path"`: brings the definitions of another file into scope.
#[derive(Clone, Debug, PartialEq)]
pub struct UseItem {
    /// The path as written, relative to the file that says `use`.
    pub path: String,
    pub path_span: Span,
}

/// The kinds of definitions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum DefKind {
    /// `fractal`, and `domain`, which stands wherever a fractal does
    Fractal,
    /// `neighbourhood`
    Neighbourhood,
    /// `rule`
    Rule,
    /// `const`
    Const,
    /// `fn`
    Function,
}

/// `const NAME: TYPE = EXPR` or `const NAME: [TYPE] = [ … ]`, at the top level or in a rule.
#[derive(Clone, Debug, PartialEq)]
pub struct ConstDef {
    pub name: Ident,
    /// The type of the value, or of each value of a table, if it is written.
    pub ty: Option<ConstType>,
    /// The value.
    pub value: ConstValue,
}

/// The type of a constant as written.
#[derive(Clone, Debug, PartialEq)]
pub struct ConstType {
    /// The type, of the elements if it is that of a table.
    pub element: TypeName,
    /// Whether it stands in brackets.
    pub table: bool,
    /// The whole, with brackets.
    pub span: Span,
}

/// The value of a constant.
#[derive(Clone, Debug, PartialEq)]
pub enum ConstValue {
    /// One value.
    Scalar(Expr),
    /// `[a, b, …]`
    Table(Vec<Expr>, Span),
}

/// `fn NAME(a: f32, b: i32) -> f32 = EXPR`, at the top level or in a rule.
#[derive(Clone, Debug, PartialEq)]
pub struct FunctionDef {
    pub name: Ident,
    /// The names and types of its parameters.
    pub parameters: Vec<(Ident, TypeName)>,
    /// The type of its value.
    pub result: TypeName,
    pub value: Expr,
}

/// `fractal NAME { … }` or `domain NAME { … }`
#[derive(Clone, Debug, PartialEq)]
pub struct FractalDef {
    /// Whether it is a domain: made of a fractal that it names.
    pub is_domain: bool,
    /// The text of the `///` lines directly above, without slashes and one blank, joined by newlines.
    pub doc: String,
    pub name: Ident,
    /// The parts in the order of the text: whether they are complete and fit together is checked later.
    pub parts: Vec<FractalPart>,
}

/// A part of a fractal.
#[derive(Clone, Debug, PartialEq)]
pub struct FractalPart {
    pub kind: FractalPartKind,
    /// The place of its number, name, path or expression where it has one alone, else of the whole.
    pub span: Span,
}

/// The kinds of parts.
#[derive(Clone, Debug, PartialEq)]
pub enum FractalPartKind {
    /// `dimension 3`
    Dimension(Number),
    /// `scale 2`, whose number has the place of the part, or `scale (3, 2)`: one for each axis, if the text is right.
    Scale(Vec<Number>),
    /// `replicas { 0: (0, 0) … }`
    Replicas(Vec<ReplicaEntry>),
    /// `pattern { … }`: one picture per z.
    Picture(Vec<PicturePlane>),
    /// `levels [a, b * 2]` or `levels random [a, b] seed 7`
    Levels { list: Vec<LevelEntry>, seed: Option<Number> },
    /// Of a domain: `fractal NAME`
    Base(Ident),
    /// Of a domain: `mask "rock.png"` or `mask "rock.png" above 9000`, the path relative to the file that says it.
    Mask { path: String, threshold: Option<MaskThreshold> },
    /// Of a domain: `size (1000, 600)`: width, height and depth, two or three if the text is right. `None` is `size inputs`.
    Size(Option<Vec<Number>>),
    /// Of a domain: `param p: f32 = 0.6`, the value unless another is set.
    Param { name: Ident, ty: TypeName, value: Expr },
    /// Of a domain: `cells random(0.6)`
    Cells(Expr),
    /// Of a domain: the seed of the draws of `cells`.
    Seed(Number),
    /// Of a domain: `keep largest(moore)` or `keep spanning(y)`
    Keep(KeptCells),
    /// Of a domain: `invert`
    Invert,
    /// Of a domain: `periodic`, of all axes, or `periodic x, y`
    Periodic(Vec<Ident>),
    /// Of a domain: `edge u = 0.0` or `edge u = reflect`, of a state or a let that is read at neighbours, perhaps `at -x`.
    Edge { name: Ident, value: Expr, side: Option<SignedAxisDef> },
}

/// `above 9000` or `below 9000` behind a mask.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MaskThreshold {
    /// Whether greater values are cells, rather than smaller ones.
    pub is_above: bool,
    /// The value that neither has.
    pub bound: Number,
}

/// The part of a domain's cells that is kept.
#[derive(Clone, Debug, PartialEq)]
pub enum KeptCells {
    /// The largest connected component, by a neighbourhood and perhaps its radius.
    Largest(Ident, Option<Number>),
    /// The components that reach from one side to the other along an axis.
    Spanning(Ident),
}

/// A whole number as written, possibly negative; too long for an i128 counts as its largest or smallest value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Number {
    pub value: i128,
    pub span: Span,
}

/// As messages show it.
impl std::fmt::Display for Number {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.value {
            i128::MAX => f.write_str("2^127 - 1 or more"),
            i128::MIN => f.write_str("-2^127 or less"),
            value => value.fmt(f),
        }
    }
}

/// `0: (0, 1)`
#[derive(Clone, Debug, PartialEq)]
pub struct ReplicaEntry {
    pub id: Number,
    /// Two or three coordinates, if the text is right.
    pub place: Vec<Number>,
    pub place_span: Span,
    pub span: Span,
}

/// One picture: rows of `#`, `.`, `0`–`9`, `a`–`z`.
#[derive(Clone, Debug, PartialEq)]
pub struct PicturePlane {
    pub rows: Vec<Row>,
    /// The place of all rows; without rows an empty one, where they should be.
    pub span: Span,
}

/// One row of a picture, without quotes.
#[derive(Clone, Debug, PartialEq)]
pub struct Row {
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
    /// `a * 2`: the entry, repeated.
    Times(Box<LevelEntry>, Number),
}

/// `neighbourhood NAME [(1, 2), …]`
#[derive(Clone, Debug, PartialEq)]
pub struct NeighbourhoodDef {
    pub doc: String,
    pub name: Ident,
    pub offsets: Vec<OffsetEntry>,
    pub list_span: Span,
}

/// `(1, 2)`, `(1, 2, 0)` or `(1, 2): 0.5`
#[derive(Clone, Debug, PartialEq)]
pub struct OffsetEntry {
    pub offset: Vec<Number>,
    /// The place of the coordinates.
    pub offset_span: Span,
    pub weight: Option<Expr>,
    pub span: Span,
}

/// `rule NAME { … }`
#[derive(Clone, Debug, PartialEq)]
pub struct RuleDef {
    pub doc: String,
    pub name: Ident,
    /// The entries between the braces, in order.
    pub items: Vec<RuleItem>,
}

/// An entry of a rule.
#[derive(Clone, Debug, PartialEq)]
pub struct RuleItem {
    pub kind: RuleItemKind,
    pub span: Span,
}

/// `picture MAP(STATE) in LOW..=HIGH { VARIANT => "3d4f73", … }`; all but the state is optional.
#[derive(Clone, Debug, PartialEq)]
pub struct PictureDef {
    pub map: Option<Ident>,
    pub state: Ident,
    pub range: Option<(Expr, Expr)>,
    /// Colours of its own, and the place of their braces.
    pub colours: Option<(Vec<ColourDef>, Span)>,
}

/// `VARIANT => "3d4f73"`, the variant being optional.
#[derive(Clone, Debug, PartialEq)]
pub struct ColourDef {
    /// Whose colour it is.
    pub variant: Option<Ident>,
    /// Six hexadecimal digits, if it is right.
    pub code: String,
    /// The place of the code with its quotes.
    pub code_span: Span,
}

/// `from (+x, -y)`, or `from all`: the order in which a step takes the cells.
#[derive(Clone, Debug, PartialEq)]
pub struct OrderDef {
    /// The axes along which it goes; `None` for `all`.
    pub axes: Option<Vec<SignedAxisDef>>,
    pub span: Span,
}

/// `+x` or `-x`
#[derive(Clone, Debug, PartialEq)]
pub struct SignedAxisDef {
    /// Whether coordinates descend.
    pub backwards: bool,
    pub axis: Ident,
    /// The place of both.
    pub span: Span,
}

/// The entries of a rule. Those marked † may also stand inside `step { … }`.
#[derive(Clone, Debug, PartialEq)]
pub enum RuleItemKind {
    /// `param NAME: TYPE in LOW..=HIGH = EXPR`, the range being optional
    Param {
        name: Ident,
        ty: TypeName,
        /// The least and the greatest value that it may have.
        range: Option<(Expr, Expr)>,
        /// The default value.
        value: Expr,
    },
    /// `input NAME: TYPE along AXIS`
    Input { name: Ident, ty: TypeName, axis: Ident },
    /// `state NAME: TYPE` or `state NAME: TYPE rolling`
    State {
        name: Ident,
        ty: TypeName,
        /// The place of the word `rolling`.
        rolling: Option<Span>,
    },
    /// `init NAME = EXPR`
    Init { name: Ident, value: Expr },
    /// † `let NAME = EXPR`
    Let { name: Ident, value: Expr },
    /// `bond NAME over NEIGHBOURHOOD = EXPR`
    Bond {
        name: Ident,
        /// The neighbourhood.
        over: Expr,
        /// The value of a pair.
        value: Expr,
    },
    /// `bond NAME over NEIGHBOURHOOD: TYPE`
    KeptBond {
        name: Ident,
        /// The neighbourhood.
        over: Expr,
        /// The type of the values.
        ty: TypeName,
    },
    /// `clusters NAME of BOND when EXPR`, the condition being optional
    Clusters {
        name: Ident,
        bond: Ident,
        /// The condition of their cells.
        when: Option<Expr>,
    },
    /// `global NAME = EXPR` or `global NAME once = EXPR`
    Global {
        name: Ident,
        /// Whether it is computed before the first named step of a time step only.
        once: bool,
        /// The value, of all cells.
        value: Expr,
    },
    /// † `next NAME = EXPR`
    Next { name: Ident, value: Expr },
    /// `step NAME from (+x, -y) when EXPR { … }`, order and guard being optional, or `step NAME colour of NEIGHBOURHOOD { … }`
    Step {
        name: Ident,
        order: Option<OrderDef>,
        guard: Option<Expr>,
        /// The neighbourhood whose colours take turns, in the place of a guard.
        coloured: Option<Expr>,
        /// `let` and `next` only: the grammar admits nothing else.
        items: Vec<RuleItem>,
    },
    /// `repeat N { … }`
    Repeat {
        count: Expr,
        /// `step` only: the grammar admits nothing else.
        items: Vec<RuleItem>,
    },
    /// `const NAME = …`
    Const(ConstDef),
    /// `fn NAME(…) -> TYPE = EXPR`
    Function(FunctionDef),
    /// `neighbourhood NAME [ … ]`
    Neighbourhood(NeighbourhoodDef),
    /// `allow NAME, …`: warnings that are not wanted.
    Allow(Vec<Ident>),
    /// `flush`: results of floats below the least normal number are zero.
    Flush,
    /// `picture …`: the state that pictures show unless another is asked for.
    Picture(PictureDef),
    /// `observe NAME = EXPR by level N at end` or `observe NAME = [EXPR, …] at end`; level and `at end` are optional
    Observe {
        name: Ident,
        /// The value, or the elements of a list.
        values: Vec<Expr>,
        /// The place of `[ … ]` if it is a list.
        list: Option<Span>,
        /// The level whose replicas have a value each.
        level: Option<Number>,
        /// The place of `at end`.
        at_end: Option<Span>,
    },
    /// `stop when EXPR`
    Stop(Expr),
    /// `equilibrium exp(EXPR)`: the whole of `exp(EXPR)`, if the text is right.
    Equilibrium(Expr),
}

/// A type as written.
#[derive(Clone, Debug, PartialEq)]
pub struct TypeName {
    pub kind: TypeNameKind,
    pub span: Span,
}

/// The ways to write a type.
#[derive(Clone, Debug, PartialEq)]
pub enum TypeNameKind {
    /// `bit`, `f32`, or a name that is no type: the check says so.
    Name(String),
    /// `vec3<f64>`: vectors, and the type of their components.
    Of(Ident, Ident),
    /// `enum { a, b }`
    Enum(Vec<Ident>),
}

/// An expression.
#[derive(Clone, Debug, PartialEq)]
pub struct Expr {
    pub kind: ExprKind,
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
    /// `a.x`, or `a[1, 0].x else EXPR` with the component that stands there where nothing is; taken apart before anything is checked.
    Component { value: Box<Expr>, of: Ident, otherwise: Option<Box<Expr>> },
    /// `name(a, b) else EXPR`: functions, casts, aggregates, observables; the `else` is optional.
    Call { name: Ident, arguments: Vec<Expr>, otherwise: Option<Box<Expr>> },
    /// `name(a, b) from disorder`: a draw whose key is the disorder seed.
    FromDisorder(Box<Expr>),
    /// `name[1, 0] else EXPR`: the `else` is missing only if the text is wrong.
    Read { name: Ident, offset: Vec<Number>, offset_span: Span, otherwise: Option<Box<Expr>> },
    /// `name[EXPR]`: a value of a table.
    Index { name: Ident, index: Box<Expr>, index_span: Span },
    /// `name(a) of CLUSTERS`: a value of the cell's cluster. The call has the `else`.
    OfCluster(Box<Expr>, Ident),
    /// `name(a) at CLUSTERS`: a draw that is one for all cells of a cluster.
    AtCluster(Box<Expr>, Ident),
    /// `EXPR per CLUSTERS` as an argument: the value of each cluster.
    Per(Box<Expr>, Ident),
    /// `EXPR over NEIGHBOURHOOD` as an argument: the value of each pair.
    Over(Box<[Expr; 2]>),
    /// `[(1, 0), (0, 1)]` as an argument: a neighbourhood written in place.
    Offsets(Vec<OffsetEntry>),
    /// `match E { a | b => 1, 2..=3 => 2, _ => 3 }`
    Match {
        value: Box<Expr>,
        /// The cases, in order.
        arms: Vec<Arm>,
    },
    /// `-a`, `!a`
    Unary { op: UnaryOperator, operand: Box<Expr> },
    /// `a + b` and the like
    Binary { op: BinaryOperator, op_span: Span, left: Box<Expr>, right: Box<Expr> },
    /// `n in 2..=3`
    InRange { value: Box<Expr>, low: Box<Expr>, high: Box<Expr> },
    /// `n in {2, 5}`
    InSet {
        value: Box<Expr>,
        /// The elements, at least one if the text is right.
        set: Vec<Expr>,
    },
    /// `if a { … } else { … }`; `else if` is an `otherwise` that is a bare `If`.
    If {
        condition: Box<Expr>,
        /// The block in the first braces.
        then: Box<Block>,
        /// The expression after `else`: `None` only if the text is wrong.
        otherwise: Option<Box<Expr>>,
    },
    /// `{ let a = 1  a + 1 }`
    Block(Box<Block>),
}

/// `a | 2..=3 => EXPR`
#[derive(Clone, Debug, PartialEq)]
pub struct Arm {
    /// The patterns that are compared, at least one.
    pub patterns: Vec<CasePattern>,
    pub value: Expr,
}

/// A case of a `match`: one value, or a range.
#[derive(Clone, Debug, PartialEq)]
pub struct CasePattern {
    /// The first value, or the only one.
    pub low: PatternEnd,
    /// The last value, if it is a range.
    pub high: Option<PatternEnd>,
    pub span: Span,
}

/// A value in a [`CasePattern`].
#[derive(Clone, Debug, PartialEq)]
pub enum PatternEnd {
    /// A whole number.
    Number(Number),
    /// `true` or `false`
    Bool(bool),
    /// A variant, a constant, or `_` for all that is left.
    Name(Ident),
}

/// `{ let … EXPR }`
#[derive(Clone, Debug, PartialEq)]
pub struct Block {
    /// The lets, in order.
    pub lets: Vec<(Ident, Expr)>,
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

named! {
    /// Operators between two operands, binding from tight to loose as listed (those of one line alike), as they are written.
    pub enum BinaryOperator {
        Multiply = "*", Divide = "/", Remainder = "%",
        Add = "+", Subtract = "-",
        ShiftLeft = "<<", ShiftRight = ">>",
        BitAnd = "&",
        BitXor = "^",
        BitOr = "|",
        Equal = "==", NotEqual = "!=", Less = "<", LessEqual = "<=", Greater = ">", GreaterEqual = ">=",
        And = "&&",
        Or = "||",
    }
}

impl BinaryOperator {
    /// The comparison that it is.
    pub(crate) fn comparison(self) -> Option<CompareOp> {
        Some(match self {
            BinaryOperator::Equal => CompareOp::Equal,
            BinaryOperator::NotEqual => CompareOp::NotEqual,
            BinaryOperator::Less => CompareOp::Less,
            BinaryOperator::LessEqual => CompareOp::LessEqual,
            BinaryOperator::Greater => CompareOp::Greater,
            BinaryOperator::GreaterEqual => CompareOp::GreaterEqual,
            _ => return None,
        })
    }
}

impl Expr {
    /// The lets of its own block, if it has one.
    pub(crate) fn lets(&self) -> &[(Ident, Expr)] {
        match &self.kind {
            ExprKind::Block(block) | ExprKind::If { then: block, .. } => &block.lets,
            _ => &[],
        }
    }

    /// The expressions directly in this one, in the order of the text.
    pub fn children(&self) -> Vec<&Expr> {
        let mut children: Vec<&Expr> = Vec::new();
        match &self.kind {
            ExprKind::Int(_) | ExprKind::Float(_) | ExprKind::Bool(_) | ExprKind::Name(_) | ExprKind::Neighbour(_) => {}
            ExprKind::Call { arguments, otherwise, .. } => {
                children.extend(arguments);
                children.extend(otherwise.as_deref());
            }
            ExprKind::Component { value, otherwise, .. } => {
                children.push(value);
                children.extend(otherwise.as_deref());
            }
            ExprKind::FromDisorder(inner)
            | ExprKind::OfCluster(inner, _)
            | ExprKind::AtCluster(inner, _)
            | ExprKind::Per(inner, _) => children.push(inner),
            ExprKind::Read { otherwise, .. } => children.extend(otherwise.as_deref()),
            ExprKind::Over(both) => children.extend(both.iter()),
            ExprKind::Index { index, .. } => children.push(index),
            ExprKind::Offsets(entries) => children.extend(entries.iter().filter_map(|entry| entry.weight.as_ref())),
            ExprKind::Match { value, arms } => {
                children.push(value);
                children.extend(arms.iter().map(|arm| &arm.value));
            }
            ExprKind::Unary { operand, .. } => children.push(operand),
            ExprKind::Binary { left, right, .. } => children.extend([&**left, right]),
            ExprKind::InRange { value, low, high } => children.extend([&**value, low, high]),
            ExprKind::InSet { value, set } => {
                children.push(value);
                children.extend(set);
            }
            ExprKind::If { condition, then, otherwise } => {
                children.push(condition);
                children.extend(then.expressions());
                children.extend(otherwise.as_deref());
            }
            ExprKind::Block(block) => children.extend(block.expressions()),
        }
        children
    }
}

/// Calls `visit` on an expression and on all inside it, in the order of the text.
pub(crate) fn walk<'e>(expression: &'e Expr, visit: &mut dyn FnMut(&'e Expr)) {
    visit(expression);
    expression.children().into_iter().for_each(|inner| walk(inner, visit));
}

impl Block {
    /// The expressions directly in it, in the order of the text.
    pub fn expressions(&self) -> impl Iterator<Item = &Expr> {
        self.lets.iter().map(|(_, value)| value).chain([&self.value])
    }
}

impl ConstValue {
    /// The expressions in it, in the order of the text.
    pub fn expressions(&self) -> &[Expr] {
        match self {
            ConstValue::Scalar(value) => std::slice::from_ref(value),
            ConstValue::Table(values, _) => values,
        }
    }
}

impl LevelEntry {
    /// Where it begins.
    pub fn start(&self) -> u32 {
        match self {
            LevelEntry::Name(name) => name.span.start,
            LevelEntry::List(_, span) => span.start,
            LevelEntry::Times(entry, _) => entry.start(),
        }
    }
}
