//! A running simulation in a browser: `view`.

mod args;
#[cfg(unix)]
mod terminal;

use super::{CommandArguments, Satellite, read};
use crate::args::{StartArgs, SystemArgs};
use crate::commands::run::plan::{Asked, RunPlan, execution};
use crate::commands::show;
use crate::engines::Chosen;
use crate::report::{CliError, print, remark};
use crate::watch::{self, BoxedViewer, RunViewer};
use args::{RunViewArgs, SavedViewArgs, ServerArgs, ViewArgs};
use clap::parser::ValueSource;
use clap::{ArgMatches, Args, Command};
use squeeze::files::PendingFile;
use squeeze::initial;
use squeeze::resolve::{self, Periodic, ResolveError};
use squeeze::run::{Manifest, RunFolder, Schedule, params_as_settings};
use squeeze::state::ArrayShape;
use squeeze::sweep::{How, SweepFolder, work};
use squeeze::texts::Texts;
use squeeze::{Domain, Fractal, Message, Rule, Simulation};
use squeeze_view::{Guests, MembersOfSweep, PAGE, RunCommand, SavedRun, Server, Subject, copy_states};
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::sync::Arc;

/// The view.
pub(super) const VIEW: Satellite = Satellite {
    command: || {
        let command = ViewArgs::augment_args(Command::new("view"));
        // A saved run says it itself.
        let command = command.mut_arg("rule", |arg| arg.required(false));
        let command = command.override_usage(
            "squeeze view [OPTIONS] --rule <RULE> [--level <R>] [FRACTAL]\n       squeeze view [OPTIONS] <DIR>",
        );
        command.about("Run a rule in a browser, or look at a saved run").after_help(args::EXAMPLES)
    },
    behind: "merge",
    run: |matches| match matches.get_one::<String>("rule") {
        Some(_) => view(&read(matches)),
        None => view_saved(matches, &read(matches)),
    },
    arguments: &[CommandArguments {
        command: "run",
        add: RunViewArgs::of_run,
        behind: &["fps", "view", "hold", "port", "no_open"],
    }],
    bench: None,
    engines: None,
    collector: None,
    drawer: None,
    viewer: Some(|matches| {
        let RunViewArgs { view, hold, server: arguments } = read(matches);
        let words = run_words(&read(matches), &read(matches));
        let viewer = move || -> BoxedViewer { Box::new(ViewedRun { arguments, words, hold, opened: None }) };
        view.then(viewer)
    }),
};

/// Starts the server, prints the address of the page, and opens it.
fn serve(
    arguments: &ServerArgs,
    print: impl FnOnce(&str) -> Result<(), CliError>,
) -> Result<(Server, Option<Removed>), CliError> {
    let server = Server::start(arguments.port, &arguments.allow_host)?;
    print(&server.url())?;
    let page = if arguments.no_open { None } else { open(&server) };
    Ok((server, page))
}

/// Runs until a signal ends it, as pages say.
fn view(arguments: &ViewArgs) -> Result<(), CliError> {
    let ViewArgs { system, start, execution, .. } = arguments;
    let asked = Asked { system, start, execution, load_cuda: None, judges: false, quiet: arguments.quiet };
    let plan = RunPlan::with(&asked, &Chosen::of(None, &clap::ArgMatches::default()), |_| {
        let mut schedule = Schedule::default();
        schedule.begin = start.time.unwrap_or(0);
        Ok((schedule, arguments.look.drawing()))
    })?;
    let (mut simulation, manifest) = plan.begin(&asked)?;
    watch::listen()?;
    // The page goes with this command.
    let opened =
        if arguments.terminal { None } else { Some(serve(&arguments.server, |url| print(&format!("{url}\n")))?) };
    if !arguments.quiet && opened.is_some() {
        remark("note: the page steers the run, which stands still without a page; Ctrl-C ends it");
    }
    let fractal = Arc::clone(simulation.domain().fractal());
    let text = editable(&manifest);
    let subject = Subject {
        members: None,
        text,
        rewrite: &|simulation, text| rewrite((&asked, &manifest, &fractal), simulation, text),
        drawing: &manifest.drawing,
        about_params: &show::comments(&manifest.rule),
        command: &RunCommand::of(run_words(system, start), &manifest),
        restart: &|simulation, seed| {
            simulation.restart(seed, &set_settings(simulation))?;
            let applied = initial::apply(&mut *simulation, &manifest.init);
            simulation.set_time(manifest.schedule.begin);
            applied.map(drop)
        },
    };
    let stop = || watch::signal().is_some();
    match opened {
        Some((server, _page)) => squeeze_view::watch(&mut simulation, &server, &subject, &stop)?,
        #[cfg(unix)]
        None => {
            let mut terminal = terminal::OpenTerminal::open()?;
            squeeze_view::watch_in_terminal(&mut simulation, &mut terminal, &subject, &stop)?;
            if !stop() {
                return Ok(());
            }
        }
        #[cfg(not(unix))]
        None => return Err(CliError::input("here is no view in a terminal", "leave out `--terminal`")),
    }
    Err(CliError::StoppedView(simulation.time()))
}

