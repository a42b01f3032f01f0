//! The maps on tensor cores: matrices as the fragments that each lane holds (PTX ISA, `mma.sync.m8n8k16` and
//! `mma.sync.m16n8k8`, and `mma.sync.m16n8k16` with columns of A, and rows of B, in an order in which a lane's four levels follow one another).

use super::exact::{Fragment, Inexact, Product, prove};
use super::plan::{BlockGrid, MapUnit};
use super::scalar::{AXES, table_text};
use minijinja::{Value, context};
use squeeze_compiler::geometry::CompactSpace;

/// The fragments that a grid's maps may take, the first that is exact.
fn allowed(grid: &BlockGrid) -> &'static [Fragment] {
    match grid.map {
        MapUnit::WmmaF16 => &[Fragment::PapersF16],
        MapUnit::Scalar | MapUnit::Warp | MapUnit::Wmma => &[Fragment::U8, Fragment::F16],
    }
}

/// The product that computes λ of a block: its outputs are the coordinates, its columns the axes of all levels, level by level
/// (x, y, x, y, …). A row thus has a weight in every D-th column.
pub(super) fn lambda(grid: &BlockGrid) -> Result<Product, Inexact> {
    let (axes, blocks) = (grid.axes(), grid.blocks());
    let columns = || (1..=blocks.level()).flat_map(|mu| (0..axes).map(move |axis| (mu, axis)));
    let weights: Vec<Vec<u64>> = (0..axes)
        .map(|output| {
            columns().map(|(mu, axis)| if axis == output { blocks.scale_product(mu - 1)[0] } else { 0 }).collect()
        })
        .collect();
    let most: Vec<u64> = columns().map(|(mu, _)| u64::from(blocks.pattern(mu).scale[0]) - 1).collect();
    prove(allowed(grid), &weights, &most)
}

/// The product that computes ν of a block: its outputs are the coordinates of compact space (2022, Eqs. 15 and 16), its columns
/// the levels.
pub(super) fn nu(grid: &BlockGrid) -> Result<Product, Inexact> {
    let blocks = grid.blocks();
    let space = CompactSpace::new(blocks);
    let weights: Vec<Vec<u64>> = (0..grid.axes())
        .map(|output| {
            (1..=blocks.level()).map(|mu| if space.axis(mu) == output { space.weight(mu) } else { 0 }).collect()
        })
        .collect();
    let most: Vec<u64> = (1..=blocks.level()).map(|mu| blocks.pattern(mu).k() - 1).collect();
    prove(allowed(grid), &weights, &most)
}

impl Fragment {
    /// Rows of B, levels that is, of which one lane holds the digits.
    const fn each(self) -> usize {
        match self {
            Fragment::U8 | Fragment::PapersF16 => 4,
            Fragment::F16 => 2,
        }
    }

    /// Words of A that one lane holds.
    const fn words(self) -> usize {
        match self {
            Fragment::U8 => 1,
            Fragment::F16 => 2,
            Fragment::PapersF16 => 4,
        }
    }

    const fn function(self) -> &'static str {
        match self {
            Fragment::U8 => "multiply_bytes",
            Fragment::F16 => "multiply_halves",
            Fragment::PapersF16 => "multiply_sixteen",
        }
    }

    fn text(self) -> String {
        match self {
            Fragment::U8 => MULTIPLY_BYTES.to_owned(),
            Fragment::F16 => format!("{HALF}\n{MULTIPLY_HALVES}"),
            Fragment::PapersF16 => format!("{HALF}\n{MULTIPLY_SIXTEEN}"),
        }
    }
}

