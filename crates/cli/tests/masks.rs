//! Masks and boxes on the command line: from every kind of file, recorded and resumed, mapped, and refused where they cannot run.

mod command;

use command::{refuse, squeeze, succeed};
use std::fs;
use std::path::Path;

fn json(folder: &Path, arguments: &[&str]) -> serde_json::Value {
    serde_json::from_str(&succeed(folder, &[arguments, &["--json"]].concat())).unwrap()
}

/// An array of bytes as numpy writes it.
fn npy(shape: &str, bytes: &[u8]) -> Vec<u8> {
    let mut head = format!("{{'descr': '|b1', 'fortran_order': False, 'shape': {shape}, }}");
    while (head.len() + 11) % 64 != 0 {
        head.push(' ');
    }
    head.push('\n');
    [b"\x93NUMPY\x01\x00", &(head.len() as u16).to_le_bytes()[..], head.as_bytes(), bytes].concat()
}

#[test]
fn files_of_every_kind_give_the_same_domain() {
    let temporary = tempfile::tempdir().unwrap();
    let folder = temporary.path();
    let cell = |x: u32, y: u32| (x * x + 3 * y) % 5 < 3;
    let places: Vec<bool> = (0..20).flat_map(|y| (0..37).map(move |x| cell(x, y))).collect();
    fs::write(folder.join("m.npy"), npy("(20, 37)", &places.iter().map(|cell| u8::from(*cell)).collect::<Vec<_>>()))
        .unwrap();
    let row = |row: &[bool]| -> String { row.iter().map(|cell| if *cell { 'o' } else { 'b' }).collect() };
    let rows: Vec<String> = places.chunks(37).map(row).collect();
    fs::write(folder.join("m.rle"), format!("x = 37, y = 20, rule = B3/S23\n{}!\n", rows.join("$\n"))).unwrap();
    let text = "domain expr { size (37, 20)  cells (x * x + 3 * y) % 5 < 3 }\n";
    fs::write(folder.join("m.fractal"), text).unwrap();
    succeed(folder, &["render", "m.fractal", "-o", "m.png", "--window", "0,0,37,20", "--zoom", "1"]);
    fs::write(
        folder.join("files.fractal"),
        format!("{text}domain npy {{ mask \"m.npy\" }}\ndomain rle {{ mask \"m.rle\" }}\n"),
    )
    .unwrap();
    let digest = |domain: &str, backend: &str| {
        let run = json(folder, &["run", domain, "-r", "ising", "-n", "5", "--backend", backend]);
        assert!(run["level"].is_null() && run["backend"] == backend, "{run}");
        (run["cells"].clone(), run["digest"].clone(), run["observables"].clone())
    };
    let wanted = digest("m.fractal", "reference");
    assert_eq!(wanted.0, places.iter().filter(|cell| **cell).count());
    for domain in ["files.fractal#expr", "files.fractal#npy", "files.fractal#rle"] {
        assert_eq!(digest(domain, "cpu"), wanted, "{domain}");
    }
    // Indices go in reading order.
    let cells = places.iter().enumerate().filter(|(_, cell)| **cell).map(|(place, _)| place);
    for (cell_index, place) in cells.enumerate().step_by(50) {
        let (x, y, cell_index) = ((place % 37).to_string(), (place / 37).to_string(), cell_index.to_string());
        assert_eq!(succeed(folder, &["map", "lambda", "m.fractal", &cell_index]), format!("{x} {y}\n"));
        assert_eq!(succeed(folder, &["map", "nu", "m.fractal", &x, &y]), format!("{cell_index}\n"));
    }
    assert!(refuse(folder, &["map", "nu", "m.fractal", "3", "20"]).contains("outside `expr`"));
    let info = json(folder, &["info", "m.fractal"]);
    assert_eq!((&info["width"], &info["height"]), (&37.into(), &20.into()));
}

