//! `overlap DIR... -o FILE.npy`, and `plot` of its matrices

use super::args::OverlapArgs;
use super::bench::{gpu_tile, tile};
use crate::args::Plot;
use crate::report::{CliError, print, table, titled};
use serde_json::{Value, json};
use squeeze::Backend;
use squeeze::Hardware;
use squeeze::chart::Page;
use squeeze::hardware::NamedHardware;
use squeeze::numbers::{self, counted};
use squeeze_overlap::bench;
use squeeze_overlap::cuda::{GpuKernel, GpuTile, OverlapDevice};
use squeeze_overlap::plot::{Distributions, is_one};
use squeeze_overlap::source::{self, Between, Replicas};
use squeeze_overlap::{Blocking, Counter, CountingKernel, Counts, TileShape, kernels_of, matrix};
use std::fs;
use std::path::{Path, PathBuf};

/// Compares saved states, or the rows of a packed array, each with each.
pub(super) fn overlap(arguments: &OverlapArgs) -> Result<(), CliError> {
    let (Some(output), None) = (&arguments.output, &arguments.machine) else { return show_tiles(arguments) };
    if arguments.rows.is_some() {
        return Err(CliError::input(
            "--rows has no effect without --machine",
            "the states that are named are compared",
        ));
    }
    let is_array = |path: &std::path::PathBuf| {
        path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("npy")) && !path.is_dir()
    };
    let packed = arguments.sources.iter().any(is_array);
    check_flags(arguments, packed)?;
    let pool = squeeze::engine::pool(arguments.threads).map_err(squeeze::Error::from)?;
    let counter: Box<dyn Counter + Send + Sync> = match arguments.backend {
        Backend::Cuda => Box::new(OverlapDevice::first().map_err(squeeze::Error::from)?),
        _ => Box::new(CountingKernel::best()),
    };
    let (counts, replicas) = match packed {
        true => {
            let rows = source::read_packed(&arguments.sources[0], arguments.bits)?;
            let mut counts = Counts::new(rows.rows());
            pool.install(|| counter.add(&rows, &mut counts)).map_err(squeeze::Error::from)?;
            (counts, None)
        }
        false => {
            let between = arguments.between.or(arguments.step.map(|_| Between::Seeds));
            let field = arguments.field.as_deref();
            let replicas = Replicas::find(&arguments.sources, field, between, arguments.step)?;
            (pool.install(|| replicas.counts(&*counter))?, Some(replicas))
        }
    };
    matrix::write(&counts, arguments.measure, output)?;
    match arguments.json {
        true => {
            let kernel = counter.name(counts.rows());
            print(&format!("{}\n", as_json(arguments, output, &counts, replicas.as_ref(), kernel)))
        }
        false => print(&as_text(arguments, output, &counts, replicas.as_ref())),
    }
}

/// Prints the tiles of each kernel on a machine, for as many states as are asked for.
fn show_tiles(arguments: &OverlapArgs) -> Result<(), CliError> {
    let machine = NamedHardware::open(arguments.machine.as_deref().unwrap_or_default())?;
    let (rows, bits) =
        (arguments.rows.map_or(bench::ROWS, |rows| rows as usize), arguments.bits.unwrap_or(bench::BITS));
    let (header, tiles): (_, Vec<(&str, Vec<String>, Value)>) = match &machine.hardware {
        Hardware::Cpu(cpu) => {
            let length = usize::try_from(bits.div_ceil(512)).unwrap_or(usize::MAX);
            let tile = |kernel: CountingKernel| {
                let blocking = Blocking::chosen(kernel, cpu, rows, length);
                let Blocking { shape: TileShape { own, others }, columns, rows } = blocking;
                let cells = vec![format!("{own} × {others}"), (512 * columns as u64).to_string(), rows.to_string()];
                (kernel.name(), cells, tile(&blocking))
            };
            (
                "kernel, rows of a tile, bits of a block, rows of a block",
                kernels_of(cpu).into_iter().map(tile).collect(),
            )
        }
        Hardware::Gpu(gpu) => {
            let tile = |kernel: GpuKernel| {
                let tile = kernel.tile(gpu, rows, bits);
                let GpuTile { own, others, columns, blocks } = tile;
                let cells = vec![format!("{own} × {others}"), columns.to_string(), blocks.to_string()];
                (kernel.name(), cells, gpu_tile(&tile))
            };
            ("kernel, rows of a tile, bits of a block, blocks", GpuKernel::ALL.into_iter().map(tile).collect())
        }
    };
    if arguments.json {
        let tiles: serde_json::Map<String, Value> =
            tiles.into_iter().map(|(kernel, _, json)| (kernel.to_owned(), json)).collect();
        return print(&format!("{}\n", json!({"machine": machine.name, "rows": rows, "bits": bits, "tiles": tiles})));
    }
    let mut lines = titled(header);
    lines.extend(tiles.into_iter().map(|(kernel, cells, _)| [vec![kernel.to_owned()], cells].concat()));
    print(&format!("{}: {rows} rows of {bits} bits\n\n{}", machine.name, table(&lines)))
}

