//! The whole file: skeletons, functions, tables, kernels.

use super::cell::{Names, Needs};
use super::kernel::{Setting, StrategyKernel, distances, namer, print};
use super::levels;
use super::plan::{BlockGrid, GridError, MapUnit, Strategy};
use super::scalar::{AXES, Patterns, cell_lambda_lines, element, lambda_lines, nu_lines, table_text};
use super::tensor;
use crate::abi::GridWorld;
use minijinja::{Environment, UndefinedBehavior, Value, context};
use squeeze_compiler::emit::cuda::{Head, UsedFunctions};
use squeeze_compiler::geometry::FittedRule;
use squeeze_compiler::ir::rule::Rule;
use squeeze_compiler::lower::MOST_OPERANDS;
use squeeze_compiler::passes::Ready;
use squeeze_compiler::pipeline::{CompileError, compile_cell};

const HEAD: &str = include_str!("../../templates/grid.cu");
const EXPANDED: &str = include_str!("../../templates/expanded.cu");
const SQUEEZE: &str = include_str!("../../templates/squeeze.cu");
const SCALAR: &str = include_str!("../../templates/maps/scalar.cu");
const WARP: &str = include_str!("../../templates/maps/warp.cu");
const WMMA: &str = include_str!("../../templates/maps/wmma.cu");
const TRANSFER: &str = include_str!("../../templates/transfer.cu");
const MAPS: &str = include_str!("../../templates/check_maps.cu");

/// Threads that share a group of blocks, at most.
const MOST_THREADS: u64 = 256;

/// The most places in one kernel where the text of `place_of` itself stands.
const MOST_INLINED: usize = 64;

/// Shared memory that tiles may take: what every device gives to a block without being asked, less what else is kept there.
const TILE_BYTES: u64 = 40 << 10;

/// A file of CUDA C for a rule on a grid.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StrategyText {
    /// The text.
    pub text: String,
    /// The prefix of its kernels' names.
    pub name: String,
    /// The kernel of the initial values, then those of the steps in their order.
    pub kernels: Vec<StrategyKernel>,
    /// How many groups of threads a kernel takes.
    pub groups: u64,
    /// Threads of a group.
    pub threads: u32,
    /// `mma` instructions that its PTX holds.
    pub products: usize,
}

/// The kernel of a program of this name that copies values of `bytes` bytes in canonical order: `(state, values, first cell, count)`, in
/// groups of 256 threads, one a cell.
pub fn reader(name: &str, bytes: u64) -> String {
    format!("{name}_read_cells_{bytes}")
}

/// The name of the kernel that gives cells values in canonical order, with arguments as [`reader`].
pub fn writer(name: &str, bytes: u64) -> String {
    format!("{name}_write_cells_{bytes}")
}

/// How blocks are grouped.
#[derive(Clone, Copy)]
struct BlockShape {
    group: u64,
    threads: u64,
    /// How far tiles reach, if there are any.
    halo: Option<u32>,
    tile_places: u64,
}

impl BlockShape {
    /// With tiles that reach as far as the rule looks, if a block with such a halo fits in shared memory and looks no farther than
    /// to the blocks beside it; cells that are farther away are found one by one.
    fn of(grid: &BlockGrid, rule: &Rule, steps: &[Ready]) -> BlockShape {
        let items = match grid.strategy {
            Strategy::BoundingBox => grid.block_places(),
            Strategy::Lambda | Strategy::Squeeze => grid.micro().cells(),
        };
        let group = (MOST_THREADS / items).max(1);
        let states: u64 = match grid.strategy {
            Strategy::Squeeze => rule.states_and_fields().map(|state| state.ty.bytes()).sum(),
            _ => 0,
        };
        let places = |halo: u32| (grid.rho() + 2 * u64::from(halo)).pow(grid.axes() as u32);
        let fits = |halo: &u32| u64::from(*halo) <= grid.rho() && places(*halo) * (states + 1) <= TILE_BYTES;
        let halo = distances(steps).into_iter().rfind(fits);
        let tile_places = halo.map_or(0, places);
        let most = TILE_BYTES / (tile_places * (states + 1)).max(1);
        let group = group.min(most);
        let threads = (group * items).next_multiple_of(32).min(MOST_THREADS);
        BlockShape { group, threads, halo, tile_places }
    }
}

