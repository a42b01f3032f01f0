//! Types and values of the language.

/// Which of a rule's enum types; an index into [`Rule::enums`](crate::ir::RuleParts::enums).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct EnumId(pub u16);

/// The type of a state, a parameter or an expression.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Type {
    /// false or true.
    Bit,
    /// Unsigned, 8 bits, wrapping.
    U8,
    /// Unsigned, 16 bits, wrapping.
    U16,
    /// Signed, 32 bits, wrapping.
    I32,
    /// Unsigned, 32 bits, wrapping.
    U32,
    /// Signed, 64 bits, wrapping.
    I64,
    /// IEEE 754 binary32.
    F32,
    /// IEEE 754 binary64.
    F64,
    /// One of at most 256 named variants, numbered from 0.
    Enum(EnumId),
}

impl Type {
    /// The types that the language has names for, and these.
    pub(crate) const NAMED: [(&'static str, Type); 8] = [
        ("bit", Type::Bit),
        ("u8", Type::U8),
        ("u16", Type::U16),
        ("i32", Type::I32),
        ("u32", Type::U32),
        ("i64", Type::I64),
        ("f32", Type::F32),
        ("f64", Type::F64),
    ];

    /// The type of this name; enums have none.
    pub(crate) fn named(name: &str) -> Option<Type> {
        Type::NAMED.iter().find(|(known, _)| *known == name).map(|(_, ty)| *ty)
    }

    /// Its name; `enum` for all enums.
    pub(crate) fn name(self) -> &'static str {
        Type::NAMED.iter().find(|(_, known)| *known == self).map_or("enum", |(name, _)| name)
    }

    /// u8, u16, i32, u32 or i64.
    pub(crate) const fn is_integer(self) -> bool {
        matches!(self, Type::U8 | Type::U16 | Type::I32 | Type::U32 | Type::I64)
    }

    /// f32 or f64.
    pub const fn is_float(self) -> bool {
        matches!(self, Type::F32 | Type::F64)
    }

    /// An integer or a float: arithmetic and order comparisons work on these.
    pub const fn is_number(self) -> bool {
        self.is_integer() || self.is_float()
    }

    /// Bytes of one value when it is stored unpacked (the oracle's layout): bit and enum take one.
    pub const fn bytes(self) -> u64 {
        match self {
            Type::Bit | Type::U8 | Type::Enum(_) => 1,
            Type::U16 => 2,
            Type::I32 | Type::U32 | Type::F32 => 4,
            Type::I64 | Type::F64 => 8,
        }
    }
}

/// A value of any type.
#[derive(Clone, Copy, Debug)]
pub enum Value {
    /// A bit.
    Bit(bool),
    /// A u8.
    U8(u8),
    /// A u16.
    U16(u16),
    /// An i32.
    I32(i32),
    /// A u32.
    U32(u32),
    /// An i64.
    I64(i64),
    /// An f32.
    F32(f32),
    /// An f64.
    F64(f64),
    /// An enum variant by its number.
    Enum(EnumId, u8),
}

/// The one NaN that is ever stored or digested, as f32 bits.
pub const QUIET_NAN_F32: u32 = 0x7fc0_0000;
/// The one NaN that is ever stored or digested, as f64 bits.
pub const QUIET_NAN_F64: u64 = 0x7ff8_0000_0000_0000;

impl Value {
    /// The zero of a type: false, 0, 0.0 or the first variant.
    pub const fn zero(ty: Type) -> Value {
        Value::from_bits(ty, 0)
    }

    /// The one of a type of numbers: 1, 1.0 or, of others, true or the second variant.
    #[doc(hidden)]
    pub const fn one(ty: Type) -> Value {
        match ty {
            Type::F32 => Value::F32(1.0),
            Type::F64 => Value::F64(1.0),
            ty => Value::from_bits(ty, 1),
        }
    }

    /// The least and the greatest value of a type of integers.
    #[doc(hidden)]
    pub fn range(ty: Type) -> Option<(i128, i128)> {
        Some(match ty {
            Type::U8 => (0, u8::MAX.into()),
            Type::U16 => (0, u16::MAX.into()),
            Type::I32 => (i32::MIN.into(), i32::MAX.into()),
            Type::U32 => (0, u32::MAX.into()),
            Type::I64 => (i64::MIN.into(), i64::MAX.into()),
            Type::Bit | Type::F32 | Type::F64 | Type::Enum(_) => return None,
        })
    }

    /// A whole number in a type of integers, which wraps; of other types their zero.
    #[doc(hidden)]
    pub const fn whole(ty: Type, number: i128) -> Value {
        Value::from_bits(ty, if ty.is_integer() { number as u64 } else { 0 })
    }

