//! How all ranks store cells: rank 0 chooses, and says it to the others.

use super::part::RankPart;
use super::transport::Transport;
use crate::reduce::words::Words;
use crate::{EngineError, EngineOptions, MemberInputs, Result};
use squeeze_compiler::geometry::{Domain, FittedRule};
use squeeze_compiler::layout::{Layout, StoredAs};
use squeeze_compiler::plan::{self, Plan};
use squeeze_compiler::target::{Choice, Machine};

/// As many superblocks a rank are wanted of layouts that the model does not judge: it may have one more or less than others. Guess: not measured.
const SUPERBLOCKS: u32 = 16;
/// The most layouts of a kind that are tried.
const MOST_TRIES: usize = 12;
/// The most lanes of layouts whose superblocks are single cells. Guess: not measured.
const MOST_LANES: usize = 1024;

/// Why one rank alone computes a rule; `None` if several do.
pub(super) fn why_undivided(rule: &FittedRule) -> Option<String> {
    let ordered = rule.steps.iter().find_map(|step| Some((step, step.order.as_ref()?)));
    if let Some((step, order)) = ordered {
        let name = step.name.as_deref().unwrap_or_default();
        return Some(format!("step `{name}` runs `{order}`, which one rank computes alone: it cannot be divided"));
    }
    let (_, input) = rule.named_inputs().next()?;
    Some(format!("the rule `{}` reads the input `{}`, which one rank computes alone", rule.name, input.name))
}

/// The words for a domain that has fewer units than ranks.
pub(super) fn too_small(domain: &Domain, ranks: u32) -> String {
    format!("{domain} is too small for {ranks} ranks: each has a part of it, of whole superblocks or columns")
}

/// The layouts of a fractal that ranks try on a machine, the best first: those with enough superblocks for all of them, where the model finds the pass of the rank that has
/// most of them the shortest, with its wait for others.
pub(super) fn layouts(rule: &FittedRule, machine: &Machine, ranks: u32) -> Vec<Choice> {
    let domain = rule.domain();
    let superblocks = |choice: &Choice| choice.layout().map_or(0, Layout::superblocks);
    let mut beside = plan::candidates(domain, rule, &machine.of_ranks(ranks), 1);
    let mut far: Vec<Choice> = (0..=domain.level())
        .rev()
        .filter_map(|digits| Layout::new(domain, digits, 0).ok())
        .filter(|layout| layout.lanes() <= MOST_LANES)
        .map(|layout| Choice::of_layout(layout, true))
        .collect();
    let has_many = |choice: &Choice| superblocks(choice) >= SUPERBLOCKS * ranks;
    if far.iter().any(has_many) {
        far.retain(has_many);
    }
    // A kernel that is too long beside its own superblock takes long to compile: a single cell's may do.
    let is_short = |choice: &Choice| choice.estimate.operations <= machine.longest_kernel;
    let mut long: Vec<Choice> = beside.extract_if(.., |choice| !is_short(choice)).collect();
    for choices in [&mut beside, &mut far, &mut long] {
        choices.retain(|choice| superblocks(choice) >= ranks);
        choices.truncate(MOST_TRIES);
    }
    beside.into_iter().chain(far).chain(long).collect()
}

/// The engine of rank 0, in a layout that has enough superblocks for all ranks, of which some share a machine with this one.
///
/// # Errors
/// If the rule or the domain cannot be divided, or a part does not fit.
pub(super) fn leading<P: RankPart>(
    transport: &Transport,
    rule: &FittedRule,
    inputs: &MemberInputs,
    (options, sharing): (EngineOptions, Option<u32>),
) -> Result<P> {
    let refused = |why: String| Err(transport.fail(why, true).into());
    if let Some(why) = why_undivided(rule) {
        return refused(why);
    }
    let (domain, ranks) = (rule.domain(), transport.ranks() as u32);
    if options.choice.is_some() || domain.levels().is_none() {
        let part = P::made(rule, inputs, &options)?;
        return if part.storage().owned().is_empty() { refused(too_small(domain, ranks)) } else { Ok(part) };
    }
    let (mut first, machine) = (None, P::target(&options)?.machine);
    let machine = sharing.map_or(machine, |sharing| machine.shared_by(sharing));
    for choice in layouts(rule, &machine, ranks) {
        match P::made(rule, inputs, &EngineOptions { choice: Some(choice), ..options.clone() }) {
            Err(
                error @ (EngineError::NoKernel { .. } | EngineError::LargeKernel { .. } | EngineError::Memory { .. }),
            ) => _ = first.get_or_insert(error),
            made => return made,
        }
    }
    first.map_or_else(|| refused(too_small(domain, ranks)), Err)
}

/// How cells are stored, and how many steps of rows a pass computes, in words.
pub(super) fn form_of(plan: &Plan) -> Vec<u64> {
    let choice: &Choice = plan;
    match (choice.layout(), choice.grid()) {
        (Some(layout), _) => {
            let digits = [layout.lane_digits(), layout.micro_digits()].map(u64::from);
            vec![0, digits[0], digits[1], u64::from(choice.far), u64::from(choice.steps)]
        }
        (None, grid) => {
            let is_packed = choice.storage.memory == StoredAs::Cells;
            let lanes = grid.map_or(0, |grid| grid.shape.lanes as u64);
            vec![1, u64::from(is_packed), lanes, u64::from(plan.steps_of_pass())]
        }
    }
}

/// The options of an engine that is to store cells in this form; `None` if it is no form of this domain.
pub(super) fn of_form(rule: &FittedRule, words: &mut Words<'_>, options: EngineOptions) -> Option<EngineOptions> {
    match words.word()? {
        0 => {
            let layout = Layout::new(rule.domain(), words.number()?, words.number()?).ok()?;
            let choice = Choice::of_layout(layout, words.word()? == 1);
            Some(EngineOptions { choice: Some(Choice { steps: words.number()?, ..choice }), ..options })
        }
        _ => {
            let (packed, _lanes) = (words.word()? == 1, words.word()?);
            Some(EngineOptions { packed, agreed_steps: Some(words.number()?), ..options })
        }
    }
}