#[test]
fn a_run_on_a_mask_goes_on_when_its_picture_is_gone() {
    let temporary = tempfile::tempdir().unwrap();
    let folder = temporary.path();
    fs::write(folder.join("m.npy"), npy("(3, 8, 9)", &[1; 216])).unwrap();
    fs::write(folder.join("d.fractal"), "domain block { mask \"m.npy\"  periodic x, y }\n").unwrap();
    succeed(folder, &["run", "d.fractal", "-r", "heat", "-n", "4", "--out", "half", "--quiet"]);
    let whole = json(folder, &["run", "d.fractal", "-r", "heat", "-n", "9"]);
    fs::remove_file(folder.join("m.npy")).unwrap();
    let resumed = json(folder, &["resume", "half", "--steps", "9"]);
    assert_eq!(resumed["digest"], whole["digest"]);
    // A mask has no level, so that no title names one.
    succeed(folder, &["plot", "half", "-o", "half.svg"]);
    let plot = fs::read_to_string(folder.join("half.svg")).unwrap();
    assert!(plot.contains("heat on ") && !plot.contains("level"), "{plot}");
    succeed(folder, &["export", "half", "-o", "u.npy"]);
}

#[test]
fn masks_are_emitted_and_measured() {
    let temporary = tempfile::tempdir().unwrap();
    let folder = temporary.path();
    fs::write(folder.join("d.fractal"), "domain sheet { size (40, 30)  cells x != y }\n").unwrap();
    let text = succeed(folder, &["emit", "d.fractal", "--rule", "heat"]);
    assert!(text.contains("constexpr u32 WIDTH = 40;") && text.contains("__global__"), "{text}");
    let measured = json(folder, &["bench", "d.fractal,heat", "--threads", "1", "--seconds", "0.05"]);
    let measured = &measured["measurements"][0];
    assert!(measured["level"].is_null() && measured["cells"] == 1170, "{measured}");
    assert!(measured["ratio_to_copy_of_stored"].as_f64() >= measured["ratio_to_copy"].as_f64(), "{measured}");
}

/// Of several domains in a file only the one that is named costs time and memory; `check` looks at all.
#[test]
fn only_the_domain_that_is_named_is_computed() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let text = "domain none { size (9, 9)  cells x > 20 }\ndomain small { size (9, 9)  cells x > 2 }\ndomain torus { mask \"small.npy\"  periodic }\n\
        rule spread { state on: bit  init on = x > y  next on = any(von_neumann, nb.on)  observe count = sum(on) }\n";
    std::fs::write(folder.join("several.fractal"), text).unwrap();
    std::fs::write(folder.join("small.npy"), npy("(3, 3)", &[1, 1, 0, 1, 1, 1, 0, 1, 1])).unwrap();
    for domain in ["small", "torus"] {
        let spec = format!("several.fractal#{domain}");
        succeed(folder, &["run", &spec, "--rule", "several.fractal#spread", "--steps", "2", "--out", domain]);
        succeed(folder, &["resume", domain, "--steps", "4"]);
    }
    assert!(refuse(folder, &["check", "several.fractal"]).contains("domain `none` has no cell"));
    assert!(refuse(folder, &["info", "several.fractal#other"]).contains("domain `none` has no cell"));
}

