//! `sweep … --slurm`: a batch script that computes the parts of a sweep as an array of jobs.

use crate::args::SweepArgs;
use crate::report::CliError;
use squeeze::Backend;
use squeeze::sweep::Sweep;
use std::ffi::OsString;

/// Parts of a sweep, unless there are fewer members.
const PARTS: u32 = 64;
/// The processors of a job, unless its threads are said.
const PROCESSORS: usize = 8;
/// The seconds that a job has to write its members down before its time is over.
const SECONDS: u32 = 300;

/// The script for a sweep that was asked for by these words.
///
/// # Errors
/// If there are fewer members than parts, or the words are of this process alone.
pub(super) fn script(words: &[OsString], arguments: &SweepArgs, sweep: &Sweep) -> Result<String, CliError> {
    // A ladder is not divided.
    let (all, one) = (sweep.units(), if sweep.exchange.is_some() { "ladder" } else { "member" });
    let parts = arguments.slurm.flatten().unwrap_or(PARTS.min(all as u32));
    if parts as usize > all {
        let message = format!("the sweep has {all} {one}s, fewer than {parts} parts");
        return Err(CliError::input(message, format!("`--slurm={all}` gives each part a {one}")));
    }
    let given = arguments.init.iter().chain(&arguments.input.inputs).any(|file| file.ends_with("=-"));
    if given || [&arguments.rule, &arguments.fractal].into_iter().any(|name| name == "-") {
        let help = "name a file that is there when the job runs";
        return Err(CliError::input("standard input is not there when a job of SLURM runs", help));
    }
    let all: Option<Vec<&str>> = words.iter().map(|word| word.to_str()).collect();
    let all = all.ok_or_else(|| CliError::input("the words are not text in UTF-8", "rename the files"))?;
    let (program, rest) = all.split_first().unwrap_or((&"squeeze", &[]));
    let command: Vec<String> = std::iter::once(*program).chain(without_output(rest)).map(quoted).collect();
    let (command, program) = (command.join(" "), quoted(program));
    let out = arguments.out.to_str().map(quoted).unwrap_or_default();
    let name = arguments
        .out
        .file_name()
        .map_or_else(String::new, |name| name.to_string_lossy().replace(char::is_whitespace, "_"));
    let is_of_gpu = arguments.backend == Backend::Cuda || arguments.devices.is_some();
    let gpus = if is_of_gpu { "#SBATCH --gpus-per-task=1\n" } else { "" };
    let processors = arguments.threads.unwrap_or(PROCESSORS);
    Ok(format!(
        "#!/bin/bash
#SBATCH --job-name={name}
#SBATCH --array=1-{parts}
#SBATCH --ntasks=1
#SBATCH --cpus-per-task={processors}
{gpus}#SBATCH --signal=USR1@{SECONDS}
# Add what the cluster asks for: --time, --partition, --account.
#
# `sbatch FILE` computes {parts} parts of a sweep of {members} members. A job whose time is nearly over writes its members down and ends; sent again, all of them
# or some (`sbatch --array=3,7 FILE`), jobs go on with what is missing. The number of parts is written out, since what SLURM counts are the jobs that were sent.
# When all parts are complete, `{program} merge {out}.{{1..{parts}}}` joins them in the first folder.
out={out}.$SLURM_ARRAY_TASK_ID
if [ -e \"$out/manifest.json\" ]; then
    exec srun --cpus-per-task=\"$SLURM_CPUS_PER_TASK\" {program} resume \"$out\" --quiet
fi
exec srun --cpus-per-task=\"$SLURM_CPUS_PER_TASK\" {command} --shard \"$SLURM_ARRAY_TASK_ID/{parts}\" --out \"$out\"
",
        members = sweep.members(),
    ))
}

/// The words but those of the output and the script.
fn without_output<'a>(words: &[&'a str]) -> Vec<&'a str> {
    let (mut kept, mut words) = (Vec::new(), words.iter());
    while let Some(&word) = words.next() {
        match word {
            "-o" | "--out" | "--output" => drop(words.next()),
            _ if word == "--slurm"
                || ["-o", "--out=", "--output=", "--slurm="].iter().any(|flag| word.starts_with(flag)) => {}
            _ => kept.push(word),
        }
    }
    kept
}

/// A word as shells read it.
fn quoted(word: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_./=,:+@%".contains(c);
    match !word.is_empty() && word.chars().all(is_plain) {
        true => word.to_owned(),
        false => format!("'{}'", word.replace('\'', r"'\''")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_of_the_output_are_left_out() {
        let words =
            ["sweep", "-o", "a b", "vicsek", "--slurm=4", "--output", "x", "--out=y", "-oz", "--observe-every", "3"];
        assert_eq!(without_output(&words), ["sweep", "vicsek", "--observe-every", "3"]);
    }

    #[test]
    fn words_are_quoted_for_shells() {
        assert_eq!(
            ["beta=0.4..=0.6/0.01", "", "a b", "it's", "$HOME"].map(quoted),
            ["beta=0.4..=0.6/0.01", "''", "'a b'", r"'it'\''s'", "'$HOME'"]
        );
    }
}
