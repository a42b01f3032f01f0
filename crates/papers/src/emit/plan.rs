//! How a strategy lays a fractal out: blocks of side ρ, and what of them is kept and visited.

use squeeze_compiler::geometry::{CompactSpace, Domain};
use squeeze_compiler::ir::{Dimension, Pattern};
use squeeze_engine::failure::{Failure, Message};
use std::sync::Arc;

/// A strategy of the papers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Strategy {
    /// Expanded grid, expanded memory: every block of the bounding box is visited (BB in the papers).
    BoundingBox,
    /// Compact grid, expanded memory: only blocks of the fractal are visited, found by λ(ω).
    Lambda,
    /// Compact grid, compact memory: blocks of the fractal alone are visited and kept; their neighbours are found by ν(ω).
    Squeeze,
}

impl Strategy {
    /// All strategies, in the order of the command's help.
    pub const ALL: [Strategy; 3] = [Strategy::Squeeze, Strategy::Lambda, Strategy::BoundingBox];

    /// The name on the command line and in results.
    pub const fn name(self) -> &'static str {
        match self {
            Strategy::BoundingBox => "bounding-box",
            Strategy::Lambda => "lambda",
            Strategy::Squeeze => "squeeze",
        }
    }

    /// One line on what it is.
    pub const fn description(self) -> &'static str {
        match self {
            Strategy::BoundingBox => "expanded memory, all of it visited (backend cuda)",
            Strategy::Lambda => "expanded memory, the fractal alone visited (backend cuda)",
            Strategy::Squeeze => "compact blocks, expanded inside (backend cuda)",
        }
    }

    /// The most places of a block where the user does not say ρ. Strategies that keep holes take the largest blocks; for
    /// `squeeze` ρ = 16 was the papers' best (2022, §4.2).
    const fn usual_places(self) -> u64 {
        match self {
            Strategy::BoundingBox | Strategy::Lambda => MOST_PLACES,
            Strategy::Squeeze => MOST_PLACES / 2,
        }
    }
}

/// The hardware that computes λ and ν.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum MapUnit {
    /// One thread, level after level.
    #[default]
    Scalar,
    /// A thread for each level; sums by shuffles (2022, §3.5: O(log₂ log_s n)).
    Warp,
    /// Tensor cores: eight maps in one product of matrices (2022, §3.6), exact by proof.
    Wmma,
    /// The same with the papers' fragment, 16 × 16 of F16.
    WmmaF16,
}

impl MapUnit {
    /// All of them.
    pub const ALL: [MapUnit; 4] = [MapUnit::Scalar, MapUnit::Warp, MapUnit::Wmma, MapUnit::WmmaF16];

    /// The name on the command line.
    pub const fn name(self) -> &'static str {
        match self {
            MapUnit::Scalar => "scalar",
            MapUnit::Warp => "warp",
            MapUnit::Wmma => "wmma",
            MapUnit::WmmaF16 => "wmma-f16",
        }
    }

    /// One line on what it is.
    pub const fn description(self) -> &'static str {
        match self {
            MapUnit::Scalar => "one thread for each block, level after level",
            MapUnit::Warp => "one thread for each level, sums by shuffles",
            MapUnit::Wmma => "tensor cores, eight blocks at once",
            MapUnit::WmmaF16 => "tensor cores with the papers' 16 x 16 of F16",
        }
    }
}

/// The most places of a block: threads of a CUDA block in the papers.
const MOST_PLACES: u64 = 1024;

/// The most places of a pattern whose table goes into the code.
const MOST_PATTERN_PLACES: u64 = 1 << 16;

/// Why a strategy has no kernel: the user's error.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(transparent)]
pub struct GridError(Message);

impl GridError {
    /// An error with its message, and a help line that says what would be valid.
    pub(super) fn new(what: String, help: &str) -> GridError {
        GridError(Message::users(what).with_help(help))
    }

    /// A map for a strategy that computes none.
    pub(super) fn no_maps() -> GridError {
        let what = "the strategy `bounding-box` computes no maps".to_owned();
        GridError::new(what, "leave out `--map`, or take `--strategy lambda` or `--strategy squeeze`")
    }
}

impl Failure for GridError {
    fn help(&self) -> Vec<String> {
        self.0.help()
    }
}

/// A strategy on a fractal at a level.
#[derive(Clone, Debug)]
pub struct BlockGrid {
    /// The strategy.
    pub strategy: Strategy,
    /// The hardware that computes the maps; of no meaning for [`Strategy::BoundingBox`].
    pub map: MapUnit,
    domain: Domain,
    /// The fractal inside a block: the levels up to the block's.
    micro: Domain,
    /// The fractal of blocks, each seen as one cell.
    blocks: Domain,
}

