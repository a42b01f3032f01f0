//! Patterns as others write them.

use super::*;

fn parse(text: &str, plain: bool) -> Result<ImportedPattern, String> {
    formats::parse(text, plain, formats::MOST_OF_TREE)
}

const GLIDER: [[u64; 2]; 5] = [[1, 0], [2, 1], [0, 2], [1, 2], [2, 2]];

fn places(pattern: &ImportedPattern) -> Vec<[u64; 2]> {
    pattern.runs.iter().flat_map(|&([x, y], count)| (x..x + count).map(move |x| [x, y])).collect()
}

fn read_bytes(name: &str, bytes: &[u8]) -> Result<ImportedPattern> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(name);
    std::fs::write(&path, bytes).unwrap();
    read(&path, 1 << 16)
}

#[test]
fn a_glider_is_read_from_every_format() {
    let wide = |text: &str, bytes: fn(u16) -> [u8; 2]| -> Vec<u8> { text.encode_utf16().flat_map(bytes).collect() };
    for (name, text) in [
        ("a.rle", "#C a glider\nx = 3, y = 3, rule = B3/S23\nbob$2bo$\n3o!\n"),
        ("a.rle", "bob$2bo$3o!"),
        ("a.rle", "x = 3, y = 3\nbob$2bo$3o"),
        ("a.rle", "x = 3, y = 3, rule = B3/S23\r\nbob$2bo$\r\n3o!\r\n"),
        ("a.rle", "x = 3, y = 3, rule = B3/S23\rbob$2bo$3o!\r"),
        ("a.rle", "\u{feff}x = 3, y = 3\nbob$2bo$3o!"),
        ("a.rle", "#CXRLE Pos=0,0\nbxb$2bx$3x!"),
        ("A.RLE", "x=3,y=3\nbob$2b\n o\n$\n3\no!"),
        ("a.cells", "!Name: Glider\n!\n.O.\n..O\nOOO\n"),
        ("a.cells", ".O\r\n..O\r\nOOO"),
        ("a.lif", "#Life 1.05\n#D a glider\n#N\n#P -1 -1\n.*.\n..*\n***\n"),
        ("a.lif", "#Life 1.05\n#P 0 8\n*\n#P -1 9\n..*\n***\n"),
        ("a.lif", "#Life 1.05\n#P\n.*.\n..*\n***\n"),
        ("a.lif", "#P\n.*\n#P   \n..*\n***\n"),
        ("a.lif", "#Life 1.05\n#P -3 7\n.*\n#P\n..*\n***\n"),
        ("a.rle", "X = 3, Y = 3, RULE = B3/S23\nbob$2bo$3o!"),
        ("a.lif", "#Life 1.06\n0 -1\n1 0\n-1 1\n0 1\n1 1\n"),
        ("a.life", "#Life 1.06\r\n1 0\r\n2 1\r\n0 2\r\n1 2\r\n2 2\r\n"),
        ("a.mc", "[M2] (golly 3.3)\n#R B3/S23\n$$..*$...*$.***$$$$\n4 0 1 0 0\n"),
        ("a.mc", "[M2]\n1 0 1 0 0\n1 0 0 1 0\n1 1 1 0 0\n1 1 0 0 0\n2 1 2 3 4\n"),
        ("a.mcl", "#MCell 4.20\n#GAME Life\n#RULE 23/3\n#BOARD 40x30\n#D a glider\n#L .A$2.A$\n#L 3A\n"),
    ] {
        let mut found = places(&read_bytes(name, text.as_bytes()).unwrap_or_else(|error| panic!("{text}: {error}")));
        found.sort_unstable_by_key(|&[x, y]| [y, x]);
        assert_eq!(found, GLIDER, "{text}");
    }
    let text = "x = 3, y = 3\nbob$2bo$3o!";
    let marked = [&[0xff, 0xfe][..], &wide(text, u16::to_le_bytes)].concat();
    assert_eq!(places(&read_bytes("a.rle", &marked).unwrap()), GLIDER);
    let marked = [&[0xfe, 0xff][..], &wide(text, u16::to_be_bytes)].concat();
    assert_eq!(places(&read_bytes("a.rle", &marked).unwrap()), GLIDER);
}

