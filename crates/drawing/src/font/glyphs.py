"""Writes regular.glyphs and bold.glyphs: the outlines of some letters of Liberation Sans 2.1.5 (fonttools 4).

python3 glyphs.py LiberationSans-Regular.ttf regular.glyphs; python3 glyphs.py LiberationSans-Bold.ttf bold.glyphs

For each letter, in the order of codes, little endian: code (u16), advance (u16, of 2048 for one em), the number of contours (u8); of each contour the
number of points (u8); of each point 2 x + 1 if it lies on the contour, else 2 x (i16), and y (i16). A contour begins with a point that lies on it, and
between two that do is at most one that does not: the control point of a quadratic curve.
"""

import struct
import sys

from fontTools.pens.recordingPen import DecomposingRecordingPen
from fontTools.ttLib import TTFont

RANGES = [(0x20, 0x7E), (0xA0, 0x17F), (0x391, 0x3C9), (0x2013, 0x2014), (0x2018, 0x201E), (0x2020, 0x2026), (0x2030, 0x203A)]
RANGES += [(0x2070, 0x208E), (0x20AC, 0x20AC), (0x2190, 0x2193), (0x2202, 0x222B), (0x2248, 0x2265), (0x25CF, 0x25CF)]


def middle(here, after):
    return (here[0] + after[0]) // 2, (here[1] + after[1]) // 2


def contours(glyphs, name):
    pen = DecomposingRecordingPen(glyphs)
    glyphs[name].draw(pen)
    for step, points in pen.value:
        if step == "moveTo":
            contour = [(*points[0], 1)]
        elif step == "lineTo":
            contour.append((*points[0], 1))
        elif step == "qCurveTo":
            *controls, end = points
            if end is None:
                # No point of the contour lies on it.
                end = middle(controls[-1], controls[0])
                contour = [(*end, 1)]
            for here, after in zip(controls, controls[1:]):
                contour += [(*here, 0), (*middle(here, after), 1)]
            contour += [(*controls[-1], 0), (*end, 1)]
        elif step == "closePath":
            yield contour[:-1] if contour[-1] == contour[0] else contour


font = TTFont(sys.argv[1])
glyphs, names = font.getGlyphSet(), font.getBestCmap()
with open(sys.argv[2], "wb") as file:
    for code in sorted(code for low, high in RANGES for code in range(low, high + 1) if code in names):
        outline = list(contours(glyphs, names[code]))
        file.write(struct.pack("<HHB", code, glyphs[names[code]].width, len(outline)))
        for contour in outline:
            file.write(struct.pack("<B", len(contour)))
            for x, y, on in contour:
                file.write(struct.pack("<hh", 2 * x + on, y))
