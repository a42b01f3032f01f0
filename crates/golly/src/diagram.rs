//! Decision diagrams: a cell's next state, by the states of one place after the other.

use std::collections::HashMap;

/// The most goals of all nodes together where each is an operation of every cell; more stand in tables. Measured: 9 330 take a core 0.3 times as long as tables.
const MOST_GOALS: usize = 16384;

/// The most entries of all tables of a rule: with the commas between them half of the tokens that a text may have.
const MOST_ENTRIES: usize = 1 << 18;

/// Where neighbours lie, by their names, from the north on clockwise.
pub(super) const PLACES: [(&str, [i32; 2]); 8] = [
    ("north", [0, -1]),
    ("north_east", [1, -1]),
    ("east", [1, 0]),
    ("south_east", [1, 1]),
    ("south", [0, 1]),
    ("south_west", [-1, 1]),
    ("west", [-1, 0]),
    ("north_west", [-1, -1]),
];

/// Where the state of a place leads.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Goal {
    /// To the cell's next state.
    State(u32),
    /// To the question of another node.
    Node(usize),
}

/// A list of nodes. A node asks for the state of a place, and leads to nodes before it.
#[derive(Default)]
pub(super) struct Diagram {
    nodes: Vec<(usize, Vec<Goal>)>,
    known: HashMap<(usize, Vec<Goal>), Goal>,
}

impl Diagram {
    /// The node that asks for the state of a place and goes on by it. There is none where all goals are one.
    pub(super) fn ask(&mut self, place: usize, goals: Vec<Goal>) -> Goal {
        if goals.iter().all(|goal| *goal == goals[0]) {
            return goals[0];
        }
        let next = Goal::Node(self.nodes.len());
        let found = *self.known.entry((place, goals.clone())).or_insert(next);
        if found == next {
            self.nodes.push((place, goals));
        }
        found
    }

    /// The goal that decides by the bits of these places. The first place is the lowest bit of the number that `becomes` is asked for.
    pub(super) fn of_bits(&mut self, places: usize, becomes: impl Fn(usize) -> bool) -> Goal {
        let mut goals: Vec<Goal> = (0..1 << places).map(|number| Goal::State(becomes(number).into())).collect();
        for place in 0..places {
            goals = goals.chunks(2).map(|pair| self.ask(place, pair.to_vec())).collect();
        }
        goals[0]
    }

    /// How many goals all nodes have to which a goal leads.
    fn goals(&self, goal: Goal) -> usize {
        let is_met = self.met(&[goal]);
        self.nodes.iter().zip(is_met).filter(|(_, is_met)| *is_met).map(|((_, goals), _)| goals.len()).sum()
    }

    /// For each node whether one of these goals leads to it.
    fn met(&self, goals: &[Goal]) -> Vec<bool> {
        let mut is_met = vec![false; self.nodes.len()];
        let mut open: Vec<Goal> = goals.to_vec();
        while let Some(goal) = open.pop() {
            if let Goal::Node(node) = goal
                && !std::mem::replace(&mut is_met[node], true)
            {
                open.extend(&self.nodes[node].1);
            }
        }
        is_met
    }

    /// The lines of a rule's text that lead to a goal, and the expression of the cell's next state: few nodes by decisions, many by tables.
    ///
    /// # Errors
    /// If there are more than tables hold.
    pub(super) fn next(
        &self,
        root: Goal,
        places: &[(&str, String)],
        state: &dyn Fn(u32) -> String,
    ) -> Result<(String, String), String> {
        match self.goals(root) {
            0..=MOST_GOALS => Ok((self.lets(&[root], places, state), expression(root, state))),
            _ => self.tables(root, places, state),
        }
    }

