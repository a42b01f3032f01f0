//! Makes a program smaller as long as something holds of it.
//!
//! Edits are tried from the coarse to the fine, each on the syntax tree of what is left: a definition goes, an entry of the rule, a replica,
//! a step's guard; an expression becomes one of its parts, or a constant. The printed text must be simpler than before (shorter,
//! or as long and earlier in the alphabet), so that shrinking ends.

use super::{STRIDES, Trial};
use squeeze::compiler::text::source::{Sources, Span};
use squeeze::compiler::text::syntax;
use squeeze::compiler::text::syntax::ast::{
    ConstDef, ConstValue, Expr, ExprKind, FractalPart, FractalPartKind, ItemKind, LevelEntry, Number, PicturePlane,
    ReplicaEntry, RuleItem, RuleItemKind, SyntaxFile, TypeNameKind,
};
use std::time::{Duration, Instant};

/// The smallest trial that was found for which `fails` holds, as it does for `trial`, within about `time`.
pub fn shrink(trial: &Trial, fails: &mut dyn FnMut(&Trial) -> bool, time: Duration) -> Trial {
    let start = Instant::now();
    // The printed text may be longer than the given one: it is compared with the text printed without an edit.
    let mut best = Trial { text: laid_out(&trial.text).unwrap_or_default(), ..trial.clone() };
    if !fails(&best) {
        best = trial.clone();
    }
    loop {
        let before = best.clone();
        while start.elapsed() < time
            && let Some(simpler) = settings(&best).into_iter().find(&mut *fails)
        {
            best = simpler;
        }
        let mut number = 0;
        while start.elapsed() < time {
            match edited(&best.text, number) {
                Edited::Over => break,
                // The same number is another edit now.
                Edited::Text(text) if is_simpler(&text, &best.text) => {
                    let simpler = Trial { text, ..best.clone() };
                    if fails(&simpler) { best = simpler } else { number += 1 }
                }
                Edited::Text(_) | Edited::Nothing => number += 1,
            }
        }
        if best == before || start.elapsed() >= time {
            return best;
        }
    }
}

fn is_simpler(text: &str, than: &str) -> bool {
    (text.len(), text) < (than.len(), than)
}

/// The same program with less around it.
fn settings(trial: &Trial) -> Vec<Trial> {
    let mut simpler = Vec::new();
    for level in 0..trial.level {
        simpler.push(Trial { level, ..trial.clone() });
    }
    for strides in STRIDES {
        if strides.len() < trial.strides.len() || strides.iter().sum::<u32>() < trial.strides.iter().sum() {
            simpler.push(Trial { strides, ..trial.clone() });
        }
    }
    if trial.seed != 0 {
        simpler.push(Trial { seed: 0, ..trial.clone() });
    }
    simpler
}

/// The text as it is printed, without comments.
fn laid_out(text: &str) -> Option<String> {
    let mut sources = Sources::new();
    let id = sources.add("program", text);
    let (mut file, errors) = syntax::parse(&sources, id);
    file.comments.clear();
    errors.is_empty().then(|| syntax::print(&file, None).ok())?
}

/// The result of an edit.
enum Edited {
    Text(String),
    /// This edit is none here.
    Nothing,
    /// There are no edits of this number or a higher one.
    Over,
}

/// The text after the edit of a number.
fn edited(text: &str, number: usize) -> Edited {
    let mut sources = Sources::new();
    let id = sources.add("program", text);
    let (mut file, errors) = syntax::parse(&sources, id);
    if !errors.is_empty() {
        return Edited::Over;
    }
    file.comments.clear();
    let mut left = number;
    if !edit_items(&mut file, &mut left) && !edit_expressions(&mut file, &mut left) {
        return Edited::Over;
    }
    match syntax::print(&file, None) {
        Ok(text) => Edited::Text(text),
        Err(_) => Edited::Nothing,
    }
}

/// Counts one edit; true if it is the one to make.
fn turn(left: &mut usize) -> bool {
    match left.checked_sub(1) {
        None => true,
        Some(less) => {
            *left = less;
            false
        }
    }
}

/// Removes one of a list's entries, if it is the turn of one.
fn remove<T>(list: &mut Vec<T>, left: &mut usize) -> bool {
    if *left < list.len() {
        list.remove(*left);
        return true;
    }
    *left -= list.len();
    false
}