const MULTIPLY_BYTES: &str = "\
// Adds the product of 8 rows of 16 bytes and 16 rows of 8 bytes, in integers of 32 bits. A lane holds two sums of its row.
__device__ __forceinline__ void multiply_bytes(int (&rows)[2], const u32 *weights, u32 digits) {
    asm volatile(
        \"mma.sync.aligned.m8n8k16.row.col.s32.u8.u8.s32 {%0, %1}, {%2}, {%3}, {%0, %1};\"
        : \"+r\"(rows[0]), \"+r\"(rows[1])
        : \"r\"(weights[threadIdx.x % 32]), \"r\"(digits)
    );
}
";

const HALF: &str = "\
// An integer up to 2048 as F16, which holds it exactly.
__device__ __forceinline__ u32 half(u32 digit) {
    u16 bits;
    asm(\"cvt.rn.f16.u32 %0, %1;\" : \"=h\"(bits) : \"r\"(digit));
    return bits;
}
";

const MULTIPLY_HALVES: &str = "\
// Adds the product of 16 rows of 8 F16 and 8 rows of 8 F16, in F32. A lane holds two sums of its row and two of its row + 8.
__device__ __forceinline__ void multiply_halves(float (&rows)[4], const u32 *weights, u32 digits) {
    const u32 *mine = weights + threadIdx.x % 32 * 2;
    asm volatile(
        \"mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5}, {%6}, {%0, %1, %2, %3};\"
        : \"+f\"(rows[0]), \"+f\"(rows[1]), \"+f\"(rows[2]), \"+f\"(rows[3])
        : \"r\"(mine[0]), \"r\"(mine[1]), \"r\"(digits)
    );
}
";

const MULTIPLY_SIXTEEN: &str = "\
// Adds the product of 16 rows of 16 F16 and 16 rows of 8 F16, in F32. A lane holds two sums of its row and two of its row + 8.
__device__ __forceinline__ void multiply_sixteen(float (&rows)[4], const u32 *weights, u64 digits) {
    const u32 *mine = weights + threadIdx.x % 32 * 4;
    const u32 low = (u32)digits, high = (u32)(digits >> 32);
    asm volatile(
        \"mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};\"
        : \"+f\"(rows[0]), \"+f\"(rows[1]), \"+f\"(rows[2]), \"+f\"(rows[3])
        : \"r\"(mine[0]), \"r\"(mine[1]), \"r\"(mine[2]), \"r\"(mine[3]), \"r\"(low), \"r\"(high)
    );
}
";

/// An integer up to 2048 as F16.
fn half(v: u64) -> u64 {
    if v == 0 {
        return 0;
    }
    let exponent = v.ilog2();
    // The leading 1 is not written; ten bits follow it.
    u64::from(15 + exponent) << 10 | (v - (1 << exponent)) << 10 >> exponent
}

/// The words of A that each lane holds, product after product: group by group of rows, in each chunk by chunk of columns.
fn fragments(product: &Product) -> Vec<u64> {
    let fragment = product.fragment;
    let mut words = Vec::new();
    for group in 0..product.groups() {
        for chunk in 0..product.chunks() {
            for lane in 0..32 {
                let (row, column) = (group * fragment.rows() + lane / 4, chunk * fragment.levels());
                words.extend((0..fragment.words()).map(|word| match fragment {
                    Fragment::U8 => {
                        let byte = |i: usize| product.element(row, column + lane % 4 * 4 + i) << (8 * i);
                        (0..4).map(byte).sum::<u64>()
                    }
                    Fragment::F16 | Fragment::PapersF16 => {
                        let (row, column) = (row + word % 2 * 8, column + lane % 4 * fragment.each() + word / 2 * 2);
                        let of = |i: usize| half(product.element(row, column + i)) << (16 * i);
                        of(0) + of(1)
                    }
                }));
            }
        }
    }
    words
}

/// The weight of each row's sum in an output that is the sum of `strides` times those of the product.
fn factors(product: &Product, strides: &[u64]) -> Vec<u64> {
    let rows = product.groups() * product.fragment.rows();
    (0..rows).map(|row| product.rows.get(row).map_or(0, |of| product.radix(row) * strides[of.output])).collect()
}

/// The fields of a product for the skeleton.
fn described(product: &Product) -> Value {
    let fragment = product.fragment;
    let (sum, sums, bits, word) = match fragment {
        Fragment::U8 => ("int", 2, 8, "u32"),
        Fragment::F16 => ("float", 4, 16, "u32"),
        Fragment::PapersF16 => ("float", 4, 16, "u64"),
    };
    let factor = |value: &str| match fragment {
        Fragment::U8 => value.to_owned(),
        Fragment::F16 => format!("half({value})"),
        Fragment::PapersF16 => format!("(u64)half({value})"),
    };
    context! {
        levels => fragment.levels(),
        each => fragment.each(),
        rows => fragment.rows(),
        held => 32 * fragment.words(),
        multiply => fragment.function(),
        sum, sums, bits, word,
        factor_of_offset => factor("offset"),
        factor_of_digit => factor("digit"),
    }
}

/// The tables of a product under names that begin with `name`.
fn tables(name: &str, grid: &BlockGrid, product: &Product, factors: Vec<(String, Vec<u64>)>) -> Value {
    let fragment = product.fragment;
    let wide = if grid.wide() { "u64" } else { "u32" };
    let (a, b) = match fragment {
        Fragment::U8 => ("U8", "S32"),
        Fragment::F16 | Fragment::PapersF16 => ("F16", "F32"),
    };
    let factors: Vec<String> =
        factors.iter().map(|(name, list)| table_text(name, wide, list).trim_end().to_owned()).collect();
    context! {
        name,
        about => format!(
            "// {}: A has {} rows, of {}-bit parts of weights, and {} columns; products of {a} are summed in {b} without rounding. Eight maps take {} mma.",
            if name == "NU" { "ν" } else { "λ" },
            product.rows.len(),
            fragment.limb_bits(),
            product.levels(),
            product.instructions(),
        ),
        chunks => product.chunks(),
        groups => product.groups(),
        fragments => table_text(&format!("{name}_WEIGHTS"), "u32", &fragments(product)).trim_end(),
        factors => factors.join("\n"),
    }
}

/// The fields of the skeleton of `wmma`, besides those that all maps need.
pub(super) fn context(grid: &BlockGrid, with_nu: bool) -> Result<Value, Inexact> {
    let product = lambda(grid)?;
    let of_axis = |axis: usize| {
        let mut strides = [0; 3];
        strides[axis] = 1;
        (format!("LAMBDA_FACTORS_{}", AXES[axis].to_uppercase()), factors(&product, &strides))
    };
    let mut maps = vec![tables("LAMBDA", grid, &product, (0..grid.axes()).map(of_axis).collect())];
    let mut fragments = vec![product.fragment];
    let mut nu_described = Value::UNDEFINED;
    if with_nu {
        let product = nu(grid)?;
        let list = factors(&product, &grid.strides());
        maps.push(tables("NU", grid, &product, vec![("NU_FACTORS".to_owned(), list)]));
        nu_described = described(&product);
        if !fragments.contains(&product.fragment) {
            fragments.push(product.fragment);
        }
    }
    let multiply: Vec<String> = fragments.iter().map(|fragment| fragment.text().trim_end().to_owned()).collect();
    let (axes, mut offset) = (grid.axes(), format!("offset_at_{}(level, digit)", AXES[grid.axes() - 1]));
    for axis in (0..axes - 1).rev() {
        offset = format!("row % {axes} == {axis} ? offset_at_{}(level, digit) : {offset}", AXES[axis]);
    }
    Ok(context! { maps, multiply, lambda => described(&product), lambda_offset => offset, nu => nu_described })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn halves_are_integers() {
        for (v, bits) in [(0, 0), (1, 0x3c00), (2, 0x4000), (3, 0x4200), (1023, 0x63fe), (2047, 0x67ff), (2048, 0x6800)]
        {
            assert_eq!(half(v), bits, "{v}");
        }
    }
}
