//! Sweeps that are interrupted, taken apart or damaged: their tables are those of sweeps that were not.
#![cfg(unix)]

mod sweep;

use serde_json::Value;
use squeeze_testing::counts;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;
use sweep::{SWEEP, change, command, refuse, squeeze, succeed, tables};

#[test]
fn tables_do_not_depend_on_threads_parts_or_interruptions() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    succeed(folder, &format!("{SWEEP} --quiet --threads 1 --out whole"));
    let whole = tables(folder, "whole");
    for (name, how) in [("two", "--threads 2"), ("oracle", "--backend reference"), ("cpu", "--backend cpu --threads 5")]
    {
        succeed(folder, &format!("{SWEEP} --quiet {how} --out {name}"));
        assert_eq!(tables(folder, name), whole, "{name}");
    }
    for part in 1..=4 {
        succeed(folder, &format!("{SWEEP} --quiet --shard {part}/4 --out part{part}"));
    }
    assert_eq!(tables(folder, "part2")[0], "member,seed,beta\n1,4,0.4\n5,5,0.44\n");
    let apart = refuse(folder, "merge part1 part2 part4");
    assert!(apart.contains("of 4 parts these are missing: 3"), "{apart}");
    succeed(folder, "merge part3 part1 part2 part4 --quiet");
    assert_eq!(tables(folder, "part3"), whole);
    // A sweep at its end prints its results.
    assert!(succeed(folder, "resume part3").contains("magnetisation"));
    assert_eq!(tables(folder, "part3"), whole);
}

/// Kills a sweep at many instants, also of its resumptions, and compares the results.
#[test]
fn a_sweep_that_is_killed_goes_on() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let sweep =
        "sweep sierpinski_triangle --rule ising --level 5 --steps 2000 --observe-every 100 --seeds 0..40 --quiet";
    succeed(folder, &format!("{sweep} --out whole"));
    let whole = tables(folder, "whole");
    let kills: u64 = std::env::var("SQUEEZE_KILLS").ok().and_then(|kills| kills.parse().ok()).unwrap_or(30);
    if std::env::var_os("SQUEEZE_KILLS").is_none() {
        counts::have_not_shrunk("kills_of_sweeps", &[("times that sweeps are killed".to_owned(), kills)].into());
    }
    let (mut killed, mut round) = (0, 0);
    while killed < kills {
        round += 1;
        let name = format!("sweep-{round}");
        let mut next = format!("{sweep} --out {name}");
        for attempt in 0.. {
            let mut child = command(&next).current_dir(folder).spawn().unwrap();
            std::thread::sleep(Duration::from_millis(5 + (killed * 37 + attempt * 11) % 90));
            // A sweep that is stopped writes down all its members, a killed one those of before the last second.
            if attempt % 2 == 0 {
                _ = Command::new("kill").args(["-TERM", &child.id().to_string()]).status();
                std::thread::sleep(Duration::from_millis(killed * 13 % 40));
            }
            _ = child.kill();
            if child.wait().unwrap().success() {
                break;
            }
            killed += 1;
            if folder.join(&name).join("manifest.json").exists() {
                next = format!("resume {name} --quiet");
            }
            if attempt > 20 {
                succeed(folder, &next);
                break;
            }
        }
        assert_eq!(tables(folder, &name), whole, "round {round}");
        assert!(!folder.join(&name).join("members").exists());
    }
}

