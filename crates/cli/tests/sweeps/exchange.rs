//! Members that exchange their states along a parameter: what they are until then, where states go, and tables that do not depend on how they were computed.

use super::cells;
use super::sweep::{command, refuse, squeeze, succeed};
use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

const LADDERS: &str = "sweep sierpinski_carpet --rule ising --level 2 --steps 60 --observe-every 5 --seeds 3,4 \
                       --set beta=0.6,0.4,0.5 --exchange beta --exchange-every 20 --quiet";

/// All tables of a sweep.
fn tables(folder: &Path, name: &str) -> Vec<String> {
    let of = |table: &&str| fs::read_to_string(folder.join(name).join(format!("{table}.csv"))).unwrap();
    ["members", "observables", "ends", "times", "summary", "exchange", "replicas"].iter().map(of).collect()
}

/// Until their first exchange members are runs with their keys, and afterwards those whose states have moved are not.
#[test]
fn members_are_runs_with_their_keys_until_they_exchange() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    succeed(folder, &format!("{LADDERS} --out s"));
    let all = tables(folder, "s");
    let members = cells(&all[0]);
    assert_eq!(members[0], ["member", "seed", "key", "ladder", "beta"]);
    let keys: Vec<u64> = members[1..].iter().map(|row| row[2].parse().unwrap()).collect();
    let rank = 1u64 << 32;
    assert_eq!(keys, [2 * rank + 3, 2 * rank + 4, 3, 4, rank + 3, rank + 4], "ranks ascend in the parameter");
    let observables = cells(&all[1]);
    assert_eq!(observables[0][..3], ["member", "step", "replica"]);
    for row in &members[1..] {
        let [number, _, key, ladder, beta] = row[..] else { panic!("{row:?}") };
        assert_eq!(ladder.parse::<usize>().unwrap(), number.parse::<usize>().unwrap() % 2);
        let run =
            "run sierpinski_carpet --rule ising --level 2 --steps 15 --observe-every 5 --quiet --backend reference";
        succeed(folder, &format!("{run} --seed {key} --set beta={beta} --out run-{number}"));
        let own = fs::read_to_string(folder.join(format!("run-{number}/observables.csv"))).unwrap();
        let of_member = observables.iter().filter(|row| row[0] == number && row[1].parse::<u32>().unwrap() < 20);
        let found: Vec<String> = of_member.map(|row| [&row[1..2], &row[3..]].concat().join(",")).collect();
        assert_eq!(found, own.lines().skip(1).collect::<Vec<_>>(), "member {number}");
    }
    // At each time a ladder's replicas are all there.
    for ladder in ["0", "1"] {
        let own: BTreeSet<&str> = members[1..].iter().filter(|row| row[3] == ladder).map(|row| row[0]).collect();
        for time in (0..=60).step_by(5).map(|time| time.to_string()) {
            let at = observables.iter().filter(|row| row[1] == time && own.contains(row[0]));
            assert_eq!(at.map(|row| row[2]).collect::<BTreeSet<_>>(), BTreeSet::from(["0", "1", "2"]), "{time}");
        }
    }
    // Threads, backends, shards and observations decide nothing.
    for (name, more) in [("one", "--threads 1"), ("three", "--threads 3"), ("oracle", "--backend reference")] {
        succeed(folder, &format!("{LADDERS} {more} --out {name}"));
        assert_eq!(tables(folder, name), all, "{more}");
    }
    for part in [1, 2] {
        succeed(folder, &format!("{LADDERS} --shard {part}/2 --out part{part}"));
        assert_eq!(fs::read_to_string(folder.join(format!("part{part}/exchange.csv"))).unwrap().lines().count(), 3);
    }
    succeed(folder, "merge part2 part1 --quiet");
    assert_eq!(tables(folder, "part2"), all);
    succeed(folder, &format!("{} --out often", LADDERS.replace("--observe-every 5", "--observe-every 3")));
    let often = tables(folder, "often");
    assert_eq!((&often[2], &often[5..]), (&all[2], &all[5..]));
    // Damage to one member is mended with its ladder.
    let path = folder.join("one/observables.csv");
    fs::write(&path, all[1].replacen("\n4,35,", "\n4,35,7", 1)).unwrap();
    let said = squeeze(folder, "resume one --quiet");
    let said = String::from_utf8_lossy(&said.stderr).into_owned();
    assert!(said.contains("3 members computed again"), "{said}");
    assert_eq!(tables(folder, "one"), all);
}

