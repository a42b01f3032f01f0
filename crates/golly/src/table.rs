//! Golly's files of rules: `@TABLE`, a list of transitions of which the first that fits is taken, and `@TREE`, the same as a decision diagram.

use super::NOTE_OF_TABLE;
use super::diagram::{Diagram, Goal, PLACES};
use super::text::{name_of, words_of};
use std::collections::{HashMap, HashSet};
use std::ops::Range;

/// The most transitions, with all that symmetries and variables make of them.
const MOST_TRANSITIONS: usize = 1 << 17;

/// The neighbourhoods that tables may name, with their places in order around the cell.
const AROUND: [(&str, &[usize]); 4] = [
    ("vonneumann", &[0, 2, 4, 6]),
    ("moore", &[0, 1, 2, 3, 4, 5, 6, 7]),
    ("hexagonal", &[0, 2, 3, 4, 6, 7]),
    ("onedimensional", &[6, 2]),
];

/// A transition: the states that each place may have, the cell itself first, and the cell's next state.
#[derive(Clone, PartialEq, Eq, Hash)]
struct Transition {
    inputs: Vec<Vec<bool>>,
    output: u32,
}

/// The error in a file, as part of a sentence, and the bytes of the line where it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WrongTable {
    /// The error.
    pub problem: String,
    /// Where, if it is wrong in one line.
    pub line: Option<Range<usize>>,
}

/// The same with the line itself.
struct Fault<'a>(String, Option<&'a str>);

impl From<String> for Fault<'_> {
    fn from(problem: String) -> Self {
        Fault(problem, None)
    }
}

impl From<&str> for Fault<'_> {
    fn from(problem: &str) -> Self {
        Fault(problem.to_owned(), None)
    }
}

/// Whether a file is one of Golly's rules.
pub fn is_table(text: &str) -> bool {
    begun(text).starts_with("@RULE")
}

/// A text from its first line on, without a byte order mark and blanks.
fn begun(text: &str) -> &str {
    text.trim_start_matches('\u{feff}').trim_start()
}

/// The text of a rule in this language for one of Golly's files.
///
/// # Errors
/// The error in the file.
pub fn table_text(text: &str) -> Result<String, WrongTable> {
    translated(text).map_err(|Fault(problem, line)| {
        let begin = |line: &str| line.as_ptr() as usize - text.as_ptr() as usize;
        WrongTable { problem, line: line.map(|line| begin(line)..begin(line) + line.len()) }
    })
}

fn translated(text: &str) -> Result<String, Fault<'_>> {
    let name = begun(text).lines().next().and_then(|line| line.strip_prefix("@RULE")).unwrap_or_default().trim();
    let (title, lines) = section(text, &["TABLE", "TREE"]).ok_or("it has neither a section `@TABLE` nor `@TREE`")?;
    let mut diagram = Diagram::default();
    let (states, order, root) =
        if title == "TREE" { tree(&lines, &mut diagram)? } else { table(&lines, &mut diagram)? };
    let names = names(text, states);
    let (field, ty) = match states {
        2 => ("alive", "bit".to_owned()),
        _ => ("cell", format!("enum {{ {} }}", names.join(", "))),
    };
    let state = |number: u32| match states {
        2 => (number == 1).to_string(),
        _ => names[number as usize].clone(),
    };
    let beyond = state(0);
    let mut places: Vec<(&str, String)> =
        PLACES.iter().map(|(name, [x, y])| (*name, format!("{field}[{x}, {y}] else {beyond}"))).collect();
    places.push((field, String::new()));
    let places: Vec<(&str, String)> = order.iter().map(|place| places[*place].clone()).collect();
    let (lets, next) = diagram.next(root, &places, &state)?;
    let colours = colours(text, states).map_or_else(String::new, |colours| {
        let colour = |(name, colour): (&String, String)| match states {
            2 => format!("\"{colour}\""),
            _ => format!("{name} => \"{colour}\""),
        };
        let list: Vec<String> = names.iter().zip(colours).map(colour).collect();
        format!("    picture {field} {{ {} }}\n", list.join(", "))
    });
    let counted = if states == 2 { "sum(alive)".to_owned() } else { format!("count(cell != {beyond})") };
    Ok(format!(
        "/// {name}{NOTE_OF_TABLE}\nrule {} {{\n    state {field}: {ty}\n    init {field} = {beyond}\n{lets}    next {field} = {next}\n    observe population = {counted}\n{colours}}}\n",
        name_of(name)
    ))
}

