//! `cargo xtask names`: which names stand for several types. One name is to mean one thing in the whole project.

use super::lines::products;
use std::collections::BTreeMap;
use std::path::Path;

/// The most names that may stand for two or more types. A change that needs one more gives another back.
const MOST: usize = 37;

/// Prints the names that stand for several types, those of most types first, with the modules that declare them.
///
/// # Errors
/// If there are more than may be.
pub(crate) fn names(root: &Path) -> Result<(), String> {
    let products = products(root)?;
    let declared = declared(&products);
    let mut several: Vec<_> = declared.iter().filter(|(_, modules)| modules.len() > 1).collect();
    several.sort_by_key(|(name, modules)| (std::cmp::Reverse(modules.len()), *name));
    for (name, modules) in &several {
        println!("{:2} {name}: {}", modules.len(), modules.join(", "));
    }
    println!("{} of {} names stand for several types, at most {MOST}", several.len(), declared.len());
    if several.len() > MOST { Err(format!("give one a name of its own, or see {}", file!())) } else { Ok(()) }
}

/// The modules that declare a type of each name.
fn declared(products: &BTreeMap<String, Vec<String>>) -> BTreeMap<&str, Vec<&str>> {
    let mut declared: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for (module, lines) in products {
        for name in lines.iter().filter_map(|line| type_of(line)) {
            declared.entry(name).or_default().push(module);
        }
    }
    declared
}

/// The type that a line declares. Types of traits, which are indented, are no names of their own.
fn type_of(line: &str) -> Option<&str> {
    let words = line.trim_start().split(' ').skip_while(|word| word.starts_with("pub") || *word == "unsafe");
    let mut words = words.skip_while(|word| word.ends_with(')'));
    let is_type = match words.next()? {
        "struct" | "enum" | "trait" | "union" => true,
        "type" => !line.starts_with(' '),
        _ => false,
    };
    let name = words.next()?.split(|c: char| !c.is_alphanumeric() && c != '_').next()?;
    (is_type && name.starts_with(char::is_uppercase)).then_some(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_more_names_stand_for_several_types() {
        let products = products(&super::super::commands::root()).unwrap();
        let several = declared(&products).into_values().filter(|modules| modules.len() > 1).count();
        assert!(several <= MOST, "{several}, at most {MOST}: `cargo xtask names` lists them");
    }

    #[test]
    fn types_are_found_in_their_declarations() {
        let lines = [
            "pub(in crate::a) struct A<T>(T);",
            "    enum B {",
            "unsafe trait C: D {",
            "    type Target = E;",
            "type F = G;",
            "let struct_ = 1;",
        ];
        let found: Vec<_> = lines.iter().filter_map(|line| type_of(line)).collect();
        assert_eq!(found, ["A", "B", "C", "F"]);
    }
}
