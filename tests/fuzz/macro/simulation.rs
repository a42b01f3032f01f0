rule growth {
    state a: bit
    init a = x == 0
    next a = a || any(von_neumann, nb.a)
}
/// Grows.
pub mod grown: growth on sierpinski_triangle at level 3;
mod other: life on vicsek at level 2;