/// A picture, an array or a pattern in the place of a domain is a mask, also for `resume` when the file is gone.
#[test]
fn a_picture_is_a_domain() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    succeed(folder, &["render", "vicsek", "--level", "2", "-o", "rule 1.png"]);
    let json = |arguments: &[&str]| -> serde_json::Value { serde_json::from_str(&succeed(folder, arguments)).unwrap() };
    let run = ["run", "rule 1.png", "-r", "life", "-n", "2", "--json"];
    let shown = json(&run);
    fs::write(folder.join("d.fractal"), "domain d { mask \"rule 1.png\" }\ndomain bad { mask \"none.png\" }\n")
        .unwrap();
    assert_eq!(shown["fractal"], "rule_1");
    // Errors of another mask in the file are reported by `check` alone.
    let named = json(&["run", "d.fractal#d", "-r", "life", "-n", "2", "--json"]);
    assert_eq!(shown["digest"], named["digest"]);
    assert!(refuse(folder, &["check", "d.fractal"]).contains("cannot use the mask `none.png`"));
    let errors = refuse(folder, &["info", "d.fractal"]);
    assert!(errors.contains("cannot use the mask `none.png`") && !errors.contains("error: error"), "{errors}");
    fs::write(folder.join("d.fractal"), "domain bad { mask \"none.png\" }\ndomain d { mask \"rule 1.png\" }\n")
        .unwrap();
    assert_eq!(json(&["run", "d.fractal", "-r", "life", "-n", "2", "--json"])["digest"], named["digest"]);
    succeed(folder, &["run", "rule 1.png", "-r", "life", "-n", "1", "-o", "kept", "--quiet"]);
    fs::remove_file(folder.join("rule 1.png")).unwrap();
    assert_eq!(json(&["resume", "kept", "-n", "2", "--json"])["digest"], named["digest"]);
}

#[test]
fn what_takes_fractals_only_says_so() {
    let temporary = tempfile::tempdir().unwrap();
    let folder = temporary.path();
    fs::write(folder.join("d.fractal"), "domain sheet { size (40, 30) }\n").unwrap();
    let run = ["run", "d.fractal", "-r", "heat", "-n", "4"];
    for (more, reason) in [
        (&["--level", "3"][..], "has no levels"),
        #[cfg(feature = "papers")]
        (&["--strategy", "squeeze", "--backend", "cuda"], "needs a fractal"),
    ] {
        let errors = refuse(folder, &[&run[..], more].concat());
        assert!(errors.contains(reason), "{errors}");
    }
    assert!(refuse(folder, &["emit", "d.fractal", "-r", "life", "--target", "rust"]).contains("takes fractals only"));
    assert!(refuse(folder, &["emit", "d.fractal", "-r", "life", "--world", "w"]).contains("takes fractals only"));
    assert!(refuse(folder, &["emit", "d.fractal", "-r", "life", "--level", "2"]).contains("has no levels"));
    assert!(refuse(folder, &["bench", "d.fractal,heat,1"]).contains("has no levels"));
    assert!(refuse(folder, &["bench", "d.fractal,heat", "--layouts"]).contains("takes fractals only"));
    assert!(refuse(folder, &["run", "full_square", "-r", "heat", "-n", "4"]).contains("its level is missing"));
    fs::write(folder.join("l.rule"), "rule l { state a: i32  next a = a + level }\n").unwrap();
    assert!(refuse(folder, &["run", "d.fractal", "-r", "l.rule", "-n", "4"]).contains("has no levels"));
    fs::write(folder.join("h.fractal"), "domain huge { size (2000000000, 2000000000) }\n").unwrap();
    let errors = refuse(folder, &["info", "h.fractal"]);
    assert!(errors.contains("4000000000000000000 places") && errors.contains("places fit"), "{errors}");
}

#[test]
fn masks_given_directly_are_refused_by_their_own_names() {
    let temporary = tempfile::tempdir().unwrap();
    let folder = temporary.path();
    fs::write(folder.join("none.npy"), npy("(2, 3)", &[0; 6])).unwrap();
    fs::write(folder.join("some.npy"), npy("(2, 3)", &[1, 0, 1, 1, 1, 1])).unwrap();
    fs::write(folder.join("no.png"), "text").unwrap();
    let run = |mask: &str| refuse(folder, &["run", mask, "-r", "life", "-n", "1"]);
    for (mask, reason) in [("none.npy", "domain `none` has no cell"), ("no.png", "it is not a PNG")] {
        let errors = run(mask);
        // The text that stands for it has no author, so that no place in it is named.
        assert!(errors.contains(reason) && !errors.contains("-->") && !errors.contains(".fractal:"), "{errors}");
        assert!(
            errors.contains(&format!("`{mask}` stands for `domain ")) && errors.contains("NAME.fractal"),
            "{errors}"
        );
    }
    assert_eq!(run("gone.png"), "error: there is no file `gone.png`\n");
    assert!(run("P3000000000,5").contains("`P3000000000,5` stands for `domain plane"));
    assert!(run("some.npy#other").contains("leave out `#other`"));
    fs::write(folder.join("glider.rle"), "x = 3, y = 3, rule = B3/S23\nbob$2bo$3o!\n").unwrap();
    let output = squeeze(folder, &["run", "glider.rle", "-r", "B3/S23", "-n", "1"]);
    let notes = String::from_utf8(output.stderr).unwrap();
    assert!(notes.contains("`--init STATE=glider.rle` takes a pattern for values"), "{notes}");
    assert!(refuse(folder, &["run", "T9,9", "-r", "B3/S24x", "-n", "1"]).contains("nor a rule in Golly's notation"));
}

