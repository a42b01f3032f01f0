//! The contract of commands: their output, where it goes, and their exit codes.

use std::path::Path;
use std::process::{Command, Output, Stdio};

fn squeeze(arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_squeeze"));
    command.args(arguments).stdin(Stdio::null()).output().expect("the command starts")
}

/// Standard output of a command that must succeed and say nothing on standard error.
fn succeed(arguments: &[&str]) -> String {
    let output = squeeze(arguments);
    let errors = String::from_utf8(output.stderr).unwrap();
    assert_eq!((output.status.code(), errors.as_str()), (Some(0), ""), "{arguments:?}");
    String::from_utf8(output.stdout).unwrap()
}

/// Standard error of a command that must end with this code and print nothing on standard output.
fn fail(code: i32, arguments: &[&str]) -> String {
    let output = squeeze(arguments);
    let errors = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(code), "{arguments:?}: {errors}");
    assert!(output.stdout.is_empty(), "{arguments:?} printed {:?}", String::from_utf8_lossy(&output.stdout));
    assert!(!errors.contains("panicked"), "{errors}");
    errors
}

/// Checks that a user's mistake is met with a message that holds these words.
fn refuse(arguments: &[&str], words: &[&str]) {
    let message = fail(2, arguments);
    for word in words {
        assert!(message.contains(word), "{arguments:?}: no {word:?} in\n{message}");
    }
}

const LIFE: [&str; 8] = ["run", "vicsek", "--rule", "life", "--level", "3", "--steps", "4"];

fn life(more: &[&'static str]) -> Vec<&'static str> {
    [&LIFE, more].concat()
}

#[test]
fn help_and_version_are_no_errors() {
    let help = succeed(&["--help"]);
    for word in ["FRACTAL and RULE", "Simulate:\n  run ", "Look:", "Analyse:", "Files:", "Develop:"] {
        assert!(help.contains(word), "{word}: {help}");
    }
    assert!(succeed(&["run", "--help"]).contains("--no-digest"));
    assert!(succeed(&["--version"]).starts_with("squeeze "));
}

#[test]
fn usage_errors_say_what_would_be_valid() {
    refuse(&["fly"], &["fly"]);
    refuse(&["run", "vicsek"], &["--rule", "--level", "--steps"]);
    refuse(&life(&["--threads", "0"]), &["1 to 4096"]);
    refuse(&life(&["--backend", "tpu"]), &["auto", "reference"]);
    refuse(&life(&["--seed", "-1"]), &["0 to 18446744073709551615"]);
    refuse(&life(&["--image", "a.jpg"]), &[".png"]);
    refuse(&["run", "vicsek", "--rule", "life", "--level", "3", "--steps", "4294967296"], &["0 to 4294967295"]);
    refuse(&["info", "vicsek", "--level", "-1"], &["whole numbers from 0"]);
}

/// Flags that are typed first stand on top, and lines are no longer than the terminal is wide.
#[test]
fn help_has_sections_and_fits() {
    let mut command = Command::new(env!("CARGO_BIN_EXE_squeeze"));
    let output = command.args(["help", "run"]).env("COLUMNS", "64").output().unwrap();
    let help = String::from_utf8(output.stdout).unwrap();
    let (flags, examples) = help.split_once("Examples:").unwrap();
    let mut lines = flags.lines().filter(|line| !line.starts_with("Usage:"));
    assert!(lines.all(|line| line.chars().count() <= 64), "{flags}");
    assert!(examples.contains("squeeze run"));
    let places =
        ["--rule", "--steps", "--out <DIR>", "--image <FILE>", "\nDomain:", "--periodic", "\nExecution:", "--backend"];
    let places = places.map(|word| flags.rfind(word).unwrap_or_else(|| panic!("{word}: {flags}")));
    assert!(places[..4].iter().all(|place| *place < places[4]) && places[4] < places[5] && places[6] < places[7]);
}

#[test]
fn flags_are_the_same_words_everywhere() {
    let digest = |arguments: &[&str]| {
        let json: serde_json::Value = serde_json::from_str(&succeed(&[arguments, &["--json"]].concat())).unwrap();
        json["digest"].to_string()
    };
    // The word after `--periodic` is its value only if it names axes.
    let life = ["--rule", "life", "--level", "3", "--steps", "2", "--periodic"];
    let torus = digest(&[&["run", "full_square"], &life[..]].concat());
    assert_eq!(torus, digest(&[&["run"], &life[..], &["full_square"]].concat()));
    assert_eq!(torus, digest(&[&["run", "full_square"], &life[..], &["x,y"]].concat()));
    assert_eq!(digest(&[&LIFE[..], &["--seeds", "3"]].concat()), digest(&[&LIFE[..], &["--seed", "3"]].concat()));
    refuse(&[&LIFE[..], &["--seed", "0..4"]].concat(), &["`squeeze sweep` takes several"]);
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("seeds");
    let sweep = ["sweep", "vicsek", "-r", "life", "-l", "1", "-n", "2", "--quiet", "-o", out.to_str().unwrap()];
    succeed(&[&sweep[..], &["--seed", "3,4"]].concat());
    assert_eq!(std::fs::read_to_string(out.join("members.csv")).unwrap(), "member,seed\n0,3\n1,4\n");
}

#[test]
fn json_has_exactly_the_fields_of_the_contract() {
    let text = succeed(&life(&["--json", "--seed", "5"]));
    assert_eq!(text.lines().count(), 1);
    let value: serde_json::Value = serde_json::from_str(&text).unwrap();
    let keys: Vec<&str> = value.as_object().unwrap().keys().map(String::as_str).collect();
    let expected = [
        "fractal",
        "rule",
        "level",
        "cells",
        "steps",
        "seed",
        "backend",
        "strategy",
        "device",
        "digest",
        "observables",
        "seconds_per_step",
        "state_bytes",
    ];
    assert_eq!(keys[..expected.len()], expected);
    assert_eq!(
        keys[expected.len()..],
        ["params", "init", "seconds", "extent", "periodic", "edges", "time", "memory_bytes"],
        "additions come last"
    );
    assert_eq!((&value["params"], &value["init"]), (&serde_json::json!({}), &serde_json::json!([])));
    assert_eq!((&value["fractal"], &value["rule"]), (&"vicsek".into(), &"life".into()));
    assert_eq!((&value["level"], &value["cells"], &value["seed"]), (&3.into(), &125.into(), &5.into()));
    assert_eq!((&value["backend"], &value["strategy"]), (&"cpu".into(), &"lanes".into()));
    let digest = value["digest"]["alive"].as_str().unwrap();
    assert!(digest.len() == 16 && digest.bytes().all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f')), "{digest}");
    assert!(value["observables"]["population"].is_i64());
    assert!(value["seconds_per_step"].is_f64());
}

#[test]
fn json_identifies_the_run() {
    let heat = ["run", "vicsek", "--rule", "heat", "--level", "2", "--steps", "3", "--json", "--set", "alpha=0.2"];
    let value: serde_json::Value = serde_json::from_str(&succeed(&heat)).unwrap();
    assert_eq!(value["params"], serde_json::json!({"alpha": 0.2, "hot": 1000.0}));
    let seconds = |part: &str| value["seconds"][part].as_f64().unwrap();
    assert_eq!((&value["extent"], &value["periodic"]), (&serde_json::json!([9, 9]), &serde_json::Value::Null));
    let torus = ["run", "full_square", "--rule", "life", "--level", "3", "--steps", "1", "--json", "--periodic", "x"];
    let value_of_torus: serde_json::Value = serde_json::from_str(&succeed(&torus)).unwrap();
    assert_eq!(value_of_torus["periodic"], "x");
    assert!(seconds("steps") > 0.0 && seconds("pictures") == 0.0);
    assert_eq!(value["seconds_per_step"].as_f64().unwrap(), seconds("steps") / 3.0);
}

#[test]
fn what_ships_is_listed_and_shown() {
    let all = succeed(&["list"]);
    for word in ["Fractals", "sierpinski_triangle", "1.585", "Rules", "gray_scott", "squeeze show"] {
        assert!(all.contains(word), "no {word:?} in\n{all}");
    }
    assert!(all.lines().all(|line| line.chars().count() <= 80), "{all}");
    assert!(!succeed(&["list", "rules"]).contains("tetrix"));
    let json: serde_json::Value = serde_json::from_str(&succeed(&["list", "--json"])).unwrap();
    assert_eq!(json["fractals"][0]["name"], "bridge");
    let heat = succeed(&["show", "heat"]);
    for word in [
        "//       states  u: f32",
        "alpha: f32 in 0.0..=0.25 (line 0.0..=0.5, space 0.0..=0.16666667) = 0.1  (Conductivity",
        "observables  total, coldest, hottest",
        "rule heat {",
    ] {
        assert!(heat.contains(word), "no {word:?} in\n{heat}");
    }
    assert!(succeed(&["show", "potts"]).contains("q: u32 in 2..=256 = 3"));
    assert!(succeed(&["show", "tetrix"]).contains("fractal tetrix {"));
    refuse(&["show", "nothing"], &["`nothing`", "tetrix", "heat"]);
    refuse(&["run", "20x20", "-r", "conway", "-n", "1"], &["no fractal `20x20`", "a torus is `T100,50`"]);
    refuse(&["show", "isng"], &["did you mean `ising`"]);
}

#[test]
fn shells_and_manual_pages() {
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        let script = succeed(&["completions", shell]);
        assert!(["powershell", "elvish"].contains(&shell) || script.contains("gray_scott"), "{shell} knows what ships");
        // Files are offered as well.
        assert!(
            shell != "zsh" || script.contains("\"files\\:file\\:_files\"}"),
            "a bare colon ends an action: {script}"
        );
        assert!(shell != "fish" || script.contains(" -F -a \"aggregation"), "{script}");
        assert!(shell != "fish" || script.contains("subcommand run\" -F -a \"bridge "), "{script}");
    }
    let folder = tempfile::tempdir().unwrap();
    // Elvish runs its script. The functions of its editor, which exist in a terminal alone, are replaced by ones that print.
    let editor =
        "var edit: = (ns [&completion:=(ns [&arg-completer=[&]]) &complex-candidate~={|a &display=''| echo $a }])";
    let script = succeed(&["completions", "elvish"]);
    let asked = "$edit:completion:arg-completer[squeeze] squeeze run \"\"";
    let path = folder.path().join("squeeze.elv");
    std::fs::write(&path, format!("{editor}\n{script}\n{asked}\n")).unwrap();
    match Command::new("elvish").arg(path).output() {
        Ok(output) => {
            let flags = String::from_utf8_lossy(&output.stdout);
            assert!(output.status.success() && flags.contains("--image-every"), "{output:?}");
        }
        Err(error) => eprintln!("SKIPPED: no elvish ({error})"),
    }
    let pages = succeed(&["man", folder.path().to_str().unwrap()]);
    assert!(pages.contains("squeeze-run.1"), "{pages}");
    let page = std::fs::read_to_string(folder.path().join("squeeze-run.1")).unwrap();
    assert!(page.contains("image") && page.starts_with(".ie"), "{page}");
}

/// Manual pages are of what there is, groups a list. Writing pages, clap panics in this profile where arguments are not consistent.
#[test]
fn every_command_is_in_one_group() {
    let folder = tempfile::tempdir().unwrap();
    succeed(&["man", folder.path().to_str().unwrap()]);
    let help = succeed(&["help"]);
    let pages = std::fs::read_dir(&folder).unwrap().map(|page| page.unwrap().file_name().into_string().unwrap());
    let commands: Vec<String> =
        pages.filter_map(|page| Some(page.strip_prefix("squeeze-")?.replace(".1", ""))).collect();
    assert!(commands.len() > 20, "{commands:?}");
    for name in commands.iter().filter(|name| !name.contains('-')) {
        assert_eq!(help.matches(&format!("\n  {name} ")).count(), 1, "{name}");
    }
}

#[test]
fn a_sweep_without_parameters_says_what_it_has() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("s").to_str().unwrap().to_owned();
    let sweep = ["sweep", "vicsek", "-r", "ising", "-l", "2", "-n", "20", "--seeds", "4", "--out", &out];
    let told = squeeze(&sweep);
    assert!(told.status.success(), "{told:?}");
    let notes = String::from_utf8(told.stderr).unwrap();
    assert!(notes.contains("note: `--seeds 4` is one seed; `--seeds 0..4` are 4\n"), "{notes}");
    refuse(&["plot", &out], &["varies no parameter", "times.csv` has its means over time"]);
}

#[test]
fn numbers_that_are_not_finite_are_strings_in_json() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("odd.rule");
    let text = "rule odd {\n    state u: f32\n    init u = 1.0\n    next u = u\n    observe up = sum(u / 0.0)\n    \
                observe down = sum(-u / 0.0)\n    observe none = sum(u / 0.0 - u / 0.0)\n}\n";
    std::fs::write(&path, text).unwrap();
    let json = succeed(&["run", "vicsek", "--rule", path.to_str().unwrap(), "--level", "1", "--steps", "0", "--json"]);
    let value: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert_eq!(value["observables"], serde_json::json!({"up": "inf", "down": "-inf", "none": "nan"}));
    assert_eq!(value["seconds_per_step"], 0.0);
}

