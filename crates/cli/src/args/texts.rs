//! The arguments of what looks at texts: `list`, `show`, `check`, `fmt`, `emit`.

use super::shared::{EdgeArgs, Planned};
use super::values::{architecture, kind, level, prefix};
use clap::{Args, ValueEnum};
use squeeze::cuda::Architecture;
use squeeze::resolve::Kind;
use std::path::PathBuf;

/// `list`
#[derive(Args)]
pub(crate) struct List {
    /// What to list [default: both]
    #[arg(value_name = "KIND", value_parser = kind())]
    pub kind: Option<Kind>,
    /// Print one JSON object and nothing else
    #[arg(long)]
    pub json: bool,
}

/// `show`
#[derive(Args)]
pub(crate) struct Show {
    /// A fractal or a rule: one that ships, a file, or FILE#NAME
    #[arg(value_name = "NAME")]
    pub name: String,
}

/// `check`
#[derive(Args)]
pub(crate) struct Check {
    /// Files, or names of what ships; `-` is standard input
    #[arg(required = true, value_name = "FILE")]
    pub files: Vec<PathBuf>,
    /// Fail if there are warnings
    #[arg(long, value_name = "WHAT", value_parser = ["warnings"])]
    pub deny: Option<String>,
    /// Print one JSON object and nothing else: what each file defines, and every error and warning with its place
    #[arg(long)]
    pub json: bool,
}

/// `fmt`
#[derive(Args)]
pub(crate) struct Fmt {
    /// Rewrite the files in place instead of printing them
    #[arg(short, long, conflicts_with = "check")]
    pub write: bool,
    /// Print nothing; fail if a file is not in the canonical layout
    #[arg(long)]
    pub check: bool,
    /// Files, or names of what ships; `-` is standard input
    #[arg(required = true, value_name = "FILE")]
    pub files: Vec<PathBuf>,
}

/// `emit`
#[derive(Args)]
pub(crate) struct Emit {
    /// The fractal: one that ships, a file, or FILE#NAME
    #[arg(value_name = "FRACTAL")]
    pub fractal: String,
    /// The rule: one that ships, a file, FILE#NAME, or `-` for standard input
    #[arg(short, long, value_name = "RULE", allow_hyphen_values = true)]
    pub rule: String,
    #[command(flatten)]
    pub edges: EdgeArgs,
    /// The level for which the layout is planned [default: 12, or the highest there is]
    #[arg(short, long, value_name = "R", value_parser = level, allow_negative_numbers = true)]
    pub level: Option<u32>,
    /// What to print: the kernel IR of the backend cpu, a Rust program without dependencies, CUDA C, or the PTX or CUBIN that NVRTC compiles
    /// from it (no GPU is needed)
    #[arg(long, value_name = "TARGET", default_value = "cuda")]
    pub target: EmitTarget,
    #[command(flatten)]
    pub planned: Planned,
    /// The GPU architecture for ptx and cubin, such as sm_90, sm_90a or compute_90 [default: sm_90]
    #[arg(long, value_name = "SM", value_parser = architecture)]
    pub arch: Option<(Architecture, Option<char>)>,
    /// The file to write; `-` is standard output [default: standard output]
    #[arg(short, long = "out", alias = "output", value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// What the names of kernels begin with in CUDA C, such as `mine` [default: squeeze, the fractal and the level]
    #[arg(long, value_name = "NAME", value_parser = prefix, help_heading = "For programs that call the kernels")]
    pub prefix: Option<String>,
    /// Also write a C header of the kernels: with it, what is printed is a library that other programs link or load
    #[arg(long, value_name = "FILE.h", help_heading = "For programs that call the kernels")]
    pub header: Option<PathBuf>,
    /// Also write the tables that the kernels' `World` points to, for your own CUDA program (strategy lanes)
    #[arg(long, value_name = "FILE", help_heading = "For programs that call the kernels")]
    pub world: Option<PathBuf>,
    /// Set a parameter of the rule in these tables; may be repeated
    #[arg(
        long = "set",
        value_name = "NAME=VALUE",
        requires = "world",
        help_heading = "For programs that call the kernels"
    )]
    pub settings: Vec<String>,
}

/// What `emit` prints.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum EmitTarget {
    // Without descriptions: `target` itself has one for all.
    Cuda,
    Ptx,
    Cubin,
    Rust,
    Ir,
}

impl EmitTarget {
    /// The name on the command line.
    pub(crate) fn name(self) -> String {
        self.to_possible_value().map_or_else(String::new, |value| value.get_name().to_owned())
    }
}
