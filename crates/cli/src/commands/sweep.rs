//! `sweep FRACTAL --rule RULE …`, `merge DIR…`, and `resume` of a sweep

use super::input;
use super::run::plan::no_gpu;
use super::slurm;
use crate::args::{Devices, Merge, Resume, SweepArgs as Arguments};
use crate::engines::Chosen;
use crate::ranks::Ranks;
use crate::report::{CliError, beside, print, remark};
use crate::watch::SweepScreen;
use squeeze::hardware::NamedHardware;
use squeeze::lists;
use squeeze::numbers::{counted, grouped, with_error};
use squeeze::run::NamedEngine;
use squeeze::statistics::{Estimate, Unknown};
use squeeze::sweep::work::{self, How};
use squeeze::sweep::{self, Collector, Given, Summary, SummaryRow, Sweep, SweepFolder, Wishes};
use squeeze::{Backend, Domain, Rule, Simulation, resolve};
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::Path;
use std::sync::Arc;

/// Rows of the summary that a terminal is shown.
const MOST_ROWS: usize = 100;

/// Runs a sweep. Of several ranks the first reads, deals members out and writes, and all compute.
pub(crate) fn sweep(
    arguments: &Arguments,
    words: &[OsString],
    collectors: &[&dyn Collector],
    ranks: Option<&Ranks>,
) -> Result<(), CliError> {
    if arguments.slurm.is_some() {
        // Of several ranks the first speaks.
        if ranks.is_some_and(|ranks| !ranks.is_first()) {
            return Ok(());
        }
        let SweepPlan { sweep, .. } = SweepPlan::of(arguments, collectors)?;
        return print(&slurm::script(words, arguments, &sweep)?);
    }
    let place =
        WorkPlace { backend: arguments.backend, threads: arguments.threads, devices: arguments.devices.as_ref() };
    if let Some(ranks) = ranks {
        let files = [&arguments.init, &arguments.input.inputs];
        if files.into_iter().flatten().any(|text| text.ends_with("=-")) {
            return Err(CliError::input(
                "standard input reaches one rank alone",
                "name a file that all ranks can read",
            ));
        }
        if !ranks.is_first() {
            return place.serve(arguments.planned.open()?.as_ref(), ranks, (collectors, arguments.quiet));
        }
    }
    let SweepPlan { mut sweep, rule, machine } = SweepPlan::of(arguments, collectors)?;
    let (how, devices) = place.of(ranks, arguments.quiet)?;
    let mut how = how;
    (how.devices, how.machine) = (&devices, machine.as_ref().map(|machine| &machine.hardware));
    // Whatever cannot run is known before a folder is made.
    let first = first(arguments, &rule, &mut sweep, how)?;
    let folder = SweepFolder::create(&arguments.out, &sweep)?;
    go(&folder, &sweep, (how, first, collectors), (arguments.json, arguments.quiet))
}

/// Where members are computed, as it was asked for.
#[derive(Clone, Copy)]
struct WorkPlace<'a> {
    backend: Backend,
    threads: Option<usize>,
    devices: Option<&'a Devices>,
}

impl WorkPlace<'_> {
    /// Checks what can be known without a device.
    fn check(self) -> Result<(), CliError> {
        match self.backend {
            Backend::Cuda | Backend::Auto
                if self.threads.is_some() && (self.backend == Backend::Cuda || self.devices.is_some()) =>
            {
                Err(CliError::input(
                    "the backend `cuda` computes the members of a sweep without threads",
                    "leave out `--threads`",
                ))
            }
            Backend::Cpu | Backend::Reference if self.devices.is_some() => Err(no_gpu(self.backend)),
            _ => Ok(()),
        }
    }

    /// The same as the library takes it, and the numbers of the devices: of this rank's share if there are several.
    fn of<'r>(self, ranks: Option<&'r Ranks>, quiet: bool) -> Result<(How<'r>, Vec<u32>), CliError> {
        self.check()?;
        let mut how = How::default();
        let Some(ranks) = ranks else {
            let devices = self.devices.map(Devices::numbers).transpose().map_err(squeeze::Error::from)?;
            (how.backend, how.threads) = (self.backend, self.threads);
            if devices.is_some() {
                how.backend = Backend::Cuda;
            }
            return Ok((how, devices.unwrap_or_default()));
        };
        if !quiet {
            ranks.tell();
        }
        let share = ranks.share(self.backend, (self.threads, self.devices), quiet)?;
        (how.backend, how.memory, how.ranks) = (share.backend, share.memory, Some(&*ranks.transport));
        how.threads = share.threads.filter(|_| share.backend == Backend::Cpu);
        Ok((how, share.device.into_iter().collect()))
    }

    /// Computes members that the first rank deals out.
    fn serve(
        self,
        machine: Option<&NamedHardware>,
        ranks: &Ranks,
        (collectors, quiet): (&[&dyn Collector], bool),
    ) -> Result<(), CliError> {
        let (how, devices) = self.of(Some(ranks), quiet)?;
        let mut how = how;
        (how.devices, how.machine) = (&devices, machine.map(|machine| &machine.hardware));
        Ok(sweep::serve(how, &ranks.transport, collectors)?)
    }
}

