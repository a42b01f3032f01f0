//! How long columns take from one device to another, by the kernel that packs those of parts.

use super::cache::KernelCache;
use super::code::image;
use super::driver::{Device, DoneMark, Memory};
use super::error::CudaError;
use super::measure::Measure;
use super::nvrtc::Nvrtc;
use super::room::RESERVE;
use crate::Result;
use squeeze_compiler::emit::cuda::measuring_kernels;
use std::sync::Arc;
use std::time::Instant;

/// Bytes that are moved at once, in stretches as those of columns.
const BYTES: u64 = 256 << 20;
const STRETCH: u64 = 2048;
/// How often they are, and how often next to nothing goes to and fro.
const TIMES: u32 = 8;
const TURNS: u32 = 200;

/// The time of a link, in one direction.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LinkTime {
    /// Seconds until the other device goes on that has waited for next to nothing.
    pub start: f64,
    /// Bytes in a second.
    pub bandwidth: f64,
}

/// One end of a link.
struct LinkEnd {
    device: Arc<Device>,
    measure: Measure,
    memory: Memory,
    mark: DoneMark,
}

impl LinkEnd {
    fn new(number: i32) -> Result<LinkEnd> {
        let device = Device::numbered(number)?;
        let (nvrtc, cache) = (Nvrtc::find()?, KernelCache::usual());
        let image = image(&nvrtc, &cache, device.architecture()?, &measuring_kernels())?;
        let (measure, memory) = (Measure::new(&device, &image)?, Memory::zeroed(&device, BYTES)?);
        let mark = DoneMark::new(&device)?;
        Ok(LinkEnd { device, measure, memory, mark })
    }

    /// Starts to move some first bytes to the other end.
    fn send(&self, stretches: &Memory, to: &LinkEnd) -> Result<()> {
        // SAFETY: the stretches lie in both memories, which this device reaches, and which live until both devices were waited for.
        unsafe { self.measure.move_columns(&self.device, stretches, self.memory.address(), to.memory.address()) }
    }
}

/// Measures the way from a device to another one; `None` if one of them does not reach the memory of the other, or has no room.
///
/// # Errors
/// If a device fails.
pub fn link_time(from: i32, to: i32) -> Result<Option<LinkTime>> {
    let [first, second] = [Device::numbered(from)?, Device::numbered(to)?];
    let reach = first.is_reached_from(to)? && second.is_reached_from(from)?;
    let has_room = |device: &Device| Ok::<_, CudaError>(device.free_memory()?.saturating_sub(RESERVE) > BYTES);
    if !(reach && has_room(&first)? && has_room(&second)?) {
        return Ok(None);
    }
    let ends = [LinkEnd::new(from)?, LinkEnd::new(to)?];
    let [here, there] = &ends;
    here.device.reach(&there.memory)?;
    there.device.reach(&here.memory)?;
    let all: Vec<u64> = (0..BYTES).step_by(STRETCH as usize).flat_map(|first| [first, first, STRETCH]).collect();
    let all = Memory::of(&here.device, &all)?;
    let few = [Memory::of(&here.device, &[0u64, 0, 16])?, Memory::of(&there.device, &[0u64, 0, 16])?];
    let wait = || Ok::<_, CudaError>([here.device.synchronize()?, there.device.synchronize()?]);
    let to_and_fro = |turns: u32| -> Result<f64> {
        wait()?;
        let begin = Instant::now();
        for _ in 0..turns {
            for (number, own) in ends.iter().enumerate() {
                let other = &ends[1 - number];
                own.send(&few[number], other)?;
                own.mark.set()?;
                own.mark.awaited_by(&other.device)?;
            }
        }
        wait()?;
        Ok(begin.elapsed().as_secs_f64())
    };
    let at_once = |times: u32| -> Result<f64> {
        wait()?;
        let begin = Instant::now();
        (0..times).try_for_each(|_| here.send(&all, there))?;
        wait()?;
        Ok(begin.elapsed().as_secs_f64())
    };
    // The first of each loads code.
    to_and_fro(1)?;
    at_once(1)?;
    let start = to_and_fro(TURNS)? / f64::from(2 * TURNS);
    let bandwidth = (BYTES * u64::from(TIMES)) as f64 / at_once(TIMES)?;
    Ok(Some(LinkTime { start, bandwidth }))
}
