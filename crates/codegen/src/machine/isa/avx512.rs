//! AVX-512 F, VL, BW and DQ: 512 bits and mask registers for numbers; 256 bits for kernels of bits alone, or 512 where columns are long.

use super::{Action, InstructionTable};
use crate::machine::graph::{Instruct, LoadForm, RegisterClass, StoreForm};
use crate::machine::logic::Gates;
use iced_x86::{Code, Register};
use squeeze_compiler::kernel::LaneType;

/// Numbers, sixteen lanes at a time.
pub(crate) static AVX512: InstructionTable = InstructionTable {
    vector: 64,
    registers: 32,
    names: [Register::ZMM0, Register::YMM0],
    lanes: 16,
    has_masks: true,
    overwrites: false,
    gates: &Gates {
        class: RegisterClass::Mask,
        and: Code::VEX_Kandw_kr_kr_kr,
        not_and: Code::VEX_Kandnw_kr_kr_kr,
        or: Code::VEX_Korw_kr_kr_kr,
        xor: Code::VEX_Kxorw_kr_kr_kr,
        not: Some(Code::VEX_Knotw_kr_kr),
        table: None,
    },
    pairs: None,
    load: |load| match load {
        LoadForm::Whole => Code::EVEX_Vmovups_zmm_k1z_zmmm512,
        LoadForm::Four => Code::EVEX_Vbroadcastss_zmm_k1z_xmmm32,
        LoadForm::Eight => Code::EVEX_Vbroadcastsd_zmm_k1z_xmmm64,
        LoadForm::Bytes => Code::EVEX_Vpmovzxbd_zmm_k1z_xmmm128,
        LoadForm::Shorts => Code::EVEX_Vpmovzxwd_zmm_k1z_ymmm256,
        LoadForm::Mask => Code::VEX_Kmovw_kr_km16,
    },
    spread: None,
    store: |store| match store {
        StoreForm::Half => Code::EVEX_Vmovups_ymmm256_k1z_ymm,
        StoreForm::Bytes => Code::EVEX_Vpmovdb_xmmm128_k1z_zmm,
        StoreForm::HalfBytes => Code::EVEX_Vpmovdb_xmmm64_k1z_ymm,
        StoreForm::Shorts => Code::EVEX_Vpmovdw_ymmm256_k1z_zmm,
        StoreForm::HalfShorts => Code::EVEX_Vpmovdw_xmmm128_k1z_ymm,
        StoreForm::Mask => Code::VEX_Kmovw_m16_kr,
        StoreForm::Whole | StoreForm::Eight | StoreForm::Signs | StoreForm::Words(_) => {
            Code::EVEX_Vmovups_zmmm512_k1z_zmm
        }
    },
    copy: Code::EVEX_Vmovdqa32_zmm_k1z_zmmm512,
    signs: None,
    shorter: |_| None,
    action,
    convert,
    extend: [Code::EVEX_Vpmovzxdq_zmm_k1z_ymmm256, Code::EVEX_Vpmovsxdq_zmm_k1z_ymmm256],
    upper: (Code::EVEX_Vextracti64x4_ymmm256_k1z_zmm_imm8, 1),
    join: (Code::EVEX_Vinserti64x4_zmm_k1z_zmm_ymmm256_imm8, Some(1)),
    widen: |select, mask| {
        let upper = Instruct::new(Code::VEX_Kshiftrw_kr_kr_imm8, RegisterClass::Mask, &[mask]);
        [mask, select.push(Instruct { immediate: Some(8), ..upper })]
    },
    narrow: |select, [low, high]| {
        select.push(Instruct::new(Code::VEX_Kunpckbw_kr_kr_kr, RegisterClass::Mask, &[high, low]))
    },
    mask: |_, masks| masks[0],
    bytes: |_, parts| parts[0],
    shorts: |_, parts| parts[0],
    helper: |helper| helper.wide,
    clear: Some(Code::VEX_Vzeroupper),
};

