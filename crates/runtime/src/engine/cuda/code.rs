//! From CUDA C to kernels on the device: which text is compiled, for what, and whose mistake it is if that fails.

use super::cache::KernelCache;
use super::driver::{Device, Module};
use super::error::CudaError;
use super::nvrtc::{Architecture, Nvrtc, Output};
use super::trace;
use crate::engine::{EngineError, Result};
use std::sync::Arc;

/// CUDA C from outside.
#[derive(Clone, Debug)]
pub struct LoadedCode {
    /// What it is called in messages: its file.
    pub name: String,
    /// The text.
    pub text: String,
}

impl LoadedCode {
    pub(super) fn wrong(&self, problem: impl Into<String>) -> EngineError {
        EngineError::LoadedCode { name: self.name.clone(), problem: problem.into() }
    }

    /// Compares the constants at its head with those of the layout.
    fn check(&self, printed: &str) -> Result<()> {
        let sizes = |text: &str| -> Vec<String> {
            let lines = text.lines().map(str::trim);
            let is_size = |line: &&str| line.starts_with("constexpr u32 ") || line.starts_with("constexpr index ");
            lines.filter(is_size).map(str::to_owned).collect()
        };
        let here = sizes(&self.text);
        match sizes(printed).into_iter().find(|line| !here.contains(line)) {
            None => Ok(()),
            Some(line) => Err(self.wrong(format!("it is made for another layout: there is no line `{line}` in it"))),
        }
    }
}

/// The user's CUDA C if there is some, else what is printed.
pub(super) fn text_to_compile<'a>(code: Option<&'a LoadedCode>, printed: &'a str) -> Result<&'a str> {
    let Some(code) = code else { return Ok(printed) };
    code.check(printed)?;
    Ok(&code.text)
}

/// Whose mistake it is that a text does not compile, or lacks a kernel.
pub(super) fn blame(code: Option<&LoadedCode>, error: CudaError) -> EngineError {
    match (error, code) {
        (error @ (CudaError::Nvrtc { .. } | CudaError::NoFunction { .. }), Some(code)) => code.wrong(error.to_string()),
        (error, _) => error.into(),
    }
}

/// Compiles for the device itself, or to PTX if NVRTC does not know the device yet, and loads the result.
pub(super) fn load(
    device: &Arc<Device>,
    nvrtc: &Nvrtc,
    cache: &KernelCache,
    architecture: Architecture,
    text: &str,
) -> std::result::Result<Module, CudaError> {
    Module::new(device, &image(nvrtc, cache, architecture, text)?)
}

/// Compiles for the device itself, or to PTX if NVRTC does not know the device yet.
pub(super) fn image(
    nvrtc: &Nvrtc,
    cache: &KernelCache,
    architecture: Architecture,
    text: &str,
) -> std::result::Result<Vec<u8>, CudaError> {
    trace::compiled(text);
    cache.compile(nvrtc, text, architecture, Output::Cubin).or_else(|error| {
        let older = Architecture(75).min(architecture);
        let mut text = cache.compile(nvrtc, text, older, Output::Ptx).map_err(|_| error)?;
        text.push(0);
        Ok(text)
    })
}
