"""Pictures as SVG text: a frame with axes, into which curves are set; colours are left to the page's style."""

from __future__ import annotations

import html
from collections.abc import Callable, Sequence

import attrs

WIDTH, HEIGHT = 400, 340
LEFT, RIGHT, TOP, BOTTOM = 64, 20, 12, 54

Scale = Callable[[float], float]


@attrs.frozen(kw_only=True)
class Axis:
    """One axis: where a value lies between 0 and 1 along it, its ticks with their labels, and what it shows in words."""

    scale: Scale
    ticks: tuple[tuple[float, str], ...]
    title: str


@attrs.frozen
class Frame:
    """Two axes and the rectangle between them.

    Attributes:
        name: A name that is unique in the page; the parts' ids start with it.
        across: The axis from left to right.
        up: The axis from the bottom to the top.
    """

    name: str
    across: Axis
    up: Axis

    def place(self, x: float, y: float) -> tuple[float, float]:
        """Where a point lies in the picture's own units, to a tenth."""
        across, up = self.across.scale(x), self.up.scale(y)
        return (
            round(LEFT + across * (WIDTH - LEFT - RIGHT), 1),
            round(HEIGHT - BOTTOM - up * (HEIGHT - TOP - BOTTOM), 1),
        )

    def path(self, xs: Sequence[float], ys: Sequence[float], style: str) -> str:
        """A line through points."""
        return f'<path class="{style}" d="{self._way(xs, ys)}"/>'

    def area(self, xs: Sequence[float], ys: Sequence[float], style: str) -> str:
        """A filled shape with these corners."""
        return f'<path class="{style}" d="{self._way(xs, ys)}Z"/>'

    def dot(self, x: float, y: float) -> str:
        """A mark that a slider can move."""
        left, top = self.place(x, y)
        return f'<circle class="mark" id="{self.name}-mark" r="5.5" transform="translate({left:g} {top:g})"/>'

    def picture(self, description: str, inside: Sequence[str], mark: str = "") -> str:
        """The finished picture: grid, what is cut off at the frame, a mark that is not, axes and their words."""
        clip = (
            f'<clipPath id="{self.name}-frame"><rect x="{LEFT}" y="{TOP - 7}"'
            f' width="{WIDTH - LEFT - RIGHT + 7}" height="{HEIGHT - TOP - BOTTOM + 7}"/></clipPath>'
        )
        return (
            f'<svg viewBox="0 0 {WIDTH} {HEIGHT}" role="img" aria-label="{html.escape(description)}">'
            f"<defs>{clip}</defs>{self._grid()}"
            f'<g clip-path="url(#{self.name}-frame)">{"".join(inside)}</g>{mark}{self._words()}</svg>'
        )

    def _way(self, xs: Sequence[float], ys: Sequence[float]) -> str:
        points = (self.place(x, y) for x, y in zip(xs, ys, strict=True))
        return "M" + "L".join(f"{left:g} {top:g}" for left, top in points)

    def _grid(self) -> str:
        right, bottom = WIDTH - RIGHT, HEIGHT - BOTTOM
        lines = [f"M{self._left(x):g} {TOP}V{bottom}" for x, _ in self.across.ticks]
        lines += [f"M{LEFT} {self._top(y):g}H{right}" for y, _ in self.up.ticks]
        return f'<path class="grid" d="{"".join(lines)}"/>'

    def _words(self) -> str:
        bottom, middle = HEIGHT - BOTTOM, (TOP + HEIGHT - BOTTOM) / 2
        below = "".join(
            f'<text x="{self._left(x):g}" y="{bottom + 17}" text-anchor="middle">{html.escape(text)}</text>'
            for x, text in self.across.ticks
        )
        beside = "".join(
            f'<text x="{LEFT - 7}" y="{self._top(y) + 4:g}" text-anchor="end">{html.escape(text)}</text>'
            for y, text in self.up.ticks
        )
        across = (
            f'<text class="axis" x="{(LEFT + WIDTH - RIGHT) / 2:g}" y="{HEIGHT - 12}"'
            f' text-anchor="middle">{html.escape(self.across.title)}</text>'
        )
        up = (
            f'<text class="axis" transform="translate(13 {middle:g}) rotate(-90)"'
            f' text-anchor="middle">{html.escape(self.up.title)}</text>'
        )
        return f'<g aria-hidden="true">{below}{beside}{across}{up}</g>'

    def _left(self, x: float) -> float:
        return self.place(x, self.up.ticks[0][0])[0]

    def _top(self, y: float) -> float:
        return self.place(self.across.ticks[0][0], y)[1]