/// A process that draws the cells of a mask anew must draw those of the members that are there.
#[test]
fn members_of_other_cells_are_not_mixed() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    fs::write(folder.join("places.fractal"), "domain rock { size (40, 25)  cells random(0.7) }\n").unwrap();
    let of = "places.fractal#rock --rule ising --steps 30 --observe-every 10 --quiet";
    let forget = |json: &mut Value| drop(json["fractal"].as_object_mut().unwrap().remove("cells").unwrap());
    let other = |json: &mut Value| json["fractal"]["cells"] = "0123456789abcdef".into();
    // A sweep that was interrupted when one of its members was there.
    succeed(folder, &format!("sweep {of} --seeds 0..4 --out s"));
    let (whole, s) = (tables(folder, "s"), folder.join("s"));
    let rows = whole[1].lines().filter_map(|row| row.strip_prefix("1,")).map(|row| format!("{row}\n"));
    fs::create_dir(s.join("members")).unwrap();
    fs::write(s.join("members/1.csv"), rows.collect::<String>()).unwrap();
    change(&s, |json| json["complete"] = false.into());
    let recorded = fs::read(s.join("manifest.json")).unwrap();
    for (as_if, words) in [(&forget as &dyn Fn(&mut Value), "was not recorded which"), (&other, "are others here")] {
        change(&s, as_if);
        let before = fs::read(s.join("manifest.json")).unwrap();
        let errors = refuse(folder, "resume s");
        assert!(errors.contains("`rock` draws its cells") && errors.contains(words), "{errors}");
        assert!(errors.contains("the version of Squeeze that began it"), "{errors}");
        assert_eq!((fs::read(s.join("manifest.json")).unwrap(), s.join("members/1.csv").exists()), (before, true));
        fs::write(s.join("manifest.json"), &recorded).unwrap();
    }
    succeed(folder, "resume s --quiet");
    assert_eq!(tables(folder, "s"), whole);
    // A complete sweep returns its results. Parts that are joined must be known to be of the same cells.
    change(&s, forget);
    succeed(folder, "resume s --quiet");
    for part in ["1", "2"] {
        succeed(folder, &format!("sweep {of} --seeds 0..4 --shard {part}/2 --out {part}"));
    }
    change(&folder.join("2"), forget);
    assert!(refuse(folder, "merge 1 2").contains("they differ in the fractal"));
    change(&folder.join("1"), forget);
    assert!(refuse(folder, "merge 1 2").contains("was not recorded which"));
    // Runs of other cells are refused too. Runs of older versions go on if the number of cells is the same.
    succeed(folder, &format!("run {of} --save-every 10 --out r"));
    change(&folder.join("r"), other);
    assert!(refuse(folder, "resume r --steps 60").contains("are others here"));
    assert!(refuse(folder, "export r -o up.npy").contains("are others here"));
    change(&folder.join("r"), forget);
    succeed(folder, "resume r --steps 60 --quiet");
}

/// Places of masks and boxes drew by other numbers before manifests said by which.
#[test]
fn draws_by_other_numbers_are_not_gone_on_with() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    fs::write(
        folder.join("places.fractal"),
        "domain ring { size (40, 25)  periodic }\ndomain rock { size (40, 25)  cells random(0.7) }\n",
    )
    .unwrap();
    let still = "rule still { state u: u32  init u = u32(x)  next u = u + 1  observe total = sum(u) }\n";
    fs::write(folder.join("still.rule"), still).unwrap();
    let manifest = |name: &str| -> Value {
        serde_json::from_slice(&fs::read(folder.join(name).join("manifest.json")).unwrap()).unwrap()
    };
    let forget = |name: &str| {
        assert_eq!(manifest(name)["draws"], 2);
        change(&folder.join(name), |json| drop(json.as_object_mut().unwrap().remove("draws").unwrap()));
    };
    let of = |domain: &str, rule: &str| match domain {
        "vicsek" => format!("vicsek --level 3 --rule {rule} --steps 30 --observe-every 10 --quiet"),
        _ => format!("places.fractal#{domain} --rule {rule} --steps 30 --observe-every 10 --quiet"),
    };
    let cases = [
        ("ring", "ising", "rule `ising` draws on `ring`"),
        ("rock", "still.rule", "`rock` draws its cells"),
        ("ring", "still.rule", ""),
        ("vicsek", "ising", ""),
    ];
    for (number, (domain, rule, words)) in cases.into_iter().enumerate() {
        let (run, sweep) = (format!("run{number}"), format!("sweep{number}"));
        succeed(folder, &format!("run {} --save-every 10 --out {run}", of(domain, rule)));
        let parts = [1, 2].map(|part| format!("{sweep}-{part}"));
        for (part, name) in (1..).zip(&parts) {
            succeed(folder, &format!("sweep {} --seeds 0..4 --shard {part}/2 --out {name}", of(domain, rule)));
        }
        forget(&run);
        // One of the parts is enough.
        forget(&parts[1]);
        let commands =
            [format!("resume {run} --steps 60"), format!("resume {}", parts[1]), format!("merge {}", parts.join(" "))];
        for command in commands {
            if words.is_empty() {
                succeed(folder, &format!("{command} --quiet"));
                continue;
            }
            let errors = refuse(folder, &command);
            assert!(errors.contains(words) && errors.contains("other numbers are drawn here"), "{command}: {errors}");
            assert!(errors.contains("the version of Squeeze that began it"), "{errors}");
        }
        if words.is_empty() {
            assert_eq!(manifest(&run)["draws"], 2);
        }
    }
}