    /// The whole number that this is: a bit, an integer or a variant's number; `None` for floats.
    pub fn as_i128(self) -> Option<i128> {
        Some(match self {
            Value::Bit(v) => v.into(),
            Value::U8(v) | Value::Enum(_, v) => v.into(),
            Value::U16(v) => v.into(),
            Value::I32(v) => v.into(),
            Value::U32(v) => v.into(),
            Value::I64(v) => v.into(),
            Value::F32(_) | Value::F64(_) => return None,
        })
    }

    /// The type of this value.
    pub const fn ty(self) -> Type {
        match self {
            Value::Bit(_) => Type::Bit,
            Value::U8(_) => Type::U8,
            Value::U16(_) => Type::U16,
            Value::I32(_) => Type::I32,
            Value::U32(_) => Type::U32,
            Value::I64(_) => Type::I64,
            Value::F32(_) => Type::F32,
            Value::F64(_) => Type::F64,
            Value::Enum(e, _) => Type::Enum(e),
        }
    }

    /// The value zero-extended to 64 bits as the digest takes it: bit and enum as their number, integers as two's
    /// complement of their width, floats as IEEE bits with every NaN replaced by the one quiet NaN.
    pub fn bits(self) -> u64 {
        match self {
            Value::Bit(b) => u64::from(b),
            Value::U8(v) => u64::from(v),
            Value::U16(v) => u64::from(v),
            Value::I32(v) => u64::from(v as u32),
            Value::U32(v) => u64::from(v),
            Value::I64(v) => v as u64,
            Value::F32(v) => u64::from(if v.is_nan() { QUIET_NAN_F32 } else { v.to_bits() }),
            Value::F64(v) if v.is_nan() => QUIET_NAN_F64,
            Value::F64(v) => v.to_bits(),
            Value::Enum(_, v) => u64::from(v),
        }
    }

    /// A number as the language writes it.
    pub fn as_text(self) -> String {
        match self {
            Value::F32(v) => format!("{v:?}"),
            Value::F64(v) => format!("{v:?}"),
            Value::Bit(v) => v.to_string(),
            number => number.as_i128().unwrap_or_default().to_string(),
        }
    }

    /// The value as a plain number: bits 0 or 1, enums by the variant's number.
    pub fn as_f64(self) -> f64 {
        match self {
            Value::Bit(v) => f64::from(u8::from(v)),
            Value::U8(v) | Value::Enum(_, v) => f64::from(v),
            Value::U16(v) => f64::from(v),
            Value::I32(v) => f64::from(v),
            Value::U32(v) => f64::from(v),
            Value::I64(v) => v as f64,
            Value::F32(v) => f64::from(v),
            Value::F64(v) => v,
        }
    }

    /// The value of type `ty` with these [`bits`](Value::bits); bits beyond the type's width are ignored.
    pub const fn from_bits(ty: Type, bits: u64) -> Value {
        match ty {
            Type::Bit => Value::Bit(bits & 1 == 1),
            Type::U8 => Value::U8(bits as u8),
            Type::U16 => Value::U16(bits as u16),
            Type::I32 => Value::I32(bits as u32 as i32),
            Type::U32 => Value::U32(bits as u32),
            Type::I64 => Value::I64(bits as i64),
            Type::F32 => Value::F32(f32::from_bits(bits as u32)),
            Type::F64 => Value::F64(f64::from_bits(bits)),
            Type::Enum(e) => Value::Enum(e, bits as u8),
        }
    }
}

/// A whole number, decimal or as `0x1e` or `0b101`, with `_` between digits.
pub fn whole(text: &str) -> Option<i128> {
    let (sign, digits) = match text.strip_prefix('-') {
        Some(digits) => (-1, digits),
        None => (1, text.strip_prefix('+').unwrap_or(text)),
    };
    let (radix, digits) = match (digits.strip_prefix("0x"), digits.strip_prefix("0b")) {
        (Some(digits), _) => (16, digits),
        (_, Some(digits)) => (2, digits),
        _ => (10, digits),
    };
    let begins = digits.starts_with(|c: char| c.is_digit(radix));
    let number = i128::from_str_radix(&digits.replace('_', ""), radix).ok().filter(|_| begins)?;
    Some(sign * number)
}

/// Equality of bits, so that a value equals itself even if it is NaN, and 0.0 differs from −0.0.
impl PartialEq for Value {
    fn eq(&self, other: &Value) -> bool {
        self.ty() == other.ty() && self.bits() == other.bits()
    }
}

impl Eq for Value {}

impl std::hash::Hash for Value {
    fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
        self.ty().hash(state);
        self.bits().hash(state);
    }
}