#[test]
fn rules_grids_and_states_are_read() {
    let glider = parse("x = 3, y = 3, rule = B3/S23\nbob$2bo$3o!", false).unwrap();
    assert_eq!((glider.rule.as_deref(), glider.grid, glider.is_open), (Some("B3/S23"), None, false));
    let capitals = parse("X=3, Y = 4, Rule = B36/S23:T20,10\nbob$2bo$3o!", false).unwrap();
    assert_eq!((capitals.rule.as_deref(), capitals.grid.as_deref()), (Some("B36/S23"), Some("T20,10")));
    assert_eq!(capitals.size, [3, 4]);
    let torus = parse("x = 3, y = 1, rule = B2/S/C3:T20,10\n.A2B!", false).unwrap();
    assert_eq!((torus.rule.as_deref(), torus.grid.as_deref()), (Some("B2/S/C3"), Some("T20,10")));
    assert_eq!((&torus.states[..], torus.extent), (&[1, 2][..], [4, 1]));
    assert_eq!(parse("x = 4, y = 1\nXpA2pXyO!", false).unwrap().states, [24, 25, 48, 255]);
    assert_eq!(parse("x = 0, y = 0\n!", false).unwrap(), ImportedPattern::default());
    assert!(parse("x = 3, y = 3\nbob$2bo$3o", false).unwrap().is_open);
    let board = parse("#MCell 4.00\n#GAME Generations\n#RULE /2/3\n#BOARD 80x60\n#WRAP 1\n#L A.B2.aA", false).unwrap();
    assert_eq!((board.rule.as_deref(), board.grid.as_deref()), (Some("/2/3"), Some("T80,60")));
    assert_eq!((&board.states[..], board.extent), (&[1, 2, 25][..], [6, 1]));
    assert_eq!(parse("#Life 1.05\n#R 125/36\n#P 0 0\n*", false).unwrap().rule.as_deref(), Some("125/36"));
    assert_eq!(parse("#Life 1.05\n#N\n*", false).unwrap().rule.as_deref(), Some("B3/S23"));
    let board = parse("#MCell 4.00\n#GAME Life\n#RULE 23/3\n#BOARD 40x30\n#L A", false).unwrap();
    assert_eq!(board.grid.as_deref(), Some("P40,30"), "it ends at its edges");
    let table =
        |head: &str| parse(&format!("#MCell 4.00\n#GAME Rules table\n{head}#BOARD 20x20\n#L CBA5C"), false).unwrap();
    let wires = "#RULE 1,0,0,0,0,0,0,0,0,0,0,0,0,2,2,2,2,2,2,2,2,2,0,3,3,3,3,3,3,3,3,3,\n#RULE 0,3,1,1,3,3,3,3,3,3\n";
    assert_eq!(table(wires).rule.as_deref(), Some("WireWorld"), "two lines are one table");
    assert_eq!(table(&format!("#GOLLY Circuits\n{wires}")).rule.as_deref(), Some("Circuits"));
    assert_eq!(table("#RULE 1,0,0,0,0,1,0,0,0,0,0,0,0\n").rule.as_deref(), Some("B2/S"));
    assert_eq!(table("#RULE 2,1,0,0,3,1\n").rule.as_deref(), Some("2,1,0,0,3,1"));
    assert_eq!(table("").rule, None);
    let long = parse("x = 1, y = 1\n9$268435455o!", false).unwrap();
    assert_eq!((long.runs.len(), long.extent), (1, [268_435_455, 10]), "it takes no memory for each of its cells");
}

#[test]
fn what_is_wrong_is_told_with_its_place() {
    for (text, told) in [
        ("", "no pattern"),
        ("#C nothing", "no pattern"),
        ("x = 3, y = 3\nbob$\n 2bq$!", "line 3, column 4: `q` stands for no state"),
        ("c!", "line 1, column 1: `c`"),
        ("Y!", "column 1: `Y`"),
        ("p!", "column 1: `p`"),
        ("po!", "column 1: `p`"),
        ("yP!", "the state 256 is too large"),
        ("99999999999999999999o!", "line 1, column 10: this run is too long"),
        ("4294967295o!", "too many live cells"),
        ("bo12", "midst of a run"),
        ("!Name\n.O.\n.X.", "line 3, column 2: `X`"),
        ("#Life 1.05\n#P 1\n*", "line 2, column 1: a block begins"),
        ("#Life 1.05\n#P 99999999999 0\n*", "line 2"),
        ("#Life 1.06\n1 2\n3", "line 3, column 1: a line holds two coordinates"),
        ("#Life 1.06\n1 99999999999999999999", "line 2"),
        ("#MCell 4.00\n#L A$b", "line 2, column 6: `b`"),
        ("[M2]\n4 1 0 0 0", "line 2, column 1: `4 1 0 0 0` names a square that is not before it"),
        ("[M2]\n.........*", "line 2, column 1: `.` lies outside"),
    ] {
        let error = parse(text, false).unwrap_err();
        assert!(error.contains(told), "{text}: {error}");
    }
}

#[cfg(feature = "files")]
#[test]
fn what_gzip_packed_is_unpacked_up_to_a_limit() {
    use std::io::Write;
    let packed = |text: &[u8]| {
        let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
        encoder.write_all(text).unwrap();
        encoder.finish().unwrap()
    };
    let whole = packed(b"x = 3, y = 3, rule = B3/S23\nbob$2bo$3o!");
    assert_eq!(places(&read_bytes("a.rle.gz", &whole).unwrap()), GLIDER);
    assert_eq!(places(&read_bytes("a.cells.gz", &packed(b".O\n..O\nOOO")).unwrap()), GLIDER);
    let error = |bytes: &[u8]| read_bytes("a.rle.gz", bytes).unwrap_err().to_string();
    assert!(error(&whole[..whole.len() - 9]).contains("gzip cannot unpack it"));
    assert!(error(b"x = 3, y = 3\no!").contains("gzip cannot unpack it"));
    assert!(error(&packed(&vec![b'$'; 1 << 24])).contains("too long"));
}

#[test]
fn names_of_patterns_are_known() {
    for name in ["a.rle", "a.RLE", "a.rle.gz", "a.cells", "a.lif", "a.life", "a.mcl", "b/a.mcl.GZ"] {
        assert!(is_pattern(Path::new(name)), "{name}");
    }
    for name in ["rle", "a.gz", "a.png", "a.rle.zip", ".gz"] {
        assert!(!is_pattern(Path::new(name)), "{name}");
    }
}
