//! SSE4.1: 128 bits; two vectors for a group of eight lanes of numbers. Results overwrite the first source.

use super::{Action, Table};
use crate::machine::graph::{Class, Fold, Id, Instruct, Load, Store};
use crate::machine::logic::Gates;
use crate::machine::select::Select;
use iced_x86::{Code, Register};
use squeeze_compiler::kernel::LaneType;

/// Bits alone 128 lanes at a time, numbers eight.
pub(crate) static SSE41: Table = Table {
    vector: 16,
    registers: 16,
    names: [Register::XMM0; 2],
    lanes: 8,
    has_masks: false,
    overwrites: true,
    gates: &Gates {
        class: Class::Vector,
        and: Code::Pand_xmm_xmmm128,
        not_and: Code::Pandn_xmm_xmmm128,
        or: Code::Por_xmm_xmmm128,
        xor: Code::Pxor_xmm_xmmm128,
        not: None,
        table: None,
    },
    load: |load| match load {
        Load::Whole | Load::Mask => Code::Movups_xmm_xmmm128,
        Load::Four => Code::Movss_xmm_xmmm32,
        Load::Eight => Code::Movddup_xmm_xmmm64,
        Load::Bytes => Code::Pmovzxbd_xmm_xmmm32,
        Load::Shorts => Code::Pmovzxwd_xmm_xmmm64,
    },
    spread: Some(Code::Shufps_xmm_xmmm128_imm8),
    store: |store| match store {
        Store::Eight => Code::Movq_xmmm64_xmm,
        _ => Code::Movups_xmmm128_xmm,
    },
    copy: Code::Movaps_xmm_xmmm128,
    signs: Some((Code::Pmovmskb_r32_xmm, 0xffff)),
    shorter: |_| None,
    action,
    convert,
    extend: [Code::Pmovzxdq_xmm_xmmm64, Code::Pmovsxdq_xmm_xmmm64],
    upper: (Code::Pshufd_xmm_xmmm128_imm8, 0xee),
    join: (Code::Punpcklqdq_xmm_xmmm128, None),
    widen: |select, mask| {
        let twice = Instruct::new(Code::Pshufd_xmm_xmmm128_imm8, Class::Vector, &[mask]);
        [0x50, 0xfa].map(|order| select.push(Instruct { immediate: Some(order), ..twice }))
    },
    narrow: |select, [low, high]| {
        let shuffle = Instruct::new(Code::Shufps_xmm_xmmm128_imm8, Class::Vector, &[low, high]);
        select.push(Instruct { immediate: Some(0x88), overwrites: true, fold: Fold::Whole, ..shuffle })
    },
    mask: |select, masks| packed(select, masks, Code::Packsswb_xmm_xmmm128),
    bytes: |select, parts| packed(select, parts, Code::Packuswb_xmm_xmmm128),
    shorts: |select, parts| {
        let pack = Instruct::new(Code::Packusdw_xmm_xmmm128, Class::Vector, &[parts[0], parts[1]]);
        select.push(Instruct { overwrites: true, ..pack })
    },
    helper: |helper| helper.plain,
    clear: None,
};

/// The elements of 32 bits of two vectors as bytes.
fn packed(select: &mut Select<'_>, parts: &[Id], to_bytes: Code) -> Id {
    let pack = |code, sources: [Id; 2]| Instruct { overwrites: true, ..Instruct::new(code, Class::Vector, &sources) };
    let words = select.push(pack(Code::Packssdw_xmm_xmmm128, [parts[0], parts[1]]));
    select.push(pack(to_bytes, [words; 2]))
}

