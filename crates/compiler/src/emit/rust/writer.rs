//! The functions of one kernel: where its columns are, and node after node.

use super::expression::{literal, rust_type};
use super::names::{ident, namer};
use crate::emit::functions::FloatFunction;
use crate::kernel::{
    Direction, Interface, Kernel, LaneType, Load, Op, Planes, ValueId, arithmetic, block_index, logic, scalar_input,
};
use crate::layout::columns::column_number;
use crate::numbers::table::ConstTable;
use crate::numbers::value::Value;
use crate::passes::Ready;
use proc_macro2::{Ident, Literal, TokenStream};
use quote::{format_ident, quote};
use std::collections::{BTreeMap, BTreeSet};

/// An input or output of a kernel, each an argument of its function.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Position {
    /// Columns of a state, of the superblock itself (`None`) or its neighbour in the direction of this index.
    Columns(u16, Option<usize>),
    /// The lanes in which the neighbour exists.
    Presence(usize),
    /// Where the lanes begin on an axis.
    LaneCorners(u8),
    /// The lanes whose corners are odd on a set of axes.
    OddCorners(u8),
    /// Columns of random words.
    Random,
    /// The new columns of a state.
    New(u16),
}

/// A kernel that is being written.
pub(super) struct RustPrinter<'a> {
    pub(super) kernel: &'a Kernel,
    /// All values are bits: one vector of words at a time instead of a lane.
    pub(super) bitwise: bool,
    /// Per node its name; constants of words are literals.
    values: Vec<TokenStream>,
    /// The arguments' names.
    places: BTreeMap<Position, Ident>,
    /// Per node whether the code written so far names it.
    named: Vec<bool>,
    pub(super) functions: BTreeSet<(FloatFunction, bool)>,
    /// The tables in which the kernel looks up values.
    pub(super) tables: Vec<ConstTable>,
    interface: &'a Interface,
}

pub(super) fn number(value: usize) -> Literal {
    Literal::usize_unsuffixed(value)
}

