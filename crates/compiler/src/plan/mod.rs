//! Which T, L and t to take: of all that fit, those that a small model of the cost of a pass over all superblocks (`judge`) finds cheapest.
//!
//! It does not run anything, and lowers nothing. The figures of a machine stand in [`Machine`], and follow for other machines from their parameters
//! ([`Hardware`](crate::target::Hardware)).

mod alphabet;
mod clusters;
mod judge;
mod march;
mod members;
pub(crate) mod near;
mod ranks;
mod relays;
mod rolling;
pub(crate) mod room;
mod rows;
pub(crate) mod strip_loop;
mod waves;
mod window;
mod work;

pub use crate::layout::storage::StateMemory;
pub use alphabet::Alphabet;
pub use clusters::{NoTiles, TilesOfClusters, goes_round};
pub use march::{March, SeenState};
pub use members::{can_be_lanes, can_share_buffers, is_worth_all_threads, member_candidates};
pub use relays::{Relay, Ring};
pub use room::{bytes_of_clusters, members_within};
pub use waves::{FIRST_COLUMNS, Waves};
pub use window::{RegisterWindow, Window};

use crate::geometry::{Domain, FittedRule};
use crate::ir::StepSchedule;
use crate::ir::rule::Rule;
use crate::kernel::derived::Derived;
use crate::kernel::{Interface, Kernel, Planes};
use crate::layout::columns::Shape;
use crate::layout::rows::{RowGrid, check_columns};
use crate::layout::{Geometry, Layout, LayoutError, MOST_MICRO, Storage, StoredAs};
use crate::target::speciality::Speciality;
use crate::target::{Choice, Machine, Members, Target};
use judge::{cost_of_loops, judge};
use members::member_lanes;
use rows::judge_rows;
use std::cmp::Reverse;
use std::collections::BTreeSet;
use std::fmt;
use std::ops::Deref;
use std::sync::Arc;
use work::{Work, Works, shortest};

/// The most steps in one pass that are tried. Guess: not measured.
const MOST_STEPS: u32 = 4;
/// More values of a superblock are not unrolled where loops can do instead, however little is computed of them: a compiler for GPUs takes
/// minutes for them. Guess: not measured.
const MOST_VALUES: u64 = 2048;
/// The factor by which kernels may be longer than is good for the machine, where there are no others. Guess: not measured.
const LENGTHENED: f64 = 10.0;
/// The same where kernels look farther than beside their superblock: the fewer cells these have, the more neighbours are looked for. Guess: not measured.
const LENGTHENED_FAR: f64 = 16.0;
/// The most places of the map of superblocks. Guess: it takes a gigabyte.
const MOST_PLACES: u64 = 1 << 28;

/// The layouts of a domain with at most these digits as lanes and as micro cells, and a rule's work there. Columns are no wider than suits the machine.
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
pub fn candidates(domain: &Domain, rule: &Rule, machine: &Machine, members: u32) -> Vec<Choice> {
    let works = Works::of(rule, domain, machine);
    let (reach, farthest) = (rule.reach(domain.dimension()), rule.farthest_reach(domain.dimension()));
    let most_steps = if rule.step_by_step() { 1 } else { MOST_STEPS };
    let (mut candidates, mut long) = (Vec::new(), Vec::new());
    for (layout, work) in layouts(domain, &works, machine, [domain.level(); 2]) {
        let storage = Arc::new(Storage::replicas(layout.clone()));
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
            let estimate = judge((&layout, false), layout.lanes(), steps, work, reach, machine, members);
            let (storage, members) = (Arc::clone(&storage), Members::of(members));
            let choice = Choice { storage, far: false, steps, members, estimate };
            let most = if layout.is_whole() { machine.longest_whole } else { machine.longest_kernel };
            if estimate.operations <= most {
                candidates.push(choice);
            } else if estimate.operations <= LENGTHENED * machine.longest_kernel {
                long.push(choice);
            }
        }
    }
    candidates.sort_by(Choice::cheaper);
    // A single superblock fits whatever its length, and may be too long to be lowered.
    if candidates.iter().all(|choice| choice.estimate.operations > machine.longest_kernel) {
        let length = |choice: &Choice| choice.estimate.operations;
        long.sort_by(|a, b| length(a).total_cmp(&length(b)).then(a.cheaper(b)));
        candidates.append(&mut long);
    }
    candidates
}