/// The same of the domains of all members, also of those that are not the first one's.
#[test]
fn members_of_other_domains_have_cells_of_their_own() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let rock = "domain rock { param p: f32 = 0.6  size (40, 25)  cells random(p) from disorder }\n";
    fs::write(folder.join("places.fractal"), rock).unwrap();
    let sweep =
        "sweep places.fractal#rock --rule ising --steps 20 --seeds 0..2 --disorder 3,4 --set rock.p=0.6,0.8 --quiet";
    succeed(folder, &format!("{sweep} --out s"));
    let s = folder.join("s");
    let manifest: Value = serde_json::from_slice(&fs::read(s.join("manifest.json")).unwrap()).unwrap();
    assert_eq!(manifest["cells"].as_array().unwrap().len(), 3, "{manifest}");
    let change_last = |json: &mut Value| json["cells"][2][2] = "0123456789abcdef".into();
    // As if it had been interrupted, and another version drew other cells for one of its domains, whose members are to come or are there.
    change(&s, |json| json["complete"] = false.into());
    let recorded = fs::read(s.join("manifest.json")).unwrap();
    change(&s, change_last);
    assert!(refuse(folder, "resume s").contains("are others here"));
    fs::write(s.join("manifest.json"), &recorded).unwrap();
    change(&s, |json| drop(json.as_object_mut().unwrap().remove("cells").unwrap()));
    fs::create_dir(s.join("members")).unwrap();
    fs::write(s.join("members/7.cells"), "0123456789abcdef").unwrap();
    assert!(refuse(folder, "resume s").contains("are others here"));
    fs::remove_file(s.join("members/7.cells")).unwrap();
    succeed(folder, "resume s --quiet");
    // Parts have members of the same domains.
    for part in ["1", "2"] {
        succeed(folder, &format!("{sweep} --shard {part}/2 --out {part}"));
    }
    change(&folder.join("2"), change_last);
    assert!(refuse(folder, "merge 1 2").contains("they differ in the cells of a domain"));
}

/// A table that was changed by hand is reported.
#[test]
fn a_damaged_part_is_not_joined() {
    let folder = tempfile::tempdir().unwrap();
    let folder: PathBuf = folder.path().to_owned();
    fs::create_dir_all(&folder).unwrap();
    for part in 1..=2 {
        succeed(&folder, &format!("{SWEEP} --quiet --shard {part}/2 --out part{part}"));
    }
    let table = folder.join("part2/observables.csv");
    let whole = fs::read_to_string(&table).unwrap();
    // One digit of a value, a step, the end of the file, its head; and it may be lost.
    let digit = whole.find("1,20,").map(|at| at + 5).unwrap();
    let other = if &whole[digit..=digit] == "1" { "2" } else { "1" };
    let changes = [
        [&whole[..digit], other, &whole[digit + 1..]].concat(),
        whole.replacen("1,20,", "1,21,", 1),
        whole[..whole.len() - 4].to_owned(),
        whole.replace("member", "number"),
        String::new(),
    ];
    for changed in changes {
        fs::write(&table, &changed).unwrap();
        if changed.is_empty() {
            fs::remove_file(&table).unwrap();
        }
        let output = squeeze(&folder, "merge part1 part2");
        let message = String::from_utf8_lossy(&output.stderr);
        assert!(message.contains("part2/observables.csv"), "{message}");
        // The changed part is computed again, and nothing else.
        let output = squeeze(&folder, "resume part2 --quiet");
        let message = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success() && message.contains("computed again"), "{message}");
        assert_eq!(message.contains("1 member "), !changed.is_empty() && changed.starts_with("member"), "{message}");
        assert_eq!(fs::read_to_string(&table).unwrap(), whole);
        assert!(!squeeze(&folder, "resume part2 --quiet").stderr.contains(&b'w'), "all is well");
    }
    let means = folder.join("part2/summary.csv");
    let text = fs::read_to_string(&means).unwrap();
    fs::write(&means, text.replacen("0.4,", "0.5,", 1)).unwrap();
    assert_eq!(squeeze(&folder, "plot part2").status.code(), Some(1));
    fs::write(&means, text).unwrap();
    succeed(&folder, "plot part2");
    // Folders of older versions have no checksums; in others they are missed.
    fs::remove_file(folder.join("part2/observables.crc")).unwrap();
    for refused in ["merge part1 part2", "plot part2", "analyse part2"] {
        let output = squeeze(&folder, refused);
        let message = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.code() == Some(1) && message.contains("part2/"), "{refused}: {message}");
        assert!(message.contains("`squeeze resume part2`"), "{refused}: {message}");
    }
    forget_sessions(&folder.join("part2"));
    succeed(&folder, "merge part1 part2 --quiet");
}

