//! Tokens, as rustc hands them to the macros. These are here as the source that the crate of macros has: such a crate gives
//! others nothing but its macros.

#![allow(dead_code, reason = "of the modules of another crate, only the entrances are used")]

use crate::fuzz::{Random, Target, mutate};
use proc_macro2::TokenStream;

#[path = "../../../../crates/macros/src/expand.rs"]
mod expand;
#[path = "../../../../crates/macros/src/files.rs"]
mod files;
#[path = "../../../../crates/macros/src/fractal.rs"]
mod fractal;
#[path = "../../../../crates/macros/src/program.rs"]
mod program;
#[path = "../../../../crates/macros/src/report.rs"]
mod report;
#[path = "../../../../crates/macros/src/rule.rs"]
mod rule;
#[path = "../../../../crates/macros/src/simulation.rs"]
mod simulation;
#[path = "../../../../crates/macros/src/text.rs"]
mod text;

/// The most tokens nested in each other: rustc itself takes hardly more.
const DEEPEST: usize = 500;

pub(super) struct Macros {
    corpus: Vec<Vec<u8>>,
}

impl Macros {
    pub(super) fn new() -> Self {
        Macros { corpus: crate::fuzz::corpus("macro") }
    }
}

impl Target for Macros {
    fn corpus(&self) -> &[Vec<u8>] {
        &self.corpus
    }

    fn mutate(&self, random: &mut Random) -> Vec<u8> {
        if random.below(4) == 0 {
            return mutate::text(&self.corpus, random);
        }
        // Changes of tokens, which always leave tokens.
        let text = String::from_utf8_lossy(&self.corpus[random.below(self.corpus.len())]).into_owned();
        let mut words: Vec<String> = text.split_inclusive(char::is_whitespace).map(str::to_owned).collect();
        const WORDS: &[&str] = &[
            "fractal ",
            "rule ",
            "pub ",
            "mod ",
            "m: life on vicsek; ",
            "at level 3 ",
            "on ",
            "\"#.\" ",
            "{ } ",
            "( ) ",
            "[ ] ",
            "r#type ",
            "'a ",
            "b\"x\" ",
            "0x1F ",
            "1e400 ",
            "1_000u8 ",
            "r\"a\" ",
            "/// doc\n",
            "#[doc = \"a\"] ",
            "#![x] ",
            "$ ",
            ":: ",
            "-> ",
            "self ",
            "crate ",
            "state s: bit ",
            "use \"x\" ",
            "next s = !s ",
            "c\"y\" ",
            "'\\n' ",
            "\u{e4} ",
            "; ",
            "- ",
            "..= ",
        ];
        for _ in 0..1 + random.below(4) {
            let at = random.below(words.len().max(1));
            match random.below(5) {
                0 if at < words.len() => drop(words.remove(at)),
                1 if at < words.len() => {
                    let copy = words[at].clone();
                    words.insert(random.below(words.len()), copy);
                }
                2 if !words.is_empty() => {
                    let other = random.below(words.len());
                    words.swap(at, other);
                }
                3 => {
                    let depth = 1 + random.below(DEEPEST);
                    let (open, close) = [("(", ")"), ("{", "}"), ("[", "]")][random.below(3)];
                    words.insert(at, format!("{}{} ", open.repeat(depth), close.repeat(depth)));
                }
                _ => words.insert(at, WORDS[random.below(WORDS.len())].to_owned()),
            }
        }
        words.concat().into_bytes()
    }

    fn feed(&mut self, input: &[u8]) -> Result<bool, String> {
        // Else the text of every input would be kept for its places.
        proc_macro2::extra::invalidate_current_thread_spans();
        let Ok(tokens) = String::from_utf8_lossy(input).parse::<TokenStream>() else { return Ok(false) };
        let mut accepted = false;
        let definitions = program::CheckedText::of_tokens(tokens.clone()).and_then(|program| {
            ["fractal", "rule"].into_iter().map(|kind| expand::definitions(&program, kind)).collect()
        });
        for expanded in [definitions, expand::simulations(tokens)] {
            accepted |= expanded.is_ok();
            let (Ok(expanded) | Err(expanded)) = expanded;
            // The expansion must be tokens of Rust that rustc can read.
            if let Err(error) = syn::parse2::<syn::File>(expanded.clone()) {
                return Err(format!("the expansion is no Rust: {error}\n{expanded}"));
            }
        }
        Ok(accepted)
    }
}
