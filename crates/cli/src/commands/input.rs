//! Inputs of several commands.

use crate::args::{At, EdgeArgs, ShownPart};
use crate::report::{CliError, remark};
use squeeze::compiler::{notes_of_draws, warnings_in};
use squeeze::hardware::NamedHardware;
use squeeze::ir::Rule;
use squeeze::numbers::grouped;
use squeeze::run::NamedEngine;
use squeeze::texts::Texts;
use squeeze::{Backend, Domain, Fractal, Message, Simulation, Window, files, initial, resolve};
use std::fmt::Display;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The fractal at the level that was asked for.
pub(super) fn domain(at: &At) -> Result<Domain, CliError> {
    let (fractal, texts) = resolve::fractal_with_texts(&at.fractal)?;
    tell(&texts.notes);
    let level = level(&fractal, at.level)?;
    Ok(Domain::new(fractal, level)?)
}

/// The side of a grid, or all of them where they differ: `243 × 32`.
pub(super) fn sides(domain: &Domain) -> String {
    let sides = &domain.extent()[..domain.dimension().axes()];
    if sides.iter().all(|side| *side == sides[0]) {
        return grouped(sides[0]);
    }
    sides.iter().map(|side| grouped(*side)).collect::<Vec<_>>().join(" × ")
}

/// Refuses a machine where there is no layout to choose, and one that the backend does not run on.
pub(super) fn suits(
    machine: Option<&NamedHardware>,
    fractal: &Fractal,
    (backend, strategy): (Backend, &str),
) -> Result<(), CliError> {
    let Some(machine) = machine else { return Ok(()) };
    let why = match strategy {
        strategy if strategy != NamedEngine::OWN => format!("the strategy `{strategy}` has no layouts"),
        _ if fractal.extent.is_some() => format!("`{}` is a mask or a box, and has one layout", fractal.name),
        _ => return Ok(machine.check(backend)?),
    };
    let message = format!("`--machine {}` has no effect: {why}", machine.name);
    Err(CliError::input(message, "leave out `--machine`"))
}

/// Refuses to store the cells alone where that has no effect.
pub(super) fn packs(fractal: &Fractal, name: &str, backend: Backend) -> Result<(), CliError> {
    if fractal.extent.is_some() && backend != Backend::Reference {
        return Ok(());
    }
    Err(CliError::input(
        format!("`--packed` has no effect on `{name}` on the backend `{}`", backend.name()),
        "it is for masks and boxes on the backends `cpu` and `cuda`",
    ))
}

/// The error of a flag that is for fractals alone.
pub(super) fn takes_fractals(name: &str, flag: &str) -> CliError {
    CliError::input(
        format!("`{name}` is a mask or a box, and `{flag}` takes fractals only"),
        format!("leave out `{flag}`"),
    )
}

/// The level that was asked for. Masks and boxes have none, which is 1 within the library; fractals need one.
pub(super) fn level(fractal: &Fractal, level: Option<u32>) -> Result<u32, CliError> {
    let name = &fractal.name;
    match (fractal.extent, level) {
        (None, Some(level)) => Ok(level),
        (None, None) => Err(CliError::input(
            format!("`{name}` is a fractal, and its level is missing"),
            "say it with `--level R`: 0 is a single cell",
        )),
        (Some(_), None) => Ok(1),
        (Some(_), Some(_)) => {
            Err(CliError::input(format!("`{name}` is a mask or a box and has no levels"), "leave out `--level`"))
        }
    }
}

/// Prints notes: valid input that is probably not meant.
pub(super) fn tell(notes: impl IntoIterator<Item: Display>) {
    notes.into_iter().for_each(|note| remark(&format!("note: {note}")));
}

/// Prints notes and warnings on a simulation: on its rule, also as that is written, and on the draws with this number of seeds.
pub(super) fn tell_of(simulation: &Simulation, written: &Rule, seeds: usize) {
    tell(simulation.notice());
    for warning in warnings_in(written, simulation.domain()) {
        remark(&format!("warning: {warning}"));
    }
    tell(notes_of_draws(simulation.rule(), seeds));
}

/// Says that states of a run with the default seed, taken for initial values, meet the draws that made them.
pub(super) fn tell_repeated(init: &[String], rule: &Rule, help: &str) {
    if !init.is_empty() && rule.drawn().in_steps {
        remark(&format!(
            "note: `{}` draws with seed 0 from step 1 on: if a run with this seed made the initial values, its noise is repeated; {help}",
            rule.name
        ));
    }
}

/// A rule and its texts.
type FoundRule = (Arc<Rule>, Texts);

/// The rule that was named, and its texts. A note says which rule of a file is taken if none was picked, unless it is to be quiet.
pub(super) fn rule(name: &str, quiet: bool) -> Result<FoundRule, CliError> {
    let found = resolve::rule_with_texts(name)?;
    if !quiet && let [others @ .., last] = resolve::unpicked_rules(name)?.as_slice() {
        let others: Vec<String> = others.iter().map(|other| format!("`{name}#{other}`")).collect();
        remark(&format!("note: the last rule of `{name}` is taken, `{last}`; {} picks another", list_or(&others)));
    }
    Ok(found)
}

/// The same rule with its inputs from files, the edges of flags, and the sides of domains that are as long as the inputs. The rule is read before the domain only
/// where inputs are given.
pub(super) fn with_inputs(
    name: &str,
    quiet: bool,
    inputs: &[String],
    edges: &EdgeArgs,
) -> Result<(Option<FoundRule>, resolve::Edges), CliError> {
    let mut edges = edges.wanted();
    if inputs.is_empty() {
        return Ok((None, edges));
    }
    let (written, texts) = rule(name, quiet)?;
    let given = initial::with_inputs(&written, inputs)?;
    edges.sides = Some(given.extent_of_inputs().map_err(Message::users)?);
    Ok((Some((given, texts)), edges))
}

/// Names of which one is to be chosen: `a, b or c`.
pub(super) fn list_or(names: &[String]) -> String {
    match names {
        [] => String::new(),
        [only] => only.clone(),
        [first @ .., last] => format!("{} or {last}", first.join(", ")),
    }
}

/// The part of the grid that was asked for.
pub(super) fn window(part: &ShownPart, domain: &Domain) -> Result<Window, CliError> {
    Ok(Window::of(part.window.as_deref(), part.slice, domain)?)
}

/// Says that a folder has another name now than when it was opened, and gives that if it is known.
pub(super) fn present(before: &Path, now: Option<PathBuf>) -> Option<PathBuf> {
    let old = before.display();
    match &now {
        None => remark(&format!(
            "note: `{old}` was moved or removed while this wrote to it; `squeeze resume` with its new name continues from what is there"
        )),
        Some(now) if now != before => remark(&format!("note: `{old}` is called `{}` now", now.display())),
        Some(_) => {}
    }
    now
}

/// The bytes of a file, or of standard input if it is called `-`.
pub(super) fn read(path: &Path) -> Result<Vec<u8>, squeeze::Error> {
    Ok(if path == Path::new("-") { files::read_standard_input()?.to_vec() } else { files::read_text_bytes(path)? })
}

/// A text to check or to format: a file, standard input if it is called `-`, or the name of something that ships.
pub(super) fn text(path: &Path) -> Result<(PathBuf, Vec<u8>), squeeze::Error> {
    match path.to_str().and_then(resolve::shipped_text) {
        Some((name, text)) => Ok((name, text.as_bytes().to_vec())),
        None => Ok((path.to_owned(), resolve::read_text(path)?)),
    }
}