impl BlockGrid {
    /// Checks that the strategy is possible. `rho` is the side of a block, a power of s (2022, §3.5, corrected: a block is
    /// a fractal of some level j, and ρ = S_j).
    ///
    /// # Errors
    /// [`GridError`].
    pub fn new(
        domain: &Domain,
        strategy: Strategy,
        map: Option<MapUnit>,
        rho: Option<u64>,
    ) -> std::result::Result<BlockGrid, GridError> {
        if strategy == Strategy::BoundingBox && map.is_some() {
            return Err(GridError::no_maps());
        }
        let (axes, fractal, strategy_name) =
            (domain.dimension().axes() as u32, &domain.fractal().name, strategy.name());
        let by_lanes = |what: String| Err(GridError::new(what, "`--strategy lanes` runs it"));
        let unfit = if domain.levels().is_none() {
            Some(("needs a fractal", "is a mask or a box"))
        } else if !domain.fractal().is_isotropic() {
            let shape = if domain.dimension() == Dimension::One { "is 1-D" } else { "is rectangular" };
            Some(("needs one scale in two or three dimensions", shape))
        } else if domain.periodic().any() {
            Some(("knows no periodic edges", "is periodic"))
        } else if !domain.fractal().edges.is_empty() {
            Some(("knows nothing beyond the edges", "says what lies there"))
        } else {
            None
        };
        if let Some((needs, is)) = unfit {
            return by_lanes(format!("the strategy `{strategy_name}` {needs}, and `{fractal}` {is}"));
        }
        for mu in 1..=domain.level() {
            let pattern = domain.pattern(mu);
            let places = u64::from(pattern.scale[0]).saturating_pow(axes);
            if places > MOST_PATTERN_PLACES {
                return by_lanes(format!(
                    "the pattern `{}` has {places} places, and the strategy `{strategy_name}` tells them apart by tables of at most \
                     {MOST_PATTERN_PLACES}",
                    pattern.name
                ));
            }
        }
        let sides = BlockGrid::sides(domain);
        let level = match rho {
            None => sides.iter().rposition(|side| side.pow(axes) <= strategy.usual_places()),
            Some(rho) => sides.iter().position(|side| *side == rho),
        };
        let Some(level) = level else {
            let (rho, level) = (rho.unwrap_or(1), domain.level());
            let valid = sides.iter().map(u64::to_string).collect::<Vec<_>>().join(", ");
            let help =
                format!("valid are the sides of its levels of which a block has at most {MOST_PLACES} places: {valid}");
            return Err(GridError::new(format!("blocks of side {rho} do not fit `{fractal}` at level {level}"), &help));
        };
        let level = level as u32;
        let grid = BlockGrid {
            strategy,
            map: map.unwrap_or_default(),
            domain: domain.clone(),
            micro: domain.between(0, level),
            blocks: domain.between(level, domain.level()),
        };
        if grid.places() >= 1 << 63 {
            let level = domain.level();
            return by_lanes(format!(
                "at level {level} of `{fractal}` the strategy `{strategy_name}` would keep more places than 63 bits can count"
            ));
        }
        Ok(grid)
    }

    /// All valid ρ of a fractal at a level, ascending.
    pub fn sides(domain: &Domain) -> Vec<u64> {
        let axes = domain.dimension().axes() as u32;
        let places = |side: u64| side.checked_pow(axes).unwrap_or(u64::MAX);
        let sides = (0..=domain.level()).map(|level| domain.scale_product(level)[0]);
        sides.take_while(|&side| places(side) <= MOST_PLACES).collect()
    }

    /// The whole fractal.
    pub fn domain(&self) -> &Domain {
        &self.domain
    }

    /// The levels above the blocks: what the maps map.
    pub fn blocks(&self) -> &Domain {
        &self.blocks
    }

    /// The fractal inside each block.
    pub fn micro(&self) -> &Domain {
        &self.micro
    }

    /// ρ.
    pub fn rho(&self) -> u64 {
        self.micro.side()
    }

    pub(super) fn axes(&self) -> usize {
        self.domain.dimension().axes()
    }

    /// Places of one block, ρ^D.
    pub(crate) fn block_places(&self) -> u64 {
        self.rho().pow(self.axes() as u32)
    }

    /// How many blocks are visited in each step.
    pub fn visited(&self) -> u64 {
        match self.strategy {
            Strategy::BoundingBox => self.blocks.side().saturating_pow(self.axes() as u32),
            Strategy::Lambda | Strategy::Squeeze => self.blocks.cells(),
        }
    }

    /// How many places a state has in memory, holes included.
    pub fn places(&self) -> u128 {
        match self.strategy {
            Strategy::BoundingBox | Strategy::Lambda => {
                u128::from(self.domain.side()).checked_pow(self.axes() as u32).unwrap_or(u128::MAX)
            }
            Strategy::Squeeze => u128::from(self.blocks.cells()) * u128::from(self.block_places()),
        }
    }

    /// Whether block numbers and coordinates need 64 bits. Coordinates may go a little beyond the side.
    pub(super) fn wide(&self) -> bool {
        self.domain.side().max(self.visited()) >= 1 << 31
    }

    /// The weight of each level's digit in the number under which compact space keeps a block: the place of ω in rows
    /// (x fastest), with the digits dealt to the axes in turn (2022, §3.1; see [`CompactSpace`]).
    pub fn weights(&self) -> Vec<u64> {
        let space = CompactSpace::new(&self.blocks);
        let strides = self.strides();
        (1..=self.blocks.level()).map(|mu| space.weight(mu) * strides[space.axis(mu)]).collect()
    }

    /// The difference of a block's number for one step along each axis of compact space.
    pub(super) fn strides(&self) -> [u64; 3] {
        let [width, height, _] = CompactSpace::new(&self.blocks).extent();
        [1, width, width * height]
    }

    /// The patterns of the whole fractal, each once, and for each level (finest first) which.
    pub(super) fn patterns(&self) -> (Vec<Arc<Pattern>>, Vec<usize>) {
        let mut patterns: Vec<Arc<Pattern>> = Vec::new();
        let mut index = Vec::new();
        for mu in 1..=self.domain.level() {
            let pattern = self.domain.pattern(mu);
            let place = patterns.iter().position(|known| known == pattern);
            index.push(place.unwrap_or(patterns.len()));
            if place.is_none() {
                patterns.push(Arc::clone(pattern));
            }
        }
        (patterns, index)
    }
}
