//! From the graph to instructions: registers by furthest next use (Belady), in one walk.
//!
//! What stands in memory anyway is never spilled but loaded again, and is an operand straight from memory where it is used for
//! the last time. `vpternlogq` writes over its first operand: that is one which is not needed any more (or will be
//! needed once more and stands in memory), with the table permuted to match; a copy is made if there is none.

use super::frame::{MOST_FRAME, Problem, SHORT, VECTOR, VECTOR_WORDS, is_looped};
use super::graph::{Base, Graph, Id, Node, ONES, Place, Two};
use super::pointers::{CALL, INDEX, Pointers, READS};
use super::{Isa, Statistics};
use iced_x86::{Code, IcedError, Instruction, MemoryOperand, Register};

/// The code of one vector of each column.
pub struct Body {
    /// In order, without entry and exit.
    pub instructions: Vec<Instruction>,
    /// The caller's registers that it uses.
    pub saved: Vec<Register>,
    /// The vectors that it spills to `[rsp]`, `[rsp + 32]`, …
    pub slots: usize,
    /// What is known of it here.
    pub statistics: Statistics,
}

/// Makes the body for a graph.
pub fn body(graph: &Graph, words: usize, isa: Isa) -> Result<Body, Problem> {
    let mut allocator = Allocator::new(graph, words, isa);
    for place in 0..graph.nodes.len() as Id {
        allocator.node(place)?;
        if allocator.slots.len() * VECTOR > MOST_FRAME {
            return Err(Problem::TooLarge("too many values live at once"));
        }
    }
    let Allocator { code, pointers, slots, statistics, .. } = allocator;
    Ok(Body { instructions: code, saved: pointers.callers(), slots: slots.len(), statistics })
}

/// A vector register, by number.
type Vector = u8;

/// Where a value's second home is.
#[derive(Clone, Copy)]
enum Home {
    /// A column or a presence.
    Place(Place),
    /// A slot of the frame.
    Slot(usize),
}

/// The last operand of an instruction.
#[derive(Clone, Copy)]
enum Source {
    Register(Register),
    Memory(MemoryOperand),
}

struct Allocator<'a> {
    graph: &'a Graph,
    words: usize,
    isa: Isa,
    code: Vec<Instruction>,
    /// Per node the places of its uses that are still ahead, the next one last.
    uses: Vec<Vec<Id>>,
    /// Per node its register.
    register_of: Vec<Option<Vector>>,
    /// Per register its node.
    held: Vec<Option<Id>>,
    /// Per node its slot.
    slot_of: Vec<Option<usize>>,
    /// Per slot whether it is taken.
    slots: Vec<bool>,
    pointers: Pointers,
    statistics: Statistics,
}

