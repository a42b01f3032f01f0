//! MPI, whose library is found when a launcher started this process: nothing of it is needed to build.
//!
//! There are three binary interfaces ([`MpiShape`]): the standard one, MPICH's (also Intel's, Cray's and MVAPICH's), and Open MPI's. They have the same functions, but other handles
//! and constants. A handle is a `usize` here: an address in Open MPI, a small number in the standard one, an `int` in MPICH's, which takes the lower half of the register.
//! Statuses are always ignored, as their sizes differ, too.
//!
//! Nothing blocks: messages are sent and received by requests, which are tested one by one, and no collective function is called, for none can be given a deadline. A
//! receiver does not know how long a frame is, so each has a *slot* for the beginning of the next frame of each other rank. It holds the length, and small frames whole; the
//! rest of a longer one is a message of its own.

use super::launcher::{Launch, Launcher};
use super::transport::Wire;
use crate::failure::Message;
use libloading::os::unix::{Library, RTLD_GLOBAL, RTLD_NOW};
use squeeze_compiler::numbers::mode::DefaultMode;
use std::collections::VecDeque;
use std::ffi::{CStr, c_char, c_int, c_void};
use std::path::{Path, PathBuf};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::{Duration, Instant};

/// A communicator, a type, a request or an error handler.
type Handle = usize;

/// The value of a handle in a shape.
enum HandleValue {
    Is(Handle),
    /// The address of a variable of the library.
    At(&'static CStr),
}
use HandleValue::{At, Is};

/// A binary interface of MPI.
pub struct MpiShape {
    /// Its name.
    pub name: &'static str,
    world: HandleValue,
    byte: HandleValue,
    errors_return: HandleValue,
    status_ignore: usize,
    /// The level of threads at which any thread may call, one at a time.
    serialized: c_int,
}

const STANDARD: MpiShape = MpiShape {
    name: "the standard ABI",
    world: Is(0x101),
    byte: Is(0x247),
    errors_return: Is(0x143),
    status_ignore: 0,
    serialized: 2048,
};
const MPICH: MpiShape = MpiShape {
    name: "MPICH's ABI",
    world: Is(0x4400_0000),
    byte: Is(0x4c00_010d),
    errors_return: Is(0x5400_0001),
    status_ignore: 1,
    serialized: 2,
};
const OPEN_MPI: MpiShape = MpiShape {
    name: "Open MPI's ABI",
    world: At(c"ompi_mpi_comm_world"),
    byte: At(c"ompi_mpi_byte"),
    errors_return: At(c"ompi_mpi_errors_return"),
    status_ignore: 0,
    serialized: 2,
};

/// The variable that names the library.
const VARIABLE: &str = "SQUEEZE_MPI";
/// Names under which the library of each shape is found, where Open MPI's launcher started this process,
const OF_OPEN_MPI: [&str; 3] = ["libmpi.so.40", "libmpi_abi.so.1", "libmpi.so"];
/// and elsewhere.
const OF_OTHERS: [&str; 5] = ["libmpi_abi.so.1", "libmpich.so.12", "libmpi.so.12", "libmpi.so.40", "libmpi.so"];

/// A library of MPI that was loaded, and not begun to use.
pub struct MpiLibrary {
    library: &'static Library,
    /// Its name or path.
    pub path: PathBuf,
    /// Its description of itself, the first line.
    pub version: String,
    /// Its binary interface.
    pub shape: &'static MpiShape,
}

impl MpiLibrary {
    /// Loads the library that `SQUEEZE_MPI` names, or the one that the launcher's processes use.
    ///
    /// # Errors
    /// If no library is found, or its binary interface is unknown.
    pub fn find(launcher: Option<Launcher>) -> Result<MpiLibrary, Message> {
        let own = std::env::var_os(VARIABLE).map(PathBuf::from);
        let names: Vec<PathBuf> = match (own, launcher) {
            (Some(path), _) => vec![path],
            (None, Some(Launcher::OpenMpi)) => OF_OPEN_MPI.iter().map(PathBuf::from).collect(),
            (None, _) => OF_OTHERS.iter().map(PathBuf::from).collect(),
        };
        // The reason that the system gives for the first is the one that helps: the others are guesses.
        let mut reason = None;
        for path in &names {
            match load(path) {
                Ok(library) => return MpiLibrary::of(library, path),
                Err(error) => _ = reason.get_or_insert(error.to_string()),
            }
        }
        let names: Vec<String> = names.iter().map(|name| name.display().to_string()).collect();
        let reason = reason.map_or(String::new(), |reason| format!(" ({reason})"));
        Err(Message::systems(format!("no library of MPI: {} could not be loaded{reason}", names.join(" or ")))
            .with_help(format!("`{VARIABLE}=PATH` names it: that of the MPI whose `mpirun` is used")))
    }

