//! `plot DIR...`, `plot FILE.npy...`

use crate::args::Plot;
use crate::report::{CliError, print, tell_missing};
use squeeze::analysis::{self, Analysis};
use squeeze::chart::{self, Page};
use squeeze::numbers::with_error;
use squeeze::picture::Format;
use squeeze::reweighting::{self, Reweighted};
use squeeze::run::plot::{self, Logarithmic, Series};
use squeeze::run::{Manifest, Observations, RunFolder};
use squeeze::statistics;
use squeeze::sweep::{self, SweepFolder};
use squeeze::{Error, files};
use std::path::PathBuf;

/// Draws other things than runs and sweeps: returns the page and the default path of its file, or `None` if the given paths are nothing of its kind.
pub(crate) type Drawer = fn(&Plot) -> Result<Option<(Page, PathBuf)>, CliError>;

/// Plots the observables of runs over time, the means of sweeps against a parameter, or what a drawer draws.
pub(crate) fn plot(arguments: &Plot, drawers: &[Drawer]) -> Result<(), CliError> {
    let logarithmic = arguments.log.unwrap_or_default();
    for drawn in drawers {
        if let Some((page, default)) = drawn(arguments)? {
            return write(&page, arguments, default);
        }
    }
    let sweeps = arguments.folders.iter().filter(|folder| SweepFolder::is_one(folder)).count();
    let (page, default) = match sweeps {
        0 if arguments.columns.combine() => {
            let help = "they are made of a sweep's means: name the folders of sweeps";
            return Err(CliError::input(
                "`--binder`, `--fluctuation`, `--crossing` and `--reweight` are plotted for sweeps, and these are runs",
                help,
            ));
        }
        0 if arguments.exchange => {
            let help = "name the folders of sweeps with `--exchange NAME --exchange-every N`";
            return Err(CliError::input(
                "`--exchange` draws exchanges between members of sweeps, and these are runs",
                help,
            ));
        }
        0 => of_runs(&arguments.folders, &arguments.columns.only, logarithmic)?,
        all if all == arguments.folders.len() => of_sweeps(arguments, logarithmic)?,
        _ => {
            let help = "plot runs over time, and sweeps against a parameter, by two commands";
            return Err(CliError::input("some folders hold runs and some hold sweeps", help));
        }
    };
    write(&page, arguments, default)
}

fn write(page: &Page, arguments: &Plot, default: PathBuf) -> Result<(), CliError> {
    let path = arguments.output.clone().unwrap_or(default);
    let format = path.extension().and_then(Format::of_extension).unwrap_or(Format::Svg);
    let sheet = chart::sheet(page, arguments.width);
    tell_missing(&sheet.missing(format));
    files::write_atomically(&path, &sheet.bytes(format))?;
    print(&format!("{}\n", path.display()))
}

fn of_sweeps(arguments: &Plot, logarithmic: Logarithmic) -> Result<(Page, PathBuf), Error> {
    let Plot { folders, columns, .. } = arguments;
    let mut sweeps = folders.iter().map(|folder| sweep::plot::Series::read(folder)).collect::<Result<Vec<_>, _>>()?;
    if arguments.exchange {
        return Ok((sweep::plot::page_of_exchanges(&sweeps)?, folders[0].join("exchange.svg")));
    }
    let mut analyses: Vec<Analysis> = Vec::new();
    let mut curves: Vec<Reweighted> = Vec::new();
    if let Some(along) = &columns.reweight {
        let combinations = columns.combinations()?;
        for series in &mut sweeps {
            let made = reweighting::reweight(&series.path, None, &combinations, &columns.of_curves(), along)?;
            (series.summary, series.is_continuous) = (made.summary.clone(), true);
            curves.push(made);
        }
    } else if columns.combine() {
        let combinations = columns.combinations()?;
        for series in &mut sweeps {
            let analysis = analysis::analyse(&series.path, None, &combinations)?;
            series.summary = analysis.summary.clone();
            analyses.push(analysis);
        }
    }
    let mut page = sweep::plot::page(&sweeps, &columns.only, logarithmic)?;
    for name in &columns.crossing {
        let crossings = match columns.reweight {
            Some(_) => reweighting::crossings(&curves, name, columns.range()?)?,
            None => analysis::crossings(&analyses, name, columns.range()?)?,
        };
        for crossing in crossings.into_iter().filter(|crossing| crossing.missing.is_none()) {
            let statistics::Crossing { at, error, .. } = crossing.found;
            let [place, off] = with_error(at, error);
            let what = format!("{} = {place} ± {off}", crossing.parameter);
            let panels = page.panels.iter_mut().filter(|panel| panel.y.label == *name);
            panels.for_each(|panel| panel.places.push((at, error, what.clone())));
        }
    }
    for name in &columns.maximum {
        let maxima = reweighting::maxima(&curves, name, columns.range()?)?;
        for found in maxima.into_iter().filter(|found| found.missing.is_none()) {
            let [place, off] = with_error(found.at[0], found.at[1]);
            let what = format!("{} = {place} ± {off}", curves[0].parameter);
            let panels = page.panels.iter_mut().filter(|panel| panel.y.label == *name);
            panels.for_each(|panel| panel.places.push((found.at[0], found.at[1], what.clone())));
        }
    }
    Ok((page, folders[0].join("summary.svg")))
}

fn of_runs(folders: &[PathBuf], only: &[String], logarithmic: Logarithmic) -> Result<(Page, PathBuf), Error> {
    let (mut runs, mut manifests, mut default) = (Vec::new(), Vec::new(), None);
    for path in folders {
        let folder = RunFolder::look(path)?;
        manifests.push(Manifest::read(&folder)?);
        let observations = Observations::of_run(&folder)?;
        default.get_or_insert_with(|| folder.plot_path());
        runs.push(Series { label: String::new(), path: folder.observables_path(), observations });
    }
    let (title, labels) = plot::told_apart(&manifests.iter().map(facts).collect::<Vec<_>>());
    runs.iter_mut().zip(labels).for_each(|(run, label)| run.label = label);
    Ok((plot::page(&runs, &title, only, logarithmic)?, default.unwrap_or_default()))
}

/// Facts of a run, in a few words each.
fn facts(manifest: &Manifest) -> Vec<String> {
    let mut facts = vec![format!("{} on {}", manifest.rule.definition, manifest.fractal.definition)];
    facts.extend(manifest.fractal.level_fact(manifest.level));
    facts.push(format!("seed {}", manifest.seed));
    facts.extend(manifest.params.iter().map(|setting| setting.replacen('=', " = ", 1)));
    facts
}
