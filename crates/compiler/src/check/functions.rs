//! Functions that a text defines, and those of the language that are made of others.

use super::body::Operand;
use super::expression::{CallExpr, Checker, Context, Home, RuleName};
use super::literal::Local;
use crate::ir::{BinaryOp, CompareOp, EnumId, MathFn, Op, Type, UnaryOp, Value};
use crate::text::diagnostics::Diagnostic;
use crate::text::source::Span;
use crate::text::syntax::ast::{DefKind, FunctionDef, ItemKind, TypeName, TypeNameKind};

/// How deep functions may call one another.
const DEEPEST_CALLS: usize = 64;

/// A function and where the names in it are looked up.
#[derive(Clone, Copy)]
pub(super) struct DefinedFunction<'a> {
    def: &'a FunctionDef,
    home: Home,
}

impl<'a> Checker<'a, '_> {
    /// The function of the text that a name means here, if it means one.
    pub(super) fn function_named(&self, name: &str) -> Option<DefinedFunction<'a>> {
        if self.home.in_rule
            && let Some(&RuleName::Function(index)) = self.names.get(name)
        {
            return Some(DefinedFunction { def: self.functions[index], home: self.home });
        }
        let id = self.scope.get(self.home.module, DefKind::Function, name)?;
        let ItemKind::Function(def) = self.scope.item(id) else { return None };
        Some(DefinedFunction { def, home: Home { module: id.module, in_rule: false } })
    }

    /// The type of a name; reports one that there is not.
    pub(super) fn type_named(&mut self, name: &str, span: Span) -> Option<Type> {
        let known = Type::named(name);
        if known.is_none() {
            self.errors.push(super::names::unknown_type(name, span));
        }
        known
    }

    /// A type that is written where no enum can be declared.
    pub(super) fn type_used(&mut self, written: &TypeName) -> Option<Type> {
        match &written.kind {
            TypeNameKind::Name(name) => self.type_named(name, written.span),
            TypeNameKind::Of(vector, _) => super::names::no_vector(vector).fail(self.errors),
            TypeNameKind::Enum(variants) => {
                let same = |known: &crate::ir::EnumType| {
                    known.variants.iter().eq(variants.iter().map(|variant| &variant.name))
                };
                let known = self.rule.enums.iter().position(same).filter(|_| self.home.in_rule);
                if known.is_none() {
                    let help = "functions and constants with an enum stand in the rule that declares it, with the same list of variants";
                    Diagnostic::new("an enum that no state or parameter has", written.span, "not known here")
                        .help(help)
                        .report(self.errors);
                }
                known.map(|known| Type::Enum(EnumId(known as u16)))
            }
        }
    }

    /// Checks functions by themselves, so that their errors are reported used or not.
    pub(super) fn check_functions(&mut self, defs: impl IntoIterator<Item = &'a FunctionDef>) {
        let home = self.home;
        for def in defs {
            if super::names::functions().any(|known| known == def.name.name) {
                self.errors.push(super::names::built_in(&def.name.name, def.name.span));
            }
            for (index, (name, _)) in def.parameters.iter().enumerate() {
                self.check_local_name(name);
                if let Some((first, _)) = def.parameters[..index].iter().find(|(other, _)| other.name == name.name) {
                    self.errors.push(super::names::defined_twice("parameter", &name.name, name.span, first.span));
                }
            }
            self.place = Context::Function;
            let mut arguments = Vec::new();
            for (_, ty) in &def.parameters {
                // Only the type matters: the nodes made here are dropped.
                let ty = self.type_used(ty);
                arguments.push(ty.map(|ty| self.body.push(ty, Op::Level)));
            }
            self.inline(DefinedFunction { def, home }, arguments, def.name.span);
            self.body.term = None;
            self.body = Default::default();
            self.locals.clear();
        }
    }

    /// A call of a function of the text.
    pub(super) fn call_function(&mut self, function: DefinedFunction<'a>, call: CallExpr<'a>) -> Option<Operand> {
        let CallExpr { arguments, span, .. } = call;
        let def = function.def;
        if arguments.len() != def.parameters.len() {
            let names: Vec<&str> = def.parameters.iter().map(|(name, _)| name.name.as_str()).collect();
            let form = format!("{}({})", def.name.name, names.join(", "));
            let error = super::call::wrong_count(&def.name.name, names.len(), arguments.len(), span, &form);
            return error.also(def.name.span, "defined here").fail(self.errors);
        }
        let mut operands = Vec::new();
        for (argument, (_, ty)) in arguments.iter().zip(&def.parameters) {
            let ty = self.at_home(function.home, |checker| checker.type_used(ty));
            let argument = self.check(argument, ty);
            operands.push(ty.and(argument));
        }
        if operands.iter().any(Option::is_none) {
            return None;
        }
        self.inline(function, operands, span)
    }

    /// Puts the code of a function into the body.
    fn inline(
        &mut self,
        function: DefinedFunction<'a>,
        arguments: Vec<Option<Operand>>,
        span: Span,
    ) -> Option<Operand> {
        let def = function.def;
        if self.inlined.iter().any(|open| std::ptr::eq(*open, def)) {
            return Diagnostic::new(format!("`{}` calls itself", def.name.name), span, "its value would have no end")
                .also(def.name.span, "defined here")
                .help("functions are written out where they are called, so none may lead back to itself")
                .fail(self.errors);
        }
        if self.inlined.len() == DEEPEST_CALLS {
            let message = format!("more than {DEEPEST_CALLS} functions call one another");
            return Diagnostic::new(message, span, "one too many")
                .help("use fewer functions, or `let`s")
                .fail(self.errors);
        }
        self.room_for_more(span)?;
        let result = self.at_home(function.home, |checker| checker.type_used(&def.result))?;
        let names = def.parameters.iter().map(|(name, _)| name.name.as_str());
        let locals = names.zip(arguments).map(|(name, operand)| Local::typed(name, operand)).collect();
        self.inlined.push(def);
        let value = self.at_home(function.home, |checker| {
            checker.locals = locals;
            checker.check(&def.value, Some(result))
        });
        self.inlined.pop();
        value
    }

    /// `phase(n)`: the variant with a number, of the enum of a state or parameter.
    pub(super) fn variant_of_number(&mut self, call: CallExpr<'a>, id: EnumId) -> Option<Operand> {
        let name = &call.name.name;
        let [argument] = self.arguments(call, &format!("{name}(n)"))?;
        let number = self.check(argument, None)?;
        if !number.ty.is_integer() {
            let found = self.type_name(number.ty);
            let message = format!("a variant's number of type `{found}`");
            return Diagnostic::new(message, argument.span, "expected a whole number")
                .help(format!("write `{name}(i32(…))`"))
                .coded("type")
                .fail(self.errors);
        }
        let count = self.rule.enums[usize::from(id.0)].variants.len();
        if let Some(constant) = self.body.constant(number.id) {
            let constant = constant.as_i128().unwrap_or(-1);
            if !(0..count as i128).contains(&constant) {
                let variants = self.type_name(Type::Enum(id));
                let message = format!("no variant has the number {constant}");
                return Diagnostic::new(message, argument.span, format!("expected 0 to {}", count - 1))
                    .help(format!("the type is `{variants}`; variants are numbered from 0"))
                    .fail(self.errors);
            }
        }
        // Of a type that has the count, so that the remainder is right: 256 is no u8.
        let ty = if matches!(number.ty, Type::U8 | Type::U16) { Type::I32 } else { number.ty };
        let number = if number.ty == ty { number } else { self.body.push(ty, Op::Cast(number.id)) };
        let bound = self.body.push(ty, Op::Const(Value::whole(ty, count as i128)));
        let mut rest = self.binary_node(BinaryOp::Remainder, number, bound);
        if Value::range(ty).is_some_and(|(least, _)| least < 0) {
            let positive = self.binary_node(BinaryOp::Add, rest, bound);
            rest = self.binary_node(BinaryOp::Remainder, positive, bound);
        }
        let values: Vec<Value> = (0..count).map(|variant| Value::Enum(id, variant as u8)).collect();
        Some(self.look_up(rest, &values))
    }

    pub(super) fn binary_node(&mut self, op: BinaryOp, a: Operand, b: Operand) -> Operand {
        self.body.push(a.ty, Op::Binary(op, a.id, b.id))
    }

    pub(super) fn compare_node(&mut self, op: CompareOp, a: Operand, b: Operand) -> Operand {
        self.body.push(Type::Bit, Op::Compare(op, a.id, b.id))
    }

    pub(super) fn select_node(&mut self, condition: Operand, then: Operand, otherwise: Operand) -> Operand {
        let op = Op::Select { condition: condition.id, then: then.id, otherwise: otherwise.id };
        self.body.push(then.ty, op)
    }

    pub(super) fn value_node(&mut self, value: Value) -> Operand {
        self.body.push(value.ty(), Op::Const(value))
    }

    /// `clamp(a, low, high)` = `min(max(a, low), high)`.
    pub(super) fn clamp(&mut self, a: Operand, low: Operand, high: Operand) -> Operand {
        let above = self.binary_node(BinaryOp::Max, a, low);
        self.binary_node(BinaryOp::Min, above, high)
    }

    /// 1, −1 or, for zeros and NaN, the operand itself.
    pub(super) fn sign(&mut self, a: Operand) -> Operand {
        let zero = self.value_node(Value::zero(a.ty));
        let one = self.value_node(Value::one(a.ty));
        let positive = self.compare_node(CompareOp::Less, zero, a);
        let unsigned = Value::range(a.ty).is_some_and(|(least, _)| least == 0);
        let rest = if unsigned {
            a
        } else {
            let minus = self.body.push(a.ty, Op::Unary(UnaryOp::Negate, one.id));
            let negative = self.compare_node(CompareOp::Less, a, zero);
            self.select_node(negative, minus, a)
        };
        self.select_node(positive, one, rest)
    }

    /// The integer between 0 and a that is next to a.
    pub(super) fn trunc(&mut self, a: Operand) -> Operand {
        let zero = self.value_node(Value::zero(a.ty));
        let down = self.body.push(a.ty, Op::Math(MathFn::Floor, a.id));
        let up = self.body.push(a.ty, Op::Math(MathFn::Ceil, a.id));
        let negative = self.compare_node(CompareOp::Less, a, zero);
        self.select_node(negative, up, down)
    }

    /// `a - trunc(a)`
    pub(super) fn fract(&mut self, a: Operand) -> Operand {
        let whole = self.trunc(a);
        self.binary_node(BinaryOp::Subtract, a, whole)
    }

    /// `sqrt(a * a + b * b)`
    pub(super) fn hypot(&mut self, a: Operand, b: Operand) -> Operand {
        let (a, b) = (self.binary_node(BinaryOp::Multiply, a, a), self.binary_node(BinaryOp::Multiply, b, b));
        let sum = self.binary_node(BinaryOp::Add, a, b);
        self.body.push(sum.ty, Op::Math(MathFn::Sqrt, sum.id))
    }

    /// How many bits of a bit or an integer are 1, as i32.
    pub(super) fn popcount(&mut self, a: Operand) -> Operand {
        if a.ty == Type::Bit {
            return self.body.push(Type::I32, Op::Cast(a.id));
        }
        if a.ty == Type::I64 {
            let high = self.shifted(a, 32);
            let (low, high) = (self.ones_of_word(a), self.ones_of_word(high));
            return self.binary_node(BinaryOp::Add, low, high);
        }
        self.ones_of_word(a)
    }

    /// How many of the low 32 bits of an integer are 1, as i32.
    fn ones_of_word(&mut self, a: Operand) -> Operand {
        // Sums of two, four and eight bits side by side, then of all bytes by a multiplication.
        let mut word = if a.ty == Type::U32 { a } else { self.body.push(Type::U32, Op::Cast(a.id)) };
        let pairs = self.masked(word, 1, 0x5555_5555);
        word = self.binary_node(BinaryOp::Subtract, word, pairs);
        let (low, high) = (self.masked(word, 0, 0x3333_3333), self.masked(word, 2, 0x3333_3333));
        word = self.binary_node(BinaryOp::Add, low, high);
        let shifted = self.shifted(word, 4);
        word = self.binary_node(BinaryOp::Add, word, shifted);
        word = self.masked(word, 0, 0x0f0f_0f0f);
        let ones = self.value_node(Value::U32(0x0101_0101));
        word = self.binary_node(BinaryOp::Multiply, word, ones);
        word = self.shifted(word, 24);
        self.body.push(Type::I32, Op::Cast(word.id))
    }

    fn shifted(&mut self, word: Operand, count: u32) -> Operand {
        let count = self.value_node(Value::U32(count));
        self.body.push(word.ty, Op::Shift { left: false, value: word.id, count: count.id })
    }

    fn masked(&mut self, word: Operand, count: u32, mask: u32) -> Operand {
        let word = if count == 0 { word } else { self.shifted(word, count) };
        let mask = self.value_node(Value::U32(mask));
        self.binary_node(BinaryOp::And, word, mask)
    }

    /// `base` to the power of an integer, which wraps; 0 if the exponent is negative.
    pub(super) fn integer_power(&mut self, base: Operand, exponent: Operand) -> Operand {
        let one = self.value_node(Value::one(base.ty));
        let zero = self.value_node(Value::zero(base.ty));
        let signed = Value::range(base.ty).is_some_and(|(least, _)| least < 0);
        if let Some(number) = self.body.constant(exponent.id).and_then(Value::as_i128) {
            if number < 0 {
                return zero;
            }
            let (mut result, mut square, mut rest) = (None, base, number);
            while rest > 0 {
                if rest & 1 == 1 {
                    result = Some(result.map_or(square, |so_far| self.binary_node(BinaryOp::Multiply, so_far, square)));
                }
                rest >>= 1;
                if rest > 0 {
                    square = self.binary_node(BinaryOp::Multiply, square, square);
                }
            }
            return result.unwrap_or(one);
        }
        let width = base.ty.bytes() as u32 * 8 - u32::from(signed);
        let (mut result, mut square) = (one, base);
        for bit in 0..width {
            let count = self.value_node(Value::whole(exponent.ty, bit.into()));
            let low = Op::Shift { left: false, value: exponent.id, count: count.id };
            let low = self.body.push(exponent.ty, low);
            let mask = self.value_node(Value::one(exponent.ty));
            let low = self.binary_node(BinaryOp::And, low, mask);
            let zero = self.value_node(Value::zero(exponent.ty));
            let taken = self.compare_node(CompareOp::NotEqual, low, zero);
            let longer = self.binary_node(BinaryOp::Multiply, result, square);
            result = self.select_node(taken, longer, result);
            square = self.binary_node(BinaryOp::Multiply, square, square);
        }
        if signed {
            let nothing = self.value_node(Value::zero(exponent.ty));
            let negative = self.compare_node(CompareOp::Less, exponent, nothing);
            result = self.select_node(negative, zero, result);
        }
        result
    }
}
