//! SSE4.1: 128 bits; two vectors for a group of eight lanes of numbers. Results overwrite the first source.

use super::{InstructionTable, shared};
use crate::machine::graph::{Fold, Id, Instruct, LoadForm, RegisterClass, StoreForm};
use crate::machine::logic::Gates;
use crate::machine::select::Select;
use iced_x86::{Code, Register};

/// Bits alone 128 lanes at a time, numbers eight.
pub(crate) static SSE41: InstructionTable = InstructionTable {
    vector: 16,
    registers: 16,
    names: [Register::XMM0; 2],
    lanes: 8,
    has_masks: false,
    overwrites: true,
    gates: &Gates {
        class: RegisterClass::Vector,
        and: Code::Pand_xmm_xmmm128,
        not_and: Code::Pandn_xmm_xmmm128,
        or: Code::Por_xmm_xmmm128,
        xor: Code::Pxor_xmm_xmmm128,
        not: None,
        table: None,
    },
    pairs: None,
    load: |load| match load {
        LoadForm::Whole | LoadForm::Mask => Code::Movups_xmm_xmmm128,
        LoadForm::Four => Code::Movss_xmm_xmmm32,
        LoadForm::Eight => Code::Movddup_xmm_xmmm64,
        LoadForm::Bytes => Code::Pmovzxbd_xmm_xmmm32,
        LoadForm::Shorts => Code::Pmovzxwd_xmm_xmmm64,
    },
    spread: Some(Code::Shufps_xmm_xmmm128_imm8),
    store: |store| match store {
        StoreForm::Eight => Code::Movq_xmmm64_xmm,
        _ => Code::Movups_xmmm128_xmm,
    },
    copy: Code::Movaps_xmm_xmmm128,
    signs: Some((Code::Pmovmskb_r32_xmm, 0xffff)),
    shorter: |_| None,
    action: |action, ty| Some(shared::action(action, ty)?[0]),
    convert: |from, to| Some(shared::convert(from, to)?[0]),
    extend: [Code::Pmovzxdq_xmm_xmmm64, Code::Pmovsxdq_xmm_xmmm64],
    upper: (Code::Pshufd_xmm_xmmm128_imm8, 0xee),
    join: (Code::Punpcklqdq_xmm_xmmm128, None),
    widen: |select, mask| {
        let twice = Instruct::new(Code::Pshufd_xmm_xmmm128_imm8, RegisterClass::Vector, &[mask]);
        [0x50, 0xfa].map(|order| select.push(Instruct { immediate: Some(order), ..twice }))
    },
    narrow: |select, [low, high]| {
        let shuffle = Instruct::new(Code::Shufps_xmm_xmmm128_imm8, RegisterClass::Vector, &[low, high]);
        select.push(Instruct { immediate: Some(0x88), overwrites: true, fold: Fold::Whole, ..shuffle })
    },
    mask: |select, masks| packed(select, masks, Code::Packsswb_xmm_xmmm128),
    bytes: |select, parts| packed(select, parts, Code::Packuswb_xmm_xmmm128),
    shorts: |select, parts| {
        let pack = Instruct::new(Code::Packusdw_xmm_xmmm128, RegisterClass::Vector, &[parts[0], parts[1]]);
        select.push(Instruct { overwrites: true, ..pack })
    },
    helper: |helper| helper.plain,
    clear: None,
};

/// The elements of 32 bits of two vectors as bytes.
fn packed(select: &mut Select<'_>, parts: &[Id], to_bytes: Code) -> Id {
    let pack =
        |code, sources: [Id; 2]| Instruct { overwrites: true, ..Instruct::new(code, RegisterClass::Vector, &sources) };
    let words = select.push(pack(Code::Packssdw_xmm_xmmm128, [parts[0], parts[1]]));
    select.push(pack(to_bytes, [words; 2]))
}
