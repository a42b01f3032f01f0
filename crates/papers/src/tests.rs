use super::*;
use squeeze_bench::claim::Verdict;
use std::fs;

fn wishes(names: &[&str]) -> FigureOptions {
    FigureOptions {
        names: names.iter().map(|name| (*name).to_owned()).collect(),
        tier: Tier::Quick,
        backend: Backend::Cpu,
        redraw: false,
    }
}

/// The figures that follow from formulas, whole, as the quick tier makes them.
#[test]
fn figures_from_formulas_hold() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("figures");
    let names: Vec<&str> = FIGURES.iter().filter(|f| f.kind == MeasurementKind::Formula).map(|f| f.name).collect();
    let mut told = Vec::new();
    let done = make(&out, &wishes(&names), &mut |what| told.push(what.to_owned())).unwrap();
    assert_eq!((done.counts.not_held, done.counts.not_measured), (1, 0), "234 and 247 follow from no formula");
    assert_eq!(told.len(), names.len() + 1, "nothing is measured: {told:?}");
    for name in names {
        let [svg, csv] = ["svg", "csv"].map(|ending| fs::read_to_string(out.join(format!("{name}.{ending}"))).unwrap());
        assert!(svg.starts_with("<svg") && csv.lines().count() > 2, "{name}");
    }
    let report = fs::read_to_string(done.report).unwrap();
    for word in
        ["2022, Eq. 6", "1 of 729", "729 of 729", "3072 of 4096", "r = 16 | r = 17", "64 of 64", "digit for digit"]
    {
        assert!(report.contains(word), "no {word} in\n{report}");
    }
    assert!(!report.contains("NaN") && !report.contains("inf "), "{report}");
}

/// Times of the CPU; a second time nothing is measured again, and an unfinished line is measured again alone.
#[test]
fn measurements_are_kept() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("figures");
    let measured = |tear: bool| {
        let table = out.join("measurements.jsonl");
        if tear {
            let text = fs::read_to_string(&table).unwrap();
            fs::write(&table, &text[..text.len() - 5]).unwrap();
        }
        let mut told = Vec::new();
        let done =
            make(&out, &wishes(&["2022-fig-13", "2022-table-2"]), &mut |what| told.push(what.to_owned())).unwrap();
        assert_eq!(fs::read_to_string(&table).unwrap().lines().count(), 14);
        (told.iter().filter(|what| what.starts_with("r = ")).count(), done)
    };
    let (first, done) = measured(false);
    assert_eq!(first, 14, "lanes and the reference at seven levels");
    assert_eq!(done.counts.not_held, 1, "0.50 GB is 0.507");
    assert!(done.counts.not_measured > 5 && done.counts.held > 10, "{done:?}");
    assert_eq!((measured(false).0, measured(true).0), (0, 1));
    let report = fs::read_to_string(out.join("REPORT.md")).unwrap();
    for word in [
        "7 of 7 runs have the digest of `lanes`",
        "There is no GPU here",
        "not testable here: needs a GPU",
        "## Memory at r = 12",
    ] {
        assert!(report.contains(word), "no {word} in\n{report}");
    }
}

/// The folders in the repository, one a device, hold the figures that their measurements give today.
#[test]
fn stored_figures_are_up_to_date() {
    let all = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../figures");
    for stored in fs::read_dir(all).unwrap().map(|entry| entry.unwrap().path()) {
        let name = stored.file_name().unwrap().to_str().unwrap();
        let tier = if name == "quick" { Tier::Quick } else { Tier::Full };
        let folder = tempfile::tempdir().unwrap();
        for file in ["figures.json", "measurements.jsonl", "tiles.jsonl", "overlaps.jsonl"] {
            if stored.join(file).exists() {
                fs::copy(stored.join(file), folder.path().join(file)).unwrap();
            }
        }
        let wishes = FigureOptions { tier, redraw: true, ..wishes(&[]) };
        make(folder.path(), &wishes, &mut |_| ()).unwrap();
        for entry in fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().path()) {
            let file = entry.file_name().unwrap();
            if file == ".squeeze-lock" {
                continue;
            }
            if std::env::var_os("SQUEEZE_UPDATE").is_some() {
                fs::copy(&entry, stored.join(file)).unwrap();
            }
            let [new, old] = [&entry, &stored.join(file)].map(|path| fs::read_to_string(path).unwrap_or_default());
            let flag = if tier == Tier::Quick { "--quick " } else { "" };
            let again = format!("squeeze figures --redraw {flag}--out figures/{name}");
            assert!(new == old, "{} is not what its measurements give; make it again: {again}", entry.display());
        }
    }
}

/// The figures of the two papers about Squeeze.
fn of_strategies() -> impl Iterator<Item = &'static Figure> {
    FIGURES.iter().filter(|figure| figure.kind != MeasurementKind::Tiles)
}

