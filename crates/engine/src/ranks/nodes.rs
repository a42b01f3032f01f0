//! The machines that ranks run on, and the processors that each of them may use.

use super::error::RankError;
use super::transport::{MessageKind, Transport};
use squeeze_host::threads::{allowed_processors, machine};

/// The place of a rank among all.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Nodes {
    /// How many machines there are,
    pub machines: usize,
    /// how many ranks run on this one,
    pub ranks_here: usize,
    /// and how many threads are this rank's share of its processors, at least 1.
    pub threads: usize,
    /// How many processors this rank may use.
    pub processors: usize,
}

impl Nodes {
    /// Asks all ranks. A launcher may bind each rank to processors of its own, or let all use the same: a processor is shared by the ranks that may use it.
    ///
    /// # Errors
    /// If the run has failed.
    pub fn of(transport: &Transport) -> Result<Nodes, RankError> {
        let at_once = std::thread::available_parallelism().map_or(1, usize::from);
        let own = allowed_processors().unwrap_or_else(|| (0..at_once).collect());
        let own: Vec<String> = own.iter().map(usize::to_string).collect();
        let told = format!("{} {}", machine(), own.join(","));
        let all = transport.all_gather(MessageKind::Words, 0, told.as_bytes())?;
        let all: Vec<String> = all.iter().map(|bytes| String::from_utf8_lossy(bytes).into_owned()).collect();
        Ok(nodes(&all, transport.rank(), at_once))
    }
}

/// The place of a rank, by a machine and a list of processors of each. A quota (`at_once` below the number of processors) is the whole machine's, and divided as well.
fn nodes(all: &[String], rank: usize, at_once: usize) -> Nodes {
    let all: Vec<(&str, Vec<&str>)> = all
        .iter()
        .map(|told| {
            told.split_once(' ')
                .map_or((told.as_str(), Vec::new()), |(machine, list)| (machine, list.split(',').collect()))
        })
        .collect();
    let (machine, own) = &all[rank];
    let here: Vec<&Vec<&str>> = all.iter().filter(|(other, _)| other == machine).map(|(_, list)| list).collect();
    let share = |processor: &&str| 1.0 / here.iter().filter(|list| list.contains(processor)).count() as f64;
    let share: f64 = own.iter().map(share).sum();
    let quota = if at_once < own.len() { at_once as f64 / here.len() as f64 } else { share };
    let mut machines: Vec<&str> = all.iter().map(|(machine, _)| *machine).collect();
    machines.sort_unstable();
    machines.dedup();
    // Thirds of three processors are one.
    let threads = (share.min(quota) + 1e-6).floor().max(1.0) as usize;
    Nodes { machines: machines.len(), ranks_here: here.len(), threads, processors: own.len() }
}

#[cfg(test)]
mod tests {
    use super::{Nodes, nodes};

    fn threads(all: &[&str], at_once: usize) -> Vec<usize> {
        let all: Vec<String> = all.iter().map(|told| (*told).to_owned()).collect();
        (0..all.len()).map(|rank| nodes(&all, rank, at_once).threads).collect()
    }

    #[test]
    fn processors_are_shared_by_the_ranks_that_may_use_them() {
        assert_eq!(threads(&["a 0,1,2,3"; 2], 4), [2, 2]);
        assert_eq!(threads(&["a 0,1,2"; 3], 3), [1; 3]);
        assert_eq!(threads(&["a 0,1"; 5], 2), [1; 5], "never none");
        assert_eq!(threads(&["a 0,1", "a 2,3", "b 0,1"], 2), [2; 3], "bound, and another machine");
        assert_eq!(threads(&["a 0,1,2,3,4,5,6,7"; 2], 4), [2, 2], "a quota of four");
        let all = ["a 0", "b 0", "a 1"].map(str::to_owned);
        assert_eq!(nodes(&all, 2, 1), Nodes { machines: 2, ranks_here: 2, threads: 1, processors: 1 });
    }
}