#[test]
fn the_summary_holds_what_a_person_asks_for() {
    let text = succeed(&life(&[]));
    for word in [
        "vicsek",
        "k = 5 copies a level, s = 3 times as wide",
        "side 27, 125 cells",
        "4 steps",
        "population =",
        "alive ",
    ] {
        assert!(text.contains(word), "no {word:?} in\n{text}");
    }
    assert!(!succeed(&life(&["--no-digest"])).contains("digest"));
    assert_eq!(succeed(&life(&["--quiet"])), "");
}

#[test]
fn the_summary_fits_a_terminal() {
    for case in [["sierpinski_triangle", "life", "12"], ["filigree", "gray_scott", "4"], ["menger_sponge", "heat", "3"]]
    {
        let [fractal, rule, level] = case;
        let text = succeed(&["run", fractal, "--rule", rule, "--level", level, "--steps", "1"]);
        let long: Vec<&str> = text.lines().filter(|line| line.chars().count() > 80).collect();
        assert!(long.is_empty(), "{long:?}");
        assert!(text.contains("1 step in"), "{text}");
    }
}

#[test]
fn flags_for_pictures_need_a_picture() {
    refuse(&life(&["--zoom", "2"]), &["--image FILE"]);
    refuse(&life(&["--image", "a.png", "--fps", "5"]), &["--image-every"]);
    refuse(&life(&["--image", "a.png", "--range", "1:0"]), &["LOW:HIGH"]);
    refuse(&life(&["--image", "a.png", "--colours", "jet"]), &["perceptual, diverging, cyclic, grey"]);
    refuse(&life(&["--image", "a.png", "--log"]), &["--log", "`alive`"]);
    refuse(&life(&["--image", "a.png", "--field", "dead"]), &["no state `dead`", "alive"]);
    refuse(&life(&["--image", "a.png", "--window", "0,0,99,9"]), &["27 × 27 places"]);
    refuse(&life(&["--image", "a.png", "--background", "blue"]), &["dark", "light"]);
}

#[test]
fn seeds_and_parameters_matter() {
    let digest = |more: &[&'static str]| {
        let value: serde_json::Value = serde_json::from_str(&succeed(&life(&[&["--json"], more].concat()))).unwrap();
        value["digest"].to_string()
    };
    assert_eq!(digest(&[]), digest(&["--seed", "0", "--backend", "reference"]));
    assert_eq!(digest(&[]), digest(&["--threads", "1"]));
    #[cfg(feature = "papers")]
    assert_eq!(digest(&[]), digest(&["--threads", "1", "--strategy", "lanes"]));
    assert_ne!(digest(&[]), digest(&["--seed", "1"]));
    refuse(&life(&["--set", "alpha=1"]), &["no parameter `alpha`", "has no parameters"]);
    let heat = ["run", "vicsek", "--rule", "heat", "--level", "2", "--steps", "1", "--set"];
    refuse(&[&heat[..], &["alpha"]].concat(), &["name=value"]);
    refuse(&[&heat[..], &["alpha=warm"]].concat(), &["alpha: f32"]);
}

#[test]
fn what_cannot_be_found_or_read_is_explained() {
    refuse(&["info", "viksek", "--level", "1"], &["did you mean `vicsek`", "menger_sponge"]);
    refuse(&["info", "heat", "--level", "1"], &["`heat` is a rule"]);
    refuse(&["info", "line", "--rule", "vicsek", "--level", "1"], &["`vicsek` is a fractal"]);
    refuse(&["info", "no/such.fractal", "--level", "1"], &["there is no file `no/such.fractal`"]);
    refuse(&["info", "./", "--level", "1"], &["is a directory"]);
    refuse(&["check", "nothing.rule"], &["nothing.rule"]);
    if cfg!(unix) {
        refuse(&["check", "/dev/zero"], &["not a regular file"]);
    }
}