#[test]
fn info_says_how_large_a_mask_is_before_it_computes_its_cells() {
    let temporary = tempfile::tempdir().unwrap();
    let folder = temporary.path();
    let text = "domain small { size (20, 20)  cells x > 3 }\ndomain large { size (8000, 8000)  cells x > 3 }\n";
    fs::write(folder.join("d.fractal"), text).unwrap();
    for more in [&[][..], &["--json"]] {
        let told = |domain: &str| {
            let output = squeeze(folder, &[&["info", domain], more].concat());
            assert!(output.status.success(), "{output:?}");
            String::from_utf8(output.stderr).unwrap()
        };
        let note = "note: the cells of `large` are computed, of 64,000,000 places\n";
        assert!(told("d.fractal#large").starts_with(note), "{}", told("d.fractal#large"));
        assert_eq!(told("d.fractal#small"), "");
    }
}

#[cfg(feature = "packing")]
#[test]
fn arrays_are_packed_and_unpacked_by_masks_in_files() {
    let temporary = tempfile::tempdir().unwrap();
    let folder = temporary.path();
    let cells: Vec<u8> = (0..3 * 40).map(|place| u8::from(place % 7 < 3)).collect();
    fs::write(folder.join("m.npy"), npy("(3, 40)", &cells)).unwrap();
    let count = cells.iter().filter(|cell| **cell == 1).count();
    let info = json(folder, &["mask", "info", "m.npy"]);
    assert_eq!((&info["places"], &info["cells"]), (&120.into(), &count.into()));
    let encodings = info["encoding_bytes"].as_object().unwrap();
    assert_eq!((encodings.len(), &encodings["permutation"], &encodings["ours"]), (5, &(4 * count).into(), &16.into()));
    assert!(succeed(folder, &["mask", "info", "m.npy"]).contains("dynamic-exclusive"));
    // Floats, whose bytes are kept as they are.
    let values: Vec<u8> = (0..120u32).flat_map(|place| (place as f32).to_le_bytes()).collect();
    let floats = |shape: &str, bytes: &[u8]| {
        let array = npy(shape, bytes);
        let at = array.windows(3).position(|bytes| bytes == b"|b1").unwrap();
        [&array[..at], b"<f4", &array[at + 3..]].concat()
    };
    fs::write(folder.join("a.npy"), floats("(3, 40)", &values)).unwrap();
    succeed(folder, &["mask", "pack", "m.npy", "a.npy", "-o", "p.npy"]);
    let kept: Vec<u8> = (0..120).filter(|place| cells[*place] == 1).flat_map(|p| (p as f32).to_le_bytes()).collect();
    assert_eq!(fs::read(folder.join("p.npy")).unwrap(), floats(&format!("({count},)"), &kept));
    succeed(folder, &["mask", "unpack", "m.npy", "p.npy", "-o", "b.npy", "--hole", "-1.5"]);
    let back = |place: usize| if cells[place] == 1 { place as f32 } else { -1.5 };
    let back: Vec<u8> = (0..120).flat_map(|place| back(place).to_le_bytes()).collect();
    assert_eq!(fs::read(folder.join("b.npy")).unwrap(), floats("(3, 40)", &back));
    // A box in a text is a mask as well.
    fs::write(folder.join("d.fractal"), "domain sheet { size (40, 3)  cells (x + 40 * y) % 7 < 3 }\n").unwrap();
    succeed(folder, &["mask", "pack", "d.fractal#sheet", "a.npy", "-o", "q.npy"]);
    assert_eq!(fs::read(folder.join("q.npy")).unwrap(), fs::read(folder.join("p.npy")).unwrap());
    for (arguments, reason) in [
        (&["info", "a.npy"][..], "bool"),
        (&["info", "nowhere.png"], "nowhere.png"),
        (&["info", "vicsek"], "is a fractal"),
        (&["pack", "m.npy", "p.npy", "-o", "x.npy"], "and the mask [3, 40]"),
        (&["pack", "m.npy", "d.fractal", "-o", "x.npy"], "does not begin"),
        (&["unpack", "m.npy", "a.npy", "-o", "x.npy"], "the cells of the mask ["),
        (&["unpack", "m.npy", "p.npy", "-o", "x.npy", "--hole", "blue"], "no value of <f4"),
    ] {
        let errors = refuse(folder, &[&["mask"], arguments].concat());
        assert!(errors.contains(reason), "{errors}");
        assert!(!folder.join("x.npy").exists());
    }
}

