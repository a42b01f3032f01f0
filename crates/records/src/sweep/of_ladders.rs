//! The ladders of a sweep: which members they hold, what these draw with, and what is refused.

use super::ladders::{Exchange, KEY, LADDER, Ladders};
use super::weight::{following, named_in, unweighted};
use super::{LEVEL, Sweep};
use crate::resolve::is_of_domain;
use squeeze_compiler::ir::{Rule, Type};
use squeeze_engine::failure::{Message, Result};
use squeeze_engine::params::ParamError;

impl Sweep {
    /// Its ladders; `None` if members exchange nothing.
    pub(super) fn ladders(&self) -> Option<Ladders> {
        let exchange = self.exchange.as_ref()?;
        let at = self.axes.iter().position(|axis| axis.name == exchange.parameter)?;
        let stride = self.axes[at + 1..].iter().map(|axis| axis.values.len()).product();
        let axis = &self.axes[at];
        Some(Ladders::new(&axis.name, &axis.values, stride, (self.repeats(), self.members())))
    }

    /// How many members follow each other in what is dealt out: those of a ladder, or one.
    pub(super) fn together(&self) -> usize {
        self.ladders().map_or(1, |ladders| ladders.length())
    }

    /// How many there are of what is dealt out: ladders, or members.
    #[doc(hidden)]
    pub fn units(&self) -> usize {
        self.ladders().map_or(self.members(), |ladders| ladders.count())
    }

    /// What the ranks of a ladder have in common but for seeds, in words.
    pub(super) fn words_of_ladder(&self, ladders: &Ladders, ladder: usize) -> String {
        let values = self.values(ladders.member(ladder, 0) / self.repeats());
        let others = self.axes.iter().zip(values).filter(|(axis, _)| axis.name != ladders.parameter);
        others.map(|(axis, value)| format!("{} = {value}", axis.name)).collect::<Vec<_>>().join(", ")
    }

    /// The key of a member's draws: its seed, and in a ladder one for each rank.
    #[doc(hidden)]
    pub fn key_of(&self, member: usize) -> u64 {
        let seed = self.seeds[member % self.seeds.len()];
        match (self.ladders(), &self.exchange) {
            (Some(ladders), Some(exchange)) => seed + exchange.key(ladders.of(member).1),
            _ => seed,
        }
    }

    /// The seed of what a member draws from disorder, unless that is its key: a ladder has one.
    pub(super) fn drawn_disorder_of(&self, member: usize) -> Option<u64> {
        let of_ladder = self.exchange.as_ref().map(|_| self.key_of_ladder(member));
        self.disorder_of(member).or(of_ladder)
    }

    /// The columns of a table between a row's time and its observables.
    pub(super) fn columns_before(&self) -> usize {
        usize::from(self.exchange.is_some())
    }

    /// The key of the ladder's decisions of a member: that of rank 0.
    pub(super) fn key_of_ladder(&self, member: usize) -> u64 {
        self.seeds[member % self.seeds.len()]
    }

