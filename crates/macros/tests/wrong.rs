//! What the macros say of mistakes, word for word and place for place: each file of `wrong/` has one beside it with what
//! rustc prints. `TRYBUILD=overwrite cargo test -p squeeze-macros --test wrong` writes those anew; read the difference.

#[test]
fn mistakes_are_reported_at_their_tokens() {
    trybuild::TestCases::new().compile_fail("tests/wrong/*.rs");
}
