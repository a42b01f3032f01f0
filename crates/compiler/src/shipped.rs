//! The fractals and rules that come with Squeeze: the files of `/fractals` and `/rules`, embedded.
//!
//! The build script lists the folders, so a file that is dropped there joins by existing. Each file defines one
//! thing, named like the file. Rules with ordered steps, those of bonds and clusters, which fewer backends run, and those of vectors have folders of their own.

include!(concat!(env!("OUT_DIR"), "/shipped.rs"));

/// The text of the shipped fractal with this name.
pub fn fractal_source(name: &str) -> Option<&'static str> {
    find(FRACTALS, name)
}

/// The text of the shipped rule with this name.
pub fn rule_source(name: &str) -> Option<&'static str> {
    [RULES, ORDERED_RULES, BOND_RULES, VECTOR_RULES].into_iter().find_map(|rules| find(rules, name))
}

/// Name and text of every shipped rule, sorted by name.
pub fn all_rules() -> Vec<(&'static str, &'static str)> {
    let mut all = [RULES, ORDERED_RULES, BOND_RULES, VECTOR_RULES].concat();
    all.sort_unstable();
    all
}

fn find(sorted: &[(&str, &'static str)], name: &str) -> Option<&'static str> {
    let found = sorted.binary_search_by_key(&name, |(name, _)| name).ok()?;
    Some(sorted[found].1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_are_sorted_and_found_by_name() {
        for list in [FRACTALS, RULES, ORDERED_RULES, BOND_RULES, VECTOR_RULES, &all_rules()] {
            assert!(list.is_sorted_by(|a, b| a.0 < b.0));
        }
        assert!(FRACTALS.len() >= 17);
        assert!(RULES.len() >= 12);
        assert!(FRACTALS.iter().all(|(name, text)| fractal_source(name) == Some(text)));
        assert!(all_rules().iter().all(|(name, text)| rule_source(name) == Some(text)));
        assert_eq!(fractal_source("no_such_fractal"), None);
    }

    #[test]
    fn files_open_with_a_comment_and_define_what_they_are_named_after() {
        for (kind, list) in [("fractal", FRACTALS), ("rule", &all_rules())] {
            for (name, text) in list {
                assert!(text.starts_with("// "), "{name} opens with a comment");
                assert!(text.contains("// Source: "), "{name} says where it comes from");
                assert!(text.contains("// Try: squeeze "), "{name} says what to try");
                let definition = format!("\n{kind} {name} {{");
                let (before, _) =
                    text.split_once(&definition).unwrap_or_else(|| panic!("{name} defines {kind} {name}"));
                let last_line = before.lines().last().unwrap_or_default();
                assert!(last_line.starts_with("/// "), "{name} is documented");
            }
        }
    }
}
