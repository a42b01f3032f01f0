//! Shipped rules against exact sums, exact laws and computations of their own, on tori with even and odd sides, masks and boxes of one to three
//! dimensions; bonds against lets and sums over pairs (`bonds`), clusters against walks and sums over all bonds and states (`clusters`),
//! vectors against their components (`vectors`). Each rule is held by:
//!
//! | rules | by what | in |
//! |---|---|---|
//! | `ising` `ising_3d` `potts` `kawasaki` | energies, moments and Binder's cumulant summed over all states | `spins` |
//! | `random_walkers` | pairs by chance, ways of one walker, one step summed over all draws | `spins` `draws` |
//! | `kuramoto` | phases at the start, free speeds, two oscillators, plain numbers, growth of waves | `spins` `equations` |
//! | `conway` `life` `life_3d` `larger_than_life` `brians_brain` `wireworld` `cyclic` `greenberg_hastings` | automata in plain Rust | `automata` |
//! | `lattice_gas` | plain Rust; momentum on tori | `automata` |
//! | `percolation` | clusters found by walking | `automata` |
//! | `sandpile` `driven_sandpile` | piles that topple cell by cell; heights over all recurrent piles | `sand` |
//! | `heat` `wave` `gray_scott` `belousov_zhabotinsky` `cahn_hilliard` `swift_hohenberg` | plain Rust, bit for bit; growth, decay and frequencies of waves | `equations` |
//! | `lenia` | plain Rust; its weights by their formula | `equations` |
//! | `conductivity` | Kirchhoff's equations solved by elimination | `equations` |
//! | `voter` `sir` `forest_fire` `greenberg_hastings` | all states of small systems, by the chain's transitions | `draws` |
//! | `bond_percolation` | all sets of open bonds | `draws` |
//! | `swendsen_wang` `wolff` `potts_clusters` `chayes_machta` | all states, all sets of open bonds | `clusters` `sums` |
//! | `bond_percolation_clusters` `site_percolation` | all sets of bonds and of sites; clusters that go round, on unrolled tori | `sums` |
//! | `aggregation` `schelling` | one step summed over all draws | `draws` |
//! | `xy` `heisenberg` | energies and moments of chains, trees and rings by their transfer operators | `directions` |
//! | `schrodinger` | phases of plane waves, and what is conserved | `directions` |
//! | `lattice_boltzmann` | a wave of shear decays, a pushed fluid between walls, mass and momentum | `directions` |

mod automata;
mod bonds;
mod clusters;
mod directions;
mod draws;
mod equations;
mod ground;
mod sand;
mod spins;
mod sums;
mod vectors;
