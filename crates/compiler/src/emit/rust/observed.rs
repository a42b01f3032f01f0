//! The observables of a stand-alone program: the reductions that its driver folds over all cells, and the expressions of their results.

use crate::ir::{Combine, GlobalExpr, MathFn, Rule, RuleParts};
use crate::layout::Layout;
use crate::reduce::global_expr::{ObservedInputs, evaluate};
use proc_macro2::{Ident, Literal, TokenStream};
use quote::{format_ident, quote};

/// The observables that a program computes.
pub struct PrintedObservables {
    /// The rule, with the reductions that these observables need.
    pub rule: RuleParts,
    /// Their numbers in the rule.
    computed: Vec<usize>,
}

impl PrintedObservables {
    /// The observables of a rule that a program can compute: numbers, and lists of them, made of sums, counts, minima and maxima over all cells. Left out are
    /// observables by level, medians, variances, and `exp log log2 sin cos tan tanh asin acos atan pow atan2` of totals, and casts of totals but to `f64` and `i64`.
    pub fn of(rule: &Rule) -> PrintedObservables {
        let (mut computed, mut which): (Vec<usize>, Vec<usize>) = (Vec::new(), Vec::new());
        for (index, observable) in rule.observables.iter().enumerate() {
            if is_computed(rule, &observable.value, &computed) {
                computed.push(index);
                observable.value.reductions(&mut which);
            }
        }
        which.sort_unstable();
        which.dedup();
        let mut rule = rule.with_reductions(&which);
        for index in &computed {
            rule.observables[*index].value.visit(&mut |inner| {
                if let GlobalExpr::Reduction(index) = inner {
                    *index = which.partition_point(|other| other < &(*index as usize)) as u32;
                }
            });
        }
        PrintedObservables { rule, computed }
    }
}

/// Whether a program computes a total, given which of the observables above it are.
fn is_computed(rule: &RuleParts, total: &GlobalExpr, above: &[usize]) -> bool {
    let numbers = if let GlobalExpr::List(elements) = total { elements } else { std::slice::from_ref(total) };
    let mut all = true;
    numbers.to_vec().iter_mut().for_each(|number| {
        number.visit(&mut |inner| {
            all &= match inner {
                GlobalExpr::Reduction(index) => rule.reductions[*index as usize].is_whole_at_once(),
                GlobalExpr::Observable(index) => {
                    let is_list = matches!(rule.observables[*index as usize].value, GlobalExpr::List(_));
                    above.contains(&(*index as usize)) && !is_list
                }
                GlobalExpr::Math(MathFn::Sqrt | MathFn::Floor | MathFn::Ceil | MathFn::Round, _) => true,
                GlobalExpr::Math(..) | GlobalExpr::Math2(..) | GlobalExpr::Random { .. } => false,
                GlobalExpr::Cast(..) | GlobalExpr::List(_) => false,
                GlobalExpr::Integer(_)
                | GlobalExpr::Float(_)
                | GlobalExpr::Param(_)
                | GlobalExpr::Cells(_)
                | GlobalExpr::Side
                | GlobalExpr::Extent(_)
                | GlobalExpr::Level
                | GlobalExpr::Time
                | GlobalExpr::ToFloat(_)
                | GlobalExpr::ToInteger(_)
                | GlobalExpr::Unary(..)
                | GlobalExpr::Binary(..)
                | GlobalExpr::Compare(..)
                | GlobalExpr::Select(_) => true,
            };
        });
    });
    all
}

