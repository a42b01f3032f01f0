//! `simulation!`: modules with kernels of one rule on one fractal, compiled with the user's crate.

use super::program::{CheckedText, ident};
use super::report;
use proc_macro2::{Delimiter, Span, TokenStream, TokenTree};
use quote::quote;
use squeeze_compiler::emit::rust::{Emitted, FloatFunctions, emit, shape};
use squeeze_compiler::geometry::{Domain, FittedRule};
use squeeze_compiler::ir::{Fractal, Rule};
use squeeze_compiler::passes::Ready;
use squeeze_compiler::text::source::Sources;
use squeeze_compiler::{CompileError, NoFiles, Program, Target, check, shipped};
use std::sync::Arc;
use syn::parse::{Parse, ParseStream};
use syn::{Attribute, Ident, LitInt, LitStr, Token, Visibility};

/// Kernels are planned for this level, or the highest there is.
const USUAL_LEVEL: u32 = 16;

/// Threads that are planned for: what is compiled does not depend on the machine that compiles it.
const THREADS: usize = 4;

/// `#[…] pub mod NAME: RULE on FRACTAL [at level N];`
pub(crate) struct Request {
    attributes: Vec<Attribute>,
    visibility: Visibility,
    name: Ident,
    rule: DefinitionName,
    fractal: DefinitionName,
    level: Option<LitInt>,
}

/// A definition by its name, in the macro or among those that ship, or the last one of a file.
enum DefinitionName {
    Name(Ident),
    File(LitStr),
}

impl DefinitionName {
    fn span(&self) -> Span {
        match self {
            DefinitionName::Name(name) => name.span(),
            DefinitionName::File(path) => path.span(),
        }
    }
}

impl Parse for DefinitionName {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        if input.peek(LitStr) {
            input.parse().map(DefinitionName::File)
        } else {
            input.parse().map(DefinitionName::Name)
        }
    }
}

impl Parse for Request {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let (attributes, visibility) = (input.call(Attribute::parse_outer)?, input.parse()?);
        input.parse::<Token![mod]>()?;
        let name = input.parse()?;
        input.parse::<Token![:]>()?;
        let rule = input.parse()?;
        word(input, "on", "a rule runs `on` a fractal")?;
        let fractal = input.parse()?;
        let mut level = None;
        if !input.peek(Token![;]) {
            word(input, "at", "expected `;` or `at level N`")?;
            word(input, "level", "expected `level N`")?;
            level = Some(input.parse()?);
        }
        input.parse::<Token![;]>()?;
        Ok(Request { attributes, visibility, name, rule, fractal, level })
    }
}

fn word(input: ParseStream<'_>, wanted: &str, otherwise: &str) -> syn::Result<()> {
    let place = input.span();
    match input.parse::<Ident>() {
        Ok(ident) if ident == wanted => Ok(()),
        _ => Err(syn::Error::new(place, otherwise)),
    }
}

/// The requests among the tokens of the macro, and what is left: a text of the language.
///
/// # Errors
/// The `compile_error!`s to expand to.
pub(crate) fn split(tokens: TokenStream) -> Result<(Vec<Request>, TokenStream), TokenStream> {
    let tokens: Vec<TokenTree> = tokens.into_iter().collect();
    let punct = |at: usize, c: char| matches!(tokens.get(at), Some(TokenTree::Punct(p)) if p.as_char() == c);
    let begins = |at: usize| {
        matches!(&tokens[at], TokenTree::Ident(word) if word == "mod")
            && matches!(tokens.get(at + 1), Some(TokenTree::Ident(_)))
            && punct(at + 2, ':')
    };
    let (mut requests, mut rest, mut at) = (Vec::new(), Vec::new(), 0);
    while at < tokens.len() {
        if !begins(at) {
            rest.push(tokens[at].clone());
            at += 1;
            continue;
        }
        let first = at - before(&tokens, at);
        rest.truncate(rest.len() - (at - first));
        let end = (at..tokens.len()).find(|at| punct(*at, ';')).map_or(tokens.len(), |end| end + 1);
        let request = tokens[first..end].iter().cloned().collect();
        let request = syn::parse2(request).map_err(|error| {
            let message = format!("{error}\n= help: a simulation is written `pub mod NAME: RULE on FRACTAL;`");
            report::error(&message, error.span())
        })?;
        requests.push(request);
        at = end;
    }
    if requests.is_empty() {
        let message = "no simulation is named here\n= help: one is written `pub mod NAME: RULE on FRACTAL;`";
        return Err(report::error(message, Span::call_site()));
    }
    Ok((requests, rest.into_iter().collect()))
}

