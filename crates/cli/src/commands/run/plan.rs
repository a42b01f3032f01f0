//! A run as it was asked for, before any device is.

use super::{check_threads, no_activity};
use crate::args::{Animation, Devices, ExecutionArgs, RunArgs, StartArgs, SystemArgs};
use crate::commands::input;
use crate::engines::Chosen;
use crate::ranks::Ranks;
use crate::report::{CliError, remark, tell_missing};
use squeeze::compiler::CellSettings;
use squeeze::cuda::LoadedCode;
use squeeze::engine::EngineError;
use squeeze::ir::Rule;
use squeeze::resolve::ResolveError;
use squeeze::run::animation::{Form, check_ffmpeg};
use squeeze::run::{Drawing, Manifest, NamedEngine, Saves, Schedule, params_as_settings};
use squeeze::texts::Texts;
use squeeze::{Backend, Error, Message, Simulation, SimulationBuilder, initial, resolve};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::Path;
use std::sync::Arc;

/// The arguments of a run that say what runs, from where and by what.
pub(crate) struct Asked<'a> {
    pub(crate) system: &'a SystemArgs,
    pub(crate) start: &'a StartArgs,
    pub(crate) execution: &'a ExecutionArgs,
    /// CUDA C in the place of what would be printed.
    pub(crate) load_cuda: Option<&'a Path>,
    /// Whether `stop when` of a rule is judged if flags ask for observations.
    pub(crate) judges: bool,
    /// Whether notes are left out.
    pub(crate) quiet: bool,
}

impl<'a> From<&'a RunArgs> for Asked<'a> {
    fn from(arguments: &'a RunArgs) -> Asked<'a> {
        let RunArgs { system, start, execution, quiet, .. } = arguments;
        Asked { system, start, execution, load_cuda: arguments.load_cuda.as_deref(), judges: true, quiet: *quiet }
    }
}

/// Consistent arguments, and the fractal, rule and files that they name. No device was asked yet.
pub(crate) struct RunPlan {
    builder: SimulationBuilder,
    /// The rule as it is written, without the values that the domain's edges add to it.
    rule: Arc<Rule>,
    /// The run's manifest, but for the parameters, which the simulation knows.
    manifest: Manifest,
    /// Notes on the domain.
    notes: Vec<String>,
    /// Whether it is a mask or a box.
    has_rows: bool,
}

impl RunPlan {
    /// Checks the arguments of `run`, and reads the files that they name.
    ///
    /// # Errors
    /// If a text is wrong, or arguments contradict each other or have no effect.
    pub(super) fn of(arguments: &RunArgs, chosen: &Chosen) -> Result<RunPlan, CliError> {
        RunPlan::with(&arguments.into(), chosen, |rule| Ok((schedule(arguments, rule)?, drawing(arguments)?)))
    }

    /// Checks arguments, and reads the files that they name. `settle` gives the schedule and the pictures of a rule.
    ///
    /// # Errors
    /// As of [`of`](Self::of).
    pub(crate) fn with(
        asked: &Asked<'_>,
        chosen: &Chosen,
        settle: impl FnOnce(&Rule) -> Result<(Schedule, Drawing), CliError>,
    ) -> Result<RunPlan, CliError> {
        let Asked { system, start, execution: by, quiet, .. } = *asked;
        let (of_domain, settings): (Vec<String>, Vec<String>) =
            start.settings.iter().cloned().partition(|setting| resolve::is_of_domain(setting));
        let spec = match &system.fractal {
            Some(spec) => spec.clone(),
            None => resolve::grid_of_rule(&system.rule)?.ok_or_else(|| {
                let help = "name one of `squeeze list fractals`, a file, or a grid such as `T100,50`";
                CliError::input("the FRACTAL is missing: where the rule runs", help)
            })?,
        };
        let mut manifest = Manifest::default();
        (manifest.seed, manifest.disorder) = (start.seed.unwrap_or(0), start.disorder);
        let cells = CellSettings { params: of_domain, disorder: start.disorder.unwrap_or(manifest.seed) };
        let (rule, edges) = input::with_inputs(&system.rule, quiet, &start.input.inputs, &system.edges)?;
        let found = resolve::domain_with_cells(&spec, &edges, &cells);
        let (fractal, fractal_texts) = found.map_err(|error| misplaced(error, &system.rule))?;
        manifest.fractal = fractal_texts;
        manifest.level = input::level(&fractal, system.level)?;
        let rule = rule.map_or_else(|| input::rule(&system.rule, quiet), Ok);
        let (rule, rule_texts) = rule?;
        manifest.rule = rule_texts;
        manifest.init.clone_from(&start.init);
        manifest.engine = chosen.named.clone();
        (manifest.schedule, manifest.drawing) = settle(&rule)?;
        let machine = by.planned.open()?;
        input::suits(machine.as_ref(), &fractal, (by.backend, chosen.named.strategy()))?;
        if by.packed {
            input::packs(&fractal, &fractal.name, by.backend)?;
        }
        let has_rows = fractal.extent.is_some();
        let mut builder = Simulation::builder(fractal, Arc::clone(&rule)).level(manifest.level).seed(manifest.seed);
        if let Some(machine) = machine {
            builder = builder.hardware(machine.hardware);
        }
        for setting in &settings {
            builder = builder.set(setting);
        }
        if let Some(disorder) = start.disorder {
            builder = builder.disorder(disorder);
        }
        builder = execution(asked, chosen, (&rule, builder))?;
        initial::check_kept(&start.init)?;
        let notes = std::mem::take(&mut manifest.fractal.notes);
        Ok(RunPlan { builder, rule, manifest, notes, has_rows })
    }