/// A definition behind a file, or a flag that was forgotten before a word.
#[test]
fn a_word_too_many_is_met_with_what_was_probably_meant() {
    let run = |more: &[&'static str]| [&["run", "vicsek", "--level", "3", "--steps", "4"], more].concat();
    for flag in [&["-r", "my.rule"][..], &["--rule=my.rule"], &["-rmy.rule"], &["--rule", "my.rule"]] {
        refuse(&run(&[flag, &["second"]].concat()), &["unexpected argument 'second'", "`--rule my.rule#second`"]);
    }
    refuse(&run(&["second"]), &["unexpected argument 'second'", "`--rule second`"]);
    refuse(&run(&["-r", "heat", "alpha=0.1"]), &["`--set alpha=0.1`"]);
    refuse(&["run", "my.fractal", "dust", "-l", "3", "-n", "4", "-r", "life"], &["`my.fractal#dust`"]);
    refuse(&["emit", "vicsek", "-r", "my.rule", "second"], &["`--rule my.rule#second`"]);
    refuse(
        &["sweep", "vicsek", "-r", "my.rule", "second", "-l", "3", "-n", "4", "-o", "x"],
        &["`--rule my.rule#second`"],
    );
    let fractal = ["run", "-r", "my.rule", "second", "--level", "3", "--steps", "4"];
    refuse(&fractal, &["no fractal `second`", "`--rule my.rule#second`"]);
    refuse(&["list", "rules", "second"], &["unexpected argument 'second'"]);
}

/// `-` is standard input for inputs, and standard output for outputs.
#[test]
fn a_dash_is_standard_input_or_output() {
    let piped = |arguments: &[&str], text: &str| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_squeeze"));
        command.args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        std::io::Write::write_all(&mut child.stdin.take().unwrap(), text.as_bytes()).unwrap();
        let output = child.wait_with_output().unwrap();
        let [printed, errors] = [output.stdout, output.stderr].map(|bytes| String::from_utf8(bytes).unwrap());
        (output.status.code(), printed, errors)
    };
    let text = "rule a { state u: bit init u = x == 1 next u = u observe alive = count(u) }\n\
                rule b { state u: bit init u = x == 1 next u = !u observe alive = count(u) }\n\
                domain strip { size (6, 2) }\n";
    let run = |rule: &str| piped(&["run", "-", "-r", rule, "-n", "1", "--json", "--backend", "reference"], text);
    let (code, printed, errors) = run("-");
    assert!(code == Some(0) && errors.contains("the last rule of `-` is taken, `b`; `-#a` picks another"), "{errors}");
    let value: serde_json::Value = serde_json::from_str(&printed).unwrap();
    assert_eq!((&value["rule"], &value["observables"]["alive"]), (&"b".into(), &10.into()), "{printed}");
    let (_, printed, errors) = run("-#a");
    let value: serde_json::Value = serde_json::from_str(&printed).unwrap();
    assert_eq!((&value["rule"], &value["observables"]["alive"]), (&"a".into(), &2.into()), "{printed}{errors}");
    let (code, _, errors) =
        piped(&["run", "vicsek", "-l", "2", "-r", "-", "-n", "1"], "rule a { state u: bit next u = v }");
    assert!(code == Some(2) && errors.contains("-:1:"), "{errors}");
    // A run goes on without the text that was piped into it.
    let place = tempfile::tempdir().unwrap();
    let folder = place.path().join("run").display().to_string();
    let (code, _, errors) = piped(&["run", "-", "-r", "-#a", "-n", "2", "-o", &folder, "--quiet"], text);
    assert_eq!((code, errors.as_str()), (Some(0), ""));
    succeed(&["resume", &folder, "--steps", "4", "--quiet"]);
    // The printed text is the same.
    let emit = ["emit", "vicsek", "-r", "life", "-l", "3", "--target", "ir"];
    let text = succeed(&emit);
    assert_eq!(succeed(&[&emit[..], &["-o", "-"]].concat()), text);
    assert!(!Path::new("-").exists());
}

/// Pictures and arrays that are not read are no texts in another encoding.
#[test]
fn files_that_are_no_texts_are_met_with_what_is_read() {
    let place = tempfile::tempdir().unwrap();
    let name = |name: &str| place.path().join(name).display().to_string();
    std::fs::write(name("scan.tif"), b"II*\0\x08\0\0\0\xff\xfe").unwrap();
    std::fs::write(name("scan.raw"), vec![255; 20_000_000]).unwrap();
    std::fs::write(name("scan.pgm"), "P2\n2 1\n255\n0 255\n").unwrap();
    std::fs::write(name("scan.png"), b"\x89PNG\r\n\x1a\n").unwrap();
    let read = [".png", ".npy", ".rle", ".cells", ".lif", ".mcl"];
    for (file, conversion) in [("scan.tif", "magick"), ("scan.raw", "numpy.fromfile"), ("scan.pgm", "magick")] {
        let not_a_text = format!("{file}` is not a text");
        let words = [&[&*not_a_text, conversion][..], &read].concat();
        refuse(&["run", &name(file), "-r", "life", "-n", "1"], &words);
        refuse(&["run", "vicsek", "-l", "2", "-r", &name(file), "-n", "1"], &words);
        refuse(&["info", &name(file)], &words);
        refuse(&["check", &name(file)], &words);
        refuse(&["fmt", &name(file)], &words);
    }
    refuse(&["check", &name("scan.png")], &["is not a text", ".png"]);
    // A text in another encoding is one.
    std::fs::write(name("old.rule"), b"rule a { state u: bit next u = u } // \xe4\n").unwrap();
    refuse(&["check", &name("old.rule")], &["save the file as UTF-8"]);
    // The same of a text that another text uses.
    std::fs::write(name("a.rule"), "use \"scan.tif\"\nrule a { state u: bit next u = u }\n").unwrap();
    refuse(&["check", &name("a.rule")], &["a.rule:1", "scan.tif` is not a text"]);
}

#[test]
fn files_of_others_do_not_steer_a_terminal() {
    let folder = tempfile::tempdir().unwrap();
    let pattern = folder.path().join("x.rle");
    std::fs::write(&pattern, "bo\u{1b}[2J\u{1b}]0;owned\u{7}!").unwrap();
    let init = format!("alive={}", pattern.display());
    let message = fail(2, &["run", "vicsek", "--rule", "life", "--level", "3", "--steps", "1", "--init", &init]);
    assert!(message.contains("`␛` stands for no state") && !message.contains('\u{1b}'), "{message:?}");
}

#[test]
fn levels_that_do_not_fit_name_the_largest_that_does() {
    refuse(&["info", "sierpinski_triangle", "--level", "41"], &["largest level that fits is 40"]);
    refuse(
        &["run", "sierpinski_triangle", "--rule", "life", "--level", "30", "--steps", "1", "--backend", "reference"],
        &["needs", "largest level that fits is"],
    );
    refuse(&["run", "vicsek", "--rule", "life_3d", "--level", "2", "--steps", "1"], &["3-D"]);
}

#[test]
fn maps_are_inverse_and_name_their_ranges() {
    for index in 0..25 {
        let coordinate = succeed(&["map", "lambda", "vicsek", "--level", "2", &index.to_string()]);
        let words: Vec<&str> = coordinate.split_whitespace().collect();
        assert_eq!(succeed(&["map", "nu", "vicsek", "--level", "2", words[0], words[1]]), format!("{index}\n"));
    }
    assert_eq!(succeed(&["map", "lambda", "tetrix", "--level", "1", "3"]), "0 0 1\n");
    assert_eq!(succeed(&["map", "nu", "vicsek", "--level", "2", "0", "0"]), "hole\n");
    refuse(&["map", "lambda", "vicsek", "--level", "2", "25"], &["from 0 to 24"]);
    refuse(&["map", "nu", "vicsek", "--level", "2", "9", "0"], &["from 0 to 8"]);
    refuse(&["map", "nu", "vicsek", "--level", "2", "0", "-1"], &["whole numbers"]);
    refuse(&["map", "nu", "tetrix", "--level", "2", "0", "0"], &["X Y Z"]);
    // Of the papers' compact space, where odd levels count in x and even ones in y.
    for (place, index, compact) in [("1 4", "7", "2 1\n"), ("4 8", "24", "4 4\n"), ("4 0", "0", "0 0\n")] {
        let nu: Vec<&str> =
            ["map", "nu", "vicsek", "--level", "2", "--compact"].into_iter().chain(place.split(' ')).collect();
        let lambda = succeed(&["map", "lambda", "vicsek", "--level", "2", index, "--compact"]);
        let plain = succeed(&["map", "lambda", "vicsek", "--level", "2", index]);
        assert_eq!((lambda, plain), (compact.to_owned(), format!("{place}\n")));
        assert_eq!(succeed(&nu), compact, "{place}");
    }
    assert_eq!(succeed(&["map", "nu", "vicsek", "--level", "2", "0", "0", "--compact"]), "hole\n");
    assert_eq!(succeed(&["map", "lambda", "tetrix", "--level", "4", "255", "--compact"]), "15 3 3\n");
    assert_eq!(succeed(&["map", "lambda", "cantor_set", "--level", "3", "5", "--compact"]), "3 0\n");
    refuse(&["map", "lambda", "vicsek", "--level", "2", "25", "--compact"], &["from 0 to 24"]);
    refuse(&["map", "nu", "T8,8", "0", "0", "--compact"], &["`--compact` needs a fractal", "a mask or a box"]);
}

