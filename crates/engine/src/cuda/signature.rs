//! The arguments of a text's kernels, as far as their declarations say: a launch passes as many as the printed kernel takes, and the driver
//! reads as many as the compiled one does.

use std::collections::BTreeMap;

/// The types of the arguments of each kernel, by its name: `*` for a pointer, else the name of a type.
pub(super) type Signatures = BTreeMap<String, Vec<String>>;

/// The signatures of all kernels of a text.
pub(super) fn signatures(text: &str) -> Signatures {
    let text = without_comments(text);
    let mut found = Signatures::new();
    for declared in text.split("__global__").skip(1) {
        let mut rest = declared;
        // `void`, `__launch_bounds__(…)`, and then the name.
        while let Some((words, behind)) = rest.split_once('(') {
            let name = words.split_whitespace().last().unwrap_or_default();
            let (arguments, behind) = up_to_bracket(behind);
            if !name.starts_with("__") {
                found.insert(name.to_owned(), split(arguments).iter().map(|argument| kind(argument)).collect());
                break;
            }
            rest = behind;
        }
    }
    found
}

/// The members of the struct of this name, without comments.
pub(super) fn members_of(text: &str, name: &str) -> Option<String> {
    let text = without_comments(text);
    let (_, behind) = text.split_once(&format!("struct {name} {{"))?;
    let (members, _) = behind.split_once("};")?;
    Some(members.split_whitespace().collect::<Vec<_>>().join(" "))
}

fn without_comments(text: &str) -> String {
    let (mut out, mut rest) = (String::with_capacity(text.len()), text);
    while let Some(at) = rest.find("//").into_iter().chain(rest.find("/*")).min() {
        out.push_str(&rest[..at]);
        // The texts on both sides of a comment are two words.
        out.push(' ');
        let end = if rest[at..].starts_with("//") { "\n" } else { "*/" };
        rest = rest[at + 2..].split_once(end).map_or("", |(_, behind)| behind);
    }
    out + rest
}

/// The texts before and behind the closing bracket.
fn up_to_bracket(text: &str) -> (&str, &str) {
    let mut depth = 1;
    for (at, letter) in text.char_indices() {
        depth += i32::from(letter == '(') - i32::from(letter == ')');
        if depth == 0 {
            return (&text[..at], &text[at + 1..]);
        }
    }
    (text, "")
}

/// The arguments of a list.
fn split(list: &str) -> Vec<&str> {
    let mut depth = 0;
    let outside = |letter: char| {
        depth += i32::from("(<[".contains(letter)) - i32::from(")>]".contains(letter));
        letter == ',' && depth == 0
    };
    let all: Vec<&str> = list.split(outside).map(str::trim).collect();
    if all == [""] || all == ["void"] { Vec::new() } else { all }
}

fn kind(argument: &str) -> String {
    if argument.contains('*') {
        return "*".to_owned();
    }
    let says_how = |word: &&str| !matches!(*word, "const" | "volatile" | "struct" | "__grid_constant__");
    let words: Vec<&str> = argument.split_whitespace().filter(says_how).collect();
    // The last word is the argument's own name, if it has one.
    words[..words.len().saturating_sub(1).max(words.len().min(1))].join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kernels_are_found_with_what_they_take() {
        let text = "// __global__ void none(int a);\nstruct World { u32 a; /* b */\n    u64 b; // c\n};\n\
            extern \"C\" __global__ void __launch_bounds__(128) step(\n    const u32 *old, // read\n    u32 *__restrict__ /* , */ out,\n    \
            const World world\n) { f(1); }\n__global__ void __launch_bounds__(256, 1) none() {}\nextern \"C\" __global__ void few(World, u64 count) {}";
        let found = signatures(text);
        let of = |name: &str| found[name].iter().map(String::as_str).collect::<Vec<_>>();
        assert_eq!(found.len(), 3, "{found:?}");
        assert_eq!(of("step"), ["*", "*", "World"]);
        assert_eq!(of("none"), [""; 0]);
        assert_eq!(of("few"), ["World", "u64"]);
        assert_eq!(members_of(text, "World").as_deref(), Some("u32 a; u64 b;"));
        assert_eq!(members_of(text, "Watch"), None);
    }
}