#[cfg(feature = "packing")]
#[test]
fn encodings_are_compared() {
    let temporary = tempfile::tempdir().unwrap();
    let folder = temporary.path();
    let compared = json(folder, &["bench", "--encodings", "--places", "20000", "--seconds", "0.001", "--out", "."]);
    let experiments = compared["experiments"].as_array().unwrap();
    assert_eq!((experiments.len(), compared["claims"].as_array().unwrap().len()), (10, 12));
    for experiment in experiments {
        assert!(folder.join(experiment["name"].as_str().unwrap()).with_extension("svg").exists());
    }
    assert!(refuse(folder, &["bench", "--encodings", "--out", "nowhere"]).contains("no folder"));
    assert!(refuse(folder, &["bench", "vicsek,life,2", "--encodings"]).contains("cannot be used with"));
    for flag in ["--backend=cuda", "--places=2000"] {
        assert!(refuse(folder, &["bench", "vicsek,life,2", flag]).contains("without --encodings"), "{flag}");
    }
    let on_gpu = ["bench", "--encodings", "--backend", "cuda", "--threads", "2"];
    assert!(refuse(folder, &on_gpu).contains("--threads has no effect"));
}

#[test]
fn edges_of_texts_and_flags_say_what_is_beyond() {
    let temporary = tempfile::tempdir().unwrap();
    let folder = temporary.path();
    let text = "domain plate { size (40, 30)  edge u = 1.5 }\ndomain v {\n    size (9, 9)\n    edge v = 1.0\n}\n\
                domain wrong { size (9, 9)  edge u = true }\ndomain two { size (9, 9)  edge a = 1 }\n";
    fs::write(folder.join("d.fractal"), text).unwrap();
    fs::write(folder.join("two.rule"), "rule two { state a: i32 state b: i32 next a = sum(moore, nb.a + nb.b) }\n")
        .unwrap();
    let digest = |more: &[&str]| {
        let run = ["run", "d.fractal#plate", "-r", "heat", "-n", "40"];
        json(folder, &[&run[..], more].concat())["digest"]["u"].as_str().unwrap().to_owned()
    };
    let warm = digest(&[]);
    assert_eq!(warm, digest(&["--backend", "reference"]));
    assert_ne!(warm, digest(&["--edge", "u=0.0"]), "a flag stands in the place of the text");
    assert_eq!(digest(&["--edge", "u=reflect"]), digest(&["--edge", "u=reflect", "--backend", "reference"]));
    // A run goes on with the edges that it began with.
    let run = ["run", "d.fractal#plate", "-r", "heat", "--edge", "u=0.25", "-o", "run", "--save-every", "20"];
    succeed(folder, &[&run[..], &["-n", "20"]].concat());
    succeed(folder, &["resume", "run", "--steps", "40"]);
    let manifest: serde_json::Value =
        serde_json::from_str(&fs::read_to_string(folder.join("run/manifest.json")).unwrap()).unwrap();
    assert_eq!(manifest["result"]["digest"]["u"].as_str().unwrap(), digest(&["--edge", "u=0.25"]));

    let heat = |domain: &str, more: &[&str]| {
        let domain = format!("d.fractal#{domain}");
        refuse(folder, &[&["run", &domain, "-r", "heat", "-n", "4"][..], more].concat())
    };
    let errors = heat("v", &[]);
    assert!(
        errors.contains("d.fractal:4:5") && errors.contains("no state `v`") && errors.contains("it has `u`"),
        "{errors}"
    );
    let errors = heat("wrong", &[]);
    assert!(errors.contains("d.fractal:6:29: `true` is no value of `u: f32`"), "{errors}");
    assert!(heat("plate", &["--periodic"]).contains("periodic along all its axes"));
    assert!(heat("plate", &["--edge", "u"]).contains("state=value"));
    assert!(heat("plate", &["--edge", "u=1", "--edge", "u=2"]).contains("twice"));
    assert!(heat("plate", &["--edge", "u=1e99"]).contains("too large"));
    let errors = refuse(folder, &["run", "d.fractal#two", "-r", "two.rule", "-n", "4"]);
    assert!(errors.contains("reads `b` at neighbours as well") && errors.contains("d.fractal:7:"), "{errors}");
    let square = ["run", "full_square", "-r", "larger_than_life", "-l", "0", "-n", "1", "--edge", "alive=reflect"];
    assert!(refuse(folder, &square).contains("must not look farther"));
    #[cfg(feature = "papers")]
    {
        let edge = ["run", "vicsek", "-r", "life", "-l", "3", "-n", "1", "--edge", "alive=true", "--backend", "cuda"];
        let papers = [&edge[..], &["--strategy", "squeeze"]].concat();
        assert!(refuse(folder, &papers).contains("knows nothing beyond the edges"));
    }
}