/// The papers' Table 2 (2022) with ρ = 1 has a memory reduction factor of 99.8 for the triangle at level 16.
#[test]
fn a_file_of_several_rules_is_taken_with_a_note() {
    let place = tempfile::tempdir().unwrap();
    let path = place.path().join("two.rule");
    std::fs::write(&path, "rule a { state u: bit next u = u }\nrule b { state u: bit next u = u }").unwrap();
    let path = path.to_str().unwrap();
    let told = |rule: &str, more: &[&str]| {
        let run = [&["run", "vicsek", "--level", "2", "--steps", "1", "--rule", rule], more].concat();
        String::from_utf8(squeeze(&run).stderr).unwrap()
    };
    let note = told(path, &[]);
    assert!(note.contains("the last rule of") && note.contains("`b`") && note.contains("two.rule#a`"), "{note}");
    assert_eq!(told(&format!("{path}#a"), &[]), "");
    assert_eq!(told(path, &["--quiet"]), "");
}

#[test]
fn info_agrees_with_run_on_bytes() {
    let value = |arguments: &[&str]| -> serde_json::Value { serde_json::from_str(&succeed(arguments)).unwrap() };
    for (fractal, rule, level) in [("vicsek", "heat", "5"), ("full_square", "life", "7"), ("lace", "gray_scott", "3")] {
        let info = value(&["info", fractal, "--level", level, "--rule", rule, "--json"]);
        for backend in ["cpu", "reference"] {
            let run =
                ["run", fractal, "--rule", rule, "--level", level, "--steps", "1", "--json", "--backend", backend];
            for bytes in ["state_bytes", "memory_bytes"] {
                assert_eq!(info[bytes][backend], value(&run)[bytes], "{rule} on {fractal}, {backend}");
            }
        }
    }
    let folder = tempfile::tempdir().unwrap();
    let noise = folder.path().join("noise.fractal");
    std::fs::write(&noise, "domain noise { size (3000, 40)  cells random(0.6) }").unwrap();
    let noise = noise.to_str().unwrap();
    for rule in ["heat", "life"] {
        let info = value(&["info", noise, "--rule", rule, "--json"]);
        for backend in ["cpu", "reference"] {
            let run = ["run", noise, "--rule", rule, "--steps", "1", "--json", "--backend", backend];
            for bytes in ["state_bytes", "memory_bytes"] {
                assert_eq!(info[bytes][backend], value(&run)[bytes], "{rule} on a mask, {backend}");
            }
        }
        assert!(info["packed_bytes"].as_u64().unwrap() > 0 && info["columns"].as_u64().unwrap() >= 40, "{info}");
    }
    let text = succeed(&["info", noise, "--rule", "heat"]);
    assert!(text.contains("have cells and are stored") && text.contains("cpu, columns (taken here)"), "{text}");
    let text = succeed(&["info", "vicsek", "--level", "5", "--rule", "heat"]);
    // The layout that is chosen, and so the memory, depends on the processor's vectors.
    assert!(
        text.contains("cells/s") && text.contains("cuda") && text.contains("Memory taken at most at level 5"),
        "{text}"
    );
}

/// The plan for a box or a mask is shown as for a fractal: window, steps of a pass, the expected rate, here or on a machine that is named.
#[test]
fn info_shows_the_plans_of_rows() {
    let folder = tempfile::tempdir().unwrap();
    let mask = folder.path().join("noise.fractal");
    std::fs::write(&mask, "domain noise { size (3000, 40)  cells random(0.6) }").unwrap();
    let mask = mask.to_str().unwrap();
    // Rows of numbers around a seam are computed in a band, as are states that no cache holds; `sandpile` stands for what has no window.
    for (domain, rule, machine, words) in [
        ("T4096,4096", "heat", &[][..], &["window (", ": a band of rows", "t = 4 (steps of a pass)"][..]),
        ("P200,100", "heat", &[], &["none, each step is a pass", "t = 1 (steps of a pass)"]),
        ("T4096,4096", "life", &["--machine", "h100"], &["on h100", "registers of a GPU", "t = 4 (steps of a pass)"]),
        ("T4096,4096", "ising", &["--machine", "zen4"], &["on zen4", "t = 1 (steps of a pass)"]),
        (mask, "life", &[], &["A column is", "window ("]),
    ] {
        let text = succeed(&[&["info", domain, "--rule", rule], machine].concat());
        let rate = ["Plan of `", "cells/s", "ps a cell and step expected", "bound by"];
        for word in words.iter().chain(&rate) {
            assert!(text.contains(word), "{rule} on {domain}: no `{word}` in\n{text}");
        }
        assert!(!text.contains("0.00 ps"), "{text}");
    }
}

#[test]
fn info_agrees_with_the_papers() {
    let text = succeed(&["info", "sierpinski_triangle", "--level", "16"]);
    let last = text.lines().last().unwrap();
    assert!(last.contains("65,536") && last.contains("43,046,721") && last.ends_with("99.8"), "{last}");
    let json = succeed(&["info", "sierpinski_triangle", "--level", "16", "--rule", "heat", "--json"]);
    let value: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert_eq!(value["levels"][16]["compact_bytes"], 4 * 43_046_721);
    assert_eq!(value["levels"][16]["expanded_bytes"], 4u64 << 32);
}

#[test]
fn check_reports_every_error_of_every_file() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| {
        let path = folder.path().join(name);
        std::fs::write(&path, text).unwrap();
        path.to_str().unwrap().to_owned()
    };
    let good = write("good.fractal", "fractal good { scale 2 pattern { \"##\" \"#.\" } }\n");
    let one = write("one.rule", "rule one { state a: bit next a = b }\n");
    let two = write("two.rule", "rule two { state a: bit next a = c }\n");
    assert!(succeed(&["check", &good]).contains("fractal good"));
    refuse(&["check", &one, &good, &two], &["one.rule:1:", "two.rule:1:", "`b`", "`c`"]);
}

#[test]
fn check_gives_codes_and_suggestions_to_programs() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("own.rule");
    let checked = |text: &str, code: i32| -> serde_json::Value {
        std::fs::write(&path, text).unwrap();
        let output = squeeze(&["check", "--json", path.to_str().unwrap()]);
        assert_eq!(output.status.code(), Some(code), "{text}");
        let mut value: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
        value["files"][0].take()
    };
    let file = checked("rule own { state heat: f32 next heat = haet\n  next heat = true }\n", 2);
    let errors = file["errors"].as_array().unwrap();
    let unknown = errors.iter().find(|error| error["code"] == "unknown_name").unwrap_or_else(|| panic!("{file}"));
    let place = serde_json::json!([path, 1, 40, 1, 44, 4]);
    let place_of = |value: &serde_json::Value| {
        serde_json::json!(["file", "line", "column", "end_line", "end_column", "length"].map(|key| &value[key]))
    };
    assert_eq!((place_of(unknown), place_of(&unknown["suggestion"])), (place.clone(), place));
    assert_eq!((&unknown["suggestion"]["text"], &unknown["help"][0]), (&"heat".into(), &"did you mean `heat`?".into()));
    assert!(errors.iter().all(|error| error["code"].as_str().is_some_and(|code| !code.is_empty())), "{file}");
    let places: Vec<_> = errors.iter().map(|error| (error["line"].as_u64(), error["column"].as_u64())).collect();
    assert!(places.is_sorted(), "in the order of the text: {file}");
    let file = checked("rule own { state heat: f32 next heat = heat }\n", 0);
    assert!(file["warnings"][0]["code"] == "no_init" && file["warnings"][0]["suggestion"].is_null(), "{file}");
    let file = checked("rule own { state heat f32 }\n", 2);
    assert_eq!(file["errors"][0]["code"], "syntax");
    std::fs::remove_file(&path).unwrap();
    let output = squeeze(&["check", "--json", path.to_str().unwrap()]);
    let value: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert!(value["files"][0]["errors"][0]["code"].is_null(), "it is no finding in a text");
}