    /// The run as these ranks compute it together: all have read the same, and each has its share of the threads.
    ///
    /// # Errors
    /// If they have read different things, or something of the run is for one rank alone.
    pub(super) fn divided(self, arguments: &RunArgs, chosen: &Chosen, ranks: &Ranks) -> Result<RunPlan, CliError> {
        let RunPlan { mut builder, rule, manifest, notes, has_rows } = self;
        let files = [&arguments.start.init, &arguments.start.input.inputs];
        let mut names = files.into_iter().flatten().map(|text| text.split_once('=').map_or("", |(_, file)| file));
        if arguments.system.rule == "-"
            || arguments.system.fractal.as_deref() == Some("-")
            || names.any(|name| name == "-")
        {
            let help = "name a file that all ranks can read";
            return Err(CliError::input("standard input reaches one rank alone", help));
        }
        Ranks::check_engine(&chosen.named)?;
        let digest = |texts: &Texts| {
            let mut hasher = DefaultHasher::new();
            serde_json::to_string(texts).unwrap_or_default().hash(&mut hasher);
            format!("{:016x}", hasher.finish())
        };
        let texts = |texts: &Texts| format!("`{}`, whose texts have the digest {}", texts.definition, digest(texts));
        let agreed = [
            ("the domain", texts(&manifest.fractal)),
            ("the rule", texts(&manifest.rule)),
            ("the level", manifest.level.to_string()),
            ("the seed", format!("{} (disorder {:?})", manifest.seed, manifest.disorder)),
            ("the list of settings", format!("`{}`", arguments.start.settings.join(" "))),
        ];
        for (name, value) in &agreed {
            ranks.transport.agree(name, value).map_err(squeeze::Error::from)?;
        }
        if !arguments.quiet {
            ranks.tell();
        }
        let ExecutionArgs { backend, threads, devices, .. } = &arguments.execution;
        builder = ranks.share_of(builder, *backend, (*threads, devices.as_ref()), arguments.quiet)?;
        if ranks.is_first() {
            builder = builder.ranks(Arc::clone(&ranks.transport));
        }
        Ok(RunPlan { builder, rule, manifest, notes, has_rows })
    }

    /// Computes this rank's part, until the first rank is done.
    ///
    /// # Errors
    /// If the simulation cannot be made, or a rank fails.
    pub(super) fn serve(self, ranks: &Ranks) -> Result<(), CliError> {
        ranks.serve(self.builder)
    }

