//! A rule that is a text in memory, on a mask that is an array: a sweep records both, and goes on without this program.

use squeeze::sweep::{How, Sweep, SweepFolder, Watch, Wishes};
use squeeze::{Domain, Error, Message, resolve};
use std::path::Path;

/// The text, as a program might put it together.
const RULE: &str = "rule spread {
    state wet: bit
    param p: f32 = 0.3
    init wet = random(0.01)
    next wet = wet || any(von_neumann, nb.wet) && random(p)
    observe wet_cells = sum(wet)
}
";

struct Quiet;

impl Watch for Quiet {}

/// Sweeps a disc of places with this radius in a folder. Gives the number of members.
pub(crate) fn sweep(folder: &Path, radius: u32) -> Result<usize, Error> {
    let side = 2 * radius + 1;
    let squared = |i: u32| i.abs_diff(radius).pow(2);
    let disc: Vec<bool> =
        (0..side * side).map(|place| squared(place % side) + squared(place / side) <= radius * radius).collect();
    let (disc, texts_of_disc) = resolve::mask_of_array("disc", &[side, side], &disc)?;
    let (rule, texts_of_rule) = resolve::rule_of_text("<spread>", RULE, None)?;
    let domains = [Domain::new(disc, 1)?];
    let (values, mut wishes) = (["p=0.2,0.4".to_owned()], Wishes::default());
    (wishes.seeds, wishes.settings) = ("0..3", &values);
    let sweep = Sweep::new(texts_of_disc, texts_of_rule, &rule, &domains, 20, wishes, &[])?;
    let folder = SweepFolder::create(folder, &sweep)?;
    let summary = squeeze::sweep::run(&folder, &sweep, How::default(), &[], &mut Quiet)?;
    summary.map(|_| sweep.members()).ok_or_else(|| Message::systems("it was stopped").into())
}

fn main() -> Result<(), Error> {
    let folder = std::env::temp_dir().join(format!("in_memory_{}", std::process::id()));
    println!("{} members in {}", sweep(&folder, 20)?, folder.display());
    Ok(())
}
