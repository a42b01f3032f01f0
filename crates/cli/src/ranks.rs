//! The command as one of several processes that a launcher of MPI started: rank 0 reads, prints and writes, the others compute their parts and write
//! their shares of states.

use crate::args::Devices;
use crate::commands::run::plan::no_gpu;
use crate::report::{self, CliError, remark};
use crate::version::VERSION;
use crate::watch;
use squeeze::cuda::device_count;
use squeeze::engine::ranks::launcher::{Launch, deadline};
use squeeze::engine::ranks::mpi::MpiLibrary;
use squeeze::engine::ranks::nodes::Nodes;
use squeeze::engine::ranks::transport::{Beats, MessageKind, Transport};
use squeeze::run::NamedEngine;
use squeeze::simulation::SimulationError;
use squeeze::store::StateShare;
use squeeze::{Backend, EngineError, Failure as _, Message, Simulation, SimulationBuilder, memory, threads};
use std::sync::Arc;
use std::thread::sleep;
use std::time::{Duration, Instant};

/// Commands that several ranks run together.
const TOGETHER: [&str; 4] = ["doctor", "resume", "run", "sweep"];
/// As many ranks' GPUs are named in a note.
const NAMED: usize = 16;
/// How long a rank leaves it to another to say what went wrong.
const OTHERS: Duration = Duration::from_secs(1);
/// How long the others leave it to rank 0 to end all ranks.
const FIRST: Duration = Duration::from_secs(3);

/// The ranks of this command, and this one's connection to the others.
pub(crate) struct Ranks {
    /// The connection.
    pub transport: Arc<Transport>,
    /// Where they run.
    pub nodes: Nodes,
    /// The library, and its binary interface.
    pub library: String,
    beats: Option<Beats>,
}

/// A rank's share of its machine.
pub(crate) struct RankShare {
    /// The backend, which is not `auto`.
    pub backend: Backend,
    /// Threads; `None` if the environment says how many.
    pub threads: Option<usize>,
    /// The number of its GPU.
    pub device: Option<u32>,
    /// Bytes of the machine's memory.
    pub memory: Option<u64>,
}

/// Lets rank 0 alone speak: notes of the others are the same. Called before anything is read.
pub(crate) fn quieten() {
    report::silence(launch().is_some_and(|launch| launch.rank.is_some_and(|rank| rank != 0)));
}

/// What launched this process, as far as its variables can be read.
fn launch() -> Option<Launch> {
    Launch::of_environment().ok().flatten()
}

/// The launcher, if it started more processes than this one.
///
/// # Errors
/// If several processes would each run the command and write the same files.
pub(crate) fn of_command(name: &str) -> Result<Option<Launch>, CliError> {
    let Some(launch) = Launch::of_environment()? else { return Ok(None) };
    if TOGETHER.contains(&name) {
        return Ok(Some(launch));
    }
    let help = "`squeeze run`, `squeeze sweep` and `squeeze resume` do; with `SQUEEZE_RANKS=alone` in its environment each process runs by itself, and needs outputs of its own";
    Err(CliError::input(format!("`squeeze {name}` does not run on several ranks, and {}", launch.told()), help))
}

/// Ends a process that is not rank 0 later than rank 0: launchers end all when the first ends.
pub(crate) fn end_later() {
    if launch().is_some_and(|launch| launch.rank.is_some_and(|rank| rank != 0)) {
        sleep(OTHERS);
    }
}

/// Does a command's work, together with the other ranks if a launcher started some.
///
/// # Errors
/// As of the work; if there is no MPI, or the run of another rank fails.
pub(crate) fn together(
    launch: Option<Launch>,
    work: impl FnOnce(Option<&Ranks>) -> Result<(), CliError>,
) -> Result<(), CliError> {
    let Some(launch) = launch else { return work(None) };
    let ranks = Ranks::connect(&launch)?;
    let result = work(Some(&ranks));
    ranks.conclude(result)
}