/// What a command line says against itself is told before a state is read, or a kernel is made, that may be wrong as well.
#[test]
fn arguments_are_judged_before_the_work() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let (run, far) = (path("run"), path("far.rule"));
    succeed(&["run", "vicsek", "-r", "heat", "-l", "2", "-n", "2", "--quiet", "-o", &run]);
    // It holds no state of step 1.
    let export = |file: &str, more: &[&str], words: &[&str]| {
        refuse(&[&["export", &run, "--step", "1", "-o", &path(file)], more].concat(), words);
        assert!(!Path::new(&path(file)).exists());
    };
    export("w.npy", &[], &["no state of step 1"]);
    export("w.npy", &["--window", "0,0,5,5", "--hole", "x"], &["`x` is not a value for holes"]);
    export("w.npy", &["--field", "nosuch"], &["has no state `nosuch`"]);
    export("w.vti", &["--window", "0,0,99,99"], &["99"]);
    export("w.rle", &[], &["RLE holds bits", "`u` is f32"]);
    // At this level no layout holds such a neighbourhood.
    std::fs::write(&far, "rule far { state a: f32\n  init a = 1.0\n  next a = a + a[40000, 40000] else 0.0 }\n")
        .unwrap();
    let emit = |more: &[&str], words: &[&str]| {
        refuse(&[&["emit", "full_square", "-r", &far, "-l", "17", "--world", &path("w")], more].concat(), words);
    };
    emit(&[], &["cannot unroll"]);
    emit(&["--set", "nosuch=1"], &["no parameter `nosuch`"]);
    assert!(!Path::new(&path("w")).exists());
}

#[test]
fn fmt_prints_or_rewrites_and_leaves_wrong_files_alone() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.fractal");
    let wrong = folder.path().join("b.fractal");
    std::fs::write(&path, "fractal   a { scale 2\n pattern { \"##\" \"#.\" } }").unwrap();
    std::fs::write(&wrong, "fractal b {").unwrap();
    let (path, wrong) = (path.to_str().unwrap(), wrong.to_str().unwrap());
    let printed = succeed(&["fmt", path]);
    assert!(printed.starts_with("fractal a {\n"), "{printed}");
    refuse(&["fmt", "-w", wrong, path], &["b.fractal"]);
    assert_eq!(std::fs::read_to_string(path).unwrap(), printed);
    assert_eq!(std::fs::read_to_string(wrong).unwrap(), "fractal b {");
    assert_eq!(succeed(&["fmt", "-w", path]), "");
    refuse(&["fmt", "-w", "-"], &["standard input"]);
}

#[test]
fn letters_that_the_font_lacks_are_named() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let heat = ["run", "sierpinski_carpet", "-r", "heat", "-l", "2", "-n", "2", "--quiet", "--label"];
    let told = |arguments: &[&str]| {
        let output = squeeze(arguments);
        assert!(output.status.success(), "{arguments:?}");
        String::from_utf8(output.stderr).unwrap()
    };
    let lacking = "warning: the font lacks `温` (U+6E29), `度` (U+5EA6), which are drawn as `?`; a file that ends in `.svg` keeps all letters\n";
    let (out, other) = (path("out"), path("a"));
    for (label, ending, expected) in [
        ("Температура, ψₖ ∝ ħ ∂ ∇ ±", "png", ""),
        ("Температура 温度 温", "png", lacking),
        ("Температура 温度 温", "pdf", lacking),
        ("Температура 温度 温", "svg", ""),
    ] {
        let image = format!("{other}.{ending}");
        assert_eq!(told(&[&heat[..], &[label, "--image", &image]].concat()), expected, "{label} in {ending}");
    }
    let movie = ["温度", "--image-every", "1", "--image", &format!("{other}.png"), "--out", &out];
    assert_eq!(told(&[&heat[..], &movie].concat()), lacking, "once");
    for ending in ["png", "gif"] {
        let exported = told(&["export", &out, "--label", "温度", "-o", &format!("{other}.{ending}")]);
        assert!(exported.ends_with(lacking) && exported.matches("warning").count() == 1, "{ending}: {exported}");
    }
}

#[test]
fn initial_values_that_meet_the_draws_that_made_them_are_told() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let (out, array, shown) = (path("out"), path("up.npy"), path("swept"));
    let ising = ["run", "sierpinski_carpet", "-r", "ising", "-l", "2", "-n", "4"];
    succeed(&[&ising[..], &["--quiet", "--out", &out]].concat());
    succeed(&["export", &out, "--field", "up", "-o", &array]);
    let init = format!("up={array}");
    let told = |arguments: &[&str]| {
        let output = squeeze(arguments);
        assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stderr).unwrap()
    };
    let note = "note: `ising` draws with seed 0 from step 1 on: if a run with this seed made the initial values, its noise is repeated";
    let with = |more: &[&str]| told(&[&ising[..], &["--init", &init], more].concat());
    assert!(with(&[]).starts_with(note), "{}", with(&[]));
    for more in [&["--seed", "0"][..], &["--seed", "1"], &["--time", "4"], &["--time", "0"], &["--quiet"]] {
        assert_eq!(with(more), "", "{more:?}");
    }
    assert_eq!(told(&ising), "");
    // Rules that draw in `init` alone repeat nothing.
    let life = ["run", "sierpinski_carpet", "-r", "life", "-l", "2", "-n", "4", "--init"];
    assert_eq!(told(&[&life[..], &[&init.replace("up=", "alive=")]].concat()), "");
    let sweep = ["sweep", "sierpinski_carpet", "-r", "ising", "-l", "2", "-n", "4", "--init", &init, "--out", &shown];
    assert!(told(&sweep).contains(note));
    std::fs::remove_dir_all(&shown).unwrap();
    assert!(!told(&[&sweep[..], &["--seeds", "1..3"]].concat()).contains(note));
}

#[test]
fn pictures_are_png_files_or_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.png");
    let name = path.to_str().unwrap();
    succeed(&[&LIFE[..], &["--image", name]].concat());
    let size = |path: &Path| {
        let decoder = png::Decoder::new(std::io::BufReader::new(std::fs::File::open(path).unwrap()));
        let info = decoder.read_info().unwrap();
        (info.info().width, info.info().height)
    };
    assert_eq!(size(&path), (37 * 27 + 60, 37 * 27 + 60), "with a margin");
    succeed(&["render", "vicsek", "--level", "27", "-o", name]);
    assert_eq!(size(&path), (243 * 4, 243 * 4), "lines of a sparse fractal are wide enough to be seen");
    let nowhere = folder.path().join("no/a.png");
    let message = fail(1, &[&LIFE[..], &["--image", nowhere.to_str().unwrap()]].concat());
    assert!(message.contains("there is no folder"), "{message}");
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1, "nothing is left behind");
}

#[test]
fn a_reader_that_leaves_is_no_error() {
    let mut command = Command::new(env!("CARGO_BIN_EXE_squeeze"));
    let mut child = command
        .args(["info", "vicsek", "--level", "20"])
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    assert_eq!((output.status.code(), output.stderr.as_slice()), (Some(0), &b""[..]));
}

#[test]
fn bench_measures_named_cases() {
    let arguments = ["bench", "sierpinski_triangle,life,6", "vicsek,heat,2,reference", "--seconds", "0.05", "--json"];
    let text = succeed(&arguments);
    assert_eq!(text.lines().count(), 1);
    let value: serde_json::Value = serde_json::from_str(&text).unwrap();
    assert_eq!(value["command"], format!("squeeze {}", arguments.join(" ")));
    assert!(!value["device"].as_str().unwrap().is_empty());
    let list = value["measurements"].as_array().unwrap();
    let threads: Vec<u64> = list.iter().map(|of| of["threads"].as_u64().unwrap()).collect();
    let all = value["threads"].as_u64().unwrap();
    assert_eq!(threads, if all == 1 { vec![1, 1] } else { vec![1, all, 1] });
    for of in list {
        for name in ["seconds_per_step", "cells_per_second", "ratio_to_copy", "seconds_from_start_to_first_pass"] {
            assert!(of[name].as_f64().unwrap() > 0.0, "{name} in {of}");
        }
        assert!(of["seconds_per_step_min"].as_f64() <= of["seconds_per_step_max"].as_f64());
        assert!(of["repeats"].as_u64().unwrap() >= 3);
    }
    let first = &list[0];
    assert_eq!((&first["cells"], &first["backend"]), (&729.into(), &"cpu".into()));
    let steps = first["layout"]["t"].as_u64().unwrap();
    assert_eq!(first["steps_per_repeat"].as_u64().unwrap() % steps, 0);
    assert_eq!(list.last().unwrap()["layout"], serde_json::Value::Null);
    let table = succeed(&["bench", "sierpinski_triangle,life,4", "--seconds", "0.05", "--threads", "1"]);
    assert!(table.contains("sierpinski_triangle,life,4") && table.contains("of copy"), "{table}");
}

/// Each instruction set is taken if the machine has it, and refused otherwise.
#[test]
fn bench_takes_an_instruction_set() {
    for isa in squeeze::cpu::Isa::ALL {
        let arguments =
            ["bench", "vicsek,heat,3", "--isa", isa.name(), "--threads", "1", "--seconds", "0.02", "--json"];
        if isa.is_available() {
            let text = succeed(&arguments);
            assert!(text.contains(&format!("\"{isa}\"")), "{text}");
        } else {
            refuse(&arguments, &["this machine has no", isa.name()]);
        }
    }
}