/// A grey PNG of 16 bits.
fn png(width: u32, values: &[u16]) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut encoder = png::Encoder::new(&mut bytes, width, values.len() as u32 / width);
    encoder.set_color(png::ColorType::Grayscale);
    encoder.set_depth(png::BitDepth::Sixteen);
    let data: Vec<u8> = values.iter().flat_map(|value| value.to_be_bytes()).collect();
    encoder.write_header().unwrap().write_image_data(&data).unwrap();
    bytes
}

#[test]
fn all_bits_of_a_picture_count() {
    let temporary = tempfile::tempdir().unwrap();
    let folder = temporary.path();
    let values: Vec<u16> = (0..96u32).map(|i| (i * i * 37 % 65_536) as u16).collect();
    fs::write(folder.join("ct.png"), png(12, &values)).unwrap();
    fs::write(folder.join("labels.png"), png(12, &values.iter().map(|value| value % 2).collect::<Vec<_>>())).unwrap();
    let text = "domain above { mask \"ct.png\" above 9000 }\ndomain below { mask \"ct.png\" below 9000 }\n\
                domain labels { mask \"labels.png\" }\ndomain ones { mask \"labels.png\" above 0 }\ndomain sheet { size (12, 8) }\n";
    fs::write(folder.join("d.fractal"), text).unwrap();
    fs::write(folder.join("hold.rule"), "rule hold { state k: f64 init k = 0.0 next k = k observe s = sum(k) }")
        .unwrap();
    let cells = |domain: &str| json(folder, &["run", domain, "-r", "hold.rule", "-n", "0"])["cells"].as_u64().unwrap();
    let count = |keep: fn(u16) -> bool| values.iter().filter(|value| keep(**value)).count() as u64;
    assert_eq!(cells("d.fractal#above"), count(|value| value > 9000));
    assert_eq!(cells("d.fractal#below"), count(|value| value < 9000));
    assert_eq!(cells("d.fractal#ones"), count(|value| value % 2 == 1));
    // A threshold survives in the record of a run.
    succeed(folder, &["run", "d.fractal#above", "-r", "heat", "-n", "3", "--out", "half", "--quiet"]);
    let whole = json(folder, &["run", "d.fractal#above", "-r", "heat", "-n", "7"]);
    fs::rename(folder.join("ct.png"), folder.join("gone.png")).unwrap();
    assert_eq!(json(folder, &["resume", "half", "--steps", "7"])["digest"], whole["digest"]);
    fs::rename(folder.join("gone.png"), folder.join("ct.png")).unwrap();
    // The values of a state are those of the picture, not 256 of them.
    let init = "k=ct.png:000000=0,ffffff=65535";
    let held = json(folder, &["run", "d.fractal#sheet", "-r", "hold.rule", "-n", "1", "--init", init]);
    let sum: f64 = values.iter().map(|value| f64::from(*value)).sum();
    assert_eq!(held["observables"]["s"].as_f64(), Some(sum));
    // A mask of one kind of place is told.
    let told = |arguments: &[&str]| {
        let output = command::squeeze(folder, arguments);
        String::from_utf8(output.stderr).unwrap()
    };
    for arguments in [
        &["run", "d.fractal#labels", "-r", "hold.rule", "-n", "0"][..],
        &["info", "d.fractal#labels"],
        &["render", "d.fractal#labels", "-o", "l.png"],
        &["sweep", "d.fractal#labels", "-r", "heat", "-n", "1", "--seeds", "0..2", "--out", "s"],
        &["check", "d.fractal"],
    ] {
        let text = told(arguments);
        assert!(text.contains("every place of the mask `labels.png` is a cell"), "{arguments:?}: {text}");
    }
    assert!(!told(&["run", "d.fractal#ones", "-r", "hold.rule", "-n", "0"]).contains("every place"));
    assert!(succeed(folder, &["fmt", "d.fractal"]).contains("    mask \"ct.png\" above 9000\n"));
}