/// Kernels of bits alone: 32 registers and any operation on three operands. Vectors have 256 bits, for columns that are shorter than 512.
pub(crate) static AVX512_BITS: InstructionTable = InstructionTable {
    vector: 32,
    names: [Register::YMM0, Register::XMM0],
    gates: &Gates {
        class: RegisterClass::Vector,
        and: Code::EVEX_Vpandq_ymm_k1z_ymm_ymmm256b64,
        not_and: Code::EVEX_Vpandnq_ymm_k1z_ymm_ymmm256b64,
        or: Code::EVEX_Vporq_ymm_k1z_ymm_ymmm256b64,
        xor: Code::EVEX_Vpxorq_ymm_k1z_ymm_ymmm256b64,
        not: None,
        table: Some(Code::EVEX_Vpternlogq_ymm_k1z_ymm_ymmm256b64_imm8),
    },
    load: |load| match load {
        LoadForm::Four => Code::EVEX_Vpbroadcastd_ymm_k1z_xmmm32,
        _ => Code::EVEX_Vmovdqu64_ymm_k1z_ymmm256,
    },
    store: |store| match store {
        StoreForm::Words(4) => Code::EVEX_Vmovdqu64_xmmm128_k1z_xmm,
        StoreForm::Words(_) => Code::EVEX_Vmovdqu32_ymmm256_k1z_ymm,
        _ => Code::EVEX_Vmovdqu64_ymmm256_k1z_ymm,
    },
    copy: Code::EVEX_Vmovdqa64_ymm_k1z_ymmm256,
    // The older encoding is shorter; the newer one has short addresses and all registers.
    shorter: |code| match code {
        Code::EVEX_Vpandq_ymm_k1z_ymm_ymmm256b64 => Some(Code::VEX_Vpand_ymm_ymm_ymmm256),
        Code::EVEX_Vpandnq_ymm_k1z_ymm_ymmm256b64 => Some(Code::VEX_Vpandn_ymm_ymm_ymmm256),
        Code::EVEX_Vporq_ymm_k1z_ymm_ymmm256b64 => Some(Code::VEX_Vpor_ymm_ymm_ymmm256),
        Code::EVEX_Vpxorq_ymm_k1z_ymm_ymmm256b64 => Some(Code::VEX_Vpxor_ymm_ymm_ymmm256),
        _ => None,
    },
    action: |action, _| match action {
        Action::ShiftLeft => Some(Code::EVEX_Vpslld_ymm_k1z_ymmm256b32_imm8),
        Action::ShiftRight => Some(Code::EVEX_Vpsrad_ymm_k1z_ymmm256b32_imm8),
        _ => None,
    },
    ..AVX512
};

/// The same with vectors of 512 bits, for columns that hold one: a group costs 1.2 times as much where processors compute 512 bits at once.
pub(crate) static AVX512_LONG_BITS: InstructionTable = InstructionTable {
    vector: 64,
    names: [Register::ZMM0, Register::YMM0],
    gates: &Gates {
        class: RegisterClass::Vector,
        and: Code::EVEX_Vpandq_zmm_k1z_zmm_zmmm512b64,
        not_and: Code::EVEX_Vpandnq_zmm_k1z_zmm_zmmm512b64,
        or: Code::EVEX_Vporq_zmm_k1z_zmm_zmmm512b64,
        xor: Code::EVEX_Vpxorq_zmm_k1z_zmm_zmmm512b64,
        not: None,
        table: Some(Code::EVEX_Vpternlogq_zmm_k1z_zmm_zmmm512b64_imm8),
    },
    pairs: Some([Code::EVEX_Vpshldq_zmm_k1z_zmm_zmmm512b64_imm8, Code::EVEX_Vpshrdq_zmm_k1z_zmm_zmmm512b64_imm8]),
    load: |load| match load {
        LoadForm::Four => Code::EVEX_Vpbroadcastd_zmm_k1z_xmmm32,
        _ => Code::EVEX_Vmovdqu64_zmm_k1z_zmmm512,
    },
    store: |_| Code::EVEX_Vmovdqu64_zmmm512_k1z_zmm,
    copy: Code::EVEX_Vmovdqa64_zmm_k1z_zmmm512,
    shorter: |_| None,
    action: |action, ty| match action {
        Action::ShiftLeft if ty == LaneType::I64 => Some(Code::EVEX_Vpsllq_zmm_k1z_zmmm512b64_imm8),
        Action::ShiftRightLong => Some(Code::EVEX_Vpsrlq_zmm_k1z_zmmm512b64_imm8),
        Action::ShiftLeft => Some(Code::EVEX_Vpslld_zmm_k1z_zmmm512b32_imm8),
        Action::ShiftRight => Some(Code::EVEX_Vpsrad_zmm_k1z_zmmm512b32_imm8),
        _ => None,
    },
    ..AVX512_BITS
};

