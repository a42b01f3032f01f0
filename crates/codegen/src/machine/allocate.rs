//! Registers by furthest next use (Belady), in one walk: for vectors and for masks.
//!
//! Values that stand in memory anyway are never spilled but loaded again, and are operands straight from memory where they are used
//! for the last time. A call of a helper leaves nothing in registers. An instruction that overwrites its first source takes one
//! which is not needed any more, or will be needed once more and stands in memory, if its order can be chosen; else it works on a copy.

use super::assembly_error::AssemblyError;
use super::frame::{self, AREA, LoopColumn, MOST_FRAME, SHORT};
use super::graph::{
    Base, ColumnAddress, Fold, GraphNode, GroupStride, Id, Instruct, InstructionGraph, LoadForm, Masking, Order,
    RegisterClass, StoreForm,
};
use super::isa::InstructionTable;
use super::pointers::{FixedRegisters, LOW, PointerRegisters, SCRATCH};
use crate::Call;
use iced_x86::{Code, Instruction, MemoryOperand, Register};
use std::mem::offset_of;

/// The code of one group.
pub(super) struct GroupCode {
    /// The loads of base pointers that stay in registers from group to group.
    pub loads: Vec<Instruction>,
    /// The loop's body.
    pub looped: Vec<Instruction>,
    /// Whether helpers are called: then there are areas for operands at the bottom of the frame.
    pub calls: bool,
    /// The bytes of the frame below the slots.
    pub below: usize,
    /// Vectors that are only computed where their arguments are rare; then all registers have a place in the frame.
    pub rescues: Vec<Rescue>,
    /// The slots of the frame, a vector each.
    pub slots: usize,
    /// Vectors and masks stored because registers were short.
    pub spills: usize,
    /// The registers with one meaning.
    pub fixed: FixedRegisters,
    /// The caller's registers that it uses.
    pub saved: Vec<Register>,
    /// The words of short columns, if a mask register must hold them.
    pub masked_words: Option<u8>,
}

/// A place in the code where a vector is computed anew if a jump is taken.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Rescue {
    /// Before which instruction.
    pub place: usize,
    /// The jump.
    pub jump: Code,
    /// The function.
    pub address: usize,
    /// The place of its random words.
    pub word: u32,
    /// The vector registers of its arguments and of its result, by number.
    pub registers: [u8; 3],
}

/// Makes the body for a graph.
pub(super) fn body(graph: &InstructionGraph, column: LoopColumn) -> Result<GroupCode, AssemblyError> {
    let mut allocator = RegisterAllocator::new(graph, column.is_looped());
    allocator.keep_pointers()?;
    allocator.begin_carried()?;
    let loads = std::mem::take(&mut allocator.code);
    for (place, node) in graph.nodes.iter().enumerate() {
        allocator.node(place as Id, *node)?;
        if allocator.slots.len() * graph.table.vector > MOST_FRAME {
            return Err(AssemblyError::TooLarge("too many values live at once"));
        }
    }
    let RegisterAllocator { code, slots, spills, fixed, pointers, masked_words, calls, rescues, below, .. } = allocator;
    let saved = pointers.callers(&fixed);
    Ok(GroupCode { loads, looped: code, calls, below, rescues, slots: slots.len(), spills, fixed, saved, masked_words })
}

/// A register of a class, by number.
type RegisterNumber = u8;

/// Where a value's second home is.
#[derive(Clone, Copy)]
enum SecondHome {
    Address(LoadForm, ColumnAddress),
    Constant(bool),
    Slot(usize),
}

struct RegisterAllocator<'a> {
    graph: &'a InstructionGraph,
    table: &'static InstructionTable,
    looped: bool,
    calls: bool,
    /// The bytes of the frame below the slots.
    below: usize,
    rescues: Vec<Rescue>,
    code: Vec<Instruction>,
    /// Per node the places of its uses that are still ahead, the next one last.
    uses: Vec<Vec<Id>>,
    register_of: Vec<Option<RegisterNumber>>,
    /// Per register its node.
    vectors: Vec<Option<Id>>,
    masks: Vec<Option<Id>>,
    slot_of: Vec<Option<usize>>,
    /// Per slot whether it is taken.
    slots: Vec<bool>,
    fixed: FixedRegisters,
    pointers: PointerRegisters,
    spills: usize,
    masked_words: Option<u8>,
}