/// Layouts whose kernels look farther than into the superblocks beside their own, for one step at a time: the shortest kernels of each
/// number of lanes that fit, the cheapest first.
fn far_candidates(domain: &Domain, rule: &Rule, target: &Target) -> Vec<Choice> {
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
        let (lanes, far) = (layout.lanes(), !layout.is_whole());
        let mut estimate = judge((&layout, far), lanes, 1, work, reach, machine, target.members.turns());
        if target.loops {
            estimate.cost = cost_of_loops(&layout, work, reach, machine);
        }
        if estimate.operations <= LENGTHENED_FAR * machine.longest_kernel || layout.micro_digits() == 0 {
            candidates.push(Choice { members: target.members, estimate, ..Choice::of_layout(layout, true) });
        }
    }
    candidates.sort_by(Choice::cheaper);
    candidates
}

/// The choice for a mask or a box, of those that suit, or of such columns as are demanded: rows as lanes, long ones on CPUs, in columns where these fit in
/// the target's room, or else the cells alone.
fn choice_of_rows(domain: &Domain, rule: &Rule, target: &Target) -> Result<Choice, LayoutError> {
    check_columns(domain.extent())?;
    let kept = rolling::rows_kept(domain, rule, target);
    let of = |grid: Arc<RowGrid>, memory| {
        let storage = Storage::rows(grid, memory);
        let storage = match &kept {
            Some(rows) if memory == StoredAs::Columns => storage.of_rows(rows.clone()),
            _ => storage,
        };
        Choice::of_storage(storage, true)
    };
    let suits = |choice: &Choice| match (&target.demanded, choice.storage.memory) {
        (Some(demanded), memory) => {
            let shape = |choice: &Choice| choice.grid().map(|grid| grid.shape);
            memory == demanded.storage.memory && shape(choice) == shape(demanded)
        }
        (None, StoredAs::Cells) => true,
        // Every part must fit, so that all are stored alike.
        (None, StoredAs::Columns) => {
            let parts = target.part.1;
            let bytes =
                |number| cut(choice, domain, rule, (number, parts), choice.steps).bytes(domain, rule, target, false);
            !target.packed && (0..parts).all(|number| bytes(number) <= target.room)
        }
    };
    // Where cells take turns along a row, each is computed with its column.
    let has_strips =
        |step| !target.off().has(Speciality::Strips) && matches!(domain.taken(rule, step), StepSchedule::InStrips(..));
    let is_one_by_one = |step| domain.turns(rule, step).iter().any(|signed| signed.axis == 0) && !has_strips(step);
    let in_turns = rule.steps.iter().any(is_one_by_one);
    let long = !target.packed && !target.is_gpu() && !in_turns;
    let long = long.then(|| of(Arc::new(RowGrid::with_long_columns(domain, rule)), StoredAs::Columns));
    let shortest = || if in_turns { RowGrid::with_short_columns(domain) } else { RowGrid::new(domain) };
    let short = std::iter::once_with(|| Arc::new(shortest()));
    let short = short.flat_map(|grid| [StoredAs::Columns, StoredAs::Cells].map(|memory| of(Arc::clone(&grid), memory)));
    let none = || LayoutError(format!("{domain} is stored as rows, and other columns are demanded"));
    long.into_iter().chain(short).find(suits).ok_or_else(none)
}

/// The choice for a part of the domain: its storage holds the part, and the units of other parts that passes of `steps` steps and reductions read.
fn cut(choice: &Choice, domain: &Domain, rule: &Rule, part: (u32, u32), steps: u32) -> Choice {
    let dimension = domain.dimension();
    let observed = rule.reach_along_axes(dimension).into_iter().fold(0, u32::max);
    let reach = observed.max(rule.reach(dimension) * steps);
    Choice { storage: Arc::new(choice.storage.cut(part, reach)), ..choice.clone() }
}

/// The kernels of a time step.
type Step<'a> = [(&'a Kernel, &'a Interface)];

/// A choice to compile and run, completed by facts that only its kernels tell. Members of an ensemble share one.
#[derive(Clone, Debug)]
pub struct Plan {
    choice: Choice,
    states: Vec<StateMemory>,
    window: Window,
    /// The window of thick parts.
    window_of_parts: Window,
    observes_far: bool,
    derived: Derived,
    rests: bool,
    bytes_of_turns: u64,
    /// The time steps of a pass over a thick part, if this is a part.
    steps_of_whole: Option<u32>,
}

impl Deref for Plan {
    type Target = Choice;

    fn deref(&self) -> &Choice {
        &self.choice
    }
}