/// A device function.
fn function(about: &str, head: &str, lines: &[String]) -> String {
    let mut text = format!("// {about}\n__device__ __forceinline__ {head} {{\n");
    for line in lines {
        text.push_str(&format!("    {line}\n"));
    }
    text + "}\n"
}

/// A number as a constant of the type `index`.
fn constant(v: u64, wide: bool) -> String {
    if wide { format!("{v}ull") } else { format!("{v}u") }
}

/// The functions of the skeleton that code may need.
#[derive(Clone, Copy, Default)]
struct NeededFunctions {
    /// `canonical_of`.
    canonical: bool,
    /// `place_of`.
    place: bool,
    /// The place is computed by a function that is called: inlined wherever it stands, it would take compilers minutes.
    place_is_called: bool,
    /// `cell_of` and `place_of_cell`.
    cell: bool,
    /// `has_block` of a strategy that has no ν.
    presence: bool,
    /// ν of blocks.
    nu: bool,
    /// `is_cell`.
    mask: bool,
    /// Canonical indices by places.
    micro_index: bool,
}

impl BlockGrid {
    fn axis_list(&self) -> String {
        AXES[..self.axes()].join(", ")
    }

    /// All functions of the fractal that are asked for.
    fn functions(&self, asked: NeededFunctions) -> Vec<String> {
        let (axes, wide) = (&AXES[..self.axes()], self.wide());
        let patterns = Patterns::new(self);
        let mut texts = patterns.functions.clone();
        let expanded = self.strategy != Strategy::Squeeze;
        texts.extend(self.micro_tables(asked));
        let all =
            |of: &dyn Fn(&str) -> String, between: &str| axes.iter().map(|a| of(a)).collect::<Vec<_>>().join(between);
        texts.push(function(
            "Whether a point lies in the grid of blocks.",
            "bool is_inside(Point point)",
            &[format!("return {};", all(&|a| format!("point.{a} < BLOCK_SIDE"), " && "))],
        ));
        if asked.nu || asked.presence {
            let divisors = ["direction % 3", "direction / 3 % 3", "direction / 9"];
            let divisors = if axes.len() == 2 { ["direction % 3", "direction / 3", ""] } else { divisors };
            let steps: Vec<String> = axes.iter().zip(divisors).map(|(a, d)| format!("corner.{a} + {d} - 1")).collect();
            texts.push(function(
                "Where the block lies that is in some direction of one.",
                "Point beside(Point corner, u32 direction)",
                &[format!("return {{{}}};", steps.join(", "))],
            ));
        }
        let unpacked = format!("index {};", all(&|a| format!("{a} = point.{a}"), ", "));
        let digit = (self.blocks().level() > 0).then(|| "u32 digit;".to_owned());
        if self.strategy != Strategy::BoundingBox {
            let mut lines = vec![format!("index rest = number, {};", all(&|a| format!("{a} = 0"), ", "))];
            lines.extend(digit.clone());
            lines.extend(lambda_lines(self, &patterns));
            lines.push(format!("return {{{}}};", self.axis_list()));
            let about = "λ: where the block lies that compact space keeps under a number.";
            texts.push(function(about, "Point lambda(index number)", &lines));
        }
        let presence = expanded && (asked.presence || asked.place);
        if presence {
            let mut lines = vec!["if (!is_inside(point)) { return false; }".to_owned(), unpacked.clone()];
            lines.extend(digit.clone());
            lines.extend(nu_lines(self, &patterns, None, Some("false"), wide));
            lines.push("return true;".to_owned());
            texts.push(function("Whether there is a block at a point.", "bool has_block(Point point)", &lines));
        }
        if !expanded && (asked.nu || asked.place) {
            let mut lines = vec!["if (!is_inside(point)) { return NONE; }".to_owned(), unpacked.clone()];
            lines.push("index sum = 0;".to_owned());
            lines.extend(digit.clone());
            lines.extend(nu_lines(self, &patterns, Some(&self.weights()), Some("NONE"), wide));
            lines.push("return sum;".to_owned());
            let about = "ν: the number under which compact space keeps the block at a point, if there is one.";
            texts.push(function(about, "index nu(Point point)", &lines));
        }
        if asked.canonical {
            let blocks = self.blocks();
            let weights: Vec<u64> = (1..=blocks.level()).map(|mu| blocks.cell_product(mu - 1)).collect();
            let mut lines = vec![unpacked, "u64 sum = 0;".to_owned()];
            lines.extend(digit);
            lines.extend(nu_lines(self, &patterns, Some(&weights), None, true));
            lines.push("return sum;".to_owned());
            let about = "ν again: the canonical index of a block among blocks.";
            texts.push(function(about, "u64 canonical_of(Point point)", &lines));
        }
        if asked.place {
            let text = self.place_of();
            texts.push(if asked.place_is_called { text.replace("__forceinline__", "__noinline__") } else { text });
        }
        if asked.cell {
            let mut lines = vec![
                format!("u64 rest = canonical;\nindex {};", all(&|a| format!("{a} = 0"), ", ")).replace('\n', "\n    "),
            ];
            if self.domain().level() > 0 {
                lines.push("u32 digit;".to_owned());
            }
            lines.extend(cell_lambda_lines(self, &patterns));
            lines.push(format!("return {{{}}};", self.axis_list()));
            texts.push(function("λ of cells by their canonical index.", "Point cell_of(u64 canonical)", &lines));
            let point = all(&|a| format!("cell.{a}"), ", ");
            texts.push(function(
                "The place in memory of the cell with a canonical index.",
                "u64 place_of_cell(u64 canonical)",
                &["const Point cell = cell_of(canonical);".to_owned(), format!("return place_of({point});")],
            ));
        }
        texts
    }

