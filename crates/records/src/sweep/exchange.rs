//! Exchanges of states between neighbouring ranks of ladders, and what became of them.
//!
//! | in the folder | what |
//! |---|---|
//! | `exchange.csv` | for each pair of neighbouring ranks how often an exchange was tried, and how often it was made |
//! | `replicas.csv` | for each replica how often it went from the lowest rank to the highest and back, and its steps at both |
//!
//! After each step that is a multiple of the interval, ranks k and k + 1 may exchange their states: the s-th time those with k even for odd s, and with k odd for even s. With
//! w_k the weight at rank k's parameters, they do so with the probability min(1, w_k(s_{k+1}) w_{k+1}(s_k) / (w_k(s_k) w_{k+1}(s_{k+1}))).

use super::ladders::Ladders;
use crate::table::float;
use squeeze_compiler::ir::{MathFn, Value};
use squeeze_compiler::numbers::{philox, scalar};
use squeeze_engine::failure::{Message, Result};
use squeeze_engine::totals::{LogWeight, Reduced};
use squeeze_host::numbers::{counted, three_digits};
use std::collections::BTreeMap;

/// Rates below this are told of.
const LEAST_RATE: f64 = 0.1;
/// The most ladders and replicas that are named, one by one.
const MOST_NAMED: usize = 8;

/// What became of a rank's exchanges with the next one, and of the replica that began there.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct ExchangeCounts {
    tried: u64,
    accepted: u64,
    round_trips: u64,
    /// Steps of the replica at the lowest and at the highest rank.
    at_ends: [u64; 2],
}

impl ExchangeCounts {
    /// As numbers with commas between them.
    pub(super) fn to_text(self) -> String {
        let ExchangeCounts { tried, accepted, round_trips, at_ends: [lowest, highest] } = self;
        [tried, accepted, round_trips, lowest, highest].map(|count| count.to_string()).join(",")
    }

    /// The reverse of [`to_text`](Self::to_text); `None` if it is none.
    pub(super) fn of_text(text: &str) -> Option<ExchangeCounts> {
        let all: Vec<u64> = text.split(',').map(|word| word.parse().ok()).collect::<Option<_>>()?;
        let [tried, accepted, round_trips, lowest, highest] = all[..] else { return None };
        (accepted <= tried).then_some(ExchangeCounts { tried, accepted, round_trips, at_ends: [lowest, highest] })
    }
}

/// The end of its ladder at which a replica was last.
#[derive(Clone, Copy, PartialEq, Eq)]
enum LastEnd {
    None,
    Lowest,
    /// The highest, and the lowest before.
    Highest,
}

/// A ladder on its way.
pub(super) struct LadderRun {
    /// The members, by rank.
    members: Vec<usize>,
    seed: u64,
    /// The replica at each rank.
    replicas: Vec<usize>,
    /// By rank, and by replica.
    counts: Vec<ExchangeCounts>,
    last_ends: Vec<LastEnd>,
}

impl LadderRun {
    /// A ladder of these members at its beginning, which draws with this seed.
    pub(super) fn new(members: &[usize], seed: u64) -> LadderRun {
        let ranks = members.len();
        let mut last_ends = vec![LastEnd::None; ranks];
        last_ends[0] = LastEnd::Lowest;
        LadderRun {
            members: members.to_vec(),
            seed,
            replicas: (0..ranks).collect(),
            counts: vec![ExchangeCounts::default(); ranks],
            last_ends,
        }
    }

    /// The replica at a rank.
    pub(super) fn replica(&self, rank: usize) -> usize {
        self.replicas[rank]
    }

    /// The counts of a rank and the replica of its number.
    pub(super) fn counts(&self, rank: usize) -> ExchangeCounts {
        self.counts[rank]
    }

    /// ExchangeCounts steps that were computed since states last moved.
    pub(super) fn pass(&mut self, steps: u32) {
        let [lowest, highest] = [self.replicas[0], self.replicas[self.replicas.len() - 1]];
        self.counts[lowest].at_ends[0] += u64::from(steps);
        self.counts[highest].at_ends[1] += u64::from(steps);
    }