/// The reductions as constants, and a function that computes the observables of their results.
pub(super) fn code(PrintedObservables { rule, computed }: &PrintedObservables, layout: &Layout) -> TokenStream {
    let kinds = rule.reductions.iter().map(|reduction| {
        let kind = match reduction.kind {
            Combine::Sum | Combine::Count => "sum",
            Combine::Min => "min",
            Combine::Max => "max",
        };
        let ty = rule.type_name(reduction.ty);
        quote!((#kind, #ty))
    });
    let name = |index: &usize| &rule.observables[*index].name;
    let lets = computed.iter().map(|index| {
        let (variable, value) = (variable(*index), value(rule, layout, &rule.observables[*index].value));
        quote!(let #variable = #value;)
    });
    let pairs = computed.iter().map(|index| {
        let (name, variable) = (name(index), variable(*index));
        quote!((#name, #variable))
    });
    let left_out = (0..rule.observables.len()).filter(|index| !computed.contains(index));
    let left_out: Vec<&String> = left_out.map(|index| name(&index)).collect();
    let [length, left] = [rule.reductions.len(), left_out.len()].map(Literal::usize_unsuffixed);
    quote! {
        /// How the terms of all cells are combined, and their types. The terms are stored in the states behind the kept ones.
        const REDUCTIONS: [(&str, &str); #length] = [#(#kinds),*];
        /// Observables that this program does not compute.
        const LEFT_OUT: [&str; #left] = [#(#left_out),*];
        /// The observables, given what the terms came to and the bits of the parameters.
        fn observables(reductions: &[Number], params: &[u64], time: u32) -> Vec<(&'static str, Number)> {
            #(#lets)*
            Vec::from([#(#pairs),*])
        }
    }
}

fn variable(observable: usize) -> Ident {
    format_ident!("observable_{observable}")
}

/// An expression of type `Number`.
fn value(rule: &RuleParts, layout: &Layout, total: &GlobalExpr) -> TokenStream {
    let of = |operand: &GlobalExpr| value(rule, layout, operand);
    let call = |name: &str, a: TokenStream, b: TokenStream| {
        let name = format_ident!("{name}");
        quote!(#a.#name(&#b))
    };
    let nothing = quote!(Number::Whole(0));
    match total {
        GlobalExpr::Float(value) => {
            let bits = Literal::u64_unsuffixed(value.to_bits());
            quote!(Number::Float(f64::from_bits(#bits)))
        }
        GlobalExpr::Param(index) => {
            let (ty, index) = (rule.type_name(rule.params[usize::from(*index)].ty), Literal::u16_unsuffixed(*index));
            quote!(Number::of_bits(#ty, params[#index]))
        }
        GlobalExpr::Time => quote!(Number::Whole(time.into())),
        GlobalExpr::Reduction(index) => {
            let index = Literal::u32_unsuffixed(*index);
            quote!(reductions[#index].clone())
        }
        GlobalExpr::Observable(index) => {
            let variable = variable(*index as usize);
            quote!(#variable.clone())
        }
        GlobalExpr::ToFloat(a) => call("to_float", of(a), nothing),
        GlobalExpr::ToInteger(a) => call("to_whole", of(a), nothing),
        GlobalExpr::Unary(op, a) => call(op.name(), of(a), nothing),
        GlobalExpr::Math(function, a) => call(function.name(), of(a), nothing),
        GlobalExpr::Binary(op, operands) => call(op.name(), of(&operands[0]), of(&operands[1])),
        GlobalExpr::Compare(op, operands) => call(op.name(), of(&operands[0]), of(&operands[1])),
        GlobalExpr::Select(operands) => {
            let [condition, then, otherwise] = operands.each_ref().map(of);
            quote!((if #condition.float() == 0.0 { #otherwise } else { #then }))
        }
        GlobalExpr::List(elements) => {
            let elements = elements.iter().map(of);
            quote!(Number::List(Vec::from([#(#elements),*])))
        }
        // The text or the domain alone gives these numbers.
        GlobalExpr::Integer(_)
        | GlobalExpr::Cells(_)
        | GlobalExpr::Side
        | GlobalExpr::Extent(_)
        | GlobalExpr::Level => {
            let k = |mu: u32| layout.low().fractal().pattern(mu).k();
            let cells = |level: u32| (1..=level).map(k).product();
            let cells: Vec<u64> = (0..=layout.level()).map(cells).collect();
            let inputs = ObservedInputs {
                params: &[],
                cells: &cells,
                extent: layout.extent(),
                time: 0,
                seed: 0,
                reductions: &[],
            };
            let number: TokenStream = evaluate(total, &inputs, &[]).to_string().parse().expect("a whole number");
            quote!(Number::Whole(#number))
        }
        GlobalExpr::Cast(..) | GlobalExpr::Math2(..) | GlobalExpr::Random { .. } => {
            unreachable!("such observables are left out")
        }
    }
}
