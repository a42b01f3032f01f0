//! The module that stands for a rule.

use super::program::{CheckedText, doc, ident};
use proc_macro2::TokenStream;
use quote::quote;
use squeeze_compiler::ir::{Rule, State, Type};

/// The modules of all rules of a program.
pub(crate) fn expand(program: &CheckedText) -> TokenStream {
    program.library.rules.iter().map(|rule| module(rule, program)).collect()
}

fn module(rule: &Rule, program: &CheckedText) -> TokenStream {
    let name = ident(&rule.name);
    let about = doc(&rule.doc, format!("The rule `{}`.", rule.name));
    let names = |list: Vec<&str>| {
        let length = list.len();
        (length, quote!([#(#list),*]))
    };
    // Bonds that are kept are states of pairs, as many as the dimension makes them.
    let of_cells = (0u16..).zip(&rule.states).filter(|(id, _)| rule.kept_bonds().all(|bond| bond.first.0 != *id));
    let of_cells: Vec<&State> = of_cells.map(|(_, state)| state).collect();
    let (states_len, states) = names(of_cells.iter().map(|state| state.name.as_str()).collect());
    let (params_len, params) = names(rule.params.iter().map(|param| param.name.as_str()).collect());
    let (observables_len, observables) = names(rule.observables.iter().map(|o| o.name.as_str()).collect());
    let types = of_cells.iter().map(|state| format!("`{}: {}`", state.name, rule.type_name(state.ty)));
    let states_doc = format!(" The states of a cell, in order: {}.", types.collect::<Vec<_>>().join(", "));
    let variants = of_cells.iter().filter_map(|state| match state.ty {
        Type::Enum(id) => Some((&state.name, &rule.enum_type(id).variants)),
        _ => None,
    });
    let variants: TokenStream = variants
        .map(|(state, variants)| {
            let about = format!(" The variants of the state `{state}`, by number.");
            let (length, constant) = (variants.len(), quote::format_ident!("VARIANTS_OF_{}", state.to_uppercase()));
            quote! {
                #[doc = #about]
                pub const #constant: [&str; #length] = [#(#variants),*];
            }
        })
        .collect();
    let (source, source_name, used, own_name) = (&program.source, &program.name, program.files.used(), &rule.name);
    quote! {
        #[doc = #about]
        #[allow(dead_code, unused_imports, clippy::all)]
        pub mod #name {
            use ::std::prelude::rust_2021::*;
            #[doc = #states_doc]
            pub const STATES: [&str; #states_len] = #states;
            /// The parameters, which can be set when a simulation is built and between its steps.
            pub const PARAMS: [&str; #params_len] = #params;
            /// What can be observed.
            pub const OBSERVABLES: [&str; #observables_len] = #observables;
            #variants
            /// The text that defines it.
            pub const SOURCE: &str = #source;
            /// The rule, for simulations.
            pub fn rule() -> ::std::sync::Arc<::squeeze::Rule> {
                static RULE: ::std::sync::OnceLock<::std::sync::Arc<::squeeze::Rule>> = ::std::sync::OnceLock::new();
                let compiled = || ::squeeze::expansion::rule(#source_name, SOURCE, #used, #own_name);
                ::std::sync::Arc::clone(RULE.get_or_init(compiled))
            }
            /// Begins to describe a simulation of this rule on a fractal.
            pub fn on(fractal: ::std::sync::Arc<::squeeze::Fractal>) -> ::squeeze::SimulationBuilder {
                ::squeeze::Simulation::builder(fractal, rule())
            }
        }
    }
}