    /// Decides which ranks exchange their states now, each with the next one, and notes that they have. `reduced` are the ranks with what the weight is made of.
    ///
    /// # Errors
    /// If a weight is no number.
    pub(super) fn exchange(&mut self, every: u32, weight: &LogWeight, reduced: &[Reduced<'_>]) -> Result<Vec<usize>> {
        let time = reduced[0].time;
        let observed: Vec<_> = reduced.iter().map(|reduced| weight.observe(reduced)).collect();
        let log = |rank: usize, of: usize| weight.at(&reduced[rank], &observed[of]);
        let (turn, mut moved) = (time / every, Vec::new());
        for rank in (usize::from(turn.is_multiple_of(2))..self.members.len() - 1).step_by(2) {
            let next = rank + 1;
            let gain = log(rank, next) + log(next, rank) - log(rank, rank) - log(next, next);
            if gain.is_nan() {
                let member = self.members[rank];
                let what = format!(
                    "the weights of members {member} and {} at step {time} are not all numbers above 0",
                    self.members[next]
                );
                let help = "each state that a member meets has a weight at the values of its neighbours, too";
                return Err(Message::users(what).with_help(help).into());
            }
            self.counts[rank].tried += 1;
            let chance = scalar::math(MathFn::Exp, Value::F64(gain)).as_f64();
            let is_accepted =
                gain >= 0.0 || philox::is_below(self.seed, rank as u64, time, philox::DRAW_OF_EXCHANGE, chance);
            if is_accepted {
                self.counts[rank].accepted += 1;
                self.replicas.swap(rank, next);
                moved.push(rank);
            }
        }
        let [lowest, highest] = [self.replicas[0], self.replicas[self.replicas.len() - 1]];
        if self.last_ends[lowest] == LastEnd::Highest {
            self.counts[lowest].round_trips += 1;
        }
        self.last_ends[lowest] = LastEnd::Lowest;
        if self.last_ends[highest] == LastEnd::Lowest {
            self.last_ends[highest] = LastEnd::Highest;
        }
        Ok(moved)
    }
}

/// The first lines of the tables of exchanges and of replicas.
pub(super) const HEADS: [&str; 2] =
    ["ladder,lower,upper,tried,accepted,rate", "ladder,replica,round_trips,steps_lowest,steps_highest"];

/// Exchanges between two neighbouring ranks.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct PairExchanges {
    /// The values of the parameter at the two, as they are written.
    pub values: [String; 2],
    /// How often an exchange was tried,
    pub tried: u64,
    /// and how often it was made.
    pub accepted: u64,
}

impl PairExchanges {
    /// The share of exchanges that were made; NaN if none was tried.
    pub fn rate(&self) -> f64 {
        self.accepted as f64 / self.tried as f64
    }
}

/// A state of a ladder, over all time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ReplicaTrips {
    /// How often it went from the lowest rank to the highest and back.
    pub round_trips: u64,
    /// Its steps at the lowest rank and at the highest.
    pub at_ends: [u64; 2],
}

/// What became of the exchanges of a ladder.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct LadderExchanges {
    /// Its number.
    pub ladder: usize,
    /// The values of all other parameters, in words.
    pub values: String,
    /// Each rank with the next.
    pub pairs: Vec<PairExchanges>,
    /// By the rank at which they began.
    pub replicas: Vec<ReplicaTrips>,
}

/// What became of the exchanges of a sweep.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Exchanges {
    /// The parameter along which states move.
    pub parameter: String,
    /// All ladders of which there are members.
    pub ladders: Vec<LadderExchanges>,
}

impl Exchanges {
    /// From the counts of all members that are here, with the words of each ladder.
    pub(super) fn of(
        ladders: &Ladders,
        words: impl Fn(usize) -> String,
        counts: &BTreeMap<usize, ExchangeCounts>,
    ) -> Exchanges {
        let of_ladder = |ladder: usize| {
            let all: Vec<ExchangeCounts> =
                ladders.members(ladder).map(|member| counts.get(&member).copied()).collect::<Option<_>>()?;
            let pair = |(rank, ExchangeCounts { tried, accepted, .. }): (usize, &ExchangeCounts)| PairExchanges {
                values: [rank, rank + 1].map(|rank| ladders.values[rank].clone()),
                tried: *tried,
                accepted: *accepted,
            };
            let replica = |ExchangeCounts { round_trips, at_ends, .. }: &ExchangeCounts| ReplicaTrips {
                round_trips: *round_trips,
                at_ends: *at_ends,
            };
            Some(LadderExchanges {
                ladder,
                values: words(ladder),
                pairs: all[..all.len() - 1].iter().enumerate().map(pair).collect(),
                replicas: all.iter().map(replica).collect(),
            })
        };
        let parameter = ladders.parameter.clone();
        Exchanges { parameter, ladders: (0..ladders.count()).filter_map(of_ladder).collect() }
    }