/// What the times of the H100 say of the papers' claims.
#[test]
fn claims_are_judged_by_what_was_measured() {
    let stored = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../figures/h100");
    let setup = Store::last_setup(&stored, Tier::Full).unwrap();
    let folder = tempfile::tempdir().unwrap();
    fs::copy(stored.join("measurements.jsonl"), folder.path().join("measurements.jsonl")).unwrap();
    fs::copy(stored.join("figures.json"), folder.path().join("figures.json")).unwrap();
    let store = Store::open(folder.path(), &setup).unwrap();
    let times = Times { setup: &setup, records: store.records(), tiles: &[] };
    let fractals = FigureFractals::new().unwrap();
    let claims: Vec<Claim> = of_strategies().flat_map(|figure| outcome(figure, &fractals, &times).claims).collect();
    let of = |figure: &str, says: &str| {
        let found = claims.iter().find(|claim| claim.figure == figure && claim.says.contains(says));
        found.unwrap_or_else(|| panic!("no {says} of {figure}"))
    };
    for (figure, says, verdict, here) in [
        ("2022-fig-14", "~1.11×", Verdict::NotHeld, "least 0.745, median 0.79"),
        ("2022-fig-14", "across values of n", Verdict::NotHeld, "0 above 1, 1 equal, 22 below"),
        ("2021-fig-12", "up to 10%", Verdict::NotHeld, "greatest 0.926 of 18 points"),
        ("2022-fig-12", "best at ρ = 16", Verdict::Held, "all sizes from 2^7 to 2^20, 8 of 8 from 2^13 on"),
        (
            "2022-fig-12",
            "best at ρ = 16",
            Verdict::Held,
            "by the papers' maps: ρ = 16 is best or equal at all sizes from 2^16 to 2^20",
        ),
        ("2021-fig-10", "best at ρ = 16", Verdict::Held, "all sizes from 2^7 to 2^20"),
        ("2022-fig-13", "speedup grows", Verdict::NotHeld, "3 of 6 curves fall, none after n = 2^9"),
        ("2021-fig-13", "approaches", Verdict::NotHeld, "nearest at 2^14, then again 1.124 at 2^16"),
        ("2022-fig-13", "~3.7×", Verdict::Better, "greatest 12.6"),
        ("2022-fig-13", "~12×", Verdict::Held, "greatest 12.7"),
    ] {
        let claim = of(figure, says);
        assert!(claim.verdict == verdict && claim.here.contains(here), "{claim:?}");
    }
    // λ(ω) with large blocks was measured by its slower map alone.
    let bound = of("2022-fig-12", "lower bound");
    assert!(matches!(&bound.verdict, Verdict::NotMeasured(why) if why.contains("tensor cores alone")), "{bound:?}");
    let other = |card: &str, says: &str| {
        let found = claims.iter().find(|claim| claim.hardware == card && claim.says.contains(says));
        assert!(matches!(&found.unwrap().verdict, Verdict::NotMeasured(why) if why.contains("another card")), "{says}");
    };
    let said = [("TITAN V", "~11×"), ("TITAN V", "~1.3×"), ("TITAN V", "0.75×"), ("TITAN V", "up to 30%")];
    said.into_iter().chain([("TITAN RTX", "~1.2×"), ("TITAN RTX", "~3.2×")]).for_each(|(card, says)| other(card, says));
    for claim in claims.iter().filter(|claim| matches!(claim.verdict, Verdict::Better | Verdict::NotHeld)) {
        assert!(!claim.why.is_empty(), "{claim:?}");
    }
}

/// A folder holds the measurements of one device.
#[test]
fn devices_are_not_mixed() {
    let stored = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../figures/quick");
    let folder = tempfile::tempdir().unwrap();
    let table = fs::read_to_string(stored.join("measurements.jsonl")).unwrap();
    let there = Store::last_setup(&stored, Tier::Quick).unwrap().device;
    fs::copy(stored.join("figures.json"), folder.path().join("figures.json")).unwrap();
    fs::write(folder.path().join("measurements.jsonl"), table.replace(&there, "Abacus")).unwrap();
    let error = make(folder.path(), &wishes(&["2022-fig-13"]), &mut |_| ()).unwrap_err();
    assert!(error.is_users() && error.to_string().contains("of another device, `Abacus`"), "{error}");
    let redraw = FigureOptions { redraw: true, ..wishes(&["2022-fig-13"]) };
    make(folder.path(), &redraw, &mut |_| ()).unwrap();
}

/// Figures of tensor cores need no more than Squeeze where there is a product.
#[test]
fn figures_measure_what_they_show() {
    let mut setup = Setup::new(Tier::Full, Backend::Cpu, None).unwrap();
    setup.backend = Backend::Cuda;
    let bench = PapersCase::new().unwrap();
    let count = |name: &str| {
        let figure = FIGURES.iter().find(|figure| figure.name == name).unwrap();
        let needed = |level: u32| bench.ways(&setup, level).iter().filter(|way| way.is_for(figure, level)).count();
        (bench.levels(&setup).into_iter().map(needed).sum::<usize>(), needed(20), needed(4))
    };
    assert_eq!(count("2022-fig-14"), (3 * (12 + 11), 0, 0));
    assert_eq!((count("2022-fig-1"), count("2022-fig-12").1), ((0, 0, 0), 0));
    assert!(count("2021-fig-13").1 > 3 && count("2022-table-2").0 > 300);
}