impl<'a> Allocator<'a> {
    fn new(graph: &'a Graph, words: usize, isa: Isa) -> Allocator<'a> {
        let nodes = graph.nodes.len();
        let mut uses: Vec<Vec<Id>> = vec![Vec::new(); nodes];
        for (place, node) in graph.nodes.iter().enumerate().rev() {
            // What nothing uses does not count as a user.
            if matches!(node, Node::Store(..)) || !uses[place].is_empty() {
                node.operands().for_each(|operand| uses[operand as usize].push(place as Id));
            }
        }
        Allocator {
            graph,
            words,
            isa,
            code: Vec::with_capacity(nodes),
            uses,
            register_of: vec![None; nodes],
            held: vec![None; if isa == Isa::Avx512 { 32 } else { 16 }],
            slot_of: vec![None; nodes],
            slots: Vec::new(),
            pointers: Pointers::new(is_looped(words)),
            statistics: Statistics::default(),
        }
    }

    fn node(&mut self, place: Id) -> Result<(), IcedError> {
        let node = self.graph.nodes[place as usize];
        if !matches!(node, Node::Store(..)) && self.uses[place as usize].is_empty() {
            return Ok(());
        }
        for operand in node.operands() {
            let used = self.uses[operand as usize].pop();
            debug_assert_eq!(used, Some(place));
        }
        match node {
            // Loaded where they are used.
            Node::Constant(_) | Node::Input(_) => Ok(()),
            Node::Param(at, plane) => self.param(place, at, plane),
            Node::Two(op, a, b) => self.two(place, op, [a, b]),
            Node::Three(table, operands) => self.three(place, table, operands),
            Node::Store(at, value) => {
                let vector = self.ensure(value, &[])?;
                self.store(at, vector, value)?;
                self.release(value);
                Ok(())
            }
        }
    }

    /// Spreads bit `plane` of a parameter over all lanes: to the top of each 32 bits, and down again with its copies.
    fn param(&mut self, place: Id, at: Place, plane: u8) -> Result<(), IcedError> {
        let vector = self.take(&[])?;
        let (y, memory) = (ymm(vector), self.address(at)?);
        let [broadcast, left, right] = match self.isa {
            Isa::Avx2 => {
                [Code::VEX_Vpbroadcastd_ymm_xmmm32, Code::VEX_Vpslld_ymm_ymm_imm8, Code::VEX_Vpsrad_ymm_ymm_imm8]
            }
            Isa::Avx512 => [
                Code::EVEX_Vpbroadcastd_ymm_k1z_xmmm32,
                Code::EVEX_Vpslld_ymm_k1z_ymmm256b32_imm8,
                Code::EVEX_Vpsrad_ymm_k1z_ymmm256b32_imm8,
            ],
        };
        self.code.push(Instruction::with2(broadcast, y, memory)?);
        self.code.push(Instruction::with3(left, y, y, 31 - i32::from(plane))?);
        self.code.push(Instruction::with3(right, y, y, 31)?);
        self.statistics.loads += 1;
        self.assign(vector, place);
        Ok(())
    }

    fn two(&mut self, place: Id, op: Two, operands: [Id; 2]) -> Result<(), IcedError> {
        // `vpandn d, x, y` is `!x & y`: it takes its operands the other way round. Only y may be in memory.
        let [mut x, mut y] = if op == Two::AndNot { [operands[1], operands[0]] } else { operands };
        if op != Two::AndNot && self.is_best_in_memory(x) {
            (x, y) = (y, x);
        }
        let in_memory = self.is_best_in_memory(y);
        let first = self.ensure(x, &[x, y])?;
        if !in_memory {
            self.ensure(y, &[x, y])?;
        }
        let second = self.source(y)?;
        // Registers that become free may take the result; a slot that is read must not, as a spill may come before.
        self.release(x);
        if !in_memory {
            self.release(y);
        }
        let result = self.take(&[x, y])?;
        self.release(y);
        self.statistics.operations += 1;
        self.statistics.from_memory += usize::from(in_memory);
        let is_low = first < 16 && result < 16 && matches!(second, Source::Register(y) if y < ymm(16));
        // The older encoding is shorter; the newer one has short addresses and all registers.
        let code = if self.isa == Isa::Avx2 || is_low {
            match op {
                Two::And => Code::VEX_Vpand_ymm_ymm_ymmm256,
                Two::AndNot => Code::VEX_Vpandn_ymm_ymm_ymmm256,
                Two::Or => Code::VEX_Vpor_ymm_ymm_ymmm256,
                Two::Xor => Code::VEX_Vpxor_ymm_ymm_ymmm256,
            }
        } else {
            match op {
                Two::And => Code::EVEX_Vpandq_ymm_k1z_ymm_ymmm256b64,
                Two::AndNot => Code::EVEX_Vpandnq_ymm_k1z_ymm_ymmm256b64,
                Two::Or => Code::EVEX_Vporq_ymm_k1z_ymm_ymmm256b64,
                Two::Xor => Code::EVEX_Vpxorq_ymm_k1z_ymm_ymmm256b64,
            }
        };
        self.code.push(match second {
            Source::Register(y) => Instruction::with3(code, ymm(result), ymm(first), y)?,
            Source::Memory(y) => Instruction::with3(code, ymm(result), ymm(first), y)?,
        });
        self.assign(result, place);
        Ok(())
    }

    fn three(&mut self, place: Id, table: u8, operands: [Id; 3]) -> Result<(), IcedError> {
        let in_memory = (0..3).find(|i| self.is_best_in_memory(operands[*i]));
        for i in (0..3).filter(|i| Some(*i) != in_memory) {
            self.ensure(operands[i], &operands)?;
        }
        let others: Vec<usize> = (0..3).filter(|i| Some(*i) != in_memory).collect();
        let uses_left = |i: &&usize| self.uses[operands[**i] as usize].len();
        let dying = others.iter().find(|i| uses_left(i) == 0);
        let again = || others.iter().find(|i| uses_left(i) == 1 && self.home(operands[**i]).is_some());
        let overwritten = dying.or_else(again).copied();
        let first = overwritten.unwrap_or(others[0]);
        let last = in_memory.unwrap_or_else(|| others.iter().copied().rfind(|i| *i != first).expect("three operands"));
        let middle = 3 - first - last;
        let held = self.register_of[operands[first] as usize].expect("it was ensured");
        let result = match overwritten {
            Some(_) => {
                self.held[usize::from(held)] = None;
                self.register_of[operands[first] as usize] = None;
                held
            }
            None => {
                let free = self.take(&operands)?;
                self.statistics.copies += 1;
                self.code.push(Instruction::with2(Code::EVEX_Vmovdqa64_ymm_k1z_ymmm256, ymm(free), ymm(held))?);
                free
            }
        };
        let second = ymm(self.register_of[operands[middle] as usize].expect("it was ensured"));
        let third = self.source(operands[last])?;
        let table = i32::from(permuted(table, [first, middle, last]));
        let code = Code::EVEX_Vpternlogq_ymm_k1z_ymm_ymmm256b64_imm8;
        self.code.push(match third {
            Source::Register(third) => Instruction::with4(code, ymm(result), second, third, table)?,
            Source::Memory(third) => Instruction::with4(code, ymm(result), second, third, table)?,
        });
        self.statistics.operations += 1;
        self.statistics.from_memory += usize::from(in_memory.is_some());
        operands.iter().for_each(|operand| self.release(*operand));
        self.assign(result, place);
        Ok(())
    }

    /// Writes a vector, or as much of it as the column has.
    fn store(&mut self, at: Place, vector: Vector, value: Id) -> Result<(), IcedError> {
        let memory = self.address(at)?;
        let mut put = |code: Code, memory, register| -> Result<(), IcedError> {
            self.code.push(Instruction::with2(code, memory, register)?);
            Ok(())
        };
        let (x, y) = (xmm(vector), ymm(vector));
        match (self.isa, self.words) {
            (Isa::Avx2, VECTOR_WORDS..) => put(Code::VEX_Vmovdqu_ymmm256_ymm, memory, y),
            (Isa::Avx512, VECTOR_WORDS..) => put(Code::EVEX_Vmovdqu64_ymmm256_k1z_ymm, memory, y),
            (Isa::Avx512, 4) => put(Code::EVEX_Vmovdqu64_xmmm128_k1z_xmm, memory, x),
            (Isa::Avx512, _) => {
                let mut masked = Instruction::with2(Code::EVEX_Vmovdqu32_ymmm256_k1z_ymm, memory, y)?;
                masked.set_op_mask(SHORT);
                self.code.push(masked);
                Ok(())
            }
            (Isa::Avx2, words @ 4..) => {
                put(Code::VEX_Vmovdqu_xmmm128_xmm, memory, x)?;
                if words > 4 {
                    let upper = xmm(self.take(&[value])?);
                    self.code.push(Instruction::with3(Code::VEX_Vextracti128_xmmm128_ymm_imm8, upper, y, 1)?);
                    self.store_words(at, 16, upper, words - 4)?;
                }
                Ok(())
            }
            (Isa::Avx2, words) => self.store_words(at, 0, x, words),
        }
    }

    /// Writes one to three words.
    fn store_words(&mut self, at: Place, skip: i32, x: Register, words: usize) -> Result<(), IcedError> {
        let memory = self.address(Place { offset: at.offset + skip, ..at })?;
        let code = if words == 1 { Code::VEX_Vmovd_rm32_xmm } else { Code::VEX_Vmovq_xmmm64_xmm };
        self.code.push(Instruction::with2(code, memory, x)?);
        if words == 3 {
            let memory = self.address(Place { offset: at.offset + skip + 8, ..at })?;
            self.code.push(Instruction::with3(Code::VEX_Vpextrd_rm32_xmm_imm8, memory, x, 2)?);
        }
        Ok(())
    }

    /// True if a value should be an operand from memory: it is only there, and this is its last use. (With more uses ahead
    /// it would save a load, too, but was not measured to be faster.)
    fn is_best_in_memory(&self, value: Id) -> bool {
        let is_last = self.uses[value as usize].is_empty();
        self.register_of[value as usize].is_none() && is_last && self.home(value).is_some()
    }

    fn home(&self, value: Id) -> Option<Home> {
        match self.graph.nodes[value as usize] {
            Node::Input(place) => Some(Home::Place(place)),
            _ => self.slot_of[value as usize].map(Home::Slot),
        }
    }

    /// A value as the last operand.
    fn source(&mut self, value: Id) -> Result<Source, IcedError> {
        match self.register_of[value as usize] {
            Some(vector) => Ok(Source::Register(ymm(vector))),
            None => Ok(Source::Memory(self.address_of(value)?)),
        }
    }

    /// A value's second home, which it has.
    fn address_of(&mut self, value: Id) -> Result<MemoryOperand, IcedError> {
        match self.home(value).expect("a value stands in a register or in memory") {
            Home::Place(place) => self.address(place),
            Home::Slot(slot) => Ok(slot_address(slot)),
        }
    }

    /// An address, valid until the next one is asked for.
    fn address(&mut self, place: Place) -> Result<MemoryOperand, IcedError> {
        let (pointer, is_known) = self.pointers.find(place.base);
        if !is_known {
            self.statistics.pointers += 1;
            let (field, entry) = place.base.found_at();
            let list = match place.base {
                Base::Read(_) => READS,
                _ => {
                    let memory = MemoryOperand::with_base_displ(CALL, field as i64);
                    self.code.push(Instruction::with2(Code::Mov_r64_rm64, pointer, memory)?);
                    pointer
                }
            };
            if let Some(entry) = entry {
                let memory = MemoryOperand::with_base_displ(list, i64::from(entry));
                self.code.push(Instruction::with2(Code::Mov_r64_rm64, pointer, memory)?);
            }
        }
        let offset = i64::from(place.offset);
        Ok(if is_looped(self.words) && place.base != Base::Params {
            MemoryOperand::new(pointer, INDEX, 1, offset, 1, false, Register::None)
        } else {
            MemoryOperand::with_base_displ(pointer, offset)
        })
    }

    /// The register of a value, which is loaded if it has none. The values of `keep` stay in theirs.
    fn ensure(&mut self, value: Id, keep: &[Id]) -> Result<Vector, IcedError> {
        if let Some(vector) = self.register_of[value as usize] {
            return Ok(vector);
        }
        let vector = self.take(keep)?;
        let y = ymm(vector);
        let instruction = match self.graph.nodes[value as usize] {
            Node::Constant(_) if self.isa == Isa::Avx512 => {
                let table = if value == ONES { 0xFF } else { 0 };
                Instruction::with4(Code::EVEX_Vpternlogq_ymm_k1z_ymm_ymmm256b64_imm8, y, y, y, table)?
            }
            Node::Constant(_) => {
                let ones = value == ONES;
                let code = if ones { Code::VEX_Vpcmpeqd_ymm_ymm_ymmm256 } else { Code::VEX_Vpxor_ymm_ymm_ymmm256 };
                Instruction::with3(code, y, y, y)?
            }
            _ => {
                self.statistics.loads += 1;
                Instruction::with2(self.load_code(), y, self.address_of(value)?)?
            }
        };
        self.code.push(instruction);
        self.assign(vector, value);
        Ok(vector)
    }

    fn load_code(&self) -> Code {
        match self.isa {
            Isa::Avx2 => Code::VEX_Vmovdqu_ymm_ymmm256,
            Isa::Avx512 => Code::EVEX_Vmovdqu64_ymm_k1z_ymmm256,
        }
    }

    /// A free register; if there is none, the one whose value is needed last, which is spilled if it stands nowhere else.
    fn take(&mut self, keep: &[Id]) -> Result<Vector, IcedError> {
        if let Some(free) = self.held.iter().position(Option::is_none) {
            return Ok(free as Vector);
        }
        let candidates = self.held.iter().enumerate().filter_map(|(vector, held)| Some((vector, (*held)?)));
        let (vector, value) = candidates
            .filter(|(_, value)| !keep.contains(value))
            .max_by_key(|(_, value)| self.uses[*value as usize].last().copied().unwrap_or(Id::MAX))
            .expect("there are more registers than operands");
        let is_needed = !self.uses[value as usize].is_empty();
        let is_constant = matches!(self.graph.nodes[value as usize], Node::Constant(_));
        if is_needed && !is_constant && self.home(value).is_none() {
            let free = self.slots.iter().position(|taken| !taken);
            let slot = free.unwrap_or(self.slots.len());
            self.slots.resize(self.slots.len().max(slot + 1), false);
            self.slots[slot] = true;
            self.slot_of[value as usize] = Some(slot);
            self.statistics.spills += 1;
            let code = match self.isa {
                Isa::Avx2 => Code::VEX_Vmovdqu_ymmm256_ymm,
                Isa::Avx512 => Code::EVEX_Vmovdqu64_ymmm256_k1z_ymm,
            };
            self.code.push(Instruction::with2(code, slot_address(slot), ymm(vector as Vector))?);
        }
        self.register_of[value as usize] = None;
        self.held[vector] = None;
        Ok(vector as Vector)
    }

    fn assign(&mut self, vector: Vector, value: Id) {
        self.held[usize::from(vector)] = Some(value);
        self.register_of[value as usize] = Some(vector);
    }

    /// Forgets a value that is not needed any more.
    fn release(&mut self, value: Id) {
        if self.uses[value as usize].is_empty() {
            if let Some(vector) = self.register_of[value as usize].take() {
                self.held[usize::from(vector)] = None;
            }
            if let Some(slot) = self.slot_of[value as usize].take() {
                self.slots[slot] = false;
            }
        }
    }
}

/// The table of a function whose operands are taken in another order.
fn permuted(table: u8, order: [usize; 3]) -> u8 {
    (0..8).fold(0, |result, place: usize| {
        let old: usize = (0..3).map(|i| (place >> (2 - i) & 1) << (2 - order[i])).sum();
        result | (table >> old & 1) << place
    })
}

fn slot_address(slot: usize) -> MemoryOperand {
    MemoryOperand::with_base_displ(Register::RSP, (slot * VECTOR) as i64)
}

fn xmm(vector: Vector) -> Register {
    Register::XMM0 + u32::from(vector)
}

fn ymm(vector: Vector) -> Register {
    Register::YMM0 + u32::from(vector)
}