    /// The same by a table for each place, in the order in which nodes ask. Its rows are the goals that the places before lead to, those that do not ask
    /// there among them; it has the rows' beginnings in the table of the next place, or the next states.
    fn tables(
        &self,
        root: Goal,
        places: &[(&str, String)],
        state: &dyn Fn(u32) -> String,
    ) -> Result<(String, String), String> {
        let is_met = self.met(&[root]);
        let met = || self.nodes.iter().zip(&is_met).filter(|(_, is_met)| **is_met).map(|(node, _)| node);
        let mut order: Vec<usize> = met().map(|(place, _)| *place).collect();
        order.sort_unstable();
        order.dedup();
        // Nodes ask for the places in their order or in the opposite one.
        if matches!(root, Goal::Node(node) if self.nodes[node].0 != order[0]) {
            order.reverse();
        }
        let states = met().map(|(_, goals)| goals.len()).max().unwrap_or(1);
        let (mut text, mut rows, mut before) = (String::new(), vec![root], String::new());
        let mut all_entries = 0;
        for (number, place) in order.iter().enumerate() {
            let is_last = number + 1 == order.len();
            let (mut next, mut known): (Vec<Goal>, HashMap<Goal, usize>) = (Vec::new(), HashMap::new());
            let mut entries = Vec::with_capacity(rows.len() * states);
            for row in &rows {
                let of_row = |number: usize| match row {
                    Goal::Node(node) if self.nodes[*node].0 == *place => self.nodes[*node].1[number],
                    goal => *goal,
                };
                for goal in (0..states).map(of_row) {
                    entries.push(match goal {
                        Goal::State(number) if is_last => state(number),
                        _ => {
                            let row = *known.entry(goal).or_insert_with(|| {
                                next.push(goal);
                                next.len() - 1
                            });
                            (row * states).to_string()
                        }
                    });
                }
            }
            all_entries += entries.len();
            if all_entries > MOST_ENTRIES {
                return Err(format!("it becomes tables of more than {MOST_ENTRIES} entries, which are the most"));
            }
            let (name, what) = &places[*place];
            let read = if what.is_empty() { String::new() } else { format!("    let {name} = {what}\n") };
            text += &format!("    const by_{name} = [{}]\n{read}", entries.join(", "));
            let from = if number == 0 { String::new() } else { format!("{before} + ") };
            text += &format!("    let goal_{number} = by_{name}[{from}i32({name})]\n");
            (rows, before) = (next, format!("goal_{number}"));
        }
        Ok((text, before))
    }

    /// The lines of a rule's text that lead to these goals: a `let` for each place that is asked for, by its name and expression, and for each node.
    pub(super) fn lets(&self, goals: &[Goal], places: &[(&str, String)], state: &dyn Fn(u32) -> String) -> String {
        let is_met = self.met(goals);
        let met = || self.nodes.iter().enumerate().filter(|(node, _)| is_met[*node]);
        let mut text = String::new();
        for (place, (name, what)) in places.iter().enumerate().filter(|(_, (_, what))| !what.is_empty()) {
            if met().any(|(_, (asked, _))| *asked == place) {
                text += &format!("    let {name} = {what}\n");
            }
        }
        for (node, (place, goals)) in met() {
            text += &format!("    let case_{node} = {}\n", choice(places[*place].0, goals, state));
        }
        text
    }
}

/// A goal as an expression.
pub(super) fn expression(goal: Goal, state: &dyn Fn(u32) -> String) -> String {
    match goal {
        Goal::State(number) => state(number),
        Goal::Node(node) => format!("case_{node}"),
    }
}

/// The decision of a node. Two goals are those of a bit; otherwise the most common goal stands last, for all other states.
fn choice(name: &str, goals: &[Goal], state: &dyn Fn(u32) -> String) -> String {
    if let [no, yes] = goals {
        return format!("if {name} {{ {} }} else {{ {} }}", expression(*yes, state), expression(*no, state));
    }
    let times = |goal: &Goal| goals.iter().filter(|other| *other == goal).count();
    let usual = *goals.iter().max_by_key(|goal| times(goal)).expect("a place has states");
    let mut arms: Vec<(Goal, Vec<String>)> = Vec::new();
    for (number, goal) in (0u32..).zip(goals).filter(|(_, goal)| **goal != usual) {
        match arms.iter_mut().find(|(known, _)| known == goal) {
            Some((_, states)) => states.push(state(number)),
            None => arms.push((*goal, vec![state(number)])),
        }
    }
    let arms = arms.iter().map(|(goal, states)| format!("{} => {}, ", states.join(" | "), expression(*goal, state)));
    format!("match {name} {{ {}_ => {} }}", arms.collect::<String>(), expression(usual, state))
}
