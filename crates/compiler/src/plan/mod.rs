//! Which T, L and t to take: of all that fit, those that a small model of what a pass over all superblocks costs (`judge`) finds cheapest.
//!
//! It does not run anything, and lowers nothing. The figures of a machine stand in [`Machine`], and follow for other machines from their parameters ([`Hardware`](crate::target::Hardware)).

mod judge;
mod members;
pub(crate) mod room;
mod window;
mod work;

pub use crate::layout::storage::StateMemory;
pub(crate) use members::member_lanes;
pub use members::{can_be_lanes, can_share_buffers, is_worth_all_threads, member_candidates};
pub use window::{RegisterWindow, Window};

use crate::geometry::{Domain, FittedRule};
use crate::ir::rule::Rule;
use crate::kernel::Planes;
use crate::kernel::derived::Derived;
use crate::layout::columns::Shape;
use crate::layout::rows::{RowGrid, check_columns};
use crate::layout::storage::state_memory;
use crate::layout::{Geometry, Layout, LayoutError, MOST_MICRO, Storage, StoredAs};
use crate::target::{Candidate, Machine, Target};
use judge::{cost_of_loops, judge};
use std::sync::Arc;
use work::{Work, Works, shortest};

/// The most steps in one pass that are tried.
const MOST_STEPS: u32 = 4;
/// More values of a superblock are not unrolled where loops can do instead, however little is computed of them: a compiler for GPUs takes
/// minutes for them.
const MOST_VALUES: u64 = 2048;
/// By what factor kernels may be longer than is good for the machine, where there are no others.
const LENGTHENED: f64 = 10.0;
/// The same where kernels look farther than beside their superblock: the fewer cells these have, the more neighbours are looked for.
const LENGTHENED_FAR: f64 = 16.0;
/// The most places of the map of superblocks.
const MOST_PLACES: u64 = 1 << 28;

/// The layouts of a domain with at most these digits as lanes and as micro cells, and what a rule takes there. Columns are no wider than suits the machine.
fn layouts<'a>(
    domain: &'a Domain,
    works: &'a Works,
    machine: &'a Machine,
    [most_lane_digits, most_micro_digits]: [u32; 2],
) -> impl Iterator<Item = (Layout, &'a Work)> {
    let is_wide = |(layout, work): &(Layout, &Work)| {
        layout.lanes() as u64 * work.widest > machine.most_column_bits && layout.lane_digits() > 1
    };
    let of_micro = move |micro_digits: u32| {
        let lane_digits = 0..=most_lane_digits.min(domain.level() - micro_digits);
        let layouts = lane_digits.filter_map(move |digits| Layout::new(domain, digits, micro_digits).ok());
        layouts
            .map(|layout| {
                let work = works.on(&layout);
                (layout, work)
            })
            .take_while(move |one| !is_wide(one))
    };
    let unrolled = (0..=most_micro_digits).take_while(|digits| domain.cell_product(*digits) <= MOST_MICRO);
    unrolled.flat_map(of_micro)
}

