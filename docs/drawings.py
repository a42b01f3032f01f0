"""Draws the three pictures of the chapter "How it works": python3 docs/drawings.py

They have a light ground of their own, so they can be read on a white and on a dark page.
"""

import pathlib

INK, PALE, GROUND = "#222222", "#d8d8d0", "#fbfbf8"
BLUE, ORANGE, GREEN = "#0072b2", "#e69f00", "#009e73"


def rect(x, y, width, height, fill, stroke=GROUND):
    return f'<rect x="{x:g}" y="{y:g}" width="{width:g}" height="{height:g}" fill="{fill}" stroke="{stroke}"/>'


def text(x, y, words, anchor="middle", fill=INK, size=15):
    return f'<text x="{x:g}" y="{y:g}" text-anchor="{anchor}" fill="{fill}" font-size="{size}">{words}</text>'


def arrow(x, y, to_x, to_y):
    return f'<path d="M{x:g} {y:g}L{to_x:g} {to_y:g}" stroke="{INK}" stroke-width="1.5" marker-end="url(#tip)"/>'


def write(name, width, height, about, parts):
    tip = '<marker id="tip" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="8" markerHeight="8" orient="auto">'
    tip = f'<defs>{tip}<path d="M0 0L8 4L0 8z" fill="{INK}"/></marker></defs>'
    head = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}" font-family="sans-serif">'
    body = "\n".join([head, f"<title>{about}</title>", tip, f'<rect width="{width}" height="{height}" rx="6" fill="{GROUND}"/>', *parts, "</svg>"])
    (pathlib.Path(__file__).parent / "src" / "drawings" / name).write_text(body + "\n")


def lanes():
    """The Sierpinski triangle at level 3, T = L = 1: three lanes, three superblocks, three micro cells."""
    colours, parts, replicas = [BLUE, ORANGE, GREEN], [], [(0, 0), (0, 1), (1, 1)]
    cell = 26
    for index in range(27):
        digits = [index // 9, index // 3 % 3, index % 3]
        x = sum(replicas[digit][0] * size for digit, size in zip(digits, (4, 2, 1)))
        y = sum(replicas[digit][1] * size for digit, size in zip(digits, (4, 2, 1)))
        parts.append(rect(30 + x * cell, 60 + y * cell, cell, cell, colours[digits[0]]))
        parts.append(text(30 + (x + 0.5) * cell, 60 + (y + 0.68) * cell, index, fill="white", size=12))
    parts.append(text(134, 40, "cells, by index"))
    parts.append(arrow(250, 164, 305, 164))
    for column in range(9):
        for lane in range(3):
            x, y = 325 + column * 40, 110 + lane * 36
            parts.append(rect(x, y, 36, 32, colours[lane]))
            parts.append(text(x + 18, y + 21, lane * 9 + column, fill="white", size=13))
    parts += [text(505, 40, "memory: nine columns of three lanes"), text(505, 66, "one vector instruction computes a column", size=13)]
    for block in range(3):
        x = 325 + block * 120
        parts.append(f'<path d="M{x} 222v8h116v-8" fill="none" stroke="{INK}"/>')
        parts.append(text(x + 58, 250, f"superblock {block}", size=13))
    return 710, 290, "The digits of an index say lane, superblock and micro cell; a column holds the same cell of all lanes.", parts


def halo():
    """Two time steps in one pass: what is loaded, what stands after one step, what is stored."""
    parts, cell = [], 22
    for number, (ring, words) in enumerate([(2, "loaded: block and halo"), (1, "after one step, in registers"), (0, "after two steps: stored")]):
        left = 30 + number * 240
        for y in range(8):
            for x in range(8):
                depth = min(x, y, 7 - x, 7 - y)
                fill = BLUE if depth >= 2 else ORANGE if depth >= 2 - ring else PALE
                parts.append(rect(left + x * cell, 50 + y * cell, cell, cell, fill))
        parts.append(text(left + 4 * cell, 34, words))
        if number < 2:
            parts.append(arrow(left + 8 * cell + 10, 138, left + 230, 138))
    parts.append(text(358, 252, "Each step needs one more ring of neighbours. Memory is read and written once.", size=13))
    return 716, 272, "A superblock of four by four cells with its halo, through two time steps.", parts


def band():
    """A band of rows with four time steps in one pass."""
    parts, height = [], 24
    for row in range(10):
        y = 60 + row * height
        parts.append(text(60, y + 17, f"row {row}", anchor="end", size=13))
        for step in range(5):
            # Rows that stand in memory, are kept by the pass, or are still to come.
            front = 6 - step
            fill = GREEN if step == 4 and row <= front else BLUE if step == 0 and row > front else ORANGE if front - 2 <= row <= front else PALE
            parts.append(rect(80 + step * 90, y, 84, height - 3, fill))
    for step in range(5):
        parts.append(text(122 + step * 90, 46, "old" if step == 0 else f"step {step}", size=13))
        if step:
            parts.append(arrow(80 + step * 90 - 14, 60 + (6.5 - step + 0.5) * height, 80 + step * 90 + 8, 60 + (6.5 - step) * height - 2))
    for number, (fill, words) in enumerate([(BLUE, "in memory, not read yet"), (ORANGE, "kept in the cache"), (GREEN, "in memory, four steps later"), (PALE, "not kept")]):
        y = 80 + number * 40
        parts += [rect(560, y, 26, 20, fill), text(596, y + 15, words, anchor="start", size=13)]
    parts += [text(560, 262, "The band moves down: a row of", anchor="start", size=13), text(560, 280, "each step for each row that is read.", anchor="start", size=13)]
    return 800, 320, "A band of rows moves down a mask and computes four time steps, each one row behind the step before.", parts


for draw in (lanes, halo, band):
    width, height, about, parts = draw()
    write(f"{draw.__name__}.svg", width, height, about, parts)
