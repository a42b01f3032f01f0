//! The instructions that SSE4.1 and AVX2 both have, the one on vectors of 128 bits, the other on vectors of 256.

use super::Action;
use iced_x86::Code;
use squeeze_compiler::kernel::LaneType;

/// The instructions for an action on elements of a type.
pub(super) fn action(action: Action, ty: LaneType) -> Option<[Code; 2]> {
    use Action as A;
    use LaneType::{F32, F64, I32, I64};
    Some(match (action, ty) {
        (A::Add, I64) => [Code::Paddq_xmm_xmmm128, Code::VEX_Vpaddq_ymm_ymm_ymmm256],
        (A::Subtract, I64) => [Code::Psubq_xmm_xmmm128, Code::VEX_Vpsubq_ymm_ymm_ymmm256],
        (A::ShiftLeft, I64) => [Code::Psllq_xmm_imm8, Code::VEX_Vpsllq_ymm_ymm_imm8],
        (A::Equal, I64) => [Code::Pcmpeqq_xmm_xmmm128, Code::VEX_Vpcmpeqq_ymm_ymm_ymmm256],
        (A::Multiply | A::Min | A::Max | A::ShiftRight | A::Greater, I64) => return None,
        (A::Add, F32) => [Code::Addps_xmm_xmmm128, Code::VEX_Vaddps_ymm_ymm_ymmm256],
        (A::Add, F64) => [Code::Addpd_xmm_xmmm128, Code::VEX_Vaddpd_ymm_ymm_ymmm256],
        (A::Add, _) => [Code::Paddd_xmm_xmmm128, Code::VEX_Vpaddd_ymm_ymm_ymmm256],
        (A::Subtract, F32) => [Code::Subps_xmm_xmmm128, Code::VEX_Vsubps_ymm_ymm_ymmm256],
        (A::Subtract, F64) => [Code::Subpd_xmm_xmmm128, Code::VEX_Vsubpd_ymm_ymm_ymmm256],
        (A::Subtract, _) => [Code::Psubd_xmm_xmmm128, Code::VEX_Vpsubd_ymm_ymm_ymmm256],
        (A::Multiply, F32) => [Code::Mulps_xmm_xmmm128, Code::VEX_Vmulps_ymm_ymm_ymmm256],
        (A::Multiply, F64) => [Code::Mulpd_xmm_xmmm128, Code::VEX_Vmulpd_ymm_ymm_ymmm256],
        (A::Multiply, _) => [Code::Pmulld_xmm_xmmm128, Code::VEX_Vpmulld_ymm_ymm_ymmm256],
        (A::Divide, F32) => [Code::Divps_xmm_xmmm128, Code::VEX_Vdivps_ymm_ymm_ymmm256],
        (A::Divide, F64) => [Code::Divpd_xmm_xmmm128, Code::VEX_Vdivpd_ymm_ymm_ymmm256],
        (A::Min, F32) => [Code::Minps_xmm_xmmm128, Code::VEX_Vminps_ymm_ymm_ymmm256],
        (A::Min, F64) => [Code::Minpd_xmm_xmmm128, Code::VEX_Vminpd_ymm_ymm_ymmm256],
        (A::Min, I32) => [Code::Pminsd_xmm_xmmm128, Code::VEX_Vpminsd_ymm_ymm_ymmm256],
        (A::Min, _) => [Code::Pminud_xmm_xmmm128, Code::VEX_Vpminud_ymm_ymm_ymmm256],
        (A::Max, F32) => [Code::Maxps_xmm_xmmm128, Code::VEX_Vmaxps_ymm_ymm_ymmm256],
        (A::Max, F64) => [Code::Maxpd_xmm_xmmm128, Code::VEX_Vmaxpd_ymm_ymm_ymmm256],
        (A::Max, I32) => [Code::Pmaxsd_xmm_xmmm128, Code::VEX_Vpmaxsd_ymm_ymm_ymmm256],
        (A::Max, _) => [Code::Pmaxud_xmm_xmmm128, Code::VEX_Vpmaxud_ymm_ymm_ymmm256],
        (A::And, F32) => [Code::Andps_xmm_xmmm128, Code::VEX_Vandps_ymm_ymm_ymmm256],
        (A::And, F64) => [Code::Andpd_xmm_xmmm128, Code::VEX_Vandpd_ymm_ymm_ymmm256],
        (A::And, _) => [Code::Pand_xmm_xmmm128, Code::VEX_Vpand_ymm_ymm_ymmm256],
        (A::NotAnd, F32) => [Code::Andnps_xmm_xmmm128, Code::VEX_Vandnps_ymm_ymm_ymmm256],
        (A::NotAnd, F64) => [Code::Andnpd_xmm_xmmm128, Code::VEX_Vandnpd_ymm_ymm_ymmm256],
        (A::NotAnd, _) => [Code::Pandn_xmm_xmmm128, Code::VEX_Vpandn_ymm_ymm_ymmm256],
        (A::Or, F32) => [Code::Orps_xmm_xmmm128, Code::VEX_Vorps_ymm_ymm_ymmm256],
        (A::Or, F64) => [Code::Orpd_xmm_xmmm128, Code::VEX_Vorpd_ymm_ymm_ymmm256],
        (A::Or, _) => [Code::Por_xmm_xmmm128, Code::VEX_Vpor_ymm_ymm_ymmm256],
        (A::Xor, F32) => [Code::Xorps_xmm_xmmm128, Code::VEX_Vxorps_ymm_ymm_ymmm256],
        (A::Xor, F64) => [Code::Xorpd_xmm_xmmm128, Code::VEX_Vxorpd_ymm_ymm_ymmm256],
        (A::Xor, _) => [Code::Pxor_xmm_xmmm128, Code::VEX_Vpxor_ymm_ymm_ymmm256],
        (A::ShiftLeft, _) => [Code::Pslld_xmm_imm8, Code::VEX_Vpslld_ymm_ymm_imm8],
        (A::ShiftRight, I32) => [Code::Psrad_xmm_imm8, Code::VEX_Vpsrad_ymm_ymm_imm8],
        (A::ShiftRight, _) => [Code::Psrld_xmm_imm8, Code::VEX_Vpsrld_ymm_ymm_imm8],
        (A::ShiftRightLong, _) => [Code::Psrlq_xmm_imm8, Code::VEX_Vpsrlq_ymm_ymm_imm8],
        (A::MultiplyHalves, _) => [Code::Pmuludq_xmm_xmmm128, Code::VEX_Vpmuludq_ymm_ymm_ymmm256],
        (A::SquareRoot, F32) => [Code::Sqrtps_xmm_xmmm128, Code::VEX_Vsqrtps_ymm_ymmm256],
        (A::SquareRoot, F64) => [Code::Sqrtpd_xmm_xmmm128, Code::VEX_Vsqrtpd_ymm_ymmm256],
        (A::Round, F32) => [Code::Roundps_xmm_xmmm128_imm8, Code::VEX_Vroundps_ymm_ymmm256_imm8],
        (A::Round, F64) => [Code::Roundpd_xmm_xmmm128_imm8, Code::VEX_Vroundpd_ymm_ymmm256_imm8],
        (A::Absolute, I32) => [Code::Pabsd_xmm_xmmm128, Code::VEX_Vpabsd_ymm_ymmm256],
        (A::Compare, F32) => [Code::Cmpps_xmm_xmmm128_imm8, Code::VEX_Vcmpps_ymm_ymm_ymmm256_imm8],
        (A::Compare, F64) => [Code::Cmppd_xmm_xmmm128_imm8, Code::VEX_Vcmppd_ymm_ymm_ymmm256_imm8],
        (A::Equal, _) => [Code::Pcmpeqd_xmm_xmmm128, Code::VEX_Vpcmpeqd_ymm_ymm_ymmm256],
        (A::Greater, _) => [Code::Pcmpgtd_xmm_xmmm128, Code::VEX_Vpcmpgtd_ymm_ymm_ymmm256],
        (A::PlusProduct | A::MinusProduct | A::ShiftLeftBy | A::ShiftRightBy | A::Choose | A::Test | A::Keep, _)
        | (A::Divide | A::SquareRoot | A::Round | A::Absolute | A::Compare, _) => return None,
    })
}

/// The instructions for a conversion.
pub(super) fn convert(from: LaneType, to: LaneType) -> Option<[Code; 2]> {
    use LaneType::{F32, F64, I32};
    Some(match (from, to) {
        (I32, F32) => [Code::Cvtdq2ps_xmm_xmmm128, Code::VEX_Vcvtdq2ps_ymm_ymmm256],
        (I32, F64) => [Code::Cvtdq2pd_xmm_xmmm64, Code::VEX_Vcvtdq2pd_ymm_xmmm128],
        (F32, F64) => [Code::Cvtps2pd_xmm_xmmm64, Code::VEX_Vcvtps2pd_ymm_xmmm128],
        (F64, F32) => [Code::Cvtpd2ps_xmm_xmmm128, Code::VEX_Vcvtpd2ps_xmm_ymmm256],
        (F32, I32) => [Code::Cvttps2dq_xmm_xmmm128, Code::VEX_Vcvttps2dq_ymm_ymmm256],
        (F64, I32) => [Code::Cvttpd2dq_xmm_xmmm128, Code::VEX_Vcvttpd2dq_xmm_ymmm256],
        _ => return None,
    })
}
