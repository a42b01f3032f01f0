#!/bin/sh
# Measures what has an aim in BENCHMARKS.md: benches/aims.sh SQUEEZE cpu|gpu|sweep, in the folder of the repository.
# `cpu` takes about two minutes on two threads and wants numpy and scipy; `gpu` takes about four minutes on an H100, `sweep` six on two threads.
# Tori, masks and what is packed have no aim of their own: they are measured so that nobody makes them slower unseen.
set -eu
squeeze=${1:-} part=${2:-}

# A sweep of 41 temperatures and 64 seeds, with all of its files.
sweep() {
    out=$(mktemp -d)
    began=$(date +%s)
    "$squeeze" sweep sierpinski_carpet -r ising -l 5 -n 10000 --set beta=0.3..=0.7/0.01 --seeds 0..64 --observe-every 10 \
        --quiet --out "$out/sweep" "$@"
    echo "the sweep of 2624 members, $*: $(($(date +%s) - began)) s"
    rm -r "$out"
}

# Rules on domains of benches/domains.fractal, on a backend: rows BACKEND [OPTION]... DOMAIN,RULE...
rows() {
    backend=$1
    shift
    cases= options=
    for each in "$@"; do
        case $each in
        *,*) cases="$cases benches/domains.fractal#$each,$backend" ;;
        *) options="$options $each" ;;
        esac
    done
    # shellcheck disable=SC2086 # lists of options and of cases
    "$squeeze" bench $options --seconds 0.4 $cases
}

case $part in
cpu)
    "$squeeze" bench --cliffs --seconds 0.3
    functions=
    for function in sin cos exp log tanh atan atan2 pow; do
        functions="$functions full_square,benches/functions.rule#${function}_f32,9 full_square,benches/functions.rule#${function}_f64,9"
    done
    # shellcheck disable=SC2086 # a list of cases
    "$squeeze" bench --threads 1 --peers benches/peers --seconds 0.3 $functions
    "$squeeze" bench --threads 1 --seconds 0.4 full_square,ising,10 full_square,ising,13
    "$squeeze" bench --threads 1 --seconds 0.4 --observables sierpinski_carpet,ising,5 sierpinski_carpet,heat,6 sierpinski_triangle,heat,11 \
        sierpinski_triangle,life,11 sierpinski_triangle,life,13 full_square,gray_scott,9 sierpinski_triangle,life,5 sierpinski_carpet,heat,2
    "$squeeze" bench --threads 2 --seconds 2 --members 4096 --at-once 100 sierpinski_triangle,life,8 sierpinski_triangle,ising,8
    "$squeeze" bench --threads 2 --seconds 2 --members 64 --observe-every 10 sierpinski_triangle,life,12 sierpinski_triangle,ising,12
    rows cpu --threads 1 torus_1024,heat torus_1000,heat torus_4096,heat torus_1024,gray_scott torus_4096,conway torus_1000,conway \
        torus_1024,ising rock_1024,heat rock_4096,conway rock_1024,ising
    rows cpu --threads 1 --packed rock_1024,heat rock_4096,conway rock_1024,ising
    ;;
gpu)
    "$squeeze" bench --seconds 0.4 full_square,ising,14,cuda sierpinski_carpet,ising,9,cuda sierpinski_triangle,ising,16,cuda \
        sierpinski_triangle,ising,18,cuda sierpinski_triangle,forest_fire,16,cuda full_square,voter,13,cuda sierpinski_carpet,voter,8,cuda \
        sierpinski_triangle,life,12,cuda sierpinski_triangle,life,16,cuda sierpinski_triangle,life,20,cuda full_square,life,16,cuda \
        menger_sponge,life_3d,7,cuda
    "$squeeze" bench --seconds 0.4 --observables sierpinski_triangle,life,16,cuda sierpinski_triangle,life,20,cuda sierpinski_triangle,heat,16,cuda
    "$squeeze" bench --seconds 0.4 --members 4096 sierpinski_triangle,life,8,cuda sierpinski_triangle,ising,8,cuda
    "$squeeze" bench --seconds 0.4 --members 64 --observe-every 10 sierpinski_triangle,life,12,cuda sierpinski_triangle,ising,12,cuda
    rows cuda torus_2048,conway torus_8192,conway torus_8192,brians_brain torus_4096,ising torus_4096,gray_scott box_4096,heat \
        rock_8192,conway rock_8192,ising rock_4096,heat
    rows cuda --packed rock_8192,conway rock_8192,ising rock_4096,heat
    sweep --backend cuda
    ;;
sweep)
    sweep --backend cpu --threads 2
    ;;
*)
    echo "benches/aims.sh SQUEEZE cpu|gpu|sweep" >&2
    exit 2
    ;;
esac