    fn of(library: Library, path: &Path) -> Result<MpiLibrary, Message> {
        // Its threads and handlers run until the process ends.
        let library: &'static Library = Box::leak(Box::new(library));
        type Version = unsafe extern "C" fn(*mut c_char, *mut c_int) -> c_int;
        // SAFETY: it is the type of that function in every shape.
        let ask: Version = unsafe { function(library, path, c"MPI_Get_library_version")? };
        let (mut text, mut length) = (vec![0_u8; LONGEST_VERSION], 0);
        // SAFETY: it may be called before MPI is begun, and writes no more than 8192 bytes in any shape.
        unsafe { ask(text.as_mut_ptr().cast(), &raw mut length) };
        text.truncate(usize::try_from(length).unwrap_or(0));
        let text = String::from_utf8_lossy(&text);
        let version = text.lines().next().unwrap_or_default();
        let words: Vec<&str> =
            version.split(|c: char| c.is_whitespace() || c == '\0').filter(|word| !word.is_empty()).collect();
        let version = words.join(" ");
        let real = path.canonicalize().unwrap_or_else(|_| path.to_owned());
        let of_standard = [path, &real]
            .iter()
            .any(|path| path.file_name().is_some_and(|name| name.to_string_lossy().contains("mpi_abi")));
        let shape = match version.as_str() {
            _ if of_standard => &STANDARD,
            version if version.starts_with("Open MPI") => &OPEN_MPI,
            version if ["MPICH", "Intel", "MVAPICH", "CRAY"].iter().any(|name| version.contains(name)) => &MPICH,
            _ => {
                return Err(Message::systems(format!("{} is an MPI of an unknown kind: {version}", path.display()))
                    .with_help(format!(
                        "known are Open MPI, MPICH and its relatives, and `libmpi_abi`; `{VARIABLE}=PATH` names one"
                    )));
            }
        };
        Ok(MpiLibrary { library, path: path.to_owned(), version, shape })
    }

    /// The library in words: `Open MPI v4.1.4, … in libmpi.so.40, by Open MPI's ABI`.
    pub fn told(&self) -> String {
        format!("{} in {}, by {}", self.version, self.path.display(), self.shape.name)
    }

    fn constant(&self, constant: &HandleValue) -> Result<Handle, Message> {
        match constant {
            Is(value) => Ok(*value),
            At(name) => {
                // SAFETY: the address of the variable alone is taken.
                let address = unsafe { function::<*const c_void>(self.library, &self.path, name) };
                address.map(|address| address as Handle)
            }
        }
    }

