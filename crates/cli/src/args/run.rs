//! The arguments of `run` and `resume`.

use super::shared::{EdgeArgs, InputArgs, Planned, ShownPart};
use super::values::{
    Devices, backend, background, devices, initial_values, level, megabytes, paper_width, picture_file, saves, seed,
    switch, wavefront, within,
};
use clap::{Args, ValueEnum};
use squeeze::Backend;
use squeeze::compiler::target::Wavefront;
use squeeze::observation_times::ObservationTimes;
use squeeze::picture::{Background, Colours, Extent, Zoom};
use squeeze::run::animation::MOST_FPS;
use squeeze::run::{Drawing, Saves};
use std::path::PathBuf;

/// How it is called.
pub(crate) const EXAMPLES: &str = "Examples:
  squeeze run sierpinski_carpet -r gray_scott -l 6 -n 2000 --image spots.png
  squeeze run menger_sponge -r heat -l 3 -n 300 --set alpha=0.15 --image heat.png
  squeeze run vicsek -r wave -l 6 -n 500 -o waves --image-every 10 --observe-every 1
  squeeze run full_square -r B3/S23 -l 8 -n 500 --init alive=glider.rle@9,9 --image late.png
  squeeze run my.fractal -r my.rule -l 5 -n 100 --json";

/// A rule and where it runs.
#[derive(Args)]
pub(crate) struct SystemArgs {
    /// The fractal: one that ships, a file (a picture is a mask), FILE#NAME, or a grid such as T100,50. A rule that names a grid, B3/S23:T100,50,
    /// needs none
    #[arg(value_name = "FRACTAL")]
    pub fractal: Option<String>,
    /// The level: 0 is a single cell; each further level replaces every cell with the pattern. Masks and boxes have no level
    #[arg(short, long, value_name = "R", value_parser = level, allow_negative_numbers = true)]
    pub level: Option<u32>,
    #[command(flatten)]
    pub edges: EdgeArgs,
    /// The rule: one that ships, a file, FILE#NAME, or `-` for standard input
    #[arg(short, long, value_name = "RULE", allow_hyphen_values = true)]
    pub rule: String,
}

/// How a run begins.
#[derive(Args)]
pub(crate) struct StartArgs {
    /// The seed of the random numbers [default: 0]
    #[arg(short, long, alias = "seeds", value_name = "S", value_parser = seed, allow_negative_numbers = true)]
    pub seed: Option<u64>,
    /// The seed of what the rule or the domain draws `from disorder`, instead of that of the run
    #[arg(long, value_name = "S", value_parser = seed, allow_negative_numbers = true, help_heading = "Domain")]
    pub disorder: Option<u64>,
    /// Set a parameter of the rule; may be repeated
    #[arg(long = "set", value_name = "NAME=VALUE")]
    pub settings: Vec<String>,
    /// Read the initial values of a state from a .npy, .png, .vti or Zarr file or a pattern (.rle, .cells, .lif, .mcl); FILE@X,Y places a pattern, FILE.png:ffffff=1,000000=0 says
    /// which values colours stand for; may be repeated
    #[arg(long = "init", value_name = "STATE=FILE", value_parser = initial_values())]
    pub init: Vec<String>,
    #[command(flatten)]
    pub input: InputArgs,
    /// The step of the initial values, where they are states of another run: random draws then continue and do not repeat
    #[arg(long, value_name = "T", value_parser = within(0..=u32::MAX), requires = "init", allow_negative_numbers = true)]
    pub time: Option<u32>,
}

/// What computes a run, and how.
#[derive(Args)]
pub(crate) struct ExecutionArgs {
    /// The backend
    #[arg(long, value_name = "BACKEND", default_value = "auto", value_parser = backend(), help_heading = "Execution")]
    pub backend: Backend,
    /// Threads of the backend cpu [default: one for each hardware thread]
    #[arg(long, value_name = "N", value_parser = within(1..=squeeze::threads::MOST), allow_negative_numbers = true, help_heading = "Execution")]
    pub threads: Option<usize>,
    /// The GPUs that compute the run together (backend cuda): their numbers, such as 0,1, or all; results do not depend on it [default: the first]
    #[arg(long, value_name = "N,…|all", value_parser = devices, help_heading = "Execution")]
    pub devices: Option<Devices>,
    /// Whether to skip regions that cannot change (backends cpu and cuda); results do not depend on it [default: on]
    #[arg(long, value_name = "on|off", value_parser = switch(), help_heading = "Execution")]
    pub activity: Option<bool>,
    /// Store the cells of a mask alone, in the order of their indices; results do not depend on it [default: only where rows do not fit in memory]
    #[arg(long, help_heading = "Execution")]
    pub packed: bool,
    /// How the tiles of ordered steps wait for one another (backend cuda): by a launch or a barrier for each diagonal, or by flags of their strips; results do not depend on it [default: flags]
    #[arg(long, value_name = "KIND", value_parser = wavefront(), help_heading = "Execution")]
    pub wavefront: Option<Wavefront>,
    #[command(flatten)]
    pub planned: Planned,
}

