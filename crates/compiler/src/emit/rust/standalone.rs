//! A program of one file: kernels, the functions that they need, and a driver from `templates/standalone.rs`.

use super::observed::{self, PrintedObservables};
use super::{Emitted, FloatFunctions, SUPPORT, emit, shape};
use crate::ir::{RuleParts, Type, Value};
use crate::kernel::{Halo, Planes, RandomWord};
use crate::layout::Layout;
use crate::passes::Ready;
use crate::pipeline::{CompileError, Program};
use proc_macro2::{Ident, Literal, TokenStream};
use quote::quote;

/// The text around the kernels.
const DRIVER: &str = include_str!("../../../templates/standalone.rs");
/// How floats are computed.
const MODE: &str = include_str!("../../../templates/mode.rs");
/// How kernels are called.
const CALL: &str = include_str!("../../../templates/call.rs");

/// A program without dependencies that runs the rule and prints the digests of its states and observables, under some lines of `head`.
///
/// # Errors
/// As [`Program::kernels`]; or if the domain has no layout.
pub fn standalone(program: &Program, head: &[String]) -> Result<String, CompileError> {
    let (observed, steps) = (&PrintedObservables::of(&program.rule), program.plan.steps);
    let layout = program.plan.layout().ok_or_else(|| CompileError::without_layout(&program.rule))?;
    let rule = &observed.rule;
    let terms = (!rule.reductions.is_empty()).then(|| program.terms(rule)).transpose()?;
    let mut functions = FloatFunctions::default();
    let mut code = TokenStream::new();
    let mut pass_of = |kernel: &Ready, name: &str| {
        let emitted = emit(kernel, layout, name);
        functions.of(&emitted);
        let pass = pass(&emitted);
        code.extend(emitted.code);
        pass
    };
    let init = pass_of(&program.init, &program.init.name);
    let one_step: Vec<TokenStream> = program.kernels(1)?.iter().map(|kernel| pass_of(kernel, &kernel.name)).collect();
    let several_steps = if steps == 1 {
        quote!(one_step())
    } else {
        let name = |kernel: &Ready| format!("{}_{}_steps", kernel.name, kernel.steps);
        let list = program.steps.iter().map(|kernel| pass_of(kernel, &name(kernel)));
        let list: Vec<TokenStream> = list.collect();
        quote!(Vec::from([#(#list),*]))
    };
    let terms = terms.iter().map(|kernel| pass_of(kernel, &kernel.name)).collect::<Vec<_>>();
    let observables = observed::code(observed, layout);
    let (data, shape, functions) = (data(rule, layout, steps), shape(layout), functions.code());
    let generated = quote! {
        use std::ops::Range;
        use std::ptr::{null, null_mut};
        use std::slice::{from_raw_parts, from_raw_parts_mut};
        use std::sync::atomic::{AtomicUsize, Ordering};
        use std::time::Instant;
        #data
        #shape
        /// Computes the initial values.
        fn initial_values() -> Pass {
            #init
        }
        /// Compute one time step.
        fn one_step() -> Vec<Pass> {
            Vec::from([#(#one_step),*])
        }
        /// Compute `STEPS` time steps.
        fn several_steps() -> Vec<Pass> {
            #several_steps
        }
        /// Computes the terms of the observables, if they have some.
        fn terms() -> Vec<Pass> {
            Vec::from([#(#terms),*])
        }
        #observables
        #code
        #functions
    };
    let mut text = String::new();
    for line in head {
        text.push_str(format!("// {line}").trim_end());
        text.push('\n');
    }
    text.push_str("\n#![allow(dead_code, unused_parens, unused_variables, clippy::all)]\n\n");
    text.push_str(&format(generated));
    text.push('\n');
    text.push_str(DRIVER);
    for part in [MODE, CALL].iter().chain(&SUPPORT) {
        text.push('\n');
        text.push_str(part);
    }
    Ok(text)
}

/// Items of Rust as a reader wants them: lines, and empty lines between functions.
fn format(items: TokenStream) -> String {
    let file = syn::parse2(items).expect("emitted code is Rust");
    let text = prettyplease::unparse(&file);
    let mut spaced = String::with_capacity(text.len());
    let mut before = "";
    for line in text.lines() {
        let begins = line.starts_with("///") || line.starts_with("fn ") || line.starts_with("pub fn ");
        if begins && matches!(before, "}" | "];") {
            spaced.push('\n');
        }
        spaced.push_str(line);
        spaced.push('\n');
        before = line;
    }
    spaced
}

fn usizes(list: &[usize]) -> TokenStream {
    let numbers = list.iter().map(|v| Literal::usize_unsuffixed(*v));
    quote!(&[#(#numbers),*])
}

/// An expression of type `Pass`.
fn pass(emitted: &Emitted) -> TokenStream {
    let (select, interface): (&Ident, _) = (&emitted.select, &emitted.interface);
    let (own, presence, writes) = (usizes(&interface.own), usizes(&interface.presence), usizes(&interface.writes));
    let halo = interface.halo.iter().map(|Halo { state, direction, micro, .. }| {
        let (state, direction) = (Literal::usize_unsuffixed(*state), Literal::usize_unsuffixed(*direction));
        let micro: Vec<usize> = micro.iter().map(|micro| *micro as usize).collect();
        let micro = usizes(&micro);
        quote!((#state, #direction, #micro))
    });
    let random = interface.random.iter().map(|RandomWord { micro, draw }| {
        let (micro, draw) = (Literal::u32_unsuffixed(*micro), Literal::u32_unsuffixed(*draw));
        quote!((#micro, #draw))
    });
    quote! {
        Pass {
            code: #select(Instructions::best()),
            own: #own,
            halo: &[#(#halo),*],
            presence: #presence,
            writes: #writes,
            random: &[#(#random),*],
        }
    }
}

/// A function that says of the bits of a number whether it lies in a range.
fn admits(ty: Type, least: Value, most: Value) -> TokenStream {
    let of_bits = |bits: TokenStream| match ty {
        Type::F32 => quote!(f32::from_bits(#bits as u32)),
        Type::F64 => quote!(f64::from_bits(#bits)),
        Type::I32 => quote!(#bits as i32),
        Type::I64 => quote!(#bits as i64),
        Type::Bit | Type::U8 | Type::U16 | Type::U32 | Type::Enum(_) => bits,
    };
    let [least, most] = [least, most].map(|value| {
        let bits = Literal::u64_suffixed(value.bits());
        of_bits(quote!(#bits))
    });
    let value = of_bits(quote!(bits));
    quote!(|bits: u64| (#least..=#most).contains(&(#value)))
}

/// The fractal, the layout and the rule as constants.
fn data(rule: &RuleParts, layout: &Layout, steps: u32) -> TokenStream {
    let number = Literal::u32_unsuffixed;
    let (level, lane_digits, micro_digits) =
        (number(layout.level()), number(layout.lane_digits()), number(layout.micro_digits()));
    let axes = Literal::usize_unsuffixed(layout.dimension().axes());
    let patterns = layout.low().fractal().patterns.iter().map(|pattern| {
        let scale = pattern.scale.map(number);
        let places = pattern.replicas.iter().map(|place| {
            let place = place.map(number);
            quote!([#(#place),*])
        });
        quote!(Pattern { scale: [#(#scale),*], replicas: &[#(#places),*] })
    });
    let terms = rule.reductions.iter().map(|reduction| (&reduction.name, reduction.ty));
    let states = rule.kept_states().map(|state| (&state.name, state.ty)).chain(terms).map(|(name, ty)| {
        let (planes, bytes) = match Planes::of(rule, ty) {
            Planes::Bits(planes) => (usize::from(planes), 0),
            Planes::Number(ty) => (0, ty.scalar().bytes() as usize),
        };
        let [planes, bytes] = [planes, bytes].map(Literal::usize_unsuffixed);
        quote!(State { name: #name, planes: #planes, bytes: #bytes })
    });
    let params = rule.params.iter().map(|param| {
        let variants = match param.ty {
            Type::Enum(id) => rule.enum_type(id).variants.as_slice(),
            _ => &[],
        };
        let (name, ty, default) =
            (&param.name, rule.type_name(param.ty), Literal::u64_unsuffixed(param.default.bits()));
        let ty = if variants.is_empty() { ty } else { "enum".to_owned() };
        let valid = param.range.map_or(String::new(), |_| format!("; {}", param.range_text()));
        let admits = param.range.map_or(quote!(|_| true), |(least, most)| admits(param.ty, least, most));
        quote!(Param { name: #name, ty: #ty, variants: &[#(#variants),*], default: #default, valid: #valid, admits: #admits })
    });
    let all_states = rule.kept_states().count() + rule.reductions.len();
    let counts = [layout.low().fractal().patterns.len(), all_states, rule.params.len()];
    let [patterns_len, states_len, params_len] = counts.map(Literal::usize_unsuffixed);
    let shown = Literal::usize_unsuffixed(rule.states.len());
    let steps = number(steps);
    let periodic = layout.periodic().0;
    quote! {
        /// The level of the fractal.
        const LEVEL: u32 = #level;
        /// The top digits of a cell's number, which are its lane.
        const LANE_DIGITS: u32 = #lane_digits;
        /// The lowest digits of a cell's number, which are its micro cell; those between are its superblock.
        const MICRO_DIGITS: u32 = #micro_digits;
        /// The dimension of the space.
        const AXES: usize = #axes;
        /// The time steps of one pass over all superblocks.
        const STEPS: u32 = #steps;
        /// The fractal: its levels by turns, the finest first.
        const PATTERNS: [Pattern; #patterns_len] = [#(#patterns),*];
        /// Which axes are periodic: what leaves the fractal on one side enters it on the other.
        const PERIODIC: [bool; 3] = [#(#periodic),*];
        /// How many states are shown; the others are of use within a time step only.
        const SHOWN: usize = #shown;
        /// The states of the rule, and behind them the terms of its observables.
        const STATES: [State; #states_len] = [#(#states),*];
        /// The parameters of the rule.
        const PARAMS: [Param; #params_len] = [#(#params),*];
    }
}