impl Plan {
    /// The plan of a choice in which the time steps of a rule are these kernels, which read the numbers that are `derived`; reductions may look farther.
    pub(crate) fn new(
        rule: &FittedRule,
        choice: Choice,
        step: &Step,
        (observes_far, derived): (bool, Derived),
        target: &Target,
    ) -> Plan {
        let states = choice.state_memory(rule);
        let window = Window::of(&choice.storage, &states, rule, step, target);
        let window_of_parts = window.of_parts(step, target);
        let rests = depends_on_states_alone(&choice, rule, step, target);
        let mut plan = Plan {
            choice,
            states,
            window,
            window_of_parts,
            observes_far,
            derived,
            rests,
            bytes_of_turns: 0,
            steps_of_whole: None,
        };
        if let Some(grid) = plan.grid() {
            plan.choice.estimate = judge_rows(grid, &plan, step, &target.machine);
        }
        plan
    }

    /// The plan of a part, with the kernels of the whole. Parts exchange what they computed after each pass. Windows compute as many steps as no part is thinner than
    /// the rows that it reads of others; on a CPU as many as are `agreed` on, if another part has planned before.
    #[must_use]
    pub fn cut(self, rule: &FittedRule, part: (u32, u32), agreed: Option<u32>) -> Plan {
        let rows = self.grid().map_or(0, |grid| (grid.rows() / part.1 as usize) as u32);
        let most = rows / rule.reach(rule.domain().dimension()).max(1);
        let window = match (self.window_of_parts, agreed) {
            _ if part.1 == 1 => self.window,
            (Window::Registers, _) if most >= RegisterWindow::STEPS => Window::Registers,
            (Window::March { steps }, _) if most >= 2 => Window::March { steps: steps.min(most) },
            (Window::Kernel | Window::Band { .. }, Some(steps)) if steps > self.steps => Window::Band { steps },
            (Window::Band { steps }, None) if most >= 2 => Window::Band { steps: steps.min(most) },
            (Window::Kernel | Window::Band { .. } | Window::Registers | Window::March { .. }, _) => Window::Kernel,
        };
        let plan = Plan { steps_of_whole: Some(self.steps_in(self.window_of_parts)), window, ..self };
        Plan { choice: cut(&plan.choice, rule.domain(), rule, part, plan.steps_of_pass()), ..plan }
    }

    /// The plan for a GPU on which ordered steps take these bytes beside the states.
    pub(crate) fn in_turns(self, bytes_of_turns: u64) -> Plan {
        Plan { bytes_of_turns, ..self }
    }

    /// The memory of each state of the rule.
    pub fn states(&self) -> &[StateMemory] {
        &self.states
    }

    /// How a pass computes several time steps.
    pub fn window(&self) -> Window {
        self.window
    }

    /// The numbers that kernels read behind the parameters.
    pub fn derived(&self) -> &Derived {
        &self.derived
    }

    /// Whether a unit, a superblock or a part of a row, is left out while all that it looks at stays what it was.
    pub fn rests(&self) -> bool {
        self.rests
    }

    /// Whether reductions look farther than beside their unit.
    pub fn observes_far(&self) -> bool {
        self.observes_far
    }

    /// Whether some kernel looks farther than beside its unit.
    pub fn looks_far(&self) -> bool {
        self.far || self.observes_far
    }

    /// The most time steps of one pass.
    pub fn steps_of_pass(&self) -> u32 {
        self.steps_in(self.window)
    }

    fn steps_in(&self, window: Window) -> u32 {
        match window {
            Window::Kernel => self.steps,
            Window::Band { steps } | Window::March { steps } => steps,
            Window::Registers => RegisterWindow::STEPS,
        }
    }

    /// The same of parts that are thick enough, if this is one: others compute fewer.
    pub fn steps_of_whole(&self) -> u32 {
        self.steps_of_whole.unwrap_or_else(|| self.steps_of_pass())
    }

    /// The passes that together compute `steps` time steps, in turn: how many, and the steps of each. Passes of the most steps come first. The rest is one
    /// pass; but a window of registers holds no fewer steps, and there each kernel makes a pass.
    pub fn passes(&self, steps: u32) -> impl Iterator<Item = (u32, u32)> + use<> {
        let most = self.steps_of_pass();
        let rest = steps % most;
        let of_rest = if self.window == Window::Registers { self.steps } else { rest };
        let passes = [(steps / most, most), (rest / of_rest.max(1), of_rest)];
        passes.into_iter().filter(|(passes, _)| *passes > 0)
    }

