//! `emit FRACTAL --rule RULE [--level R] [--strategy S] [--map M] [--rho P] [--target cuda|ptx|cubin|rust|ir] [--arch sm_90] [-o FILE] [--prefix NAME] [--header FILE] [--world FILE [--set NAME=VALUE]...]`

use super::input;
use crate::args::{Emit, EmitTarget};
use crate::engines::Chosen;
use crate::report::{CliError, print, print_bytes, remark};
use squeeze::compiler::passes::Statistics;
use squeeze::compiler::pipeline::compile_turn;
use squeeze::compiler::plan::Plan;
use squeeze::compiler::target::Hardware;
use squeeze::compiler::{Program, Target};
use squeeze::cuda::{Architecture, KernelCache, Nvrtc, Output};
use squeeze::engine::EngineError;
use squeeze::files::{FileError, PendingFile, write_atomically};
use squeeze::geometry::FittedRule;
use squeeze::{Backend, Domain, Fractal, Rule, cuda, params, resolve};
use std::io::{BufWriter, IsTerminal, Write, stdout};
use std::path::Path;

/// The level for which code is printed by default; it is large enough to stand for all larger ones.
const USUAL_LEVEL: u32 = 12;

/// Prints the kernels that a backend would run.
pub(crate) fn emit(arguments: &Emit, chosen: &Chosen) -> Result<(), CliError> {
    write_out(arguments, chosen).map_err(|failure| match failure {
        // Its own help names a backend that runs without kernels, but there is nothing of it to print.
        CliError::Squeeze(error) if matches!(error.downcast_ref(), Some(EngineError::NoKernel { .. })) => {
            let help = "smaller neighbourhoods, or another level, may have kernels; `squeeze run --backend reference` needs none";
            CliError::input(error.to_string(), help)
        }
        CliError::Squeeze(error) if matches!(error.downcast_ref(), Some(EngineError::Ordered(_))) => {
            let help = "`--target ir` prints, of fractals, what a cell computes at its turn; `squeeze run --backend reference` runs it";
            CliError::input(error.to_string(), help)
        }
        failure => failure,
    })
}

fn write_out(arguments: &Emit, chosen: &Chosen) -> Result<(), CliError> {
    let target = arguments.target;
    let compiled = match target {
        EmitTarget::Ptx => Some(Output::Ptx),
        EmitTarget::Cubin => Some(Output::Cubin),
        EmitTarget::Cuda | EmitTarget::Rust | EmitTarget::Ir => None,
    };
    if compiled.is_none() && arguments.arch.is_some() {
        return Err(CliError::input(
            format!("the target `{}` is the same for all architectures", target.name()),
            "leave out `--arch`, or take `--target ptx` or `--target cubin`",
        ));
    }
    let of_kernels = [("--prefix", arguments.prefix.is_some()), ("--header", arguments.header.is_some())];
    if let Some((flag, _)) = of_kernels.into_iter().find(|(_, is_there)| *is_there && is_of_cpu(target)) {
        return Err(CliError::input(
            format!("the target `{}` has no kernels that C calls, so `{flag}` says nothing", target.name()),
            format!("leave out `{flag}`, or take `--target cuda`, `ptx` or `cubin`"),
        ));
    }
    let output = arguments.output.as_ref().filter(|path| *path != Path::new("-"));
    if compiled == Some(Output::Cubin) && output.is_none() && stdout().is_terminal() {
        return Err(CliError::input("machine code is not for a terminal", "`-o FILE` writes it"));
    }
    let fractal = resolve::domain(&arguments.fractal, &arguments.edges.wanted())?;
    let machine = machine(&fractal, arguments, chosen)?;
    input::tell_unpicked(&arguments.rule)?;
    let rule = resolve::rule(&arguments.rule)?;
    let level = match fractal.extent {
        Some(_) => masks(&fractal, arguments)?,
        None => arguments.level.unwrap_or_else(|| USUAL_LEVEL.min(Domain::largest_level(&fractal))),
    };
    let domain = Domain::new(fractal, level)?;
    let rule = domain.fit(&rule)?;
    let other = chosen.program(&rule, arguments.prefix.as_deref())?;
    if arguments.world.is_some() && (other.is_some() || is_of_cpu(target)) {
        return Err(CliError::input(
            "`--world` writes tables for kernels of the strategy `lanes` on GPUs",
            "leave it out, or take `--target cuda`, `ptx` or `cubin` without `--strategy`",
        ));
    }
    if other.is_some() && is_of_cpu(target) {
        let strategy = chosen.named.strategy();
        let message = format!("the strategy `{strategy}` has no kernel IR: its code is printed from the rule itself");
        return Err(CliError::input(message, "`--target cuda` prints it"));
    }
    let bytes = match target {
        EmitTarget::Ir => ir(&rule, machine)?.into_bytes(),
        EmitTarget::Rust => standalone(&rule)?.into_bytes(),
        EmitTarget::Cuda | EmitTarget::Ptx | EmitTarget::Cubin => {
            let (text, header) = match other {
                Some(other) => other,
                None => {
                    let target = Target::cuda().on(machine.as_ref().and_then(Hardware::gpu));
                    let compiled = Program::of(&rule, &target).map_err(squeeze::Error::from)?;
                    if let Some(path) = &arguments.world {
                        world(path, (&rule, &arguments.settings), &compiled.plan)?;
                    }
                    let program = cuda::program(&compiled, arguments.prefix.as_deref());
                    let header = cuda::header(&compiled, &program);
                    (program.text, header)
                }
            };
            if let Some(path) = &arguments.header {
                write_atomically(path, header.as_bytes())?;
            }
            match compiled {
                None => text.into_bytes(),
                Some(output) => {
                    let nvrtc = Nvrtc::find().map_err(squeeze::Error::from)?;
                    let (architecture, letter) = arguments.arch.unwrap_or((Architecture::USUAL, None));
                    let compiled = KernelCache::usual().compile(&nvrtc, &text, architecture, output.with(letter));
                    compiled.map_err(squeeze::Error::from)?.to_vec()
                }
            }
        }
    };
    match output {
        Some(path) => {
            write_atomically(path, &bytes)?;
            if target == EmitTarget::Rust {
                let (text, program) = (path.display(), path.with_extension("out"));
                remark(&format!("note: `rustc -O --edition 2024 {text} -o {}` compiles it", program.display()));
            }
            Ok(())
        }
        None => match String::from_utf8(bytes) {
            Ok(text) => print(&text),
            Err(error) => print_bytes(error.as_bytes()),
        },
    }
}