fn action(action: Action, ty: LaneType) -> Option<Code> {
    use Action as A;
    use LaneType::{F32, F64, I32, I64};
    Some(match (action, ty) {
        (A::Add, I64) => Code::EVEX_Vpaddq_zmm_k1z_zmm_zmmm512b64,
        (A::Subtract, I64) => Code::EVEX_Vpsubq_zmm_k1z_zmm_zmmm512b64,
        (A::Multiply, I64) => Code::EVEX_Vpmullq_zmm_k1z_zmm_zmmm512b64,
        (A::Min, I64) => Code::EVEX_Vpminsq_zmm_k1z_zmm_zmmm512b64,
        (A::Max, I64) => Code::EVEX_Vpmaxsq_zmm_k1z_zmm_zmmm512b64,
        (A::ShiftLeft, I64) => Code::EVEX_Vpsllq_zmm_k1z_zmmm512b64_imm8,
        (A::ShiftRight, I64) => Code::EVEX_Vpsraq_zmm_k1z_zmmm512b64_imm8,
        (A::ShiftLeftBy, I64) => Code::EVEX_Vpsllvq_zmm_k1z_zmm_zmmm512b64,
        (A::ShiftRightBy, I64) => Code::EVEX_Vpsravq_zmm_k1z_zmm_zmmm512b64,
        (A::Absolute, I64) => Code::EVEX_Vpabsq_zmm_k1z_zmmm512b64,
        (A::Compare, I64) => Code::EVEX_Vpcmpq_kr_k1_zmm_zmmm512b64_imm8,
        (A::Test, I64) => Code::EVEX_Vptestmq_kr_k1_zmm_zmmm512b64,
        (A::Add, F32) => Code::EVEX_Vaddps_zmm_k1z_zmm_zmmm512b32_er,
        (A::Add, F64) => Code::EVEX_Vaddpd_zmm_k1z_zmm_zmmm512b64_er,
        (A::Add, _) => Code::EVEX_Vpaddd_zmm_k1z_zmm_zmmm512b32,
        (A::Subtract, F32) => Code::EVEX_Vsubps_zmm_k1z_zmm_zmmm512b32_er,
        (A::Subtract, F64) => Code::EVEX_Vsubpd_zmm_k1z_zmm_zmmm512b64_er,
        (A::Subtract, _) => Code::EVEX_Vpsubd_zmm_k1z_zmm_zmmm512b32,
        (A::Multiply, F32) => Code::EVEX_Vmulps_zmm_k1z_zmm_zmmm512b32_er,
        (A::Multiply, F64) => Code::EVEX_Vmulpd_zmm_k1z_zmm_zmmm512b64_er,
        (A::Multiply, _) => Code::EVEX_Vpmulld_zmm_k1z_zmm_zmmm512b32,
        (A::Divide, F32) => Code::EVEX_Vdivps_zmm_k1z_zmm_zmmm512b32_er,
        (A::Divide, F64) => Code::EVEX_Vdivpd_zmm_k1z_zmm_zmmm512b64_er,
        (A::Min, F32) => Code::EVEX_Vminps_zmm_k1z_zmm_zmmm512b32_sae,
        (A::Min, F64) => Code::EVEX_Vminpd_zmm_k1z_zmm_zmmm512b64_sae,
        (A::Min, I32) => Code::EVEX_Vpminsd_zmm_k1z_zmm_zmmm512b32,
        (A::Min, _) => Code::EVEX_Vpminud_zmm_k1z_zmm_zmmm512b32,
        (A::Max, F32) => Code::EVEX_Vmaxps_zmm_k1z_zmm_zmmm512b32_sae,
        (A::Max, F64) => Code::EVEX_Vmaxpd_zmm_k1z_zmm_zmmm512b64_sae,
        (A::Max, I32) => Code::EVEX_Vpmaxsd_zmm_k1z_zmm_zmmm512b32,
        (A::Max, _) => Code::EVEX_Vpmaxud_zmm_k1z_zmm_zmmm512b32,
        (A::And, F64 | I64) => Code::EVEX_Vpandq_zmm_k1z_zmm_zmmm512b64,
        (A::And, _) => Code::EVEX_Vpandd_zmm_k1z_zmm_zmmm512b32,
        (A::NotAnd, F64 | I64) => Code::EVEX_Vpandnq_zmm_k1z_zmm_zmmm512b64,
        (A::NotAnd, _) => Code::EVEX_Vpandnd_zmm_k1z_zmm_zmmm512b32,
        (A::Or, F64 | I64) => Code::EVEX_Vporq_zmm_k1z_zmm_zmmm512b64,
        (A::Or, _) => Code::EVEX_Vpord_zmm_k1z_zmm_zmmm512b32,
        (A::Xor, F64 | I64) => Code::EVEX_Vpxorq_zmm_k1z_zmm_zmmm512b64,
        (A::Xor, _) => Code::EVEX_Vpxord_zmm_k1z_zmm_zmmm512b32,
        (A::ShiftLeft, _) => Code::EVEX_Vpslld_zmm_k1z_zmmm512b32_imm8,
        (A::ShiftRight, I32) => Code::EVEX_Vpsrad_zmm_k1z_zmmm512b32_imm8,
        (A::ShiftRight, _) => Code::EVEX_Vpsrld_zmm_k1z_zmmm512b32_imm8,
        (A::ShiftLeftBy, _) => Code::EVEX_Vpsllvd_zmm_k1z_zmm_zmmm512b32,
        (A::ShiftRightBy, I32) => Code::EVEX_Vpsravd_zmm_k1z_zmm_zmmm512b32,
        (A::ShiftRightBy, _) => Code::EVEX_Vpsrlvd_zmm_k1z_zmm_zmmm512b32,
        (A::ShiftRightLong, _) => Code::EVEX_Vpsrlq_zmm_k1z_zmmm512b64_imm8,
        (A::MultiplyHalves, _) => Code::EVEX_Vpmuludq_zmm_k1z_zmm_zmmm512b64,
        (A::SquareRoot, F32) => Code::EVEX_Vsqrtps_zmm_k1z_zmmm512b32_er,
        (A::SquareRoot, F64) => Code::EVEX_Vsqrtpd_zmm_k1z_zmmm512b64_er,
        (A::Round, F32) => Code::EVEX_Vrndscaleps_zmm_k1z_zmmm512b32_imm8_sae,
        (A::Round, F64) => Code::EVEX_Vrndscalepd_zmm_k1z_zmmm512b64_imm8_sae,
        (A::Absolute, I32) => Code::EVEX_Vpabsd_zmm_k1z_zmmm512b32,
        (A::Compare, F32) => Code::EVEX_Vcmpps_kr_k1_zmm_zmmm512b32_imm8_sae,
        (A::Compare, F64) => Code::EVEX_Vcmppd_kr_k1_zmm_zmmm512b64_imm8_sae,
        (A::Compare, I32) => Code::EVEX_Vpcmpd_kr_k1_zmm_zmmm512b32_imm8,
        (A::Compare, _) => Code::EVEX_Vpcmpud_kr_k1_zmm_zmmm512b32_imm8,
        (A::Test, _) => Code::EVEX_Vptestmd_kr_k1_zmm_zmmm512b32,
        (A::Choose, F64 | I64) => Code::EVEX_Vblendmpd_zmm_k1z_zmm_zmmm512b64,
        (A::Choose, _) => Code::EVEX_Vblendmps_zmm_k1z_zmm_zmmm512b32,
        (A::Keep, F64 | I64) => Code::EVEX_Vmovdqu64_zmm_k1z_zmmm512,
        (A::Keep, _) => Code::EVEX_Vmovdqu32_zmm_k1z_zmmm512,
        (A::PlusProduct, F64) => Code::EVEX_Vfmadd213pd_zmm_k1z_zmm_zmmm512b64_er,
        (A::MinusProduct, F64) => Code::EVEX_Vfnmadd231pd_zmm_k1z_zmm_zmmm512b64_er,
        (A::PlusProduct | A::MinusProduct, _) => return None,
        (A::Equal | A::Greater | A::Divide | A::SquareRoot | A::Round | A::Absolute, _) => return None,
    })
}