/// Edits that remove whole parts. True if one was done.
fn edit_items(file: &mut SyntaxFile, left: &mut usize) -> bool {
    if remove(&mut file.items, left) {
        return true;
    }
    for item in &mut file.items {
        let done = match &mut item.kind {
            ItemKind::Rule(rule) => remove_states(&mut rule.items, left) || edit_rule(&mut rule.items, left),
            ItemKind::Fractal(fractal) => fractal.parts.iter_mut().any(|part| edit_fractal(part, left)),
            ItemKind::Neighbourhood(neighbourhood) => remove(&mut neighbourhood.offsets, left),
            ItemKind::Const(def) => edit_constant(def, left),
            ItemKind::Function(_) | ItemKind::Use(_) | ItemKind::Broken(..) => false,
        };
        if done {
            return true;
        }
    }
    false
}

/// Removes a state with all that gives it values.
fn remove_states(items: &mut Vec<RuleItem>, left: &mut usize) -> bool {
    let names: Vec<String> = items
        .iter()
        .filter_map(
            |item| if let RuleItemKind::State { name, .. } = &item.kind { Some(name.name.clone()) } else { None },
        )
        .collect();
    let Some(wanted) = names.get(*left) else {
        *left -= names.len();
        return false;
    };
    let is_of = |item: &RuleItem| match &item.kind {
        RuleItemKind::State { name, .. } | RuleItemKind::Init { name, .. } | RuleItemKind::Next { name, .. } => {
            name.name == *wanted
        }
        _ => false,
    };
    items.retain(|item| !is_of(item));
    for item in items.iter_mut() {
        if let RuleItemKind::Step { items, .. } = &mut item.kind {
            items.retain(|item| !is_of(item));
        }
    }
    items.retain(|item| !matches!(&item.kind, RuleItemKind::Step { items, .. } if items.is_empty()));
    true
}

fn edit_rule(items: &mut Vec<RuleItem>, left: &mut usize) -> bool {
    if remove(items, left) {
        return true;
    }
    for at in 0..items.len() {
        if let RuleItemKind::Repeat { items: inside, .. } = &mut items[at].kind
            && turn(left)
        {
            let inside = std::mem::take(inside);
            items.splice(at..=at, inside);
            return true;
        }
        let RuleItemKind::Step { guard, items: inside, .. } = &mut items[at].kind else {
            if let RuleItemKind::Neighbourhood(list) = &mut items[at].kind
                && remove(&mut list.offsets, left)
            {
                return true;
            }
            if let RuleItemKind::Const(def) = &mut items[at].kind
                && edit_constant(def, left)
            {
                return true;
            }
            if let RuleItemKind::State { ty, .. } | RuleItemKind::Param { ty, .. } = &mut items[at].kind
                && let TypeNameKind::Enum(variants) = &mut ty.kind
                && remove(variants, left)
            {
                return true;
            }
            continue;
        };
        if guard.is_some() && turn(left) {
            *guard = None;
            return true;
        }
        if remove(inside, left) {
            return true;
        }
        // A step alone is the rule's own.
        if turn(left) {
            let inside = std::mem::take(inside);
            drop(items.splice(at..=at, inside));
            return true;
        }
    }
    false
}

fn edit_fractal(part: &mut FractalPart, left: &mut usize) -> bool {
    let span = part.span;
    let mut smaller = |number: &mut Number| {
        let smaller = number.value > 2 && turn(left);
        number.value -= i128::from(smaller);
        smaller
    };
    match &mut part.kind {
        FractalPartKind::Replicas(entries) => {
            let done = remove(entries, left);
            if done {
                // They are numbered without gaps.
                entries.sort_by_key(|entry| entry.id.value);
                entries.iter_mut().zip(0..).for_each(|(entry, number)| entry.id.value = number);
            }
            done
        }
        FractalPartKind::Levels { list, .. } => remove::<LevelEntry>(list, left),
        FractalPartKind::Periodic(axes) => axes.len() > 1 && remove(axes, left),
        FractalPartKind::Base(_)
        | FractalPartKind::Mask { .. }
        | FractalPartKind::Size(_)
        | FractalPartKind::Edge { .. }
        | FractalPartKind::Param { .. }
        | FractalPartKind::Cells(_)
        | FractalPartKind::Seed(_)
        | FractalPartKind::Keep(_)
        | FractalPartKind::Invert => false,
        FractalPartKind::Scale(numbers) if numbers.len() > 1 => false,
        FractalPartKind::Scale(numbers) => numbers.iter_mut().any(smaller),
        FractalPartKind::Dimension(number) => smaller(number),
        FractalPartKind::Picture(planes) => {
            if turn(left) {
                part.kind = FractalPartKind::Replicas(replicas_of(planes, span));
                return true;
            }
            remove_replica(planes, left)
        }
    }
}