/// All layouts and numbers of steps that fit where one pass computes `members` members, the cheapest first. Where all kernels would be longer than
/// is good for the machine, long ones are better than none: they follow in the order of their lengths.
pub fn candidates(domain: &Domain, rule: &Rule, machine: &Machine, members: u32) -> Vec<Candidate> {
    let works = Works::of(rule, domain, machine);
    let (reach, farthest) = (rule.reach(domain.dimension()), rule.farthest_reach(domain.dimension()));
    let most_steps = if rule.step_by_step() { 1 } else { MOST_STEPS };
    let (mut candidates, mut long) = (Vec::new(), Vec::new());
    for (layout, work) in layouts(domain, &works, machine, [domain.level(); 2]) {
        for steps in 1..=most_steps {
            let holds = |reach: u32| {
                layout.is_whole()
                    || u64::from(reach) * u64::from(steps) <= shortest(layout.low().extent(), layout.dimension())
            };
            // Named steps are kernels of their own where the rule draws, or where together they reach too far.
            let fused = !rule.step_by_step() && holds(reach);
            if !(fused || steps == 1 && rule.may_be_apart() && holds(farthest)) {
                continue;
            }
            let reach = if fused { reach } else { farthest };
            let candidate = judge((&layout, false), layout.lanes(), steps, work, reach, machine, members);
            let most = if layout.is_whole() { machine.longest_whole } else { machine.longest_kernel };
            if candidate.operations <= most {
                candidates.push(candidate);
            } else if candidate.operations <= LENGTHENED * machine.longest_kernel {
                long.push(candidate);
            }
        }
    }
    candidates.sort_by(|a, b| a.cost.total_cmp(&b.cost));
    // A single superblock fits whatever its length, and may be too long to be lowered.
    if candidates.iter().all(|candidate| candidate.operations > machine.longest_kernel) {
        long.sort_by(|a, b| a.operations.total_cmp(&b.operations).then(a.cost.total_cmp(&b.cost)));
        candidates.append(&mut long);
    }
    candidates
}

/// Layouts whose kernels look farther than into the superblocks beside their own, for one step at a time: the shortest kernels of each
/// number of lanes that fit, the cheapest first.
fn far_candidates(domain: &Domain, rule: &Rule, target: &Target) -> Vec<Candidate> {
    let machine = &target.machine;
    let (works, reach) = (Works::of(rule, domain, machine), rule.farthest_reach(domain.dimension()));
    let mut candidates = Vec::new();
    let most_micro_digits = if target.loops { 0 } else { domain.level() };
    for (layout, work) in layouts(domain, &works, machine, [domain.level(), most_micro_digits]) {
        // Loops find superblocks by a map, and lanes quickly if they are not farther away than beside their own.
        let sides = layout.middle_extent();
        let beside = layout.lane_digits() == 0 || shortest(sides, layout.dimension()) >= u64::from(reach);
        let places = sides.into_iter().fold(1, u64::saturating_mul);
        if target.loops && !(beside && places <= MOST_PLACES) {
            continue;
        }
        let (lanes, micro_digits) = (layout.lanes(), layout.micro_digits());
        let mut candidate = judge((&layout, !layout.is_whole()), lanes, 1, work, reach, machine, target.members);
        if target.loops {
            candidate.cost = cost_of_loops(&candidate, work, reach, machine);
        }
        if candidate.operations <= LENGTHENED_FAR * machine.longest_kernel || micro_digits == 0 {
            candidates.push(candidate);
        }
    }
    candidates.sort_by(|a, b| a.cost.total_cmp(&b.cost));
    candidates
}

/// What is to be compiled and run: a layout, the time steps of one pass, and the memory that the states take.
///
/// Whoever runs kernels takes what it needs to know from the plan. Members of an ensemble share one ([`Target::members`]).
#[derive(Clone, Debug)]
pub struct Plan {
    /// The choice of a layout, and what the model says of it. Of rows there is none.
    pub candidate: Option<Candidate>,
    /// How cells are stored.
    pub storage: Arc<Storage>,
    /// The memory of each state of the rule.
    pub states: Vec<StateMemory>,
    /// How a pass computes several time steps. It is known once the kernels are.
    pub window: Window,
    /// Whether reductions look farther than steps need to, into superblocks that are not beside their own. It is known once the kernels are.
    pub observes_far: bool,
    /// The numbers that kernels read behind the parameters. They are known once the kernels are.
    pub derived: Derived,
    /// Whether a unit, a superblock or a part of a row, is left out while all that it looks at stays what it was. It is known once the kernels are.
    pub rests: bool,
}

impl Plan {
    /// The plan of a choice of replicas that was made.
    pub fn of(rule: &Rule, candidate: Candidate) -> Plan {
        let storage = Storage::replicas(candidate.layout.clone());
        Plan::stored(rule, Some(candidate), storage)
    }

