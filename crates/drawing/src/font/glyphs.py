"""Writes the *.glyphs: outlines of letters of Liberation Sans 2.1.5, and of signs that it lacks of Noto Sans Math 2.001 and Noto Sans 2.004 (fonttools 4).

python3 glyphs.py letters regular.glyphs LiberationSans-Regular.ttf
python3 glyphs.py letters bold.glyphs LiberationSans-Bold.ttf
python3 glyphs.py signs signs.glyphs LiberationSans-Regular.ttf NotoSansMath-Regular.ttf NotoSans-Regular.ttf

For each letter, in the order of codes, little endian: code (u16), advance (u16, of 2048 for one em), the number of contours (u8); of each contour the
number of points (u8); of each point 2 x + 1 if it lies on the contour, else 2 x (i16), and y (i16). A contour begins with a point that lies on it, and
between two that do is at most one that does not: the control point of a quadratic curve.
"""

import struct
import sys

from fontTools.pens.recordingPen import DecomposingRecordingPen
from fontTools.ttLib import TTFont

EM = 2048
# Latin, Greek, Cyrillic, raised and lowered letters, punctuation, currencies, and what Liberation has of signs.
LETTERS = [(0x20, 0x7E), (0xA0, 0x17F), (0x192, 0x192), (0x218, 0x21B), (0x2B0, 0x2B8), (0x370, 0x3E1), (0x3F0, 0x3FF), (0x400, 0x4FF), (0x1D2C, 0x1D6A)]
LETTERS += [(0x2010, 0x2027), (0x2030, 0x205E), (0x2070, 0x209F), (0x20A0, 0x20BF), (0x2100, 0x214F), (0x2190, 0x21FF), (0x2202, 0x222B), (0x2248, 0x2265), (0x25A0, 0x25FF)]
# Lowered letters, letterlike signs, arrows, operators, brackets. Brackets of means and the raised minus are drawn by other letters (`font.rs`).
SIGNS = [(0x2010, 0x2027), (0x2030, 0x205E), (0x2070, 0x209F), (0x2100, 0x214F), (0x2190, 0x21FF), (0x2200, 0x22FF), (0x2308, 0x230B)]
SIGNS += [(0x25A0, 0x25FF), (0x27C2, 0x27C2), (0x27E6, 0x27EB), (0x27F5, 0x27FF), (0x2A7D, 0x2A7E), (0x2A85, 0x2A88), (0x2AAF, 0x2AB0), (0x2C7C, 0x2C7C)]
DRAWN_BY_OTHERS = {0x207B, 0x27E8, 0x27E9}


def middle(here, after):
    return (here[0] + after[0]) // 2, (here[1] + after[1]) // 2


def contours(glyphs, name, scale):
    pen = DecomposingRecordingPen(glyphs)
    glyphs[name].draw(pen)
    for step, points in pen.value:
        points = [point and tuple(round(scale * along) for along in point) for point in points]
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


kind, output, *paths = sys.argv[1:]
fonts = [TTFont(path) for path in paths]
ranges, lacking = (LETTERS, []) if kind == "letters" else (SIGNS, [fonts.pop(0).getBestCmap()])
codes = {code for low, high in ranges for code in range(low, high + 1)}
if lacking:
    there = {code for low, high in LETTERS for code in range(low, high + 1)}
    codes -= {code for code in there if code in lacking[0]} | DRAWN_BY_OTHERS
found = [(code, font) for code in sorted(codes) for font in [next((font for font in fonts if code in font.getBestCmap()), None)] if font]
with open(output, "wb") as file:
    for code, font in found:
        glyphs, name, scale = font.getGlyphSet(), font.getBestCmap()[code], EM / font["head"].unitsPerEm
        outline = list(contours(glyphs, name, scale))
        file.write(struct.pack("<HHB", code, round(scale * glyphs[name].width), len(outline)))
        for contour in outline:
            file.write(struct.pack("<B", len(contour)))
            for x, y, on in contour:
                file.write(struct.pack("<hh", 2 * x + on, y))
