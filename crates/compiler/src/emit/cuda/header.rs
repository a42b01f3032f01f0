//! A C header beside printed kernels, for programs that link them, or load them, and do not include their text.

use super::abi::{StructField, Term};
use super::text::KernelArgument;
use crate::kernel::LaneType;

/// A state's buffer.
pub struct StateBuffer {
    /// The name of the state.
    pub state: String,
    /// The type of its elements, in C.
    pub ty: &'static str,
    /// Its bytes.
    pub bytes: u64,
}

/// A kernel as programs declare and launch it.
pub struct Declared {
    /// Its name.
    pub name: String,
    /// Its arguments in C.
    pub arguments: String,
    /// Threads of a block.
    pub threads: u32,
    /// Blocks for all cells; `None` if a kernel takes any number of blocks.
    pub blocks: Option<u64>,
}

/// The arguments in C of a kernel of [`emit`](super::emit). They have no names: those of a rule may mean something else in C.
pub fn arguments(stem: &str, arguments: &[KernelArgument], buffers: &[StateBuffer]) -> String {
    let pointer = |argument: &KernelArgument| {
        let (before, name, state) = match *argument {
            KernelArgument::Old(state) => ("const ", "", state),
            KernelArgument::New(state) => ("", "new_", state),
        };
        let StateBuffer { state, ty, .. } = &buffers[usize::from(state)];
        format!("{before}{ty} * /* {name}{state} */, ")
    };
    arguments.iter().map(pointer).collect::<String>() + &format!("const struct {stem}_World /* world */")
}

/// The type in C of the elements of a buffer of lanes.
pub const fn c_type(ty: LaneType) -> &'static str {
    match ty {
        LaneType::Bits | LaneType::U32 => "uint32_t",
        LaneType::U8 => "uint8_t",
        LaneType::U16 => "uint16_t",
        LaneType::I32 => "int32_t",
        LaneType::I64 => "int64_t",
        LaneType::F32 => "float",
        LaneType::F64 => "double",
    }
}

/// The header of a printed text, whose kernels take a struct `World` of these fields. All names begin with `stem`.
pub fn header(text: &str, stem: &str, world: &[StructField], buffers: &[StateBuffer], kernels: &[Declared]) -> String {
    let about = text.lines().next().unwrap_or_default().trim_start_matches("// ");
    let mut out = format!(
        "/* {about}: what a program needs that links or loads these kernels.\n   C99 and above, C++ and CUDA C. */\n#ifndef {stem}_h\n#define {stem}_h\n\n\
         #include <stdint.h>\n\n#ifdef __CUDACC__\n#define {stem}_KERNEL __global__\n#else\n#define {stem}_KERNEL\n#endif\n\n"
    );
    for (name, value) in text.lines().filter_map(literal) {
        out += &format!("#define {stem}_{name} {value}\n");
    }
    if world.iter().any(|field| field.declaration.contains("Term")) {
        out += &declared_struct(stem, "Term", &Term::fields());
    }
    out += &declared_struct(stem, "World", world);
    out += "\n/* The bytes of a buffer of each state. */\n";
    for StateBuffer { state, bytes, .. } in buffers {
        out += &format!("#define {stem}_BYTES_OF_{state} {bytes}\n");
    }
    out += "\n#ifdef __cplusplus\nextern \"C\" {\n#endif\n";
    for Declared { name, arguments, threads, blocks } in kernels {
        out += &format!("\n#define {name}_BLOCK_THREADS {threads}\n");
        if let Some(blocks) = blocks {
            out += &format!("#define {name}_BLOCKS {blocks}\n");
        }
        out += &format!("{stem}_KERNEL void {name}({arguments});\n");
    }
    out + "\n#ifdef __cplusplus\n}\n#endif\n\n#endif\n"
}

/// The name and value of a constant of a text, if C understands the value: it is neither a list nor computed from others.
fn literal(line: &str) -> Option<(&str, String)> {
    let (declared, value) = line.strip_prefix("constexpr ")?.trim_end_matches(';').split_once(" = ")?;
    let (_, name) = declared.split_once(' ')?;
    let value = value.replace("true", "1").replace("false", "0");
    let is_literal =
        value.starts_with(|c: char| c.is_ascii_digit()) && value.chars().all(|c| c.is_ascii_alphanumeric());
    is_literal.then_some((name, value))
}

/// A struct in C.
fn declared_struct(stem: &str, name: &str, fields: &[StructField]) -> String {
    let line = |StructField { declaration, about }: &StructField| {
        let known = [("u8 ", "uint8_t "), ("u32 ", "uint32_t "), ("u64 ", "uint64_t "), ("CellIndex ", "void ")];
        let ty = known.iter().fold(declaration.to_string(), |ty, (cuda, c)| ty.replace(cuda, c));
        let about = if about.is_empty() { String::new() } else { format!(" /* {about} */") };
        format!("    {};{about}\n", ty.replace("Term ", &format!("struct {stem}_Term ")))
    };
    format!("\nstruct {stem}_{name} {{\n{}}};\n", fields.iter().map(line).collect::<String>())
}