    fn stored(rule: &Rule, candidate: Option<Candidate>, storage: Storage) -> Plan {
        let (states, storage) = (storage.state_memory(rule), Arc::new(storage));
        let (window, rests, observes_far, derived) = (Window::Kernel, false, false, Derived::default());
        Plan { candidate, storage, states, window, observes_far, derived, rests }
    }

    /// The plan of a choice whose lanes are `members` members.
    pub fn of_members(rule: &Rule, candidate: Candidate, members: usize) -> Plan {
        let micro_cells = candidate.layout.micro_cells() as usize;
        Plan { states: state_memory(rule, Shape::of_lanes(members), micro_cells), ..Plan::of(rule, candidate) }
    }

    /// The plan of a mask or a box: rows as lanes, long ones on CPUs, in columns where these fit in the target's room, or else the cells alone.
    ///
    /// # Errors
    /// If there are more columns than 32 bits can number.
    pub fn of_rows(domain: &Domain, rule: &Rule, target: &Target) -> Result<Plan, LayoutError> {
        check_columns(domain.extent())?;
        let of = |grid, memory| Plan::stored(rule, None, Storage::rows(grid, memory));
        let in_columns = |grid| of(Arc::new(grid), StoredAs::Columns);
        let fits = |plan: &Plan| !target.packed && plan.bytes(domain, rule, target) <= target.room;
        let long = !target.packed && !target.is_gpu();
        let long = long.then(|| in_columns(RowGrid::with_long_columns(domain, rule))).filter(fits);
        let plan = long.unwrap_or_else(|| in_columns(RowGrid::new(domain)));
        Ok(match &plan.storage.geometry {
            Geometry::Rows(grid) if !fits(&plan) => of(Arc::clone(grid), StoredAs::Cells),
            Geometry::Replicas(_) | Geometry::Rows(_) => plan,
        })
    }

    /// The plan of a part, by its number and how many parts there are, with the kernels of the whole. A pass computes as many steps as a kernel: then parts
    /// exchange what they computed.
    #[must_use]
    pub fn cut(self, rule: &FittedRule, part: (u32, u32)) -> Plan {
        let dimension = rule.domain().dimension();
        let observed = rule.reach_along_axes(dimension).into_iter().fold(0, u32::max);
        let storage = self.storage.cut(part, observed.max(rule.reach(dimension) * self.steps()));
        Plan { storage: Arc::new(storage), window: Window::Kernel, ..self }
    }

    /// Bytes of all buffers of all states of a member.
    pub fn state_bytes(&self) -> u128 {
        self.states.iter().map(|state| self.storage.bytes(&state.columns) * u128::from(state.buffers)).sum()
    }

    /// Bytes of one buffer of a state: on GPUs of all members in turn, and of what stands behind the last.
    pub fn buffer_bytes(&self, StateMemory { columns, .. }: &StateMemory, target: &Target) -> u128 {
        let padding = if target.is_gpu() { self.storage.padding(columns) } else { 0 };
        self.storage.bytes(columns) * u128::from(target.members) + u128::from(padding)
    }

    /// The columns of rows, if cells are stored in such or packed.
    pub fn grid(&self) -> Option<&RowGrid> {
        match &self.storage.geometry {
            Geometry::Replicas(_) => None,
            Geometry::Rows(grid) => Some(grid),
        }
    }

    /// The layout of replicas.
    pub fn layout(&self) -> Option<&Layout> {
        match &self.storage.geometry {
            Geometry::Replicas(layout) => Some(layout),
            Geometry::Rows(_) => None,
        }
    }

    /// The storage that kernels are lowered for, and whether they may look farther than beside their unit.
    pub fn seen(&self) -> (&Storage, bool) {
        (&self.storage, self.candidate.as_ref().map_or(!self.storage.is_whole(), |candidate| candidate.far))
    }

