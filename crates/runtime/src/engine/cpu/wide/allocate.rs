//! Registers by furthest next use (Belady), in one walk: for vectors and for masks.
//!
//! What stands in memory anyway is never spilled but loaded again, and is an operand straight from memory where it is used
//! for the last time. What is computed before the loop over groups stays in its slot of the frame. A call of a helper leaves
//! nothing in registers.

use super::frame::{AREA, MOST_FRAME, Problem, SLOT};
use super::graph::{Base, Class, Fold, Graph, Id, Instruct, Load, Masking, Node, Pace, Place, Store};
use super::pointers::{BITS, CALL, Pointers, READS, WORDS};
use crate::engine::cpu::call::Call;
use iced_x86::{Code, Instruction, MemoryOperand, Register};
use std::mem::offset_of;

/// The code of one group.
pub struct Body {
    /// What comes before the loop.
    pub before: Vec<Instruction>,
    /// The loop's body.
    pub looped: Vec<Instruction>,
    /// The slots of the frame, behind the area for calls.
    pub slots: usize,
    /// Vectors and masks stored because registers were short.
    pub spills: usize,
}

/// Makes the body for a graph.
pub fn body(graph: &Graph, looped: bool) -> Result<Body, Problem> {
    let mut allocator = Allocator::new(graph, looped);
    let mut before = Vec::new();
    for (place, node) in graph.nodes.iter().enumerate() {
        if place == graph.before {
            allocator.forget_registers()?;
            before = std::mem::take(&mut allocator.code);
        }
        allocator.node(place as Id, *node)?;
        if allocator.slots.len() * SLOT > MOST_FRAME {
            return Err(Problem::TooLarge("too many values live at once"));
        }
    }
    let Allocator { code, slots, spills, .. } = allocator;
    Ok(Body { before, looped: code, slots: slots.len(), spills })
}

/// A register of a class, by number.
type Number = u8;

/// Where a value's second home is.
#[derive(Clone, Copy)]
enum Home {
    Place(Load, Place),
    Constant(bool),
    Slot(usize),
}

/// The registers of one class.
struct File {
    /// Per register its node.
    held: Vec<Option<Id>>,
}

struct Allocator<'a> {
    graph: &'a Graph,
    looped: bool,
    code: Vec<Instruction>,
    /// Per node the places of its uses that are still ahead, the next one last.
    uses: Vec<Vec<Id>>,
    register_of: Vec<Option<Number>>,
    vectors: File,
    masks: File,
    slot_of: Vec<Option<usize>>,
    /// Per slot whether it is taken.
    slots: Vec<bool>,
    pointers: Pointers,
    spills: usize,
}