/// Makes a sweep one of a version that kept no checksums.
fn forget_sessions(folder: &Path) {
    change(folder, |json| drop(json.as_object_mut().unwrap().remove("sessions")));
}

/// Editors and version control change the ends of lines and no numbers.
#[test]
fn ends_of_lines_are_no_damage() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    succeed(folder, &format!("{SWEEP} --per-member --quiet --out s"));
    let texts: Vec<(PathBuf, String)> = fs::read_dir(folder.join("s"))
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| {
            path.extension().is_some_and(|ending| ["csv", "crc", "json"].iter().any(|known| ending == *known))
        })
        .map(|path| (path.clone(), fs::read_to_string(path).unwrap()))
        .collect();
    assert_eq!(texts.len(), 8);
    let (means, members) =
        (succeed(folder, "analyse s"), fs::read_to_string(folder.join("s/observables.csv")).unwrap());
    type Change = fn(&str) -> String;
    let changes: [Change; 5] = [
        |text| text.replace('\n', "\r\n"),
        |text| text.replace('\n', "\r"),
        |text| format!("\u{feff}{text}"),
        |text| text.trim_end().to_owned(),
        |text| text.replace('\n', "\n\n"),
    ];
    for (number, change_text) in changes.iter().enumerate() {
        for (path, text) in &texts {
            fs::write(path, change_text(text)).unwrap();
        }
        assert_eq!(succeed(folder, "analyse s"), means, "{number}");
        succeed(folder, "plot s");
        let output = squeeze(folder, "resume s --quiet");
        assert!(output.status.success() && output.stderr.is_empty(), "{number}: {output:?}");
        // The file of a member that has come to its end, in a sweep that has not.
        let rows = members.lines().filter_map(|row| row.strip_prefix("1,")).map(|row| format!("{row}\n"));
        let text = rows.collect::<String>();
        let sealed = format!("{text}crc32c,{:08x}\n", crc32c::crc32c(text.as_bytes()));
        change(&folder.join("s"), |json| json["complete"] = false.into());
        fs::create_dir(folder.join("s/members")).unwrap();
        fs::write(folder.join("s/members/1.csv"), change_text(&sealed)).unwrap();
        let output = squeeze(folder, "resume s --quiet");
        assert!(output.status.success() && output.stderr.is_empty(), "{number}: {output:?}");
        assert_eq!(fs::read_to_string(folder.join("s/observables.csv")).unwrap(), members);
    }
}

