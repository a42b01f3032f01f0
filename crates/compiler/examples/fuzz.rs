//! t
use squeeze_compiler::{diagnostics, source::Sources, syntax};
fn main() {
    let path = std::env::args().nth(1).unwrap();
    let text = std::fs::read_to_string(&path).unwrap();
    let mut sources = Sources::new();
    let id = sources.add(path, text);
    match syntax::format(&sources, id) {
        Ok(t) => {
            print!("{t}");
            let id2 = sources.add("x", t.clone());
            let u = syntax::format(&sources, id2);
            if u != Ok(t) {
                println!("NOT IDEMPOTENT {u:?}");
            }
            if syntax::parse(&sources, id).0.without_places() != syntax::parse(&sources, id2).0.without_places() {
                println!("DIFFERENT");
            }
        }
        Err(d) => print!("{}", diagnostics::render(&d, &sources, std::env::args().nth(2).is_some())),
    }
}
