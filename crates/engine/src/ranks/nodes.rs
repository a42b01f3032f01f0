//! The machines that ranks run on, and the processors that each of them may use.

use super::error::RankError;
use super::transport::{MessageKind, Transport};
use squeeze_host::threads::{allowed_processors, machine_and_container};
use std::collections::BTreeSet;

/// The place of a rank among all.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Nodes {
    /// How many machines there are,
    pub machines: usize,
    /// how many ranks run on this one and within the same container, whose limits they share,
    pub ranks_here: usize,
    /// the number of this one among them,
    pub number_here: usize,
    /// and how many threads are this rank's share of the machine's processors, at least 1.
    pub threads: usize,
    /// How many processors this rank may use.
    pub processors: usize,
    /// Whether others may run on another machine: on systems that do not say which one this is, all may.
    pub may_be_apart: bool,
    /// Processors of its own, as many as threads, if the launcher lets all ranks of the machine use the same ones and there are enough.
    pub own: Vec<usize>,
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
        let (machine, container) = machine_and_container();
        let told = format!("{machine} {container} {}", own.join(","));
        let all = transport.all_gather(MessageKind::Words, 0, told.as_bytes())?;
        let all: Vec<String> = all.iter().map(|bytes| String::from_utf8_lossy(bytes).into_owned()).collect();
        Ok(nodes(&all, transport.rank(), at_once))
    }
}

/// The place of a rank, by a machine, a container and a list of processors of each. A quota (`at_once` below the number of processors) is the container's, and divided as well.
fn nodes(all: &[String], rank: usize, at_once: usize) -> Nodes {
    let parts = |told: &'_ String| -> [String; 3] {
        let mut parts = told.split(' ').map(str::to_owned);
        std::array::from_fn(|_| parts.next().unwrap_or_default())
    };
    let all: Vec<[String; 3]> = all.iter().map(parts).collect();
    let [machine, container, own] = &all[rank];
    let here: Vec<&[String; 3]> = all.iter().filter(|[other, ..]| other == machine).collect();
    let ranks_here = here.iter().filter(|[_, other, _]| other == container).count();
    let number_here = all[..rank].iter().filter(|[other, within, _]| (other, within) == (machine, container)).count();
    let may_use = |list: &str, processor: &str| list.split(',').any(|known| known == processor);
    let sharing = |processor: &str| here.iter().filter(|[_, _, list]| may_use(list, processor)).count();
    let processors = own.split(',').count();
    let share: f64 = own.split(',').map(|processor| 1.0 / sharing(processor) as f64).sum();
    let quota = if at_once < processors { at_once as f64 / ranks_here as f64 } else { share };
    let machines: BTreeSet<&String> = all.iter().map(|[machine, ..]| machine).collect();
    // Thirds of three processors are one.
    let threads = (share.min(quota) + 1e-6).floor().max(1.0) as usize;
    // Ranks that wait for each other in each pass lose much where two of them meet on a processor. Fewer than fill the machine leave room to others.
    let all_alike = here.iter().all(|[_, within, list]| (within, list) == (container, own));
    let is_divided = all_alike && at_once >= processors && here.len() > 1 && here.len() * threads == processors;
    let listed = own.split(',').filter_map(|processor| processor.parse().ok());
    let own = listed.skip(number_here * threads).take(if is_divided { threads } else { 0 }).collect();
    let may_be_apart = machines.len() > 1 || machine.is_empty();
    Nodes { machines: machines.len(), ranks_here, number_here, threads, processors, may_be_apart, own }
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
        assert_eq!(threads(&["a c 0,1,2,3"; 2], 4), [2, 2]);
        assert_eq!(threads(&["a c 0,1,2"; 3], 3), [1; 3]);
        assert_eq!(threads(&["a c 0,1"; 5], 2), [1; 5], "never none");
        assert_eq!(threads(&["a c 0,1", "a c 2,3", "b c 0,1"], 2), [2; 3], "bound, and another machine");
        assert_eq!(threads(&["a c 0,1,2,3,4,5,6,7"; 2], 4), [2, 2], "a quota of four");
        assert_eq!(threads(&["a c 0,1,2,3,4,5,6,7", "a d 0,1,2,3,4,5,6,7"], 3), [3, 3], "a quota of each");
        assert_eq!(threads(&["a c 0,1,2,3", "a d 0,1,2,3"], 4), [2, 2], "processors are shared by containers");
        let all = ["a c 0", "b c 0", "a c 1"].map(str::to_owned);
        let (machines, own) = (2, Vec::new());
        assert_eq!(
            nodes(&all, 2, 1),
            Nodes { machines, ranks_here: 2, number_here: 1, threads: 1, processors: 1, may_be_apart: true, own }
        );
        let may_be_apart = |told: &str| nodes(&[told.to_owned(), told.to_owned()], 1, 1).may_be_apart;
        assert!(may_be_apart(" c 0") && !may_be_apart("a c 0"), "systems that do not say which machine it is");
    }

    #[test]
    fn ranks_that_share_processors_divide_them() {
        let own = |all: &[&str], rank: usize, at_once: usize| {
            let all: Vec<String> = all.iter().map(|told| (*told).to_owned()).collect();
            nodes(&all, rank, at_once).own
        };
        assert_eq!(own(&["a c 0,1,4,5"; 2], 1, 4), [4, 5]);
        assert_eq!([0, 1, 2, 3].map(|rank| own(&["a c 0,1,2,3"; 4], rank, 4)), [[0], [1], [2], [3]]);
        assert!(own(&["a c 0,1,2,3"; 3], 1, 4).is_empty(), "others may have what is left");
        assert_eq!(own(&["a c 0,1,2,3", "b c 0,1", "a c 0,1,2,3"], 2, 4), [2, 3], "of its own machine");
        for (all, at_once) in [
            (&["a c 0,1"; 3][..], 2),
            (&["a c 0,1", "a c 2,3"], 2),
            (&["a c 0,1,2,3", "a d 0,1,2,3"], 4),
            (&["a c 0,1,2,3"; 2], 2),
            (&["a c 0,1"], 2),
        ] {
            assert!(own(all, 0, at_once).is_empty(), "{all:?}, {at_once} at once");
        }
    }
}
