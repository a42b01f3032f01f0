//! NVRTC: from CUDA C to PTX or to the machine code of one architecture, with no GPU in the machine.
//!
//! This binding is our own. `cudarc` loads NVRTC once a process and by bare names, the system's library before all others, so no folder could be named
//! (`SQUEEZE_NVRTC`, `target/nvrtc`, a Python package), and it does not find the builtins that lie beside the library.

use super::error::CudaError;
use super::library::{self, functions, load_first};
use libloading::Library;
use squeeze_compiler::emit::cuda::FLAGS;
use std::ffi::{CStr, CString, c_char, c_int, c_void};
use std::ops::Deref;
use std::path::{Path, PathBuf};
use std::ptr;

type NvrtcProgram = *mut c_void;

/// NVRTC's answer to an option that it does not know: all but the architecture are known to all versions.
const INVALID_OPTION: c_int = 5;

functions! {
    /// The functions of NVRTC that are used.
    Functions {
        version: "nvrtcVersion" fn(*mut c_int, *mut c_int);
        architectures_count: "nvrtcGetNumSupportedArchs" fn(*mut c_int);
        architectures: "nvrtcGetSupportedArchs" fn(*mut c_int);
        create: "nvrtcCreateProgram" fn(*mut NvrtcProgram, *const c_char, *const c_char, c_int, *const *const c_char, *const *const c_char);
        destroy: "nvrtcDestroyProgram" fn(*mut NvrtcProgram);
        compile: "nvrtcCompileProgram" fn(NvrtcProgram, c_int, *const *const c_char);
        log_size: "nvrtcGetProgramLogSize" fn(NvrtcProgram, *mut usize);
        log: "nvrtcGetProgramLog" fn(NvrtcProgram, *mut c_char);
        ptx_size: "nvrtcGetPTXSize" fn(NvrtcProgram, *mut usize);
        ptx: "nvrtcGetPTX" fn(NvrtcProgram, *mut c_char);
        cubin_size: "nvrtcGetCUBINSize" fn(NvrtcProgram, *mut usize);
        cubin: "nvrtcGetCUBIN" fn(NvrtcProgram, *mut c_char);
    }
}

/// The kind of code that comes out of the compiler.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Output {
    /// PTX, as text.
    Ptx,
    /// Machine code.
    Cubin,
    /// PTX with what only this architecture has: `compute_90a`.
    OwnPtx,
    /// Machine code for this architecture and no later one, with what only it has: `sm_90a`.
    OwnCubin,
    /// PTX with what only this architecture's family has: `compute_100f`.
    FamilyPtx,
    /// Machine code with what only this architecture's family has: `sm_100f`.
    FamilyCubin,
}

impl Output {
    /// The kind of code that the letter behind an architecture's number asks for, text or machine code as before.
    pub fn with(self, letter: Option<char>) -> Output {
        let is_text = self.is_text();
        match letter {
            Some('a') if is_text => Output::OwnPtx,
            Some('a') => Output::OwnCubin,
            Some('f') if is_text => Output::FamilyPtx,
            Some('f') => Output::FamilyCubin,
            _ => self,
        }
    }

    fn is_text(self) -> bool {
        matches!(self, Output::Ptx | Output::OwnPtx | Output::FamilyPtx)
    }
}

/// An architecture of GPUs, such as 9.0: `sm_90`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Architecture(pub u32);

impl Architecture {
    /// The one that is compiled for where nothing else is said: that of the H100.
    pub const USUAL: Architecture = Architecture(90);

    /// The lowest that kernels are printed for.
    pub(crate) const LOWEST: Architecture = Architecture(75);

