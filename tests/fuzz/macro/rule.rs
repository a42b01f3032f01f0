neighbourhood knight [(1, 2), (2, 1), (-1, 2)]
/// Votes.
rule majority {
    param p: f64 = 0.5
    state up: bit
    state kind: enum { a, b }
    init up = random(p)
    let n = count(knight, nb.up)
    step one when kind == a { next up = 2 * n > degree(moore) next kind = b }
    step two { next up = n in 2..=3 || up }
    observe ups = sum(up)
}