/// The rule of a text from a page, which uses shipped texts alone: no file is read.
fn rule_of_page(manifest: &Manifest, text: &str) -> squeeze::Result<(Arc<Rule>, Texts)> {
    let of = |name| resolve::rule_of_text(PAGE, text, name);
    let named = of(Some(manifest.rule.definition.as_str()));
    // A text may call its rule otherwise.
    match &named {
        Err(error) if matches!(error.downcast_ref(), Some(ResolveError::NoDefinition { .. })) => of(None),
        _ => named,
    }
}

/// The text of a rule that pages may change: one in our language, without inputs and without files that it uses.
fn editable(manifest: &Manifest) -> Option<&str> {
    let text = manifest.rule.texts.first()?.text.as_str();
    (manifest.rule.inputs.is_empty() && rule_of_page(manifest, text).is_ok()).then_some(text)
}

/// Gives a simulation the rule of a text. States of the same name and type keep their values, and so do parameters whose values the rule takes; others begin
/// as the rule says.
fn rewrite(
    (asked, manifest, fractal): (&Asked<'_>, &Manifest, &Arc<Fractal>),
    simulation: &mut Simulation,
    text: &str,
) -> squeeze::Result<Vec<(String, String)>> {
    let (rule, texts) = rule_of_page(manifest, text)?;
    // A rule that cannot be drawn as this run is would end its view.
    manifest.drawing.state(&rule)?;
    let mut builder =
        Simulation::builder(Arc::clone(fractal), Arc::clone(&rule)).level(manifest.level).seed(simulation.seed());
    if let Some(disorder) = manifest.disorder {
        builder = builder.disorder(disorder);
    }
    if let Some(machine) = asked.execution.planned.open()? {
        builder = builder.hardware(machine.hardware);
    }
    let chosen = Chosen::of(None, &ArgMatches::default());
    let builder = execution(asked, &chosen, (&rule, builder)).map_err(|error| match error {
        CliError::Squeeze(error) => error,
        _ => Message::users("what computes this run computes no such rule").into(),
    })?;
    let mut new = builder.build()?;
    let follows: Vec<&str> = simulation.following().collect();
    let settings = params_as_settings(simulation.rule(), simulation.params());
    let settings = settings.iter().filter_map(|setting| setting.split_once('='));
    let mut kept = Vec::new();
    for (name, value) in settings.filter(|(name, _)| !follows.contains(name)) {
        if new.set_param(name, value).is_ok() {
            kept.push(format!("{name}={value}"));
        }
    }
    new.restart(simulation.seed(), &kept)?;
    copy_states(simulation, &mut new)?;
    new.set_time(simulation.time());
    *simulation = new;
    Ok(show::comments(&texts))
}

/// Shows a saved run until a signal ends that.
fn view_saved(matches: &ArgMatches, arguments: &SavedViewArgs) -> Result<(), CliError> {
    let Some(path) = &arguments.fractal else {
        let help = "`squeeze view FRACTAL --rule RULE --level R` runs one, and `squeeze view DIR` shows a saved run";
        return Err(CliError::input("the rule is missing, or the folder of a run", help));
    };
    let known = SavedViewArgs::augment_args(Command::new(""));
    let has_effect = |name: &str| known.get_arguments().any(|argument| argument.get_id() == name);
    let is_said = |name: &str| matches.value_source(name) == Some(ValueSource::CommandLine);
    if let Some(name) = matches.ids().map(clap::Id::as_str).find(|name| !has_effect(name) && is_said(name)) {
        // Groups have ids as well, and their arguments are found by themselves.
        let all = (VIEW.command)();
        if let Some(flag) = all.get_arguments().find(|argument| argument.get_id() == name).and_then(clap::Arg::get_long)
        {
            let message = format!("--{flag} has no effect on a saved run");
            return Err(CliError::input(message, "leave it out, or say with `--rule RULE` what runs"));
        }
    }
    if SweepFolder::is_one(Path::new(path)) {
        return view_member(Path::new(path), arguments);
    }
    if arguments.member.member.is_some() {
        return Err(CliError::input(
            "--member has no effect on a saved run",
            "leave it out: members are those of sweeps",
        ));
    }
    let folder = RunFolder::look(Path::new(path)).map_err(|error| {
        let help = format!("`squeeze view {path} --rule RULE --level R` runs a rule on a fractal");
        CliError::from(
            error.help().into_iter().fold(Message::users(error.to_string()), Message::with_help).with_help(help),
        )
    })?;
    let manifest = Manifest::read(&folder)?;
    let domain = Domain::new(manifest.fractal.fractal()?, manifest.level)?;
    let rule = manifest.rule.rule()?.in_dimension(domain.dimension());
    let drawing = arguments.look.drawing();
    drawing.check(&rule, &domain)?;
    folder.state(&manifest, None, ArrayShape::of_rule(&rule, domain.cells()))?;
    watch::listen()?;
    let (server, _page) = serve(&arguments.server, |url| print(&format!("{url}\n")))?;
    if !arguments.quiet {
        remark("note: Ctrl-C ends the view");
    }
    let run = SavedRun {
        folder: &folder,
        manifest: &manifest,
        domain: &domain,
        rule: &rule,
        drawing: &drawing,
        about_params: &show::comments(&manifest.rule),
    };
    let time = squeeze_view::show_saved(&server, &run, &|| watch::signal().is_some())?;
    Err(CliError::StoppedView(time))
}

/// Runs members of a sweep as pages choose them until a signal ends that: no state of them is kept, and each begins anew.
fn view_member(path: &Path, arguments: &SavedViewArgs) -> Result<(), CliError> {
    let (sweep, _) = SweepFolder::look(path)?;
    let begin = |number: usize| work::begin_member(path, &sweep, number, How::default());
    let first = arguments.member.member.unwrap_or(0) as usize;
    let mut simulation = begin(first)?;
    let drawing = arguments.look.drawing();
    drawing.check(simulation.rule(), simulation.domain())?;
    watch::listen()?;
    let (server, _page) = serve(&arguments.server, |url| print(&format!("{url}\n")))?;
    if !arguments.quiet {
        remark("note: sweeps keep no states: the page runs a member anew, and chooses others; Ctrl-C ends it");
    }
    let words = |number: usize| {
        let values = sweep.values(number / sweep.repeats());
        let mut words: Vec<String> =
            sweep.axes.iter().zip(values).map(|(axis, value)| format!("{}={value}", axis.name)).collect();
        words.push(format!("seed {}", sweep.member(number).0));
        words.join(", ")
    };
    let subject = Subject {
        members: Some(&MembersOfSweep { count: sweep.members(), first, words: &words, begin: &begin }),
        text: None,
        rewrite: &|_, _| Ok(Vec::new()),
        drawing: &drawing,
        about_params: &show::comments(&sweep.rule),
        command: &RunCommand::default(),
        restart: &|simulation, seed| {
            simulation.restart(seed, &set_settings(simulation))?;
            initial::apply(simulation, &sweep.init).map(drop)
        },
    };
    squeeze_view::watch(&mut simulation, &server, &subject, &|| watch::signal().is_some())?;
    Err(CliError::StoppedView(simulation.time()))
}

/// The parameters that do not follow from others, as settings.
fn set_settings(simulation: &Simulation) -> Vec<String> {
    let follows: Vec<&str> = simulation.following().collect();
    let mut settings = params_as_settings(simulation.rule(), simulation.params());
    settings.retain(|setting| !follows.iter().any(|name| setting.split('=').next() == Some(name)));
    settings
}

/// The pages of a run that goes on.
struct ViewedRun {
    arguments: ServerArgs,
    /// Those of `run_words`.
    words: Vec<String>,
    hold: bool,
    /// The pages, and after them what they need.
    opened: Option<(Guests, Option<Removed>)>,
}

impl RunViewer for ViewedRun {
    fn begin(&mut self, simulation: &Simulation, manifest: &Manifest) -> Result<(), CliError> {
        let (server, page) = serve(&self.arguments, |url| {
            remark(&format!("view: {url}"));
            Ok(())
        })?;
        let command = RunCommand::of(self.words.clone(), manifest);
        let about = show::comments(&manifest.rule);
        let guests = Guests::of(simulation, server, &manifest.drawing, &about, command)?;
        let (guests, _) = self.opened.insert((guests, page));
        if self.hold {
            guests.await_page(&|| watch::signal().is_some());
        }
        Ok(())
    }

    fn progress(&mut self, simulation: &Simulation) {
        self.opened.iter_mut().for_each(|(guests, _)| guests.look(simulation, true));
    }

    fn stay(&mut self, simulation: &Simulation) {
        if let Some((guests, _)) = self.opened.as_mut().filter(|_| self.hold) {
            remark("note: the last state is shown until Ctrl-C");
            guests.stay(simulation, &|| watch::signal().is_some());
        }
    }
}

/// The words of `run` for the same simulation, but for what pages change.
fn run_words(system: &SystemArgs, start: &StartArgs) -> Vec<String> {
    let edges = system.edges.wanted();
    let periodic = match edges.periodic {
        Periodic::Along(axes) => Some(format!("--periodic={}", axes.to_string().replace(", ", ","))),
        Periodic::All => Some("--periodic".to_owned()),
        _ => None,
    };
    let mut words = vec!["squeeze".to_owned(), "run".to_owned()];
    words.extend(system.fractal.iter().cloned());
    let mut add = |flag: &str, value: &str| words.extend([flag.to_owned(), value.to_owned()]);
    add("--rule", &system.rule);
    if let Some(level) = system.level {
        add("--level", &level.to_string());
    }
    edges.values.iter().for_each(|value| add("--edge", value));
    if let Some(seed) = start.disorder {
        add("--disorder", &seed.to_string());
    }
    start.settings.iter().filter(|setting| resolve::is_of_domain(setting)).for_each(|setting| add("--set", setting));
    start.init.iter().for_each(|init| add("--init", init));
    start.input.inputs.iter().for_each(|input| add("--input", input));
    if let Some(time) = start.time {
        add("--time", &time.to_string());
    }
    words.extend(periodic);
    words
}

/// A file that is removed in the end.
struct Removed(PathBuf);

impl Drop for Removed {
    fn drop(&mut self) {
        _ = std::fs::remove_file(&self.0);
    }
}

/// Opens the page in the user's browser, where there is a screen. The browser is given a file of the user's own that leads to the page: words of command lines,
/// which everyone on this machine can read, must not have the token.
fn open(server: &Server) -> Option<Removed> {
    let is_mac = cfg!(target_os = "macos");
    let has = |name: &str| std::env::var_os(name).is_some_and(|value| !value.is_empty());
    if !is_mac && !has("DISPLAY") && !has("WAYLAND_DISPLAY") {
        return None;
    }
    let folder = std::env::var_os("XDG_RUNTIME_DIR").map_or_else(std::env::temp_dir, PathBuf::from);
    let path = folder.join(format!("squeeze-view-{}-{}.html", std::process::id(), server.port()));
    let url = server.url();
    let text = format!(
        "<!doctype html><meta charset=utf-8><meta http-equiv=refresh content=\"0;url={url}\"><a href=\"{url}\">Squeeze</a>\n"
    );
    let mut file = PendingFile::begin(&path).ok()?;
    file.make_private();
    file.finish(text.as_bytes()).ok()?;
    let file = Removed(path);
    let mut opener = std::process::Command::new(if is_mac { "open" } else { "xdg-open" });
    let opener = opener.arg(&file.0).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    // Without an opener the address that was printed is all the same.
    if let Ok(mut child) = opener.spawn() {
        std::thread::spawn(move || child.wait());
    }
    Some(file)
}