/// Where all states weigh the same, every exchange that is tried is made: replicas go up and down in turn.
#[test]
fn replicas_go_to_both_ends_and_come_back() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let rule = "rule all {\n    param a: i32 = 0\n    state up: bit\n    init up = random(0.5)\n    next up = up\n    \
                observe ups = sum(up)\n    observe weighed = a * ups\n    \
                observe reads_a = sum(a * i32(up))\n    equilibrium exp(0.0 * f64(a * ups))\n}\n";
    fs::write(folder.join("all.rule"), rule).unwrap();
    let sweep = "sweep vicsek --rule all.rule --level 2 --set a=3,1,2 --observe-every 1 --steps 14 --exchange a --exchange-every 2";
    let shown = squeeze(folder, &format!("{sweep} --out s"));
    let said = String::from_utf8_lossy(&shown.stderr).into_owned();
    let all = tables(folder, "s");
    // The replica at each rank, and so the states, after each of the seven times.
    let mut replicas = [0, 1, 2];
    let rows = cells(&all[1]);
    let first: Vec<&str> =
        [1, 2, 0].map(|member| rows.iter().find(|row| row[0] == member.to_string()).unwrap()[3]).to_vec();
    for time in 0..=14 {
        match time {
            0 => {}
            _ if time % 4 == 2 => replicas.swap(0, 1),
            _ if time % 4 == 0 => replicas.swap(1, 2),
            _ => {}
        }
        for (rank, member) in [1, 2, 0].into_iter().enumerate() {
            let row = rows.iter().find(|row| row[0] == member.to_string() && row[1] == time.to_string()).unwrap();
            assert_eq!((row[2], row[3]), (&*replicas[rank].to_string(), first[replicas[rank]]), "{time}, rank {rank}");
            // Observables that read the parameter hold for the member's own value.
            let weighed = (row[3].parse::<usize>().unwrap() * (rank + 1)).to_string();
            assert_eq!((row[4], row[5]), (&*weighed, &*weighed), "{time}, rank {rank}");
        }
    }
    assert_eq!(all[5], "ladder,lower,upper,tried,accepted,rate\n0,1,2,4,4,1.0\n0,2,3,3,3,1.0\n");
    // Ranks 0, 1, 2 hold 012, 102, 120, 210, 201, 021, 012, 102.
    let expected = "ladder,replica,round_trips,steps_lowest,steps_highest\n0,0,1,6,4\n0,1,1,4,4\n0,2,0,4,6\n";
    assert_eq!(all[6], expected);
    let words = "1 of 3 replicas went from the lowest to the highest value and back not once: 2 of ladder 0";
    assert!(said.contains(words), "{said}");
    // Weights that forbid it: no exchange is made, and a value between is named.
    fs::write(folder.join("none.rule"), rule.replace("exp(0.0 * f64(a * ups))", "exp(1000.0 * f64(a) * f64(ups))"))
        .unwrap();
    let sweep = sweep.replace("all.rule", "none.rule").replace("3,1,2", "1,4").replace("--steps 14", "--steps 80");
    let said = String::from_utf8_lossy(&squeeze(folder, &format!("{sweep} --seeds 0..3 --out t")).stderr).into_owned();
    assert!(said.contains("a = 1 and 4 exchange") && said.contains("would halve the gap"), "{said}");
}

