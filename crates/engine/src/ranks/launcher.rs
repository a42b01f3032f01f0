//! Whether an MPI launcher started this process, and as one of how many.

use crate::failure::Message;
use std::time::Duration;

/// The words of a launcher about this process.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Launch {
    /// The launcher.
    pub launcher: Launcher,
    /// How many processes it started; `None` if it does not say.
    pub ranks: Option<usize>,
    /// The number of this one; `None` if it does not say.
    pub rank: Option<usize>,
}

/// A launcher, by the variables that it sets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Launcher {
    /// `mpirun` of Open MPI.
    OpenMpi,
    /// A launcher that speaks PMI: `mpirun` of MPICH, Intel MPI or MVAPICH, `srun --mpi=pmi2`.
    Pmi,
    /// A step of SLURM: `srun`.
    Slurm,
    /// Another launcher that speaks PMIx.
    Pmix,
}

impl Launcher {
    /// The launcher, for messages.
    pub fn name(self) -> &'static str {
        match self {
            Launcher::OpenMpi => "mpirun of Open MPI",
            Launcher::Pmi => "mpirun (PMI)",
            Launcher::Slurm => "srun",
            Launcher::Pmix => "a launcher (PMIx)",
        }
    }
}

/// The launchers with their variables: how many processes there are, and which this one is.
///
/// `SLURM_NTASKS` is not among them: batch scripts have it, where one process runs. The tasks of a step are 1 there.
const VARIABLES: [(Launcher, &str, &str); 5] = [
    (Launcher::OpenMpi, "OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_RANK"),
    (Launcher::Pmi, "PMI_SIZE", "PMI_RANK"),
    (Launcher::Pmi, "MV2_COMM_WORLD_SIZE", "MV2_COMM_WORLD_RANK"),
    (Launcher::Pmix, "PMIX_SIZE", PMIX_RANK),
    (Launcher::Slurm, "SLURM_STEP_NUM_TASKS", "SLURM_PROCID"),
];
/// The number of a process whose launcher does not say how many there are.
const PMIX_RANK: &str = "PMIX_RANK";
/// The value `alone` makes each process one by itself, in Python too.
const RANKS: &str = "SQUEEZE_RANKS";
/// The seconds that a silent rank is waited for.
const DEADLINE: &str = "SQUEEZE_DEADLINE";

impl Launch {
    /// The launch of this process; `None` without a launcher, or if that started one process.
    ///
    /// # Errors
    /// If a variable of a launcher is no number.
    pub fn of_environment() -> Result<Option<Launch>, Message> {
        Launch::of(|name| std::env::var(name).ok())
    }

    fn of(variable: impl Fn(&str) -> Option<String>) -> Result<Option<Launch>, Message> {
        let number = |name: &str| {
            let Some(text) = variable(name) else { return Ok(None) };
            let wrong = || {
                Message::users(format!("the environment variable `{name}` is `{text}`, which is no number"))
                    .with_help("launchers of MPI set it; without it the command runs by itself")
            };
            text.parse::<usize>().map(Some).map_err(|_| wrong())
        };
        match variable(RANKS).as_deref() {
            Some("alone") => return Ok(None),
            None | Some("") => {}
            Some(text) => {
                let message = format!("the environment variable `{RANKS}` is `{text}`");
                return Err(Message::users(message).with_help("`alone` makes each process one by itself"));
            }
        }
        for (launcher, ranks, rank) in VARIABLES {
            if let Some(ranks) = number(ranks)? {
                let launch = Launch { launcher, ranks: Some(ranks), rank: number(rank)? };
                return Ok((ranks > 1).then_some(launch));
            }
        }
        Ok(number(PMIX_RANK)?.map(|rank| Launch { launcher: Launcher::Pmix, ranks: None, rank: Some(rank) }))
    }

    /// The launch in words: `mpirun of Open MPI started 4 processes`.
    pub fn told(&self) -> String {
        match self.ranks {
            Some(ranks) => format!("{} started {ranks} processes", self.launcher.name()),
            None => format!("{} started this process", self.launcher.name()),
        }
    }
}

/// How long a silent rank is waited for: `SQUEEZE_DEADLINE` seconds, or as long as is usual.
///
/// # Errors
/// If the variable is no number of seconds between 0.1 and a day.
pub fn deadline() -> Result<Duration, Message> {
    let Ok(text) = std::env::var(DEADLINE) else { return Ok(super::transport::DEADLINE) };
    let seconds = text.parse().ok().filter(|seconds| (0.1..=86_400.0).contains(seconds));
    seconds.map(Duration::from_secs_f64).ok_or_else(|| {
        Message::users(format!("the environment variable `{DEADLINE}` is `{text}`"))
            .with_help("it is the seconds that a silent rank is waited for, 0.1 to 86400")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn launch(variables: &[(&str, &str)]) -> Result<Option<Launch>, Message> {
        Launch::of(|name| variables.iter().find(|(known, _)| *known == name).map(|(_, value)| (*value).to_owned()))
    }

    /// Python refuses processes of the same launchers.
    #[test]
    fn python_knows_the_same_variables() {
        let python = std::fs::read_to_string("../../python/squeeze/_library.py").unwrap();
        let names: Vec<String> = VARIABLES.iter().map(|(_, ranks, _)| format!("\"{ranks}\"")).collect();
        assert!(python.contains(&format!("_RANKS = ({})", names.join(", "))), "{names:?}");
    }

    #[test]
    fn launchers_are_known_by_their_variables() {
        let of = |launcher, ranks, rank| Ok(Some(Launch { launcher, ranks, rank }));
        assert_eq!(launch(&[]), Ok(None));
        let open = [("OMPI_COMM_WORLD_SIZE", "4"), ("OMPI_COMM_WORLD_RANK", "3"), ("PMIX_RANK", "3")];
        assert_eq!(launch(&open), of(Launcher::OpenMpi, Some(4), Some(3)));
        assert_eq!(launch(&[("PMI_SIZE", "2"), ("PMI_RANK", "0")]), of(Launcher::Pmi, Some(2), Some(0)));
        assert_eq!(launch(&[("PMIX_RANK", "1")]), of(Launcher::Pmix, None, Some(1)));
        let step = [("SLURM_NTASKS", "64"), ("SLURM_STEP_NUM_TASKS", "64"), ("SLURM_PROCID", "7"), ("PMIX_RANK", "7")];
        assert_eq!(launch(&step), of(Launcher::Slurm, Some(64), Some(7)));
        // A batch script, and a step of one task.
        assert_eq!(launch(&[("SLURM_NTASKS", "64"), ("SLURM_JOB_ID", "1")]), Ok(None));
        assert_eq!(launch(&[("SLURM_NTASKS", "64"), ("SLURM_STEP_NUM_TASKS", "1"), ("PMIX_RANK", "0")]), Ok(None));
        assert_eq!(launch(&[("OMPI_COMM_WORLD_SIZE", "1"), ("PMI_SIZE", "8")]), Ok(None), "the nearest launcher");
        assert_eq!(launch(&[("PMI_SIZE", "8"), ("SQUEEZE_RANKS", "alone")]), Ok(None));
        assert!(launch(&[("PMI_SIZE", "many")]).unwrap_err().to_string().contains("`PMI_SIZE` is `many`"));
    }
}