    /// Begins to use it, as one of the processes that were launched.
    ///
    /// # Errors
    /// If it cannot be begun, or sees another number of ranks, or of this one, than the launcher.
    pub fn begin(self, launch: &Launch) -> Result<Mpi, Message> {
        let (path, shape) = (self.path.display(), self.shape);
        let told = launch.told();
        let message = format!(
            "{told}, and {path} ({}) could not be begun in {} s\n = help: {WRONG_LIBRARY}",
            self.version,
            INIT.as_secs()
        );
        let limit = Watchdog::begin(INIT, message);
        type Init = unsafe extern "C" fn(*mut c_int, *mut c_void, c_int, *mut c_int) -> c_int;
        type SetHandler = unsafe extern "C" fn(Handle, Handle) -> c_int;
        type Number = unsafe extern "C" fn(Handle, *mut c_int) -> c_int;
        let (world, byte, errors_return) =
            (self.constant(&shape.world)?, self.constant(&shape.byte)?, self.constant(&shape.errors_return)?);
        // SAFETY: these are the types of the functions in every shape, with handles as `Handle` says.
        let (init, set_handler, rank_of, size_of): (Init, SetHandler, Number, Number) = unsafe {
            (
                function(self.library, &self.path, c"MPI_Init_thread")?,
                function(self.library, &self.path, c"MPI_Comm_set_errhandler")?,
                function(self.library, &self.path, c"MPI_Comm_rank")?,
                function(self.library, &self.path, c"MPI_Comm_size")?,
            )
        };
        // SAFETY: as above.
        let functions = unsafe {
            MpiFunctions {
                isend: function(self.library, &self.path, c"MPI_Isend")?,
                irecv: function(self.library, &self.path, c"MPI_Irecv")?,
                test: function(self.library, &self.path, c"MPI_Test")?,
                abort: function(self.library, &self.path, c"MPI_Abort")?,
                finalize: function(self.library, &self.path, c"MPI_Finalize")?,
            }
        };
        let mut threads = 0;
        let begun = {
            let _mode = DefaultMode::enter();
            // SAFETY: no arguments are given, and it is called once.
            unsafe { init(std::ptr::null_mut(), std::ptr::null_mut(), shape.serialized, &raw mut threads) }
        };
        if begun != 0 {
            return Err(Message::systems(format!(
                "{told}, but {path} ({}) could not be begun: error {begun}",
                self.version
            ))
            .with_help(WRONG_LIBRARY));
        }
        // SAFETY: MPI is begun.
        let (rank, ranks) = unsafe {
            set_handler(world, errors_return);
            let (mut rank, mut ranks) = (0, 0);
            rank_of(world, &raw mut rank);
            size_of(world, &raw mut ranks);
            (usize::try_from(rank).unwrap_or(0), usize::try_from(ranks).unwrap_or(0))
        };
        drop(limit);
        let is_other = |expected: Option<usize>, found| expected.is_some_and(|expected| expected != found);
        if is_other(launch.ranks, ranks) || is_other(launch.rank, rank) {
            let found =
                if is_other(launch.ranks, ranks) { ranks.to_string() } else { format!("in this one number {rank}") };
            let message =
                format!("{told}, but {path} ({}) sees {found}: it is the library of another MPI", self.version);
            return Err(Message::systems(message).with_help(WRONG_LIBRARY));
        }
        if threads < shape.serialized {
            let message = format!("{path} ({}) lets one thread alone call it (level {threads})", self.version);
            return Err(Message::systems(message).with_help(format!("`{VARIABLE}=PATH` names another")));
        }
        let status_ignore = shape.status_ignore;
        let mut mpi = Mpi {
            functions,
            world,
            byte,
            status_ignore,
            rank,
            ranks,
            incoming: Vec::new(),
            outgoing: VecDeque::new(),
            last: Instant::now(),
            turn: 0,
        };
        for from in 0..ranks {
            let slot = vec![0; SLOT].into_boxed_slice();
            mpi.incoming.push(Incoming { slot, request: None, rest: None, has_ended: from == rank });
            mpi.listen(from).map_err(Message::systems)?;
        }
        Ok(mpi)
    }
}

/// More bytes than a library's description of itself has: the standard ABI allows 8192.
const LONGEST_VERSION: usize = 1 << 14;
/// How long MPI may take to begin, and to end where a run fails,
const INIT: Duration = Duration::from_secs(60);
/// and at least to end after a whole run, whatever the deadline of messages is.
const FINALIZE: Duration = Duration::from_secs(10);
const WRONG_LIBRARY: &str = "`SQUEEZE_MPI=PATH` names the library of the MPI whose launcher is used; `srun` may need `--mpi=pmix` or `--mpi=pmi2`";

fn load(path: &Path) -> Result<Library, libloading::Error> {
    // Initialisers may set a mode of their own.
    let _mode = DefaultMode::enter();
    // SAFETY: loading runs the library's initialisers. It is an MPI by its name, or the user says so. Open MPI's plugins look up its symbols among the global ones.
    unsafe { Library::open(Some(path), RTLD_NOW | RTLD_GLOBAL) }
}

/// A function of the library, or the address of a variable.
///
/// # Safety
/// `F` must be its type.
unsafe fn function<F: Copy>(library: &Library, path: &Path, name: &CStr) -> Result<F, Message> {
    // SAFETY: as the caller's.
    let found = unsafe { library.get::<F>(name.to_bytes_with_nul()) };
    found.map(|symbol| *symbol).map_err(|_| {
        let name = name.to_string_lossy();
        Message::systems(format!("{} has no `{name}`", path.display()))
            .with_help(format!("`{VARIABLE}=PATH` names a library of MPI"))
    })
}

/// Ends the process if something takes too long that cannot be given a deadline.
struct Watchdog(#[expect(dead_code, reason = "dropping it is the sign")] std::sync::mpsc::Sender<()>);

impl Watchdog {
    fn begin(limit: Duration, message: String) -> Watchdog {
        let (done, wait) = channel();
        std::thread::spawn(move || {
            if wait.recv_timeout(limit) == Err(RecvTimeoutError::Timeout) {
                eprintln!("error: {message}");
                std::process::exit(1);
            }
        });
        Watchdog(done)
    }
}

/// The functions that are called again and again.
struct MpiFunctions {
    isend: unsafe extern "C" fn(*const c_void, c_int, Handle, c_int, c_int, Handle, *mut Handle) -> c_int,
    irecv: unsafe extern "C" fn(*mut c_void, c_int, Handle, c_int, c_int, Handle, *mut Handle) -> c_int,
    test: unsafe extern "C" fn(*mut Handle, *mut c_int, usize) -> c_int,
    abort: unsafe extern "C" fn(Handle, c_int) -> c_int,
    finalize: unsafe extern "C" fn() -> c_int,
}

/// The wire of MPI.
pub struct Mpi {
    functions: MpiFunctions,
    world: Handle,
    byte: Handle,
    status_ignore: usize,
    rank: usize,
    ranks: usize,
    incoming: Vec<Incoming>,
    outgoing: VecDeque<Outgoing>,
    /// When something last came,
    last: Instant,
    /// and the turns of looking since.
    turn: u32,
}

/// The next frame of a rank. The bytes stay where they are while a request is on its way.
struct Incoming {
    slot: Box<[u8]>,
    request: Option<Handle>,
    /// A long frame, whose beginning is there.
    rest: Option<(Vec<u8>, Handle)>,
    /// No frame follows.
    has_ended: bool,
}

/// A frame on its way to another rank.
struct Outgoing {
    to: usize,
    /// The length and the beginning,
    slot: Box<[u8]>,
    /// and the frame, whose rest is sent from here.
    frame: Vec<u8>,
    requests: Vec<Handle>,
}

/// The bytes of a slot: the length, and the beginning of the frame.
const SLOT: usize = 4096;
const LENGTH: usize = 4;
const BEGINNING: usize = SLOT - LENGTH;
/// The length that says that no frame follows.
const END: u32 = u32::MAX;
/// Tags of the beginnings and the rests of frames.
const SLOTS: c_int = 1;
const RESTS: c_int = 2;
/// Looks in vain before others get the processor, which may be a rank that is waited for. A look takes up to some microseconds.
const TURNS: u32 = 20;
/// Between two looks at all ranks, looks go to the awaited one alone.
const ALL: u32 = 16;
/// When nothing has come for this time, looks become rare.
const IDLE: Duration = Duration::from_millis(20);
const NAP: Duration = Duration::from_micros(100);

impl Mpi {
    /// Waits for the beginning of the next frame of a rank.
    fn listen(&mut self, from: usize) -> Result<(), String> {
        let incoming = &mut self.incoming[from];
        if incoming.has_ended {
            return Ok(());
        }
        let (slot, mut request) = (&mut incoming.slot, 0);
        // SAFETY: the slot is as long as is said, and lies on the heap until the request is done or the process ends: dropping `Mpi` forgets it.
        let code = unsafe {
            (self.functions.irecv)(
                slot.as_mut_ptr().cast(),
                SLOT as c_int,
                self.byte,
                from as c_int,
                SLOTS,
                self.world,
                &raw mut request,
            )
        };
        incoming.request = Some(request);
        done(code, "MPI_Irecv", from)
    }

    fn is_done(&self, request: &mut Handle, with: usize) -> Result<bool, String> {
        let mut flag = 0;
        // SAFETY: it is a request on its way, and no status is written.
        let code = unsafe { (self.functions.test)(&raw mut *request, &raw mut flag, self.status_ignore) };
        done(code, "MPI_Test", with).map(|()| flag != 0)
    }

    /// The next frame of a rank, if it is there.
    fn frame_from(&mut self, from: usize) -> Result<Option<Vec<u8>>, String> {
        if let Some((frame, mut request)) = self.incoming[from].rest.take() {
            // The bytes stay where they are after an error, too: the request may still be on its way.
            let is_done = self.is_done(&mut request, from);
            if !matches!(is_done, Ok(true)) {
                self.incoming[from].rest = Some((frame, request));
                return is_done.map(|_| None);
            }
            self.listen(from)?;
            return Ok(Some(frame));
        }
        let Some(mut request) = self.incoming[from].request.take() else { return Ok(None) };
        if !self.is_done(&mut request, from)? {
            self.incoming[from].request = Some(request);
            return Ok(None);
        }
        let incoming = &mut self.incoming[from];
        let (length, beginning) = incoming.slot.split_first_chunk::<LENGTH>().expect("a slot's length");
        let length = u32::from_le_bytes(*length);
        if length == END {
            incoming.has_ended = true;
            return Ok(None);
        }
        let all =
            c_int::try_from(length).map_err(|_| format!("rank {from} announced a message of {length} bytes"))? as usize;
        if all <= BEGINNING {
            let frame = beginning[..all].to_vec();
            self.listen(from)?;
            return Ok(Some(frame));
        }
        let mut frame = Vec::new();
        frame
            .try_reserve_exact(all)
            .map_err(|_| format!("no memory for a message of {length} bytes from rank {from}"))?;
        frame.extend(beginning);
        frame.resize(all, 0);
        let (rest, mut request) = (&mut frame[BEGINNING..], 0);
        let count = rest.len() as c_int;
        // SAFETY: the bytes lie on the heap, and live until the request is done, as a slot does.
        let code = unsafe {
            (self.functions.irecv)(
                rest.as_mut_ptr().cast(),
                count,
                self.byte,
                from as c_int,
                RESTS,
                self.world,
                &raw mut request,
            )
        };
        self.incoming[from].rest = Some((frame, request));
        done(code, "MPI_Irecv", from)?;
        Ok(None)
    }

    fn start(&mut self, to: usize, slot: Box<[u8]>, frame: Vec<u8>) -> Result<(), String> {
        self.outgoing.push_back(Outgoing { to, slot, frame, requests: Vec::new() });
        let Some(Outgoing { slot, frame, requests, .. }) = self.outgoing.back_mut() else { return Ok(()) };
        let rest = frame.get(BEGINNING..).filter(|rest| !rest.is_empty());
        for (bytes, tag) in [(&slot[..], SLOTS)].into_iter().chain(rest.map(|rest| (rest, RESTS))) {
            let (count, mut request) = (bytes.len() as c_int, 0);
            // SAFETY: the bytes lie on the heap, and `outgoing` keeps them until the request is done.
            let code = unsafe {
                (self.functions.isend)(
                    bytes.as_ptr().cast(),
                    count,
                    self.byte,
                    to as c_int,
                    tag,
                    self.world,
                    &raw mut request,
                )
            };
            done(code, "MPI_Isend", to)?;
            requests.push(request);
        }
        Ok(())
    }

    /// Lets go of the frames that have left.
    fn sweep(&mut self) -> Result<(), String> {
        for _ in 0..self.outgoing.len() {
            let Some(mut outgoing) = self.outgoing.pop_front() else { break };
            while let Some(mut request) = outgoing.requests.pop() {
                match self.is_done(&mut request, outgoing.to) {
                    Ok(true) => {}
                    told => {
                        outgoing.requests.push(request);
                        self.outgoing.push_back(outgoing);
                        told?;
                        break;
                    }
                }
            }
        }
        Ok(())
    }
}

impl Drop for Mpi {
    fn drop(&mut self) {
        // What is on its way when a run fails stays where it is until the process ends.
        std::mem::forget((std::mem::take(&mut self.incoming), std::mem::take(&mut self.outgoing)));
    }
}

/// A function's result.
fn done(code: c_int, function: &str, with: usize) -> Result<(), String> {
    if code == 0 { Ok(()) } else { Err(format!("the connection to rank {with} failed ({function}: error {code})")) }
}

impl Wire for Mpi {
    fn rank(&self) -> usize {
        self.rank
    }

    fn ranks(&self) -> usize {
        self.ranks
    }

    fn send(&mut self, to: usize, frame: Vec<u8>) -> Result<(), String> {
        self.sweep()?;
        // Messages are shorter than 2 GiB.
        let length = frame.len() as u32;
        let mut slot = Vec::with_capacity(LENGTH + frame.len().min(BEGINNING));
        slot.extend(length.to_le_bytes());
        slot.extend(&frame[..frame.len().min(BEGINNING)]);
        self.start(to, slot.into_boxed_slice(), frame)
    }

    fn receive(&mut self, awaited: usize, patience: Duration) -> Result<Option<(usize, Vec<u8>)>, String> {
        let start = Instant::now();
        loop {
            // Who has no patience looks once.
            let all = patience.is_zero() || self.turn.is_multiple_of(ALL);
            self.turn = self.turn.wrapping_add(1);
            let first = std::iter::once(awaited);
            for from in first.chain((0..self.ranks).filter(|from| all && *from != awaited)) {
                if let Some(frame) = self.frame_from(from)? {
                    (self.last, self.turn) = (Instant::now(), 1);
                    return Ok(Some((from, frame)));
                }
            }
            if all {
                self.sweep()?;
            }
            if patience.is_zero() {
                return Ok(None);
            }
            // Time is asked for rarely: it takes as long as a look.
            if self.turn < TURNS {
                continue;
            }
            if start.elapsed() >= patience && all {
                return Ok(None);
            }
            if self.last.elapsed() > IDLE { std::thread::sleep(NAP) } else { std::thread::yield_now() }
        }
    }

    fn unsent(&mut self) -> Result<Option<(usize, usize)>, String> {
        self.sweep()?;
        let bytes = self.outgoing.iter().map(|outgoing| outgoing.slot.len() + outgoing.frame.len()).sum();
        Ok(self.outgoing.front().map(|outgoing| (bytes, outgoing.to)))
    }

    fn abort(&mut self, code: i32) {
        let _limit = Watchdog::begin(INIT, "MPI_Abort does not end".to_owned());
        // SAFETY: MPI is begun, and not ended.
        unsafe { (self.functions.abort)(self.world, code) };
    }

    fn finish(&mut self, patience: Duration) -> Result<(), String> {
        // MPI may not end while a slot is waited for: so each rank says that nothing follows.
        let others = || (0..self.ranks).filter(|other| *other != self.rank);
        for to in others().collect::<Vec<_>>() {
            self.start(to, END.to_le_bytes().into(), Vec::new())?;
        }
        let start = Instant::now();
        while self.incoming.iter().any(|incoming| !incoming.has_ended) || !self.outgoing.is_empty() {
            for from in 0..self.ranks {
                // Beats may still be on their way.
                while self.frame_from(from)?.is_some() {}
            }
            self.sweep()?;
            if start.elapsed() > patience {
                return Err("the other ranks do not end".to_owned());
            }
            std::thread::yield_now();
        }
        // MPI takes longer to end where machines are loaded.
        let _limit = Watchdog::begin(patience.max(FINALIZE), "MPI_Finalize does not end".to_owned());
        // SAFETY: nothing is on its way.
        let code = unsafe { (self.functions.finalize)() };
        if code == 0 { Ok(()) } else { Err(format!("MPI_Finalize: error {code}")) }
    }
}
