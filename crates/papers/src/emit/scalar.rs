//! The maps, level after level: unrolled, with the fractal's tables as constants.

pub(super) use super::cell::AXES;
use super::plan::BlockGrid;
use squeeze_compiler::ir::Pattern;

/// The patterns of a fractal as functions of CUDA C.
pub(super) struct Patterns {
    /// Definitions.
    pub functions: Vec<String>,
    /// For each level of the whole fractal, finest first, which pattern it has.
    pub of_level: Vec<usize>,
    /// How many there are.
    pub count: usize,
    /// The number that stands for no replica.
    pub none: u64,
}

impl Patterns {
    pub(super) fn new(grid: &BlockGrid) -> Patterns {
        let (patterns, of_level) = grid.patterns();
        let most = patterns.iter().map(|pattern| pattern.k()).max().unwrap_or(1);
        let bits = u64::BITS - most.leading_zeros();
        let none = (1 << bits) - 1;
        let functions = patterns
            .iter()
            .enumerate()
            .flat_map(|(index, pattern)| functions(pattern, &suffix(index, patterns.len()), bits, none))
            .collect();
        Patterns { functions, of_level, count: patterns.len(), none }
    }

    /// Behind the names of a pattern's functions.
    fn suffix_at(&self, level: usize) -> String {
        suffix(self.of_level[level], self.count)
    }
}

pub(super) fn suffix(pattern: usize, count: usize) -> String {
    if count == 1 { String::new() } else { format!("_{pattern}") }
}

/// H_ν and H_λ of a pattern.
fn functions(pattern: &Pattern, suffix: &str, bits: u32, none: u64) -> Vec<String> {
    let (scale, axes) = (u64::from(pattern.scale[0]), pattern.dimension.axes());
    let mut inverse = vec![none; scale.pow(axes as u32) as usize];
    for (replica, [x, y, z]) in pattern.replicas.iter().enumerate() {
        inverse[((u64::from(*z) * scale + u64::from(*y)) * scale + u64::from(*x)) as usize] = replica as u64;
    }
    let name = &pattern.name;
    let mut texts = vec![format!(
        "// H_ν of {name}: the replica at a place in reading order, {none} at a hole.\n{}",
        lookup(&format!("replica{suffix}"), "place", &inverse, bits)
    )];
    for (axis, axis_name) in AXES.iter().enumerate().take(axes) {
        let offsets: Vec<u64> = pattern.replicas.iter().map(|place| u64::from(place[axis])).collect();
        let bits = u64::BITS - (scale - 1).leading_zeros();
        texts.push(format!(
            "// H_λ of {name}: the {axis_name} of a replica.\n{}",
            lookup(&format!("offset_{axis_name}{suffix}"), "replica", &offsets, bits)
        ));
    }
    texts
}

/// A function that looks up a small number: in one constant if they fit, else in a table.
fn lookup(name: &str, argument: &str, values: &[u64], bits: u32) -> String {
    let head = format!("__device__ __forceinline__ u32 {name}(u32 {argument}) {{\n");
    let packed = values.len() * bits as usize;
    if packed <= 64 {
        let word = values.iter().rev().fold(0u64, |word, value| word.checked_shl(bits).unwrap_or(0) | value);
        let (word, mask) = if packed <= 32 {
            (format!("0x{word:x}u"), format!("0x{:x}", (1u64 << bits) - 1))
        } else {
            (format!("0x{word:x}ull"), format!("0x{:x}", (1u64 << bits) - 1))
        };
        let shift = if bits == 1 { argument.to_owned() } else { format!("{bits} * {argument}") };
        return format!("{head}    return (u32)({word} >> {shift}) & {mask};\n}}\n");
    }
    let ty = element(values.iter().copied().max().unwrap_or(0));
    let table = name.to_uppercase();
    format!("{}{head}    return {table}[{argument}];\n}}\n", table_text(&table, ty, values))
}

/// The narrowest type for numbers up to this.
pub(super) fn element(most: u64) -> &'static str {
    match most {
        0..=0xff => "u8",
        0x100..=0xffff => "u16",
        0x1_0000..=0xffff_ffff => "u32",
        _ => "u64",
    }
}

