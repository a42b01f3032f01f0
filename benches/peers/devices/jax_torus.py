#!/usr/bin/env python3
"""Life and heat on a torus by JAX, whole on one GPU and sharded by rows over COUNT: jax_torus.py COUNT [side]

The arrays are sharded by `jax.sharding`; XLA exchanges the rows at the cuts. Life has a byte a cell, heat an f32. The sides: 16384 if none is said.
"""
import sys
import time

import jax
import jax.numpy as jnp
from jax.sharding import Mesh, NamedSharding, PartitionSpec

COUNT = int(sys.argv[1])
SIDE = int(sys.argv[2]) if len(sys.argv) > 2 else 16384


def life(v):
    rows = jnp.roll(v, 1, 0) + v + jnp.roll(v, -1, 0)
    count = jnp.roll(rows, 1, 1) + rows + jnp.roll(rows, -1, 1) - v
    return ((count == 3) | ((count == 2) & (v == 1))).astype(v.dtype)


def heat(u):
    return u + jnp.float32(0.1) * (jnp.roll(u, 1, 0) + jnp.roll(u, -1, 0) + jnp.roll(u, 1, 1) + jnp.roll(u, -1, 1) - jnp.float32(4) * u)


def begin(dtype, devices):
    sharding = NamedSharding(Mesh(jax.devices()[:devices], ("rows",)), PartitionSpec("rows", None))
    make = jax.jit(lambda: (jax.random.uniform(jax.random.PRNGKey(3), (SIDE, SIDE)) < 0.5).astype(dtype), out_shardings=sharding)
    return make()


for name, rule, dtype in (("life", life, jnp.uint8), ("heat", heat, jnp.float32)):
    took = {}
    for devices in (1, COUNT):
        state = begin(dtype, devices)
        many = jax.jit(lambda v, rule=rule: jax.lax.fori_loop(0, 200, lambda _, v: rule(v), v))
        many(state).block_until_ready()
        began = time.perf_counter()
        many(state).block_until_ready()
        took[devices] = (time.perf_counter() - began) / 200 * 1e6
    print(f"JAX {name}, torus {SIDE}²: {took[1]:.1f} µs a step on one GPU, {took[COUNT]:.1f} on {COUNT}: {took[1] / took[COUNT]:.3f} times as fast", flush=True)
