//! Trees without places, for comparing what two texts mean.

use super::ast::{
    Block, ConstDef, ConstValue, Expr, ExprKind, File, FractalPart, FunctionDef, Ident, Item, Kept, LevelEntry,
    NeighbourhoodDef, Number, OffsetEntry, Pattern, PatternEnd, PictureDef, RuleItem, RuleItemKind, TypeName,
    TypeNameKind,
};
use crate::text::source::{SourceId, Span};

const NOWHERE: Span = Span { source: SourceId(0), start: 0, end: 0 };

impl File {
    /// The same tree with all places at the start of text 0, and with comments as if none stood on a line of its own.
    /// Two texts with equal results mean the same and have the same comments in the same order.
    pub fn without_places(mut self) -> File {
        for comment in &mut self.comments {
            comment.span = NOWHERE;
            comment.own_line = false;
        }
        self.items.iter_mut().for_each(item);
        self
    }
}

fn item(item: &mut Item) {
    match item {
        Item::Use(item) => (item.path_span, item.span) = (NOWHERE, NOWHERE),
        Item::Fractal(item) => {
            item.span = NOWHERE;
            ident(&mut item.name);
            item.parts.iter_mut().for_each(part);
        }
        Item::Neighbourhood(item) => {
            neighbourhood(item);
        }
        Item::Const(item) => constant(item),
        Item::Function(item) => function(item),
        Item::Rule(item) => {
            item.span = NOWHERE;
            ident(&mut item.name);
            item.items.iter_mut().for_each(rule_item);
        }
        Item::Broken(item) => {
            item.span = NOWHERE;
            ident(&mut item.name);
        }
    }
}

fn neighbourhood(item: &mut NeighbourhoodDef) {
    (item.list_span, item.span) = (NOWHERE, NOWHERE);
    ident(&mut item.name);
    item.offsets.iter_mut().for_each(offset);
}

fn offset(entry: &mut OffsetEntry) {
    (entry.offset_span, entry.span) = (NOWHERE, NOWHERE);
    entry.offset.iter_mut().for_each(number);
    entry.weight.iter_mut().for_each(expr);
}

fn constant(item: &mut ConstDef) {
    item.span = NOWHERE;
    ident(&mut item.name);
    if let Some(ty) = &mut item.ty {
        ty.span = NOWHERE;
        type_name(&mut ty.element);
    }
    match &mut item.value {
        ConstValue::Scalar(value) => expr(value),
        ConstValue::Table(values, span) => {
            *span = NOWHERE;
            values.iter_mut().for_each(expr);
        }
    }
}

fn function(item: &mut FunctionDef) {
    item.span = NOWHERE;
    ident(&mut item.name);
    for (name, ty) in &mut item.parameters {
        ident(name);
        type_name(ty);
    }
    type_name(&mut item.result);
    expr(&mut item.value);
}

fn pattern(pattern: &mut Pattern) {
    pattern.span = NOWHERE;
    for end in [&mut pattern.low].into_iter().chain(&mut pattern.high) {
        match end {
            PatternEnd::Number(value) => number(value),
            PatternEnd::Bool(_) => {}
            PatternEnd::Name(name) => ident(name),
        }
    }
}

fn ident(ident: &mut Ident) {
    ident.span = NOWHERE;
}

fn number(number: &mut Number) {
    number.span = NOWHERE;
}

fn part(part: &mut FractalPart) {
    match part {
        FractalPart::Dimension(value) | FractalPart::Scale(value) => number(value),
        FractalPart::Replicas { entries, span } => {
            *span = NOWHERE;
            for entry in entries {
                (entry.place_span, entry.span) = (NOWHERE, NOWHERE);
                number(&mut entry.id);
                entry.place.iter_mut().for_each(number);
            }
        }
        FractalPart::Picture { planes, span } => {
            *span = NOWHERE;
            for plane in planes {
                plane.span = NOWHERE;
                plane.rows.iter_mut().for_each(|row| row.span = NOWHERE);
            }
        }
        FractalPart::Levels { list, seed, span } => {
            seed.iter_mut().for_each(number);
            *span = NOWHERE;
            list.iter_mut().for_each(level);
        }
        FractalPart::Base(name) => ident(name),
        FractalPart::Mask { threshold, span, .. } => {
            *span = NOWHERE;
            threshold.iter_mut().for_each(|threshold| number(&mut threshold.bound));
        }
        FractalPart::Invert(span) => *span = NOWHERE,
        FractalPart::Size { numbers, span } | FractalPart::Scales { numbers, span } => {
            *span = NOWHERE;
            numbers.iter_mut().for_each(number);
        }
        FractalPart::Param { name, ty, value, span } => {
            *span = NOWHERE;
            ident(name);
            type_name(ty);
            expr(value);
        }
        FractalPart::Cells(value) => expr(value),
        FractalPart::Seed(value) => number(value),
        FractalPart::Keep { what, span } => {
            *span = NOWHERE;
            match what {
                Kept::Largest(name, radius) => {
                    ident(name);
                    radius.iter_mut().for_each(number);
                }
                Kept::Spanning(axis) => ident(axis),
            }
        }
        FractalPart::Edge { name, value, span } => {
            *span = NOWHERE;
            ident(name);
            expr(value);
        }
        FractalPart::Periodic { axes, span } => {
            *span = NOWHERE;
            axes.iter_mut().for_each(ident);
        }
    }
}