    /// From `sm_90`, `compute_90` or `90`, with the letter of `sm_90a` or `sm_100f`; `None` if it is no such name.
    pub fn parse(text: &str) -> Option<(Architecture, Option<char>)> {
        let name = text.strip_prefix("sm_").or(text.strip_prefix("compute_")).unwrap_or(text);
        let digits = name.trim_end_matches(|c: char| !c.is_ascii_digit());
        let letter = match &name[digits.len()..] {
            "" => None,
            "a" => Some('a'),
            "f" => Some('f'),
            _ => return None,
        };
        let number = digits.parse().ok().filter(|_| digits.bytes().all(|byte| byte.is_ascii_digit()))?;
        Some((Architecture(number), letter))
    }
}

/// The code that NVRTC made of a text: machine code or PTX, and nothing else, for a driver trusts what it loads.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MachineCode(pub(super) Vec<u8>);

impl Deref for MachineCode {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        &self.0
    }
}

/// The compiler.
pub struct Nvrtc {
    functions: Functions,
    path: PathBuf,
    _builtins: Option<Library>,
    _library: Library,
}

impl Nvrtc {
    /// Looks for NVRTC: in the folder that `SQUEEZE_NVRTC` names, where the system looks, under `CUDA_HOME` and
    /// `CUDA_PATH`, and in the Python installations on the `PATH` (packages `nvidia-cuda-nvrtc`).
    ///
    /// # Errors
    /// [`CudaError::NoNvrtc`], [`CudaError::TooOld`].
    pub fn find() -> Result<Nvrtc, CudaError> {
        let named: Vec<PathBuf> = std::env::var_os("SQUEEZE_NVRTC").into_iter().map(PathBuf::from).collect();
        let mut candidates: Vec<PathBuf> = named.iter().flat_map(|folder| libraries_in(folder)).collect();
        candidates.extend(["libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so"].map(PathBuf::from));
        candidates.extend(folders().iter().flat_map(|folder| libraries_in(folder)));
        Nvrtc::load(candidates)
    }

    /// Loads NVRTC from a folder.
    ///
    /// # Errors
    /// As [`Nvrtc::find`].
    ///
    /// # Safety
    /// The libraries there of NVRTC's name are NVRTC: their behaviour when they are loaded and called is not checked.
    pub unsafe fn in_folder(folder: &Path) -> Result<Nvrtc, CudaError> {
        Nvrtc::load(libraries_in(folder))
    }

    fn load(candidates: Vec<PathBuf>) -> Result<Nvrtc, CudaError> {
        // NVRTC looks for its builtins by name only, so they must be there before it.
        let mut builtins = None;
        let candidates = candidates.into_iter().inspect(|path| {
            let beside = path
                .parent()
                .filter(|folder| folder.is_absolute())
                .map(|folder| entries(folder, "libnvrtc-builtins.so"));
            builtins = beside.and_then(|found| found.iter().find_map(|path| library::load(path).ok()));
        });
        let (library, path) = load_first(candidates).map_err(|mut error| {
            if error.names.is_empty() {
                error.names.push("libnvrtc.so".to_owned());
            }
            CudaError::NoNvrtc(error)
        })?;
        Ok(Nvrtc { functions: Functions::of(&library, &path)?, path, _builtins: builtins, _library: library })
    }

    /// Where it was found.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Its version, such as (13, 0).
    pub fn version(&self) -> (u32, u32) {
        let (mut major, mut minor) = (0, 0);
        // SAFETY: both point to integers.
        unsafe { (self.functions.version)(&mut major, &mut minor) };
        (major.max(0) as u32, minor.max(0) as u32)
    }

    /// The architectures that it compiles for and that kernels are printed for, ascending.
    pub(crate) fn architectures(&self) -> Vec<Architecture> {
        let mut count = 0;
        // SAFETY: the pointer is to an integer.
        unsafe { (self.functions.architectures_count)(&mut count) };
        let mut numbers: Vec<c_int> = vec![0; count.max(0) as usize];
        // SAFETY: there is room for as many as were told.
        unsafe { (self.functions.architectures)(numbers.as_mut_ptr()) };
        let all = numbers.into_iter().map(|number| Architecture(number.max(0) as u32));
        let mut all: Vec<Architecture> = all.filter(|architecture| *architecture >= Architecture::LOWEST).collect();
        all.sort_unstable();
        all
    }