/// How many tokens before `mod` belong to it: attributes, documentation and `pub`.
fn before(tokens: &[TokenTree], at: usize) -> usize {
    let mut first = at;
    let group = |at: usize, delimiter| matches!(&tokens[at], TokenTree::Group(g) if g.delimiter() == delimiter);
    let is_pub = |at: usize| matches!(&tokens[at], TokenTree::Ident(word) if word == "pub");
    if first >= 1 && is_pub(first - 1) {
        first -= 1;
    } else if first >= 2 && group(first - 1, Delimiter::Parenthesis) && is_pub(first - 2) {
        first -= 2;
    }
    let hash = |at: usize| matches!(&tokens[at], TokenTree::Punct(p) if p.as_char() == '#');
    while first >= 2 && group(first - 1, Delimiter::Bracket) && hash(first - 2) {
        first -= 2;
    }
    at - first
}

/// The modules of all requests.
///
/// # Errors
/// The `compile_error!`s to expand to.
pub(crate) fn expand(requests: &[Request], program: &CheckedText) -> Result<TokenStream, TokenStream> {
    requests.iter().map(|request| module(request, program)).collect()
}

/// A definition, and an expression that gives it when the program runs.
type FoundDefinition<T> = Result<(Arc<T>, TokenStream), TokenStream>;

