//! A fractal at a level, with the maps λ and ν. [`super`] explains the module.

use super::inverse::InverseTable;
use crate::ir::{Axes, Dimension, Fractal, FractalParts, Pattern, Rule, StepOrder, Value};
use crate::numbers::numbering::PlaceNumbering;
use std::sync::Arc;
use thiserror::Error;

/// A fractal at a level: a finite set of cells, numbered.
#[derive(Clone, Debug)]
pub struct Domain {
    fractal: Arc<Fractal>,
    /// The levels μ = 1..=r, finest first.
    levels: Vec<DomainLevel>,
    /// S_0 ..= S_r, of each axis.
    scale_products: Vec<[u64; 3]>,
    /// K_0 ..= K_r.
    cell_products: Vec<u64>,
}

/// One level of a domain: the replica table H_μ and its inverse, shared by the levels of equal pattern.
#[derive(Clone, Debug)]
struct DomainLevel {
    pattern: Arc<Pattern>,
    inverse: Arc<InverseTable>,
}

/// A level that is too high for the arithmetic, in words: the user's error.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{0}")]
pub struct LevelError(String);

/// The most offsets of a neighbourhood: those of `moore(64)` in space.
const MOST_OFFSETS: i128 = 129 * 129 * 129 - 1;
/// The most replicas whose numbers make a list.
pub(crate) const MOST_REPLICAS: u64 = 1 << 20;

/// Why a rule cannot run on a domain, or what a domain says of its edges suits neither, in words: the user's error.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{what}")]
pub struct RuleMisfit {
    what: String,
    /// The valid forms, or the remedy, where the message does not say it.
    pub help: Option<String>,
}

impl RuleMisfit {
    pub(crate) fn new(what: String) -> RuleMisfit {
        RuleMisfit { what, help: None }
    }

    pub(super) fn with_help(self, help: String) -> RuleMisfit {
        RuleMisfit { help: Some(help), ..self }
    }
}

/// The sides after one more level; `None` if one does not fit.
fn larger(sides: [u64; 3], pattern: &Pattern) -> Option<[u64; 3]> {
    let side = |axis: usize| sides[axis].checked_mul(u64::from(pattern.scale[axis]));
    Some([side(0)?, side(1)?, side(2)?])
}

/// The greatest of some sides.
fn greatest([width, height, depth]: [u64; 3]) -> u64 {
    width.max(height).max(depth)
}

/// The domain's name in messages: ``level 3 of `vicsek` ``, or the name of a mask or a box alone.
impl std::fmt::Display for Domain {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.levels() {
            Some(level) => write!(f, "level {level} of `{}`", self.fractal.name),
            None => write!(f, "`{}`", self.fractal.name),
        }
    }
}

impl Domain {
    /// The fractal at a level; level 0 is a single cell.
    ///
    /// Takes time and memory for at most 63 levels, whatever `level` says.
    ///
    /// # Errors
    /// If the side or the number of cells does not fit in a u64.
    ///
    /// # Panics
    /// If a pattern has a number of replicas below 2, which no checked fractal has.
    pub fn new(fractal: Arc<Fractal>, level: u32) -> Result<Domain, LevelError> {
        // Masks and boxes have one level.
        let level = if fractal.extent.is_some() { 1 } else { level };
        let mut domain = Domain { fractal, levels: Vec::new(), scale_products: vec![[1; 3]], cell_products: vec![1] };
        for below in 0..level {
            let pattern = &domain.fractal.patterns[below as usize % domain.fractal.patterns.len()];
            let pattern = Arc::clone(pattern);
            if let Err(quantity) = domain.push_level(pattern) {
                return Err(LevelError(format!(
                    "level {level} of `{}` is too high: its {quantity} does not fit in 64 bits; the largest level that fits is {below}",
                    domain.fractal.name
                )));
            }
        }
        Ok(domain)
    }

