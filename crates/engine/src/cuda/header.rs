//! A C header beside printed kernels, for programs that link them, or load them, and do not include their text. All of it is read from that text.

use super::label::SPACE;
use std::collections::BTreeMap;
use std::fmt::Write;

/// What else a program needs of kernels on a domain.
#[derive(Default)]
pub(super) struct Sizes {
    /// How many blocks of threads a kernel takes for all cells, by its name.
    pub blocks: BTreeMap<String, u64>,
    /// The bytes of a buffer of each state.
    pub bytes: Vec<(String, u64)>,
}

/// The header of a printed text.
pub(super) fn header(text: &str, sizes: &Sizes) -> String {
    let space = text.lines().find_map(|line| line.strip_prefix("namespace ")?.strip_suffix(" {")).unwrap_or_default();
    let stem = space.strip_suffix(SPACE).unwrap_or(space);
    let mut types: BTreeMap<String, String> = [
        ("u8", "uint8_t"),
        ("u16", "uint16_t"),
        ("u32", "uint32_t"),
        ("u64", "uint64_t"),
        ("i64", "int64_t"),
        ("bool", "uint8_t"),
    ]
    .map(|(cuda, c)| (cuda.to_owned(), c.to_owned()))
    .into();
    let about = text.lines().next().unwrap_or_default().trim_start_matches("// ");
    let mut out = format!(
        "/* {about}: what a program needs that links or loads these kernels.\n   C99 and above, C++ and CUDA C. */\n#ifndef {stem}_h\n#define {stem}_h\n\n\
         #include <stdint.h>\n\n#ifdef __CUDACC__\n#define {stem}_KERNEL __global__\n#else\n#define {stem}_KERNEL\n#endif\n"
    );
    let (mut kernels, mut comment) = (String::new(), String::new());
    let mut lines = text.lines();
    let mut is_first = true;
    while let Some(line) = lines.next() {
        if let Some(words) = line.strip_prefix("// ") {
            writeln!(comment, "/* {words} */").expect("text");
            continue;
        }
        let comment = std::mem::take(&mut comment);
        let words: Vec<&str> = line.trim_end_matches([';', '{', ' ']).split(' ').collect();
        match words[..] {
            ["constexpr", _, name, "=", value] if is_literal(value) => {
                if std::mem::take(&mut is_first) {
                    out += "\n";
                }
                let value = value.replace("true", "1").replace("false", "0");
                writeln!(out, "{comment}#define {stem}_{name} {value}").expect("text");
            }
            ["typedef", known, name] => {
                let known = types.get(known).map_or(known, String::as_str).to_owned();
                types.entry(name.to_owned()).or_insert(known);
            }
            ["struct", name @ ("Term" | "World")] => {
                types.insert(name.to_owned(), format!("struct {stem}_{name}"));
                writeln!(out, "\n{comment}struct {stem}_{name} {{").expect("text");
                for line in lines.by_ref().take_while(|line| *line != "};") {
                    let (field, about) = line.split_once("//").unwrap_or((line, ""));
                    let about = if about.is_empty() { String::new() } else { format!(" /*{about} */") };
                    writeln!(out, "{}{about}", in_c(field.trim_end(), &types)).expect("text");
                }
                out += "};\n";
            }
            ["extern", "\"C\"", "__global__", ..] => {
                let mut declaration = line.to_owned();
                while !declaration.ends_with(") {") {
                    declaration += lines.next().unwrap_or(") {").trim();
                }
                kernels += &kernel(&declaration, &comment, stem, (&types, sizes));
            }
            _ => {}
        }
    }
    if !sizes.bytes.is_empty() {
        out += "\n/* The bytes of a buffer of each state. */\n";
    }
    for (state, bytes) in &sizes.bytes {
        writeln!(out, "#define {stem}_BYTES_OF_{state} {bytes}").expect("text");
    }
    out + "\n#ifdef __cplusplus\nextern \"C\" {\n#endif\n" + &kernels + "\n#ifdef __cplusplus\n}\n#endif\n\n#endif\n"
}

/// A kernel, with the threads and blocks that it takes. Arguments have no names: those of a rule may mean something else in C.
fn kernel(declaration: &str, comment: &str, stem: &str, (types, sizes): (&BTreeMap<String, String>, &Sizes)) -> String {
    let (_, rest) = declaration.split_once("__launch_bounds__(").unwrap_or_default();
    let (threads, rest) = rest.split_once(") ").unwrap_or_default();
    let (name, arguments) = rest.split_once('(').unwrap_or_default();
    let argument = |argument: &str| {
        let (ty, name) = argument.trim().rsplit_once([' ', '*']).unwrap_or_default();
        let pointer = if argument.contains('*') && !ty.contains('*') { " *" } else { "" };
        format!("{}{pointer} /* {name} */", in_c(ty, types).trim_end())
    };
    let arguments: Vec<String> = arguments.trim_end_matches(") {").split(',').map(argument).collect();
    let threads = if is_literal(threads) { threads.to_owned() } else { format!("{stem}_{threads}") };
    let blocks = sizes.blocks.get(name).map(|blocks| format!("#define {name}_BLOCKS {blocks}\n"));
    format!(
        "\n{comment}#define {name}_BLOCK_THREADS {threads}\n{}{stem}_KERNEL void {name}({});\n",
        blocks.unwrap_or_default(),
        arguments.join(", ")
    )
}

/// A declaration with C's names of types.
fn in_c(declaration: &str, types: &BTreeMap<String, String>) -> String {
    let declaration = declaration.replace("__restrict__", "");
    let mut out = String::new();
    let mut rest = declaration.as_str();
    while let Some(first) = rest.chars().next() {
        let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
        let end = rest.find(|c: char| is_word(c) != is_word(first)).unwrap_or(rest.len());
        let (part, behind) = rest.split_at(end);
        out += types.get(part).map_or(part, String::as_str);
        rest = behind;
    }
    out
}

/// Whether a value is one that C understands: neither a list nor computed from others.
fn is_literal(value: &str) -> bool {
    let is_word = value.bytes().all(|byte| byte.is_ascii_alphanumeric());
    is_word && (value == "true" || value == "false" || value.starts_with(|c: char| c.is_ascii_digit()))
}
