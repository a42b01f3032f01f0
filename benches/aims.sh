#!/bin/sh
# Measures what has an aim in BENCHMARKS.md: benches/aims.sh SQUEEZE cpu|gpu|sweep [--write], in the folder of the repository.
# With --write the tables of BENCHMARKS.md are written anew (benches/table.py knows the aims); without, they are printed.
# `cpu` takes about two minutes on two threads and wants numpy and scipy; `gpu` takes about four minutes on an H100, `sweep` six on two threads.
# Tori, masks and what is packed have no aim of their own: they are measured so that nobody makes them slower unseen.
set -eu
squeeze=${1:-} part=${2:-} write=${3:-}
case $write in '' | --write) ;; *) part= ;; esac

# Measures what one table shows: bench TABLE OPTION... CASE...
bench() {
    table=$1
    shift
    if [ "$write" ]; then
        measured=$("$squeeze" bench --json "$@")
        echo "$measured" | python3 benches/table.py "$table"
    else
        "$squeeze" bench "$@"
    fi
}

# A sweep of 41 temperatures and 64 seeds, with all of its files: sweep TABLE DEVICE OPTION...
sweep() {
    table=$1 device=$2
    shift 2
    out=$(mktemp -d)
    began=$(date +%s)
    "$squeeze" sweep sierpinski_carpet -r ising -l 5 -n 10000 --set beta=0.3..=0.7/0.01 --seeds 0..64 --observe-every 10 \
        --quiet --out "$out/sweep" "$@"
    took=$(($(date +%s) - began))
    rm -r "$out"
    if [ "$write" ]; then
        echo "{\"command\": \"benches/aims.sh SQUEEZE $part\", \"device\": \"$device\", \"sweeps\": [{\"case\": \"2624 members, $*\", \"seconds\": $took}]}" |
            python3 benches/table.py "$table"
    else
        echo "the sweep of 2624 members, $*: $took s"
    fi
}

# Rules on domains of benches/domains.fractal, on a backend: rows TABLE BACKEND [OPTION]... DOMAIN,RULE...
rows() {
    rows_of=$1 backend=$2
    shift 2
    cases= options=
    for each in "$@"; do
        case $each in
        *,*) cases="$cases benches/domains.fractal#$each,$backend" ;;
        *) options="$options $each" ;;
        esac
    done
    # shellcheck disable=SC2086 # lists of options and of cases
    bench "$rows_of" $options --seconds 0.4 $cases
}

case $part in
cpu)
    bench cpu-cliffs --cliffs --seconds 0.3
    functions=
    for function in sin cos exp log tanh atan atan2 pow; do
        functions="$functions full_square,benches/functions.rule#${function}_f32,9 full_square,benches/functions.rule#${function}_f64,9"
    done
    # shellcheck disable=SC2086 # a list of cases
    bench cpu-functions --threads 1 --peers benches/peers --seconds 0.3 $functions
    bench cpu-spins --threads 1 --seconds 0.4 full_square,ising,10 full_square,ising,13
    bench cpu-observables --threads 1 --seconds 0.4 --observables sierpinski_carpet,ising,5 sierpinski_carpet,heat,6 sierpinski_triangle,heat,11 \
        sierpinski_triangle,life,11 sierpinski_triangle,life,13 full_square,gray_scott,9 sierpinski_triangle,life,5 sierpinski_carpet,heat,2
    bench cpu-fields --threads 1 --seconds 1 --fields sierpinski_triangle,life,14 full_square,life,12 full_square,heat,12 \
        benches/domains.fractal#torus_4096,conway,cpu benches/domains.fractal#torus_4096,heat,cpu
    bench cpu-members --threads 2 --seconds 2 --members 4096 --at-once 100 sierpinski_triangle,life,8 sierpinski_triangle,ising,8
    bench cpu-members-observed --threads 2 --seconds 2 --members 64 --observe-every 10 sierpinski_triangle,life,12 sierpinski_triangle,ising,12
    rows cpu-rows cpu --threads 1 torus_1024,heat torus_1000,heat torus_4096,heat torus_1024,gray_scott torus_4096,conway torus_1000,conway \
        torus_1024,ising rock_1024,heat rock_4096,conway rock_1024,ising
    rows cpu-packed cpu --threads 1 --packed rock_1024,heat rock_4096,conway rock_1024,ising
    ;;
gpu)
    bench gpu --seconds 0.4 full_square,ising,14,cuda sierpinski_carpet,ising,9,cuda sierpinski_triangle,ising,16,cuda \
        sierpinski_triangle,ising,18,cuda sierpinski_triangle,forest_fire,16,cuda full_square,voter,13,cuda sierpinski_carpet,voter,8,cuda \
        sierpinski_triangle,life,12,cuda sierpinski_triangle,life,16,cuda sierpinski_triangle,life,20,cuda full_square,life,16,cuda \
        menger_sponge,life_3d,7,cuda
    bench gpu-observables --seconds 0.4 --observables sierpinski_triangle,life,16,cuda sierpinski_triangle,life,20,cuda sierpinski_triangle,heat,16,cuda
    bench gpu-fields --seconds 1 --fields sierpinski_triangle,life,20,cuda
    bench gpu-members --seconds 0.4 --members 4096 sierpinski_triangle,life,8,cuda sierpinski_triangle,ising,8,cuda
    bench gpu-members-observed --seconds 0.4 --members 64 --observe-every 10 sierpinski_triangle,life,12,cuda sierpinski_triangle,ising,12,cuda
    rows gpu-rows cuda torus_2048,conway torus_8192,conway torus_8192,brians_brain torus_4096,ising torus_4096,gray_scott box_4096,heat \
        rock_8192,conway rock_8192,ising rock_4096,heat
    rows gpu-packed cuda --packed rock_8192,conway rock_8192,ising rock_4096,heat
    sweep gpu-sweep "an NVIDIA GPU" --backend cuda
    ;;
sweep)
    sweep cpu-sweep "two threads of a CPU" --backend cpu --threads 2
    ;;
*)
    echo "benches/aims.sh SQUEEZE cpu|gpu|sweep [--write]" >&2
    exit 2
    ;;
esac