/// Whether a target is printed of the kernels of CPUs.
fn is_of_cpu(target: EmitTarget) -> bool {
    matches!(target, EmitTarget::Ir | EmitTarget::Rust)
}

/// The machine that layouts are chosen for, if one was named.
fn machine(fractal: &Fractal, arguments: &Emit, chosen: &Chosen) -> Result<Option<Hardware>, CliError> {
    let Some(machine) = arguments.planned.open()? else { return Ok(None) };
    input::has_layouts(fractal, Some(&machine), Some(chosen))?;
    match arguments.target {
        EmitTarget::Rust => {
            let message = "`--machine` has no effect on the target `rust`, which is for any processor";
            return Err(CliError::input(message, "leave it out, or take another target"));
        }
        EmitTarget::Ir => machine.check(Backend::Cpu)?,
        EmitTarget::Cuda | EmitTarget::Ptx | EmitTarget::Cubin => machine.check(Backend::Cuda)?,
    }
    Ok(Some(machine.hardware))
}

/// The level of masks and boxes, of which CUDA C alone is printed.
fn masks(fractal: &Fractal, arguments: &Emit) -> Result<u32, CliError> {
    let level = input::level(fractal, arguments.level)?;
    let name = &fractal.name;
    if is_of_cpu(arguments.target) {
        return Err(CliError::input(
            format!("`{name}` is a mask or a box, and the target `{}` takes fractals only", arguments.target.name()),
            "`--target cuda`, `ptx` and `cubin` take masks and boxes",
        ));
    }
    if arguments.world.is_some() {
        return Err(input::takes_fractals(name, "--world"));
    }
    Ok(level)
}

/// Writes the tables that kernels on a GPU need besides the states, with the parameters' usual values where no others are set.
fn world(path: &Path, (rule, set): (&Rule, &[String]), plan: &Plan) -> Result<(), CliError> {
    let params = params::resolve(rule, set).map_err(squeeze::Error::from)?;
    let mut file = PendingFile::begin(path)?;
    let failed = |source| FileError::Write { path: path.to_owned(), source };
    let mut out = BufWriter::new(file.file());
    cuda::write_world(&mut out, plan, rule, &params).and_then(|()| out.flush()).map_err(failed)?;
    drop(out);
    Ok(file.finish(&[])?)
}

/// A program of Rust by itself.
#[cfg(feature = "standalone")]
fn standalone(rule: &FittedRule) -> Result<String, CliError> {
    Ok(squeeze::cpu::program(rule)?)
}

/// A program of Rust by itself, which this build leaves out.
#[cfg(not(feature = "standalone"))]
fn standalone(_rule: &FittedRule) -> Result<String, CliError> {
    let message = "this program was compiled without the feature `standalone`, which prints the target `rust`";
    Err(CliError::input(message, "compile it with that feature, or take another target"))
}

/// The kernels that the backend `cpu` runs on the machine that was named, or one with AVX-512, as they go to a compiler.
fn ir(rule: &FittedRule, machine: Option<Hardware>) -> Result<String, CliError> {
    let ordered = rule.ordered_steps();
    if !ordered.is_empty() {
        let (_, turns) = compile_turn(rule).map_err(squeeze::Error::from)?;
        let (fractal, level) = (&rule.domain().fractal().name, rule.domain().level());
        let mut text = format!("// {} on {fractal} at level {level}: one cell at its turn\n", rule.name);
        ordered.iter().for_each(|step| text.push_str(&format!("// {step}\n")));
        turns.iter().for_each(|kernel| text.push_str(&format!("\n{}", kernel.kernel())));
        return Ok(text);
    }
    // The same text everywhere: nothing of this machine but the number of its threads.
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    let target = Target::cpu(threads).on(machine.and_then(|hardware| hardware.cpu(threads)));
    let Program { plan, steps, .. } = Program::of(rule, &target).map_err(squeeze::Error::from)?;
    let domain = rule.domain();
    let mut text = format!("// {} on {} at level {}\n", rule.name, domain.fractal().name, domain.level());
    for line in plan.to_string().lines() {
        text.push_str(&format!("// {line}\n"));
    }
    for kernel in &steps {
        let statistics = Statistics::of(kernel);
        text.push_str(&format!(
            "// {:.2} operations a cell and step; at most {} values live at once\n\n{}",
            statistics.operations_per_update(),
            statistics.most_live,
            kernel.kernel()
        ));
    }
    Ok(text)
}
