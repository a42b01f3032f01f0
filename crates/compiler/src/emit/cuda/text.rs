//! What is printed, and how templates are filled.

use minijinja::{Environment, UndefinedBehavior};

/// A file of CUDA C.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CudaText {
    /// The text.
    pub text: String,
    /// Its kernels, in the order in which they were given.
    pub entries: Vec<Entry>,
}

/// How a kernel of a [`CudaText`] is launched: enough blocks of [`THREADS`](super::THREADS) threads, with the `arguments` (pointers to states'
/// buffers) and a `World`. Kernels on fractals work on superblocks, those on masks on rows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// Its name in the program.
    pub name: String,
    /// Its arguments before the world.
    pub arguments: Vec<Argument>,
    /// How many threads one superblock takes, or some rows that a block takes together.
    pub threads: u64,
    /// How many superblocks or rows these threads serve.
    pub together: u32,
    /// The superblocks of a member with those that fill up its last warp, where each of many members begins with a warp.
    pub superblocks: Option<u32>,
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

/// A pointer to a buffer of a state, by the state's index.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Argument {
    /// The one that is read.
    Old(u16),
    /// The one that is written.
    New(u16),
}

/// The name of an argument of a kernel.
pub(super) fn name_of_argument(argument: &str) -> String {
    argument.rsplit([' ', '*']).next().unwrap_or_default().to_owned()
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
