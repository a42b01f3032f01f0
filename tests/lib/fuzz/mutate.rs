//! Changes: of bytes and words, of JSON, of numbers in binary heads.

use serde_json::Value as Json;

#[allow(unreachable_pub, reason = "tests of the compiler include this file as well")]
#[path = "../../../crates/compiler/tests/syntax/mutate.rs"]
mod text;

pub use text::Random;
pub(super) use text::{corpus as texts, exercise, mutate as text, mutate_with as words};

/// Numbers at which something may overflow.
const NUMBERS: [&str; 24] = [
    "0",
    "1",
    "2",
    "7",
    "8",
    "-1",
    "255",
    "256",
    "65535",
    "65536",
    "1000000",
    "2147483647",
    "2147483648",
    "4294967295",
    "4294967296",
    "9007199254740993",
    "9223372036854775807",
    "18446744073709551615",
    "1e308",
    "1e-320",
    "0.5",
    "-0.0",
    "1e19",
    "123456789012345678901234567890",
];

/// A number worth trying, in decimal.
pub(super) fn number(random: &mut Random) -> &'static str {
    NUMBERS[random.below(NUMBERS.len())]
}

/// A number worth trying, as a binary word.
pub(super) fn word(random: &mut Random) -> u64 {
    match random.below(4) {
        0 => 1 << random.below(64),
        1 => (1u64 << random.below(64)).wrapping_sub(1),
        2 => random.below(300) as u64,
        _ => number(random).parse().unwrap_or(u64::MAX),
    }
}

/// JSON with a few changes: of values and keys, more seldom of its bytes.
pub(super) fn json(corpus: &[Vec<u8>], tokens: &[&[u8]], random: &mut Random) -> Vec<u8> {
    if random.below(3) == 0 {
        return words(corpus, tokens, random);
    }
    let original = &corpus[random.below(corpus.len())];
    let Ok(mut value) = serde_json::from_slice::<Json>(original) else { return words(corpus, tokens, random) };
    for _ in 0..1 + random.below(3) {
        let target = random.below(count(&value));
        edit(&mut value, target, tokens, random);
    }
    value.to_string().into_bytes()
}

/// The number of values in a value, itself included.
fn count(value: &Json) -> usize {
    1 + match value {
        Json::Array(list) => list.iter().map(count).sum(),
        Json::Object(map) => map.values().map(count).sum(),
        _ => 0,
    }
}

/// Changes the value that is `at`-th in the order in which a tree is written.
fn edit(value: &mut Json, at: usize, tokens: &[&[u8]], random: &mut Random) {
    if at == 0 {
        return change(value, tokens, random);
    }
    let children: Vec<&mut Json> = match value {
        Json::Array(list) => list.iter_mut().collect(),
        Json::Object(map) => map.values_mut().collect(),
        _ => Vec::new(),
    };
    let mut at = at - 1;
    for child in children {
        let size = count(child);
        if at < size {
            return edit(child, at, tokens, random);
        }
        at -= size;
    }
}

fn change(value: &mut Json, tokens: &[&[u8]], random: &mut Random) {
    let nested = |depth: usize| (0..depth).fold(Json::Null, |inner, _| Json::Array(vec![inner]));
    let token = |random: &mut Random| String::from_utf8_lossy(tokens[random.below(tokens.len())]).into_owned();
    match (random.below(8), &mut *value) {
        (0, Json::Object(map)) if !map.is_empty() => {
            let key = map.keys().nth(random.below(map.len())).cloned().unwrap_or_default();
            map.remove(&key);
        }
        (1, Json::Object(map)) => drop(map.insert(token(random), Json::from(word(random)))),
        (0, Json::Array(list)) if !list.is_empty() => drop(list.remove(random.below(list.len()))),
        (1 | 2, Json::Array(list)) => {
            let more = list.first().cloned().unwrap_or(Json::Null);
            let times = if random.below(10) == 0 { random.below(3000) } else { 1 };
            list.extend(std::iter::repeat_n(more, times));
        }
        (1..=3, Json::String(text)) => {
            let mut bytes = words(&[text.clone().into_bytes()], tokens, random);
            bytes.truncate(5000);
            *text = String::from_utf8_lossy(&bytes).into_owned();
        }
        (0..=4, _) => *value = serde_json::from_str(number(random)).unwrap_or(Json::Null),
        (5, _) => *value = Json::String(token(random)),
        (6, _) => *value = nested(1 + random.below(100)),
        _ => *value = [Json::Null, Json::Bool(true), Json::Array(Vec::new())][random.below(3)].clone(),
    }
}
