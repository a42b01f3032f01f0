use squeeze_compiler::{source::Sources, syntax};
fn main() {
    let path = std::env::args().nth(1).unwrap();
    let text = std::fs::read_to_string(&path).unwrap();
    let mut sources = Sources::new();
    let id = sources.add(path, text);
    let t = std::time::Instant::now();
    let (file, diagnostics) = syntax::parse(&sources, id);
    eprintln!("{:?}", t.elapsed());
    if file.items.len() < 40 { println!("{file:#?}"); }
    for d in diagnostics { println!("{} @{:?} {:?} {:?}", d.message, d.primary.as_ref().map(|l| sources.line_column(l.span.source, l.span.start)), d.secondary.iter().map(|l| &l.text).collect::<Vec<_>>(), d.help); }
}
