squeeze_macros::rule! {
    fractal pair { scale 2 pattern { "##" ".." } }
}

fn main() {}