fn convert(from: LaneType, to: LaneType) -> Option<Code> {
    use LaneType::{F32, F64, I32, I64, U32};
    Some(match (from, to) {
        (I32, F32) => Code::EVEX_Vcvtdq2ps_zmm_k1z_zmmm512b32_er,
        (U32, F32) => Code::EVEX_Vcvtudq2ps_zmm_k1z_zmmm512b32_er,
        (I32, F64) => Code::EVEX_Vcvtdq2pd_zmm_k1z_ymmm256b32_er,
        (U32, F64) => Code::EVEX_Vcvtudq2pd_zmm_k1z_ymmm256b32_er,
        (F32, F64) => Code::EVEX_Vcvtps2pd_zmm_k1z_ymmm256b32_sae,
        (F64, F32) => Code::EVEX_Vcvtpd2ps_ymm_k1z_zmmm512b64_er,
        (F32, I32) => Code::EVEX_Vcvttps2dq_zmm_k1z_zmmm512b32_sae,
        (F32, U32) => Code::EVEX_Vcvttps2udq_zmm_k1z_zmmm512b32_sae,
        (F64, I32) => Code::EVEX_Vcvttpd2dq_ymm_k1z_zmmm512b64_sae,
        (F64, U32) => Code::EVEX_Vcvttpd2udq_ymm_k1z_zmmm512b64_sae,
        (I64, F64) => Code::EVEX_Vcvtqq2pd_zmm_k1z_zmmm512b64_er,
        (I64, F32) => Code::EVEX_Vcvtqq2ps_ymm_k1z_zmmm512b64_er,
        (F64, I64) => Code::EVEX_Vcvttpd2qq_zmm_k1z_zmmm512b64_sae,
        (I64, U32) => Code::EVEX_Vpmovqd_ymmm256_k1z_zmm,
        _ => return None,
    })
}
