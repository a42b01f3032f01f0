//! The maps for threads that take one level each: the digits of a level that is known at run time only.

use super::plan::{BlockGrid, MapUnit, Strategy};
use super::scalar::{AXES, Patterns, suffix, table_text};

/// Functions and tables for `warp` and `wmma`.
pub(super) fn functions(grid: &BlockGrid, patterns: &Patterns, nu: bool) -> Vec<String> {
    let (levels, below) = (grid.blocks().level(), grid.micro().level());
    let wide = if grid.wide() { "u64" } else { "u32" };
    let of_level = &patterns.of_level[below as usize..];
    let uniform = of_level.iter().all(|pattern| *pattern == of_level[0]);
    let pattern = |mu: u32| grid.blocks().pattern(mu);
    let mut texts = vec![
        format!("// What the digit of a level counts in a number.\n{}", table_text("WEIGHTS", wide, &grid.weights())),
        format!(
            "// The side of the replicas of a level.\n{}",
            table_text(
                "SCALES",
                wide,
                &(1..=levels).map(|mu| grid.blocks().scale_product(mu - 1)[0]).collect::<Vec<_>>()
            )
        ),
    ];
    let (mut count, mut scale) = (pattern(1).k().to_string(), pattern(1).scale[0].to_string());
    if !uniform {
        let list = |of: &dyn Fn(u32) -> u64| (1..=levels).map(of).collect::<Vec<_>>();
        let numbers: Vec<u64> = of_level.iter().map(|pattern| *pattern as u64).collect();
        texts.push(format!("// The pattern of a level, its k and its s.\n{}", table_text("PATTERNS", "u32", &numbers)));
        texts.push(table_text("REPLICAS", "u32", &list(&|mu| pattern(mu).k())));
        texts.push(table_text("SIDES", "u32", &list(&|mu| u64::from(pattern(mu).scale[0]))));
        (count, scale) = ("REPLICAS[level]".to_owned(), "SIDES[level]".to_owned());
    }
    texts.push(format!(
        "// The digit of a number at a level.\n__device__ __forceinline__ u32 digit_at(u32 level, index number) {{\n    return (u32)(number / WEIGHTS[level] % {count});\n}}\n"
    ));
    // The call of a pattern's function, for the pattern of the level.
    let choose = |name: &str, argument: &str| {
        if uniform {
            return format!("    return {name}{}({argument});\n", suffix(of_level[0], patterns.count));
        }
        let mut known = of_level.to_vec();
        known.sort_unstable();
        known.dedup();
        let mut text = String::from("    switch (PATTERNS[level]) {\n");
        for (turn, pattern) in known.iter().enumerate() {
            let case = if turn + 1 == known.len() { "default".to_owned() } else { format!("case {pattern}") };
            text.push_str(&format!("    {case}: return {name}{}({argument});\n", suffix(*pattern, patterns.count)));
        }
        text + "    }\n"
    };
    for axis in &AXES[..grid.axes()] {
        texts.push(format!(
            "__device__ __forceinline__ u32 offset_at_{axis}(u32 level, u32 digit) {{\n{}}}\n",
            choose(&format!("offset_{axis}"), "digit")
        ));
    }
    if nu {
        let mut lines = String::new();
        let power = pattern(1).scale[0].is_power_of_two() && uniform;
        if !power {
            lines.push_str("    const index side = SCALES[level];\n");
        }
        let digit = |axis: &str| {
            if power {
                let shift = if pattern(1).scale[0] == 2 {
                    "level".to_owned()
                } else {
                    format!("{} * level", pattern(1).scale[0].ilog2())
                };
                format!("(u32)(point.{axis} >> {shift}) & {}", pattern(1).scale[0] - 1)
            } else {
                format!("(u32)(point.{axis} / side % {scale})")
            }
        };
        for axis in &AXES[..grid.axes()] {
            lines.push_str(&format!("    const u32 {axis} = {};\n", digit(axis)));
        }
        let place = match grid.axes() {
            2 => format!("x + {scale} * y"),
            _ => format!("x + {scale} * (y + {scale} * z)"),
        };
        texts.push(format!(
            "// The replica of a level that holds a point.\n__device__ __forceinline__ u32 replica_at(u32 level, Point point) {{\n{lines}{}}}\n",
            choose("replica", &place)
        ));
    }
    texts
}

/// Whether a grid's maps take levels apart at all.
pub(super) fn map_of(grid: &BlockGrid) -> Option<MapUnit> {
    match grid.strategy {
        Strategy::BoundingBox => None,
        // There is one block, or all are the same: nothing to multiply.
        _ if grid.blocks().level() == 0 => Some(MapUnit::Scalar),
        _ => Some(grid.map),
    }
}
