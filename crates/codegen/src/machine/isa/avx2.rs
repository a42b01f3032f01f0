//! AVX2 and FMA: 256 bits, for kernels of bits alone and for numbers, whose masks are vectors too.

use super::{Action, InstructionTable, shared};
use crate::machine::graph::{Fold, Instruct, LoadForm, RegisterClass, StoreForm};
use crate::machine::logic::Gates;
use iced_x86::{Code, Register};
use squeeze_compiler::kernel::LaneType;

/// Bits alone 256 lanes at a time, numbers eight.
pub(crate) static AVX2: InstructionTable = InstructionTable {
    vector: 32,
    registers: 16,
    names: [Register::YMM0, Register::XMM0],
    lanes: 8,
    has_masks: false,
    overwrites: false,
    gates: &Gates {
        class: RegisterClass::Vector,
        and: Code::VEX_Vpand_ymm_ymm_ymmm256,
        not_and: Code::VEX_Vpandn_ymm_ymm_ymmm256,
        or: Code::VEX_Vpor_ymm_ymm_ymmm256,
        xor: Code::VEX_Vpxor_ymm_ymm_ymmm256,
        not: None,
        table: None,
    },
    pairs: None,
    load: |load| match load {
        LoadForm::Whole | LoadForm::Mask => Code::VEX_Vmovdqu_ymm_ymmm256,
        LoadForm::Four => Code::VEX_Vbroadcastss_ymm_m32,
        LoadForm::Eight => Code::VEX_Vbroadcastsd_ymm_m64,
        LoadForm::Bytes => Code::VEX_Vpmovzxbd_ymm_xmmm64,
        LoadForm::Shorts => Code::VEX_Vpmovzxwd_ymm_xmmm128,
    },
    spread: None,
    store: |store| match store {
        StoreForm::Eight => Code::VEX_Vmovq_xmmm64_xmm,
        StoreForm::Shorts => Code::VEX_Vmovdqu_xmmm128_xmm,
        _ => Code::VEX_Vmovdqu_ymmm256_ymm,
    },
    copy: Code::VEX_Vmovdqa_ymm_ymmm256,
    signs: Some((Code::VEX_Vmovmskps_r32_ymm, 0xff)),
    shorter: |_| None,
    action,
    convert: |from, to| Some(shared::convert(from, to)?[1]),
    extend: [Code::VEX_Vpmovzxdq_ymm_xmmm128, Code::VEX_Vpmovsxdq_ymm_xmmm128],
    upper: (Code::VEX_Vextracti128_xmmm128_ymm_imm8, 1),
    join: (Code::VEX_Vinserti128_ymm_ymm_xmmm128_imm8, Some(1)),
    widen: |select, mask| {
        let code = Code::VEX_Vpmovsxdq_ymm_xmmm128;
        select
            .split(mask)
            .map(|a| select.push(Instruct { halves: 2, ..Instruct::new(code, RegisterClass::Vector, &[a]) }))
    },
    narrow: |select, [low, high]| {
        // The instruction works on halves: the quarters come out of order.
        let code = Code::VEX_Vshufps_ymm_ymm_ymmm256_imm8;
        let shuffle = Instruct { immediate: Some(0x88), ..Instruct::new(code, RegisterClass::Vector, &[low, high]) };
        let mixed = select.push(Instruct { fold: Fold::Whole, ..shuffle });
        let order = Instruct::new(Code::VEX_Vpermq_ymm_ymmm256_imm8, RegisterClass::Vector, &[mixed]);
        select.push(Instruct { immediate: Some(0xd8), ..order })
    },
    mask: |_, masks| masks[0],
    bytes: |select, parts| {
        let halves = select.split(parts[0]);
        let pack =
            |code, sources: [u32; 2]| Instruct { halves: 7, ..Instruct::new(code, RegisterClass::Vector, &sources) };
        let words = select.push(pack(Code::VEX_Vpackusdw_xmm_xmm_xmmm128, halves));
        select.push(pack(Code::VEX_Vpackuswb_xmm_xmm_xmmm128, [words; 2]))
    },
    shorts: |select, parts| {
        let halves = select.split(parts[0]);
        let pack = Instruct::new(Code::VEX_Vpackusdw_xmm_xmm_xmmm128, RegisterClass::Vector, &halves);
        select.push(Instruct { halves: 7, ..pack })
    },
    helper: |helper| helper.with_avx2,
    clear: Some(Code::VEX_Vzeroupper),
};

fn action(action: Action, ty: LaneType) -> Option<Code> {
    use Action as A;
    use LaneType::{F64, I32, I64};
    Some(match (action, ty) {
        (A::ShiftLeftBy, I64) => Code::VEX_Vpsllvq_ymm_ymm_ymmm256,
        (A::Greater, I64) => Code::VEX_Vpcmpgtq_ymm_ymm_ymmm256,
        (A::ShiftLeftBy, _) => Code::VEX_Vpsllvd_ymm_ymm_ymmm256,
        (A::ShiftRightBy, I64) => return None,
        (A::ShiftRightBy, I32) => Code::VEX_Vpsravd_ymm_ymm_ymmm256,
        (A::ShiftRightBy, _) => Code::VEX_Vpsrlvd_ymm_ymm_ymmm256,
        (A::Choose, F64 | I64) => Code::VEX_Vblendvpd_ymm_ymm_ymmm256_ymm,
        (A::Choose, _) => Code::VEX_Vblendvps_ymm_ymm_ymmm256_ymm,
        (A::PlusProduct, F64) => Code::VEX_Vfmadd213pd_ymm_ymm_ymmm256,
        (A::MinusProduct, F64) => Code::VEX_Vfnmadd231pd_ymm_ymm_ymmm256,
        _ => return Some(shared::action(action, ty)?[1]),
    })
}