/// The first section with one of these titles: its title, and its lines without comments.
fn section<'a>(text: &'a str, titles: &[&str]) -> Option<(&'a str, Vec<&'a str>)> {
    let mut sections = text.split("\n@").skip(1).map(|section| section.split_once('\n').unwrap_or((section, "")));
    let (title, body) = sections.find(|(title, _)| titles.contains(&title.trim()))?;
    let lines = body.lines().map(|line| line.split('#').next().unwrap_or_default().trim());
    Some((title.trim(), lines.filter(|line| !line.is_empty()).collect()))
}

/// The names of states: their numbers, each with the name of `@NAMES` behind it.
fn names(text: &str, states: u32) -> Vec<String> {
    let mut names: Vec<String> = (0..states).map(|state| format!("state_{state}")).collect();
    for line in section(text, &["NAMES"]).into_iter().flat_map(|(_, lines)| lines) {
        let Some((number, name)) = line.split_once(char::is_whitespace) else { continue };
        let Some(known) = number.parse().ok().and_then(|number: usize| names.get_mut(number)) else { continue };
        let words = words_of(name);
        if !words.is_empty() {
            *known += &format!("_{words}");
        }
    }
    names
}

/// The colours of states that `@COLORS` says, such as `00ff00`: of one state a line, or from the first to the last live one. Others have
/// those that Golly starts with, from red to yellow on grey. `None` if the file says nothing of colours.
fn colours(text: &str, states: u32) -> Option<Vec<String>> {
    let (_, lines) = section(text, &["COLORS"])?;
    let between = |from: &[u32], to: &[u32], state: u32| -> Vec<u32> {
        let [done, all] = [state - 1, (states - 2).max(1)];
        from.iter().zip(to).map(|(from, to)| (from * (all - done) + to * done) / all).collect()
    };
    let gradient = |from: &[u32], to: &[u32]| (1..states).map(|state| between(from, to, state)).collect::<Vec<_>>();
    let mut colours = [vec![vec![48; 3]], gradient(&[255, 0, 0], &[255, 255, 0])].concat();
    for line in lines {
        let numbers: Vec<u32> = line.split_whitespace().map_while(|word| word.parse().ok()).collect();
        if numbers.iter().skip(1).any(|channel| *channel > 255) {
            continue;
        }
        match numbers[..] {
            [r, g, b, ref to @ ..] if to.len() == 3 && r <= 255 => {
                colours.splice(1.., gradient(&[r, g, b], to));
            }
            [state, r, g, b] if state < states => colours[state as usize] = vec![r, g, b],
            _ => {}
        }
    }
    Some(colours.into_iter().map(|colour| colour.iter().map(|channel| format!("{channel:02x}")).collect()).collect())
}

/// The place of the cell itself behind those of its neighbours.
const OWN: usize = PLACES.len();

/// The contents of a section: the number of states, the places that nodes ask for, and where the questions begin.
type TreeSection = (u32, Vec<usize>, Goal);

/// A decision diagram as it is written down: a node a line, its depth and its goals.
fn tree<'a>(lines: &[&'a str], diagram: &mut Diagram) -> Result<TreeSection, Fault<'a>> {
    let said = |name: &str| -> Option<usize> {
        lines.iter().find_map(|line| line.strip_prefix(name)?.trim_start().strip_prefix('=')?.trim().parse().ok())
    };
    let states =
        said("num_states").filter(|states| (2..=256).contains(states)).ok_or("`num_states` is not 2 to 256")?;
    let order: &[usize] = match said("num_neighbors") {
        Some(4) => &[OWN, 4, 2, 6, 0],
        Some(8) => &[OWN, 4, 2, 6, 0, 3, 5, 1, 7],
        _ => return Err("`num_neighbors` is neither 4 nor 8".into()),
    };
    let mut nodes: Vec<(usize, Goal)> = Vec::new();
    for line in lines.iter().filter(|line| line.starts_with(|c: char| c.is_ascii_digit())) {
        let wrong = || Fault(format!("`{line}` is no node of a tree"), Some(line));
        let numbers: Vec<usize> =
            line.split_whitespace().map(|word| word.parse().map_err(|_| wrong())).collect::<Result<_, _>>()?;
        let [depth, goals @ ..] = &numbers[..] else { return Err(wrong()) };
        if goals.len() != states || !(1..=order.len()).contains(depth) {
            return Err(wrong());
        }
        let goal = |&number: &usize| match depth {
            1 => (number < states).then_some(Goal::State(number as u32)),
            _ => nodes.get(number).filter(|(below, _)| below + 1 == *depth).map(|(_, goal)| *goal),
        };
        let goals = goals.iter().map(goal).collect::<Option<Vec<Goal>>>().ok_or_else(wrong)?;
        nodes.push((*depth, diagram.ask(depth - 1, goals)));
    }
    match nodes.last() {
        Some((depth, root)) if *depth == order.len() => Ok((states as u32, order.to_vec(), *root)),
        _ => Err("its last node is not that of all places".into()),
    }
}