#[test]
fn bench_says_what_observables_cost() {
    let arguments = ["bench", "vicsek,heat,3", "--observables", "--threads", "1", "--seconds", "0.05"];
    let value: serde_json::Value = serde_json::from_str(&succeed(&[&arguments[..], &["--json"]].concat())).unwrap();
    let of = &value["observations"][0];
    assert_eq!(of["observables"], serde_json::json!(["total", "coldest", "hottest"]));
    let number = |name: &str| of[name].as_f64().unwrap();
    let steps = number("seconds_per_observation") / number("seconds_per_step") / 3.0;
    assert!((number("steps_per_observable") / steps - 1.0).abs() < 1e-9, "{of}");
    let table = succeed(&arguments);
    assert!(table.contains("vicsek,heat,3") && table.contains("steps an observable"), "{table}");
    refuse(&["bench", "vicsek,heat,3", "--observables", "--saving", "5"], &["cannot be used with"]);
    refuse(&["bench", "vicsek,heat,3", "--observables", "--fields"], &["cannot be used with"]);
    let looks = succeed(&["bench", "vicsek,heat,3", "--fields", "--threads", "1", "--seconds", "0.05", "--json"]);
    let looks: serde_json::Value = serde_json::from_str(&looks).unwrap();
    let number = |name: &str| looks["looks"][0][name].as_f64().unwrap();
    assert!(number("seconds_per_window") > 0.0 && number("seconds_per_sums") > 0.0, "{looks}");
    assert!(looks["looks"][0]["bytes_per_window"].is_null(), "nothing is copied on a CPU: {looks}");
    assert!((number("ratio_to_copy") * number("seconds_per_field") / number("seconds_per_copy") - 1.0).abs() < 1e-9);
}

#[test]
fn messages_of_ranks_are_counted_before_a_run() {
    let arguments = ["info", "sierpinski_triangle", "--level", "9", "--rule", "life", "--ranks", "5"];
    let value: serde_json::Value = serde_json::from_str(&succeed(&[&arguments[..], &["--json"]].concat())).unwrap();
    let sent = value["ranks"]["sent"].as_array().unwrap();
    assert!(sent.len() == 5 && sent.iter().all(|rank| rank["bytes"].as_u64().unwrap() > 0), "{value}");
    let text = succeed(&arguments);
    assert!(text.contains("On 5 ranks (T = ") && text.contains("all ranks together send"), "{text}");
    refuse(&["info", "sierpinski_triangle", "--ranks", "5"], &["--rule"]);
    refuse(&["info", "vicsek", "--level", "1", "--rule", "life", "--ranks", "50"], &["too small for 50 ranks"]);
}

#[test]
fn gpus_are_named_by_numbers() {
    for list in ["", "first", "0,", "0;1", "0,1,all"] {
        refuse(&life(&["--devices", list]), &["valid are `all`", "such as 0,1"]);
    }
    refuse(&life(&["--devices", "0,1", "--backend", "cpu"]), &["the backend `cpu` runs on no GPU"]);
    refuse(&life(&["--devices", "all", "--backend", "reference"]), &["GPU"]);
    refuse(&life(&["--devices", "0", "--backend", "cuda", "--load-cuda", "no.cu"]), &["runs on the first GPU"]);
}

#[test]
fn bench_says_how_long_tiles_take() {
    let arguments = ["bench", "--wavefronts", "plane_300,lcs", "--threads", "1", "--seconds", "0.001"];
    let value: serde_json::Value = serde_json::from_str(&succeed(&[&arguments[..], &["--json"]].concat())).unwrap();
    let of = &value["wavefronts"][0]["waits"][0];
    assert_eq!((&of["wait"], &of["workers"]), (&"threads".into(), &1.into()));
    let least = of["tiles"].as_array().unwrap().iter().map(|tile| tile["seconds_per_step"].as_f64().unwrap());
    assert_eq!(of["best"]["seconds_per_step"].as_f64(), least.reduce(f64::min));
    let table = succeed(&arguments);
    assert!(table.contains("plane_300,lcs on ") && table.contains("closed form"), "{table}");
    refuse(&["bench", "--wavefronts", "plane_30,life"], &["`plane_30,life,cpu` is not a case", "go through tiles"]);
    refuse(&["bench", "--wavefronts", "plane_0,lcs"], &["plane_0"]);
    refuse(&["bench", "--wavefronts", "plane_300,lcs", "--backend", "cpu"], &["has no effect where cases are named"]);
    refuse(&["bench", "--wavefronts", "--layouts"], &["cannot be used with"]);
}

#[test]
fn bench_says_what_specialities_buy() {
    let text = succeed(&["bench", "--ledger", "kept-planes", "--seconds", "0.01", "--json"]);
    let value: serde_json::Value = serde_json::from_str(&text).unwrap();
    let [kept] = &value["ledger"].as_array().unwrap()[..] else { panic!("{text}") };
    let first = &kept["cases"][0];
    assert!(first["reached"] == true && first["ratio"].as_f64() > Some(0.0) && first["problem"].is_null(), "{text}");
    assert!(kept["verdict"].as_str().unwrap().contains(" of 2"), "{text}");
    refuse(&["bench", "--ledger", "chairs"], &["no speciality `chairs`", "`tables`"]);
    refuse(&["bench", "--ledger", "quads"], &["the backend `cpu` has no speciality `quads`"]);
    refuse(&["bench", "--ledger", "--layouts"], &["cannot be used with"]);
    refuse(&["bench", "vicsek,life,2", "--backend", "cpu"], &["has no effect without", "--ledger"]);
}

#[test]
fn bench_compares_layouts() {
    let text = succeed(&["bench", "--layouts", "vicsek,life,3", "--threads", "1", "--seconds", "0.2", "--json"]);
    let value: serde_json::Value = serde_json::from_str(&text).unwrap();
    let sweep = &value["sweeps"][0];
    assert!(sweep["behind"].as_f64().unwrap() >= 0.0);
    assert_eq!(sweep["choice"], sweep["layouts"][0]);
    assert!(sweep["best"]["seconds_per_step"].as_f64() <= sweep["choice"]["seconds_per_step"].as_f64());
}

#[test]
fn bench_asks_peers() {
    let folder = tempfile::tempdir().unwrap();
    let script = "import json, sys\ncase = json.load(sys.stdin)\n\
                  print(json.dumps({'name': 'slow', 'seconds_per_step': float(case['side'])}))\n";
    std::fs::write(folder.path().join("a.py"), script).unwrap();
    std::fs::write(folder.path().join("b.py"), "print('{\"name\": \"b\", \"skipped\": \"no hands\"}')\n").unwrap();
    let folder = folder.path().to_str().unwrap();
    let arguments = ["bench", "vicsek,life,2", "--threads", "1", "--seconds", "0.01", "--peers", folder];
    let value: serde_json::Value = serde_json::from_str(&succeed(&[&arguments[..], &["--json"]].concat())).unwrap();
    let of = &value["measurements"][0];
    assert_eq!(of["peers"][0]["seconds_per_step"], 9.0);
    let ratio = of["peers"][0]["times_ours"].as_f64().unwrap();
    assert!((ratio * of["seconds_per_step"].as_f64().unwrap() - 9.0).abs() < 1e-6, "{of}");
    assert_eq!(of["peers"][1], serde_json::json!({"name": "b", "problem": "skipped: no hands"}));
    let table = succeed(&arguments);
    assert!(table.contains("slow") && table.contains("no hands"), "{table}");
    // A message about several cases is printed once.
    let several = ["bench", "vicsek,life,2", "vicsek,life,1", "--threads", "1", "--seconds", "0.01", "--peers", folder];
    let table = succeed(&several);
    assert!(table.matches("no hands").count() == 1 && table.contains("vicsek,life,2, vicsek,life,1"), "{table}");
}

/// A command on a machine that hides its GPU and NVRTC, if it has them.
fn without_gpu(arguments: &[&str]) -> (Option<i32>, String, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_squeeze"));
    command.env("CUDA_VISIBLE_DEVICES", "").env("SQUEEZE_CACHE", "");
    let output = command.args(arguments).stdin(Stdio::null()).output().expect("the command starts");
    let text = |bytes| String::from_utf8(bytes).unwrap();
    (output.status.code(), text(output.stdout), text(output.stderr))
}