    /// The simulation at the first step, and the run's manifest. Prints notes on what is valid, but probably not meant.
    ///
    /// # Errors
    /// If it cannot be made, or initial values or pictures do not fit it.
    pub(crate) fn begin(self, asked: &Asked<'_>) -> Result<(Simulation, Manifest), CliError> {
        let RunPlan { builder, rule, mut manifest, notes: notes_of_domain, .. } = self;
        let mut simulation = builder.build()?;
        if !asked.quiet {
            tell(asked, &rule, &manifest.schedule, &simulation);
        }
        manifest.drawing.check(simulation.rule(), simulation.domain())?;
        if manifest.schedule.image_every.is_some() {
            tell_missing(&manifest.drawing.missing());
        }
        let notes = initial::apply(&mut simulation, &manifest.init)?;
        // A pattern whose rule is taken is often the start as well, and says the same then.
        let of_grid =
            resolve::note_of_grid(&asked.system.rule, simulation.domain())?.filter(|note| !notes.contains(note));
        input::tell(notes_of_domain.iter().chain(&of_grid).chain(&notes));
        simulation.set_time(manifest.schedule.begin);
        manifest.params = params_as_settings(simulation.rule(), simulation.params());
        manifest.follows = simulation.following().map(str::to_owned).collect();
        Ok((simulation, manifest))
    }
}

/// The steps that are computed, and when states, pictures and observables are recorded.
fn schedule(arguments: &RunArgs, rule: &Rule) -> Result<Schedule, CliError> {
    let mut schedule = Schedule::default();
    schedule.begin = arguments.start.time.unwrap_or(0);
    schedule.steps = schedule.begin.checked_add(arguments.steps).ok_or_else(|| {
        CliError::input(
            format!("{} steps after step {} are too many", arguments.steps, schedule.begin),
            format!("a run ends at step {} at the latest", u32::MAX),
        )
    })?;
    (schedule.observe_every, schedule.observe_at) = (arguments.observe_every, arguments.observe_at.clone());
    (schedule.image_every, schedule.allow_nan) = (arguments.image_every, arguments.allow_nan);
    schedule.save_seconds = Some(Saves::DEFAULT_SECONDS);
    for saves in &arguments.save_every {
        match *saves {
            Saves::Steps(steps) => schedule.save_every = Some(steps),
            Saves::Seconds(seconds) => schedule.save_seconds = seconds,
        }
    }
    if schedule.plans_observations() && arguments.out.is_none() && rule.stop.is_none() {
        let flag = if arguments.observe_at.is_some() { "--observe-at" } else { "--observe-every" };
        return Err(CliError::input(
            format!("{flag} has no effect without `--out`"),
            "record the run with `--out DIR`; without it, the flag says when the `stop when` of a rule is judged, and this rule has none",
        ));
    }
    Ok(schedule)
}

/// How pictures and the animation look.
fn drawing(arguments: &RunArgs) -> Result<Drawing, CliError> {
    let mut drawing = arguments.look.drawing(arguments.field.as_deref(), &arguments.part);
    if arguments.image.is_none() && arguments.image_every.is_none() && drawing != Drawing::default() {
        return Err(CliError::input(
            "the flags for pictures have no effect without a picture",
            "draw one with `--image FILE` or, with `--out DIR`, `--image-every N`",
        ));
    }
    let film = arguments.animation == Animation::Mp4;
    drawing.animation = Form { film, max_size: arguments.max_size, ..drawing.animation };
    let flags = [
        ("--fps", drawing.animation.fps.is_some()),
        ("--animation", film),
        ("--max-size", arguments.max_size.is_some()),
    ];
    if let (Some((flag, _)), None) = (flags.iter().find(|(_, given)| *given), arguments.image_every) {
        let help = "it is for the animation that `--image-every N` makes";
        return Err(CliError::input(format!("{flag} has no effect without `--image-every`"), help));
    }
    if film && arguments.max_size.is_some() {
        let help = "an MP4 is small; leave `--max-size` out";
        return Err(CliError::input("--max-size has no effect on MP4", help));
    }
    if film {
        check_ffmpeg()?;
    }
    Ok(drawing)
}

