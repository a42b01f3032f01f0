//! Kernels as machine code of the host, by Cranelift.
//!
//! [`compile`] turns a kernel into one function for one superblock of one [`Shape`]. There are two forms:
//!
//! - `bits`: kernels of bits alone run over the words of a column, 128 lanes at a time.
//! - `group`: all others run over groups of [`GROUP`] lanes. The bits of a group are one byte in a
//!   general register, its numbers fill one to four vectors of 128 bits.
//!
//! Both are one loop around the whole kernel; values that are the same in all lanes are computed before it. Operations for which Cranelift has
//! no vector instructions are left to `helpers`: functions of this program that take a group.
//!
//! Compiling takes milliseconds: Cranelift's optimiser stays off, since the kernel was optimised before and code from here
//! is no slower without.
//!
//! x86-64 never needs this module: the feature `cranelift` builds it there for the tests that compare it (`.ci/nightly`). On other machines the tests run by emulation, with Debian's
//! `gcc-aarch64-linux-gnu` and `qemu-user`:
//!
//! ```sh
//! export CARGO_TARGET_AARCH64_UNKNOWN_LINUX_GNU_LINKER=aarch64-linux-gnu-gcc
//! export CARGO_TARGET_AARCH64_UNKNOWN_LINUX_GNU_RUNNER="qemu-aarch64 -L /usr/aarch64-linux-gnu"
//! cargo test --target aarch64-unknown-linux-gnu -p squeeze-codegen
//! ```

mod arithmetic;
mod bits;
mod convert;
mod group;
pub(super) mod inputs;
mod logic;

use crate::KernelFn;
use cranelift_codegen::ir::{AbiParam, Endianness, InstBuilder};
use cranelift_codegen::isa::OwnedTargetIsa;
use cranelift_codegen::settings::{self, Configurable};
use cranelift_frontend::{FunctionBuilder, FunctionBuilderContext};
use cranelift_jit::{JITBuilder, JITModule};
use cranelift_module::{Linkage, Module, ModuleError, default_libcall_names};
use squeeze_compiler::kernel::LaneType;
use squeeze_compiler::layout::columns::{GROUP, Shape};
use squeeze_compiler::numbers::table::ConstTable;
use squeeze_compiler::passes::Body;
use std::fmt;
use std::sync::Mutex;

/// A kernel as machine code, which is freed on drop.
pub struct CraneliftCode {
    /// The function. It may be called while `self` lives.
    pub function: KernelFn,
    /// Keeps the code alive; it is not used before the drop. The lock lets threads share it.
    module: Mutex<Option<JITModule>>,
    /// The tables whose addresses are in it.
    _tables: Vec<ConstTable>,
}

impl fmt::Debug for CraneliftCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("CraneliftCode")
    }
}

impl Drop for CraneliftCode {
    fn drop(&mut self) {
        let module = self.module.get_mut().unwrap_or_else(std::sync::PoisonError::into_inner).take();
        if let Some(module) = module {
            // SAFETY: `function` says that the code is not called any longer, and nothing else points into the module.
            unsafe { module.free_memory() };
        }
    }
}

/// Compiles a kernel for superblocks of one shape.
///
/// # Errors
/// The feature that the host lacks, in words, or that the kernel is too large for Cranelift.
///
/// # Panics
/// If the numbers of the shape contradict each other.
pub fn compile(kernel: &Body, shape: Shape) -> Result<CraneliftCode, String> {
    assert!(
        shape.lanes >= 1
            && shape.words == shape.lanes.div_ceil(32)
            && shape.stride == shape.lanes.next_multiple_of(GROUP),
        "no column looks like {shape:?}"
    );
    let numbers = kernel.nodes.iter().any(|node| !matches!(node.ty, None | Some(LaneType::Bits)));
    let isa = host(numbers)?;
    let mut module = JITModule::new(JITBuilder::with_isa(isa, default_libcall_names()));
    let pointer = module.target_config().pointer_type();
    let mut context = module.make_context();
    context.func.signature.params = vec![AbiParam::new(pointer)];
    let mut memory = FunctionBuilderContext::new();
    let mut builder = FunctionBuilder::new(&mut context.func, &mut memory);
    let entry = builder.create_block();
    builder.append_block_params_for_function_params(entry);
    builder.switch_to_block(entry);
    let call = builder.block_params(entry)[0];
    if numbers {
        group::emit(&mut builder, kernel, shape, call);
    } else {
        bits::emit(&mut builder, kernel, shape, call);
    }
    builder.ins().return_(&[]);
    builder.seal_all_blocks();
    builder.finalize(module.target_config());

    let cannot = |error: String| format!("kernel `{}` cannot be compiled: {error}", kernel.name);
    let failed = |error: ModuleError| match error {
        ModuleError::Allocation { .. } => format!("no memory for machine code: {error}"),
        // The short form of this error drops what the verifier found.
        ModuleError::Compilation(error) => cannot(format!("{error:?}")),
        error => cannot(error.to_string()),
    };
    let id = module.declare_function("kernel", Linkage::Export, &context.func.signature).map_err(failed)?;
    module.define_function(id, &mut context).map_err(failed)?;
    module.finalize_definitions().map_err(failed)?;
    let code = module.get_finalized_function(id);
    // SAFETY: the code was just made with this signature and the host's calling convention.
    let function = unsafe { std::mem::transmute::<*const u8, KernelFn>(code) };
    Ok(CraneliftCode { function, module: Mutex::new(Some(module)), _tables: kernel.tables().cloned().collect() })
}

/// The machine, and the settings, that Cranelift compiles for.
fn host(numbers: bool) -> Result<OwnedTargetIsa, String> {
    let unsupported = |error: &dyn fmt::Display| format!("this machine cannot run compiled kernels: {error}");
    let mut flags = settings::builder();
    for (name, value) in [
        ("opt_level", "none"),
        ("enable_verifier", if cfg!(debug_assertions) { "true" } else { "false" }),
        // As the JIT needs it: code is not moved, and helpers are anywhere.
        ("is_pic", "false"),
        ("use_colocated_libcalls", "false"),
        // Large kernels spill many values: their frames must not step over the guard page.
        ("enable_probestack", "true"),
        ("probestack_strategy", "inline"),
    ] {
        flags.set(name, value).map_err(|error| unsupported(&error))?;
    }
    let isa = cranelift_native::builder().map_err(|error| unsupported(&error))?;
    let isa = isa.finish(settings::Flags::new(flags)).map_err(|error| unsupported(&error))?;
    if isa.endianness() != Endianness::Little {
        return Err(unsupported(&"it is not little-endian"));
    }
    #[cfg(target_arch = "x86_64")]
    if numbers && !std::is_x86_feature_detected!("sse4.1") {
        return Err(unsupported(&"rules with numbers need a processor with SSE4.1"));
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = numbers;
    Ok(isa)
}