    /// The tables of the fractal inside a block.
    fn micro_tables(&self, asked: NeededFunctions) -> Vec<String> {
        let (micro, rho) = (self.micro(), self.rho());
        let place = |c: u64| {
            let [x, y, z] = micro.lambda(c);
            x + rho * (y + rho * z)
        };
        let places: Vec<u64> = (0..micro.cells()).map(place).collect();
        let mut texts = Vec::new();
        if self.strategy != Strategy::BoundingBox {
            let ty = element(self.block_places() - 1);
            let table = table_text("MICRO_PLACE", ty, &places);
            texts.push(format!("// The place in its block of each micro cell.\n{table}"));
        }
        if asked.mask || self.strategy == Strategy::BoundingBox || asked.place {
            let mut words = vec![0u64; self.block_places().div_ceil(32) as usize];
            places.iter().for_each(|place| words[*place as usize / 32] |= 1 << (place % 32));
            texts.push(table_text("MICRO_MASK", "u32", &words));
            texts.push(function(
                "Whether a place of a block is a cell.",
                "bool is_cell(u32 place)",
                &["return MICRO_MASK[place / 32] >> (place % 32) & 1;".to_owned()],
            ));
        }
        if asked.micro_index {
            let mut list = vec![0u64; self.block_places() as usize];
            places.iter().enumerate().for_each(|(c, place)| list[*place as usize] = c as u64);
            let table = table_text("MICRO_INDEX", element(micro.cells() - 1), &list);
            texts.push(format!("// The micro cell at each place of a block; 0 at holes.\n{table}"));
        }
        texts
    }

    /// `place_of`.
    fn place_of(&self) -> String {
        let axes = &AXES[..self.axes()];
        let arguments: Vec<String> = axes.iter().map(|a| format!("index {a}")).collect();
        let corner: Vec<String> = axes.iter().map(|a| format!("{a} / RHO")).collect();
        let mut inside = "(u32)(x % RHO) + RHO * (u32)(y % RHO)".to_owned();
        let mut own = "x + ROW * y".to_owned();
        if axes.len() == 3 {
            inside.push_str(" + RHO * RHO * (u32)(z % RHO)");
            own.push_str(" + LAYER * z");
        }
        let beyond: Vec<String> = axes.iter().map(|a| format!("{a} >= CELL_SIDE")).collect();
        // Coordinates may lie a little beyond the grid on either side, and then are no points of blocks.
        let mut lines = vec![
            format!("if ({}) {{ return HOLE; }}", beyond.join(" || ")),
            format!("const Point point = {{{}}};", corner.join(", ")),
            format!("const u32 place = {inside};"),
        ];
        lines.extend(match self.strategy {
            Strategy::Squeeze => [
                "const index number = nu(point);".to_owned(),
                "return number != NONE && is_cell(place) ? (u64)number * BLOCK_PLACES + place : HOLE;".to_owned(),
            ]
            .to_vec(),
            _ => vec![format!("return has_block(point) && is_cell(place) ? {own} : HOLE;")],
        });
        function(
            "Where the cell at a point is kept, if there is one.",
            &format!("u64 place_of({})", arguments.join(", ")),
            &lines,
        )
    }