/// A sweep that is stopped or killed in the middle of its ladders gives the tables of one that is not.
#[test]
fn ladders_that_are_cut_are_whole_in_the_end() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let sweep = "sweep sierpinski_triangle --rule ising --level 5 --steps 20000 --observe-every 500 --seeds 0..6 \
                 --set beta=0.3..=0.5/0.1 --exchange beta --exchange-every 30 --quiet";
    let started = Instant::now();
    succeed(folder, &format!("{sweep} --out whole"));
    let (took, whole) = (started.elapsed(), tables(folder, "whole"));
    for (round, signal) in ["-USR1", "-KILL", "-USR1", "-KILL"].into_iter().enumerate() {
        let name = format!("s{round}");
        let (path, begin) = (folder.join(&name), format!("{sweep} --out {name}"));
        let manifest = path.join("manifest.json");
        // A third of the whole time, and more of it round by round; less where that comes too late, for it may have been measured beside other work.
        let (mut next, mut cuts, mut wait) = (begin.clone(), 0, took * (5 + round as u32) / 15);
        while cuts < 2 {
            let mut child = command(&next).current_dir(folder).spawn().unwrap();
            while !manifest.exists() && child.try_wait().unwrap().is_none() {
                std::thread::sleep(Duration::from_millis(1));
            }
            std::thread::sleep(wait);
            // The number of a process that has ended may be another's.
            if child.try_wait().unwrap().is_none() {
                _ = Command::new("kill").args([signal, &child.id().to_string()]).status();
            }
            if !child.wait().unwrap().success() {
                next = format!("resume {name} --quiet");
                cuts += 1;
            } else if cuts > 0 {
                break;
            } else {
                assert!(wait > Duration::from_micros(10), "it ends before a signal reaches it");
                fs::remove_dir_all(&path).unwrap();
                wait /= 2;
            }
        }
        succeed(folder, &next);
        assert_eq!(tables(folder, &name), whole, "{signal}");
    }
}