/// Consistent arguments, and the domains, rule and machine that they name. No device was asked yet.
struct SweepPlan {
    /// The members, without their initial values.
    sweep: Sweep,
    /// The rule as it is written.
    rule: Arc<Rule>,
    machine: Option<NamedHardware>,
}

impl SweepPlan {
    /// Checks the arguments, and reads the files that they name.
    fn of(arguments: &Arguments, collectors: &[&dyn Collector]) -> Result<SweepPlan, CliError> {
        let seeds = arguments.seeds.as_deref().unwrap_or("0");
        let cells = sweep::first_cells(&arguments.settings, seeds, arguments.disorder.as_deref())?;
        let (rule, edges) =
            input::with_inputs(&arguments.rule, arguments.quiet, &arguments.input.inputs, &arguments.edges)?;
        let (fractal, mut fractal_texts) = resolve::domain_with_cells(&arguments.fractal, &edges, &cells)?;
        input::tell(std::mem::take(&mut fractal_texts.notes));
        let mut levels = arguments.level.as_deref().map(sweep::levels).transpose()?.unwrap_or_default();
        let level = input::level(&fractal, levels.first().copied())?;
        if levels.is_empty() {
            levels.push(level);
        }
        let rule = rule.map_or_else(|| input::rule(&arguments.rule, arguments.quiet), Ok);
        let (rule, rule_texts) = rule?;
        let mut wishes = Wishes::default();
        (wishes.seeds, wishes.settings) = (seeds, &arguments.settings);
        wishes.disorder = arguments.disorder.as_deref();
        (wishes.observe_every, wishes.observe_at) = (arguments.observe_every, arguments.observe_at.as_ref());
        (wishes.zip, wishes.per_member) = (arguments.zip, arguments.per_member);
        wishes.exchange = arguments.exchange.as_deref().zip(arguments.exchange_every);
        (wishes.discard, wishes.shard) = (arguments.discard, arguments.shard.unwrap_or_default());
        let domains = levels.iter().map(|level| Domain::new(Arc::clone(&fractal), *level));
        let domains = domains.collect::<Result<Vec<_>, _>>()?;
        input::tell(resolve::note_of_grid(&arguments.rule, &domains[0])?);
        let sweep = Sweep::new(fractal_texts, rule_texts, &rule, &domains, arguments.steps, wishes, collectors)?;
        if !arguments.init.is_empty() && !sweep.is_of_one_domain() {
            return Err(CliError::input(
                "`--init` gives values to the cells of one domain, and these members have several",
                "make a sweep of each level, and of each domain",
            ));
        }
        let machine = arguments.planned.open()?;
        input::suits(machine.as_ref(), &fractal, (arguments.backend, NamedEngine::OWN))?;
        Ok(SweepPlan { sweep, rule, machine })
    }
}

/// The first member of the first level, after those of other levels, each with the initial values. Prints notes on what is valid, but probably not meant.
fn first(arguments: &Arguments, rule: &Rule, sweep: &mut Sweep, how: How<'_>) -> Result<Option<Simulation>, CliError> {
    let mut kept = None;
    for number in (0..sweep.levels().len()).rev() {
        drop(kept.take());
        let first = kept.insert(work::first(sweep, number, how)?);
        let (given, notes) = Given::read(&mut *first, &arguments.init)?;
        input::tell(notes);
        sweep.begin_with(arguments.init.clone(), given);
    }
    if let (Some(first), false) = (&kept, arguments.quiet) {
        // Seeds may be those of the domain's own draws.
        if arguments.seeds.is_none() {
            input::tell_repeated(&arguments.init, first.rule(), "`--seeds 1..5` takes other draws");
        }
        input::tell_of(first, rule, if sweep.fractal.disorder.is_some() { 1 } else { sweep.seeds.len() });
        if let [seed @ 2..=4096] = sweep.seeds[..] {
            remark(&format!("note: `--seeds {seed}` is one seed; `--seeds 0..{seed}` are {seed}"));
        }
    }
    Ok(kept)
}