/// A list of transitions, of which the first that fits is taken; where none does, a cell stays as it is.
fn table<'a>(lines: &[&'a str], diagram: &mut Diagram) -> Result<TreeSection, Fault<'a>> {
    let said = |name: &str| {
        let value = lines.iter().find_map(|line| line.strip_prefix(name)?.trim_start().strip_prefix(':'));
        value.map(|value| value.trim().to_ascii_lowercase()).ok_or_else(|| format!("it does not say `{name}`"))
    };
    let states = said("n_states")?;
    let states = states.parse::<u32>().ok().filter(|states| (2..=256).contains(states));
    let states = states.ok_or("`n_states` is not 2 to 256")?;
    let (shape, symmetry) = (said("neighborhood")?, said("symmetries")?);
    let (_, around) = AROUND.iter().find(|(name, _)| *name == shape).ok_or_else(|| {
        format!("the neighbourhood `{shape}` is not read; valid are vonNeumann, Moore, hexagonal and oneDimensional")
    })?;
    let images = images(&symmetry, around.len())?;
    let mut variables: HashMap<&str, Vec<u32>> = HashMap::new();
    let (mut transitions, mut met) = (Vec::new(), HashSet::new());
    for line in lines.iter().filter(|line| !line.contains(':')) {
        let wrong = |problem: String| Fault(problem, Some(line));
        if let Some(definition) = line.strip_prefix("var ") {
            let (name, list) = definition.split_once('=').ok_or_else(|| wrong(format!("`{line}` is no variable")))?;
            let mut values = Vec::new();
            for word in list.trim().trim_matches(['{', '}']).split(',').map(str::trim).filter(|word| !word.is_empty()) {
                let of_word = states_of(word, states, &variables);
                values.extend(of_word.ok_or_else(|| wrong(format!("`{word}` is no state")))?);
            }
            variables.insert(name.trim(), values);
            continue;
        }
        for transition in expanded(line, around.len() + 1, states, &variables).map_err(wrong)? {
            for image in &images {
                let inputs = std::iter::once(0).chain(image.iter().map(|place| place + 1));
                let inputs = inputs.map(|place| transition.inputs[place].clone()).collect();
                let image = Transition { inputs, output: transition.output };
                if met.insert(image.clone()) {
                    transitions.push(image);
                }
                if transitions.len() > MOST_TRANSITIONS {
                    let problem =
                        format!("symmetries and variables make more than {MOST_TRANSITIONS} transitions of it");
                    return Err(wrong(problem));
                }
            }
        }
    }
    let order: Vec<usize> = std::iter::once(OWN).chain(around.iter().copied()).collect();
    let mut asked = DiagramBuilder { transitions: &transitions, states, known: HashMap::new(), diagram };
    let root = asked.ask(0, (0..transitions.len() as u32).collect(), 0);
    Ok((states, order, root))
}

/// The states that a word stands for: a number or a variable.
fn states_of(word: &str, states: u32, variables: &HashMap<&str, Vec<u32>>) -> Option<Vec<u32>> {
    match word.parse::<u32>() {
        Ok(state) => (state < states).then(|| vec![state]),
        Err(_) => variables.get(word).cloned(),
    }
}

/// The transitions that a line stands for: a variable that is named more than once has one state in all its places.
fn expanded(
    line: &str,
    inputs: usize,
    states: u32,
    variables: &HashMap<&str, Vec<u32>>,
) -> Result<Vec<Transition>, String> {
    let wrong = |problem: &str| format!("the transition `{line}` {problem}");
    let digits: Vec<String>;
    let words: Vec<&str> = if line.contains(',') {
        line.split(',').map(str::trim).collect()
    } else {
        digits = line.chars().filter(|c| !c.is_whitespace()).map(String::from).collect();
        digits.iter().map(String::as_str).collect()
    };
    if words.len() != inputs + 1 {
        return Err(wrong(&format!("has {} entries, and {} are needed", words.len(), inputs + 1)));
    }
    let sets = words.iter().map(|word| states_of(word, states, variables));
    let sets = sets.collect::<Option<Vec<_>>>().ok_or_else(|| wrong("names what is neither a state nor a variable"))?;
    let is_bound =
        |word: &str| variables.contains_key(word) && words.iter().filter(|other| **other == word).count() > 1;
    let mut bound: Vec<&str> = words.iter().copied().filter(|word| is_bound(word)).collect();
    bound.sort_unstable();
    bound.dedup();
    if sets[inputs].len() != 1 && !bound.contains(&words[inputs]) {
        return Err(wrong("becomes several states at once"));
    }
    let mut choices: Vec<Vec<(&str, u32)>> = vec![Vec::new()];
    // Golly counts through the states of the first name fastest, and of its choices the first that fits is taken.
    for name in bound.into_iter().rev() {
        let states = &variables[name];
        choices = choices
            .iter()
            .flat_map(|choice| states.iter().map(|&state| [&choice[..], &[(name, state)]].concat()))
            .collect();
        if choices.len() > MOST_TRANSITIONS {
            return Err(wrong("stands for too many"));
        }
    }
    let transition = |choice: Vec<(&str, u32)>| {
        let state = |place: usize| choice.iter().find(|(name, _)| *name == words[place]).map(|(_, state)| vec![*state]);
        let of = |place: usize| state(place).unwrap_or_else(|| sets[place].clone());
        let mask = |place: usize| (0..states).map(|state| of(place).contains(&state)).collect();
        Transition { inputs: (0..inputs).map(mask).collect(), output: of(inputs)[0] }
    };
    Ok(choices.into_iter().map(transition).collect())
}

