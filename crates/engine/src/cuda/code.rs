//! From CUDA C to kernels on the device: which text is compiled, for what, and whose mistake it is if that fails.

use super::cache::KernelCache;
use super::driver::{Address, Device, Function, Module};
use super::error::CudaError;
use super::label::Label;
use super::nvrtc::{Architecture, MachineCode, Nvrtc, Output};
use super::signature::{members_of, signatures};
use super::trace;
use crate::options::LoadedCode;
use crate::{EngineError, Result};
use std::sync::Arc;

impl LoadedCode {
    pub(super) fn wrong(&self, problem: impl Into<String>) -> EngineError {
        EngineError::LoadedCode { name: self.name.clone(), problem: problem.into() }
    }

    /// Compares the text's label, the constants at its head, the arguments of passes and those of each kernel with the printed ones.
    fn check(&self, printed: &str, label: &Label) -> Result<()> {
        label.check(self)?;
        let sizes = |text: &str| -> Vec<String> {
            let lines = text.lines().map(str::trim);
            let is_size = |line: &&str| line.starts_with("constexpr u32 ") || line.starts_with("constexpr index ");
            lines.filter(is_size).map(str::to_owned).collect()
        };
        let here = sizes(&self.text);
        if let Some(line) = sizes(printed).into_iter().find(|line| !here.contains(line)) {
            return Err(self.wrong(format!("it is made for another layout: there is no line `{line}` in it")));
        }
        if members_of(&self.text, "World") != members_of(printed, "World") {
            return Err(self.wrong("its struct `World` is not the one that kernels are given"));
        }
        let here = signatures(&self.text);
        for (name, takes) in signatures(printed) {
            let Some(found) = here.get(&name) else { continue };
            if found.len() != takes.len() {
                let (found, takes) = (found.len(), takes.len());
                return Err(self.wrong(format!("its kernel `{name}` takes {found} arguments, and is given {takes}")));
            }
            if let Some(at) = (0..takes.len()).find(|at| found[*at] != takes[*at]) {
                let (found, takes) = (in_words(&found[at]), in_words(&takes[at]));
                let problem = format!("argument {} of its kernel `{name}` is {found}, and is given {takes}", at + 1);
                return Err(self.wrong(problem));
            }
        }
        Ok(())
    }

    /// Compares the arguments that a compiled kernel reads, where the driver tells, with those that it is given: buffers, and the bytes of its world.
    pub fn check_arguments(&self, name: &str, function: &Function, (buffers, world): (usize, usize)) -> Result<()> {
        let Some(takes) = function.argument_sizes() else { return Ok(()) };
        let given: Vec<usize> = std::iter::repeat_n(size_of::<Address>(), buffers).chain([world]).collect();
        if takes.len() != given.len() || takes.iter().zip(&given).any(|(takes, given)| takes > given) {
            let problem = format!("its kernel `{name}` takes arguments of {takes:?} bytes, and is given {given:?}");
            return Err(self.wrong(problem));
        }
        Ok(())
    }
}

/// The type of an argument, in words.
fn in_words(kind: &str) -> String {
    if kind == "*" { "a pointer".to_owned() } else { format!("of the type `{kind}`") }
}

/// The user's CUDA C if there is some and it is for this, else what is printed.
pub fn text_to_compile<'a>(
    code: Option<&'a LoadedCode>,
    printed: &'a str,
    label: impl FnOnce() -> Label,
) -> Result<&'a str> {
    let Some(code) = code else { return Ok(printed) };
    code.check(printed, &label())?;
    Ok(&code.text)
}

/// Whose mistake it is that a text does not compile, or lacks a kernel.
pub fn blame(code: Option<&LoadedCode>, error: CudaError) -> EngineError {
    match (error, code) {
        (error @ (CudaError::Nvrtc { .. } | CudaError::NoFunction { .. }), Some(code)) => code.wrong(error.to_string()),
        (error, _) => error.into(),
    }
}

/// Compiles for the device itself, or to PTX if NVRTC does not know the device yet, and loads the result.
pub fn load(device: &Arc<Device>, nvrtc: &Nvrtc, cache: &KernelCache, text: &str) -> Result<Module, CudaError> {
    Module::new(device, &image(nvrtc, cache, device.architecture()?, text)?)
}

/// Compiles with the features that the device's architecture alone has, and loads the result.
pub fn load_own(device: &Arc<Device>, nvrtc: &Nvrtc, cache: &KernelCache, text: &str) -> Result<Module, CudaError> {
    Module::new(device, &cache.compile(nvrtc, text, device.architecture()?, Output::OwnCubin)?)
}

/// Compiles for the device itself, or to PTX if NVRTC does not know the device yet.
pub(super) fn image(
    nvrtc: &Nvrtc,
    cache: &KernelCache,
    architecture: Architecture,
    text: &str,
) -> Result<MachineCode, CudaError> {
    trace::compiled(text);
    cache.compile(nvrtc, text, architecture, Output::Cubin).or_else(|error| {
        let older = Architecture::LOWEST.min(architecture);
        let mut text = cache.compile(nvrtc, text, older, Output::Ptx).map_err(|_| error)?;
        text.0.push(0);
        Ok(text)
    })
}