/// Continues a sweep.
pub(super) fn resume(
    arguments: &Resume,
    chosen: &Chosen,
    collectors: &[&dyn Collector],
    ranks: Option<&Ranks>,
) -> Result<(), CliError> {
    for (flag, given) in [
        ("--steps", arguments.steps.is_some()),
        ("--strategy", chosen.named.strategy.is_some()),
        ("--map", chosen.named.map.is_some()),
        ("--rho", chosen.named.rho.is_some()),
        ("--allow-nan", arguments.allow_nan),
    ] {
        if given {
            return Err(CliError::input(format!("`{flag}` is for runs, and this is a sweep"), "leave it out"));
        }
    }
    let place =
        WorkPlace { backend: arguments.backend, threads: arguments.threads, devices: arguments.devices.as_ref() };
    if let Some(ranks) = ranks.filter(|ranks| !ranks.is_first()) {
        return place.serve(None, ranks, (collectors, arguments.quiet));
    }
    place.check()?;
    let (folder, sweep) = SweepFolder::open(&arguments.folder)?;
    let (how, devices) = place.of(ranks, arguments.quiet)?;
    let mut how = how;
    how.devices = &devices;
    go(&folder, &sweep, (how, None, collectors), (arguments.json, arguments.quiet))
}

/// Joins the parts of a sweep.
pub(crate) fn merge(arguments: &Merge, collectors: &[&dyn Collector]) -> Result<(), CliError> {
    let summary = sweep::merge(&arguments.folders, collectors)?;
    show(&summary, &arguments.folders[0], (arguments.json, arguments.quiet))
}