    /// The lines of the table of exchanges.
    pub(super) fn lines(&self) -> impl Iterator<Item = String> {
        self.ladders.iter().flat_map(|LadderExchanges { ladder, pairs, .. }| {
            pairs.iter().map(move |pair| {
                let PairExchanges { values: [lower, upper], tried, accepted } = pair;
                format!("{ladder},{lower},{upper},{tried},{accepted},{}", float(pair.rate()))
            })
        })
    }

    /// The lines of the table of replicas.
    pub(super) fn lines_of_replicas(&self) -> impl Iterator<Item = String> {
        self.ladders.iter().flat_map(|LadderExchanges { ladder, replicas, .. }| {
            replicas.iter().enumerate().map(
                move |(replica, ReplicaTrips { round_trips, at_ends: [lowest, highest] })| {
                    format!("{ladder},{replica},{round_trips},{lowest},{highest}")
                },
            )
        })
    }

    /// The counts of members in the lines of both tables, without their first ones, as far as they are there.
    pub(super) fn read(ladders: &Ladders, lines: [&[String]; 2]) -> BTreeMap<usize, ExchangeCounts> {
        let [mut found, replicas] = [0, 1].map(|table| {
            let mut found: BTreeMap<usize, ExchangeCounts> = BTreeMap::new();
            for line in lines[table] {
                let words: Vec<&str> = line.split(',').collect();
                let numbers = || -> Option<(usize, Vec<u64>)> {
                    let rank = match table {
                        0 => ladders.values.iter().position(|value| Some(value.as_str()) == words.get(1).copied())?,
                        _ => words.get(1)?.parse().ok()?,
                    };
                    let ladder = words[0].parse().ok().filter(|ladder: &usize| *ladder < ladders.count())?;
                    let rest = words.get(if table == 0 { 3..5 } else { 2..5 })?;
                    let rest = rest.iter().map(|word| word.parse().ok()).collect::<Option<_>>()?;
                    (rank < ladders.length()).then(|| (ladders.member(ladder, rank), rest))
                };
                let Some((member, numbers)) = numbers() else { continue };
                let counts = found.entry(member).or_default();
                match numbers[..] {
                    [tried, accepted] => (counts.tried, counts.accepted) = (tried, accepted),
                    [round_trips, lowest, highest] => {
                        (counts.round_trips, counts.at_ends) = (round_trips, [lowest, highest]);
                    }
                    _ => {}
                }
            }
            found
        });
        // The last rank has no next one, and so no line of its own.
        for (member, of_replica) in replicas {
            let counts = found.entry(member).or_default();
            (counts.round_trips, counts.at_ends) = (of_replica.round_trips, of_replica.at_ends);
        }
        found
    }

    /// Each pair of neighbouring values of ladders that differ in seeds alone, all of these together, with their words.
    pub fn by_values(&self) -> Vec<(&str, Vec<PairExchanges>)> {
        let mut all: Vec<(&str, Vec<PairExchanges>)> = Vec::new();
        for LadderExchanges { values, pairs, .. } in &self.ladders {
            match all.iter_mut().find(|(known, _)| known == values) {
                None => all.push((values, pairs.clone())),
                Some((_, known)) => {
                    for (known, pair) in known.iter_mut().zip(pairs) {
                        known.tried += pair.tried;
                        known.accepted += pair.accepted;
                    }
                }
            }
        }
        all
    }