impl<'a> RustPrinter<'a> {
    pub(super) fn new(ready: &'a Ready) -> Self {
        let (kernel, interface) = (ready.kernel(), ready.interface());
        let bitwise = interface.bitwise;
        let mut names = namer();
        let mut name = |wanted: &str| ident(&names.name(&wanted.to_lowercase()));
        let mut places: BTreeMap<Position, Ident> = BTreeMap::new();
        for node in &kernel.nodes {
            if let Some((place, wanted)) = argument(kernel, &node.op) {
                places.entry(place).or_insert_with(|| name(&wanted));
            }
        }
        let values = kernel.nodes.iter().map(|node| match &node.op {
            Op::Const(value) if bitwise => {
                let bit = value.bits() == 1;
                quote!(V::splat(#bit))
            }
            Op::Store { .. } => TokenStream::new(),
            op => {
                let name = name(if let Op::Const(value) = op { constant_name(*value) } else { &node.name });
                quote!(#name)
            }
        });
        let values = values.collect();
        let named = vec![false; kernel.nodes.len()];
        let mut tables: Vec<ConstTable> = Vec::new();
        for table in kernel.tables() {
            if !tables.contains(table) {
                tables.push(table.clone());
            }
        }
        RustPrinter { kernel, bitwise, values, places, named, functions: BTreeSet::new(), tables, interface }
    }

    /// The type of a position's elements, and their number, as tokens.
    fn shape(&self, place: Position) -> (TokenStream, TokenStream) {
        let bits = |planes: usize| {
            let (word, per_word) = if self.bitwise { (quote!(u32), quote!()) } else { (quote!(u8), quote!(4 *)) };
            let planes = if planes == 1 {
                quote!()
            } else {
                let planes = number(planes);
                quote!(#planes *)
            };
            (word, quote!(#per_word #planes WORDS))
        };
        match place {
            Position::Columns(state, _) | Position::New(state) => match self.kernel.states[usize::from(state)].planes {
                Planes::Bits(planes) => {
                    let (element, count) = bits(usize::from(planes));
                    (element, quote!(MICRO_CELLS * #count))
                }
                Planes::Number(ty) => {
                    let element = super::expression::rust_type(ty);
                    (quote!(#element), quote!(MICRO_CELLS * STRIDE))
                }
            },
            Position::Presence(_) | Position::OddCorners(_) => {
                let (element, count) = bits(1);
                (element, quote!(#count))
            }
            Position::LaneCorners(_) => (quote!(i32), quote!(STRIDE)),
            Position::Random => {
                let count = number(self.interface.random.len());
                (quote!(u32), quote!(#count * STRIDE))
            }
        }
    }

    /// Both functions, and the functions that they call.
    pub(super) fn write(mut self, name: &Ident) -> (TokenStream, BTreeSet<(FloatFunction, bool)>) {
        let inner = format_ident!("{name}_on_blocks");
        let (mut arguments, mut blocks) = (Vec::new(), Vec::new());
        let dimension = self.kernel.micro.dimension;
        for (place, argument) in &self.places {
            let (element, count) = self.shape(*place);
            let mutable = matches!(place, Position::New(_)).then(|| quote!(mut));
            arguments.push(quote!(#argument: &#mutable [#element; #count]));
            let (list, at) = match *place {
                Position::Columns(state, direction) => ("reads", block_index(dimension, usize::from(state), direction)),
                Position::Presence(direction) => ("presence", direction),
                Position::LaneCorners(axis) => ("lane_corners", usize::from(axis)),
                Position::OddCorners(set) => ("odd_corners", usize::from(set)),
                Position::Random => ("random", 0),
                Position::New(state) => ("writes", usize::from(state)),
            };
            let (list, at) = (format_ident!("{list}"), number(at));
            blocks.push(match place {
                Position::Random => quote!(&*call.#list.cast()),
                Position::New(_) => quote!(block_mut(call.#list, #at)),
                _ => quote!(block(call.#list, #at)),
            });
        }
        let tables: Vec<TokenStream> = self.tables.iter().enumerate().map(static_table).collect();
        let body = if self.bitwise { self.words() } else { self.lanes() };
        let (generic, vector) =
            if self.bitwise { (quote!(<V: Bits>), quote!(::<V>)) } else { (quote!(<S: Set>), quote!(::<S>)) };
        let about = about(self.kernel);
        let code = quote! {
            #(#[doc = #about])*
            ///
            /// # Safety
            /// The blocks are those of one superblock, for this shape.
            #[inline(always)]
            unsafe fn #inner #generic(call: &Call, #(#arguments),*) {
                #(#tables)*
                #body
            }
            /// The same on what the driver hands to kernels.
            ///
            /// # Safety
            /// The call must be filled as its fields say, for this shape.
            #[inline(always)]
            unsafe fn #name #generic(call: &Call) {
                unsafe { #inner #vector(call, #(#blocks),*) }
            }
        };
        (code, self.functions)
    }

    /// A loop over the vectors of a column.
    fn words(&mut self) -> TokenStream {
        let statements: Vec<TokenStream> = (0..self.kernel.nodes.len()).filter_map(|place| self.node(place)).collect();
        quote! {
            let mut word = 0;
            while word < WORDS {
                // SAFETY: the blocks hold all columns, and vectors end inside them.
                unsafe { #(#statements)* }
                word = V::next::<WORDS>(word);
            }
        }
    }

    /// A loop over the vectors of a column of numbers, behind the values that are the same for all of them. Values that no code names are left out.
    fn lanes(&mut self) -> TokenStream {
        let (mut before, mut inside) = (Vec::new(), Vec::new());
        for place in (0..self.kernel.nodes.len()).rev() {
            let node = &self.kernel.nodes[place];
            if !self.named[place] && !matches!(node.op, Op::Store { .. }) {
                continue;
            }
            let name = self.values[place].clone();
            if let Some(value) = node.ty.and_then(|ty| self.uniform(&node.op, ty)) {
                before.push(quote!(let #name = #value;));
                continue;
            }
            inside.extend(self.node(place));
        }
        before.reverse();
        inside.reverse();
        quote! {
            // SAFETY: the call has all parameters, the blocks hold all columns, and vectors end inside them.
            unsafe {
                #(#before)*
                let mut lane = 0;
                while lane < STRIDE {
                    #(#inside)*
                    lane = S::next::<STRIDE>(lane);
                }
            }
        }
    }

    /// Where a column begins in its block; nothing for the first.
    pub(super) fn offset(&self, op: &Op) -> TokenStream {
        if let Op::Random { draw, micro } = *op {
            let word = self.interface.random_column(draw, micro).expect("it is among those that the kernel asks for");
            return sum(word, &quote!(STRIDE));
        }
        let (state, plane, micro) = match *op {
            Op::Load(Load { state, plane, micro, .. }) | Op::Store { state, plane, micro, .. } => (state, plane, micro),
            Op::Presence(_) | Op::LaneCorner(_) | Op::OddCorner(_) | Op::Random { .. } => return TokenStream::new(),
            Op::RandomBit { .. } | scalar_input!() | logic!() | arithmetic!() => return TokenStream::new(),
        };
        let planes = self.kernel.states[usize::from(state)].planes;
        let column = column_number(planes, plane, micro) as usize;
        match planes {
            // Vectors of numbers read the bits beside them as bytes.
            Planes::Bits(_) => sum(if self.bitwise { column } else { 4 * column }, &quote!(WORDS)),
            Planes::Number(_) => sum(column, &quote!(STRIDE)),
        }
    }

    /// The statement of a node; none for constants of words.
    fn node(&mut self, place: usize) -> Option<TokenStream> {
        let node = &self.kernel.nodes[place];
        let name = self.values[place].clone();
        let argument = argument(self.kernel, &node.op);
        let block = argument.and_then(|(position, _)| self.places.get(&position).cloned());
        let offset = self.offset(&node.op);
        Some(match &node.op {
            Op::Const(_) => return None,
            Op::Load(_) | Op::Presence(_) | Op::OddCorner(_) if self.bitwise => {
                let place = behind(&offset, &quote!(word));
                quote!(let #name = V::load::<WORDS, _>(#block, #place);)
            }
            Op::Store { value, .. } if self.bitwise => {
                let (place, value) = (behind(&offset, &quote!(word)), self.value(*value));
                quote!(#value.store::<WORDS, _>(#block, #place);)
            }
            Op::Load(_) | Op::Presence(_) | Op::LaneCorner(_) | Op::OddCorner(_) | Op::Random { .. } => {
                let vector = super::expression::vector_type(node.ty.unwrap_or(LaneType::Bits));
                let place = place_of(node.ty, &offset);
                let load = match node.ty {
                    Some(LaneType::Bits | LaneType::U8) => quote!(load),
                    _ if node.op.direction() == Some(Direction::CENTRE) => quote!(load_own),
                    _ => quote!(load),
                };
                quote!(let #name = #vector::#load(#block, #place);)
            }
            Op::Store { value, .. } => {
                let source = self.kernel.node(*value);
                let (place, value) = (place_of(source.ty, &offset), self.value(*value));
                quote!(#value.store(#block, #place);)
            }
            op if self.bitwise => {
                let expression = self.logic(op);
                quote!(let #name = #expression;)
            }
            op => {
                let expression = self.expression(op, node.ty.unwrap_or(LaneType::Bits));
                quote!(let #name = #expression;)
            }
        })
    }

    /// The name or literal of a value.
    pub(super) fn value(&mut self, id: ValueId) -> TokenStream {
        self.named[id.0 as usize] = true;
        self.values[id.0 as usize].clone()
    }
}

/// The input or output of an operation, and its name.
fn argument(kernel: &Kernel, op: &Op) -> Option<(Position, String)> {
    let index = |direction: Direction| direction.index(kernel.micro.dimension);
    let state_name = |state: u16| &kernel.states[usize::from(state)].name;
    Some(match *op {
        Op::Load(Load { state, direction, .. }) => {
            let whence = if direction == Direction::CENTRE { "own".to_owned() } else { direction.to_string() };
            (Position::Columns(state, index(direction)), format!("{whence}_{}", state_name(state)))
        }
        Op::Presence(direction) => (Position::Presence(index(direction)?), format!("lanes_{direction}")),
        Op::LaneCorner(axis) => (Position::LaneCorners(axis), format!("lanes_{}", ["x", "y", "z"][usize::from(axis)])),
        Op::OddCorner(axes) => {
            (Position::OddCorners(axes.set()), format!("odd_{}", axes.to_string().replace(", ", "")))
        }
        Op::Random { .. } => (Position::Random, "random_words".to_owned()),
        Op::Store { state, .. } => (Position::New(state), format!("new_{}", state_name(state))),
        Op::RandomBit { .. } | scalar_input!() | logic!() | arithmetic!() => return None,
    })
}

/// The name of a kernel's table.
pub(super) fn table_name(number: usize) -> Ident {
    format_ident!("TABLE_{number}")
}

/// A table, with numbers for bits and enums.
fn static_table((number, table): (usize, &ConstTable)) -> TokenStream {
    let (name, ty) = (table_name(number), LaneType::of_table(table));
    let values = table.values().map(|value| literal(Value::from_bits(ty.scalar(), value.bits())));
    let (element, values) = (rust_type(ty), values.collect::<Vec<_>>());
    let count = self::number(values.len());
    quote!(static #name: [#element; #count] = [#(#values),*];)
}

/// A place so far behind an offset.
pub(super) fn behind(offset: &TokenStream, place: &TokenStream) -> TokenStream {
    if offset.is_empty() { place.clone() } else { quote!(#offset + #place) }
}

/// The arguments that say where the lanes of a column are.
fn place_of(ty: Option<LaneType>, offset: &TokenStream) -> TokenStream {
    match ty {
        Some(LaneType::Bits) if offset.is_empty() => quote!(0, lane),
        Some(LaneType::Bits) => quote!(#offset, lane),
        _ => behind(offset, &quote!(lane)),
    }
}

/// The name of a constant.
fn constant_name(value: Value) -> &'static str {
    match value.as_f64() {
        v if v == 0.0 && v.is_sign_positive() => "zero",
        1.0 => "one",
        2.0 => "two",
        -1.0 => "minus_one",
        _ => "constant_0",
    }
}

/// `count * unit`, nothing if it is 0.
fn sum(count: usize, unit: &TokenStream) -> TokenStream {
    let factor = number(count);
    match count {
        0 => TokenStream::new(),
        1 => unit.clone(),
        _ => quote!(#factor * #unit),
    }
}

/// The documentation of a kernel, as lines: its steps, its cells and its cost.
fn about(kernel: &Kernel) -> [String; 3] {
    let steps = if kernel.steps == 1 { "one step".to_owned() } else { format!("{} steps", kernel.steps) };
    let cells = kernel.micro.cells.len();
    [
        format!(" `{}`: {steps} of {cells} micro cells in all lanes.", kernel.name),
        String::new(),
        format!(" {}.", crate::passes::Statistics::of(kernel)),
    ]
}
