squeeze_macros::include_fractal!(vicsek);

fn main() {}
