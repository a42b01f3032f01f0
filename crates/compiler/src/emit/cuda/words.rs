//! The words of the dialect: words of CUDA C that C++ has not, or has by another name, as far as printers use them. A second dialect is another
//! such file, and a table of the same words for the templates. The functions that `functions` prints have their words there, and `header` prints C.

use super::threads::THREADS;
use crate::kernel::LaneType;
use crate::numbers::operators::MathFn;

/// Before the definition of a function that stands in its callers.
pub(in crate::emit) const INLINED: &str = "__device__ __forceinline__";
/// The inlining part of the qualifier, and the part that forbids it.
pub(super) const INLINE: &str = "__forceinline__";
pub(super) const CALL: &str = "__noinline__";
/// Before the definition of a function of which the compiler decides that.
pub(super) const FUNCTION: &str = "__device__";
/// Before the definition of a table.
pub(super) const TABLE: &str = "__device__ const";
/// Before a short table that all threads of a warp read at one place.
pub(super) const SHARED_TABLE: &str = "__constant__ const";
/// In the type of a pointer through which alone its memory is reached.
pub(in crate::emit) const ALONE: &str = "__restrict__";

/// Before the name of a kernel.
pub(super) fn kernel() -> String {
    format!("extern \"C\" __global__ void __launch_bounds__({THREADS})")
}

/// The value that a thread of the warp has.
pub(super) fn of_thread(value: &str, thread: &str) -> String {
    format!("__shfl_sync(0xffffffff, {value}, {thread})")
}

/// The value of the thread before, or of the one behind.
pub(super) fn of_neighbour(value: &str, before: bool) -> String {
    format!("__shfl_{}_sync(0xffffffff, {value}, 1)", if before { "up" } else { "down" })
}

/// The threads of the warp for which a condition holds, as bits.
pub(super) fn votes(condition: &str) -> String {
    format!("__ballot_sync(0xffffffff, {condition})")
}

/// Whether it holds for one of them.
pub(super) fn any(condition: &str) -> String {
    format!("__any_sync(0xffffffff, {condition})")
}

/// How many bits of a word are set.
pub(super) fn population(word: &str) -> String {
    format!("__popc({word})")
}

/// The word that begins at a bit of the first of two words that follow each other.
pub(super) fn word_from(low: &str, high: &str, bit: i32) -> String {
    format!("__funnelshift_r({low}, {high}, {bit})")
}

/// The float that has these bits.
pub(super) fn f32_of(bits: &str) -> String {
    format!("__uint_as_float({bits})")
}

/// The same of constants, which are signed.
pub(super) fn f32_constant(bits: u64) -> String {
    format!("__int_as_float(0x{bits:08x})")
}

/// The same of double precision.
pub(super) fn f64_of(bits: &str) -> String {
    format!("__longlong_as_double({bits})")
}

/// A function of a float that is an instruction, or few; of f64 if `wide`.
pub(super) const fn instruction(function: MathFn, wide: bool) -> &'static str {
    match (function, wide) {
        (MathFn::Floor, false) => "floorf",
        (MathFn::Floor, true) => "floor",
        (MathFn::Ceil, false) => "ceilf",
        (MathFn::Ceil, true) => "ceil",
        (MathFn::Round, false) => "roundf",
        (MathFn::Round, true) => "round",
        (_, false) => "__fsqrt_rn",
        (_, true) => "__dsqrt_rn",
    }
}

/// The type of a value; bits are words of 32 lanes if the kernel is bitwise.
#[doc(hidden)]
pub const fn c_type(ty: LaneType, bitwise: bool) -> &'static str {
    match ty {
        LaneType::Bits if bitwise => "u32",
        LaneType::Bits => "bool",
        LaneType::U8 => "u8",
        LaneType::U16 => "unsigned short",
        LaneType::I32 => "int",
        LaneType::U32 => "u32",
        LaneType::I64 => "long long",
        LaneType::F32 => "float",
        LaneType::F64 => "double",
    }
}

/// A coordinate plus a distance.
pub(super) fn moved(coordinate: &str, distance: i32) -> String {
    match distance {
        0 => coordinate.to_owned(),
        1.. => format!("{coordinate} + {distance}"),
        _ => format!("{coordinate} - {}", distance.unsigned_abs()),
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    /// Two underscores begin no word elsewhere.
    #[test]
    fn other_files_have_no_word_of_the_dialect() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/emit/cuda");
        for file in [folder.join("rows"), folder].iter().flat_map(|folder| std::fs::read_dir(folder).unwrap()) {
            let path = file.unwrap().path();
            let name = path.file_name().unwrap().to_str().unwrap();
            if path.is_dir() || ["words.rs", "functions.rs", "header.rs"].contains(&name) {
                continue;
            }
            let text = std::fs::read_to_string(&path).unwrap();
            let lines = text.lines().take_while(|line| *line != "#[cfg(test)]");
            let is_word = |rest: &str| rest.starts_with(|c: char| c.is_ascii_lowercase());
            let mut code = lines.filter(|line| !line.trim_start().starts_with("//"));
            assert_eq!(code.find(|line| line.split("__").skip(1).any(is_word)), None, "{name}");
        }
    }
}