    /// Whether some kernel looks farther than beside its unit.
    pub fn looks_far(&self) -> bool {
        self.seen().1 || self.observes_far
    }

    /// t, the most time steps of one kernel.
    pub fn steps(&self) -> u32 {
        self.candidate.as_ref().map_or(1, |candidate| candidate.steps)
    }

    /// The most time steps of one pass.
    pub fn steps_of_pass(&self) -> u32 {
        match self.window {
            Window::Kernel => self.steps(),
            Window::Band { steps } => steps,
            Window::Registers => RegisterWindow::STEPS,
        }
    }
}

/// How many values of lanes the states of a superblock are: planes of bits and numbers, of each micro cell.
fn values_of(rule: &Rule, layout: &Layout) -> u64 {
    let planes = |state: &crate::ir::State| match Planes::of(rule, state.ty) {
        Planes::Bits(planes) => u64::from(planes),
        Planes::Number(_) => 1,
    };
    u64::from(layout.micro_cells()) * rule.kept_states().map(planes).sum::<u64>()
}

/// What may be tried, in this order: the layout that the target demands, or those that the model finds cheapest.
#[derive(Clone, Debug)]
pub struct Choices<'r> {
    rule: &'r Rule,
    /// That of a mask or a box.
    rows: Option<Plan>,
    /// Those beside whose superblocks kernels look, and those that look farther, in the order in which they are tried.
    all: [Vec<Candidate>; 2],
    left: std::vec::IntoIter<Candidate>,
    /// The operations of the last one, about.
    operations: f64,
}

impl<'r> Choices<'r> {
    fn new(rule: &'r Rule, all: [Vec<Candidate>; 2]) -> Choices<'r> {
        let mut choices = Choices { rule, rows: None, all, left: Vec::new().into_iter(), operations: 0.0 };
        choices.leave(f64::INFINITY);
        choices
    }

    /// Leaves those with at most `most_operations` operations.
    fn leave(&mut self, most_operations: f64) {
        /// More layouts of a kind than these are not tried.
        const MOST_TRIES: usize = 12;
        let fits = |candidate: &&Candidate| candidate.operations <= most_operations;
        let left = self.all.iter().flat_map(|all| all.iter().filter(fits).take(MOST_TRIES).cloned());
        self.left = left.collect::<Vec<_>>().into_iter();
    }

    /// Goes on with those whose kernels are at most half as long as those of the last one, which turned out to be too long.
    pub(crate) fn shorten(&mut self) {
        let most_operations = self.operations / 2.0;
        self.leave(if most_operations < 1.0 { f64::NEG_INFINITY } else { most_operations });
    }
}

impl Iterator for Choices<'_> {
    type Item = Plan;

    fn next(&mut self) -> Option<Plan> {
        self.rows.take().or_else(|| {
            let candidate = self.left.next()?;
            self.operations = candidate.operations;
            Some(Plan::of(self.rule, candidate))
        })
    }
}

/// Refuses a choice that is demanded for a domain which is none of its layouts and numbers of steps.
fn check_demanded(Candidate { layout, steps, .. }: &Candidate, domain: &Domain) -> Result<(), LayoutError> {
    if !layout.is_of(domain) {
        return Err(LayoutError(format!(
            "the layout that is demanded for {domain} is of another fractal, level or periodic edge"
        )));
    }
    if !(1..=MOST_STEPS).contains(steps) {
        return Err(LayoutError(format!("passes of {steps} time steps are demanded; valid are 1 to {MOST_STEPS}")));
    }
    Ok(())
}