#[test]
fn wrong_ladders_are_refused_with_a_way_out() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let domain = "domain rock { param p: f32 = 0.9  size (20, 20)  cells random(p) }\n";
    fs::write(folder.join("rock.fractal"), domain).unwrap();
    let body = "state up: bit  init up = random(0.5)  next up = up  observe ups = sum(up)  observe w = b * f64(ups)";
    let rule = |name: &str, more: &str| {
        fs::write(
            folder.join(format!("{name}.rule")),
            format!("rule {name} {{ param b: f64 = 1.0  {body}  {more} }}\n"),
        )
        .unwrap();
    };
    rule("mute", "");
    rule("carries", "equilibrium exp(-w)");
    rule("stops", "equilibrium exp(-b * f64(ups))  stop when ups == 0");
    rule("glass", "state j: bit  init j = random(0.5)  equilibrium exp(-b * f64(ups))");
    rule("kept", "state j: f64  init j = b  equilibrium exp(-b * f64(ups))");
    rule("follows", "param k: f64 = 2.0 * b  equilibrium exp(-k * f64(ups))");
    rule("marks", "state m: bit  next m = random(0.1 * b)  observe marks = sum(m)  equilibrium exp(-b * f64(ups))");
    let joined = "bond open over von_neumann: bit  clusters c of open  let p = 1.0 - exp(-b)  next open = up == nb.up && random(p)";
    rule("joined", &format!("{joined}  observe most = max(count() of c)  equilibrium exp(-b * f64(ups))"));
    let weight = "equilibrium exp(-b * f64(ups))";
    let hidden = "bond open over von_neumann: bit  clusters c of open  step turn { next up = up != random(0.5) at c }  step join { next open = random(1.0 - exp(-b)) }";
    let alone = body.replace("next up = up ", "");
    fs::write(
        folder.join("hidden.rule"),
        format!("rule hidden {{ param b: f64 = 1.0  {alone}  {hidden}  {weight} }}\n"),
    )
    .unwrap();
    let guarded = "bond k over von_neumann: bit  let warm = b * f64(x) > 0.5  step flip { next up = up != any(von_neumann, nb.k) }  step set when warm { next k = random(0.5) }";
    fs::write(
        folder.join("guarded.rule"),
        format!("rule guarded {{ param b: f64 = 1.0  {alone}  {guarded}  {weight} }}\n"),
    )
    .unwrap();
    let more = |name: &str, more: &str| {
        let text = format!("rule {name} {{ param b: f64 = 1.0  {alone}  {more}  {weight} }}\n");
        fs::write(folder.join(format!("{name}.rule")), text).unwrap();
    };
    let drawn = "f64(f) < 1.0 / (1.0 + exp(b))";
    more(
        "shared",
        "state f: bit  step go { let r = uniform()  next up = f64(r) < 1.0 / (1.0 + exp(b))  next f = r < 0.25 }  observe both = count(up && f)",
    );
    more(
        "driver",
        &format!(
            "state f: f32  step draw {{ next f = uniform() }}  step go {{ next up = {drawn} }}  observe low = count(f < 0.25)"
        ),
    );
    more(
        "slow",
        &format!(
            "state f: f32  step draw {{ next f = if random(0.05) {{ uniform() }} else {{ f }} }}  step go {{ next up = {drawn} }}"
        ),
    );
    more(
        "begun",
        "state j: bit  init j = random(1.0 / (1.0 + exp(b)))  step go { next j = j[1, 0] else false  next up = random(0.5) }  observe js = count(j)",
    );
    rule("taken", "param key: f64 = 1.0  equilibrium exp(-b * key * f64(ups))");
    let of = "--exchange beta --exchange-every 10";
    let ising = "sweep vicsek --rule ising --level 1 --steps 40 --out s";
    let own = |name: &str| {
        format!(
            "sweep vicsek --rule {name}.rule --level 1 --steps 40 --out s --set b=1,2 --exchange b --exchange-every 10"
        )
    };
    for (arguments, words) in [
        (format!("{ising} --set beta=0.3,0.4 --exchange beta"), "--exchange-every"),
        (format!("{ising} --set beta=0.3,0.4 --exchange-every 10"), "--exchange"),
        (format!("{ising} --set beta=0.3,0.4 --exchange beta --exchange-every 0"), "valid are whole numbers from 1"),
        (format!("{ising} --set beta=0.3,0.4 --exchange beta --exchange-every 41"), "exchanges are from 1 to 40 steps apart"),
        (format!("{ising} --set beta=0.3,0.4 --exchange gamma --exchange-every 10"), "no parameter `gamma`"),
        (format!("{ising} {of}"), "`beta` has one value"),
        (format!("{ising} --set beta=0.3,0.4 {of} --exchange beta"), "cannot be used multiple times"),
        (format!("{ising} --set beta=0.3,0.4,0.30 {of}"), "the value 0.3 of `beta` is there twice"),
        (format!("{ising} --set beta=0.3 {of}"), "`beta` has one value"),
        (format!("{ising} --set beta=0.3,0.4 --seeds 4294967296 {of}"), "seeds are below 2^32"),
        (format!("{ising} --set beta=0.3,0.4 --seeds 0..3 --shard 1/4 {of}"), "the sweep has 3 ladders, fewer than 4 parts"),
        (format!("{ising} --level 1,2 --set beta=0.3,0.4 --exchange level --exchange-every 10").replacen("--level 1 ", "", 1), "have the same cells"),
        ("sweep rock.fractal --rule ising --steps 40 --out s --set rock.p=0.8,0.9 --exchange rock.p --exchange-every 10".to_owned(), "have the same cells"),
        (own("mute"), "does not say how likely its states are"),
        (own("carries"), "`w`, of which the weight is made, depends on `b` itself"),
        (own("stops"), "a member that stops leaves a gap"),
        (own("kept"), "`init j` reads `b`"),
        (format!("{} --set k=1,2", own("follows")), "`b` is not in the weight"),
        (own("hidden"), "`open` follows from `b`, and steps go on from it"),
        (own("guarded"), "`k` follows from `b`, and steps go on from it"),
        (own("shared"), "`both` is made of `f`, which follows from `b`"),
        (own("driver"), "`low` is made of `f`, which follows from `b`"),
        (own("slow"), "`f` follows from `b`, and steps go on from it"),
        (own("begun"), "`js` is made of `j`, which follows from `b`"),
        (own("marks"), "`marks` is made of `m`, which follows from `b`"),
        (own("joined"), "`most` is made of `open`, which follows from `b`"),
        (own("glass"), "`j` is drawn in `init` and never changes"),
        (format!("{} --set key=1,2", own("taken")), "have a column `key` of their own"),
        (format!("{} --set key=1,2 --zip", own("taken")), "no two members agree"),
        (own("taken").replace("--exchange b", "--exchange c"), "no parameter `c`"),
    ] {
        let errors = refuse(folder, &arguments);
        assert!(errors.contains(words), "{arguments}: {errors}");
    }
    assert!(!folder.join("s").exists(), "nothing was begun");
    // A weight that is no number is told with its members and step.
    rule("torn", "equilibrium exp(b * f64(ups) / f64(ups - ups))");
    let errors = refuse(folder, &own("torn"));
    assert!(errors.contains("the weights of members 0 and 1 at step 10 are not all numbers above 0"), "{errors}");
    // Parts of other exchanges do not go together.
    let parts = "sweep vicsek --rule ising --level 1 --steps 40 --set beta=0.3,0.4 --seeds 0,1 --quiet --exchange beta --exchange-every";
    succeed(folder, &format!("{parts} 10 --shard 1/2 --out one"));
    succeed(folder, &format!("{parts} 20 --shard 2/2 --out two"));
    assert!(refuse(folder, "merge one two").contains("`--exchange`"));
    assert!(refuse(folder, "view one --no-open").contains("exchanges its states with others"));
}

