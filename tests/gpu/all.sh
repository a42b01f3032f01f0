#!/usr/bin/env bash
# Everything that needs a GPU, by one command:
#
#     tests/gpu/all.sh [PART[=I/N]]...
#
# Programs lie in $BINARIES, or target/release where that is not set (`cargo build --release --workspace --bin squeeze --bin matrix --bin compare`); they
# may have been built elsewhere. Without a PART all parts run, one after the other; with I/N, the I-th of N parts of those that can be divided.
#
#   roads       small simulations and ensembles, which take all roads of the emitter and of the engine, beside the CPU; fails if one is not taken
#   off         the same with specialities switched off, so that any two are on and off together (I/N)
#   sanitize    memcheck, racecheck, synccheck and initcheck over a case of each road (I/N)
#   matrix      every shipped rule on every fractal, on tori and masks, with 1 to 1000 members, small to large, beside the CPU (I/N)
#   ensembles   rules that draw, with 16 to 64 members, beside the CPU (I/N)
#   lanes       larger simulations beside the CPU, runs that are killed, far looks, masks, sanitizers of the papers' strategies
#   agree       every fractal and rule beside the oracle (I/N)
#   overlaps    matrices of overlaps beside the CPU
#   clusters    all that is asked of clusters, sweeps with exchange, saved runs and sanitizers, beside the CPU
#   programs    random programs, small ones beside the oracle and large ones beside the CPU
#   python      the Python package that `python3` has, beside the CPU, with CuPy, PyTorch and JAX where they are; not without being asked for
#   papers      the papers' strategies and their maps, by $BINARIES/cuda (`cargo test --workspace --test cuda --no-run` says where that is)
set -uo pipefail
cd "$(dirname "$0")/../.."
binaries=$(realpath "${BINARIES:-target/release}")
squeeze=$binaries/squeeze matrix=$binaries/matrix wrong=0
work=target/gpu
mkdir -p "$work"
# What one part has compiled, others need not.
export SQUEEZE_CACHE=${SQUEEZE_CACHE-$PWD/$work/kernels}
mkdir -p -m 700 "${SQUEEZE_CACHE:-$work}"

# One case by one tool, which come with a tab between them; what was said, if it is not clean.
sanitize() {
    local tool=${1%%$'\t'*} name=${1#*$'\t'} said status
    said=$(compute-sanitizer --tool "$tool" --error-exitcode 9 "$matrix" roads --case "$name" 2>&1)
    status=$?
    if [ $status = 0 ] && grep -q "^same" <<< "$said" && grep -Eq "SUMMARY: 0 (errors|hazards)" <<< "$said"; then
        echo "$tool, $name: clean"
    else
        echo "WRONG $tool, $name: status $status"
        grep -v "^road" <<< "$said" | head -40
        return 1
    fi
}
export -f sanitize
export matrix

[ $# = 0 ] && set -- roads off sanitize matrix ensembles lanes agree overlaps clusters programs papers
for argument in "$@"; do
    part=${argument%%=*} of=1/1
    [ "$part" = "$argument" ] || of=${argument#*=}
    began=$SECONDS
    case $part in
        roads) "$matrix" roads --cover "$work/cover.txt" ;;
        off) "$matrix" roads --off --part "$of" ;;
        matrix | ensembles) "$matrix" "$part" --part "$of" ;;
        sanitize)
            [ -s "$work/cover.txt" ] || "$matrix" roads --cover "$work/cover.txt" > /dev/null
            for tool in memcheck racecheck synccheck initcheck; do
                sed "s/^/$tool\t/" "$work/cover.txt"
            done | awk -v i="${of%/*}" -v n="${of#*/}" 'NR % n == i % n' | tr '\n' '\0' |
                xargs -0 -n 1 -P "${JOBS:-12}" bash -c 'sanitize "$1"' sanitize
            ;;
        lanes)
            tests/gpu/run.py "$squeeze" . observe members kills=20 large huge far masks memcheck racecheck hidden &&
                tests/gpu/masks.py "$squeeze" digests packing
            ;;
        agree) tests/gpu/run.py "$squeeze" . "agree=$of" ;;
        overlaps) tests/gpu/overlap.py "$squeeze" shapes ;;
        clusters) tests/gpu/clusters.py "$squeeze" ;;
        programs)
            "$binaries/compare" --backend cuda --programs 1000 --seed 1 &&
                "$binaries/compare" --backend cuda --programs 500 --seed 2 --level large
            ;;
        python) python3 tests/gpu/python.py ;;
        papers) (cd tests && "$binaries/cuda" --nocapture on_a_gpu) ;;
        *) echo "there is no part $part" && false ;;
    esac || { wrong=1 && echo "something is wrong: $argument"; }
    echo "$argument took $((SECONDS - began)) s"
done
[ $wrong = 0 ] && echo "all is well on this GPU" || echo "something is wrong on this GPU"
exit $wrong
