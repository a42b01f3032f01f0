//! The arguments of `view`.

use crate::args::values::within;
use crate::args::{ExecutionArgs, StartArgs, SystemArgs};
use clap::Args;
use squeeze::picture::{Colours, Extent};

/// How it is called.
pub(super) const EXAMPLES: &str = "Examples:
  squeeze view sierpinski_carpet -r gray_scott -l 7
  squeeze view T512,512 -r B3/S23 --seed 1
  squeeze view menger_sponge -r heat -l 4 --slice 40
  squeeze view vicsek -r wave -l 6 --port 8000 --no-open";

/// `view`
#[derive(Args)]
pub(crate) struct ViewArgs {
    #[command(flatten)]
    pub system: SystemArgs,
    #[command(flatten)]
    pub start: StartArgs,
    #[command(flatten)]
    pub execution: ExecutionArgs,
    /// Listen on this port of 127.0.0.1 and [::1] [default: a free one]
    #[arg(long, value_name = "N", value_parser = within(1..=u16::MAX), allow_negative_numbers = true, help_heading = "Server")]
    pub port: Option<u16>,
    /// Print the address and open no browser
    #[arg(long, help_heading = "Server")]
    pub no_open: bool,
    /// Answer requests that name this server too, such as hub.example.org with a proxy before the page; may be repeated
    #[arg(long, value_name = "NAME", help_heading = "Server")]
    pub allow_host: Vec<String>,
    /// The state that the page shows at first [default: the one that the rule names, else the first]
    #[arg(long, value_name = "STATE", help_heading = "Pictures")]
    pub field: Option<String>,
    /// Show this layer of a 3-D grid at first, the one with this z [default: the middle]
    #[arg(long, value_name = "Z", value_parser = within(0..=u64::MAX), allow_negative_numbers = true, help_heading = "Pictures")]
    pub slice: Option<u64>,
    /// The values at the two ends of the colour map at first, or `fit` for the range of each picture
    #[arg(long, value_name = "LO:HI", allow_hyphen_values = true, help_heading = "Pictures")]
    pub range: Option<Extent>,
    /// The colour map at first: one of those of `run`, your own colours, or `rule`, which is what the rule says
    #[arg(long, alias = "colors", value_name = "NAME", default_value = "rule", help_heading = "Pictures")]
    pub colours: Colours,
    /// Map numbers to colours on a logarithmic scale at first
    #[arg(long, help_heading = "Pictures")]
    pub log: bool,
    /// Print the address alone, without notes
    #[arg(long, help_heading = "Output")]
    pub quiet: bool,
}
