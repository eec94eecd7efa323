#!/usr/bin/env python3
"""Draws a command and its output as the picture of a terminal: terminal_picture.py COMMAND < OUTPUT > PICTURE.svg

    mpirun -q --oversubscribe --bind-to none -n 8 build/gemp-mpi 2>&1 |
        docs/terminal_picture.py 'mpirun -q --oversubscribe --bind-to none -n 8 build/gemp-mpi' > docs/demo.svg
"""
import html
import sys

CELL, LINE, MARGIN, BAR = 7.8, 18, 16, 30
FONT = "ui-monospace, 'DejaVu Sans Mono', Menlo, Consolas, monospace"


def picture(command, lines):
    shown = ["$ " + command] + lines
    width = round(max(map(len, shown)) * CELL + 2 * MARGIN)
    height = len(shown) * LINE + BAR + 2 * MARGIN - 6
    yield (f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" viewBox="0 0 {width} {height}" '
           f'font-family="{FONT}" font-size="13" role="img" aria-label="{html.escape(command)}">')
    yield f'<rect width="{width}" height="{height}" rx="8" fill="#1b2028"/>'
    for place, colour in enumerate(("#e5655a", "#e0b04c", "#62b15a")):
        yield f'<circle cx="{MARGIN + 4 + 18 * place}" cy="{BAR // 2 + 3}" r="5.5" fill="{colour}"/>'
    for number, line in enumerate(shown):
        if not line.strip():
            continue
        colour = "#8fd18a" if number == 0 else "#d5dae2"
        y = BAR + MARGIN + number * LINE + 6
        # textLength keeps columns in line whatever the font is.
        yield (f'<text x="{MARGIN}" y="{y}" fill="{colour}" xml:space="preserve" '
               f'textLength="{len(line) * CELL:.1f}" lengthAdjust="spacingAndGlyphs">{html.escape(line)}</text>')
    yield "</svg>"


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    print("\n".join(picture(sys.argv[1], [line.rstrip().expandtabs() for line in sys.stdin])))
