//! `emit FRACTAL --rule RULE [--level R] [--strategy S] [--map M] [--rho P] [--target cuda|ptx|cubin|rust|ir] [--arch sm_90] [-o FILE] [--prefix NAME] [--header FILE] [--world FILE [--set NAME=VALUE]...]`

use super::input;
use crate::args::{Emit, EmitTarget};
use crate::engines::{Chosen, Printed};
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
use squeeze::params::{self, Params};
use squeeze::{Backend, Domain, Rule, cuda, resolve};
use std::io::{BufWriter, IsTerminal, Write, stdout};
use std::path::{Path, PathBuf};

/// The level for which code is printed by default; it is large enough to stand for all larger ones.
const USUAL_LEVEL: u32 = 12;

/// Prints the kernels that a backend would run.
pub(crate) fn emit(arguments: &Emit, chosen: &Chosen) -> Result<(), CliError> {
    let printed = EmitPlan::of(arguments, chosen).and_then(|plan| plan.print(arguments));
    let bytes = printed.map_err(|failure| match failure {
        // Its own help names a backend that runs without kernels, but there is nothing of it to print.
        CliError::Squeeze(error) if matches!(error.downcast_ref(), Some(EngineError::NoKernel { .. })) => {
            let help = "smaller neighbourhoods, or another level, may have kernels; `squeeze run --backend reference` needs none";
            CliError::input(error.to_string(), help)
        }
        CliError::Squeeze(error) if matches!(error.downcast_ref(), Some(EngineError::Ordered(_))) => {
            let help = "`--target ir` prints, of fractals, what a cell computes at its turn; `squeeze run` runs it";
            CliError::input(error.to_string(), help)
        }
        failure => failure,
    })?;
    let Some(path) = file(arguments) else {
        return match String::from_utf8(bytes) {
            Ok(text) => print(&text),
            Err(error) => print_bytes(error.as_bytes()),
        };
    };
    write_atomically(path, &bytes)?;
    if arguments.target == EmitTarget::Rust {
        let (text, program) = (path.display(), path.with_extension("out"));
        remark(&format!("note: `rustc -O --edition 2024 {text} -o {}` compiles it", program.display()));
    }
    Ok(())
}

/// The file to write, unless all goes to standard output.
fn file(arguments: &Emit) -> Option<&PathBuf> {
    arguments.output.as_ref().filter(|path| *path != Path::new("-"))
}

/// Consistent arguments, and the rule on the domain that they name. Nothing is compiled yet.
struct EmitPlan {
    rule: FittedRule,
    /// The machine that layouts are chosen for, if one was named.
    machine: Option<Hardware>,
    /// CUDA C and its header by another strategy than `lanes`.
    other: Printed,
    /// The file for the tables that kernels on a GPU need, and the values of the parameters in it.
    world: Option<(PathBuf, Params)>,
}

impl EmitPlan {
    /// Checks the arguments, and reads the files that they name.
    fn of(arguments: &Emit, chosen: &Chosen) -> Result<EmitPlan, CliError> {
        let (target, strategy) = (arguments.target, chosen.named.strategy());
        if arguments.arch.is_some() && !matches!(target, EmitTarget::Ptx | EmitTarget::Cubin) {
            return Err(CliError::input(
                format!("the target `{}` is the same for all architectures", target.name()),
                "leave out `--arch`, or take `--target ptx` or `--target cubin`",
            ));
        }
        let of_cpu = matches!(target, EmitTarget::Ir | EmitTarget::Rust);
        let of_kernels = [("--prefix", arguments.prefix.is_some()), ("--header", arguments.header.is_some())];
        if let Some((flag, _)) = of_kernels.into_iter().find(|(_, is_there)| *is_there && of_cpu) {
            return Err(CliError::input(
                format!("the target `{}` has no kernels that C calls, so `{flag}` says nothing", target.name()),
                format!("leave out `{flag}`, or take `--target cuda`, `ptx` or `cubin`"),
            ));
        }
        if target == EmitTarget::Cubin && file(arguments).is_none() && stdout().is_terminal() {
            return Err(CliError::input("machine code is not for a terminal", "`-o FILE` writes it"));
        }
        let fractal = resolve::domain(&arguments.fractal, &arguments.edges.wanted())?;
        let machine = arguments.planned.open()?;
        if machine.is_some() && target == EmitTarget::Rust {
            let message = "`--machine` has no effect on the target `rust`, which is for any processor";
            return Err(CliError::input(message, "leave it out, or take another target"));
        }
        let backend = if of_cpu { Backend::Cpu } else { Backend::Cuda };
        input::suits(machine.as_ref(), &fractal, (backend, strategy))?;
        let (rule, _) = input::rule(&arguments.rule, false)?;
        if let Some((_, input)) = rule.named_inputs().next() {
            let what = format!(
                "the rule `{}` reads the input `{}`, and printed kernels take no inputs",
                rule.name, input.name
            );
            return Err(CliError::input(what, "`squeeze run` runs it"));
        }
        let level = match (fractal.extent, arguments.level) {
            (None, None) => USUAL_LEVEL.min(Domain::largest_level(&fractal)),
            (_, level) => input::level(&fractal, level)?,
        };
        let name = &fractal.name;
        if fractal.extent.is_some() && of_cpu {
            return Err(CliError::input(
                format!("`{name}` is a mask or a box, and the target `{}` takes fractals only", target.name()),
                "`--target cuda`, `ptx` and `cubin` take masks and boxes",
            ));
        }
        if fractal.extent.is_some() && arguments.world.is_some() {
            return Err(input::takes_fractals(name, "--world"));
        }
        let rule = Domain::new(fractal, level)?.fit(&rule)?;
        let other = chosen.program(&rule, arguments.prefix.as_deref())?;
        if arguments.world.is_some() && (other.is_some() || of_cpu) {
            return Err(CliError::input(
                "`--world` writes tables for kernels of the strategy `lanes` on GPUs",
                "leave it out, or take `--target cuda`, `ptx` or `cubin` without `--strategy`",
            ));
        }
        if other.is_some() && of_cpu {
            let message =
                format!("the strategy `{strategy}` has no kernel IR: its code is printed from the rule itself");
            return Err(CliError::input(message, "`--target cuda` prints it"));
        }
        let params = || params::resolve(&rule, &arguments.settings).map_err(squeeze::Error::from);
        let world = arguments.world.clone().map(|path| Ok::<_, CliError>((path, params()?))).transpose()?;
        Ok(EmitPlan { rule, machine: machine.map(|machine| machine.hardware), other, world })
    }

