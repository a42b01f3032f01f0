//! How much memory the control groups of this process leave to it: its own and all that they stand in, as batch systems and containers make them. And what
//! else the kernel says of its memory.

use std::path::Path;

/// The files of a version of control groups.
struct GroupFiles {
    limit: &'static str,
    used: &'static str,
    /// Used memory that the kernel gives back before it refuses more: above all pages of files.
    reclaimable: &'static [&'static str],
}

const VERSION_1: GroupFiles = GroupFiles {
    limit: "memory.limit_in_bytes",
    used: "memory.usage_in_bytes",
    reclaimable: &["total_inactive_file", "total_active_file"],
};
const VERSION_2: GroupFiles = GroupFiles {
    limit: "memory.max",
    used: "memory.current",
    reclaimable: &["inactive_file", "active_file", "slab_reclaimable"],
};

/// The bytes that no group refuses; `u64::MAX` where none limits memory.
pub(crate) fn free_memory() -> u64 {
    let groups = read(Path::new("/proc/self/cgroup")).unwrap_or_default();
    free_of_all(Path::new("/sys/fs/cgroup"), &groups)
}

/// The bytes of addresses of this process that `ulimit -d` counts; 0 if the kernel does not tell.
pub(crate) fn data_of_this_process() -> u64 {
    let status = read(Path::new("/proc/self/status")).unwrap_or_default();
    let kilobytes = status
        .lines()
        .find_map(|line| line.strip_prefix("VmData:")?.trim().strip_suffix("kB")?.trim().parse::<u64>().ok());
    kilobytes.map_or(0, |kilobytes| kilobytes.saturating_mul(1024))
}

/// The bytes that no group below a folder refuses, by the lines that name those of a process.
fn free_of_all(root: &Path, groups: &str) -> u64 {
    let of_line = |line: &str| {
        let (controllers, path) = line.split_once(':')?.1.split_once(':')?;
        let (folder, names) = match controllers {
            "" => (root.to_owned(), VERSION_2),
            _ if controllers.split(',').any(|controller| controller == "memory") => (root.join("memory"), VERSION_1),
            _ => return None,
        };
        // A container may see its own group as the root, and not what its path names.
        let groups = Path::new(path.trim_start_matches('/')).ancestors();
        groups.filter_map(|group| free_of(&folder.join(group), &names)).min()
    };
    groups.lines().filter_map(of_line).min().unwrap_or(u64::MAX)
}

/// The bytes that one group leaves; `None` if it has no limit.
fn free_of(group: &Path, names: &GroupFiles) -> Option<u64> {
    let number = |name: &str| read(&group.join(name))?.trim().parse::<u64>().ok();
    let (limit, used) = (number(names.limit)?, number(names.used)?);
    let statistics = read(&group.join("memory.stat")).unwrap_or_default();
    let of_name = |line: &str| {
        let (name, bytes) = line.split_once(' ')?;
        names.reclaimable.contains(&name).then(|| bytes.trim().parse::<u64>().ok())?
    };
    let reclaimable: u64 = statistics.lines().filter_map(of_name).sum();
    Some(limit.saturating_sub(used.saturating_sub(reclaimable)))
}

#[expect(
    clippy::disallowed_methods,
    reason = "what the kernel says is no file of the user's, and no test lets it fail"
)]
pub(crate) fn read(path: &Path) -> Option<String> {
    std::fs::read_to_string(path).ok()
}

#[cfg(test)]
mod tests {
    use super::free_of_all;
    use std::fs;

    #[test]
    fn the_tightest_group_counts_and_pages_of_files_are_free() {
        let folder = tempfile::tempdir().unwrap();
        let group = |path: &str, files: &[(&str, &str)]| {
            let path = folder.path().join(path);
            fs::create_dir_all(&path).unwrap();
            files.iter().for_each(|(name, text)| fs::write(path.join(name), text).unwrap());
        };
        let free = |groups: &str| free_of_all(folder.path(), groups);
        assert_eq!(free("0::/\n"), u64::MAX, "no limit");
        group("job", &[("memory.max", "1500\n"), ("memory.current", "900\n")]);
        group(
            "job",
            &[("memory.stat", "anon 300\nfile 600\ninactive_file 400\nactive_file 100\nslab_reclaimable 50\n")],
        );
        assert_eq!(free("0::/job\n"), 1500 - (900 - 550));
        // The job's steps have no limit of their own, or a higher one.
        group("job/step", &[("memory.max", "max\n"), ("memory.current", "900\n")]);
        group("job/step/task", &[("memory.max", "99999\n"), ("memory.current", "900\n")]);
        assert_eq!(free("0::/job/step/task\n"), 1150);
        // A container sees its own group as the root.
        group("memory", &[("memory.limit_in_bytes", "500\n"), ("memory.usage_in_bytes", "499\n")]);
        group("memory", &[("memory.stat", "total_inactive_file 450\ntotal_active_file 9\n")]);
        assert_eq!(free("9:pids:/\n4:cpu,memory:/docker/abc\n0::/\n"), 500 - (499 - 459));
    }
}