    /// Adds a coarser level, or leaves the domain as it is and names the number that would overflow.
    fn push_level(&mut self, pattern: Arc<Pattern>) -> Result<(), &'static str> {
        // Otherwise the products would not grow, and nothing would end the caller's loop.
        assert!(pattern.k() >= 2 || self.fractal.extent.is_some(), "pattern `{}` was not checked", pattern.name);
        let sides = larger(self.extent(), &pattern).ok_or("side")?;
        let cells = self.cells().checked_mul(pattern.k()).ok_or("number of cells")?;
        let twin = self.levels.iter().find(|level| Arc::ptr_eq(&level.pattern, &pattern));
        let inverse = match twin {
            Some(level) => Arc::clone(&level.inverse),
            None => Arc::new(InverseTable::new(&pattern)),
        };
        self.levels.push(DomainLevel { pattern, inverse });
        self.scale_products.push(sides);
        self.cell_products.push(cells);
        Ok(())
    }

    /// The help if it is too large: of a fractal the largest level that fits is asked for.
    pub fn advice(&self, largest: impl FnOnce() -> Option<u32>) -> String {
        match self.levels().map(|_| largest()) {
            Some(Some(level)) => format!("the largest level that fits is {level}"),
            Some(None) => "no level fits".to_owned(),
            None => "take a smaller mask".to_owned(),
        }
    }

    /// The largest level of a fractal that [`Domain::new`] accepts.
    pub fn largest_level(fractal: &Fractal) -> u32 {
        Self::largest_level_where(fractal, |_, _| true)
    }

    /// The largest level up to which side and number of cells fit in a u64 and satisfy `fits(side, cells)`, a
    /// condition that holds at level 0 and, once broken, stays broken at all higher levels. That of masks is 1.
    #[doc(hidden)]
    pub fn largest_level_where(fractal: &Fractal, mut fits: impl FnMut(u64, u64) -> bool) -> u32 {
        Self::largest_level_of(fractal, |sides, cells| fits(greatest(sides), cells))
    }

    /// As [`Domain::largest_level_where`], of the sides along all axes.
    fn largest_level_of(fractal: &Fractal, mut fits: impl FnMut([u64; 3], u64) -> bool) -> u32 {
        if fractal.extent.is_some() {
            return 1;
        }
        let (mut level, mut sides, mut cells) = (0u32, [1u64; 3], 1u64);
        loop {
            let pattern = fractal.pattern(level + 1);
            assert!(pattern.k() >= 2, "pattern `{}` was not checked", pattern.name);
            match (larger(sides, pattern), cells.checked_mul(pattern.k())) {
                (Some(s), Some(k)) if fits(s, k) => (sides, cells) = (s, k),
                _ => return level,
            }
            level += 1;
        }
    }

    /// The level r of a fractal; none of a mask or a box, whose one level holds all cells in reading order.
    #[doc(hidden)]
    pub fn levels(&self) -> Option<u32> {
        self.fractal.extent.is_none().then(|| self.level())
    }

    /// Width, height and depth of the expanded grid; along axes that the dimension has not it is 1.
    pub fn extent(&self) -> [u64; 3] {
        self.scale_products[self.levels.len()]
    }

    /// The axes along which it is periodic.
    pub fn periodic(&self) -> Axes {
        self.fractal.periodic
    }

    /// The levels `low + 1 ..= high` as a domain of their own, of level `high − low`: what remains of this one when
    /// each level-`low` fractal in it is seen as one cell, and of that, one replica of level `high`.
    ///
    /// It is periodic as this one is if it reaches up to its level.
    ///
    /// With the index of a cell, `c / K_low mod (K_high / K_low)` is the index in there of the part that holds it.
    ///
    /// # Panics
    /// If not `low ≤ high ≤ r`.
    #[doc(hidden)]
    pub fn between(&self, low: u32, high: u32) -> Domain {
        assert!(low <= high && high <= self.level(), "levels {low} to {high} of {}", self.level());
        let mut patterns = self.fractal.patterns.clone();
        let count = patterns.len();
        patterns.rotate_left(low as usize % count);
        // Only the outermost levels know of the edge.
        let periodic = if high == self.level() { self.periodic() } else { Axes::NONE };
        let fractal = Arc::new(Fractal(FractalParts { patterns, periodic, ..self.fractal.0.clone() }));
        let cells = |mu: u32| self.cell_products[mu as usize] / self.cell_products[low as usize];
        let sides = |mu: u32| {
            let (above, below) = (self.scale_product(mu), self.scale_product(low));
            std::array::from_fn(|axis| above[axis] / below[axis])
        };
        Domain {
            fractal,
            levels: self.levels[low as usize..high as usize].to_vec(),
            scale_products: (low..=high).map(sides).collect(),
            cell_products: (low..=high).map(cells).collect(),
        }
    }

    /// Whether a rule can run here.
    ///
    /// # Errors
    /// If the rule is 3-D and the fractal is not, if it looks farther than half a periodic side, or if it names coordinates and the side does not fit in an i32.
    pub fn admits(&self, rule: &Rule) -> Result<(), RuleMisfit> {
        let (name, fractal) = (&rule.name, &self.fractal.name);
        let refuse = |what: String| Err(RuleMisfit::new(what));
        if rule.needs_three_dimensions && self.dimension() != Dimension::Three {
            let axes = self.dimension().axes();
            return refuse(format!(
                "rule `{name}` names `z`, `dz` or triples of offsets, so it needs a 3-D fractal, and `{fractal}` is {axes}-D"
            ));
        }
        let axes = self.dimension().axes();
        let sizes = rule.neighbourhoods.iter().map(|of| of.offsets_at_most(self.dimension()));
        if let Some(many) = sizes.max().filter(|many| *many > MOST_OFFSETS) {
            return refuse(format!(
                "rule `{name}` looks at {many} neighbours on `{fractal}`, which is {axes}-D; at most {MOST_OFFSETS} are possible"
            ));
        }
        for step in &rule.steps {
            let Some(order @ StepOrder::Along(along)) = &step.order else { continue };
            if let Some(lacking) = along.iter().find(|signed| usize::from(signed.axis) >= axes) {
                let (step, axis) = (step.name.as_deref().unwrap_or_default(), Axes::NAMES[usize::from(lacking.axis)]);
                let what = format!(
                    "step `{step}` of the rule `{name}` runs `{order}`, and `{fractal}` is {axes}-D and has no axis `{axis}`"
                );
                return Err(RuleMisfit::new(what).with_help("`from all` takes the axes that there are".to_owned()));
            }
        }
        if let Some(what) = self.misfit_of_rolling(rule) {
            return refuse(what);
        }
        for (input, state) in rule.named_inputs() {
            let (input_name, axis) = (&state.name, usize::from(input.axis));
            let along = Axes::NAMES[axis];
            if axis >= axes {
                return refuse(format!(
                    "the input `{input_name}` of the rule `{name}` runs along `{along}`, and `{fractal}` is {axes}-D and has no such axis"
                ));
            }
            let Some(values) = &input.values else {
                let what = format!("the rule `{name}` reads the input `{input_name}`, which is not given");
                return Err(RuleMisfit::new(what).with_help(format!(
                    "`--input {input_name}=FILE` gives it: a value for each coordinate along `{along}`"
                )));
            };
            let (given, side) = (values.len() as u64, self.extent()[axis]);
            if given != side {
                let what = format!(
                    "the input `{input_name}` has {given} values, and the side of `{fractal}` along `{along}` is {side}"
                );
                let help = "a domain is as long as its inputs where it says `size inputs`";
                return Err(RuleMisfit::new(what).with_help(help.to_owned()));
            }
        }
        if self.levels().is_none() && (rule.names_level || rule.levels().count() > 0) {
            return refuse(format!(
                "rule `{name}` names `level`, or observes by level, and `{fractal}` is a mask or a box, which has no levels"
            ));
        }
        if let (Some(asked), Some(deepest)) = (rule.levels().min(), rule.levels().max()) {
            if deepest > self.level() {
                let level = self.level();
                return refuse(format!(
                    "rule `{name}` observes by level {deepest}, but `{fractal}` is at level {level}; take that level or a higher one"
                ));
            }
            let replicas = self.cells() / self.cell_product(asked);
            if replicas > MOST_REPLICAS {
                return refuse(format!(
                    "rule `{name}` observes by level {asked}, and `{fractal}` has {replicas} replicas of it; at most {MOST_REPLICAS} make a \
                     list"
                ));
            }
        }
        let (reach, extent) = (rule.reach_along_axes(self.dimension()), self.extent());
        let too_far =
            |&axis: &usize| self.periodic().0[axis] && extent[axis] <= 2 * u64::from(reach[axis]) && reach[axis] > 0;
        if let Some(axis) = (0..3).find(too_far) {
            let small = |sides: [u64; 3]| sides[axis] <= 2 * u64::from(reach[axis]);
            let lowest = Self::largest_level_of(&self.fractal, |sides, _| small(sides)) + 1;
            let largest = self.levels().map(|_| Self::largest_level(&self.fractal));
            let lowest = largest.is_some_and(|largest| lowest <= largest).then_some(lowest);
            let (axis, reach, side) = (Axes::NAMES[axis], reach[axis], extent[axis]);
            let level = self.levels().map_or(String::new(), |level| format!(" at level {level}"));
            let lowest = lowest.map_or(String::new(), |lowest| format!("; the lowest level that fits is {lowest}"));
            return refuse(format!(
                "rule `{name}` looks {reach} cells along `{axis}`, and `{fractal}`{level}, periodic along `{axis}`, has the side {side}, which \
                 must be greater than {}{lowest}",
                2 * u64::from(reach)
            ));
        }
        let too_narrow =
            |&axis: &usize| rule.reflects() && !self.periodic().0[axis] && extent[axis] < u64::from(reach[axis]);
        // Along an axis that the space lacks there is nothing to mirror.
        if let Some(axis) = (0..self.dimension().axes()).find(too_narrow) {
            let (axis, reach, side) = (Axes::NAMES[axis], reach[axis], extent[axis]);
            return refuse(format!(
                "rule `{name}` looks {reach} cells along `{axis}`, where the edges of `{fractal}` reflect and the side is {side}: it must not \
                 look farther than that"
            ));
        }
        let fits = |side: u64, _: u64| i32::try_from(side).is_ok();
        if rule.names_coordinates && !fits(self.side(), self.cells()) {
            let largest = Self::largest_level_where(&self.fractal, fits);
            let (level, side) = (self.level(), self.side());
            return refuse(format!(
                "rule `{name}` names coordinates, which are i32, and the side {side} of level {level} of `{fractal}` does not fit; the largest \
                 level that fits is {largest}"
            ));
        }
        if !rule.coloured.is_empty() {
            self.in_turns(rule)?;
        }
        if let Some((value, ty)) = self.cast_that_wraps(rule) {
            let (ty, (least, most)) = (ty.name(), Value::range(ty).unwrap_or_default());
            let what = format!("rule `{name}` needs {value} as a `{ty}`, and that holds {least} to {most}");
            return Err(RuleMisfit::new(what)
                .with_help(format!("take `i64` or `f64`, or fewer cells than `{fractal}` has here")));
        }
        Ok(())
    }

    /// The fractal.
    pub fn fractal(&self) -> &Arc<Fractal> {
        &self.fractal
    }

    /// The dimension D of the expanded grid.
    pub fn dimension(&self) -> Dimension {
        self.fractal.dimension
    }

    /// The level r.
    pub fn level(&self) -> u32 {
        self.levels.len() as u32
    }

    /// The side S_r of the expanded grid; the greatest, if its axes differ.
    pub fn side(&self) -> u64 {
        greatest(self.extent())
    }

    /// The number of cells K_r.
    pub fn cells(&self) -> u64 {
        self.cell_products[self.levels.len()]
    }

    /// The pattern of level μ.
    ///
    /// # Panics
    /// If μ is 0 or above the level.
    #[doc(hidden)]
    pub fn pattern(&self, mu: u32) -> &Arc<Pattern> {
        assert!(mu >= 1, "levels with a pattern are counted from 1");
        &self.levels[mu as usize - 1].pattern
    }

    /// S_μ = s_1 · … · s_μ of each axis, for μ from 0 to the level: how large a level-μ fractal is.
    ///
    /// # Panics
    /// If μ is above the level.
    #[doc(hidden)]
    pub fn scale_product(&self, mu: u32) -> [u64; 3] {
        self.scale_products[mu as usize]
    }

    /// K_μ = k_1 · … · k_μ, for μ from 0 to the level.
    ///
    /// # Panics
    /// If μ is above the level.
    #[doc(hidden)]
    pub fn cell_product(&self, mu: u32) -> u64 {
        self.cell_products[mu as usize]
    }

    /// The digit d_μ of a canonical index: which replica of level μ holds the cell.
    ///
    /// # Panics
    /// If μ is 0 or above the level.
    #[doc(hidden)]
    pub fn digit(&self, c: u64, mu: u32) -> u64 {
        c / self.cell_products[mu as usize - 1] % self.pattern(mu).k()
    }

    /// λ: the point (x, y, z) of the cell with canonical index `c`; z = 0 in two dimensions.
    ///
    /// # Panics
    /// If `c` is not below [`Domain::cells`].
    pub fn lambda(&self, c: u64) -> [u64; 3] {
        assert!(c < self.cells(), "cell {c} of {}", self.cells());
        let mut rest = c;
        let mut point = [0; 3];
        for (level, scale_product) in self.levels.iter().zip(&self.scale_products) {
            let k = level.pattern.k();
            let place = level.pattern.replica(rest % k);
            rest /= k;
            for axis in 0..3 {
                point[axis] += u64::from(place[axis]) * scale_product[axis];
            }
        }
        point
    }

    /// The replicas k of each level, finest first.
    #[doc(hidden)]
    pub fn replicas(&self) -> impl Iterator<Item = u64> + '_ {
        self.levels.iter().map(|level| level.pattern.k())
    }

    /// The digit-reversed index of the cell with canonical index `c`: the number that its digits make if the top one comes first,
    /// with weight 1.
    ///
    /// # Panics
    /// If there is no such cell.
    #[doc(hidden)]
    pub fn reversed(&self, c: u64) -> u64 {
        assert!(c < self.cells(), "cell {c} of {}", self.cells());
        let (mut rest, mut reversed) = (c, 0);
        for level in &self.levels {
            let k = level.pattern.k();
            reversed = reversed * k + rest % k;
            rest /= k;
        }
        reversed
    }

    /// The number q by which a cell draws: its index with the digits reversed, or on masks and boxes a number by place and colour.
    ///
    /// # Panics
    /// If there is no such cell.
    #[doc(hidden)]
    pub fn draw_number(&self, c: u64) -> u64 {
        match self.levels() {
            Some(_) => self.reversed(c),
            None => PlaceNumbering::of(self.extent()).from(self.lambda(c)).of(0),
        }
    }

    /// ν: the canonical index of the cell at a point (z = 0 in two dimensions); `None` for a hole and for a point
    /// outside the grid.
    pub fn nu(&self, point: [u64; 3]) -> Option<u64> {
        let mut rest = point;
        let mut c = 0;
        for (level, cell_product) in self.levels.iter().zip(&self.cell_products) {
            let mut theta = [0; 3];
            for axis in 0..self.dimension().axes() {
                let scale = u64::from(level.pattern.scale[axis]);
                theta[axis] = rest[axis] % scale;
                rest[axis] /= scale;
            }
            c += level.inverse.replica_at(theta)? * cell_product;
        }
        // A rest behind all levels means a point outside the grid, as does a z in two dimensions, or a y in one.
        (rest == [0; 3]).then_some(c)
    }

    /// The canonical index of the cell at an offset (dx, dy, dz) from a point, if there is one. Along a periodic axis, coordinates are taken modulo
    /// the side.
    pub fn neighbour(&self, point: [u64; 3], offset: [i32; 3]) -> Option<u64> {
        let mut there = [0; 3];
        for axis in 0..3 {
            let offset = i64::from(offset[axis]);
            there[axis] = if self.periodic().0[axis] {
                (i128::from(point[axis]) + i128::from(offset)).rem_euclid(i128::from(self.extent()[axis])) as u64
            } else {
                point[axis].checked_add_signed(offset)?
            };
        }
        self.nu(there)
    }
}
