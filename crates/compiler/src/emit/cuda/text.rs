//! Printed programs, and how templates are filled.

use super::abi::StructField;
use super::words;
use crate::passes::Ready;
use minijinja::{Environment, UndefinedBehavior};

/// The beginning of kernels' names where no other is given.
pub const PREFIX: &str = "squeeze";

/// The beginning of a file, and of each name that a linker sees. Kernels are called from C, so their names belong to the whole program, and a rule may
/// be called `main` or `norm`: no header has names that begin so.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Head {
    /// Lines of comment.
    pub lines: Vec<String>,
    /// Before the name of each kernel.
    pub prefix: String,
}

impl Default for Head {
    fn default() -> Self {
        Head { lines: Vec::new(), prefix: PREFIX.to_owned() }
    }
}

impl Head {
    /// One line, above kernels of this program alone.
    pub fn of_line(line: String) -> Head {
        Head { lines: vec![line], ..Head::default() }
    }

    /// The name of a kernel.
    pub fn name(&self, kernel: &str) -> String {
        // Steps of `from all` have signs in their names.
        format!("{}_{}", self.prefix, kernel.replace('+', "p").replace('-', "m"))
    }
}

/// A file of CUDA C.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CudaText {
    /// The text.
    pub text: String,
    /// The kernels, in the given order.
    pub entries: Vec<Entry>,
    /// The fields of the struct `World` that they take.
    pub world: Vec<StructField>,
}

/// How a kernel of a [`CudaText`] is launched: enough blocks of [`THREADS`](super::THREADS) threads, with the `arguments` (pointers to states'
/// buffers) and a `World`. Kernels on fractals work on superblocks, those on masks on rows.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Entry {
    /// Its name in the program.
    pub name: String,
    /// Its arguments before the world.
    pub arguments: Vec<KernelArgument>,
    /// How many threads one superblock takes, or some rows that a block takes together.
    pub threads: u64,
    /// How many superblocks or rows these threads serve.
    pub together: u32,
    /// The superblocks of a member with those that fill up its last warp, where each of many members begins with a warp.
    pub superblocks: Option<u32>,
    /// Whether it counts superblocks by their reversed numbers, so that all are computed or none.
    pub is_reversed: bool,
    /// The states that it stores.
    pub writes: Vec<u16>,
    /// Whether it reads the time.
    pub time: bool,
    /// Whether it adds up totals, and takes the place for them (`Totals`) between its arguments and the world.
    pub adds_up: bool,
    /// How many tiles there are where it computes those of a list, by any number of blocks; then it takes a `Watch` between its arguments and the world.
    /// `None` also if there are more tiles than numbers.
    pub tiles: Option<u32>,
}

impl Entry {
    /// The part of an entry that all kernels share: the kernel has this name, and adds up its last `added` states.
    pub(super) fn new(name: String, kernel: &Ready, added: usize) -> Entry {
        let (interface, stored) = (kernel.interface(), kernel.states.len() - added);
        Entry {
            name,
            together: 1,
            writes: interface.writes.iter().filter(|state| **state < stored).map(|state| *state as u16).collect(),
            time: interface.time,
            adds_up: added > 0,
            ..Entry::default()
        }
    }
}

/// A pointer to a buffer of a state, by the state's index.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KernelArgument {
    /// The one that is read.
    Old(u16),
    /// The one that is written.
    New(u16),
}

/// The name of an argument of a kernel.
pub(super) fn name_of_argument(argument: &str) -> String {
    argument.rsplit([' ', '*']).next().unwrap_or_default().to_owned()
}

/// The parts of a printed program.
#[derive(Default)]
pub(super) struct PrintedParts {
    /// Where cells stand.
    pub skeleton: String,
    /// The fields of the tables that tell it.
    pub world: Vec<StructField>,
    /// The functions that its kernels use.
    pub functions: Vec<String>,
    pub kernels: Vec<String>,
    pub entries: Vec<Entry>,
}

/// A function of a program: a kernel, or the part of one that computes a tile.
pub(super) fn function(
    about: &[String],
    is_kernel: bool,
    name: &str,
    parameters: impl IntoIterator<Item = String>,
    body: &str,
) -> String {
    let about: String = about.iter().map(|line| format!("// {line}\n")).collect();
    let parameters = parameters.into_iter().collect::<Vec<_>>().join(",\n    ");
    let (qualifiers, first) = match is_kernel {
        true => (words::kernel(), "    let_next_begin();\n"),
        false => (format!("{} void", words::INLINED), ""),
    };
    format!("{about}{qualifiers} {name}(\n    {parameters}\n) {{\n{first}{body}\n}}")
}

/// The parts of a template, each behind a line with four slashes and its name.
pub(super) fn sections(template: &'static str) -> impl Iterator<Item = (&'static str, &'static str)> {
    let sections = template.split("//// ").skip(1);
    sections.filter_map(|section| section.split_once('\n')).map(|(name, text)| (name, text.trim_end()))
}

/// A part of a template, filled.
///
/// # Panics
/// If there is no part of this name.
pub(super) fn render_section(template: &'static str, name: &str, values: minijinja::Value) -> String {
    let (_, text) = sections(template).find(|(of, _)| *of == name).expect("templates have these parts");
    render(text, values).trim_end().to_owned()
}

/// A skeleton filled.
pub(super) fn render(skeleton: &str, values: minijinja::Value) -> String {
    let mut environment = Environment::new();
    environment.set_undefined_behavior(UndefinedBehavior::Strict);
    let mut text = environment.render_str(skeleton, values).expect("the skeleton names nothing else");
    if !text.ends_with('\n') {
        text.push('\n');
    }
    text
}
