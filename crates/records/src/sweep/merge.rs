//! Joining the parts of a sweep that were computed apart.

use super::collector::{self, Collector};
use super::rows::{Floats, Rows};
use super::{Shard, Summary, Sweep, SweepFolder, folder};
use squeeze_compiler::numbers::mode::DefaultMode;
use squeeze_engine::failure::{Message, Result};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// Joins the folders of all parts of a sweep in the first of them, which then is as if it had been computed as a whole, with what these collectors have
/// gathered.
///
/// # Errors
/// If there is no folder, folders are of no sweep, of different ones or of the same part, parts are missing, one has not come to its end, or gathers
/// more than these collectors.
pub fn merge(paths: &[PathBuf], collectors: &[&dyn Collector]) -> Result<Summary> {
    let _mode = DefaultMode::enter();
    let Some(first) = paths.first() else { return Err(Message::users("there is no folder to join").into()) };
    let (target, mut whole) = SweepFolder::open(first)?;
    let asked = collector::asked(first, (&whole.gathered, whole.unsealed), collectors)?;
    let floats = Floats::of(&whole)?;
    let mut rows: BTreeMap<usize, Rows> = BTreeMap::new();
    let mut parts: BTreeMap<u32, &PathBuf> = BTreeMap::new();
    for path in paths {
        let sweep = SweepFolder::complete(path)?;
        sweep.check_draws()?;
        if let Some(reason) = difference(&whole, &sweep) {
            return Err(apart(first, path, &reason).into());
        }
        if let Some(before) = parts.insert(sweep.shard.index, path) {
            let reason = format!("both are part {} of {}", sweep.shard.index, sweep.shard.count);
            return Err(apart(before, path, &reason).into());
        }
        let mut own = folder::read_tables(path, &sweep)?;
        whole.cells.extend(sweep.cells);
        own.values_mut().for_each(|rows| *rows = rows.renewed(&floats));
        rows.append(&mut own);
    }
    let count = whole.shard.count;
    let missing = u64::from(count) - parts.len() as u64;
    if missing > 0 {
        /// More parts are not named: a folder may claim to be one of billions.
        const MOST: usize = 8;
        let first: Vec<String> =
            (1..=count).filter(|part| !parts.contains_key(part)).take(MOST).map(|part| part.to_string()).collect();
        let mut named = squeeze_engine::params::list(&first).replace('`', "");
        if missing > MOST as u64 {
            named += &format!(" and {} more", missing - MOST as u64);
        }
        let help = "name the folders of all parts, `--shard 1/N` to `--shard N/N`";
        return Err(Message::users(format!("of {count} parts these are missing: {named}")).with_help(help).into());
    }
    let ladders = whole.ladders();
    let unit_of = |member: usize| ladders.as_ref().map_or(member, |ladders| ladders.of(member).0);
    let folder_of = |member: usize| parts[&((unit_of(member) % count as usize) as u32 + 1)].as_path();
    for asked in &asked {
        asked.finish(target.path(), whole.times().collect(), &rows, folder_of)?;
    }
    target.finish(&Sweep { shard: Shard::WHOLE, ..whole.clone() }, &rows)
}

/// Folders that cannot be joined.
fn apart(first: &Path, second: &Path, reason: &str) -> Message {
    Message::users(format!("`{}` and `{}` do not belong together: {reason}", first.display(), second.display()))
}

/// How two sweeps differ besides their parts.
fn difference(a: &Sweep, b: &Sweep) -> Option<String> {
    let differs = |what: &str| Some(format!("they differ in {what}"));
    match () {
        () if a.fractal != b.fractal => differs("the fractal"),
        () if a.cells.iter().any(|(of, cells)| b.cells.get(of).is_some_and(|other| other != cells)) => {
            differs("the cells of a domain")
        }
        () if a.rule != b.rule || a.columns() != b.columns() => differs("the rule"),
        () if a.level != b.level => differs("the level"),
        () if a.steps != b.steps => differs("the steps"),
        () if a.seeds != b.seeds || a.disorder != b.disorder => differs("the seeds"),
        () if a.params != b.params || (&a.axes, a.zip) != (&b.axes, b.zip) => differs("the parameters"),
        () if a.exchange != b.exchange => differs("`--exchange`"),
        () if a.given != b.given => differs("the values of `--init`"),
        () if a.observe_every != b.observe_every => differs("`--observe-every`"),
        () if a.observe_at != b.observe_at => differs("`--observe-at`"),
        () if a.discard != b.discard => differs("`--discard`"),
        () if a.shard.count != b.shard.count => differs("the number of parts"),
        () => None,
    }
}