/// A flag that would have no effect is a mistake.
fn check_flags(arguments: &OverlapArgs, packed: bool) -> Result<(), CliError> {
    let refuse = |message: &str, help: &str| Err(CliError::input(message, help));
    if packed && arguments.sources.len() > 1 {
        return refuse("a packed array is compared alone", "name one .npy, or the folders of runs");
    }
    let flags = [
        ("--field", arguments.field.is_some()),
        ("--between", arguments.between.is_some()),
        ("--step", arguments.step.is_some()),
    ];
    if let Some((flag, _)) = flags.iter().find(|(_, given)| packed && *given) {
        return refuse(&format!("{flag} has no effect on a packed array"), "it is for the folders of runs");
    }
    if !packed && arguments.bits.is_some() {
        return refuse("--bits has no effect on runs, whose cells are known", "it is for packed arrays");
    }
    if arguments.step.is_some() && arguments.between == Some(Between::Times) {
        return refuse(
            "--step has no effect on `--between times`, which takes all saved steps",
            "leave out one of both",
        );
    }
    Ok(())
}

/// The limit of replicas for a full list.
const MOST_TOLD: usize = 10;

fn as_text(arguments: &OverlapArgs, output: &Path, counts: &Counts, replicas: Option<&Replicas>) -> String {
    let size = fs::metadata(output).map_or(0, |metadata| metadata.len());
    let (rows, path, measure) = (counts.rows(), output.display(), arguments.measure.name());
    let size = numbers::bytes(size as f64);
    let Some(Replicas { replicas, field, .. }) = replicas else {
        return format!("{path}: {measure} of {rows} × {rows} rows of {}, {size}\n", counted(counts.bits(), "bit"));
    };
    let mut text =
        format!("{path}: {measure} of `{field}`, {rows} × {rows}, {}, {size}\n", counted(counts.bits(), "cell"));
    for (number, replica) in replicas.iter().enumerate().take(MOST_TOLD) {
        let (folder, seed, step) = (replica.folder.display(), replica.seed, replica.step);
        text.push_str(&format!("{number:>4}  {folder}, seed {seed}, step {step}\n"));
    }
    if rows > MOST_TOLD {
        text.push_str(&format!("   …  {} in all\n", counted(rows as u64, "state")));
    }
    text
}

fn as_json(
    arguments: &OverlapArgs,
    output: &Path,
    counts: &Counts,
    replicas: Option<&Replicas>,
    kernel: &str,
) -> Value {
    let list = |replicas: &Replicas| -> Vec<Value> {
        let one = |replica: &source::Replica| json!({"folder": replica.folder.display().to_string(), "seed": replica.seed, "step": replica.step});
        replicas.replicas.iter().map(one).collect()
    };
    json!({
        "output": output.display().to_string(),
        "measure": arguments.measure.name(),
        "rows": counts.rows(),
        "bits": counts.bits(),
        "field": replicas.map(|replicas| replicas.field.as_str()),
        "replicas": replicas.map(list),
        "backend": arguments.backend.name(),
        "kernel": kernel,
    })
}

/// How the overlaps of matrices are distributed, if there are matrices among what is to be plotted.
pub(super) fn drawn(arguments: &Plot) -> Result<Option<(Page, PathBuf)>, CliError> {
    let matrices = arguments.folders.iter().filter(|path| is_one(path)).count();
    if matrices == 0 {
        return Ok(None);
    }
    if matrices < arguments.folders.len() {
        let help = "plot matrices and folders by two commands";
        return Err(CliError::input("some arguments are matrices of overlaps and some are not", help));
    }
    let flags = [
        ("--log", arguments.log.is_some()),
        ("--only", !arguments.columns.only.is_empty()),
        ("--binder", !arguments.columns.binder.is_empty()),
        ("--fluctuation", !arguments.columns.fluctuation.is_empty()),
        ("--crossing", !arguments.columns.crossing.is_empty()),
    ];
    if let Some((flag, _)) = flags.iter().find(|(_, given)| *given) {
        let help = "it is for runs and sweeps";
        return Err(CliError::input(format!("{flag} has no effect on matrices of overlaps"), help));
    }
    Ok(Some((Distributions::read(&arguments.folders)?.page(), arguments.folders[0].with_extension("svg"))))
}