/// Couplings of both signs on a torus of 4 by 4: the energies of each rank are those of sums over all states, and the coldest finds the least energy of all.
#[test]
fn couplings_of_both_signs_have_their_exact_energies() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let rule = "rule glass {
        param beta: f64 = 1.0
        bond equal over von_neumann: bit
        state up: bit
        init equal = random(0.5) from disorder
        init up = random(0.5)
        let field = sum(von_neumann, if nb.up == nb.equal { 1.0 } else { -1.0 })
        step flip colour of von_neumann { next up = random(1.0 / (1.0 + exp(-2.0 * beta * field))) }
        observe broken = sum((if (up == nb.up) == equal { 0 } else { 1 }) over von_neumann)
        equilibrium exp(-2.0 * beta * f64(broken))
    }";
    fs::write(folder.join("glass.rule"), rule).unwrap();
    let of = "full_square --periodic --rule glass.rule --level 2 --quiet";
    let (mut scores, betas) = (Vec::new(), [0.2, 0.5, 0.8, 1.2]);
    let (disorders, steps) = if squeeze_testing::all_cases() { (16, 20000) } else { (2, 4000) };
    for disorder in 0..disorders {
        // Which neighbours to the right and below are to be equal, cell by cell.
        let run = format!("run {of} --steps 1 --save-every 1 --disorder {disorder} --out run{disorder}");
        succeed(folder, &run);
        let wanted = ["equal.0", "equal.1"].map(|field| {
            succeed(folder, &format!("export run{disorder} --field {field} -o {field}.npy"));
            let bytes = fs::read(folder.join(format!("{field}.npy"))).unwrap();
            fs::remove_file(folder.join(format!("{field}.npy"))).unwrap();
            bytes[bytes.len() - 16..].iter().map(|value| *value == 1).collect::<Vec<bool>>()
        });
        let mut counts = vec![0.0f64; 33];
        for state in 0u32..1 << 16 {
            let up = |x: usize, y: usize| state >> (4 * (y % 4) + x % 4) & 1 == 1;
            let broken = (0..16).map(|place| {
                let (x, y) = (place % 4, place / 4);
                // The canonical index has a digit of each level: first y, then x.
                let cell = x % 2 + 2 * (y % 2) + 4 * (x / 2) + 8 * (y / 2);
                usize::from((up(x, y) == up(x + 1, y)) != wanted[0][cell])
                    + usize::from((up(x, y) == up(x, y + 1)) != wanted[1][cell])
            });
            counts[broken.sum::<usize>()] += 1.0;
        }
        let least = counts.iter().position(|count| *count > 0.0).unwrap();
        let sweep =
            format!("sweep {of} --steps {steps} --observe-every 1 --discard 200 --seeds 0 --disorder {disorder}");
        let values = betas.map(|beta| beta.to_string()).join(",");
        succeed(folder, &format!("{sweep} --set beta={values} --exchange beta --exchange-every 2 --out s{disorder}"));
        let all = tables(folder, &format!("s{disorder}"));
        let found = cells(&all[1])[1..].iter().map(|row| row[3].parse::<usize>().unwrap()).min().unwrap();
        assert_eq!(found, least, "disorder {disorder}");
        for (row, beta) in cells(&all[4])[1..].iter().zip(betas) {
            let weights = counts.iter().enumerate().map(|(broken, count)| count * (-2.0 * beta * broken as f64).exp());
            let weights: Vec<f64> = weights.collect();
            let exact = weights.iter().enumerate().map(|(broken, weight)| broken as f64 * weight).sum::<f64>()
                / weights.iter().sum::<f64>();
            let [mean, error] = [1, 2].map(|column| row[column].parse::<f64>().unwrap());
            scores.push((mean - exact) / error);
        }
    }
    let rms = (scores.iter().map(|z| z * z).sum::<f64>() / scores.len() as f64).sqrt();
    let bounds = if squeeze_testing::all_cases() { 0.8..1.2 } else { 0.3..1.8 };
    assert!(bounds.contains(&rms) && scores.iter().all(|z| z.abs() < 4.5), "rms {rms}: {scores:?}");
}
