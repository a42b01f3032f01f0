//! Copies of the states that another thread reads while the device goes on.
//!
//! The states are copied on the device, which takes microseconds; from there a stream of its own brings them to the host. There are at
//! most [`MOST`] such copies. If the device has no room for a copy, the caller waits for a direct download.

use super::driver::{Device, Memory, Pin, SideStream};
use crate::states::States;
use crate::{Result, Snapshot, install};
use rayon::ThreadPool;
use squeeze_compiler::ir::StateId;
use std::ops::Range;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

/// The most copies: one may be filled while another is written.
const MOST: usize = 2;

/// The copies that no thread reads.
#[derive(Clone, Default)]
pub(super) struct CopyPool(Arc<Shared>);

#[derive(Default)]
struct Shared {
    places: Mutex<Places>,
    returned: Condvar,
}

#[derive(Default)]
struct Places {
    idle: Vec<CopySlot>,
    /// The number of copies, with those that are being read.
    made: usize,
    /// There was no memory for one more.
    full: bool,
}

/// Room for one copy. Fields are dropped in their order: pins before what they pin.
struct CopySlot {
    stream: SideStream,
    on_device: Vec<Memory>,
    _pins: Vec<Pin>,
    on_host: States,
    /// Threads that read it.
    pool: Arc<ThreadPool>,
}

/// A copy that is read.
struct Copy {
    place: Option<CopySlot>,
    /// Whether it has come to the host.
    fetched: bool,
    shelf: CopyPool,
}

/// Gives the host's memory for a new copy and the threads that read it; `None` if there is too little memory there or on the device.
pub(super) type NewHost<'a> = dyn Fn() -> Result<Option<(States, Arc<ThreadPool>)>> + 'a;

impl CopyPool {
    fn places(&self) -> MutexGuard<'_, Places> {
        self.0.places.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Copies states on the device, when all kernels before have run. `host` makes memory for one more copy.
    pub(super) fn copy(
        &self,
        device: &Arc<Device>,
        states: &[&Memory],
        host: &NewHost<'_>,
    ) -> Result<Option<Box<dyn Snapshot>>> {
        let mut places = self.places();
        let place = loop {
            if let Some(place) = places.idle.pop() {
                break place;
            }
            if places.made < MOST && !places.full {
                match CopySlot::new(device, states, host)? {
                    Some(place) => {
                        places.made += 1;
                        break place;
                    }
                    None => places.full = true,
                }
            }
            if places.made == 0 {
                return Ok(None);
            }
            if places.idle.is_empty() {
                places = self.0.returned.wait(places).unwrap_or_else(PoisonError::into_inner);
            }
        };
        drop(places);
        // From here on the place goes back to the shelf whatever happens.
        let copy = Copy { place: Some(place), fetched: false, shelf: self.clone() };
        for (target, state) in copy.place.iter().flat_map(|place| &place.on_device).zip(states) {
            target.copy_from(state)?;
        }
        device.synchronize()?;
        Ok(Some(Box::new(copy)))
    }
}

impl CopySlot {
    fn new(device: &Arc<Device>, states: &[&Memory], host: &NewHost<'_>) -> Result<Option<CopySlot>> {
        let Some((mut on_host, pool)) = host()? else { return Ok(None) };
        let memories: std::result::Result<Vec<Memory>, _> =
            states.iter().map(|state| Memory::zeroed(device, state.len() as u64)).collect();
        // Another process may have taken memory that was free just now.
        let Ok(on_device) = memories else { return Ok(None) };
        let stream = SideStream::new(device)?;
        // SAFETY: the place drops the pins before the buffers, which never move.
        let pin = |state| unsafe { Pin::new(device, on_host.field_mut(state).now.as_mut_slice()) };
        let pins = (0..states.len() as u16).map(StateId).filter_map(pin).collect();
        Ok(Some(CopySlot { stream, on_device, _pins: pins, on_host, pool }))
    }
}

impl Snapshot for Copy {
    fn read(&mut self, state: StateId, cells: Range<u64>, bytes: &mut [u8]) -> Result<()> {
        let place = self.place.as_mut().expect("it is taken only when this is dropped");
        if !self.fetched {
            for (state, memory) in (0..).map(StateId).zip(&place.on_device) {
                let list = place.on_host.field_mut(state).now.as_mut_slice();
                // Behind the last block of the device there is one of zeros.
                place.stream.download(memory, list)?;
            }
            self.fetched = true;
        }
        let CopySlot { on_host, pool, .. } = place;
        install(pool, || on_host.read(state, cells, bytes));
        Ok(())
    }
}

impl Drop for Copy {
    fn drop(&mut self) {
        let mut places = self.shelf.places();
        places.idle.extend(self.place.take());
        drop(places);
        self.shelf.0.returned.notify_one();
    }
}