impl Ranks {
    /// Connects to the other ranks. Signals that ask for the end are rank 0's from here on.
    ///
    /// # Errors
    /// If there is no MPI, or ranks are of different versions.
    fn connect(launch: &Launch) -> Result<Ranks, CliError> {
        let begin = || {
            let deadline = deadline()?;
            let library = MpiLibrary::find(Some(launch.launcher))?;
            let told = library.told();
            let wire = library.begin(launch)?;
            Ok((Arc::new(Transport::new(Box::new(wire), 1, deadline)), told))
        };
        let (transport, told) = begin().inspect_err(|_: &Message| {
            // Rank 0 has most likely found the same, and its words end all; else this rank says it.
            end_later();
            report::silence(false);
        })?;
        report::silence(transport.rank() != 0);
        if transport.rank() != 0 {
            watch::leave_to_others()?;
        }
        let beats = Some(Beats::of(&transport));
        let agreed = transport.agree("the version of Squeeze", &VERSION);
        match agreed.and_then(|()| Nodes::of(&transport)) {
            Ok(nodes) => Ok(Ranks { transport, nodes, library: told, beats }),
            Err(error) => Err(end(&transport, error.into())),
        }
    }

    /// Whether this is the rank that speaks.
    pub(crate) fn is_first(&self) -> bool {
        self.transport.rank() == 0
    }

    /// The ranks in words, such as `4 ranks on 2 machines, 8 threads each`.
    pub(crate) fn told(&self) -> String {
        let Nodes { machines, threads, .. } = self.nodes;
        let of = |count: usize, name: &str| if count == 1 { format!("1 {name}") } else { format!("{count} {name}s") };
        format!("{} on {}, {} each", of(self.transport.ranks(), "rank"), of(machines, "machine"), of(threads, "thread"))
    }

    /// Refuses an engine that runs on one rank.
    ///
    /// # Errors
    /// If it is no backend's own.
    pub(crate) fn check_engine(named: &NamedEngine) -> Result<(), CliError> {
        match named.strategy() {
            NamedEngine::OWN => Ok(()),
            strategy => {
                Err(CliError::input(format!("the strategy `{strategy}` runs on one rank"), "take `--strategy lanes`"))
            }
        }
    }

    /// A simulation with this rank's [share](Self::share).
    ///
    /// # Errors
    /// If there is no GPU, or a rank fails.
    pub(crate) fn share_of(
        &self,
        builder: SimulationBuilder,
        backend: Backend,
        asked: (Option<usize>, Option<&Devices>),
        quiet: bool,
    ) -> Result<SimulationBuilder, CliError> {
        let RankShare { backend, threads, device, memory } = self.share(backend, asked, quiet)?;
        let builder = threads.into_iter().fold(builder.backend(backend), SimulationBuilder::threads);
        let builder = device.into_iter().fold(builder, SimulationBuilder::device);
        Ok(memory.into_iter().fold(builder, SimulationBuilder::memory_limit))
    }

    /// This rank's share of its machine, where nothing else was asked for: threads, memory, and on the backend `cuda` one of its machine's GPUs. All ranks ask
    /// together; `auto` is `cpu`, which runs whatever can be divided, unless GPUs are named.
    ///
    /// # Errors
    /// If there is no GPU, or a rank fails.
    pub(crate) fn share(
        &self,
        backend: Backend,
        (threads, devices): (Option<usize>, Option<&Devices>),
        quiet: bool,
    ) -> Result<RankShare, CliError> {
        let Nodes { ranks_here, number_here, threads: share, ref own, .. } = self.nodes;
        let threads = threads.or((!threads::are_said()).then_some(share));
        let devices = match (backend, devices) {
            (Backend::Cuda | Backend::Auto, Some(devices)) => devices.clone(),
            (Backend::Cuda, None) => Devices::All,
            (_, Some(_)) => return Err(no_gpu(backend)),
            (_, None) => {
                if backend == Backend::Auto && !quiet && device_count().is_ok() {
                    remark("note: the ranks compute on processors; `--backend cuda` takes GPUs");
                }
                // With more threads they would share these, and with fewer leave some to others.
                if !own.is_empty() && threads == Some(share) {
                    threads::keep_to(own);
                }
                let memory = Some(memory::available() / ranks_here as u64);
                let backend = if backend == Backend::Auto { Backend::Cpu } else { backend };
                return Ok(RankShare { backend, threads, device: None, memory });
            }
        };
        let all = devices.numbers().map_err(squeeze::Error::from)?;
        let device = all[number_here % all.len()];
        let told = self.transport.all_gather(MessageKind::Words, 0, device.to_string().as_bytes());
        let told = told.map_err(squeeze::Error::from)?;
        if !quiet {
            let named = told.iter().take(NAMED).map(|bytes| String::from_utf8_lossy(bytes).into_owned());
            let rest = if told.len() > NAMED { ", …" } else { "" };
            let named = named.collect::<Vec<_>>().join(", ");
            remark(&format!("note: each rank computes on a GPU of its machine, by number {named}{rest}"));
        }
        Ok(RankShare { backend: Backend::Cuda, threads, device: Some(device), memory: None })
    }

