//! `doctor [--json]`, `doctor --measure FILE.json [--gpu]`

use crate::args::Doctor;
use crate::ranks::Ranks;
use crate::report::{CliError, print};
use serde_json::{Value, json};
use squeeze::Failure as _;
use squeeze::cuda::{CudaError, DeviceReport, Report};
use squeeze::engine::ranks::mpi::MpiLibrary;
use squeeze::files::PendingFile;
use squeeze::hardware::to_text;
use squeeze::memory::{known, processor_name};
use squeeze::numbers::bytes;
use squeeze_bench::hardware;
use std::path::Path;

/// Reports the devices and libraries of each backend, and how to get those that are missing; the ranks, if there are several, of which the first reports.
pub(crate) fn doctor(arguments: &Doctor, ranks: Option<&Ranks>) -> Result<(), CliError> {
    if ranks.is_some_and(|ranks| !ranks.is_first()) {
        return Ok(());
    }
    if let Some(path) = &arguments.measure {
        return measure(path, arguments.gpu);
    }
    let report = Report::of_machine();
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    let (cpu, cuda) = (squeeze::cpu::check(), report.problems().is_empty());
    // A launcher's processes have loaded it, and a library that cannot be used is a reason to look further.
    let mpi = match ranks {
        Some(ranks) => Ok(ranks.library.clone()),
        None => MpiLibrary::find(None).map(|library| library.told()),
    };
    if arguments.json {
        let mut json = as_json(&report, threads, cpu.is_ok());
        json["mpi"] = json!(mpi.as_ref().ok());
        json["ranks"] = json!(ranks.map(|ranks| json!({
            "ranks": ranks.transport.ranks(),
            "machines": ranks.nodes.machines,
            "ranks_here": ranks.nodes.ranks_here,
            "threads": ranks.nodes.threads,
            "processors": ranks.nodes.processors,
        })));
        return print(&format!("{json}\n"));
    }
    let mut text = String::new();
    let mut add = |label: &str, value: &str| text.push_str(&format!("{label:>10}  {value}\n"));
    let memory = known().map_or_else(
        || "how much memory is available is not known".to_owned(),
        |available| format!("{} of memory available", bytes(available as f64)),
    );
    add("processor", &format!("{}, {threads} threads, {memory}", processor_name()));
    match &report.driver {
        Ok((major, minor)) => add("driver", &format!("for CUDA {major}.{minor}")),
        Err(_) => add("driver", "none"),
    }
    match &report.devices {
        Ok(devices) => {
            for device in devices {
                let (all, free) = (bytes(device.memory as f64), bytes(device.free as f64));
                let (name, sm, count) = (&device.name, device.architecture.0, device.multiprocessors);
                add("device", &format!("{name}: sm_{sm}, {count} multiprocessors, {all} of memory, {free} free"));
            }
            if devices.len() > 1 {
                let reaches = |(number, device): (usize, &DeviceReport)| match &device.reaches[..] {
                    [] => format!("GPU {number} reaches no other's memory"),
                    others => {
                        let others: Vec<String> = others.iter().map(i32::to_string).collect();
                        format!("GPU {number} reaches the memory of {}", others.join(", "))
                    }
                };
                add("links", &devices.iter().enumerate().map(reaches).collect::<Vec<_>>().join("; "));
            }
        }
        Err(_) => add("device", "none"),
    }
    match &report.nvrtc {
        Ok(nvrtc) => add("NVRTC", &format!("{}.{} in {}", nvrtc.version.0, nvrtc.version.1, nvrtc.path.display())),
        Err(_) => add("NVRTC", "none"),
    }
    match &report.cache {
        Some(cache) => {
            let (entries, bytes) = (cache.contents.entries, bytes(cache.contents.bytes as f64));
            add("cache", &format!("{}: {entries} kernels, {bytes}", cache.folder.display()));
            if let Some(problem) = &cache.problem {
                add("", &format!("nothing can be kept there: {problem}"));
            }
        }
        None => add("cache", "none: every run compiles its kernels (SQUEEZE_CACHE names a folder)"),
    }
    match &mpi {
        Ok(library) => add("MPI", library),
        Err(_) => add("MPI", "none: runs are of one rank (SQUEEZE_MPI=PATH names a library)"),
    }
    if let Some(ranks) = ranks {
        add("ranks", &ranks.told());
    }
    let backends = match (cpu.is_ok(), cuda) {
        (true, true) => "reference, cpu and cuda can run",
        (true, false) => "reference and cpu can run; cuda cannot",
        (false, true) => "reference and cuda can run; cpu cannot",
        (false, false) => "reference can run; cpu and cuda cannot",
    };
    add("backends", backends);
    let of_cpu = cpu.err().map(|error| (error.to_string(), error.help()));
    for (problem, help) in
        of_cpu.into_iter().chain(report.problems().iter().map(|error| (error.to_string(), error.help())))
    {
        add("missing", &problem);
        help.iter().for_each(|line| add("", line));
    }
    print(&text)
}

/// Measures this machine and writes the parameters that the planner needs.
fn measure(path: &Path, gpu: bool) -> Result<(), CliError> {
    // A file that could not be written should be known before the work, not after.
    let file = PendingFile::begin(path)?;
    let measured = if gpu { hardware::gpu() } else { hardware::cpu() };
    let measured = measured?;
    let about = if gpu { squeeze::cuda::device_name().map_err(squeeze::Error::from)? } else { processor_name() };
    let text = to_text(&measured, &about);
    file.finish(text.as_bytes())?;
    print(&format!("{text}{}: `--machine {}` chooses layouts for it\n", path.display(), path.display()))
}

fn as_json(report: &Report, threads: usize, cpu: bool) -> Value {
    let version = |(major, minor): (u32, u32)| format!("{major}.{minor}");
    let devices = report.devices.iter().flatten().map(|device| {
        json!({
            "name": device.name,
            "architecture": format!("sm_{}", device.architecture.0),
            "multiprocessors": device.multiprocessors,
            "memory_bytes": device.memory,
            "free_bytes": device.free,
            "reaches": device.reaches,
        })
    });
    let problem = |error: &&CudaError| json!({"problem": error.to_string(), "help": error.help()});
    json!({
        "processor": processor_name(),
        "threads": threads,
        "memory_available_bytes": known(),
        "driver": report.driver.as_ref().ok().map(|found| version(*found)),
        "devices": devices.collect::<Vec<_>>(),
        "nvrtc": report.nvrtc.as_ref().ok().map(|nvrtc| {
            json!({"version": version(nvrtc.version), "path": nvrtc.path.display().to_string()})
        }),
        "cache": report.cache.as_ref().map(|cache| {
            json!({
                "folder": cache.folder.display().to_string(),
                "kernels": cache.contents.entries,
                "bytes": cache.contents.bytes,
                "problem": cache.problem,
            })
        }),
        "cpu": cpu,
        "cuda": report.problems().is_empty(),
        "missing": report.problems().iter().map(problem).collect::<Vec<_>>(),
    })
}