    /// The text, or the machine code. Writes the header and the tables.
    fn print(self, arguments: &Emit) -> Result<Vec<u8>, CliError> {
        let EmitPlan { rule, machine, other, world } = self;
        let output = match arguments.target {
            EmitTarget::Ir => return Ok(ir(&rule, machine)?.into_bytes()),
            EmitTarget::Rust => return Ok(standalone(&rule)?.into_bytes()),
            EmitTarget::Cuda => None,
            EmitTarget::Ptx => Some(Output::Ptx),
            EmitTarget::Cubin => Some(Output::Cubin),
        };
        let (text, header) = match other {
            Some(other) => other,
            None => {
                let target = Target::cuda().on(machine.as_ref().and_then(Hardware::gpu));
                let compiled = Program::of(&rule, &target).map_err(squeeze::Error::from)?;
                if let Some((path, params)) = &world {
                    write_world(path, (&rule, params), &compiled.plan)?;
                }
                let program = cuda::program(&compiled, arguments.prefix.as_deref());
                let header = cuda::header(&compiled, &program);
                (program.text, header)
            }
        };
        if let Some(path) = &arguments.header {
            write_atomically(path, header.as_bytes())?;
        }
        let Some(output) = output else { return Ok(text.into_bytes()) };
        let nvrtc = Nvrtc::find().map_err(squeeze::Error::from)?;
        let (architecture, letter) = arguments.arch.unwrap_or((Architecture::USUAL, None));
        let compiled = KernelCache::usual().compile(&nvrtc, &text, architecture, output.with(letter));
        Ok(compiled.map_err(squeeze::Error::from)?.to_vec())
    }
}

/// Writes the tables that kernels on a GPU need besides the states.
fn write_world(path: &Path, (rule, params): (&Rule, &Params), plan: &Plan) -> Result<(), CliError> {
    let mut file = PendingFile::begin(path)?;
    let failed = |source| FileError::Write { path: path.to_owned(), source };
    let mut out = BufWriter::new(file.file());
    cuda::write_world(&mut out, plan, rule, params).and_then(|()| out.flush()).map_err(failed)?;
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
    if rule.is_ordered() {
        let (_, turns) = compile_turn(rule).map_err(squeeze::Error::from)?;
        let (fractal, level) = (&rule.domain().fractal().name, rule.domain().level());
        let mut text = format!("// {} on {fractal} at level {level}: one cell at its turn\n", rule.name);
        let steps = rule.steps.iter().filter(|step| step.order.is_some());
        for (step, ordered) in steps.zip(rule.ordered_steps()) {
            text.push_str(&format!("// {ordered}; cpu: {}\n", rule.taken(step)));
        }
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

#[cfg(test)]
mod tests {
    use super::*;
    use clap::{Args, FromArgMatches};

    /// NVRTC, which PTX needs, is asked by the work alone, and so is the disk.
    #[test]
    fn a_plan_compiles_and_writes_nothing() {
        let words =
            "emit vicsek -r heat -l 3 --target ptx --header nowhere/a.h --world nowhere/a.world --set alpha=0.1";
        let matches = Emit::augment_args(clap::Command::new("emit")).get_matches_from(words.split(' '));
        let (arguments, chosen) = (Emit::from_arg_matches(&matches).unwrap(), Chosen::of(None, &matches));
        let plan = EmitPlan::of(&arguments, &chosen).ok().expect("the arguments are consistent");
        assert_eq!((plan.rule.name.as_str(), plan.rule.domain().level(), plan.other), ("heat", 3, None));
        assert!(plan.world.is_some() && !Path::new("nowhere").exists());
    }
}