#[test]
fn without_a_gpu_every_command_does_something_sensible() {
    let (code, _, errors) = without_gpu(&life(&["--backend", "cuda"]));
    assert!(code == Some(1) && errors.contains("= help") && !errors.contains("panicked"), "{code:?} {errors}");
    let (code, out, errors) = without_gpu(&life(&["--backend", "auto", "--json"]));
    assert!(code == Some(0) && out.contains("\"backend\":\"cpu\"") && errors.lines().count() <= 1, "{code:?} {errors}");
    let (code, out, errors) = without_gpu(&["doctor"]);
    assert_eq!((code, errors.as_str()), (Some(0), ""));
    for word in ["processor", "driver", "device", "NVRTC", "cache", "cuda cannot", "missing"] {
        assert!(out.contains(word), "no {word:?} in\n{out}");
    }
    let (_, out, _) = without_gpu(&["doctor", "--json"]);
    let value: serde_json::Value = serde_json::from_str(&out).unwrap();
    assert_eq!((&value["cuda"], &value["cache"]), (&serde_json::json!(false), &serde_json::Value::Null));
    assert!(!value["missing"].as_array().unwrap().is_empty(), "{value}");
    let (code, _, errors) = without_gpu(&["bench", "vicsek,life,2,cuda"]);
    assert!(code == Some(1) && errors.contains("= help"), "{code:?} {errors}");
}

#[test]
fn loaded_code_is_for_the_backend_cuda() {
    refuse(&life(&["--load-cuda", "a.cu"]), &["`auto` runs no CUDA C", "--backend cuda"]);
    refuse(&life(&["--load-cuda", "no/such.cu", "--backend", "cuda"]), &["no/such.cu"]);
}

#[test]
fn bench_says_what_a_case_is() {
    refuse(&["bench", "vicsek,life"], &["`vicsek,life` is not a case", "FRACTAL,RULE,LEVEL"]);
    refuse(&["bench", "vicsek,life,x"], &["`x` is not a whole number"]);
    refuse(&["bench", "vicsek,life,2,abacus"], &["no backend `abacus`", "`reference`"]);
    refuse(&["bench", "vicsek,life,2", "viksek,life,2"], &["did you mean `vicsek`"]);
    refuse(&["bench", "vicsek,live,2"], &["did you mean `life`"]);
    refuse(&["bench", "vicsek,life,60"], &["largest level that fits"]);
    refuse(&["bench", "--seconds", "0"], &["from 0.001"]);
    refuse(&["bench", "--isa", "mmx"], &["sse4.1, avx2, avx512"]);
    refuse(&["bench", "--threads", "0"], &["from 1"]);
    refuse(&["bench", "vicsek,life,2", "--peers", "no/such"], &["`no/such` holds no peers", "`.py`"]);
    refuse(&["bench", "--layouts", "--peers", "."], &["--layouts"]);
    refuse(&["bench", "vicsek,life,2,reference", "--layouts"], &["`cpu`"]);
}

#[test]
fn the_tables_of_a_printed_kernel_go_to_a_file_of_their_own() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("ising.world");
    let path = path.to_str().unwrap();
    let emit = ["emit", "menger_sponge", "--rule", "ising", "--level", "3", "--world", path];
    let text = succeed(&emit);
    let constant = |name: &str| -> u64 {
        let begin = format!("constexpr u32 {name} = ");
        let line = text.lines().find_map(|line| line.strip_prefix(&begin)).expect("it has a line of its own");
        line.trim_end_matches(';').parse().unwrap()
    };
    let bytes = std::fs::read(path).unwrap();
    let number = |at: usize| u64::from_le_bytes(bytes[at..at + 8].try_into().unwrap());
    assert_eq!(&bytes[..8], b"SQWORLD1");
    let (lane_cells, superblocks, level, side) = (number(8), number(16), number(24), number(32));
    assert_eq!((lane_cells * constant("LANES"), level, side), (8000, 3, 27));
    assert_eq!(superblocks * constant("MICRO_CELLS"), lane_cells);
    let (mut lengths, mut at) = (Vec::new(), 48);
    while at < bytes.len() {
        lengths.push(number(at));
        at += 8 + lengths.last().unwrap().next_multiple_of(8) as usize;
    }
    assert_eq!((at, lengths.len()), (bytes.len(), 10));
    assert_eq!(lengths[9], 4 * constant("LANES"));
    let wraps = 27;
    assert_eq!(lengths[..3], [4 * constant("DIRECTIONS") * superblocks, superblocks, 4 * wraps * constant("LANES")]);
    // Behind the parameter stand the thresholds of the classes.
    assert!(lengths[6] > 8 && lengths[6].is_multiple_of(8));
    succeed(&[&emit[..], &["--set", "beta=0.5"]].concat());
    assert_ne!(std::fs::read(path).unwrap(), bytes);
    refuse(&[&emit[..6], &["--set", "beta=0.5"]].concat(), &["--world"]);
    refuse(&[&emit[..], &["--target", "ir"]].concat(), &["strategy `lanes` on GPUs", "--target cuda"]);
    #[cfg(feature = "papers")]
    refuse(&[&emit[..], &["--strategy", "squeeze"]].concat(), &["strategy `lanes` on GPUs"]);
}

#[test]
fn printed_kernels_have_names_of_their_own_and_a_header() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let (header, program) = (path("life.h"), path("life"));
    let emit = ["emit", "vicsek", "--rule", "life", "--level", "3"];
    let text = succeed(&emit);
    let kernels =
        |text: &str, name: &str| text.contains(&format!("extern \"C\" __global__ void __launch_bounds__(128) {name}("));
    assert!(kernels(&text, "squeeze_vicsek_3_life_init"), "{text}");
    let named = succeed(&[&emit[..], &["--prefix", "mine", "--header", &header]].concat());
    assert!(kernels(&named, "mine_life_init") && named.contains("namespace mine_life_kernels {"), "{named}");
    let header = std::fs::read_to_string(header).unwrap();
    assert!(
        header.contains("void mine_life_init(uint32_t * /* new_alive */, const struct mine_life_World /* world */);"),
        "{header}"
    );
    assert!(
        header.contains("#define mine_life_init_BLOCKS 1\n") && header.contains("mine_life_BYTES_OF_alive "),
        "{header}"
    );
    for prefix in ["", "9x", "a-b", "_a", "ä"] {
        refuse(&[&emit[..], &["--prefix", prefix]].concat(), &["letters, digits and underscores"]);
    }
    refuse(&[&emit[..], &["--target", "ir", "--prefix", "mine"]].concat(), &["`--prefix`", "--target cuda"]);
    refuse(&[&emit[..], &["--target", "rust", "--header", "x.h"]].concat(), &["`--header`", "--target cuda"]);
    for architecture in ["sm_", "hopper", "sm_90x", "compute_a", "sm_9 0"] {
        refuse(&[&emit[..], &["--target", "ptx", "--arch", architecture]].concat(), &["sm_75, sm_90a or compute_120"]);
    }
    // The command of a printed program makes no file that is taken for the rule; one that is there is no rule.
    let rust = succeed(&[&emit[..], &["--target", "rust"]].concat());
    let (named, to) = (folder.path().join("own.rs"), [&emit[..], &["--target", "rust", "--out"]].concat());
    let told = squeeze(&[&to[..], &[named.to_str().unwrap()]].concat());
    assert!(String::from_utf8_lossy(&told.stderr).contains("own.rs -o"), "what compiles it is told: {told:?}");
    assert!(rust.contains("// rustc -O --edition 2024 life.rs -o life.out\n// ./life.out STEPS"), "{rust}");
    std::fs::write(&program, b"\x7fELF\x02\x01\x01\0").unwrap();
    refuse(&["emit", "vicsek", "--rule", &program], &["is a program, not a text"]);
    std::fs::write(&program, b"\xff\xd8\xff\xe0").unwrap();
    refuse(&["check", &program], &["is a picture, not a text", "a PNG is a mask"]);
}

#[cfg(feature = "papers")]
#[test]
fn strategies_of_the_papers_need_a_gpu_and_say_what_fits() {
    refuse(&life(&["--strategy", "planes"]), &["lanes", "squeeze", "lambda", "bounding-box"]);
    refuse(&life(&["--map", "tensor"]), &["scalar", "warp", "wmma", "wmma-f16"]);
    refuse(&life(&["--rho", "0"]), &["from 1"]);
    refuse(&life(&["--strategy", "lanes", "--backend", "reference"]), &["--backend cpu"]);
    refuse(&life(&["--map", "wmma", "--backend", "reference"]), &["--backend cpu"]);
    let squeeze = |more: &[&'static str]| life(&[&["--strategy", "squeeze"], more].concat());
    refuse(&squeeze(&["--backend", "cpu"]), &["`squeeze` runs on GPUs only", "`cpu`", "--backend cuda"]);
    refuse(&squeeze(&["--rho", "2"]), &["blocks of side 2 do not fit `vicsek` at level 3", "1, 3, 9, 27"]);
    refuse(&life(&["--rho", "9"]), &["the strategy `lanes` has neither maps nor blocks", "--strategy squeeze"]);
    refuse(&life(&["--map", "warp", "--strategy", "bounding-box"]), &["computes no maps", "leave out `--map`"]);
    // Where nothing is said, CUDA C is printed.
    let said = ["emit", "vicsek", "--rule", "life", "--target", "cuda"];
    assert_eq!(succeed(&said[..4]), succeed(&said));
    refuse(&["emit", "vicsek"], &["--rule <RULE>"]);
    let emit = ["emit", "vicsek", "--rule", "life", "--level", "3", "--strategy", "lambda", "--target"];
    refuse(&[&emit[..], &["ir"]].concat(), &["has no kernel IR", "--target cuda"]);
    let text = succeed(&[&emit[..], &["cuda", "--map", "wmma", "--rho", "3"]].concat());
    assert!(text.contains("strategy lambda, blocks of side 3, maps wmma") && text.contains("mma.sync"), "{text}");
    let text = succeed(&[&emit[..], &["cuda", "--map", "wmma-f16", "--rho", "3"]].concat());
    assert!(text.contains("blocks of side 3, maps wmma-f16") && text.contains("m16n8k16.row.col.f32.f16"), "{text}");
    for backend in ["cuda", "auto"] {
        let mut command = Command::new(env!("CARGO_BIN_EXE_squeeze"));
        command.args(squeeze(&["--backend", backend])).env("CUDA_VISIBLE_DEVICES", "").stdin(Stdio::null());
        let output = command.output().expect("the command starts");
        let message = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(1), "{message}");
        assert!(message.contains("`squeeze` runs on GPUs only") && message.contains("--strategy lanes"), "{message}");
    }
}