fn go(
    folder: &SweepFolder,
    sweep: &Sweep,
    (how, first, collectors): (How<'_>, Option<Simulation>, &[&dyn Collector]),
    (json, quiet): (bool, bool),
) -> Result<(), CliError> {
    let mut screen = SweepScreen::new(sweep.own_members().count(), quiet)?;
    let outcome = work::run_keeping(work::KEEP, folder, sweep, (how, first), collectors, &mut screen);
    drop(screen);
    let path = folder.path();
    match outcome {
        Ok(Some(summary)) => show(&summary, path, (json, quiet)),
        Ok(None) => Err(CliError::StoppedSweep(input::present(path, folder.present()).unwrap_or(path.to_owned()))),
        Err(error) => {
            if let Some(now) = input::present(path, folder.present()) {
                remark(&format!("note: `squeeze resume {}` continues with the missing members", now.display()));
            }
            Err(error.into())
        }
    }
}

fn show(summary: &Summary, folder: &Path, (json, quiet): (bool, bool)) -> Result<(), CliError> {
    for (member, step) in &summary.not_finite {
        remark(&format!("warning: member {member} is left out: an observable of it is not finite at step {step}"));
    }
    let shown = lists::chosen(&[(folder, &summary.observables)], &[])?;
    if json {
        return print(&format!("{}\n", super::analyse::summary_as_json(folder, summary, &shown)));
    }
    if quiet {
        return Ok(());
    }
    if let Some(&(_, first)) = summary.stopped.iter().min_by_key(|(_, step)| *step) {
        let last = summary.stopped.iter().map(|(_, step)| *step).max().unwrap_or(first);
        remark(&format!(
            "note: the rule's `stop when` ended {} before the last step, at steps {} to {}; from then on their last values count",
            counted(summary.stopped.len() as u64, "member"),
            grouped(u64::from(first)),
            grouped(u64::from(last))
        ));
    }
    tell_of_errors(summary);
    tell_of_exchanges(summary);
    print(&format!(
        "{}\n±: standard error; τ: autocorrelation time in steps; n: samples. Tables: {}\n",
        summary_table(summary, &shown, true),
        folder.display()
    ))
}

/// Says which members exchange their states too seldom.
pub(super) fn tell_of_exchanges(summary: &Summary) {
    let warnings = summary.exchanges.iter().flat_map(|exchanges| exchanges.warnings());
    warnings.for_each(|warning| remark(&format!("warning: {warning}")));
}

/// Says why errors are unknown, and where means are not what they should be.
pub(super) fn tell_of_errors(summary: &Summary) {
    summary.early.iter().for_each(|early| remark(&format!("warning: {early}")));
    let mut reasons: Vec<(Unknown, usize, String)> = Vec::new();
    for row in &summary.rows {
        for (name, estimate) in summary.observables.iter().zip(&row.estimates) {
            let Some(unknown) = estimate.unknown else { continue };
            if let Some((_, count, _)) = reasons.iter_mut().find(|(known, ..)| *known == unknown) {
                *count += 1;
                continue;
            }
            let set = summary.params.iter().zip(&row.values).map(|(name, value)| format!("{name} = {value}"));
            let set = set.collect::<Vec<_>>().join(", ");
            let place = if set.is_empty() { set } else { format!(" at {set}") };
            reasons.push((unknown, 1, format!("`{name}`{place}")));
        }
    }
    for (unknown, count, first) in reasons {
        let others = if count > 1 { format!(" and {}", counted(count as u64 - 1, "other")) } else { String::new() };
        remark(&format!("note: no error of {first}{others}: {unknown}"));
    }
}

/// The rows of a summary, as many as a terminal can hold, in tables that are no wider than it, with autocorrelation times or without. Lists have a table of their own, with a row for each entry.
pub(super) fn summary_table(summary: &Summary, shown: &[&str], has_times: bool) -> String {
    let mut by_length: BTreeMap<usize, Vec<(&str, Vec<usize>)>> = BTreeMap::new();
    for name in shown {
        let columns = lists::columns(&summary.observables, name);
        by_length.entry(columns.len()).or_default().push((name, columns));
    }
    by_length.remove(&0);
    let tables = by_length.iter().map(|(&length, observables)| {
        let rows = || summary.rows.iter().flat_map(|row| (0..length).map(move |entry| (row, entry))).take(MOST_ROWS);
        let column = |head: &str, cell: &dyn Fn(&SummaryRow, usize) -> String| -> Vec<String> {
            std::iter::once(head.to_owned()).chain(rows().map(|(row, entry)| cell(row, entry))).collect()
        };
        let params = summary.params.iter().enumerate().map(|(i, name)| column(name, &|row, _| row.values[i].clone()));
        let entries = (length > 1).then(|| column("entry", &|_, entry| entry.to_string()));
        let samples = column("n", &|row, _| grouped(row.samples as u64));
        let keys: Vec<Vec<String>> = params.chain(entries).chain([samples]).collect();
        let estimates = observables.iter().map(|(name, columns)| {
            let word =
                |i: usize| move |row: &SummaryRow, entry: usize| words_of(&row.estimates[columns[entry]])[i].clone();
            let times = has_times.then(|| column("τ", &word(2)));
            [column(name, &word(0)), column("±", &word(1))].into_iter().chain(times).collect::<Vec<_>>()
        });
        let mut text = beside(&keys, &estimates.collect::<Vec<_>>());
        if summary.rows.len() * length > MOST_ROWS {
            text.push_str(&format!("… and {} more rows\n", grouped((summary.rows.len() * length - MOST_ROWS) as u64)));
        }
        text
    });
    tables.collect::<Vec<_>>().join("\n")
}

/// A mean with as many digits as its error allows, the error, and τ.
fn words_of(estimate: &Estimate) -> [String; 3] {
    let Estimate { mean, error, tau, .. } = *estimate;
    let [mean, error] = with_error(mean, error);
    [mean, error, if tau.is_nan() { "–".to_owned() } else { format!("{tau:.1}") }]
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::{Args, FromArgMatches};

    /// The backend `cuda` is asked for what many machines lack: only the work asks it.
    #[test]
    fn a_plan_asks_no_device() {
        let words = "sweep vicsek -r heat -l 2,3 -n 4 --set alpha=0.1,0.2 --backend cuda -o nowhere";
        let matches = Arguments::augment_args(clap::Command::new("sweep")).get_matches_from(words.split(' '));
        let arguments = Arguments::from_arg_matches(&matches).unwrap();
        let SweepPlan { sweep, .. } = SweepPlan::of(&arguments, &[]).ok().expect("the arguments are consistent");
        assert_eq!((sweep.members(), sweep.levels()), (4, vec![2, 3]));
        assert!(!arguments.out.exists());
    }
}
