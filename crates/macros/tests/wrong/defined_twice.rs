squeeze_macros::fractal! {
    fractal pair { scale 2 pattern { "##" ".." } }
    fractal pair { scale 2 pattern { "#." "#." } }
}

fn main() {}