fn level(entry: &mut LevelEntry) {
    match entry {
        LevelEntry::Name(name) => ident(name),
        LevelEntry::Times(entry, times) => {
            level(entry);
            number(times);
        }
        LevelEntry::List(list, span) => {
            *span = NOWHERE;
            list.iter_mut().for_each(level);
        }
    }
}

fn rule_item(item: &mut RuleItem) {
    item.span = NOWHERE;
    match &mut item.kind {
        RuleItemKind::Const(item) => constant(item),
        RuleItemKind::Function(item) => function(item),
        RuleItemKind::Neighbourhood(item) => neighbourhood(item),
        RuleItemKind::Allow(names) => names.iter_mut().for_each(ident),
        RuleItemKind::Picture(def) => picture(def),
        RuleItemKind::Flush => {}
        RuleItemKind::Param { name, ty, range, value } => {
            ident(name);
            type_name(ty);
            if let Some((low, high)) = range {
                expr(low);
                expr(high);
            }
            expr(value);
        }
        RuleItemKind::State { name, ty } => {
            ident(name);
            type_name(ty);
        }
        RuleItemKind::Init { name, value }
        | RuleItemKind::Let { name, value }
        | RuleItemKind::Global { name, value, .. }
        | RuleItemKind::Next { name, value } => {
            ident(name);
            expr(value);
        }
        RuleItemKind::Observe { name, values, list, level, at_end } => {
            ident(name);
            values.iter_mut().for_each(expr);
            list.iter_mut().chain(at_end).for_each(|span| *span = NOWHERE);
            level.iter_mut().for_each(number);
        }
        RuleItemKind::Stop(value) => expr(value),
        RuleItemKind::Step { name, guard, coloured, items } => {
            ident(name);
            guard.iter_mut().chain(coloured).for_each(expr);
            items.iter_mut().for_each(rule_item);
        }
        RuleItemKind::Repeat { count, items } => {
            expr(count);
            items.iter_mut().for_each(rule_item);
        }
    }
}

fn picture(def: &mut PictureDef) {
    def.map.iter_mut().for_each(ident);
    ident(&mut def.state);
    if let Some((low, high)) = &mut def.range {
        expr(low);
        expr(high);
    }
    if let Some((colours, span)) = &mut def.colours {
        *span = NOWHERE;
        for colour in colours {
            colour.variant.iter_mut().for_each(ident);
            colour.code_span = NOWHERE;
        }
    }
}

fn type_name(ty: &mut TypeName) {
    ty.span = NOWHERE;
    if let TypeNameKind::Enum(variants) = &mut ty.kind {
        variants.iter_mut().for_each(ident);
    }
}

fn expr(value: &mut Expr) {
    value.span = NOWHERE;
    match &mut value.kind {
        ExprKind::Int(_) | ExprKind::Float(_) | ExprKind::Bool(_) | ExprKind::Name(_) => {}
        ExprKind::Neighbour(field) => ident(field),
        ExprKind::Call { name, arguments, otherwise } => {
            ident(name);
            arguments.iter_mut().for_each(expr);
            otherwise.iter_mut().for_each(|otherwise| expr(otherwise));
        }
        ExprKind::Read { name, offset, offset_span, otherwise } => {
            ident(name);
            *offset_span = NOWHERE;
            offset.iter_mut().for_each(number);
            otherwise.iter_mut().for_each(|otherwise| expr(otherwise));
        }
        ExprKind::Index { name, index, index_span } => {
            ident(name);
            *index_span = NOWHERE;
            expr(index);
        }
        ExprKind::FromDisorder(draw) => expr(draw),
        ExprKind::Offsets(entries) => entries.iter_mut().for_each(offset),
        ExprKind::Match { value, arms } => {
            expr(value);
            for arm in arms {
                arm.patterns.iter_mut().for_each(pattern);
                expr(&mut arm.value);
            }
        }
        ExprKind::Unary { operand, .. } => expr(operand),
        ExprKind::Binary { op_span, left, right, .. } => {
            *op_span = NOWHERE;
            expr(left);
            expr(right);
        }
        ExprKind::InRange { value, low, high } => [value, low, high].into_iter().for_each(|part| expr(part)),
        ExprKind::InSet { value, set } => {
            expr(value);
            set.iter_mut().for_each(expr);
        }
        ExprKind::If { condition, then, otherwise } => {
            expr(condition);
            block(then);
            otherwise.iter_mut().for_each(|otherwise| expr(otherwise));
        }
        ExprKind::Block(inner) => block(inner),
    }
}

fn block(block: &mut Block) {
    block.span = NOWHERE;
    for (name, value) in &mut block.lets {
        ident(name);
        expr(value);
    }
    expr(&mut block.value);
}