/// A table in the device's memory.
pub(super) fn table_text(name: &str, ty: &str, values: &[u64]) -> String {
    let suffix = if ty == "u64" { "ull" } else { "" };
    let mut text = format!("__device__ constexpr {ty} {name}[] = {{");
    for (place, value) in values.iter().enumerate() {
        text.push_str(if place % 16 == 0 { "\n    " } else { " " });
        text.push_str(&format!("{value}{suffix},"));
    }
    text.push_str("\n};\n");
    text
}

/// The factor behind a term; nothing for 1.
fn times(factor: u64, wide: bool) -> String {
    match factor {
        1 => String::new(),
        _ if wide => format!(" * {factor}ull"),
        _ => format!(" * {factor}u"),
    }
}

/// λ on numbers of compact space: its digits, lowest first, are those of the x levels, then of y, then of z.
pub(super) fn lambda_lines(grid: &BlockGrid, patterns: &Patterns) -> Vec<String> {
    let mut order: Vec<(u64, u32)> = grid.weights().into_iter().zip(1..=grid.blocks().level()).collect();
    order.sort_unstable();
    let levels: Vec<u32> = order.into_iter().map(|(_, mu)| mu).collect();
    digits_to_point(grid, patterns, &levels, grid.micro().level(), grid.wide())
}

/// λ on canonical indices of cells.
pub(super) fn cell_lambda_lines(grid: &BlockGrid, patterns: &Patterns) -> Vec<String> {
    let levels: Vec<u32> = (1..=grid.domain().level()).collect();
    digits_to_point(grid, patterns, &levels, 0, grid.wide())
}

/// Takes the digits of `rest` off, lowest first, and adds up where their replicas lie. Levels count from 1 above `below`.
fn digits_to_point(grid: &BlockGrid, patterns: &Patterns, levels: &[u32], below: u32, wide: bool) -> Vec<String> {
    let mut lines = Vec::new();
    for (turn, mu) in levels.iter().enumerate() {
        let level = below + mu;
        let pattern = grid.domain().pattern(level);
        let scale = grid.domain().scale_product(level - 1)[0] / grid.domain().scale_product(below)[0];
        let suffix = patterns.suffix_at(level as usize - 1);
        if turn + 1 == levels.len() {
            lines.push("digit = (u32)rest;".to_owned());
        } else {
            lines.push(format!("digit = (u32)(rest % {0}), rest /= {0};", pattern.k()));
        }
        let terms: Vec<String> = AXES[..grid.axes()]
            .iter()
            .map(|axis| format!("{axis} += (index)offset_{axis}{suffix}(digit){}", times(scale, wide)))
            .collect();
        lines.push(format!("{};", terms.join(", ")));
    }
    lines
}

/// ν on points of the grid of blocks: the sum of the digits there with these weights, one a level; without weights no sum,
/// only whether there is a block. A hole ends the function with `none`.
pub(super) fn nu_lines(
    grid: &BlockGrid,
    patterns: &Patterns,
    weights: Option<&[u64]>,
    none: Option<&str>,
    wide: bool,
) -> Vec<String> {
    let below = grid.micro().level();
    let levels = grid.blocks().level() as usize;
    let mut lines = Vec::new();
    for level in 0..levels {
        let pattern = grid.domain().pattern(below + 1 + level as u32);
        let scale = u64::from(pattern.scale[0]);
        let mut factor = 1;
        let mut place = Vec::new();
        for axis in &AXES[..grid.axes()] {
            let digit = format!("(u32)({axis} % {scale})");
            place.push(if factor == 1 { digit } else { format!("{factor} * {digit}") });
            factor *= scale;
        }
        let suffix = patterns.suffix_at((below as usize) + level);
        lines.push(format!("digit = replica{suffix}({});", place.join(" + ")));
        if let Some(none) = none {
            lines.push(format!("if (digit == NO_REPLICA) {{ return {none}; }}"));
        }
        let ty = if wide { "u64" } else { "index" };
        let sum = weights.map(|weights| format!("sum += ({ty})digit{}", times(weights[level], wide)));
        let mut last: Vec<String> = sum.into_iter().collect();
        if level + 1 < levels {
            last.extend(AXES[..grid.axes()].iter().map(|axis| format!("{axis} /= {scale}")));
        }
        if !last.is_empty() {
            lines.push(format!("{};", last.join(", ")));
        }
    }
    lines
}