/// `run`
#[derive(Args)]
pub(crate) struct RunArgs {
    #[command(flatten)]
    pub system: SystemArgs,
    /// The number of time steps
    #[arg(short = 'n', long, value_name = "N", value_parser = within(0..=u32::MAX), allow_negative_numbers = true)]
    pub steps: u32,
    #[command(flatten)]
    pub start: StartArgs,
    #[command(flatten)]
    pub execution: ExecutionArgs,
    /// Compile this file in place of what `emit --target cuda` prints for the same fractal, rule, level and strategy (backend cuda)
    #[arg(long, value_name = "FILE.cu", conflicts_with = "out", help_heading = "Execution")]
    pub load_cuda: Option<PathBuf>,
    /// Print one JSON object and nothing else
    #[arg(long, help_heading = "Output")]
    pub json: bool,
    /// Do not compute digests of the states
    #[arg(long, help_heading = "Output")]
    pub no_digest: bool,
    /// Print neither progress nor a summary
    #[arg(long, help_heading = "Output")]
    pub quiet: bool,
    /// Continue when a float becomes infinite or NaN
    #[arg(long, help_heading = "Output")]
    pub allow_nan: bool,
    /// Record the run in this new folder, so that it can be resumed
    #[arg(short, long, alias = "output", value_name = "DIR")]
    pub out: Option<PathBuf>,
    /// Record the observables every N steps and at the end (observables.csv); without --out, judge `stop when` then
    #[arg(long, value_name = "N", value_parser = within(1..=u32::MAX), allow_negative_numbers = true, help_heading = "Output")]
    pub observe_every: Option<u32>,
    /// Record the observables at these steps and at the end: a list 0,1,10,100, or log:N for N steps in each decade
    #[arg(long, value_name = "TIMES", value_parser = ObservationTimes::parse, conflicts_with = "observe_every", allow_hyphen_values = true, help_heading = "Output")]
    pub observe_at: Option<ObservationTimes>,
    /// Save the states every N steps and at the end (Zarr), or, to lose no more than TIME, in between: 30m, 12h, never [default: 10m]
    #[arg(long, value_name = "N|TIME", value_parser = saves, requires = "out", allow_negative_numbers = true, help_heading = "Output")]
    pub save_every: Vec<Saves>,
    /// Draw a picture after the last step: .png, .svg or .pdf
    #[arg(long, value_name = "FILE", value_parser = picture_file())]
    pub image: Option<PathBuf>,
    /// The width of --image on paper, such as 85mm, 8.5cm or 3.4in: letters have 8 points there
    #[arg(long, value_name = "WIDTH", value_parser = paper_width, requires = "image", allow_negative_numbers = true, help_heading = "Pictures")]
    pub width: Option<f64>,
    /// Draw a picture every N steps and at the end, and an animation of all of them
    #[arg(long, value_name = "N", value_parser = within(1..=u32::MAX), requires = "out", allow_negative_numbers = true, help_heading = "Pictures")]
    pub image_every: Option<u32>,
    /// The format of the animation; MP4 needs ffmpeg
    #[arg(long, value_name = "FORMAT", default_value = "gif", help_heading = "Pictures")]
    pub animation: Animation,
    /// Shrink the frames of the GIF until it has at most this many megabytes
    #[arg(long, value_name = "MB", value_parser = megabytes, allow_negative_numbers = true, help_heading = "Pictures")]
    pub max_size: Option<f64>,
    /// The state that pictures show [default: the one that the rule names, else the first]
    #[arg(long, value_name = "STATE", help_heading = "Pictures")]
    pub field: Option<String>,
    #[command(flatten)]
    pub part: ShownPart,
    #[command(flatten)]
    pub look: Look,
}