/// What may be tried for a rule on a domain.
///
/// # Errors
/// If there are more columns of rows than 32 bits can number, or what is demanded is of another domain or of no steps.
pub fn choices<'r>(domain: &Domain, rule: &'r Rule, target: &Target) -> Result<Choices<'r>, LayoutError> {
    if domain.levels().is_none() {
        let rows = Some(Plan::of_rows(domain, rule, target)?);
        return Ok(Choices { rows, ..Choices::new(rule, [vec![], vec![]]) });
    }
    if let Some(candidate) = &target.demanded {
        check_demanded(candidate, domain)?;
        return Ok(Choices::new(rule, [vec![candidate.clone()], vec![]]));
    }
    let suits = |candidate: &Candidate| target.whole || !candidate.layout.is_whole();
    let mut beside = candidates(domain, rule, &target.machine, target.members);
    // Loops are short: then a kernel that is too long beside its own superblock does better to look far.
    let unrolled = |candidate: &Candidate| {
        candidate.operations <= target.machine.longest_kernel && values_of(rule, &candidate.layout) <= MOST_VALUES
    };
    let far_first = target.loops && target.far && !beside.first().is_some_and(unrolled);
    let mut far = if target.far { far_candidates(domain, rule, target) } else { vec![] };
    beside.retain(suits);
    far.retain(suits);
    Ok(Choices::new(rule, if far_first { [far, beside] } else { [beside, far] }))
}

#[cfg(test)]
mod tests {
    use super::work::mean_neighbours;
    use super::*;
    use crate::ir::Neighbourhood;
    use crate::ir::fractal::Dimension;
    use crate::lower::lower;
    use crate::samples;

    #[test]
    fn plans_exist_and_can_be_lowered() {
        let larger = samples::life_like("larger", Neighbourhood::Moore(2), &[3, 4, 5], &[3, 4, 5, 6]);
        for fractal in samples::fractals() {
            for rule in [samples::life(), samples::heat(), larger.clone()] {
                for level in [0, 1, 2, 4, 7, 12] {
                    let domain = Domain::new(fractal.clone(), level).expect("fits");
                    let plan = choices(&domain, &rule, &Target::cpu(2))
                        .expect("few columns")
                        .next()
                        .expect("there is a layout");
                    let rule = domain.fit(&Arc::new(rule.clone())).expect("it runs there");
                    lower(&rule, plan.seen(), plan.steps()).expect("the plan holds the reach");
                    let candidate = plan.candidate.expect("a fractal has a layout");
                    assert!(candidate.cost.is_finite() && candidate.to_string().lines().count() == 3);
                }
            }
        }
    }

    /// What every cell of a neighbourhood looks at is counted on a fractal that is larger than the neighbourhood.
    #[test]
    fn large_neighbourhoods_have_layouts_at_every_level() {
        let square = samples::fractals().swap_remove(3);
        for radius in 1..=8 {
            let rule = samples::life_like("large", Neighbourhood::Moore(radius), &[3], &[3, 4]);
            for level in [5, 6, 7, 10] {
                let domain = Domain::new(square.clone(), level).expect("fits");
                let plans = candidates(&domain, &rule, &Machine::cpu(2), 1);
                let fitted = domain.fit(&Arc::new(rule.clone())).expect("it runs there");
                let lower = |plan: &Candidate| lower(&fitted, Plan::of(&rule, plan.clone()).seen(), plan.steps);
                let lowered = plans.iter().take(12).any(|plan| lower(plan).is_ok());
                assert!(lowered, "moore({radius}) at level {level}");
            }
            let offsets = Neighbourhood::Moore(radius).offsets(Dimension::Two);
            let mean = mean_neighbours(&Domain::new(square.clone(), 10).expect("fits"), &offsets);
            let share = mean / offsets.len() as f64;
            assert!((0.4..=1.0).contains(&share), "moore({radius}): {mean} of {}", offsets.len());
        }
    }

    #[test]
    fn dense_lanes_are_preferred() {
        let domain = Domain::new(samples::triangle(), 16).expect("fits");
        let rule = samples::life();
        let plan = choices(&domain, &rule, &Target::cpu(1)).expect("few columns").next().expect("there is a layout");
        let choice = plan.candidate.expect("a fractal has a layout");
        assert!(choice.density > 0.7 && choice.layout.lanes() > 512, "{choice}");
    }
}
