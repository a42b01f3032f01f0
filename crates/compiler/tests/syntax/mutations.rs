//! No text makes the front end panic, or the printer change a meaning.

use crate::mutate::{Random, corpus, exercise, mutate};

#[test]
fn mutated_texts_do_no_harm() {
    let corpus = corpus();
    let mut random = Random(1);
    let mut parsed = 0;
    for _ in 0..3000 {
        let bytes = mutate(&corpus, &mut random);
        match exercise(&bytes) {
            Ok(parses) => parsed += usize::from(parses),
            Err(fault) => panic!("{fault}\nfor the text\n{}", String::from_utf8_lossy(&bytes)),
        }
    }
    // Mutants that all fail at once would test the printer little.
    assert!(parsed > 100, "only {parsed} mutants parse");
}