    /// The time steps of a kernel of a pass of `steps`: a window computes kernels of several steps, one after the other.
    pub fn steps_of_kernel(&self, steps: u32) -> u32 {
        steps.min(self.steps)
    }
}

/// The plan with its reasons, a sentence for each.
impl fmt::Display for Plan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.grid().is_none() {
            return self.choice.fmt(f);
        }
        let window = match self.window {
            Window::Kernel => "none, each step is a pass",
            Window::Band { .. } => "a band of rows, which stay in a cache until later steps have read them",
            Window::Registers => "a piece of some rows, of which the registers of a GPU keep the bits",
            Window::March { .. } => "the rows that a step looks at, which a warp of a GPU keeps while it goes down",
        };
        writeln!(f, "window (what several steps at once are computed in): {window}")?;
        writeln!(f, "t = {} (steps of a pass): {}", self.steps_of_pass(), self.estimate.rate())
    }
}

/// Whether units of a choice whose steps are these kernels may rest, and who looks at whom is known. Buffers hold what was there one time step before if
/// one kernel alone writes each; globals may be anything in between; steps that are left out exchange no buffers. A GPU lists units of one kernel and of one
/// simulation.
fn depends_on_states_alone(choice: &Choice, rule: &FittedRule, step: &Step, target: &Target) -> bool {
    let beside = |interface: &Interface| match (&choice.storage.geometry, choice.storage.memory) {
        (Geometry::Replicas(_), _) => interface.far.is_empty(),
        (Geometry::Rows(_), memory) => memory == StoredAs::Columns,
    };
    let rests = |interface: &Interface| beside(interface) && !interface.time && interface.loads();
    let written: Vec<_> = step.iter().flat_map(|(_, interface)| &interface.writes).collect();
    let once = written.iter().collect::<BTreeSet<_>>().len() == written.len();
    let few = !target.is_gpu() || step.len() == 1 && choice.members == Members::One;
    let alone = rule.globals.is_empty()
        && rule.sums.is_empty()
        && !rule.is_ordered()
        && !rule.asks_clusters()
        && rule.skips().is_empty()
        && !choice.members.in_turn();
    let all = once && few && alone && step.iter().all(|(_, interface)| rests(interface));
    // Engines note that something rests.
    all && !target.off().has(Speciality::Activity)
}

/// How many values of lanes the states of a superblock are: planes of bits and numbers, of each micro cell.
fn values_of(rule: &Rule, layout: &Layout) -> u64 {
    let planes = |state: &crate::ir::State| match Planes::of(rule, state.ty) {
        Planes::Bits(planes) => u64::from(planes),
        Planes::Number(_) => 1,
    };
    u64::from(layout.micro_cells()) * rule.kept_states().map(planes).sum::<u64>()
}

/// The choice that is demanded, if it is one of the layouts and numbers of steps of a domain.
fn demanded(choice: &Choice, domain: &Domain, members: Members) -> Result<Choice, LayoutError> {
    if !choice.layout().is_some_and(|layout| layout.is_of(domain)) {
        return Err(LayoutError(format!(
            "the layout that is demanded for {domain} is of another fractal, level or periodic edge"
        )));
    }
    let steps = choice.steps;
    if !(1..=MOST_STEPS).contains(&steps) {
        return Err(LayoutError(format!("passes of {steps} time steps are demanded; valid are 1 to {MOST_STEPS}")));
    }
    Ok(Choice { members, ..choice.clone() })
}

