//! Names that people give to rules.

/// Names as [`plain`] makes them, and strings. The names of shipped rules are the shipped ones, in small or capital letters.
const NAMES: [(&str, &str); 34] = [
    ("2x2", "B36/S125"),
    ("34life", "B34/S34"),
    ("amoeba", "B357/S1358"),
    ("anneal", "B4678/S35678"),
    ("assimilation", "B345/S4567"),
    ("bombers", "345/24/25"),
    ("briansbrain", "/2/3"),
    ("bugs", "R5,C0,M1,S34..58,B34..45,NM"),
    ("coagulations", "B378/S235678"),
    ("conwayslife", "B3/S23"),
    ("coral", "B3/S45678"),
    ("dayandnight", "B3678/S34678"),
    ("daynight", "B3678/S34678"),
    ("diamoeba", "B35678/S5678"),
    ("drylife", "B37/S23"),
    ("eightlife", "B3/S238"),
    ("flock", "B3/S12"),
    ("gnarl", "B1/S1"),
    ("highlife", "B36/S23"),
    ("honeylife", "B38/S238"),
    ("justfriends", "B2-a/S12"),
    ("lifewithoutdeath", "B3/S012345678"),
    ("longlife", "B345/S5"),
    ("maze", "B3/S12345"),
    ("mazectric", "B3/S1234"),
    ("morley", "B368/S245"),
    ("persianrug", "B234/S"),
    ("pseudolife", "B357/S238"),
    ("replicator", "B1357/S1357"),
    ("seeds", "B2/S"),
    ("serviettes", "B234/S"),
    ("stains", "B3678/S235678"),
    ("starwars", "345/2/4"),
    ("walledcities", "B45678/S2345"),
];

/// The letters and digits of a name, so that `Day & Night` and `day_night` are one.
fn plain(name: &str) -> String {
    name.chars().filter(char::is_ascii_alphanumeric).collect::<String>().to_ascii_lowercase()
}

/// The string of a rule that has this name.
pub(super) fn string_of(name: &str) -> Option<&'static str> {
    let plain = plain(name);
    NAMES.iter().find(|(known, _)| *known == plain).map(|(_, string)| *string)
}
