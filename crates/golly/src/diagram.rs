//! Decision diagrams: a cell's next state, by the states of one place after the other.

use std::collections::HashMap;

/// The most goals that all nodes together have: each is an operation of every cell.
const MOST_GOALS: usize = 16384;

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

    /// The lines of a rule's text that lead to these goals: a `let` for each place that is asked for, by its name and expression, and for each node.
    ///
    /// # Errors
    /// If there are too many.
    pub(super) fn lets(
        &self,
        goals: &[Goal],
        places: &[(&str, String)],
        state: &dyn Fn(u32) -> String,
    ) -> Result<String, String> {
        let mut is_met = vec![false; self.nodes.len()];
        let mut open: Vec<Goal> = goals.to_vec();
        while let Some(goal) = open.pop() {
            if let Goal::Node(node) = goal
                && !std::mem::replace(&mut is_met[node], true)
            {
                open.extend(&self.nodes[node].1);
            }
        }
        let met = || self.nodes.iter().enumerate().filter(|(node, _)| is_met[*node]);
        let count: usize = met().map(|(_, (_, goals))| goals.len()).sum();
        if count > MOST_GOALS {
            return Err(format!("it has {count} branches, and at most {MOST_GOALS} become a kernel"));
        }
        let mut text = String::new();
        for (place, (name, what)) in places.iter().enumerate().filter(|(_, (_, what))| !what.is_empty()) {
            if met().any(|(_, (asked, _))| *asked == place) {
                text += &format!("    let {name} = {what}\n");
            }
        }
        for (node, (place, goals)) in met() {
            text += &format!("    let case_{node} = {}\n", choice(places[*place].0, goals, state));
        }
        Ok(text)
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
