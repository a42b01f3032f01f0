//! The papers' maps between blocks and places, as kernels, against arithmetic of 64 bits.

use squeeze::cuda::kit::{Blocks, Device, KernelCache, Memory, Nvrtc, load};
use squeeze::geometry::CompactSpace;
use squeeze::{Domain, resolve};
use squeeze_papers::emit::{BlockGrid, MapUnit, Strategy, emit_maps};
use std::error::Error;

/// Levels at which the published program goes wrong, and the highest of every fractal, with the blocks that `squeeze` takes by itself.
pub fn grids() -> Vec<(String, BlockGrid)> {
    let mut grids = Vec::new();
    let triangle = resolve::fractal("sierpinski_triangle").expect("it ships");
    for map in MapUnit::ALL {
        for level in 14..=24 {
            let domain = Domain::new(triangle.clone(), level).expect("the level exists");
            let grid = BlockGrid::new(&domain, Strategy::Squeeze, Some(map), Some(16)).expect("it has a grid");
            grids.push((format!("sierpinski_triangle {level} {}", map.name()), grid));
        }
        for name in crate::fractals() {
            let fractal = resolve::fractal(&name).expect("it ships");
            let highest = (0..=Domain::largest_level(&fractal)).rev();
            let grid = highest.filter_map(|level| Domain::new(fractal.clone(), level).ok());
            let grid =
                grid.filter_map(|domain| BlockGrid::new(&domain, Strategy::Squeeze, Some(map), None).ok()).next();
            // Rectangles and lines have no grid; all other fractals have one for level 0.
            let is_square = |scale: Option<u32>| scale.is_some() && fractal.dimension.axes() > 1;
            let squares = fractal.patterns.iter().all(|pattern| is_square(pattern.uniform_scale()));
            assert_eq!(grid.is_some(), squares, "{name}");
            let Some(grid) = grid else { continue };
            grids.push((format!("{name} {} {}", grid.domain().level(), map.name()), grid));
        }
    }
    grids
}

/// The maps of a grid as a GPU computes them.
struct Mapped {
    /// How many blocks stand behind each first number.
    group: u64,
    /// How many blocks are around one, itself included and in the middle; in reading order.
    around: usize,
    /// For each block, λ of its number; a number that is too large counts as 0.
    points: Vec<[u64; 3]>,
    /// For `squeeze`, for each block and direction ν: the number of the block there, `u64::MAX` if there is none.
    numbers: Vec<u64>,
}

/// Computes the maps of groups of blocks that begin at these numbers on the first GPU.
fn mapped(grid: &BlockGrid, firsts: &[u64]) -> Result<Mapped, Box<dyn Error>> {
    let program = emit_maps(grid)?;
    let device = Device::first()?;
    let (nvrtc, cache) = (Nvrtc::find()?, KernelCache::usual());
    let module = load(&device, &nvrtc, &cache, &program.text)?;
    let around = 3usize.pow(grid.domain().dimension().axes() as u32);
    let blocks = firsts.len() * program.groups as usize;
    let nu = grid.strategy == Strategy::Squeeze;
    let firsts_there = Memory::of(&device, firsts)?;
    let points = Memory::zeroed(&device, 24 * blocks as u64)?;
    let numbers = Memory::zeroed(&device, if nu { 8 * (blocks * around) as u64 } else { 0 })?;
    let mut addresses = vec![firsts_there.address(), points.address(), numbers.address()];
    addresses.truncate(if nu { 3 } else { 2 });
    let function = module.function("check_maps")?;
    let blocks = Blocks::new(firsts.len() as u64, program.threads)?;
    // SAFETY: the kernel takes these arguments, which have room for as many blocks as the groups hold, and they live until the
    // device was waited for.
    unsafe { function.launch(blocks, addresses)? };
    device.synchronize()?;
    let words = |memory: &Memory| -> Result<Vec<u64>, Box<dyn Error>> {
        let mut bytes = vec![0; memory.len()];
        memory.download(0, &mut bytes)?;
        Ok(bytes.as_chunks::<8>().0.iter().map(|word| u64::from_le_bytes(*word)).collect())
    };
    let points = words(&points)?.as_chunks::<3>().0.to_vec();
    Ok(Mapped { group: program.groups, around, points, numbers: words(&numbers)? })
}

/// The number under which compact space keeps the block at a point of the grid of blocks; `None` if there is none.
fn number_at(grid: &BlockGrid, point: [u64; 3]) -> Option<u64> {
    let space = CompactSpace::new(grid.blocks());
    let ([x, y, z], [width, height, _]) = (space.from_canonical(grid.blocks().nu(point)?), space.extent());
    Some(x + width * (y + height * z))
}

/// Where the block that compact space keeps under a number lies in the grid of blocks.
fn point_of(grid: &BlockGrid, number: u64) -> [u64; 3] {
    let space = CompactSpace::new(grid.blocks());
    let [width, height, _] = space.extent();
    let omega = [number % width, number / width % height, number / width / height];
    let blocks = grid.blocks();
    let digit = |mu| omega[space.axis(mu)] / space.weight(mu) % blocks.pattern(mu).k();
    blocks.lambda((1..=blocks.level()).map(|mu| digit(mu) * blocks.cell_product(mu - 1)).sum())
}

/// Compares a map of random groups of blocks, and of all beside the places where a digit changes.
///
/// # Panics
/// If one is wrong, or there is no GPU.
pub fn compare(name: &str, grid: &BlockGrid, groups: usize) {
    let blocks = grid.visited();
    let mut firsts = vec![0, blocks.saturating_sub(16)];
    for weight in grid.weights() {
        firsts.extend((1..=3).map(|digit| (weight * digit).saturating_sub(8).min(blocks - 1)));
    }
    let mut seed = 0x9E37_79B9_7F4A_7C15u64;
    firsts.extend((0..groups).map(|_| {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((u128::from(seed) * u128::from(blocks)) >> 64) as u64
    }));
    let mapped = mapped(grid, &firsts).expect("there is a GPU");
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    let share = firsts.len().div_ceil(threads);
    std::thread::scope(|scope| {
        for (part, firsts) in firsts.chunks(share).enumerate() {
            let mapped = &mapped;
            scope.spawn(move || {
                for (group, first) in firsts.iter().enumerate() {
                    for block in 0..mapped.group.min(blocks - first) {
                        let at = (part * share + group) * mapped.group as usize + block as usize;
                        let point = point_of(grid, first + block);
                        assert_eq!(mapped.points[at], point, "{name}: the block {}", first + block);
                        for direction in 0..mapped.around {
                            let way = [direction % 3, direction / 3 % 3, direction / 9];
                            let mut there = [0; 3];
                            for axis in 0..if mapped.around == 9 { 2 } else { 3 } {
                                there[axis] = point[axis].wrapping_add(way[axis] as u64).wrapping_sub(1);
                            }
                            let wanted = number_at(grid, there).unwrap_or(u64::MAX);
                            let found = mapped.numbers[at * mapped.around + direction];
                            assert_eq!(found, wanted, "{name}: beside the block {} at {there:?}", first + block);
                        }
                    }
                }
            });
        }
    });
    println!("{name}: {} groups of {} blocks agree", firsts.len(), mapped.group);
}
