//! A rank's part on a GPU.

use super::ghosts::Reader;
use super::part::{RankPart, Room};
use super::transport::Transport;
use crate::cuda::{Cuda, DeviceLink};
use crate::parts::PartEngine;
use crate::states::ghosts::{GhostPeer, GhostsRead};
use crate::{Backend, Engine, EngineError, EngineOptions, MemberInputs, Result};
use squeeze_compiler::Target;
use squeeze_compiler::geometry::FittedRule;
use squeeze_compiler::layout::StoredAs;
use squeeze_compiler::layout::columns::Columns;
use squeeze_compiler::layout::unit::Slot;
use squeeze_compiler::plan::Plan;
use std::ops::Range;

/// The engine of a whole domain on a GPU.
pub(super) fn alone((rule, inputs): (&FittedRule, &MemberInputs), options: &EngineOptions) -> Result<Box<dyn Engine>> {
    Ok(Box::new(Cuda::new(rule, vec![inputs.clone()], options)?))
}

impl RankPart for Cuda {
    const BACKEND: Backend = Backend::Cuda;
    type Link = DeviceLink;

    fn made(rule: &FittedRule, inputs: &MemberInputs, options: &EngineOptions) -> Result<Cuda> {
        let cuda = Cuda::new(rule, vec![inputs.clone()], options)?;
        let storage = &Cuda::plan(&cuda).storage;
        if storage.is_cut() && storage.memory == StoredAs::Cells {
            let why = "several GPUs do not exchange the cells of a mask that are stored alone, as they are with `--packed` and where rows do not fit";
            return Err(EngineError::Undivided(why.to_owned()));
        }
        Ok(cuda)
    }

    fn target(options: &EngineOptions) -> Result<Target> {
        let machine = options.hardware.clone().and_then(|hardware| hardware.gpu());
        Ok(Target::cuda().on(machine).without(options.off))
    }

    fn room(options: &EngineOptions) -> Result<Room> {
        let (bytes, identity) = crate::cuda::room_of(options)?;
        Ok(Room { bytes, memory: Some(identity) })
    }

    fn plan(&self) -> &Plan {
        Cuda::plan(self)
    }

    fn columns(&self, state: u16) -> Option<Columns> {
        Cuda::columns(self, state)
    }

    fn kernels(&mut self, steps: u32) -> Result<usize> {
        PartEngine::kernels(self, steps)
    }

    fn ghosts_read(&mut self, reader: &Reader) -> Result<GhostsRead> {
        match reader {
            Reader::Kernel(steps, kernel) => self.ghosts_of_kernel(*steps, *kernel),
            Reader::Terms(which) => self.ghosts_of_terms(which),
        }
    }

    fn link(
        &mut self,
        transport: &Transport,
        peers: &[GhostPeer],
        (inner, _): (Range<u32>, &[Slot]),
    ) -> Result<DeviceLink> {
        Cuda::link(self, transport, peers, inner)
    }

    fn exchange(&mut self, transport: &Transport, _: &[GhostPeer], link: &DeviceLink) -> Result<()> {
        self.exchange_ghosts(transport, link)
    }

    fn start_kernel(
        &mut self,
        transport: &Transport,
        (_, link): (&[GhostPeer], &DeviceLink),
        (steps, kernel): (u32, usize),
    ) -> Result<()> {
        self.start_kernel_beside(transport, link, (steps, kernel))
    }

    fn wait(&mut self, transport: &Transport) -> Result<()> {
        Cuda::wait(self, transport)
    }
}
