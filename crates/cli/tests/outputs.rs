//! No command writes over its inputs, nor two outputs to one place, by whatever names.
#![cfg(unix)]

mod command;

use command::{refuse, squeeze, succeed};
use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

/// All files below a folder.
fn files(folder: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut all = BTreeMap::new();
    for entry in fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
        if entry.is_symlink() {
            all.insert(entry.clone(), fs::read_link(&entry).unwrap().into_os_string().into_encoded_bytes());
        } else if entry.is_dir() {
            all.extend(files(&entry));
        } else {
            all.insert(entry.clone(), fs::read(&entry).unwrap());
        }
    }
    all
}

fn words(line: &str) -> Vec<&str> {
    line.split(' ').collect()
}

/// A picture in black and white, and what is made of it.
fn laid_out() -> tempfile::TempDir {
    let place = tempfile::tempdir().unwrap();
    let folder = place.path();
    succeed(folder, &words("render sierpinski_carpet -l 2 -o rock.png --zoom 1"));
    fs::copy(folder.join("rock.png"), folder.join("start.png")).unwrap();
    fs::write(folder.join("plus.fractal"), "fractal plus { scale 3 pattern {\n.#.\n###\n.#.\n} }\n").unwrap();
    fs::write(folder.join("mixed.fractal"), "use \"plus.fractal\"\nfractal mixed { levels [plus, vicsek] }\n").unwrap();
    fs::write(folder.join("rock.fractal"), "domain rock { mask \"rock.png\" }\n").unwrap();
    fs::write(folder.join("spins.rule"), "rule spins { state up: bit  init up = random(0.5)  next up = !up }\n")
        .unwrap();
    fs::hard_link(folder.join("spins.rule"), folder.join("hard.rule")).unwrap();
    symlink("spins.rule", folder.join("soft.rule")).unwrap();
    fs::create_dir(folder.join("sub")).unwrap();
    symlink("../sub", folder.join("sub/way")).unwrap();
    succeed(folder, &words("run vicsek -r spins.rule -l 2 -n 4 --save-every 2 --out done.zarr --quiet"));
    succeed(folder, &words("export done.zarr -o cells.npy"));
    place
}

#[test]
fn what_is_read_is_not_written_over() {
    let place = laid_out();
    let folder = place.path();
    let emit = "emit vicsek -r spins.rule -l 2 --target ir -o";
    for (line, named) in [
        (format!("{emit} spins.rule"), "`spins.rule` is read, and the result would be written over it"),
        (format!("{emit} ./sub/way/../spins.rule"), "`spins.rule` is read, and `./sub/way/../spins.rule` would be"),
        (format!("{emit} {}/spins.rule", folder.display()), "`spins.rule` is read"),
        (format!("{emit} hard.rule"), "`spins.rule` is read, and `hard.rule` would be"),
        (format!("{emit} soft.rule"), "`spins.rule` is read, and `soft.rule` would be"),
        ("emit mixed.fractal -r heat -l 2 --target cuda -o plus.fractal".to_owned(), "`plus.fractal` is read"),
        (
            "emit mixed.fractal -r heat -l 2 --target cuda -o k.cu --header mixed.fractal".to_owned(),
            "`mixed.fractal` is read",
        ),
        ("emit vicsek -r spins.rule -l 2 --target cuda --world hard.rule".to_owned(), "`spins.rule` is read"),
        ("run rock.fractal -r life -n 1 --image rock.png".to_owned(), "`rock.png` is read"),
        ("run rock.png -r life -n 1 --image ./rock.png".to_owned(), "`rock.png` is read"),
        ("run vicsek -l 2 -r life -n 1 --init alive=start.png@0,0 --image start.png".to_owned(), "`start.png` is read"),
        ("render rock.png -o rock.png".to_owned(), "`rock.png` is read"),
        ("export done.zarr -o done.zarr/states/2.zarr".to_owned(), "done.zarr/states/2.zarr` is read"),
        ("export done.zarr -o done.zarr".to_owned(), "`done.zarr/manifest.json` is read"),
        ("mask pack rock.png cells.npy -o cells.npy".to_owned(), "`cells.npy` is read"),
        ("mask unpack rock.png cells.npy -o ./cells.npy".to_owned(), "`cells.npy` is read"),
        ("overlap cells.npy -o cells.npy".to_owned(), "`cells.npy` is read"),
    ] {
        let before = files(folder);
        let errors = refuse(folder, &words(&line));
        assert!(errors.contains(named) && errors.contains("take another name"), "{line}: {errors}");
        assert!(files(folder) == before, "{line}");
    }
}

#[test]
fn two_outputs_are_two_files() {
    let place = laid_out();
    let folder = place.path();
    symlink("new.h", folder.join("link.h")).unwrap();
    fs::write(folder.join("old.h"), "").unwrap();
    fs::hard_link(folder.join("old.h"), folder.join("hard.h")).unwrap();
    let emit = "emit vicsek -r heat -l 2 --target cuda";
    for line in [
        format!("{emit} -o new.h --header ./new.h"),
        format!("{emit} -o new.h --header sub/way/../new.h"),
        format!("{emit} -o old.h --header hard.h"),
        format!("{emit} --world w --header w"),
        "run vicsek -r heat -l 2 -n 1 --image x.png --out x.png".to_owned(),
    ] {
        let before = files(folder);
        let errors = refuse(folder, &words(&line));
        assert!(errors.contains("would be written twice") && errors.contains("take another name"), "{line}: {errors}");
        assert!(files(folder) == before && !folder.join("x.png").exists(), "{line}");
    }
}

/// Only what would be lost is refused.
#[test]
fn other_places_are_written_to() {
    let place = laid_out();
    let folder = place.path();
    for line in [
        "emit vicsek -r spins.rule -l 2 --target cuda -o /dev/null --header /dev/null",
        "emit vicsek -r spins.rule -l 2 --target ir -o sub/spins.rule",
        "run rock.png -r spins.rule -n 1 --init up=start.png --image sub/rock.png --out sub --quiet",
        "export done.zarr -o all.zarr",
        "export done.zarr -o all.zarr",
        "export done.zarr -o done.zarr/up.npy",
        "fmt -w spins.rule hard.rule soft.rule",
    ] {
        succeed(folder, &words(line));
    }
    // A run in the folder of its own inputs.
    let output = squeeze(&folder.join("sub"), &words("run ../rock.png -r spins.rule -n 1 --out . --quiet"));
    assert_ne!(output.status.code(), Some(0), "there is a run already");
    fs::create_dir(folder.join("other")).unwrap();
    fs::copy(folder.join("spins.rule"), folder.join("other/spins.rule")).unwrap();
    succeed(&folder.join("other"), &words("run vicsek -r spins.rule -l 2 -n 1 --out . --quiet"));
}