    /// Begins a simulation on all ranks, of which the others [follow](Self::follow).
    ///
    /// # Errors
    /// If it cannot be made, or a rank fails.
    pub(crate) fn lead(&self, builder: SimulationBuilder) -> Result<Simulation, SimulationError> {
        self.transport.broadcast(MessageKind::Words, 0, vec![1]).map_err(EngineError::from)?;
        builder.ranks(Arc::clone(&self.transport)).build()
    }

    /// Computes this rank's part of a simulation that the first rank has built, and writes its share of the states that are saved.
    ///
    /// # Errors
    /// If the simulation cannot be made, or a rank fails.
    pub(crate) fn serve(&self, builder: SimulationBuilder) -> Result<(), CliError> {
        Ok(builder.serve(&self.transport, &mut StateShare::new(self.nodes.may_be_apart))?)
    }

    /// Computes this rank's part of each simulation that the first rank [leads](Self::lead), until it [says](Self::dismiss) that none follows.
    ///
    /// # Errors
    /// If a rank fails.
    pub(crate) fn follow(&self, builder: &SimulationBuilder) -> Result<(), CliError> {
        while self.transport.broadcast(MessageKind::Words, 0, Vec::new()).map_err(squeeze::Error::from)? == [1] {
            self.serve(builder.clone())?;
        }
        Ok(())
    }

    /// Lets the other ranks end.
    ///
    /// # Errors
    /// If a rank fails.
    pub(crate) fn dismiss(&self) -> Result<(), CliError> {
        self.transport.broadcast(MessageKind::Words, 0, vec![0]).map_err(squeeze::Error::from)?;
        Ok(())
    }

    /// Says how the work is divided.
    pub(crate) fn tell(&self) {
        remark(&format!("note: {}", self.told()));
    }

    /// Ends the conversation, after a rank's share of the work ended so.
    fn conclude(mut self, result: Result<(), CliError>) -> Result<(), CliError> {
        // Nothing may beat after the end.
        drop(self.beats.take());
        match result {
            Ok(()) | Err(CliError::Stopped(..) | CliError::StoppedSweep(_) | CliError::Closed) => {
                match self.transport.finish() {
                    Ok(()) => result,
                    Err(error) => Err(end(&self.transport, error.into())),
                }
            }
            Err(error) => Err(end(&self.transport, error)),
        }
    }
}

/// Ends all ranks after an error, which is said once: by the rank that found it, and by rank 0 if all did. Rank 0 ends them when it has come to its own end, which may
/// take it a while: a run that is recorded says where it can go on.
fn end(transport: &Transport, error: CliError) -> CliError {
    let is_first = transport.rank() == 0;
    let wait = |time: Duration, until: &dyn Fn() -> bool| {
        let start = Instant::now();
        while !is_first && start.elapsed() < time && !until() {
            sleep(Duration::from_millis(5));
        }
    };
    wait(OTHERS, &|| transport.poll().is_err());
    let users = error.is_users();
    let (reason, help) = match &error {
        CliError::Squeeze(error) => (error.to_string(), error.help()),
        _ => ("it failed".to_owned(), Vec::new()),
    };
    // If the run has failed before, this is what came of it.
    let first = transport.fail(reason, users);
    report::silence(first.is_told());
    match first.is_told() {
        // That rank says why.
        true => {}
        false if is_first => report::explain(&error),
        false => report::complain(&first.to_string(), &help),
    }
    // Launchers pass words on while ranks run: of one that ends at once MPICH's may lose the last.
    sleep(OTHERS / 4);
    wait(if transport.is_heard(0) { FIRST } else { OTHERS }, &|| false);
    let users = if first.is_told() { first.is_users() } else { users };
    transport.abort(if users { 2 } else { 1 });
    CliError::Told(users)
}