    /// Checks that members can exchange states as it is asked for.
    ///
    /// # Errors
    /// If the rule or the members do not allow it.
    pub(super) fn check_exchange(&self, rule: &Rule) -> Result<()> {
        let Some(exchange) = &self.exchange else { return Ok(()) };
        let Exchange { parameter: name, every, .. } = exchange;
        let refuse = |what: String, help: String| Err(Message::users(what).with_help(help).into());
        if is_of_domain(name) || name == LEVEL {
            let what = format!(
                "`--exchange {name}`: members of a ladder have the same cells, so that they can exchange states"
            );
            return refuse(what, "name a parameter of the rule that is in its `equilibrium`".to_owned());
        }
        let Some(index) = rule.params.iter().position(|param| param.name == *name) else {
            let known = rule.params.iter().map(|param| param.name.clone()).collect();
            return Err(ParamError::Unknown { rule: rule.name.clone(), name: name.clone(), known }.into());
        };
        let ty = rule.params[index].ty;
        if matches!(ty, Type::Bit | Type::Enum(_)) {
            let what = format!("`{name}` is of the type {}, whose values are no numbers", rule.type_name(ty));
            return refuse(what, "members exchange states along a parameter of numbers".to_owned());
        }
        if *every == 0 || *every > self.steps {
            let what = format!("`--exchange-every {every}` of {} steps", self.steps);
            return refuse(what, format!("exchanges are from 1 to {} steps apart", self.steps));
        }
        if self.stops {
            let what = format!(
                "the rule `{}` says `stop when`, and a member that stops leaves a gap in its ladder",
                rule.name
            );
            return refuse(what, "take `stop when` out of the rule, or leave out `--exchange`".to_owned());
        }
        if !self.axes.iter().any(|axis| axis.name == *name) {
            let what = format!("`{name}` has one value, and members exchange states between two or more");
            return refuse(what, format!("`--set {name}=0.40..=0.48/0.02` gives it five"));
        }
        if self.zip {
            let what = "with `--zip` no two members agree in all parameters but one, so there are no ladders";
            return refuse(what.to_owned(), "leave out `--zip`".to_owned());
        }
        let most = u64::from(u32::MAX);
        if let Some(seed) = self.seeds.iter().find(|seed| **seed > most) {
            let what = format!(
                "the seed {seed}: with `--exchange` seeds are below 2^32, since rank k of a ladder draws with the key seed + 2^32 k"
            );
            return refuse(what, format!("take seeds from 0 to {most}"));
        }
        for column in [KEY, LADDER] {
            let is_taken =
                self.axes.iter().any(|axis| axis.name == column) || self.columns().iter().any(|own| own == column);
            if is_taken {
                let what = format!("tables of a sweep with `--exchange` have a column `{column}` of their own");
                return refuse(what, "give the parameter or the observable another name".to_owned());
            }
        }
        let varied = self.axes.iter().filter(|axis| !is_of_domain(&axis.name) && axis.name != LEVEL);
        let varied = varied.map(|axis| format!("{}={}", axis.name, axis.values[0]));
        let settings: Vec<String> = self.params.iter().cloned().chain(varied).collect();
        named_in(rule, index, &settings, "then members can exchange states")?;
        if let Some(state) = rule.drawn_once().next().map(|state| &rule.state(state).name) {
            let what = format!(
                "`{state}` is drawn in `init` and never changes, so each rank of a ladder has a system of its own"
            );
            let help = format!(
                "`init {state} = random(0.5) from disorder`, with the draw that the rule has, gives a ladder one"
            );
            return refuse(what, help);
        }
        let following = following(rule, index, &settings);
        if let Some(state) = rule.kept_from(|param| following.contains(&param)) {
            let state = &rule.state(state).name;
            let what = format!(
                "`init {state}` reads `{name}`, or a parameter that follows from it, and no step sets it: it would go with the states to members of other values"
            );
            return refuse(what, format!("read the parameter in the step, in the place of `{state}`"));
        }
        if let Some(refused) = unweighted(rule, &following, name).into_iter().flatten().next() {
            return Err(refused.into());
        }
        if let Some(state) = rule.unweighted_and_kept(&following) {
            let state = &rule.state(state).name;
            let what = format!(
                "`{state}` follows from `{name}`, and steps go on from it, but the weight says nothing of it: it would go with the states to members of other values"
            );
            let help = format!(
                "let the weight name an observable of `{state}`, as `equilibrium` of the shipped rule `swendsen_wang` does, or set `{state}` in each step before it is read"
            );
            return refuse(what, help);
        }
        let (count, shard) = (self.ladders().map_or(0, |ladders| ladders.count()), self.shard);
        if shard.count as usize > count {
            let what =
                format!("the sweep has {count} ladders, fewer than {} parts, and a ladder is not divided", shard.count);
            return refuse(what, format!("`--shard I/{count}` gives each part a ladder"));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Axis, Wishes};
    use super::*;
    use crate::resolve;
    use squeeze_compiler::geometry::Domain;

    fn sweep() -> Sweep {
        let (fractal, fractal_texts) = resolve::domain_with_texts("vicsek", &resolve::Edges::default()).unwrap();
        let (rule, rule_texts) = resolve::rule_with_texts("ising").unwrap();
        let domain = Domain::new(fractal, 2).unwrap();
        let settings = ["beta=0.5,0.3,0.4".to_owned()];
        let wishes = Wishes { seeds: "0", settings: &settings, exchange: Some(("beta", 2)), ..Wishes::default() };
        Sweep::new(fractal_texts, rule_texts, &rule, &[domain], 4, wishes, &[]).unwrap()
    }

    /// Ladders hold all members once, by rank, whatever varies beside the parameter.
    #[test]
    fn ladders_hold_all_members() {
        for (before, after, seeds, disorder) in [(1, 1, 1, 0), (2, 3, 2, 0), (3, 1, 2, 2), (1, 4, 1, 3)] {
            let mut sweep = sweep();
            let axis = |name: &str, count: usize| Axis {
                name: name.to_owned(),
                values: (0..count).map(|v| v.to_string()).collect(),
            };
            sweep.axes.splice(0..0, (before > 1).then(|| axis("a", before)));
            sweep.axes.extend((after > 1).then(|| axis("b", after)));
            (sweep.seeds, sweep.disorder) = ((0..seeds).collect(), (0..disorder).collect());
            let ladders = sweep.ladders().unwrap();
            assert_eq!((ladders.length(), ladders.count() * 3), (3, sweep.members()));
            assert_eq!(ladders.values, ["0.3", "0.4", "0.5"]);
            let mut seen = Vec::new();
            for ladder in 0..ladders.count() {
                let of_rank = |member: &usize| {
                    let of = |name: &str| {
                        let at = sweep.axes.iter().position(|axis| axis.name == name);
                        at.map(|at| sweep.values(member / sweep.repeats())[at].to_owned())
                    };
                    (of("a"), of("b"), sweep.member(*member).0, sweep.disorder_of(*member))
                };
                let members: Vec<usize> = ladders.members(ladder).collect();
                assert!(members.iter().all(|member| of_rank(member) == of_rank(&members[0])));
                for (rank, member) in members.iter().enumerate() {
                    assert_eq!(ladders.of(*member), (ladder, rank));
                    assert!(sweep.member(*member).1.contains(&format!("beta={}", ladders.values[rank])));
                    assert_eq!(sweep.key_of(*member), sweep.member(*member).0 + ((rank as u64) << 32));
                }
                seen.extend(members);
            }
            seen.sort_unstable();
            assert_eq!(seen, (0..sweep.members()).collect::<Vec<_>>());
        }
    }
}