/// The replicas of a picture as a table, which is shorter if they are few.
fn replicas_of(planes: &[PicturePlane], span: Span) -> Vec<ReplicaEntry> {
    let solid = planes.len() > 1;
    let mut entries = Vec::new();
    for (z, plane) in planes.iter().enumerate() {
        for (y, row) in plane.rows.iter().enumerate() {
            for (x, mark) in row.text.chars().enumerate().filter(|(_, mark)| *mark != '.') {
                let number = |value: usize| Number { value: value as i128, span };
                let id = mark.to_digit(36).map_or(entries.len(), |digit| digit as usize);
                let place = [x, y, z].into_iter().take(if solid { 3 } else { 2 }).map(number).collect();
                entries.push(ReplicaEntry { id: number(id), place, place_span: span, span });
            }
        }
    }
    entries.sort_by_key(|entry| entry.id.value);
    entries
}

/// Makes a hole of one of a picture's replicas; those with higher numbers move up.
fn remove_replica(planes: &mut [PicturePlane], left: &mut usize) -> bool {
    let rows = || planes.iter().enumerate().flat_map(|(z, plane)| (0..plane.rows.len()).map(move |y| (z, y)));
    let places = rows().flat_map(|(z, y)| planes[z].rows[y].text.char_indices().map(move |(x, mark)| (z, y, x, mark)));
    let replicas: Vec<(usize, usize, usize, char)> = places.filter(|(.., mark)| *mark != '.').collect();
    let Some(&(z, y, x, mark)) = replicas.get(*left) else {
        *left -= replicas.len();
        return false;
    };
    planes[z].rows[y].text.replace_range(x..=x, ".");
    let number = mark.to_digit(36);
    for row in planes.iter_mut().flat_map(|plane| &mut plane.rows) {
        let renumbered = |c: char| match c.to_digit(36) {
            Some(other) if number.is_some_and(|number| other > number) => char::from_digit(other - 1, 36).unwrap_or(c),
            _ => c,
        };
        row.text = row.text.chars().map(renumbered).collect();
    }
    true
}

/// Edits of expressions: the whole becomes a part, or a constant. True if one was done.
fn edit_expressions(file: &mut SyntaxFile, left: &mut usize) -> bool {
    file.items.iter_mut().any(|item| match &mut item.kind {
        ItemKind::Rule(rule) => rule.items.iter_mut().any(|item| expressions_of(item, left)),
        ItemKind::Const(def) => def_expressions(def, left),
        ItemKind::Function(def) => edit(&mut def.value, left),
        _ => false,
    })
}

/// Removes a value of a table.
fn edit_constant(def: &mut ConstDef, left: &mut usize) -> bool {
    match &mut def.value {
        ConstValue::Table(values, _) => remove(values, left),
        ConstValue::Scalar(_) => false,
    }
}

fn def_expressions(def: &mut ConstDef, left: &mut usize) -> bool {
    match &mut def.value {
        ConstValue::Table(values, _) => values.iter_mut().any(|value| edit(value, left)),
        ConstValue::Scalar(value) => edit(value, left),
    }
}

