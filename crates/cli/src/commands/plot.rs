//! `plot DIR...`

use crate::args::{LogAxes, Plot};
use crate::report::{Failure, print};
use squeeze::files;
use squeeze::run::plot::{self, Logarithmic, Series};
use squeeze::run::{Manifest, Observations, RunFolder};

/// Plots the observables of runs.
pub fn plot(arguments: &Plot) -> Result<(), Failure> {
    let (mut runs, mut manifests, mut default) = (Vec::new(), Vec::new(), None);
    for path in &arguments.folders {
        let folder = RunFolder::look(path)?;
        manifests.push(Manifest::read(&folder)?);
        let rows = folder.observables_path();
        let observations = Observations::read(&rows)?;
        default.get_or_insert_with(|| folder.plot_path());
        runs.push(Series { label: String::new(), path: rows, observations });
    }
    // What all runs have in common stands in the title, what differs in the labels.
    let facts: Vec<Vec<String>> = manifests.iter().map(facts).collect();
    let common = |fact: &&String| facts.iter().all(|others| others.contains(fact));
    let title: Vec<&str> = facts.iter().take(1).flatten().filter(common).map(String::as_str).collect();
    for (run, facts) in runs.iter_mut().zip(&facts) {
        run.label = facts.iter().filter(|fact| !common(fact)).cloned().collect::<Vec<_>>().join(", ");
    }
    let logarithmic = Logarithmic {
        x: matches!(arguments.log, Some(LogAxes::X | LogAxes::Xy)),
        y: matches!(arguments.log, Some(LogAxes::Y | LogAxes::Xy)),
    };
    let svg = plot::svg(&runs, &title.join(", "), logarithmic)?;
    let path = arguments.output.clone().or(default).unwrap_or_default();
    files::write_atomically(&path, svg.as_bytes())?;
    print(&format!("{}\n", path.display()))
}

/// What a run is, in a few words each.
fn facts(manifest: &Manifest) -> Vec<String> {
    let mut facts = vec![
        format!("{} on {}", manifest.rule.definition, manifest.fractal.definition),
        format!("level {}", manifest.level),
        format!("seed {}", manifest.seed),
    ];
    facts.extend(manifest.params.iter().map(|setting| setting.replacen('=', " = ", 1)));
    facts
}
