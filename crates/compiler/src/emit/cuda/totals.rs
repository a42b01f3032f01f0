//! Kernels that add up totals: the code in the place of stores, before it and behind it.

use super::abi::Totals;
use super::job::End;
use super::literal::literal;
use super::names::Namer;
use super::words::{of_thread, population, votes};
use crate::ir::Combine;
use crate::kernel::Planes;
use crate::numbers::value::Value;
use crate::reduce::weighted_bits::WeightedBits;

/// How reductions combine.
pub(super) const REDUCTIONS: &str = include_str!("../../../templates/reductions.cu");

/// The declarations before kernels that add up.
pub(super) fn totals_text() -> String {
    format!("{REDUCTIONS}\n{}", include_str!("../../../templates/totals.cu").replace("{{ totals }}\n", &Totals::text()))
}

/// The cells of a thread.
#[doc(hidden)]
#[derive(Clone, Copy)]
pub struct Taken {
    /// A word of bits, not a cell.
    pub bitwise: bool,
    /// The expression that says which of its cells exist, unless all do: a word of bits, or a condition.
    pub there: Option<&'static str>,
}

/// The totals that a kernel adds up in the place of stores.
pub(crate) struct Adding<'a> {
    totals: &'a [WeightedBits],
    /// The index of the first term among the states.
    first: usize,
    /// For each total the names of a thread's counts, one for each weight; of integers the name of the sum.
    names: Vec<Vec<String>>,
    /// Where each lane of a word is counted for itself: the cells of a superblock, and the most that a thread counts.
    counted: Option<(u64, u64)>,
}