    /// Which neighbours exchange too seldom, with a value between them, and which replicas never went there and back: a sentence each.
    pub fn warnings(&self) -> Vec<String> {
        let mut all = Vec::new();
        for (words, pairs) in self.by_values() {
            let at = if words.is_empty() { String::new() } else { format!(" at {words}") };
            for pair in pairs.iter().filter(|pair| pair.rate() < LEAST_RATE) {
                let PairExchanges { values: [lower, upper], tried, accepted } = pair;
                let name = &self.parameter;
                let half = middle(lower, upper)
                    .map_or_else(String::new, |half| format!(": {name} = {half} would halve the gap"));
                all.push(format!(
                    "{name} = {lower} and {upper}{at} exchange {}% of the time ({accepted} of {tried}){half}",
                    three_digits(100.0 * pair.rate())
                ));
            }
        }
        let (mut without, mut count, mut named) = (0, 0, Vec::new());
        for LadderExchanges { ladder, replicas, .. } in &self.ladders {
            count += replicas.len();
            let own: Vec<String> = (0..replicas.len())
                .filter(|replica| replicas[*replica].round_trips == 0)
                .map(|replica| replica.to_string())
                .collect();
            without += own.len();
            if !own.is_empty() {
                let more = if own.len() > MOST_NAMED { " and more" } else { "" };
                named.push(format!("{}{more} of ladder {ladder}", own[..own.len().min(MOST_NAMED)].join(", ")));
            }
        }
        if without > 0 {
            let more = if named.len() > MOST_NAMED { "; and of more ladders" } else { "" };
            named.truncate(MOST_NAMED);
            all.push(format!(
                "{without} of {} went from the lowest to the highest value and back not once: {}{more}",
                counted(count as u64, "replica"),
                named.join("; ")
            ));
        }
        all
    }
}