/// The choices to try for a rule on a domain, in order: the one that the target demands, or those that the model finds cheapest, apart by whether kernels
/// look farther than beside their superblock. Where members may be lanes a GPU may as well compute them in turn.
///
/// # Errors
/// If there are more columns of rows than 32 bits can number, or the demanded choice is of another domain or of no steps.
pub fn choices(domain: &Domain, rule: &Rule, target: &Target) -> Result<[Vec<Choice>; 2], LayoutError> {
    if domain.levels().is_none() {
        return Ok([vec![choice_of_rows(domain, rule, target)?], vec![]]);
    }
    if let Members::AsLanes(members) = target.members {
        let lanes = member_lanes(domain, rule, target, members as usize)?;
        if !target.is_gpu() {
            return Ok([lanes, vec![]]);
        }
        let [mut all, others] = choices(domain, rule, &target.clone().with_members(Members::InTurn(members)))?;
        for lanes in lanes {
            if let Some(dearer) = all.iter().position(|choice| lanes.cheaper(choice).is_le()) {
                all.insert(dearer, lanes);
            }
        }
        return Ok([all, others]);
    }
    if let Some(choice) = &target.demanded {
        return Ok([vec![demanded(choice, domain, target.members)?], vec![]]);
    }
    let suits = |choice: &Choice| target.whole || !choice.storage.is_whole();
    let mut beside = candidates(domain, rule, &target.machine, target.members.turns());
    // Loops are short: then a kernel that is too long beside its own superblock does better to look far.
    let unrolled = |choice: &Choice| {
        let few = choice.layout().is_some_and(|layout| values_of(rule, layout) <= MOST_VALUES);
        few && choice.estimate.operations <= target.machine.longest_kernel
    };
    let far_first = target.loops && target.far && !beside.first().is_some_and(unrolled);
    let mut far = if target.far { far_candidates(domain, rule, target) } else { vec![] };
    beside.retain(suits);
    far.retain(suits);
    if rule.is_ordered() {
        // Cells that take turns are each computed with their unit.
        let unit = |choice: &Choice| {
            let layout = choice.layout().expect("a fractal has layouts");
            let lanes = Shape::of(layout);
            (lanes.stride * layout.micro_cells() as usize, Reverse(lanes.lanes))
        };
        beside.append(&mut far);
        beside.sort_by_key(unit);
        return Ok([beside, vec![]]);
    }
    Ok(if far_first { [far, beside] } else { [beside, far] })
}

#[cfg(test)]
mod tests {
    use super::work::mean_neighbours;
    use super::*;
    use crate::ir::Neighbourhood;
    use crate::ir::fractal::Dimension;
    use crate::lower::lower;
    use crate::text::source::Sources;
    use crate::{NoFiles, check, samples};

    #[test]
    fn plans_exist_and_can_be_lowered() {
        let larger = samples::life_like("larger", Neighbourhood::Moore(2), &[3, 4, 5], &[3, 4, 5, 6]);
        for fractal in samples::fractals() {
            for rule in [samples::life(), samples::heat(), larger.clone()] {
                for level in [0, 1, 2, 4, 7, 12] {
                    let domain = Domain::new(fractal.clone(), level).expect("fits");
                    let plan = choices(&domain, &rule, &Target::cpu(2)).expect("few columns").concat().swap_remove(0);
                    let rule = domain.fit(&Arc::new(rule.clone())).expect("it runs there");
                    lower(&rule, plan.seen(), plan.steps).expect("the plan holds the reach");
                    assert!(plan.estimate.cost.is_finite() && plan.to_string().lines().count() == 3);
                }
            }
        }
    }

    /// The mean number of neighbours is counted on a fractal that is larger than the neighbourhood.
    #[test]
    fn large_neighbourhoods_have_layouts_at_every_level() {
        let square = samples::fractals().swap_remove(3);
        for radius in 1..=8 {
            let rule = samples::life_like("large", Neighbourhood::Moore(radius), &[3], &[3, 4]);
            for level in [5, 6, 7, 10] {
                let domain = Domain::new(square.clone(), level).expect("fits");
                let plans = candidates(&domain, &rule, &Machine::cpu(2), 1);
                let fitted = domain.fit(&Arc::new(rule.clone())).expect("it runs there");
                let lower = |plan: &Choice| lower(&fitted, plan.seen(), plan.steps);
                let lowered = plans.iter().take(12).any(|plan| lower(plan).is_ok());
                assert!(lowered, "moore({radius}) at level {level}");
            }
            let offsets = Neighbourhood::Moore(radius).offsets(Dimension::Two);
            let mean = mean_neighbours(&Domain::new(square.clone(), 10).expect("fits"), &offsets);
            let share = mean / offsets.len() as f64;
            assert!((0.4..=1.0).contains(&share), "moore({radius}): {mean} of {}", offsets.len());
        }
    }

