//! How all ranks store cells: rank 0 chooses, and says it to the others.

use super::part::RankPart;
use super::transport::Transport;
use crate::reduce::words::Words;
use crate::{EngineError, EngineOptions, MemberInputs, Result};
use squeeze_compiler::geometry::FittedRule;
use squeeze_compiler::layout::{Layout, StoredAs};
use squeeze_compiler::plan;
use squeeze_compiler::target::Choice;

/// As many superblocks a rank are wanted: it may have one more or less than others. Guess: not measured.
const SUPERBLOCKS: u32 = 16;
/// The most layouts of a kind that are tried.
const MOST_TRIES: usize = 12;
/// The most lanes of layouts whose superblocks are single cells. Guess: not measured.
const MOST_LANES: usize = 1024;

/// The engine of rank 0, in a layout that has enough superblocks for all ranks.
///
/// # Errors
/// If the rule or the domain cannot be divided, or a part does not fit.
pub(super) fn leading<P: RankPart>(
    transport: &Transport,
    rule: &FittedRule,
    inputs: &MemberInputs,
    options: EngineOptions,
) -> Result<P> {
    let refused = |why: String| Err(transport.fail(why, true).into());
    for step in &rule.steps {
        if let Some(order) = &step.order {
            let name = step.name.as_deref().unwrap_or_default();
            return refused(format!(
                "step `{name}` runs `{order}`, which one rank computes alone: it cannot be divided"
            ));
        }
    }
    if let Some((_, input)) = rule.named_inputs().next() {
        return refused(format!(
            "the rule `{}` reads the input `{}`, which one rank computes alone",
            rule.name, input.name
        ));
    }
    let (domain, ranks) = (rule.domain(), transport.ranks() as u32);
    let too_small =
        || format!("{domain} is too small for {ranks} ranks: each has a part of it, of whole superblocks or columns");
    if options.choice.is_some() || domain.levels().is_none() {
        let part = P::made(rule, inputs, &options)?;
        return if part.storage().owned().is_empty() { refused(too_small()) } else { Ok(part) };
    }
    let target = P::target(&options)?;
    let superblocks = |choice: &Choice| choice.layout().map_or(0, Layout::superblocks);
    let mut beside = plan::candidates(domain, rule, &target.machine, 1);
    let mut far: Vec<Choice> = (0..=domain.level())
        .rev()
        .filter_map(|digits| Layout::new(domain, digits, 0).ok())
        .filter(|layout| layout.lanes() <= MOST_LANES)
        .map(|layout| Choice::of_layout(layout, true))
        .collect();
    let has_many = beside.iter().chain(&far).any(|choice| superblocks(choice) >= SUPERBLOCKS * ranks);
    // A kernel that is too long beside its own superblock takes long to compile: a single cell's may do.
    let is_short = |choice: &Choice| choice.estimate.operations <= target.machine.longest_kernel;
    let mut long: Vec<Choice> = beside.extract_if(.., |choice| !is_short(choice)).collect();
    for choices in [&mut beside, &mut far, &mut long] {
        choices.retain(|choice| superblocks(choice) >= if has_many { SUPERBLOCKS * ranks } else { ranks });
        choices.truncate(MOST_TRIES);
    }
    let mut first = None;
    for choice in beside.into_iter().chain(far).chain(long) {
        match P::made(rule, inputs, &EngineOptions { choice: Some(choice), ..options.clone() }) {
            Err(
                error @ (EngineError::NoKernel { .. } | EngineError::LargeKernel { .. } | EngineError::Memory { .. }),
            ) => _ = first.get_or_insert(error),
            made => return made,
        }
    }
    first.map_or_else(|| refused(too_small()), Err)
}

/// How cells are stored, in words.
pub(super) fn form_of(choice: &Choice) -> Vec<u64> {
    match (choice.layout(), choice.grid()) {
        (Some(layout), _) => {
            let digits = [layout.lane_digits(), layout.micro_digits()].map(u64::from);
            vec![0, digits[0], digits[1], u64::from(choice.far), u64::from(choice.steps)]
        }
        (None, grid) => {
            let is_packed = choice.storage.memory == StoredAs::Cells;
            vec![1, u64::from(is_packed), grid.map_or(0, |grid| grid.shape.lanes as u64), u64::from(choice.steps)]
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
        _ => Some(EngineOptions { packed: words.word()? == 1, ..options }),
    }
}
