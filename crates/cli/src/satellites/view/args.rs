//! The arguments of `view`.

use crate::args::values::within;
use crate::args::{ExecutionArgs, StartArgs, SystemArgs};
use clap::Args;
use squeeze::picture::{Colours, Extent};
use squeeze::run::Drawing;

/// How it is called.
pub(super) const EXAMPLES: &str = "Examples:
  squeeze view sierpinski_carpet -r gray_scott -l 7
  squeeze view T512,512 -r B3/S23 --seed 1
  squeeze view menger_sponge -r heat -l 4 --slice 40
  squeeze view vicsek -r wave -l 6 --port 8000 --no-open
  squeeze view vicsek -r life -l 5 --terminal
  squeeze view spots
  squeeze view binder --member 12";

/// Where pages find the run.
#[derive(Args)]
pub(crate) struct ServerArgs {
    /// Listen on this port of 127.0.0.1 and [::1] [default: a free one]
    #[arg(long, value_name = "N", value_parser = within(1..=u16::MAX), allow_negative_numbers = true, help_heading = "Server")]
    pub port: Option<u16>,
    /// Print the address and open no browser
    #[arg(long, help_heading = "Server")]
    pub no_open: bool,
    /// Answer requests that name this server too, such as hub.example.org with a proxy before the page; may be repeated
    #[arg(long, value_name = "NAME", help_heading = "Server")]
    pub allow_host: Vec<String>,
}

/// What `run` gets.
#[derive(Args)]
pub(super) struct RunViewArgs {
    /// Show the run in a browser while it goes on; pages look, and steer nothing
    #[arg(long, help_heading = "Server")]
    pub view: bool,
    /// Begin when a page is open, and show the last state until Ctrl-C
    #[arg(long, requires = "view", help_heading = "Server")]
    pub hold: bool,
    #[command(flatten)]
    pub server: ServerArgs,
}

impl RunViewArgs {
    /// The arguments as those of `run`: they have no effect without `--view`.
    pub(super) fn of_run(command: clap::Command) -> clap::Command {
        let command = RunViewArgs::augment_args(command);
        ["port", "no_open", "allow_host"]
            .into_iter()
            .fold(command, |command, name| command.mut_arg(name, |arg| arg.requires("view")))
    }
}

/// What says how a saved run is shown.
#[derive(Args)]
pub(crate) struct LookArgs {
    /// The state that the page shows [default: the one that the rule names, else the first]
    #[arg(long, value_name = "STATE", help_heading = "At first")]
    pub field: Option<String>,
    /// Show this layer of a 3-D grid, the one with this z [default: the middle]
    #[arg(long, value_name = "Z", value_parser = within(0..=u64::MAX), allow_negative_numbers = true, help_heading = "At first")]
    pub slice: Option<u64>,
    /// The values at the two ends of the colour map, or `fit` for the range of each picture
    #[arg(long, value_name = "LO:HI", allow_hyphen_values = true, help_heading = "At first")]
    pub range: Option<Extent>,
    /// The colour map: one of those of `run`, your own colours, or `rule`, which is what the rule says
    #[arg(long, alias = "colors", value_name = "NAME", default_value = "rule", help_heading = "At first")]
    pub colours: Colours,
    /// Map numbers to colours on a logarithmic scale
    #[arg(long, help_heading = "At first")]
    pub log: bool,
}

impl LookArgs {
    /// As the library takes it.
    pub(super) fn drawing(&self) -> Drawing {
        let mut drawing = Drawing::default();
        (drawing.field, drawing.slice) = (self.field.clone(), self.slice);
        (drawing.extent, drawing.logarithmic) = (self.range, self.log);
        drawing.colours = self.colours.clone();
        drawing
    }
}

/// What says which member of a sweep is shown.
#[derive(Args)]
pub(crate) struct MemberArgs {
    /// Begin this member of a sweep's folder; pages may choose others [default: 0]
    #[arg(long, value_name = "N", conflicts_with = "rule", value_parser = within(0..=u32::MAX), allow_negative_numbers = true, help_heading = "At first")]
    pub member: Option<u32>,
}

/// `view` of a saved run: the arguments that have an effect on one.
#[derive(Args)]
pub(super) struct SavedViewArgs {
    /// The folder
    #[arg(value_name = "DIR")]
    pub fractal: Option<String>,
    #[command(flatten)]
    pub server: ServerArgs,
    #[command(flatten)]
    pub look: LookArgs,
    #[command(flatten)]
    pub member: MemberArgs,
    /// Print the address alone, without notes
    #[arg(long, help_heading = "Output")]
    pub quiet: bool,
}

/// `view`
#[derive(Args)]
pub(crate) struct ViewArgs {
    #[command(flatten)]
    pub system: SystemArgs,
    #[command(flatten)]
    pub start: StartArgs,
    #[command(flatten)]
    pub execution: ExecutionArgs,
    #[command(flatten)]
    pub server: ServerArgs,
    /// Show the run in this terminal, and start no server
    #[arg(long, conflicts_with_all = ["port", "no_open", "allow_host"], help_heading = "Server")]
    pub terminal: bool,
    #[command(flatten)]
    pub look: LookArgs,
    #[command(flatten)]
    pub member: MemberArgs,
    /// Print the address alone, without notes
    #[arg(long, help_heading = "Output")]
    pub quiet: bool,
}