/// The orders of places that a symmetry makes of one.
fn images(symmetry: &str, places: usize) -> Result<Vec<Vec<usize>>, String> {
    let turned = |by: usize| (0..places).map(|place| (place + by) % places).collect::<Vec<usize>>();
    // North stays where it is, and so it is with two places: west and east.
    let mirrored = |order: &Vec<usize>| match places {
        2 => vec![order[1], order[0]],
        _ => (0..places).map(|place| order[(places - place) % places]).collect(),
    };
    let (turns, is_mirrored) = match (symmetry, places) {
        ("none", _) => (1, false),
        ("reflect" | "reflect_horizontal", _) => (1, true),
        ("rotate4", 4 | 8) => (4, false),
        ("rotate4reflect", 4 | 8) => (4, true),
        ("rotate8", 8) => (8, false),
        ("rotate8reflect", 8) => (8, true),
        ("rotate2" | "rotate3" | "rotate6", 6) => (usize::from(symmetry.as_bytes()[6] - b'0'), false),
        ("rotate6reflect", 6) => (6, true),
        ("permute", _) => return Ok(permutations(places)),
        _ => return Err(format!("the symmetry `{symmetry}` is not one of its neighbourhood")),
    };
    let mut all: Vec<Vec<usize>> = (0..turns).map(|turn| turned(turn * places / turns)).collect();
    if is_mirrored {
        all.extend(all.iter().map(mirrored).collect::<Vec<_>>());
    }
    Ok(all)
}

/// All orders of some places.
fn permutations(places: usize) -> Vec<Vec<usize>> {
    let mut all = vec![Vec::new()];
    for _ in 0..places {
        let longer = |order: &Vec<usize>| {
            let left = (0..places).filter(|place| !order.contains(place));
            left.map(|place| [&order[..], &[place]].concat()).collect::<Vec<_>>()
        };
        all = all.iter().flat_map(longer).collect();
    }
    all
}

/// Transitions that become a diagram, and the nodes made so far, by the transitions that are left there.
struct DiagramBuilder<'a> {
    transitions: &'a [Transition],
    states: u32,
    known: HashMap<(usize, u32, Vec<u32>), Goal>,
    diagram: &'a mut Diagram,
}

impl DiagramBuilder<'_> {
    /// The goal that decides among these transitions, which fit the places before this one, for a cell in the state `own`.
    fn ask(&mut self, place: usize, mut left: Vec<u32>, own: u32) -> Goal {
        let fits_all = |number: &u32| {
            let inputs = &self.transitions[*number as usize].inputs[place..];
            inputs.iter().all(|set| set.iter().all(|is_in| *is_in))
        };
        // Behind one that fits whatever the other places are nothing is reached.
        if let Some(last) = left.iter().position(fits_all) {
            left.truncate(last + 1);
        }
        match left.first() {
            None if place > 0 => return Goal::State(own),
            Some(first) if left.len() == 1 && fits_all(first) => {
                return Goal::State(self.transitions[*first as usize].output);
            }
            _ => {}
        }
        let key = (place, own, left);
        if let Some(goal) = self.known.get(&key) {
            return *goal;
        }
        let goals = (0..self.states).map(|state| {
            let fit = key.2.iter().filter(|number| self.transitions[**number as usize].inputs[place][state as usize]);
            let (fit, own) = (fit.copied().collect(), if place == 0 { state } else { own });
            self.ask(place + 1, fit, own)
        });
        let goals = goals.collect::<Vec<_>>();
        let goal = self.diagram.ask(place, goals);
        self.known.insert(key, goal);
        goal
    }
}