/// The value between two, in as few digits as tell it from them.
fn middle(lower: &str, upper: &str) -> Option<String> {
    let [low, high] = [lower, upper].map(|value| value.parse::<f64>().ok());
    let (low, high) = (low?, high?);
    let half = low + (high - low) / 2.0;
    let near = |text: &String| text.parse().is_ok_and(|value: f64| (value - half).abs() <= 0.1 * (high - low));
    (0..17).map(|digits| format!("{half:.digits$}")).find(near)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::resolve::{self, Edges, Periodic};
    use crate::sweep::work::{How, Watch, run};
    use crate::sweep::{Sweep, SweepFolder, Wishes};
    use squeeze_compiler::geometry::Domain;
    use squeeze_engine::simulation::{Backend, Simulation};

    struct Quiet;

    impl Watch for Quiet {}

    /// The exact mean of `disagreements` at some values of `beta`, by a sum over all states: which cells neighbour each.
    fn exact(neighbours: &[Vec<usize>], betas: &[f64]) -> Vec<f64> {
        let mut sums = vec![[0.0f64; 2]; betas.len()];
        for state in 0u32..1 << neighbours.len() {
            let unlike = |(cell, of): (usize, &Vec<usize>)| {
                of.iter().filter(|other| (state >> cell ^ state >> **other) & 1 == 1).count()
            };
            let energy = neighbours.iter().enumerate().map(unlike).sum::<usize>() as f64;
            for ([weights, energies], beta) in sums.iter_mut().zip(betas) {
                let weight = (-beta * energy).exp();
                (*weights, *energies) = (*weights + weight, *energies + weight * energy);
            }
        }
        sums.iter().map(|[weights, energies]| energies / weights).collect()
    }

    /// How many errors the mean of each member of a sweep of Ising's model lies from the exact one.
    fn scores(fractal: &str, edges: &Edges, seeds: &str, steps: u32, with_one_key: bool) -> Vec<f64> {
        let place = tempfile::tempdir().unwrap();
        let level = if fractal == "full_square" { 2 } else { 1 };
        let (fractal, fractal_texts) = resolve::domain_with_texts(fractal, edges).unwrap();
        let (rule, rule_texts) = resolve::rule_with_texts("ising").unwrap();
        let domain = Domain::new(fractal.clone(), level).unwrap();
        let settings = ["beta=0.2,0.35,0.5,0.7".to_owned()];
        let mut wishes = Wishes { seeds, settings: &settings, exchange: Some(("beta", 1)), ..Wishes::default() };
        (wishes.observe_every, wishes.per_member) = (Some(1), true);
        wishes.discard = Some(crate::sweep::Discard::Steps(100));
        let mut sweep =
            Sweep::new(fractal_texts, rule_texts, &rule, std::slice::from_ref(&domain), steps, wishes, &[]).unwrap();
        sweep.exchange.as_mut().unwrap().with_one_key = with_one_key;
        let path = place.path().join("sweep");
        let folder = SweepFolder::create(&path, &sweep).unwrap();
        let how = How { backend: Backend::Cpu, ..How::default() };
        let summary = run(&folder, &sweep, how, &[], &mut Quiet).unwrap().expect("it was not stopped");
        let exchanges = summary.exchanges.expect("states were exchanged");
        let tried: u64 = exchanges.ladders[0].pairs.iter().map(|pair| pair.tried).sum();
        assert_eq!(tried, u64::from(steps) * 3 / 2);
        let one = Simulation::builder(fractal, rule).level(level).build().unwrap();
        let neighbours = |c: u64| {
            let at = one.domain().lambda(c).map(|v| v as i64);
            let offsets = [[-1, 0], [1, 0], [0, -1], [0, 1]];
            let of = |[dx, dy]: [i64; 2]| {
                let side = one.domain().extent()[0] as i64;
                let mut to = [at[0] + dx, at[1] + dy];
                if matches!(edges.periodic, Periodic::All) {
                    to = to.map(|v| v.rem_euclid(side));
                }
                let is_inside = to.iter().all(|v| (0..side).contains(v));
                is_inside.then(|| one.domain().nu([to[0] as u64, to[1] as u64, 0]))?.map(|c| c as usize)
            };
            offsets.into_iter().filter_map(of).collect()
        };
        let neighbours: Vec<Vec<usize>> = (0..one.domain().cells()).map(neighbours).collect();
        let betas = [0.2, 0.35, 0.5, 0.7];
        let exact = exact(&neighbours, &betas.map(|beta: f64| f64::from(beta as f32)));
        let table = std::fs::read_to_string(path.join("per_member.csv")).unwrap();
        let column = |name: &str| table.lines().next().unwrap().split(',').position(|own| own == name).unwrap();
        let [beta, mean, error] = ["beta", "disagreements", "disagreements_error"].map(column);
        let score = |line: &str| {
            let number = |at: usize| line.split(',').nth(at).unwrap().parse::<f64>().unwrap();
            let at = betas.iter().position(|own| *own == number(beta)).unwrap();
            (number(mean) - exact[at]) / number(error)
        };
        table.lines().skip(1).map(score).collect()
    }

    fn rms_of(all: &[f64]) -> f64 {
        (all.iter().map(|z| z * z).sum::<f64>() / all.len() as f64).sqrt()
    }

    /// Energies at each rank are those of sums over all states, and with one key for all ranks they are not.
    #[test]
    fn energies_of_ladders_are_exact() {
        let torus = Edges { periodic: Periodic::All, ..Edges::default() };
        let (seeds, steps, bounds) = match squeeze_testing::all_cases() {
            true => ("0..60", 4000, 0.9..1.1),
            false => ("0..6", 2000, 0.6..1.4),
        };
        for (fractal, edges) in [("sierpinski_carpet", &Edges::default()), ("full_square", &torus)] {
            let all = scores(fractal, edges, seeds, steps, false);
            // Members that changed too slowly for an error have none.
            let told: Vec<f64> = all.iter().copied().filter(|z| z.is_finite()).collect();
            assert!(50 * told.len() >= 49 * all.len(), "{fractal}: too few errors in {all:?}");
            let rms = rms_of(&told);
            assert!(bounds.contains(&rms), "{fractal}: rms {rms} of {all:?}");
        }
        let wrong = scores("sierpinski_carpet", &Edges::default(), "0..2", 6000, true);
        let rms = rms_of(&wrong);
        assert!(!bounds.contains(&rms), "one key for all ranks is not seen: rms {rms} of {wrong:?}");
    }

    #[test]
    fn values_between_have_few_digits() {
        let between = |low, high| middle(low, high).unwrap();
        assert_eq!([between("0.4", "0.5"), between("0.44", "0.45"), between("1", "3")], ["0.45", "0.445", "2"]);
        assert_eq!(between("-0.25", "0.5"), "0.1");
        assert_eq!(middle("rest", "0.5"), None);
    }

    #[test]
    fn counts_are_read_as_they_were_written() {
        let counts = ExchangeCounts { tried: 9, accepted: 4, round_trips: 1, at_ends: [40, 0] };
        assert_eq!(ExchangeCounts::of_text(&counts.to_text()), Some(counts));
        for text in ["", "1,2,3", "1,2,0,0,0", "9,4,1,40,x", "9,4,1,40,0,0"] {
            assert_eq!(ExchangeCounts::of_text(text), None, "{text}");
        }
    }
}
