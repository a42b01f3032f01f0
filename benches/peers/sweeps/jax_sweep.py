#!/usr/bin/env python3
"""A sweep of the Ising model on the Sierpinski carpet with JAX: `vmap` over the members, on the first device.

    benches/peers/sweeps/jax_sweep.py [--members M] [--steps N] [--level R]

The same as `squeeze sweep sierpinski_carpet --rule ising --level 5 --steps 10000 --observe-every 10 --seeds 0..64 --set beta=0.40..=0.48/0.002`:
41 temperatures and 64 seeds. With fewer members or steps the time of all is that of these times what they are of all, and said to be so.
Compilation is not counted.
"""

import argparse
import json
import time

BETAS, SEEDS, STEPS, EVERY = 41, 64, 10_000, 10


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--members", type=int, default=BETAS * SEEDS)
    parser.add_argument("--steps", type=int, default=STEPS)
    parser.add_argument("--level", type=int, default=5)
    chosen = parser.parse_args()
    import jax
    import jax.numpy as jnp
    import numpy

    mask = numpy.ones((1, 1), dtype=bool)
    for _ in range(chosen.level):
        mask = numpy.kron(numpy.array([[1, 1, 1], [1, 0, 1], [1, 1, 1]], dtype=bool), mask)
    y, x = numpy.indices(mask.shape)
    cells, parities = jnp.array(mask), [jnp.array(mask & ((x + y) % 2 == parity)) for parity in (0, 1)]

    def half_sweep(spins, beta, key, places):
        padded = jnp.pad(spins, 1)
        field = padded[:-2, 1:-1] + padded[2:, 1:-1] + padded[1:-1, :-2] + padded[1:-1, 2:]
        chance = jax.nn.sigmoid(2.0 * beta * field.astype(jnp.float32))
        drawn = jnp.where(jax.random.uniform(key, spins.shape) < chance, 1, -1).astype(jnp.int8)
        return jnp.where(places, drawn, spins)

    def observed(spins):
        wide = spins.astype(jnp.int32)
        apart = (wide[:, 1:] * wide[:, :-1] < 0).sum() + (wide[1:] * wide[:-1] < 0).sum()
        return wide.sum(), 2 * apart

    def ten_steps(beta, carry, _):
        def step(carry, _):
            spins, key = carry
            for places in parities:
                key, own = jax.random.split(key)
                spins = half_sweep(spins, beta, own, places)
            return (spins, key), None

        carry, _ = jax.lax.scan(step, carry, None, length=EVERY)
        return carry, observed(carry[0])

    def member(beta, seed):
        key, own = jax.random.split(jax.random.PRNGKey(seed))
        spins = jnp.where(cells, jnp.where(jax.random.bernoulli(own, 0.5, mask.shape), 1, -1), 0).astype(jnp.int8)
        _, seen = jax.lax.scan(lambda carry, more: ten_steps(beta, carry, more), (spins, key), None, length=chosen.steps // EVERY)
        return seen

    every = max(1, BETAS * SEEDS // chosen.members)
    numbers = numpy.arange(BETAS * SEEDS)[::every][: chosen.members]
    betas, seeds = jnp.array(0.40 + 0.002 * (numbers // SEEDS), dtype=jnp.float32), jnp.array(numbers, dtype=jnp.uint32)
    sweep = jax.jit(jax.vmap(member)).lower(betas, seeds).compile()
    jax.block_until_ready(sweep(betas, seeds))
    began = time.perf_counter()
    seen = jax.block_until_ready(sweep(betas, seeds))
    seconds = time.perf_counter() - began
    apart = numpy.asarray(seen[1], dtype=float)
    part = len(numbers) * chosen.steps / (BETAS * SEEDS * STEPS)
    told = {"name": "JAX, vmap over members", "device": str(jax.devices()[0]), "members": len(numbers), "steps": chosen.steps}
    mean = apart[:, apart.shape[1] // 2 :].mean()
    print(json.dumps(told | {"seconds": seconds, "seconds_of_all": seconds / part, "mean_disagreements": mean}))


main()
