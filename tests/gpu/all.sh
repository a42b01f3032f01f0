#!/usr/bin/env bash
# Everything that needs a GPU, in one go:
#
#     tests/gpu/all.sh SQUEEZE TESTS [I/N [COMPARE]]
#
# SQUEEZE is the binary, TESTS the test program `cuda` (`cargo test -p squeeze-tests --test cuda --no-run` says where it is).
# lanes: every shipped fractal × rule against the oracle and larger ones against the backend cpu; the papers' strategies: every
# fractal × rule × strategy × map against the oracle, and all maps against 64-bit arithmetic; memcheck and racecheck of them
# all. With COMPARE, the program `compare` (`cargo build --release -p squeeze-tests --bin compare`), also random programs, small ones against the
# oracle and large ones against the backend cpu. With I/N only the I-th of N parts of the comparisons of lanes runs, and the rest with the first.
set -uo pipefail
cd "$(dirname "$0")/../.."
squeeze=$(realpath "$1") tests=$(realpath "$2") part=${3:-1/1} compare=${4:+$(realpath "$4")} wrong=0
if [ "${part%/*}" = 1 ]; then
    (cd tests && "$tests" --nocapture on_a_gpu) || wrong=1
    tests/gpu/run.py "$squeeze" . observe members kills=20 large huge far masks memcheck racecheck hidden || wrong=1
    tests/gpu/masks.py "$squeeze" digests packing || wrong=1
fi
tests/gpu/run.py "$squeeze" . "agree=$part" || wrong=1
if [ -n "$compare" ] && [ "${part%/*}" = 1 ]; then
    "$compare" --backend cuda --programs 1000 --seed 1 || wrong=1
    "$compare" --backend cuda --programs 500 --seed 2 --level large || wrong=1
fi
[ $wrong = 0 ] && echo "all is well on this GPU" || echo "something is wrong on this GPU"
exit $wrong