fn expressions_of(item: &mut RuleItem, left: &mut usize) -> bool {
    match &mut item.kind {
        RuleItemKind::Param { value, .. }
        | RuleItemKind::Init { value, .. }
        | RuleItemKind::Let { value, .. }
        | RuleItemKind::Bond { value, .. }
        | RuleItemKind::Global { value, .. }
        | RuleItemKind::Next { value, .. }
        | RuleItemKind::Stop(value)
        | RuleItemKind::Equilibrium(value) => edit(value, left),
        RuleItemKind::Observe { values, .. } => values.iter_mut().any(|value| edit(value, left)),
        RuleItemKind::Step { guard, items, .. } => {
            guard.as_mut().is_some_and(|guard| edit(guard, left))
                || items.iter_mut().any(|item| expressions_of(item, left))
        }
        RuleItemKind::Repeat { items, .. } => items.iter_mut().any(|item| expressions_of(item, left)),
        RuleItemKind::Const(def) => def_expressions(def, left),
        RuleItemKind::Function(def) => edit(&mut def.value, left),
        RuleItemKind::State { .. }
        | RuleItemKind::KeptBond { .. }
        | RuleItemKind::Clusters { .. }
        | RuleItemKind::Input { .. }
        | RuleItemKind::Neighbourhood(_)
        | RuleItemKind::Allow(_)
        | RuleItemKind::Flush
        | RuleItemKind::Picture(_) => false,
    }
}

/// Edits an expression or something in it.
fn edit(expression: &mut Expr, left: &mut usize) -> bool {
    let mut simpler: Vec<ExprKind> = expression.children().into_iter().map(|part| part.kind.clone()).collect();
    if !matches!(expression.kind, ExprKind::Int(_) | ExprKind::Float(_) | ExprKind::Bool(_)) {
        let constants = [ExprKind::Bool(false), ExprKind::Bool(true)].into_iter();
        simpler.extend(constants.chain(["0", "1"].map(|text| ExprKind::Int(text.to_owned()))));
        simpler.extend(["0.0", "1.0"].map(|text| ExprKind::Float(text.to_owned())));
    }
    if *left < simpler.len() {
        expression.kind = simpler.swap_remove(*left);
        return true;
    }
    *left -= simpler.len();
    if let ExprKind::InSet { set, .. } = &mut expression.kind
        && remove(set, left)
    {
        return true;
    }
    if let ExprKind::Block(block) = &mut expression.kind
        && remove(&mut block.lets, left)
    {
        return true;
    }
    parts_mut(expression).into_iter().any(|part| edit(part, left))
}

/// The expressions directly within one, to be changed.
fn parts_mut(expression: &mut Expr) -> Vec<&mut Expr> {
    match &mut expression.kind {
        ExprKind::Int(_) | ExprKind::Float(_) | ExprKind::Bool(_) | ExprKind::Name(_) | ExprKind::Neighbour(_) => {
            Vec::new()
        }
        ExprKind::Component { value, otherwise, .. } => {
            std::iter::once(&mut **value).chain(otherwise.as_deref_mut()).collect()
        }
        ExprKind::Call { arguments, otherwise, .. } => arguments.iter_mut().chain(otherwise.as_deref_mut()).collect(),
        ExprKind::FromDisorder(draw) | ExprKind::AtCluster(draw, _) => vec![draw],
        // What is no call has no value of clusters.
        ExprKind::OfCluster(call, _) => parts_mut(call),
        ExprKind::Per(value, _) => vec![value],
        // Its neighbourhood stays.
        ExprKind::Over(both) => both.iter_mut().take(1).collect(),
        ExprKind::Read { otherwise, .. } => otherwise.as_deref_mut().into_iter().collect(),
        ExprKind::Index { index, .. } => vec![index],
        ExprKind::Offsets(entries) => entries.iter_mut().filter_map(|entry| entry.weight.as_mut()).collect(),
        ExprKind::Match { value, arms } => {
            [&mut **value].into_iter().chain(arms.iter_mut().map(|arm| &mut arm.value)).collect()
        }
        ExprKind::Unary { operand, .. } => vec![operand],
        ExprKind::Binary { left, right, .. } => vec![left, right],
        ExprKind::InRange { value, low, high } => vec![value, low, high],
        ExprKind::InSet { value, set } => [&mut **value].into_iter().chain(set).collect(),
        ExprKind::If { condition, then, otherwise } => {
            let block = &mut **then;
            let lets = block.lets.iter_mut().map(|(_, value)| value);
            lets.chain([&mut block.value]).chain(otherwise.as_deref_mut()).chain([&mut **condition]).collect()
        }
        ExprKind::Block(block) => {
            let block = &mut **block;
            block.lets.iter_mut().map(|(_, value)| value).chain([&mut block.value]).collect()
        }
    }
}