    /// The lines before everything else, filled in.
    fn head(&self, shape: BlockShape, head: &Head, functions: &[String]) -> String {
        let wide = self.wide();
        let of = |v: u64| constant(v, wide);
        let row = self.domain().side();
        render(
            HEAD,
            context! {
                head => head.lines.clone(),
                index => if wide { "u64" } else { "u32" },
                cell_side => of(row),
                block_side => of(self.blocks().side()),
                rho => self.rho(),
                block_places => self.block_places(),
                micro_cells => self.micro().cells(),
                expanded => self.strategy != Strategy::Squeeze,
                axes => self.axes(),
                row => constant(row, true),
                layer => constant(row.wrapping_mul(row), true),
                blocks => of(self.visited()),
                group => shape.group,
                threads => shape.threads,
                around => 3u32.pow(self.axes() as u32),
                tiles => shape.halo.is_some(),
                halo => shape.halo.unwrap_or(0),
                tile => self.rho() + 2 * u64::from(shape.halo.unwrap_or(0)),
                tile_places => shape.tile_places,
                no_block => if wide { "0xffffffffffffffffull" } else { "0xffffffffu" },
                no_replica => Patterns::new(self).none,
                axis_list => self.axis_list(),
                world => GridWorld::text().trim_end().to_owned(),
                functions => functions.to_vec(),
            },
        )
    }

    /// The functions that locate blocks.
    fn map_text(&self, nu: bool) -> Result<(Vec<String>, String, [usize; 2]), GridError> {
        let patterns = Patterns::new(self);
        let levels = self.blocks().level();
        let width = u64::from(levels.min(32)).next_power_of_two();
        let common = context! {
            nu,
            levels,
            width,
            width_mask => format!("0x{:x}", (1u64 << width) - 1),
            axes => self.axes(),
            axis_names => AXES[..self.axes()].to_vec(),
        };
        Ok(match levels::map_of(self) {
            None => (Vec::new(), String::new(), [0; 2]),
            Some(MapUnit::Scalar) => (Vec::new(), render(SCALAR, common), [0; 2]),
            Some(MapUnit::Warp) => (levels::functions(self, &patterns, nu), render(WARP, common), [0; 2]),
            Some(MapUnit::Wmma | MapUnit::WmmaF16) => {
                let fractal = &self.domain().fractal().name;
                let inexact = |reason| {
                    let what = format!("tensor cores cannot compute the maps of `{fractal}` exactly: {reason}");
                    GridError::new(what, "`--map scalar` and `--map warp` are exact for every fractal")
                };
                let more = tensor::context(self, nu).map_err(inexact)?;
                let products = [tensor::lambda(self), tensor::nu(self)]
                    .map(|product| product.map_or(0, |product| product.instructions()));
                let context = context! { ..more, ..common };
                (levels::functions(self, &patterns, nu), render(WMMA, context), products)
            }
        })
    }
}

fn render(skeleton: &str, context: Value) -> String {
    let mut environment = Environment::new();
    environment.set_undefined_behavior(UndefinedBehavior::Strict);
    let text = environment.render_str(skeleton, context);
    format!("{}\n", text.expect("the skeleton names nothing else").trim_end())
}