/// A text of fifty bytes may have more places than a minute computes.
#[test]
fn texts_with_large_domains_are_checked_at_once() {
    let temporary = tempfile::tempdir().unwrap();
    let folder = temporary.path();
    let start = std::time::Instant::now();
    for (text, valid) in [
        ("domain d { size (20000, 20000) cells random(0.5) keep largest(moore) invert }", true),
        ("domain d { size (20000, 20000) keep spanning(x) }", true),
        ("domain d { size (20000, 20000) cells random(0.5) keep largest(nowhere) }", false),
        ("domain d { size (20000, 20000) cells x + 1 }", false),
        ("domain d { mask \"d.npy\" periodic }", true),
    ] {
        // Without the values, which are not read.
        fs::write(folder.join("d.npy"), npy("(20000, 20000)", &[])).unwrap();
        fs::write(folder.join("d.fractal"), text).unwrap();
        match valid {
            true => assert!(succeed(folder, &["check", "d.fractal"]).contains("ok, fractal d")),
            false => assert!(refuse(folder, &["check", "d.fractal"]).contains("d.fractal:1:")),
        }
    }
    assert!(start.elapsed() < std::time::Duration::from_secs(10), "{:?}", start.elapsed());
}

/// A line has no edge along y.
#[test]
fn lines_that_reflect_take_what_open_ones_take() {
    let temporary = tempfile::tempdir().unwrap();
    let folder = temporary.path();
    fs::write(
        folder.join("far.rule"),
        "rule far { state u: f32 init u = uniform() next u = 0.5 * (u[0, 7] else u[1, 0] else u) }\n",
    )
    .unwrap();
    let run = |backend: &str| {
        let arguments =
            ["run", "line", "-r", "far.rule", "-l", "5", "-n", "3", "--edge", "u=reflect", "--backend", backend];
        json(folder, &arguments)["digest"].clone()
    };
    assert_eq!(run("cpu"), run("reference"));
}