/// Chooses the backend and its options.
pub(crate) fn execution(
    asked: &Asked<'_>,
    chosen: &Chosen,
    (rule, mut builder): (&Rule, SimulationBuilder),
) -> Result<SimulationBuilder, CliError> {
    let arguments = asked.execution;
    builder = builder.backend(arguments.backend).packed(arguments.packed);
    check_threads(arguments.backend, chosen, arguments.threads)?;
    if let Some(activity) = arguments.activity {
        if arguments.backend == Backend::Reference {
            return Err(no_activity("the backend `reference`"));
        }
        if chosen.named.strategy() != NamedEngine::OWN {
            return Err(no_activity(&format!("the strategy `{}`", chosen.named.strategy())));
        }
        builder = builder.activity(activity);
    }
    if let Some(wavefront) = arguments.wavefront {
        if let Some(why) = arguments.backend.why_no_waves(rule) {
            let message = format!("`--wavefront {}` has no effect: {why}", wavefront.name());
            return Err(CliError::input(message, "it is for ordered steps on the backend `cuda`"));
        }
        builder = builder.wavefront(wavefront);
    }
    builder = chosen.build_by(&chosen.named, builder)?;
    if let Some(threads) = arguments.threads {
        builder = builder.threads(threads);
    }
    if let Some(devices) = &arguments.devices {
        if asked.load_cuda.is_some() {
            let help = "leave out `--devices`; CUDA_VISIBLE_DEVICES hides all GPUs but some";
            return Err(CliError::input("the file of `--load-cuda` runs on the first GPU", help));
        }
        builder = on_devices((arguments.backend, builder), devices, &chosen.named)?;
    }
    if let Some(path) = asked.load_cuda {
        if arguments.backend != Backend::Cuda {
            return Err(CliError::input(
                format!("the backend `{}` runs no CUDA C", arguments.backend.name()),
                "take `--backend cuda`, or leave out `--load-cuda`",
            ));
        }
        let (name, text) = (path.display().to_string(), String::from_utf8(input::read(path)?));
        let text = text.map_err(|_| EngineError::LoadedCode {
            name: name.clone(),
            problem: "it is not text in UTF-8".to_owned(),
        })?;
        // SAFETY: the user asks for this code to be run on the GPU, as for any other program of theirs.
        builder = unsafe { builder.load_cuda(LoadedCode { name, text }) };
    }
    Ok(builder)
}

/// The simulation on these GPUs.
///
/// # Errors
/// If there are none, or the strategy knows only the first.
pub(crate) fn on_devices(
    (backend, builder): (Backend, SimulationBuilder),
    devices: &Devices,
    named: &NamedEngine,
) -> Result<SimulationBuilder, CliError> {
    if matches!(backend, Backend::Cpu | Backend::Reference) {
        return Err(no_gpu(backend));
    }
    if named.strategy() != NamedEngine::OWN {
        let message = format!("the strategy `{}` runs on the first GPU", named.strategy());
        return Err(CliError::input(message, "leave out `--devices`, or take `--strategy lanes`"));
    }
    Ok(builder.devices(&devices.numbers().map_err(Error::from)?))
}

/// The error of GPUs that are named for a backend without.
pub(crate) fn no_gpu(backend: Backend) -> CliError {
    let message = format!("the backend `{}` runs on no GPU, and `--devices` names some", backend.name());
    CliError::input(message, "leave out `--devices`, or take `--backend cuda`")
}

/// Prints notes: valid input that is probably not meant.
fn tell(asked: &Asked<'_>, written: &Rule, schedule: &Schedule, simulation: &Simulation) {
    let rule = simulation.rule();
    if let Some(overlap) = rule.overlaps.first() {
        remark(&format!(
            "note: `{}` compares the members of a sweep; a run has one member, and does without it",
            overlap.name
        ));
    }
    let (of_pass, thick) = (simulation.steps_of_pass(), simulation.steps_of_whole());
    if of_pass < thick {
        let steps = if of_pass == 1 { "one step".to_owned() } else { format!("{of_pass} steps") };
        remark(&format!(
            "note: a pass over a part computes {steps}, and {thick} where parts have more rows: these have too few"
        ));
    }
    input::tell_of(simulation, written, 1);
    if asked.start.seed.is_none() && asked.start.time.is_none() {
        let help = "`--seed S` takes other draws, `--time T` those behind step T";
        input::tell_repeated(&asked.start.init, rule, help);
    }
    if let (Some(stop), false, true) = (&written.stop, schedule.plans_observations(), asked.judges) {
        remark(&format!(
            "note: `stop when {}` is ignored: it is judged where observables are taken, and `--observe-every N` says when",
            stop.text
        ));
    }
}

/// A name that is no fractal may be that of a rule in the file that was named before it.
fn misplaced(error: Error, rule: &str) -> CliError {
    match error.downcast_ref() {
        Some(ResolveError::UnknownName { name, .. })
            if !rule.contains('#') && Path::new(rule).extension().is_some() =>
        {
            let all = error.help().into_iter().fold(Message::users(error.to_string()), Message::with_help);
            all.with_help(format!("`--rule {rule}#{name}` takes the rule `{name}` of `{rule}`")).into()
        }
        _ => error.into(),
    }
}