    /// Rows may be demanded in each form that there is; they are the domain's own, and no layout stands for them.
    #[test]
    fn what_is_demanded_of_a_box_is_taken_or_refused() {
        let mut sources = Sources::new();
        let root = sources.add("boxes", "domain sheet { size (3000, 5) } domain strip { size (40, 3) }");
        let library = check(&mut sources, root, &mut NoFiles).expect("they are right");
        let [sheet, strip] = [0, 1].map(|number| Domain::new(Arc::clone(&library.fractals[number]), 1).expect("fits"));
        let (rule, usual) = (samples::life(), Target::cpu(1));
        let taken = |target: &Target| choices(&sheet, &rule, target).map(|all| all.concat().swap_remove(0));
        let form = |choice: &Choice| (choice.grid().expect("rows").shape.lanes, choice.storage.memory);
        let of = |target: &Target| taken(target).expect("it has rows");
        let forms = [of(&usual), of(&Target::cuda()), of(&Target::cuda().within(u64::MAX, true))];
        let [long, short, alone] = &forms;
        assert!(form(long).0 > form(short).0 && form(short) != form(alone), "long, short, the cells alone");
        for choice in &forms {
            let demanded = usual.clone().demanding(Some(choice.clone()));
            assert_eq!(taken(&demanded).map(|taken| form(&taken)), Ok(form(choice)));
        }
        assert!(taken(&Target::cuda().demanding(Some(forms[0].clone()))).is_err(), "GPUs have no long columns");
        let triangle = Domain::new(samples::triangle(), 5).expect("fits");
        for domain in [&strip, &triangle] {
            let wrong = choices(domain, &rule, &usual).expect("few columns").concat().swap_remove(0);
            assert!(taken(&usual.clone().demanding(Some(wrong))).is_err(), "it is none of its own");
        }
        assert!(choices(&triangle, &rule, &usual.demanding(Some(forms[0].clone()))).is_err(), "it has levels");
    }

    /// States larger than the last memory of a machine's table are moved as slowly as those that fill it.
    #[test]
    fn no_memory_is_free() {
        let usual = Machine::cpu(1);
        let [.., (_, slowest)] = usual.memory;
        let finite = Machine { memory: usual.memory.map(|(bytes, cost)| (bytes.min(1e9), cost)), ..usual };
        for machine in [usual, finite] {
            assert_eq!([1.0, 1e12].map(|bytes| machine.nanoseconds_a_byte(bytes)), [usual.memory[0].1, slowest]);
        }
    }

    /// Whichever choice in turn is taken in the end, members as lanes that cost less are tried before it.
    #[test]
    fn members_as_lanes_stand_before_what_is_dearer_in_turn() {
        let domain = Domain::new(samples::triangle(), 4).expect("fits");
        let target = Target::cuda().with_members(Members::AsLanes(4096));
        let [all, _] = choices(&domain, &samples::life(), &target).expect("few columns");
        let lanes = all.iter().filter(|choice| choice.members.as_lanes()).count();
        assert!(all[0].members.as_lanes() && (1..all.len()).contains(&lanes));
        for pair in all.windows(2).filter(|pair| pair.iter().any(|choice| choice.members.as_lanes())) {
            assert!(pair[0].estimate.cost <= pair[1].estimate.cost);
        }
        let demanded = target.demanding(Some(all[0].clone()));
        let both = choices(&domain, &samples::life(), &demanded).expect("one of its own").concat();
        let members: Vec<Members> = both.iter().map(|choice| choice.members).collect();
        assert_eq!(members, [Members::AsLanes(4096), Members::InTurn(4096)]);
    }

    /// Groups of members share tables, and each has states.
    #[test]
    fn groups_of_members_take_room_together() {
        let (domain, rule) = (Domain::new(samples::triangle(), 4).expect("fits"), samples::life());
        let choice = member_candidates(&domain, &rule, &Machine::cpu(1), 128).swap_remove(0);
        let bytes = |members: u32| {
            let target = Target::cpu(2).with_members(Members::AsLanes(members));
            choice.bytes(&domain, &rule, &target, false)
        };
        let states = choice.storage.bytes_of_buffers(&choice.state_memory(&rule)) as u64;
        assert_eq!(
            [bytes(129) - bytes(128), bytes(256) - bytes(129), bytes(257) - bytes(128)],
            [states, 0, 2 * states]
        );
        assert_eq!([0, 99, 100, 129, 130].map(|room| members_within(room, 100, 30)), [1, 1, 1, 1, 2]);
    }

    #[test]
    fn dense_lanes_are_preferred() {
        let domain = Domain::new(samples::triangle(), 16).expect("fits");
        let rule = samples::life();
        let plan = choices(&domain, &rule, &Target::cpu(1)).expect("few columns").concat().swap_remove(0);
        assert!(plan.estimate.density > 0.7 && plan.layout().is_some_and(|layout| layout.lanes() > 512), "{plan}");
    }
}