#[test]
fn wrong_wishes_are_refused_before_anything_is_written() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("figures");
    let mut silent = |_: &str| {};
    let error = make(&out, &wishes(&["2022-fig-15"]), &mut silent).unwrap_err();
    assert!(error.is_users() && error.help()[0].contains("2022-fig-1, 2022-fig-2"));
    let full = FigureOptions { tier: Tier::Full, ..wishes(&["2022-fig-12"]) };
    let refusal = |out: &Path, wishes: &FigureOptions| make(out, wishes, &mut |_: &str| {}).unwrap_err().to_string();
    assert!(refusal(&out, &full).contains("`2022-fig-12` is measured on a GPU, and the backend `cpu`"));
    let redraw = FigureOptions { redraw: true, ..wishes(&[]) };
    assert!(refusal(&out, &redraw).contains("holds no measurements of the"));
    assert!(!out.exists());
    assert!(refusal(&out.join("deep"), &wishes(&[])).contains("deep"));
    fs::create_dir(&out).unwrap();
    fs::write(out.join("precious"), "").unwrap();
    assert!(refusal(&out, &wishes(&["2022-fig-1"])).contains("holds no figures"));
    assert_eq!(fs::read_dir(&out).unwrap().count(), 1);
    fs::remove_file(out.join("precious")).unwrap();
    make(&out, &wishes(&["2022-fig-1"]), &mut silent).unwrap();
    let full = FigureOptions { tier: Tier::Full, ..wishes(&["2022-fig-1"]) };
    assert!(refusal(&out, &full).contains("quick tier"));
}

/// Numbers near the papers', put in for measurements, make nearly all of their claims hold.
#[test]
fn claims_hold_of_numbers_that_make_them_true() {
    let mut setup = Setup::new(Tier::Full, Backend::Cpu, None).unwrap();
    setup.backend = Backend::Cuda;
    let bench = PapersCase::new().unwrap();
    let mut records = std::collections::BTreeMap::new();
    for level in bench.levels(&setup) {
        for way in bench.ways(&setup, level) {
            let choice = way.strategy_choice;
            let rho = choice.rho.unwrap_or(1) as f64;
            let tensor = if way.name().contains("wmma") { 1.0 / 1.11 } else { 1.0 };
            let small = match rho as u64 {
                1..=4 => 4.0,
                8 => 2.0,
                _ => 1.0,
            };
            let (places, cells) =
                (4f64.powi(level as i32), (4f64 / 3.0).powi(-(level as i32)) * 4f64.powi(level as i32));
            let base = 1e-5;
            let seconds = match way.name().split(',').next().unwrap() {
                "bounding-box" => {
                    base + places
                        * 3.3e-12
                        * if rho < 16.0 { 3.2 * small } else { [1.2, 1.0][usize::from(rho == 32.0)] }
                }
                "lambda" => base * 1.1 + cells * 6e-11 * tensor,
                "squeeze" => base * 3.0 * tensor + cells * 9e-11 * tensor * small * if rho == 32.0 { 1.3 } else { 1.0 },
                _ => 1e-6 + cells * 5e-14,
            };
            let kept = match way.name().split(',').next().unwrap() {
                "squeeze" => 2.0 * places / theory::block_factor(level, rho as u64),
                _ => 2.0 * places,
            };
            let found = store::Measured {
                mean: seconds,
                error: seconds / 500.0,
                runs: 100,
                steps: 1000,
                memory: Some(kept as u64),
                state_bytes: kept as u64,
                digest: "0".to_owned(),
            };
            let record = store::Record {
                way: way.name(),
                level,
                cells: 1,
                outcome: store::TimeOrProblem::Measured(found),
                clocks: "1 MHz".to_owned(),
            };
            records.insert((way.name(), level), record);
        }
    }
    let times = Times { setup: &setup, records: &records, tiles: &[] };
    let fractals = FigureFractals::new().unwrap();
    let claims: Vec<Claim> = (of_strategies().filter(|figure| figure.kind != MeasurementKind::Formula))
        .flat_map(|figure| outcome(figure, &fractals, &times).claims)
        .collect();
    let elsewhere = |claim: &&Claim| matches!(claim.verdict, Verdict::NotMeasured(_));
    assert!(claims.iter().filter(elsewhere).all(|claim| claim.hardware.starts_with("TITAN")), "{claims:?}");
    let better: Vec<&Claim> = claims.iter().filter(|c| c.verdict == Verdict::Better).collect();
    let surpassed = |c: &&Claim| c.says.starts_with("up to") && c.ratio > Some(1.1);
    assert!(better.len() == 3 && better.iter().all(surpassed), "{better:?}");
    let wrong: Vec<&str> = claims.iter().filter(|c| c.verdict == Verdict::NotHeld).map(|c| c.says.as_str()).collect();
    let crossing = "from n = 2^13 on ν(ω) with ρ = 8, 16, 32 is faster than the best BB";
    assert_eq!(wrong, ["0.50 GB at r = 16, ρ = 16", crossing], "of {} claims", claims.len());
    assert!(claims.len() > 40 && claims.iter().any(|c| c.says.contains("~12×")));
}