fn find<T>(
    named: &DefinitionName,
    program: &CheckedText,
    kind: &str,
    of: impl Fn(&CheckedText, Option<&str>) -> Option<(Arc<T>, String)>,
) -> FoundDefinition<T> {
    let function = ident(kind);
    let missing = |message: String| report::error(&message, named.span());
    let expression = |program: &CheckedText, name: &str| {
        let (source, text, used) = (&program.name, &program.source, program.files.used());
        quote!(::squeeze::expansion::#function(#source, #text, #used, #name))
    };
    match named {
        DefinitionName::File(path) => {
            let program = CheckedText::of_file(path)?;
            let (found, name) = of(&program, None).ok_or_else(|| missing(format!("this file defines no {kind}")))?;
            Ok((found, expression(&program, &name)))
        }
        DefinitionName::Name(name) => {
            let name = name.to_string();
            let name = name.strip_prefix("r#").unwrap_or(&name);
            if let Some((found, name)) = of(program, Some(name)) {
                return Ok((found, expression(program, &name)));
            }
            let text = if kind == "fractal" { shipped::fractal_source(name) } else { shipped::rule_source(name) };
            let text = text.ok_or_else(|| {
                missing(format!(
                    "there is no {kind} `{name}`, neither here nor among those that ship\n= help: a file is named in quotes"
                ))
            })?;
            let mut sources = Sources::new();
            let root = sources.add(name, text);
            let library = check(&mut sources, root, &mut NoFiles).expect("what ships is sound");
            let shipped = CheckedText { library, source: quote!(), name: String::new(), files: Default::default() };
            let (found, _) = of(&shipped, Some(name)).expect("files are named after what they define");
            let function = quote::format_ident!("shipped_{kind}");
            Ok((found, quote!(::squeeze::expansion::#function(#name))))
        }
    }
}

/// Why `simulation!` cannot compile kernels of this rule on this fractal, if it cannot: one set of kernels must serve all levels.
fn refusal(rule: &Rule, fractal: &Fractal) -> Option<&'static str> {
    let periodic = fractal.periodic.any();
    // Some kernels know the side of each axis.
    let by_sides = fractal.is_rectangular();
    let refusals = [
        (fractal.extent.is_some(), "`simulation!` has no kernels of masks and boxes: use `Simulation::builder`"),
        (
            !fractal.edges.is_empty(),
            "`simulation!` has no kernels that know what lies beyond edges: use `Simulation::builder`",
        ),
        (
            by_sides && periodic && rule.names_coordinates,
            "`simulation!` has no kernels of a rule that names coordinates on a periodic rectangle: use `Simulation::builder`",
        ),
        (
            by_sides && rule.names_extents(),
            "`simulation!` has no kernels of a rule that names `width`, `height` or `depth` on a rectangle: use `Simulation::builder`",
        ),
        (
            rule.named_inputs().next().is_some(),
            "`simulation!` has no kernels of rules with inputs: use `Simulation::builder`",
        ),
        (
            rule.is_ordered(),
            "`simulation!` has no kernels of steps whose cells take turns in an order: use `Simulation::builder`",
        ),
        (rule.asks_clusters(), "`simulation!` has no kernels that find clusters: use `Simulation::builder`"),
        (
            periodic && !rule.coloured.is_empty(),
            "`simulation!` has no kernels where colours take turns on a periodic fractal, whose level says how many: use `Simulation::builder`",
        ),
    ];
    refusals.into_iter().find(|(refuses, _)| *refuses).map(|(_, message)| message)
}

fn module(request: &Request, program: &CheckedText) -> Result<TokenStream, TokenStream> {
    let of_rule = |program: &CheckedText, name: Option<&str>| {
        program.library.rule(name).map(|rule| (Arc::clone(rule), rule.name.clone()))
    };
    let of_fractal = |program: &CheckedText, name: Option<&str>| {
        program.library.fractal(name).map(|fractal| (Arc::clone(fractal), fractal.name.clone()))
    };
    let (rule, rule_code) = find::<Rule>(&request.rule, program, "rule", of_rule)?;
    let (fractal, fractal_code) = find::<Fractal>(&request.fractal, program, "fractal", of_fractal)?;
    if let Some(message) = refusal(&rule, &fractal) {
        return Err(report::error(message, request.rule.span()));
    }
    let highest = Domain::largest_level(&fractal);
    let (level, place) = match &request.level {
        None => (USUAL_LEVEL.min(highest), request.rule.span()),
        Some(literal) => match literal.base10_parse::<u32>() {
            Ok(level) if level <= highest => (level, literal.span()),
            _ => {
                let message = format!("the levels of `{}` are whole numbers from 0 to {highest}", fractal.name);
                return Err(report::error(&message, literal.span()));
            }
        },
    };
    let wrong = |message: String| report::error(&message, place);
    let domain = Domain::new(Arc::clone(&fractal), level).map_err(|error| wrong(error.to_string()))?;
    let rule = domain.fit(&rule).map_err(|error| wrong(error.to_string()))?;
    let program = program_of(&rule).map_err(wrong)?;
    let layout = program.plan.layout().ok_or_else(|| wrong(format!("`{}` has no levels", fractal.name)))?;
    let (mut functions, mut code, mut passes) = (FloatFunctions::default(), TokenStream::new(), TokenStream::new());
    // As many time steps as one pass carries, and one.
    let most_steps = program.plan.steps;
    for steps in Some(most_steps).filter(|steps| *steps > 1).into_iter().chain([1]) {
        let kernels = program.kernels(steps).map_err(|error| wrong(error.to_string()))?;
        let name = |kernel: &Ready| match steps {
            1 => kernel.name.clone(),
            steps => format!("{}_{steps}_steps", kernel.name),
        };
        let emitted: Vec<Emitted> = kernels.iter().map(|kernel| emit(kernel, layout, &name(kernel))).collect();
        let select = emitted.iter().map(|emitted| &emitted.select);
        let names = kernels.iter().map(|kernel| &kernel.name);
        passes.extend(quote!((#steps, ::std::vec![#((#names, #select(instructions), instructions.name())),*]),));
        for emitted in &emitted {
            functions.of(emitted);
            code.extend(emitted.code.clone());
        }
    }
    let Request { attributes, visibility, name, .. } = request;
    let about = attributes.is_empty().then(|| {
        let about = format!(" The rule `{}` on the fractal `{}`, with kernels of its own.", rule.name, fractal.name);
        quote!(#[doc = #about])
    });
    let (shape, functions) = (shape(layout), functions.code());
    let (lane_digits, micro_digits, steps) = (layout.lane_digits(), layout.micro_digits(), most_steps);
    let slow = (!is_optimised()).then(|| quote!(::squeeze::expansion::tell_of_slow_kernels();));
    Ok(quote! {
        #about
        #(#attributes)*
        #[allow(unused, unsafe_code, clippy::all, clippy::undocumented_unsafe_blocks)]
        #visibility mod #name {
            use ::std::prelude::rust_2021::*;
            use ::squeeze::expansion::native::*;
            use ::squeeze::expansion::{Call, KernelFn};
            #shape
            /// The most time steps of one pass over all superblocks.
            pub const STEPS: u32 = #steps;
            /// The fractal.
            pub fn fractal() -> ::std::sync::Arc<::squeeze::Fractal> {
                static FRACTAL: ::std::sync::OnceLock<::std::sync::Arc<::squeeze::Fractal>> = ::std::sync::OnceLock::new();
                ::std::sync::Arc::clone(FRACTAL.get_or_init(|| #fractal_code))
            }
            /// The rule.
            pub fn rule() -> ::std::sync::Arc<::squeeze::Rule> {
                static RULE: ::std::sync::OnceLock<::std::sync::Arc<::squeeze::Rule>> = ::std::sync::OnceLock::new();
                ::std::sync::Arc::clone(RULE.get_or_init(|| #rule_code))
            }
            /// Begins to describe a simulation. On the backend `cpu` it runs the kernels of this module, at every level whose
            /// layout they fit.
            pub fn builder() -> ::squeeze::SimulationBuilder {
                builder_with(Instructions::best())
            }
            /// The same with kernels for these instructions, or for the best that this processor has if those are less. Results
            /// are the same.
            pub fn builder_with(instructions: Instructions) -> ::squeeze::SimulationBuilder {
                #slow
                let instructions = instructions.min(Instructions::best());
                let given = ::squeeze::expansion::AheadOfTime {
                    lane_digits: #lane_digits,
                    micro_digits: #micro_digits,
                    lanes: LANES,
                    steps: STEPS,
                    passes: ::std::vec![#passes],
                };
                // SAFETY: the kernels were made of this rule on this fractal.
                unsafe { ::squeeze::Simulation::builder(fractal(), rule()).kernels(given) }
            }
            #code
            #functions
        }
    })
}

/// Whether the rustc in which this runs optimises, as it was told to.
fn is_optimised() -> bool {
    std::env::args().any(|argument| {
        let level = argument.rsplit_once("opt-level=").map(|(_, level)| level);
        argument == "-O" || level.is_some_and(|level| level != "0")
    })
}

/// The program for this rule by the planner's choice.
fn program_of(rule: &FittedRule) -> Result<Program, String> {
    let target = Target { whole: false, ..Target::rust(THREADS) };
    Program::of(rule, &target).map_err(|error| match error {
        CompileError::NoKernel { rule: name, reason } => {
            format!("`{name}` has no kernels on `{}`: {reason}", rule.domain().fractal().name)
        }
        CompileError::Ordered { .. }
        | CompileError::Inputs { .. }
        | CompileError::Clusters { .. }
        | CompileError::Kernel { .. }
        | CompileError::Layout(_)
        | CompileError::Memory { .. } => error.to_string(),
    })
}