impl<'a> Allocator<'a> {
    fn new(graph: &'a Graph, looped: bool) -> Allocator<'a> {
        let nodes = graph.nodes.len();
        let mut uses: Vec<Vec<Id>> = vec![Vec::new(); nodes];
        for (place, node) in graph.nodes.iter().enumerate().rev() {
            // What nothing uses does not count as a user.
            if matches!(node, Node::Store(..)) || !uses[place].is_empty() {
                node.operands().for_each(|operand| uses[operand as usize].push(place as Id));
            }
        }
        let mut masks = vec![None; 8];
        // Mask 0 means no mask.
        masks[0] = Some(Id::MAX);
        Allocator {
            graph,
            looped,
            code: Vec::with_capacity(nodes),
            uses,
            register_of: vec![None; nodes],
            vectors: File { held: vec![None; 32] },
            masks: File { held: masks },
            slot_of: vec![None; nodes],
            slots: Vec::new(),
            pointers: Pointers::new(),
            spills: 0,
        }
    }

    fn file(&mut self, class: Class) -> &mut File {
        match class {
            Class::Vector => &mut self.vectors,
            Class::Mask => &mut self.masks,
        }
    }

    fn class(&self, value: Id) -> Class {
        self.graph.nodes[value as usize].class().expect("what has no value is no operand")
    }

    fn node(&mut self, place: Id, node: Node) -> Result<(), Problem> {
        if !matches!(node, Node::Store(..)) && self.uses[place as usize].is_empty() {
            return Ok(());
        }
        for operand in node.operands() {
            let used = self.uses[operand as usize].pop();
            debug_assert_eq!(used, Some(place));
        }
        match node {
            // Loaded where they are used.
            Node::Load(..) | Node::Mask(_) => {}
            Node::Do(instruct) => self.instruct(place, instruct)?,
            Node::Call { address, arguments, count, parts } => {
                self.call(address, &arguments[..usize::from(count)], usize::from(parts))?;
            }
            Node::Result(_, part) => {
                let register = self.take(Class::Vector, &[])?;
                let code = Code::EVEX_Vmovups_zmm_k1z_zmmm512;
                let from = MemoryOperand::with_base_displ(Register::RSP, (2 * AREA + 64 * usize::from(part)) as i64);
                self.code.push(Instruction::with2(code, zmm(register), from)?);
                self.assign(Class::Vector, register, place);
            }
            Node::Store(store, to, value) => {
                let register = self.ensure(value, &[])?;
                self.store(store, to, register)?;
                self.release(value);
            }
        }
        Ok(())
    }

    fn instruct(&mut self, place: Id, mut instruct: Instruct) -> Result<(), Problem> {
        let merged = matches!(instruct.mask, Some((_, Masking::Merge)));
        let explicit = usize::from(merged);
        let count = usize::from(instruct.count);
        let all: Vec<Id> = Node::Do(instruct).operands().collect();
        if instruct.commutes && !self.folds(instruct.fold, instruct.sources[count - 1]) {
            instruct.sources.swap(count - 2, count - 1);
        }
        let sources = &instruct.sources[explicit..count];
        let last = *sources.last().expect("each instruction has a source");
        // Its other uses need a register, or the same value is another operand too.
        let in_memory = self.folds(instruct.fold, last)
            && !instruct.sources[..count - 1].contains(&last)
            && instruct.mask.is_none_or(|(mask, _)| mask != last);
        for id in instruct.sources[..count - 1].iter().chain((!in_memory).then_some(&last)) {
            self.ensure(*id, &all)?;
        }
        let mask = match instruct.mask {
            Some((mask, _)) => Some(Register::K0 + u32::from(self.ensure(mask, &all)?)),
            None => None,
        };
        let memory = if in_memory { Some(self.operand(last)?) } else { None };
        let name = |allocator: &Self, id: Id, operand: usize| {
            let number = allocator.register_of[id as usize].expect("it was ensured");
            named(allocator.class(id), number, instruct.halves >> operand & 1 == 1)
        };
        let in_registers = &sources[..sources.len() - usize::from(in_memory)];
        let registers: Vec<Register> =
            in_registers.iter().enumerate().map(|(i, id)| name(self, *id, 1 + explicit + i)).collect();
        // The result may take a register that becomes free; a slot that is read must not be given away before.
        let result = if merged {
            let old = instruct.sources[0];
            let held = self.register_of[old as usize].expect("it was ensured");
            if self.uses[old as usize].is_empty() {
                self.vectors.held[usize::from(held)] = None;
                self.register_of[old as usize] = None;
                held
            } else {
                let free = self.take(Class::Vector, &all)?;
                self.code.push(Instruction::with2(Code::EVEX_Vmovdqa32_zmm_k1z_zmmm512, zmm(free), zmm(held))?);
                free
            }
        } else {
            all.iter().filter(|id| !(in_memory && **id == last)).for_each(|id| self.release(*id));
            self.take(instruct.class, &all)?
        };
        all.iter().for_each(|id| self.release(*id));
        let to = named(instruct.class, result, instruct.halves & 1 == 1);
        let code = instruct.code;
        let mut made = match (&*registers, memory, instruct.immediate.map(i32::from)) {
            ([a], None, None) => Instruction::with2(code, to, *a)?,
            ([], Some(m), None) => Instruction::with2(code, to, m)?,
            ([a], None, Some(i)) => Instruction::with3(code, to, *a, i)?,
            ([], Some(m), Some(i)) => Instruction::with3(code, to, m, i)?,
            ([a, b], None, None) => Instruction::with3(code, to, *a, *b)?,
            ([a], Some(m), None) => Instruction::with3(code, to, *a, m)?,
            ([a, b], None, Some(i)) => Instruction::with4(code, to, *a, *b, i)?,
            ([a], Some(m), Some(i)) => Instruction::with4(code, to, *a, m, i)?,
            _ => unreachable!("instructions have one or two operands besides the result"),
        };
        if let (Some(mask), Some((_, masking))) = (mask, instruct.mask) {
            made.set_op_mask(mask);
            made.set_zeroing_masking(masking == Masking::Zero);
        }
        self.code.push(made);
        self.assign(instruct.class, result, place);
        Ok(())
    }

    /// True if a value that is only in memory should be an operand from there: constants always, others at their last use.
    fn folds(&self, fold: Fold, value: Id) -> bool {
        if self.register_of[value as usize].is_some() {
            return false;
        }
        let is_last = self.uses[value as usize].is_empty();
        match (self.home(value), fold) {
            (_, Fold::No) | (None | Some(Home::Constant(_)), _) => false,
            (Some(Home::Slot(_)), _) => is_last && self.class(value) == Class::Vector,
            (Some(Home::Place(Load::Whole, _)), _) => is_last,
            (Some(Home::Place(Load::Four, _)), Fold::Four) | (Some(Home::Place(Load::Eight, _)), Fold::Eight) => true,
            _ => false,
        }
    }

    /// The address of a value that [`Allocator::folds`].
    fn operand(&mut self, value: Id) -> Result<MemoryOperand, Problem> {
        match self.home(value).expect("it stands in memory") {
            Home::Place(load, place) => {
                let mut memory = self.address(place)?;
                memory.is_broadcast = load != Load::Whole;
                Ok(memory)
            }
            Home::Slot(slot) => Ok(slot_address(slot)),
            Home::Constant(_) => unreachable!("masks are not read from memory"),
        }
    }

    fn home(&self, value: Id) -> Option<Home> {
        match self.graph.nodes[value as usize] {
            Node::Load(load, place) => Some(Home::Place(load, place)),
            Node::Mask(ones) => Some(Home::Constant(ones)),
            _ => self.slot_of[value as usize].map(Home::Slot),
        }
    }

    /// Makes sure that a value stands in a register.
    fn ensure(&mut self, value: Id, keep: &[Id]) -> Result<Number, Problem> {
        if let Some(register) = self.register_of[value as usize] {
            return Ok(register);
        }
        let class = self.class(value);
        let register = self.take(class, keep)?;
        let home = self.home(value).expect("a value stands in a register or in memory");
        let (code, memory) = match home {
            Home::Constant(ones) => {
                let code = if ones { Code::VEX_Kxnorw_kr_kr_kr } else { Code::VEX_Kxorw_kr_kr_kr };
                let k = named(class, register, false);
                self.code.push(Instruction::with3(code, k, k, k)?);
                self.assign(class, register, value);
                return Ok(register);
            }
            Home::Slot(slot) if class == Class::Mask => (Code::VEX_Kmovw_kr_km16, slot_address(slot)),
            Home::Slot(slot) => (Code::EVEX_Vmovups_zmm_k1z_zmmm512, slot_address(slot)),
            Home::Place(load, place) => {
                let code = match load {
                    Load::Whole => Code::EVEX_Vmovups_zmm_k1z_zmmm512,
                    Load::Four => Code::EVEX_Vbroadcastss_zmm_k1z_xmmm32,
                    Load::Eight => Code::EVEX_Vbroadcastsd_zmm_k1z_xmmm64,
                    Load::Bytes => Code::EVEX_Vpmovzxbd_zmm_k1z_xmmm128,
                    Load::Mask => Code::VEX_Kmovw_kr_km16,
                };
                (code, self.address(place)?)
            }
        };
        self.code.push(Instruction::with2(code, named(class, register, false), memory)?);
        self.assign(class, register, value);
        Ok(register)
    }

    fn store(&mut self, store: Store, to: Place, register: Number) -> Result<(), Problem> {
        let memory = self.address(to)?;
        let (code, from) = match store {
            Store::Whole => (Code::EVEX_Vmovups_zmmm512_k1z_zmm, zmm(register)),
            Store::Half => (Code::EVEX_Vmovups_ymmm256_k1z_ymm, named(Class::Vector, register, true)),
            Store::Bytes => (Code::EVEX_Vpmovdb_xmmm128_k1z_zmm, zmm(register)),
            Store::HalfBytes => (Code::EVEX_Vpmovdb_xmmm64_k1z_ymm, named(Class::Vector, register, true)),
            Store::Mask => (Code::VEX_Kmovw_m16_kr, named(Class::Mask, register, false)),
        };
        self.code.push(Instruction::with2(code, memory, from)?);
        Ok(())
    }

    /// Hands the operands over in memory, and calls.
    fn call(&mut self, address: usize, arguments: &[Id], parts: usize) -> Result<(), Problem> {
        for (i, argument) in arguments.iter().enumerate() {
            let register = self.ensure(*argument, arguments)?;
            let at = AREA * (i / parts) + 64 * (i % parts);
            let to = MemoryOperand::with_base_displ(Register::RSP, at as i64);
            self.code.push(Instruction::with2(Code::EVEX_Vmovups_zmmm512_k1z_zmm, to, zmm(register))?);
        }
        arguments.iter().for_each(|argument| self.release(*argument));
        self.forget_registers()?;
        let operands = arguments.len() / parts;
        let areas: &[usize] = if operands == 1 { &[0, 2] } else { &[0, 1, 2] };
        for (register, area) in [Register::RDI, Register::RSI, Register::RDX].into_iter().zip(areas) {
            let at = MemoryOperand::with_base_displ(Register::RSP, (AREA * area) as i64);
            self.code.push(Instruction::with2(Code::Lea_r64_m, register, at)?);
        }
        self.code.push(Instruction::with2(Code::Mov_r64_imm64, Register::RAX, address as u64)?);
        self.code.push(Instruction::with1(Code::Call_rm64, Register::RAX)?);
        Ok(())
    }

    /// Leaves nothing in registers: what is still needed gets a slot.
    fn forget_registers(&mut self) -> Result<(), Problem> {
        for class in [Class::Vector, Class::Mask] {
            for number in 0..self.file(class).held.len() {
                let Some(value) = self.file(class).held[number].filter(|value| *value != Id::MAX) else { continue };
                self.evict(class, number as Number, value)?;
            }
        }
        self.pointers.forget();
        Ok(())
    }

    /// A free register; if there is none, the one whose value is needed last.
    fn take(&mut self, class: Class, keep: &[Id]) -> Result<Number, Problem> {
        let held = &self.file(class).held;
        if let Some(free) = held.iter().position(Option::is_none) {
            return Ok(free as Number);
        }
        let candidates = held.iter().enumerate().filter_map(|(number, held)| Some((number, (*held)?)));
        let candidates: Vec<(usize, Id)> =
            candidates.filter(|(_, value)| *value != Id::MAX && !keep.contains(value)).collect();
        let next = |value: Id| self.uses[value as usize].last().copied().unwrap_or(Id::MAX);
        let (number, value) = candidates
            .into_iter()
            .max_by_key(|(_, value)| next(*value))
            .expect("there are more registers than operands");
        self.evict(class, number as Number, value)?;
        Ok(number as Number)
    }

    /// Takes a register from a value, which is stored if it is needed and stands nowhere else.
    fn evict(&mut self, class: Class, number: Number, value: Id) -> Result<(), Problem> {
        if !self.uses[value as usize].is_empty() && self.home(value).is_none() {
            let free = self.slots.iter().position(|taken| !taken);
            let slot = free.unwrap_or(self.slots.len());
            self.slots.resize(self.slots.len().max(slot + 1), false);
            self.slots[slot] = true;
            self.slot_of[value as usize] = Some(slot);
            self.spills += 1;
            let code = match class {
                Class::Vector => Code::EVEX_Vmovups_zmmm512_k1z_zmm,
                Class::Mask => Code::VEX_Kmovw_m16_kr,
            };
            self.code.push(Instruction::with2(code, slot_address(slot), named(class, number, false))?);
        }
        self.register_of[value as usize] = None;
        self.file(class).held[usize::from(number)] = None;
        Ok(())
    }

    fn assign(&mut self, class: Class, number: Number, value: Id) {
        self.file(class).held[usize::from(number)] = Some(value);
        self.register_of[value as usize] = Some(number);
    }

    /// Forgets a value that is not needed any more.
    fn release(&mut self, value: Id) {
        if !self.uses[value as usize].is_empty() {
            return;
        }
        if let Some(number) = self.register_of[value as usize].take() {
            let class = self.class(value);
            self.file(class).held[usize::from(number)] = None;
        }
        // The next group needs what was computed before the loop.
        if (value as usize) >= self.graph.before
            && let Some(slot) = self.slot_of[value as usize].take()
        {
            self.slots[slot] = false;
        }
    }

    /// An address, valid until the next one is asked for.
    fn address(&mut self, place: Place) -> Result<MemoryOperand, Problem> {
        let offset = i64::from(place.offset);
        let field = |offset: usize| MemoryOperand::with_base_displ(CALL, offset as i64);
        let base = match place.base {
            Base::Pool => return Ok(MemoryOperand::with_base_displ(Register::RIP, offset)),
            Base::Call => CALL,
            Base::Field(at) => {
                let (pointer, is_known) = self.pointers.find(place.base);
                if !is_known {
                    self.code.push(Instruction::with2(Code::Mov_r64_rm64, pointer, field(usize::from(at)))?);
                }
                pointer
            }
            Base::Element(list, element) => {
                let (pointer, is_known) = self.pointers.find(place.base);
                if !is_known {
                    let list = if usize::from(list) == offset_of!(Call, reads) {
                        READS
                    } else {
                        self.code.push(Instruction::with2(Code::Mov_r64_rm64, pointer, field(usize::from(list)))?);
                        pointer
                    };
                    let element = MemoryOperand::with_base_displ(list, i64::from(element));
                    self.code.push(Instruction::with2(Code::Mov_r64_rm64, pointer, element)?);
                }
                pointer
            }
        };
        let (index, scale) = match place.pace {
            _ if !self.looped => return Ok(MemoryOperand::with_base_displ(base, offset)),
            Pace::Still => return Ok(MemoryOperand::with_base_displ(base, offset)),
            Pace::Bit => (BITS, 1),
            Pace::Byte => (BITS, 8),
            Pace::Word => (WORDS, 1),
            Pace::Double => (WORDS, 2),
        };
        Ok(MemoryOperand::new(base, index, scale, offset, 1, false, Register::None))
    }
}

fn slot_address(slot: usize) -> MemoryOperand {
    MemoryOperand::with_base_displ(Register::RSP, (3 * AREA + slot * SLOT) as i64)
}

fn zmm(number: Number) -> Register {
    named(Class::Vector, number, false)
}

fn named(class: Class, number: Number, half: bool) -> Register {
    let first = match (class, half) {
        (Class::Vector, false) => Register::ZMM0,
        (Class::Vector, true) => Register::YMM0,
        (Class::Mask, _) => Register::K0,
    };
    first + u32::from(number)
}
