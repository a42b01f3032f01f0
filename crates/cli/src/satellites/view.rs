//! A running simulation in a browser: `view`.

mod args;

use super::{Satellite, read};
use crate::commands::run::plan::{Asked, RunPlan};
use crate::commands::show;
use crate::engines::Chosen;
use crate::report::{CliError, print, remark};
use crate::watch;
use args::ViewArgs;
use clap::{Args, Command};
use squeeze::files::PendingFile;
use squeeze::initial;
use squeeze::run::{Drawing, Schedule, params_as_settings};
use squeeze_view::{Server, Subject};
use std::path::PathBuf;
use std::process::Stdio;

/// The view.
pub(super) const VIEW: Satellite = Satellite {
    command: || {
        let command = ViewArgs::augment_args(Command::new("view"));
        let command = command.override_usage("squeeze view [OPTIONS] --rule <RULE> [--level <R>] [FRACTAL]");
        command.about("Run a rule in a browser: zoom, pause, change parameters").after_help(args::EXAMPLES)
    },
    behind: "merge",
    run: |matches| view(&read(matches)),
    arguments: &[],
    bench: None,
    engines: None,
    collector: None,
    drawer: None,
};

/// Runs until a signal ends it, as pages say.
fn view(arguments: &ViewArgs) -> Result<(), CliError> {
    let ViewArgs { system, start, execution, .. } = arguments;
    let asked = Asked { system, start, execution, load_cuda: None, judges: false, quiet: arguments.quiet };
    let plan = RunPlan::with(&asked, &Chosen::of(None, &clap::ArgMatches::default()), |_| {
        let mut schedule = Schedule::default();
        schedule.begin = start.time.unwrap_or(0);
        let mut drawing = Drawing::default();
        (drawing.field, drawing.slice) = (arguments.field.clone(), arguments.slice);
        (drawing.extent, drawing.logarithmic) = (arguments.range, arguments.log);
        drawing.colours = arguments.colours.clone();
        Ok((schedule, drawing))
    })?;
    let (mut simulation, manifest) = plan.begin(&asked)?;
    watch::listen()?;
    let server = Server::start(arguments.port, &arguments.allow_host)?;
    print(&format!("{}\n", server.url()))?;
    if !arguments.quiet {
        remark("note: the page steers the run, which stands still without a page; Ctrl-C ends it");
    }
    // The page goes with this command.
    let _page = if arguments.no_open { None } else { open(&server) };
    let subject = Subject {
        drawing: &manifest.drawing,
        about_params: &show::comments(&manifest.rule),
        restart: &|simulation, seed| {
            let follows: Vec<String> = simulation.following().map(str::to_owned).collect();
            let mut settings = params_as_settings(simulation.rule(), simulation.params());
            settings.retain(|setting| !follows.iter().any(|name| setting.split('=').next() == Some(name)));
            simulation.restart(seed, &settings)?;
            initial::apply(&mut *simulation, &manifest.init)?;
            simulation.set_time(manifest.schedule.begin);
            Ok(())
        },
    };
    squeeze_view::watch(&mut simulation, &server, &subject, &|| watch::signal().is_some())?;
    Err(CliError::StoppedView(simulation.time()))
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