fn action(action: Action, ty: LaneType) -> Option<Code> {
    use Action as A;
    use LaneType::{F32, F64, I32, I64};
    Some(match (action, ty) {
        (A::Add, I64) => Code::Paddq_xmm_xmmm128,
        (A::Subtract, I64) => Code::Psubq_xmm_xmmm128,
        (A::ShiftLeft, I64) => Code::Psllq_xmm_imm8,
        (A::Equal, I64) => Code::Pcmpeqq_xmm_xmmm128,
        (A::Multiply | A::Min | A::Max | A::ShiftRight | A::Greater, I64) => return None,
        (A::Add, F32) => Code::Addps_xmm_xmmm128,
        (A::Add, F64) => Code::Addpd_xmm_xmmm128,
        (A::Add, _) => Code::Paddd_xmm_xmmm128,
        (A::Subtract, F32) => Code::Subps_xmm_xmmm128,
        (A::Subtract, F64) => Code::Subpd_xmm_xmmm128,
        (A::Subtract, _) => Code::Psubd_xmm_xmmm128,
        (A::Multiply, F32) => Code::Mulps_xmm_xmmm128,
        (A::Multiply, F64) => Code::Mulpd_xmm_xmmm128,
        (A::Multiply, _) => Code::Pmulld_xmm_xmmm128,
        (A::Divide, F32) => Code::Divps_xmm_xmmm128,
        (A::Divide, F64) => Code::Divpd_xmm_xmmm128,
        (A::Min, F32) => Code::Minps_xmm_xmmm128,
        (A::Min, F64) => Code::Minpd_xmm_xmmm128,
        (A::Min, I32) => Code::Pminsd_xmm_xmmm128,
        (A::Min, _) => Code::Pminud_xmm_xmmm128,
        (A::Max, F32) => Code::Maxps_xmm_xmmm128,
        (A::Max, F64) => Code::Maxpd_xmm_xmmm128,
        (A::Max, I32) => Code::Pmaxsd_xmm_xmmm128,
        (A::Max, _) => Code::Pmaxud_xmm_xmmm128,
        (A::And, F32) => Code::Andps_xmm_xmmm128,
        (A::And, F64) => Code::Andpd_xmm_xmmm128,
        (A::And, _) => Code::Pand_xmm_xmmm128,
        (A::NotAnd, F32) => Code::Andnps_xmm_xmmm128,
        (A::NotAnd, F64) => Code::Andnpd_xmm_xmmm128,
        (A::NotAnd, _) => Code::Pandn_xmm_xmmm128,
        (A::Or, F32) => Code::Orps_xmm_xmmm128,
        (A::Or, F64) => Code::Orpd_xmm_xmmm128,
        (A::Or, _) => Code::Por_xmm_xmmm128,
        (A::Xor, F32) => Code::Xorps_xmm_xmmm128,
        (A::Xor, F64) => Code::Xorpd_xmm_xmmm128,
        (A::Xor, _) => Code::Pxor_xmm_xmmm128,
        (A::ShiftLeft, _) => Code::Pslld_xmm_imm8,
        (A::ShiftRight, I32) => Code::Psrad_xmm_imm8,
        (A::ShiftRight, _) => Code::Psrld_xmm_imm8,
        (A::ShiftRightLong, _) => Code::Psrlq_xmm_imm8,
        (A::MultiplyHalves, _) => Code::Pmuludq_xmm_xmmm128,
        (A::SquareRoot, F32) => Code::Sqrtps_xmm_xmmm128,
        (A::SquareRoot, F64) => Code::Sqrtpd_xmm_xmmm128,
        (A::Round, F32) => Code::Roundps_xmm_xmmm128_imm8,
        (A::Round, F64) => Code::Roundpd_xmm_xmmm128_imm8,
        (A::Absolute, I32) => Code::Pabsd_xmm_xmmm128,
        (A::Compare, F32) => Code::Cmpps_xmm_xmmm128_imm8,
        (A::Compare, F64) => Code::Cmppd_xmm_xmmm128_imm8,
        (A::Equal, _) => Code::Pcmpeqd_xmm_xmmm128,
        (A::Greater, _) => Code::Pcmpgtd_xmm_xmmm128,
        (A::PlusProduct | A::MinusProduct, _) => return None,
        (A::ShiftLeftBy | A::ShiftRightBy | A::Choose | A::Test | A::Keep, _)
        | (A::Divide | A::SquareRoot | A::Round | A::Absolute | A::Compare, _) => return None,
    })
}

fn convert(from: LaneType, to: LaneType) -> Option<Code> {
    use LaneType::{F32, F64, I32};
    Some(match (from, to) {
        (I32, F32) => Code::Cvtdq2ps_xmm_xmmm128,
        (I32, F64) => Code::Cvtdq2pd_xmm_xmmm64,
        (F32, F64) => Code::Cvtps2pd_xmm_xmmm64,
        (F64, F32) => Code::Cvtpd2ps_xmm_xmmm128,
        (F32, I32) => Code::Cvttps2dq_xmm_xmmm128,
        (F64, I32) => Code::Cvttpd2dq_xmm_xmmm128,
        _ => return None,
    })
}