/// How an animation is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Animation {
    /// Plays in every browser; 256 colours per frame
    Gif,
    /// Smaller files, all colours (H.264)
    Mp4,
}

/// How pictures look.
#[derive(Args)]
pub(crate) struct Look {
    /// The size of a place in pixels: N, or 1/N to show N × N places as one pixel
    #[arg(long, value_name = "ZOOM", help_heading = "Pictures")]
    pub zoom: Option<Zoom>,
    /// The values at the two ends of the colour map, or `fit` for the range of each picture. Without it, the frames of an animation share one
    /// range
    #[arg(long, value_name = "LO:HI", allow_hyphen_values = true, help_heading = "Pictures")]
    pub range: Option<Extent>,
    /// The colour map: perceptual, diverging, cyclic, grey; viridis, magma, inferno, plasma, cividis, twilight or coolwarm; direction, of
    /// vectors; your own colours, such as 202040,ffcc00; or `rule`, which is what the rule says, else perceptual
    #[arg(long, alias = "colors", value_name = "NAME", default_value = "rule", help_heading = "Pictures")]
    pub colours: Colours,
    /// Map numbers to colours on a logarithmic scale
    #[arg(long, help_heading = "Pictures")]
    pub log: bool,
    /// The background and the colours that go with it: light or dark [default: light]
    #[arg(long, alias = "background", value_name = "NAME", value_parser = background(), help_heading = "Pictures")]
    pub theme: Option<Background>,
    /// Draw axes with ticks along the edges, in places of the grid
    #[arg(long, help_heading = "Pictures")]
    pub axes: bool,
    /// What stands above the colour bar, such as 'temperature (K)' [default: the name of the state]
    #[arg(long, value_name = "TEXT", help_heading = "Pictures")]
    pub label: Option<String>,
    /// Frames per second of the animation [default: 12]
    #[arg(long, value_name = "N", value_parser = within(1..=MOST_FPS), allow_negative_numbers = true, help_heading = "Pictures")]
    pub fps: Option<u32>,
}

impl Look {
    /// As the library takes it.
    pub(crate) fn drawing(&self, field: Option<&str>, part: &ShownPart) -> Drawing {
        let mut drawing = Drawing::default();
        drawing.field = field.map(str::to_owned);
        (drawing.window, drawing.slice) = (part.window.clone(), part.slice);
        (drawing.zoom, drawing.extent) = (self.zoom, self.range);
        (drawing.colours, drawing.logarithmic) = (self.colours.clone(), self.log);
        drawing.background = self.theme.unwrap_or_default();
        (drawing.axes, drawing.label) = (self.axes, self.label.clone());
        drawing.animation.fps = self.fps;
        drawing
    }
}

/// `resume`
#[derive(Args)]
pub(crate) struct Resume {
    /// The folder of the run or the sweep
    #[arg(value_name = "DIR")]
    pub folder: PathBuf,
    /// Extend the run to this step
    #[arg(short = 'n', long, value_name = "N", value_parser = within(0..=u32::MAX), allow_negative_numbers = true)]
    pub steps: Option<u32>,
    /// The backend for the remaining steps
    #[arg(long, value_name = "BACKEND", default_value = "auto", value_parser = backend(), help_heading = "Execution")]
    pub backend: Backend,
    /// Threads of the backend cpu [default: one for each hardware thread]
    #[arg(long, value_name = "N", value_parser = within(1..=squeeze::threads::MOST), allow_negative_numbers = true, help_heading = "Execution")]
    pub threads: Option<usize>,
    /// The GPUs that compute the run together, or members of the sweep (backend cuda): their numbers, such as 0,1, or all; results do not depend on it [default: the first]
    #[arg(long, value_name = "N,…|all", value_parser = devices, help_heading = "Execution")]
    pub devices: Option<Devices>,
    /// Print one JSON object and nothing else
    #[arg(long, help_heading = "Output")]
    pub json: bool,
    /// Continue when a float becomes infinite or NaN
    #[arg(long, help_heading = "Output")]
    pub allow_nan: bool,
    /// Print neither progress nor a summary
    #[arg(long, help_heading = "Output")]
    pub quiet: bool,
}
