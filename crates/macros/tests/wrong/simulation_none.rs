squeeze_macros::simulation! {
    fractal a { scale 2 pattern { "##" "#." } }
}

fn main() {}