/// Prints the kernels of a rule on a grid, under some lines of `head`.
///
/// # Errors
/// If tensor cores cannot compute the maps exactly, or the rule's code for one cell, with all its neighbours, is too long.
pub fn emit(grid: &BlockGrid, rule: &FittedRule, head: &Head) -> Result<StrategyText, GridError> {
    let (init, steps) = compile_cell(rule).map_err(|error| match error {
        CompileError::NoKernel { rule, .. } => GridError::new(
            format!(
                "the rule `{rule}` has too many neighbours: the code of one cell would have more than {MOST_OPERANDS} operands"
            ),
            "`--backend reference` runs it, slowly",
        ),
        CompileError::Ordered { .. }
        | CompileError::Inputs { .. }
        | CompileError::Clusters { .. } => {
            GridError::new(error.to_string(), "leave out `--strategy`, and take `--backend cpu`")
        }
        CompileError::Kernel { .. } | CompileError::Layout(_) | CompileError::Memory { .. } => {
            unreachable!("what the lowering makes is sound: {error}")
        }
    })?;
    let shape = BlockShape::of(grid, rule, &steps);
    let states = Names::of(&init, namer());
    let setting = Setting { grid, states: &states, halo: shape.halo };
    let mut used = UsedFunctions::default();
    let mut names = namer();
    let (mut kernels, mut printed, mut needs) = (Vec::new(), Vec::new(), Needs::default());
    let mut add = |name: String, about: String, kernel: &Ready| {
        let (kernel, needed, context) = print(&setting, &mut used, name, about, kernel);
        needs.there |= needed.there;
        needs.canonical |= needed.canonical;
        needs.far = needs.far.max(needed.far);
        kernels.push(kernel);
        printed.push(context);
    };
    let name = head.name(&rule.name);
    add(names.name(&format!("{name}_init")), format!("{}: the initial values.", rule.name), &init);
    for (step, kernel) in rule.steps.iter().zip(&steps) {
        let of_step = step.name.as_ref().map_or("next".to_owned(), |step| format!("next_{step}"));
        let about = match &step.name {
            Some(name) => format!("{}: the step `{name}`.", rule.name),
            None => format!("{}: one step.", rule.name),
        };
        add(names.name(&format!("{name}_{of_step}")), about, kernel);
    }
    let squeeze = grid.strategy == Strategy::Squeeze;
    let bounding_box = grid.strategy == Strategy::BoundingBox;
    let nu = squeeze && kernels.iter().any(|kernel| kernel.near);
    let asked = NeededFunctions {
        canonical: needs.canonical,
        place: true,
        place_is_called: needs.far > MOST_INLINED,
        cell: true,
        presence: bounding_box || needs.there && !squeeze,
        nu,
        mask: true,
        micro_index: needs.canonical && bounding_box,
    };
    let mut functions = used.texts();
    functions.extend(grid.functions(asked));
    let (more, maps, products) = grid.map_text(nu)?;
    functions.extend(more);
    let skeleton = match grid.strategy {
        Strategy::BoundingBox | Strategy::Lambda => EXPANDED,
        Strategy::Squeeze => SQUEEZE,
    };
    let products = (kernels.iter())
        .map(|kernel| products[0] * usize::from(kernel.corners) + products[1] * usize::from(kernel.near && squeeze))
        .sum();
    let mut text = grid.head(shape, head, &functions);
    text.push_str(&maps);
    text.push_str(&render(skeleton, context! { kernels => printed, axes => grid.axes(), bounding_box }));
    let mut sizes: Vec<u64> = rule.states_and_fields().map(|state| state.ty.bytes()).collect();
    sizes.sort_unstable();
    sizes.dedup();
    let sizes: Vec<Value> = (sizes.into_iter())
        .map(|bytes| context! { type => format!("u{}", 8 * bytes), reader => reader(&name, bytes), writer => writer(&name, bytes) })
        .collect();
    text.push_str(&render(TRANSFER, context! { sizes }));
    Ok(StrategyText { text, name, kernels, groups: groups(grid, shape), threads: shape.threads as u32, products })
}

fn groups(grid: &BlockGrid, shape: BlockShape) -> u64 {
    grid.visited().div_ceil(shape.group)
}

/// Prints a kernel that computes nothing but maps, `check_maps(firsts, corners, around)`: for each group of threads the corners of
/// the blocks from number `firsts[group]` on, and for `squeeze` the numbers around each, all as u64, a number that does not exist as
/// all ones. Its [`StrategyText::groups`] is how many blocks one group takes.
///
/// # Errors
/// If tensor cores cannot compute the maps exactly, or the strategy computes none.
pub fn emit_maps(grid: &BlockGrid) -> Result<StrategyText, GridError> {
    if grid.strategy == Strategy::BoundingBox {
        return Err(GridError::no_maps());
    }
    let nu = grid.strategy == Strategy::Squeeze;
    let shape = BlockShape { group: 16, threads: 64, halo: None, tile_places: 0 };
    let mut functions = grid.functions(NeededFunctions { nu, ..NeededFunctions::default() });
    let (more, maps, products) = grid.map_text(nu)?;
    functions.extend(more);
    let mut text =
        grid.head(shape, &Head::of_line(format!("The maps of {}", grid.domain().fractal().name)), &functions);
    text.push_str(&maps);
    text.push_str(&render(MAPS, context! { nu, axis_names => AXES[..grid.axes()].to_vec() }));
    let products = products[0] + if nu { products[1] } else { 0 };
    Ok(StrategyText {
        text,
        name: String::new(),
        kernels: Vec::new(),
        groups: shape.group,
        threads: shape.threads as u32,
        products,
    })
}
