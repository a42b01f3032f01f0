//! t
use squeeze_compiler::{source::Sources, syntax, diagnostics};
fn main() {
    let path = std::env::args().nth(1).unwrap();
    let text = std::fs::read_to_string(&path).unwrap();
    let mut sources = Sources::new();
    let id = sources.add(path, text);
    let (_, d) = syntax::parse(&sources, id);
    print!("{}", diagnostics::render(&d, &sources, std::env::args().nth(2).is_some()));
}