/// The error of a manifest that cannot be read names the manifest, and no table.
#[test]
fn manifests_are_blamed_for_what_is_wrong_with_them() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    succeed(folder, &format!("{SWEEP} --quiet --out s"));
    let path = folder.join("s/manifest.json");
    let text = fs::read_to_string(&path).unwrap();
    for (damaged, words) in [
        (text[..text.len() / 2].to_owned(), "EOF while parsing"),
        (text.replace("\"steps\": 60", "\"steps\": 61"), "its checksum is wrong"),
        (String::new(), "EOF while parsing"),
        (text.replace("\"format\": 1", "\"format\": 7"), "is"),
    ] {
        fs::write(&path, damaged).unwrap();
        for arguments in ["analyse s", "plot s", "resume s", "merge s", "export s -o x.npy"] {
            let output = squeeze(folder, arguments);
            let message = String::from_utf8_lossy(&output.stderr);
            assert_eq!(output.status.code(), Some(1), "{arguments}: {message}");
            assert!(message.contains("`s/manifest.json`") && message.contains(words), "{arguments}: {message}");
            assert!(!message.contains("observables.csv"), "{arguments}: {message}");
        }
    }
}

/// A digit that changed in the file of a member that has come to its end does not get into tables.
#[test]
fn damaged_members_are_computed_again() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    succeed(folder, &format!("{SWEEP} --quiet --out whole"));
    let whole = tables(folder, "whole");
    let rows = whole[1].lines().filter_map(|row| row.strip_prefix("1,")).map(|row| format!("{row}\n"));
    let text = rows.collect::<String>();
    let sum = format!("crc32c,{:08x}\n", crc32c::crc32c(text.as_bytes()));
    let last = text.trim_end().chars().next_back().unwrap();
    let other = text.trim_end().trim_end_matches(last).to_owned() + if last == '1' { "2\n" } else { "1\n" };
    let other_text = other.clone();
    // Files of older versions have no checksum, and are taken as they are; in others it is missed.
    for (kept, is_old, is_taken) in [
        (format!("{text}{sum}"), false, true),
        (format!("{other}{sum}"), false, false),
        (text.clone(), false, false),
        (other.clone(), false, false),
        (text.clone(), true, true),
        (other, true, true),
    ] {
        change(&folder.join("whole"), |json| json["complete"] = false.into());
        if is_old {
            forget_sessions(&folder.join("whole"));
        }
        fs::create_dir(folder.join("whole/members")).unwrap();
        fs::write(folder.join("whole/members/1.csv"), &kept).unwrap();
        let output = squeeze(folder, "resume whole --quiet");
        let message = String::from_utf8_lossy(&output.stderr);
        assert_eq!(message.contains("`whole/members/1.csv` is not as it was written"), !is_taken, "{message}");
        assert!(output.status.success(), "{message}");
        assert_eq!(tables(folder, "whole") == whole, !is_taken || kept.starts_with(&text), "{kept}");
    }
    // Members that were written together: the first is as it was, or a digit, its number or its checksum is another. The second is whole, and not true.
    let sealed = |text: &str| format!("{text}crc32c,{:08x}\n", crc32c::crc32c(text.as_bytes()));
    let (right, wrong) = (format!("member,1\n{text}"), format!("member,1\n{other_text}"));
    let second = sealed(&format!("member,2\n{other_text}"));
    let right_sum = sealed(&right)[right.len()..].to_owned();
    for first in [
        sealed(&right),
        format!("{wrong}{right_sum}"),
        sealed(&right).replace("member,1", "member,3"),
        right.clone(),
        "member,1\n".to_owned(),
        String::new(),
    ] {
        change(&folder.join("whole"), |json| json["complete"] = false.into());
        fs::create_dir(folder.join("whole/members")).unwrap();
        fs::write(folder.join("whole/members/7.rows"), format!("{first}{second}")).unwrap();
        let output = squeeze(folder, "resume whole --quiet");
        let message = String::from_utf8_lossy(&output.stderr);
        let is_told = message.contains("`whole/members/7.rows` is not as it was written");
        assert!(output.status.success() && is_told != (first.is_empty() || first == sealed(&right)), "{message}");
        let found = tables(folder, "whole");
        let of = |tables: &[String; 5], member: &str| -> String {
            tables[1].lines().filter(|line| line.starts_with(member)).collect()
        };
        assert_eq!(of(&found, "1,"), of(&whole, "1,"), "{first}");
        assert_eq!(of(&found, "3,"), of(&whole, "3,"), "{first}");
        assert_ne!(of(&found, "2,"), of(&whole, "2,"), "{first}");
    }
}