    /// NVRTC's name for an architecture and a kind of code.
    fn target(Architecture(number): Architecture, output: Output) -> String {
        match output {
            Output::Ptx => format!("compute_{number}"),
            Output::Cubin => format!("sm_{number}"),
            Output::OwnPtx => format!("compute_{number}a"),
            Output::OwnCubin => format!("sm_{number}a"),
            Output::FamilyPtx => format!("compute_{number}f"),
            Output::FamilyCubin => format!("sm_{number}f"),
        }
    }

    /// The compiler's options.
    pub(super) fn options(architecture: Architecture, output: Output) -> Vec<String> {
        let mut options =
            vec![format!("--gpu-architecture={}", Nvrtc::target(architecture, output)), "--std=c++17".to_owned()];
        options.extend(FLAGS.map(str::to_owned));
        options
    }

    /// Compiles a text for an architecture.
    ///
    /// # Errors
    /// [`CudaError::Nvrtc`] with the compiler's words; [`CudaError::NoArchitecture`].
    pub fn compile(&self, text: &str, architecture: Architecture, output: Output) -> Result<MachineCode, CudaError> {
        self.build(text, architecture, output, &[]).map(|(code, _)| MachineCode(code))
    }

    /// The compiler's log of the machine code for an architecture: for each kernel its registers, and the bytes of its stack
    /// frame and of registers that are spilled to memory.
    ///
    /// # Errors
    /// As [`Nvrtc::compile`].
    pub fn resources(&self, text: &str, architecture: Architecture, output: Output) -> Result<String, CudaError> {
        self.build(text, architecture, output, &["--ptxas-options=-v"]).map(|(_, log)| log)
    }

    /// The code, and the compiler's words.
    fn build(
        &self,
        text: &str,
        architecture: Architecture,
        output: Output,
        more: &[&str],
    ) -> Result<(Vec<u8>, String), CudaError> {
        let failed = |what: &str, reason: String| CudaError::Nvrtc { what: what.to_owned(), reason };
        let no_architecture = || CudaError::NoArchitecture {
            name: Nvrtc::target(architecture, output).replace("compute", "sm"),
            version: self.version(),
            there: self.architectures().iter().map(|architecture| architecture.0).collect(),
        };
        let lowest = match output {
            Output::Ptx | Output::Cubin => Architecture::LOWEST,
            Output::OwnPtx | Output::OwnCubin => Architecture(90),
            Output::FamilyPtx | Output::FamilyCubin => Architecture(100),
        };
        if architecture < lowest || !self.architectures().contains(&architecture) {
            return Err(no_architecture());
        }
        let mut options = Nvrtc::options(architecture, output);
        options.extend(more.iter().map(|&option| option.to_owned()));
        let no_zeros = |text: String| {
            CString::new(text).map_err(|_| failed("reading the code", "it holds a zero byte".to_owned()))
        };
        let options = options.into_iter().map(no_zeros).collect::<Result<Vec<_>, _>>()?;
        let options: Vec<*const c_char> = options.iter().map(|option| option.as_ptr()).collect();
        let text = no_zeros(text.to_owned())?;
        let mut program: NvrtcProgram = ptr::null_mut();
        // SAFETY: text and name end in a zero byte; there are no headers.
        let code = unsafe {
            (self.functions.create)(&mut program, text.as_ptr(), c"squeeze.cu".as_ptr(), 0, ptr::null(), ptr::null())
        };
        if code != 0 {
            return Err(failed("taking the code", format!("error {code}")));
        }
        let mut program = Compiled { nvrtc: self, program };
        // SAFETY: the array has these options, each ending in a zero byte.
        let code = unsafe { (self.functions.compile)(program.program, options.len() as c_int, options.as_ptr()) };
        let log = program.bytes(self.functions.log_size, self.functions.log).unwrap_or_default();
        let log = CStr::from_bytes_until_nul(&log).map(|log| log.to_string_lossy().trim().to_owned());
        let log = log.unwrap_or_default();
        if code == INVALID_OPTION {
            return Err(no_architecture());
        }
        if code != 0 {
            return Err(failed(&format!("compiling for {}", Nvrtc::target(architecture, output)), log));
        }
        let bytes = match output.is_text() {
            true => program.bytes(self.functions.ptx_size, self.functions.ptx).map(|mut text| {
                text.truncate(text.iter().position(|byte| *byte == 0).unwrap_or(text.len()));
                text
            }),
            false => program.bytes(self.functions.cubin_size, self.functions.cubin),
        };
        bytes.map(|bytes| (bytes, log)).map_err(|code| failed("giving the result", format!("error {code}")))
    }
}