#[cfg(feature = "papers")]
#[test]
fn figures_are_made_and_wrong_wishes_refused() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("figures");
    let out = out.to_str().unwrap();
    refuse(&["figures", "2022-fig-15", "--out", out], &["2022-fig-15", "2022-fig-10", "2021-table-1"]);
    refuse(&["figures", "--backend", "cpu", "--out", out], &["measured on a GPU", "--quick"]);
    refuse(&["figures", "--backend", "reference", "--out", out], &["auto", "cuda"]);
    assert!(!Path::new(out).exists());
    let told = succeed(&["figures", "2022-fig-10", "2021-table-1", "--quick", "--quiet", "--out", out]);
    assert!(told.contains("REPORT.md\n13 claims: 13 held, 0 surpassed, 0 not held"), "{told}");
    refuse(&["figures", "2022-fig-10", "--out", out], &["quick tier"]);
    let json = std::fs::read_to_string(Path::new(out).join("figures.json")).unwrap();
    assert!(json.contains("\"quick\""), "{json}");
}

/// Rules that are there to be measured.
#[test]
fn rules_of_benchmarks_are_sound() {
    let benches = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../benches");
    for file in ["functions.rule", "lets/bits.rule", "lets/words.rule"] {
        succeed(&["check", "--deny", "warnings", benches.join(file).to_str().unwrap()]);
    }
    for kind in ["bits", "words"] {
        let case = |rule: &str| format!("full_square,{}/lets/{kind}.rule#{rule},4", benches.display());
        let table = succeed(&["bench", &case("by_let"), &case("by_state"), "--threads", "1", "--seconds", "0.01"]);
        assert!(table.contains("by_let") && table.contains("by_state"), "{table}");
    }
}

#[test]
fn flags_and_numbers_have_one_vocabulary() {
    assert_eq!(succeed(&["analyze", "--help"]), succeed(&["analyse", "--help"]));
    let folder = tempfile::tempdir().unwrap();
    for flag in ["-o", "--out", "--output"] {
        let picture = folder.path().join(format!("{flag}.png"));
        succeed(&["render", "vicsek", "--level", "2", flag, picture.to_str().unwrap()]);
        assert!(picture.is_file());
    }
    let image = folder.path().join("life.png");
    let image = ["--image", image.to_str().unwrap(), "--colors", "grey", "--quiet"];
    succeed(&[&["run", "vicsek", "--rule", "life", "--level", "1", "--steps", "1_0"][..], &image].concat());
    refuse(&["run", "vicsek", "--rule", "life", "--steps", "_"], &["from 0 to 4294967295 (2^32 - 1)"]);
    let text = succeed(&["run", "vicsek", "--rule", "heat", "--level", "3", "--steps", "5", "--backend", "reference"]);
    assert!(text.contains("hottest = 644.42\n"), "{text}");
}

/// A library that was loaded with the command may have set another mode of floats: results, means and their errors are the same.
#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
#[test]
fn results_do_not_depend_on_the_mode_of_floats() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    std::fs::write(at("mode.c"), squeeze_testing::SETS_MODE).unwrap();
    let library = Command::new("cc").args(["-shared", "-fPIC", "-o", &at("mode.so"), &at("mode.c")]).status();
    if !library.is_ok_and(|status| status.success()) {
        return;
    }
    let rule = "rule r {
        param a: f32 = 0.1
        state u: f32
        init u = normal()
        global m = mean(u)
        next u = u + a * f32(m) + sum(von_neumann, nb.u - u) / 7.0 + 1e-39
        observe mean_u = mean(u)
        observe spread = variance(u)
    }";
    std::fs::write(at("r.rule"), rule).unwrap();
    let run = |word: &str, arguments: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_squeeze"));
        let output = command.args(arguments).env("LD_PRELOAD", at("mode.so")).env("MODE", word).output().unwrap();
        assert!(output.status.success(), "{word}: {}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap()
    };
    let all = |word: &str| {
        let mut texts = Vec::new();
        for backend in ["cpu", "reference"] {
            let text = run(
                word,
                &[
                    "run",
                    "sierpinski_carpet",
                    "-r",
                    &at("r.rule"),
                    "-l",
                    "3",
                    "-n",
                    "50",
                    "--backend",
                    backend,
                    "--json",
                ],
            );
            let json: serde_json::Value = serde_json::from_str(&text).unwrap();
            texts.push(format!("{} {}", json["digest"], json["observables"]));
            let out = at(&format!("{word}_{backend}"));
            run(
                word,
                &[
                    "sweep",
                    "sierpinski_carpet",
                    "-r",
                    &at("r.rule"),
                    "-l",
                    "2",
                    "-n",
                    "60",
                    "--seeds",
                    "0..6",
                    "--set",
                    "a=0.05..=0.1/0.05",
                    "--backend",
                    backend,
                    "--out",
                    &out,
                    "--quiet",
                ],
            );
            texts.extend(
                ["summary.csv", "times.csv"].map(|name| std::fs::read_to_string(format!("{out}/{name}")).unwrap()),
            );
        }
        texts
    };
    let wanted = all("0x1f80");
    assert_eq!((&wanted[0], &wanted[1], &wanted[2]), (&wanted[3], &wanted[4], &wanted[5]));
    // Flushing; rounding down, up and to zero.
    for word in ["0x9fc0", "0x3f80", "0x5f80", "0x7f80"] {
        assert_eq!(all(word), wanted, "{word}");
    }
}

/// Parameters that follow from others follow in sweeps and resumed runs, and a sweep is refused before it begins if one would leave its range.
#[test]
fn parameters_that_follow_are_looked_at_before_a_sweep_begins() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let rule = "rule r {
        param a: f32 = 1.0
        param b: f32 in 0.0..=4.0 = 2.0 * a
        state u: f32
        init u = b
        next u = u + b
        observe m = max(u)
    }";
    std::fs::write(at("r.rule"), rule).unwrap();
    let (text, out) = (at("r.rule"), at("out"));
    let sweep = ["sweep", "vicsek", "-r", &text, "-l", "1", "-n", "2", "--quiet", "--out", &out];
    let with = |more: &[&'static str]| [&sweep[..], more].concat();
    refuse(&with(&["--set", "a=1,3"]), &["`6.0` is outside the range of the parameter `b`, which follows from others"]);
    refuse(&with(&["--set", "b=1,5"]), &["`5.0` is outside the range of the parameter `b`; valid are 0.0 to 4.0"]);
    assert!(!Path::new(&out).exists());
    succeed(&with(&["--set", "a=3", "--set", "b=0.5,1"]));
    let table = std::fs::read_to_string(at("out/observables.csv")).unwrap();
    assert!(
        table.lines().any(|line| line.ends_with(",1.5")) && table.lines().any(|line| line.ends_with(",3.0")),
        "{table}"
    );

    let (run, text) = (at("run"), at("r.rule"));
    succeed(&["run", "vicsek", "-r", &text, "-l", "1", "-n", "1", "--set", "a=0.5", "-o", &run, "--quiet"]);
    let manifest = std::fs::read_to_string(at("run/manifest.json")).unwrap();
    let manifest: serde_json::Value = serde_json::from_str(&manifest).unwrap();
    assert_eq!((&manifest["follows"][0], &manifest["params"][1]), (&"b".into(), &"b=1.0".into()));
    let resumed: serde_json::Value =
        serde_json::from_str(&succeed(&["resume", &run, "--steps", "3", "--json", "--quiet"])).unwrap();
    assert_eq!(resumed["observables"]["m"], 4.0);
}