impl<'a> Adding<'a> {
    /// For the last states of a kernel, if they are added up; `counted` are the cells of a superblock and the most that a thread takes, if each
    /// lane of a word is counted for itself.
    pub(crate) fn of(
        end: End<'a>,
        states: usize,
        counted: Option<(u64, u64)>,
        names: &mut Namer,
    ) -> Option<Adding<'a>> {
        let End::AddUp(totals) = end else { return None };
        let names = |total: &WeightedBits| match total.planes {
            Planes::Bits(_) => total.distinct_weights().iter().map(|_| names.name("count")).collect(),
            Planes::Number(_) => vec![names.name("total")],
        };
        Some(Adding { totals, first: states - totals.len(), names: totals.iter().map(names).collect(), counted })
    }

    /// Whether some lanes of words are counted for themselves.
    pub(crate) fn counts_lanes(&self) -> bool {
        self.counted.is_some() && self.totals.iter().any(is_bits)
    }

    /// For each count of lanes its name, and how many planes count.
    fn counts(&self) -> impl Iterator<Item = (&str, u64)> {
        let bits = self.totals.iter().zip(&self.names).filter(|(total, _)| is_bits(total));
        bits.flat_map(|(total, names)| {
            let planes = |weight: i64| total.weights.iter().filter(|of| **of == weight).count() as u64;
            total.distinct_weights().into_iter().zip(names).map(move |(weight, name)| (name.as_str(), planes(weight)))
        })
    }

    /// The counts of a superblock's cells, of few digits, declared before these are counted, if each lane of a word is counted for itself.
    pub(crate) fn before_superblock(&self) -> Vec<String> {
        let Some((cells, _)) = self.counted else { return Vec::new() };
        let line = |(name, planes): (&str, u64)| format!("u32 {name}_here[{}] = {{}};", digits(cells * planes));
        self.counts().map(line).collect()
    }

    /// Whether this state is added up, not stored.
    pub(crate) fn takes(&self, state: usize) -> bool {
        state >= self.first
    }

    /// The variables of a thread that counts several lanes: types, names and first values.
    fn kept(&self) -> Vec<(&'static str, &str, String)> {
        let own = |(total, _): &(&WeightedBits, &Vec<String>)| self.counted.is_none() || !is_bits(total);
        let mut kept = Vec::new();
        for (total, names) in self.totals.iter().zip(&self.names).filter(own) {
            let nothing = || format!("{}::NOTHING", struct_of(total.kind));
            let (ty, nothing) = if is_bits(total) { ("u32", "0".to_owned()) } else { ("i64", nothing()) };
            kept.extend(names.iter().map(|name| (ty, name.as_str(), nothing.clone())));
        }
        kept
    }

    /// The declarations before anything is added.
    pub(crate) fn declarations(&self) -> Vec<String> {
        let mut lines = Vec::new();
        if let Some((_, cells)) = self.counted {
            let line = |(name, planes): (&str, u64)| format!("u32 {name}[{}] = {{}};", digits(cells * planes));
            lines.extend(self.counts().map(line));
        }
        lines.extend(self.kept().into_iter().map(|(ty, name, nothing)| format!("{ty} {name} = {nothing};")));
        lines
    }

    /// Declares which lanes of the last word exist, if not all do.
    pub(crate) fn lanes_of_words(&self, taken: Taken, count: usize) -> Option<String> {
        let there = (1u32 << (count % 32)) - 1;
        (taken.bitwise && taken.there.is_some() && self.counted.is_none())
            .then(|| format!("const u32 lanes_there = word == WORDS - 1 ? {there:#x} : 0xffffffff;"))
    }

    /// Counts or adds up a value that another kernel would store, by its name.
    pub(crate) fn add_up(&self, taken: Taken, state: usize, plane: u8, text: &str) -> String {
        let total = &self.totals[state - self.first];
        let names = &self.names[state - self.first];
        match total.planes {
            Planes::Bits(_) => {
                let weight = total.weights[usize::from(plane)];
                let number = total.distinct_weights().iter().position(|of| *of == weight).unwrap_or_default();
                let name = &names[number];
                match (taken.bitwise, taken.there) {
                    _ if self.counted.is_some() => format!("add_bit({name}_here, {text});"),
                    (true, None) => format!("{name} += {};", population(text)),
                    (true, Some(there)) => format!("{name} += {};", population(&format!("{text} & {there}"))),
                    (false, None) => format!("{name} += (u32){text};"),
                    (false, Some(there)) => format!("{name} += {there} ? (u32){text} : 0;"),
                }
            }
            Planes::Number(_) => {
                let (name, kind) = (&names[0], struct_of(total.kind));
                match taken.there {
                    None => format!("{name} = {kind}::both({name}, (i64){text});"),
                    Some(there) => {
                        format!("{name} = {kind}::both({name}, {there} ? (i64){text} : {kind}::NOTHING);")
                    }
                }
            }
        }
    }

    /// The result of a thread.
    fn value(&self, index: usize) -> String {
        match self.totals[index].planes {
            Planes::Number(_) => self.names[index][0].clone(),
            Planes::Bits(_) => self.weighted(index, ""),
        }
    }

    /// Counts, whose names have something behind them, times their weights.
    fn weighted(&self, index: usize, behind: &str) -> String {
        let (total, names) = (&self.totals[index], &self.names[index]);
        let terms = total.distinct_weights().into_iter().zip(names).map(|(weight, name)| match weight {
            1 => format!("(i64){name}{behind}"),
            weight => format!("{} * (i64){name}{behind}", literal(Value::I64(weight))),
        });
        let terms = terms.collect::<Vec<_>>().join(" + ");
        if terms.is_empty() { "0ll".to_owned() } else { terms }
    }

    /// Adds the results of the threads of a warp for which a condition holds to the totals at `values`.
    fn add(&self, values: &str, condition: Option<&str>) -> Vec<String> {
        let add = |(index, total): (usize, &WeightedBits)| {
            let (kind, value) = (struct_of(total.kind), self.value(index));
            let value = condition.map_or(value.clone(), |there| format!("{there} ? {value} : {kind}::NOTHING"));
            format!("add_up<{kind}>({values} + {index}, {value});")
        };
        self.totals.iter().enumerate().map(add).collect()
    }

    /// The same for lanes that are members, each with its own totals.
    pub(crate) fn leave_lanes(&self, taken: Taken) -> Vec<String> {
        let totals = self.totals.len();
        let mut lines = Vec::new();
        if self.counted.is_some() {
            lines.extend(self.counts().map(|(name, _)| format!("    add_digits({name}, {name}_here);")));
        }
        lines.push("}".to_owned());
        lines.push(format!(
            "i64 *const slot_totals = totals.values + (u64)(blockIdx.x % totals.slots) * LANES * {totals};"
        ));
        let add = |(index, total): (usize, &WeightedBits), value: String| {
            let place = format!("slot_totals + (u64)counted_member * {totals} + {index}");
            format!("    {}::add_to({place}, {value});", struct_of(total.kind))
        };
        let is_counted = |total: &WeightedBits| self.counted.is_some() && is_bits(total);
        let own: Vec<_> = self.totals.iter().enumerate().filter(|(_, total)| !is_counted(total)).collect();
        let width = match (taken.bitwise, taken.there) {
            (true, _) => "WORDS",
            (false, Some(_)) => "(32 * WORDS)",
            (false, None) => "LANES",
        };
        if !own.is_empty() {
            lines.push(format!("const u32 counted_member = thread % {width};"));
            lines.push("if (thread < all_threads && counted_member < LANES) {".to_owned());
            lines.extend(own.into_iter().map(|(index, total)| add((index, total), self.value(index))));
            lines.push("}".to_owned());
        }
        if !self.counts_lanes() {
            return lines;
        }
        lines.push(
            "// What one thread after the other has counted in 32 lanes, each thread of the warp one of them."
                .to_owned(),
        );
        lines.push("#pragma unroll 1".to_owned());
        lines.push("for (u32 from_thread = 0; from_thread < 32; ++from_thread) {".to_owned());
        lines.push("    const u32 counted_thread = thread / 32 * 32 + from_thread;".to_owned());
        lines.push(format!("    const u32 counted_member = counted_thread % {width} * 32 + threadIdx.x % 32;"));
        for (name, _) in self.counts() {
            lines.push(format!("    const u32 {name}_of = lane_count({name}, from_thread);"));
        }
        lines.push("    if (counted_thread < all_threads && counted_member < LANES) {".to_owned());
        for (index, total) in self.totals.iter().enumerate().filter(|(_, total)| is_counted(total)) {
            let line = add((index, total), self.weighted(index, "_of"));
            lines.push(format!("    {line}"));
        }
        lines.push("    }".to_owned());
        lines.push("}".to_owned());
        lines
    }

    /// The parameters of a function that adds up elsewhere, and the arguments of its call.
    pub(crate) fn references(&self) -> (Vec<String>, Vec<String>) {
        let kept = self.kept();
        (
            kept.iter().map(|(ty, name, _)| format!("{ty} &{name}")).collect(),
            kept.iter().map(|kept| kept.1.to_owned()).collect(),
        )
    }

    /// The code behind all that threads do alone.
    pub(crate) fn leave(&self, members: bool) -> Vec<String> {
        let count = self.totals.len();
        let mut lines = vec!["}".to_owned()];
        if !members {
            lines.push(format!("i64 *const slot_totals = totals.values + blockIdx.x % totals.slots * {count};"));
            lines.extend(self.add("slot_totals", None));
            return lines;
        }
        lines.push("const u32 all_members = world.absent / MEMBER_BLOCKS;".to_owned());
        lines.push(format!(
            "i64 *const slot_totals = totals.values + (u64)(blockIdx.x % totals.slots) * all_members * {count};"
        ));
        lines.push("// One member of the warp after the other.".to_owned());
        lines.push(format!("for (u32 unserved = {}; unserved;) {{", votes("is_here")));
        let first = population("(unserved & (0 - unserved)) - 1");
        lines.push(format!("    const u32 served = {};", of_thread("member", &first)));
        lines.push("    const bool is_served = is_here && member == served;".to_owned());
        let values = format!("slot_totals + (u64)served * {count}");
        lines.extend(self.add(&values, Some("is_served")).into_iter().map(|line| format!("    {line}")));
        lines.push(format!("    unserved &= ~{};", votes("is_served")));
        lines.push("}".to_owned());
        lines
    }
}

fn is_bits(total: &WeightedBits) -> bool {
    matches!(total.planes, Planes::Bits(_))
}

/// The binary digits of numbers up to this one.
fn digits(most: u64) -> u32 {
    (u64::BITS - most.leading_zeros()).max(1)
}

/// The struct of the templates that says how values of a kind are combined.
fn struct_of(kind: Combine) -> &'static str {
    match kind {
        Combine::Sum | Combine::Count => "Sum",
        Combine::Min => "Min",
        Combine::Max => "Max",
    }
}