/// A program of NVRTC, given back in the end.
struct Compiled<'a> {
    nvrtc: &'a Nvrtc,
    program: NvrtcProgram,
}

impl Compiled<'_> {
    /// The bytes that `write` writes, as many as `size` says.
    fn bytes(
        &mut self,
        size: unsafe extern "C" fn(NvrtcProgram, *mut usize) -> i32,
        write: unsafe extern "C" fn(NvrtcProgram, *mut c_char) -> i32,
    ) -> Result<Vec<u8>, i32> {
        let mut count = 0;
        // SAFETY: the program lives, and so does the integer.
        let code = unsafe { size(self.program, &mut count) };
        if code != 0 {
            return Err(code);
        }
        let mut bytes = vec![0u8; count];
        // SAFETY: there is room for as many bytes as was told.
        let code = unsafe { write(self.program, bytes.as_mut_ptr().cast()) };
        if code == 0 { Ok(bytes) } else { Err(code) }
    }
}

impl Drop for Compiled<'_> {
    fn drop(&mut self) {
        // SAFETY: it was created and is destroyed once.
        unsafe { (self.nvrtc.functions.destroy)(&mut self.program) };
    }
}

/// Files of a folder whose names begin so, in order, the newest version first.
fn entries(folder: &Path, prefix: &str) -> Vec<PathBuf> {
    let Ok(list) = std::fs::read_dir(folder) else { return Vec::new() };
    let mut paths: Vec<PathBuf> = list.flatten().map(|entry| entry.path()).collect();
    paths.retain(|path| path.file_name().is_some_and(|name| name.to_string_lossy().starts_with(prefix)));
    paths.sort();
    paths.reverse();
    paths
}

fn libraries_in(folder: &Path) -> Vec<PathBuf> {
    let folder = std::path::absolute(folder).unwrap_or_else(|_| folder.to_owned());
    entries(&folder, "libnvrtc.so")
}

/// Folders in which toolkits and Python packages keep libraries.
fn folders() -> Vec<PathBuf> {
    let named = ["CUDA_HOME", "CUDA_PATH"].into_iter().filter_map(std::env::var_os).map(PathBuf::from);
    let toolkits = named.chain([PathBuf::from("/usr/local/cuda")]);
    let mut folders: Vec<PathBuf> = toolkits.flat_map(|root| [root.join("lib64"), root.join("lib")]).collect();
    let path = std::env::var_os("PATH").unwrap_or_default();
    let mut prefixes: Vec<PathBuf> =
        std::env::split_paths(&path).filter_map(|bin| bin.parent().map(Path::to_owned)).collect();
    prefixes.extend(std::env::var_os("HOME").map(|home| Path::new(&home).join(".local")));
    prefixes.dedup();
    for prefix in prefixes {
        for python in entries(&prefix.join("lib"), "python3") {
            for packages in ["site-packages", "dist-packages"] {
                let nvidia = python.join(packages).join("nvidia");
                folders.extend(["cu13/lib", "cu12/lib", "cuda_nvrtc/lib"].map(|part| nvidia.join(part)));
            }
        }
    }
    folders
}