impl<'a> RegisterAllocator<'a> {
    fn new(graph: &'a InstructionGraph, looped: bool) -> RegisterAllocator<'a> {
        let nodes = graph.nodes.len();
        let mut uses: Vec<Vec<Id>> = vec![Vec::new(); nodes];
        for (place, node) in graph.nodes.iter().enumerate().rev() {
            // A node that no other uses does not count as a user.
            if node.is_effect() || !uses[place].is_empty() {
                node.operands().for_each(|operand| uses[operand as usize].push(place as Id));
            }
        }
        let mut masks = vec![None; 8];
        // Mask 0 means no mask.
        masks[0] = Some(Id::MAX);
        let (fixed, calls) = (FixedRegisters::of(graph), graph.has_calls());
        let scratch = graph.nodes.iter().any(|node| matches!(node, GraphNode::Store(StoreForm::Signs, ..)));
        RegisterAllocator {
            graph,
            table: graph.table,
            looped,
            calls,
            below: frame::areas(graph.table, calls, graph.has_rescues()),
            rescues: Vec::new(),
            code: Vec::with_capacity(nodes),
            uses,
            register_of: vec![None; nodes],
            vectors: vec![None; graph.table.registers],
            masks,
            slot_of: vec![None; nodes],
            slots: Vec::new(),
            fixed,
            pointers: PointerRegisters::new(&fixed, looped, scratch || calls || graph.has_rescues()),
            spills: 0,
            masked_words: None,
        }
    }

    fn file(&mut self, class: RegisterClass) -> &mut Vec<Option<Id>> {
        match class {
            RegisterClass::Vector => &mut self.vectors,
            RegisterClass::Mask => &mut self.masks,
        }
    }

    fn class(&self, value: Id) -> RegisterClass {
        self.graph.nodes[value as usize].class().expect("what has no value is no operand")
    }

    fn is_needed(&self, value: Id) -> bool {
        !self.uses[value as usize].is_empty()
    }

    fn push2(&mut self, code: Code, to: Register, from: Register) -> Result<(), AssemblyError> {
        self.code.push(Instruction::with2(code, to, from)?);
        Ok(())
    }

    fn load(&mut self, code: Code, to: Register, from: MemoryOperand) -> Result<(), AssemblyError> {
        self.code.push(Instruction::with2(code, to, from)?);
        Ok(())
    }

    fn put(&mut self, code: Code, to: MemoryOperand, from: Register) -> Result<(), AssemblyError> {
        self.code.push(Instruction::with2(code, to, from)?);
        Ok(())
    }

    fn node(&mut self, place: Id, node: GraphNode) -> Result<(), AssemblyError> {
        if !node.is_effect() && !self.is_needed(place) {
            return Ok(());
        }
        for operand in node.operands() {
            let used = self.uses[operand as usize].pop();
            debug_assert_eq!(used, Some(place));
        }
        match node {
            // Loaded where they are used.
            GraphNode::Load(..) | GraphNode::Same(..) | GraphNode::Carried(..) => {}
            GraphNode::Do(instruct) => self.instruct(place, instruct)?,
            GraphNode::Call { address, arguments, count, parts } => {
                self.call(address, &arguments[..usize::from(count)], usize::from(parts))?;
            }
            GraphNode::Rescue { address, operands, negated, long, place: word } => {
                self.rescue(place, (address, word), operands, negated, long)?;
            }
            GraphNode::Result(_, part) => {
                let register = self.take(RegisterClass::Vector, &[])?;
                let from = self.area(2, usize::from(part));
                self.load((self.table.load)(LoadForm::Whole), self.vector(register), from)?;
                self.assign(RegisterClass::Vector, register, place);
            }
            GraphNode::Store(store, to, value) => {
                let register = self.ensure(value, &[])?;
                self.store(store, to, register, value)?;
                self.release(value);
            }
            GraphNode::Carry(carried, value) => {
                let register = self.ensure(value, &[])?;
                if let Some(own) = self.register_of[carried as usize] {
                    self.push2(self.table.copy, self.vector(own), self.vector(register))?;
                }
                self.release(value);
            }
            GraphNode::Ahead(place) => {
                let place = self.address(place)?;
                self.code.push(Instruction::with1(Code::Prefetcht1_m8, place)?);
            }
        }
        Ok(())
    }

    fn instruct(&mut self, place: Id, instruct: Instruct) -> Result<(), AssemblyError> {
        let instruct = self.ordered(instruct);
        let explicit = usize::from(instruct.overwrites);
        let count = usize::from(instruct.count);
        let all: Vec<Id> = GraphNode::Do(instruct).operands().collect();
        let sources = &instruct.sources[explicit..count];
        let last = instruct.sources[count - 1];
        // Its other uses need a register, or the same value is another operand too.
        let in_memory = !sources.is_empty()
            && self.folds(instruct.fold, last)
            && !instruct.sources[..count - 1].contains(&last)
            && instruct.mask.is_none_or(|(mask, _)| mask != last);
        for id in instruct.sources[..count - 1].iter().chain((!in_memory).then_some(&last)) {
            self.ensure(*id, &all)?;
        }
        let mask = match instruct.mask {
            Some((mask, masking)) => {
                let number = self.ensure(mask, &all)?;
                Some((self.named(self.class(mask), number, false), masking))
            }
            None => None,
        };
        let memory = if in_memory { Some(self.operand(last)?) } else { None };
        let in_registers = &sources[..sources.len() - usize::from(in_memory)];
        let mut registers: Vec<Register> = Vec::with_capacity(3);
        for (i, id) in in_registers.iter().enumerate() {
            let number = self.register_of[*id as usize].expect("it was ensured");
            registers.push(self.named(self.class(*id), number, instruct.halves >> (1 + explicit + i) & 1 == 1));
        }
        let result = if instruct.overwrites {
            self.overwritten(&instruct, &all)?
        } else {
            // The result may take a register that becomes free; a slot that is read must not be given away before.
            all.iter().filter(|id| !(in_memory && **id == last)).for_each(|id| self.release(*id));
            self.take(instruct.class, &all)?
        };
        all.iter().for_each(|id| self.release(*id));
        let to = self.named(instruct.class, result, instruct.halves & 1 == 1);
        let is_low = |register: &Register| (*register as usize).wrapping_sub(self.table.names[0] as usize) < 16;
        let short = memory.is_none() && registers.iter().chain([&to]).all(is_low);
        let code = Some(instruct.code).filter(|_| short).and_then(self.table.shorter).unwrap_or(instruct.code);
        // A mask that is a vector is an operand.
        let behind = mask.map(|(mask, _)| mask).filter(|mask| mask.is_vector_register());
        let immediate = instruct.immediate.map(i32::from);
        let mut made = match (&*registers, memory, immediate, behind) {
            ([], None, Some(i), None) => Instruction::with2(code, to, i)?,
            ([a], None, None, None) => Instruction::with2(code, to, *a)?,
            ([], Some(m), None, None) => Instruction::with2(code, to, m)?,
            ([a], None, Some(i), None) => Instruction::with3(code, to, *a, i)?,
            ([], Some(m), Some(i), None) => Instruction::with3(code, to, m, i)?,
            ([a, b], None, None, None) => Instruction::with3(code, to, *a, *b)?,
            ([a], Some(m), None, None) => Instruction::with3(code, to, *a, m)?,
            ([a, b], None, Some(i), None) => Instruction::with4(code, to, *a, *b, i)?,
            ([a], Some(m), Some(i), None) => Instruction::with4(code, to, *a, m, i)?,
            ([a, b], None, None, Some(c)) => Instruction::with4(code, to, *a, *b, c)?,
            ([a], Some(m), None, Some(c)) => Instruction::with4(code, to, *a, m, c)?,
            _ => unreachable!("instructions have one or two operands besides the result"),
        };
        if let Some((mask, masking)) = mask.filter(|_| behind.is_none()) {
            made.set_op_mask(mask);
            made.set_zeroing_masking(masking == Masking::Zero);
        }
        self.code.push(made);
        self.assign(instruct.class, result, place);
        Ok(())
    }

    /// The instruction with its sources in the best order.
    fn ordered(&self, mut instruct: Instruct) -> Instruct {
        let count = usize::from(instruct.count);
        let Instruct { sources, fold, overwrites, .. } = instruct;
        match instruct.order {
            Order::Fixed => {}
            Order::Commutes => {
                let [first, last] = [sources[count - 2], sources[count - 1]];
                let dies = |value| !self.is_needed(value);
                let is_better = self.folds(fold, first) || (overwrites && !dies(first) && dies(last));
                if is_better && !self.folds(fold, last) {
                    instruct.sources.swap(count - 2, count - 1);
                }
            }
            Order::Table => {
                let in_memory = (0..3).find(|i| self.folds(fold, sources[*i]));
                let others: Vec<usize> = (0..3).filter(|i| Some(*i) != in_memory).collect();
                let is_best = |again: bool| others.iter().copied().find(|i| self.may_overwrite(sources[*i], again));
                let first = is_best(false).or_else(|| is_best(true)).unwrap_or(others[0]);
                let last = others.iter().copied().rfind(|i| *i != first).expect("three operands");
                let last = in_memory.unwrap_or(last);
                let order = [first, 3 - first - last, last];
                instruct.sources = order.map(|i| sources[i]);
                instruct.immediate = instruct.immediate.map(|table| permuted(table, order));
            }
        }
        instruct
    }

    /// Whether a value's register may be overwritten: it is not needed any more, or (if `again`) once more and can be loaded again.
    fn may_overwrite(&self, value: Id, again: bool) -> bool {
        let uses = self.uses[value as usize].len();
        if self.is_carried(value) {
            return false;
        }
        uses == 0 || (again && uses == 1 && self.home(value).is_some())
    }

    /// The register for a result that overwrites the first source.
    fn overwritten(&mut self, instruct: &Instruct, all: &[Id]) -> Result<RegisterNumber, AssemblyError> {
        let old = instruct.sources[0];
        let held = self.register_of[old as usize].expect("it was ensured");
        let elsewhere = GraphNode::Do(*instruct).operands().skip(1).any(|id| id == old);
        if self.may_overwrite(old, !elsewhere) {
            self.vectors[usize::from(held)] = None;
            self.register_of[old as usize] = None;
            return Ok(held);
        }
        let free = self.take(RegisterClass::Vector, all)?;
        self.push2(self.table.copy, self.vector(free), self.vector(held))?;
        Ok(free)
    }

    /// True if a value that is only in memory should be an operand from there: constants always, others at their last use.
    fn folds(&self, fold: Fold, value: Id) -> bool {
        if fold == Fold::No || self.register_of[value as usize].is_some() {
            return false;
        }
        let is_last = !self.is_needed(value);
        match (self.home(value), fold) {
            (None | Some(SecondHome::Constant(_)), _) => false,
            (Some(SecondHome::Slot(_)), _) => is_last && self.class(value) == RegisterClass::Vector,
            (Some(SecondHome::Address(LoadForm::Whole, ColumnAddress { base: Base::Pool, .. })), _) => true,
            // An instruction that overwrites its source needs an aligned address.
            (Some(SecondHome::Address(LoadForm::Whole, _)), _) => is_last && !self.table.overwrites,
            (Some(SecondHome::Address(LoadForm::Four, _)), Fold::Four)
            | (Some(SecondHome::Address(LoadForm::Eight, _)), Fold::Eight) => true,
            _ => false,
        }
    }

    /// The address of a value that [`RegisterAllocator::folds`].
    fn operand(&mut self, value: Id) -> Result<MemoryOperand, AssemblyError> {
        match self.home(value).expect("it stands in memory") {
            SecondHome::Address(load, place) => {
                let mut memory = self.address(place)?;
                memory.is_broadcast = load != LoadForm::Whole;
                Ok(memory)
            }
            SecondHome::Slot(slot) => Ok(self.slot(slot)),
            SecondHome::Constant(_) => unreachable!("zeros and ones are not read from memory"),
        }
    }

    fn home(&self, value: Id) -> Option<SecondHome> {
        match self.graph.nodes[value as usize] {
            GraphNode::Load(load, place) => Some(SecondHome::Address(load, place)),
            GraphNode::Same(ones, _) => Some(SecondHome::Constant(ones)),
            _ => self.slot_of[value as usize].map(SecondHome::Slot),
        }
    }

    /// Makes sure that a value stands in a register. The values of `keep` stay in theirs.
    fn ensure(&mut self, value: Id, keep: &[Id]) -> Result<RegisterNumber, AssemblyError> {
        if let Some(register) = self.register_of[value as usize] {
            return Ok(register);
        }
        let class = self.class(value);
        let number = self.take(class, keep)?;
        let register = self.named(class, number, false);
        match self.home(value).expect("a value stands in a register or in memory") {
            SecondHome::Constant(ones) => self.constant(class, register, ones)?,
            SecondHome::Slot(slot) if class == RegisterClass::Mask => {
                self.load(Code::VEX_Kmovw_kr_km16, register, self.slot(slot))?
            }
            SecondHome::Slot(slot) => self.load((self.table.load)(LoadForm::Whole), register, self.slot(slot))?,
            SecondHome::Address(load, place) => {
                let memory = self.address(place)?;
                self.load((self.table.load)(load), register, memory)?;
                if let Some(spread) = self.table.spread.filter(|_| load == LoadForm::Four) {
                    self.code.push(Instruction::with3(spread, register, register, 0)?);
                }
            }
        }
        self.assign(class, number, value);
        Ok(number)
    }

    /// Zeros or ones.
    fn constant(&mut self, class: RegisterClass, to: Register, ones: bool) -> Result<(), AssemblyError> {
        let gates = self.table.gates;
        self.code.push(match (class, gates.table) {
            (RegisterClass::Mask, _) => {
                let code = if ones { Code::VEX_Kxnorw_kr_kr_kr } else { Code::VEX_Kxorw_kr_kr_kr };
                Instruction::with3(code, to, to, to)?
            }
            (RegisterClass::Vector, Some(table)) => Instruction::with4(table, to, to, to, if ones { 0xff } else { 0 })?,
            (RegisterClass::Vector, None) => {
                let equal =
                    if self.table.overwrites { Code::Pcmpeqd_xmm_xmmm128 } else { Code::VEX_Vpcmpeqd_ymm_ymm_ymmm256 };
                let code = if ones { equal } else { gates.xor };
                if self.table.overwrites {
                    Instruction::with2(code, to, to)?
                } else {
                    Instruction::with3(code, to, to, to)?
                }
            }
        });
        Ok(())
    }

    fn store(
        &mut self,
        store: StoreForm,
        to: ColumnAddress,
        number: RegisterNumber,
        value: Id,
    ) -> Result<(), AssemblyError> {
        let code = (self.table.store)(store);
        let memory = self.address(to)?;
        let whole = self.named(self.class(value), number, false);
        let half = self.named(self.class(value), number, true);
        match store {
            StoreForm::Whole | StoreForm::Bytes | StoreForm::Mask => self.put(code, memory, whole),
            StoreForm::Shorts if self.table.has_masks => self.put(code, memory, whole),
            StoreForm::Half | StoreForm::HalfBytes | StoreForm::Shorts | StoreForm::HalfShorts => {
                self.put(code, memory, half)
            }
            StoreForm::Eight => self.put(code, memory, xmm(number)),
            StoreForm::Signs => {
                let (signs, _) = self.table.signs.expect("masks are vectors");
                self.push2(signs, LOW, whole)?;
                self.put(Code::Mov_rm8_r8, memory, Register::AL)
            }
            StoreForm::Words(4) if self.table.gates.table.is_some() => self.put(code, memory, half),
            StoreForm::Words(words) if self.table.gates.table.is_some() => {
                self.masked_words = Some(words);
                let mut masked = Instruction::with2(code, memory, whole)?;
                masked.set_op_mask(SHORT);
                self.code.push(masked);
                Ok(())
            }
            StoreForm::Words(words @ 4..) => {
                self.put(Code::VEX_Vmovdqu_xmmm128_xmm, memory, half)?;
                if words > 4 {
                    let upper = xmm(self.take(RegisterClass::Vector, &[value])?);
                    let (code, immediate) = self.table.upper;
                    self.code.push(Instruction::with3(code, upper, whole, i32::from(immediate))?);
                    self.store_words(to, 16, upper, words - 4)?;
                }
                Ok(())
            }
            StoreForm::Words(words) => self.store_words(to, 0, half, words),
        }
    }

    /// Writes one to three words.
    fn store_words(&mut self, to: ColumnAddress, skip: i32, x: Register, words: u8) -> Result<(), AssemblyError> {
        let [one, two, third] = if self.table.overwrites {
            [Code::Movd_rm32_xmm, Code::Movq_xmmm64_xmm, Code::Pextrd_rm32_xmm_imm8]
        } else {
            [Code::VEX_Vmovd_rm32_xmm, Code::VEX_Vmovq_xmmm64_xmm, Code::VEX_Vpextrd_rm32_xmm_imm8]
        };
        let memory = self.address(ColumnAddress { offset: to.offset + skip, ..to })?;
        self.put(if words == 1 { one } else { two }, memory, x)?;
        if words == 3 {
            let memory = self.address(ColumnAddress { offset: to.offset + skip + 8, ..to })?;
            self.code.push(Instruction::with3(third, memory, x, 2)?);
        }
        Ok(())
    }

    /// Hands the operands over in memory, and calls.
    fn call(&mut self, address: usize, arguments: &[Id], parts: usize) -> Result<(), AssemblyError> {
        for (i, argument) in arguments.iter().enumerate() {
            let register = self.ensure(*argument, arguments)?;
            let to = self.area(i / parts, i % parts);
            self.put((self.table.store)(StoreForm::Whole), to, self.vector(register))?;
        }
        arguments.iter().for_each(|argument| self.release(*argument));
        self.forget_registers()?;
        let operands = arguments.len() / parts;
        let areas: &[usize] = if operands == 1 { &[0, 2] } else { &[0, 1, 2] };
        for (register, area) in [Register::RDI, Register::RSI, Register::RDX].into_iter().zip(areas) {
            let at = self.area(*area, 0);
            self.load(Code::Lea_r64_m, register, at)?;
        }
        self.code.push(Instruction::with2(Code::Mov_r64_imm64, SCRATCH, address as u64)?);
        self.code.push(Instruction::with1(Code::Call_rm64, SCRATCH)?);
        Ok(())
    }

    /// Tests the mask; the code for elements where it holds stands behind the body.
    fn rescue(
        &mut self,
        place: Id,
        (address, word): (usize, u32),
        all: [Id; 4],
        negated: bool,
        long: bool,
    ) -> Result<(), AssemblyError> {
        let [mask, common, x, y] = all;
        for id in all {
            self.ensure(id, &all)?;
        }
        let overwriting = Instruct::new(Code::INVALID, RegisterClass::Vector, &[common, x, y]);
        let result = self.overwritten(&Instruct { mask: Some((mask, Masking::Choose)), ..overwriting }, &all)?;
        let held = |id: Id| self.register_of[id as usize].expect("it was ensured");
        let (arguments, mask) = ([held(x), held(y)], self.named(self.class(mask), held(mask), false));
        // The carry flag is set if all ones are common; else the zero flag, if all zeros are.
        let jump = match self.table.signs {
            Some((signs, all)) => {
                self.push2(signs, LOW, mask)?;
                if negated {
                    self.code.push(Instruction::with2(Code::Cmp_rm32_imm32, LOW, all)?);
                } else {
                    self.push2(Code::Test_rm32_r32, LOW, LOW)?;
                }
                Code::Jne_rel32_64
            }
            None => {
                self.push2(if long { Code::VEX_Kortestb_kr_kr } else { Code::VEX_Kortestw_kr_kr }, mask, mask)?;
                if negated { Code::Jae_rel32_64 } else { Code::Jne_rel32_64 }
            }
        };
        let registers = [arguments[0], arguments[1], result];
        self.rescues.push(Rescue { place: self.code.len(), jump, address, word, registers });
        all.iter().for_each(|id| self.release(*id));
        self.assign(RegisterClass::Vector, result, place);
        Ok(())
    }

    /// Leaves nothing in registers: values that are still needed get a slot.
    fn forget_registers(&mut self) -> Result<(), AssemblyError> {
        for class in [RegisterClass::Vector, RegisterClass::Mask] {
            for number in 0..self.file(class).len() {
                let Some(value) = self.file(class)[number].filter(|value| *value != Id::MAX) else { continue };
                self.evict(class, number as RegisterNumber, value)?;
            }
        }
        self.pointers.forget();
        Ok(())
    }

    /// A free register, or else the register whose value is needed last.
    fn take(&mut self, class: RegisterClass, keep: &[Id]) -> Result<RegisterNumber, AssemblyError> {
        let held = &self.file(class)[..];
        if let Some(free) = held.iter().position(Option::is_none) {
            return Ok(free as RegisterNumber);
        }
        let held: &[Option<Id>] = if class == RegisterClass::Vector { &self.vectors } else { &self.masks };
        let candidates = held.iter().enumerate().filter_map(|(number, held)| Some((number, (*held)?)));
        let (number, value) = candidates
            .filter(|(_, value)| *value != Id::MAX && !keep.contains(value))
            .max_by_key(|(_, value)| self.uses[*value as usize].last().copied().unwrap_or(Id::MAX))
            .expect("there are more registers than operands");
        self.evict(class, number as RegisterNumber, value)?;
        Ok(number as RegisterNumber)
    }

    /// Takes a register from a value, which is stored if it is needed and stands nowhere else.
    fn evict(&mut self, class: RegisterClass, number: RegisterNumber, value: Id) -> Result<(), AssemblyError> {
        if self.is_needed(value) && self.home(value).is_none() {
            let free = self.slots.iter().position(|taken| !taken);
            let slot = free.unwrap_or(self.slots.len());
            self.slots.resize(self.slots.len().max(slot + 1), false);
            self.slots[slot] = true;
            self.slot_of[value as usize] = Some(slot);
            self.spills += 1;
            let code = match class {
                RegisterClass::Vector => (self.table.store)(StoreForm::Whole),
                RegisterClass::Mask => Code::VEX_Kmovw_m16_kr,
            };
            self.put(code, self.slot(slot), self.named(class, number, false))?;
        }
        self.register_of[value as usize] = None;
        self.file(class)[usize::from(number)] = None;
        Ok(())
    }

    fn assign(&mut self, class: RegisterClass, number: RegisterNumber, value: Id) {
        self.file(class)[usize::from(number)] = Some(value);
        self.register_of[value as usize] = Some(number);
    }

    fn is_carried(&self, value: Id) -> bool {
        matches!(self.graph.nodes[value as usize], GraphNode::Carried(..))
    }

    /// Forgets a value that is not needed any more.
    fn release(&mut self, value: Id) {
        if self.is_needed(value) || self.is_carried(value) {
            return;
        }
        if let Some(number) = self.register_of[value as usize].take() {
            let class = self.class(value);
            self.file(class)[usize::from(number)] = None;
        }
        if let Some(slot) = self.slot_of[value as usize].take() {
            self.slots[slot] = false;
        }
    }

    /// Loads base pointers that can stay in registers from group to group, those first that take two loads.
    fn keep_pointers(&mut self) -> Result<(), AssemblyError> {
        if !self.looped || self.calls || self.graph.has_rescues() {
            return Ok(());
        }
        let mut bases: Vec<Base> = Vec::new();
        for node in &self.graph.nodes {
            if let Some(place) = node.address()
                && matches!(place.base, Base::Field(_) | Base::Element(..))
                && !bases.contains(&place.base)
            {
                bases.push(place.base);
            }
        }
        let reads = offset_of!(Call, reads);
        bases.sort_by_key(|base| !matches!(base, Base::Element(at, _) if usize::from(*at) != reads));
        bases.truncate(self.pointers.room_to_keep(bases.len()));
        for base in bases {
            let register = self.pointers.keep(base);
            self.load_pointer(base, register)?;
        }
        Ok(())
    }

    /// Loads values that are carried from one turn of the loop to the next, each into a register of its own.
    fn begin_carried(&mut self) -> Result<(), AssemblyError> {
        /// Registers that are left to all others.
        const LEFT: usize = 10;
        let graph = self.graph;
        for (place, node) in graph.nodes.iter().enumerate() {
            let GraphNode::Carried(load, from) = *node else { continue };
            if self.uses[place].is_empty() {
                continue;
            }
            let free = self.vectors.iter().rposition(Option::is_none).filter(|number| *number >= LEFT);
            let number = free.ok_or(AssemblyError::TooLarge("too much is carried from row to row"))?;
            let memory = self.address(from)?;
            self.load((self.table.load)(load), self.vector(number as RegisterNumber), memory)?;
            // Nobody takes it.
            self.vectors[number] = Some(Id::MAX);
            self.register_of[place] = Some(number as RegisterNumber);
        }
        self.pointers.forget_others();
        Ok(())
    }

    /// Loads a base pointer.
    fn load_pointer(&mut self, base: Base, to: Register) -> Result<(), AssemblyError> {
        let FixedRegisters { call, reads, .. } = self.fixed;
        let (Base::Field(at) | Base::Element(at, _)) = base else { return Ok(()) };
        let mut list = reads;
        if usize::from(at) != offset_of!(Call, reads) {
            self.load(Code::Mov_r64_rm64, to, MemoryOperand::with_base_displ(call, i64::from(at)))?;
            list = to;
        }
        if let Base::Element(_, element) = base {
            self.load(Code::Mov_r64_rm64, to, MemoryOperand::with_base_displ(list, i64::from(element)))?;
        }
        Ok(())
    }

    /// An address, valid until the next one is asked for.
    fn address(&mut self, place: ColumnAddress) -> Result<MemoryOperand, AssemblyError> {
        let offset = i64::from(place.offset);
        let FixedRegisters { call, bits, shorts, .. } = self.fixed;
        let base = match place.base {
            Base::Pool => return Ok(MemoryOperand::with_base_displ(Register::RIP, offset)),
            Base::Call => call,
            base @ (Base::Field(_) | Base::Element(..)) => {
                let (pointer, is_known) = self.pointers.find(base);
                if !is_known {
                    self.load_pointer(base, pointer)?;
                }
                pointer
            }
        };
        let (index, scale) = match place.pace {
            _ if !self.looped => return Ok(MemoryOperand::with_base_displ(base, offset)),
            GroupStride::Still => return Ok(MemoryOperand::with_base_displ(base, offset)),
            GroupStride::Bit => (bits, 1),
            GroupStride::Byte => (bits, 8),
            GroupStride::Backwards(bytes) => {
                (self.fixed.back.expect("it is reserved where something moves so"), u32::from(bytes))
            }
            pace @ (GroupStride::Short | GroupStride::Word | GroupStride::Double) => {
                let shorts = shorts.expect("it is reserved where something moves so");
                let scale = match pace {
                    GroupStride::Short => 1,
                    GroupStride::Word => 2,
                    _ => 4,
                };
                (shorts, scale)
            }
        };
        Ok(MemoryOperand::new(base, index, scale, offset, 1, false, Register::None))
    }

    /// A vector of an operand's or the result's area.
    fn area(&self, area: usize, part: usize) -> MemoryOperand {
        MemoryOperand::with_base_displ(Register::RSP, (AREA * area + self.table.vector * part) as i64)
    }

    fn slot(&self, slot: usize) -> MemoryOperand {
        MemoryOperand::with_base_displ(Register::RSP, (self.below + slot * self.table.vector) as i64)
    }

    fn vector(&self, number: RegisterNumber) -> Register {
        self.named(RegisterClass::Vector, number, false)
    }

    fn named(&self, class: RegisterClass, number: RegisterNumber, half: bool) -> Register {
        let first = match class {
            RegisterClass::Vector => self.table.names[usize::from(half)],
            RegisterClass::Mask => Register::K0,
        };
        first + u32::from(number)
    }
}

fn xmm(number: RegisterNumber) -> Register {
    Register::XMM0 + u32::from(number)
}

/// The table of a function whose operands are taken in another order.
fn permuted(table: u8, order: [usize; 3]) -> u8 {
    (0..8).fold(0, |result, place: usize| {
        let old: usize = (0..3).map(|i| (place >> (2 - i) & 1) << (2 - order[i])).sum();
        result | (table >> old & 1) << place
    })
}
