"""Patterns as one SVG picture: the failures by kind, and their share over time. Pure; nothing but text is made."""

from __future__ import annotations

from html import escape

from hindsight.learn.patterns import Patterns

WIDTH, ROW, LEFT = 860, 26, 330
_FONT = "font-family='sans-serif' font-size='13'"


def as_svg(patterns: Patterns) -> str:
    """Bars for the kinds of failure (failed of all runs), then a column a period with its share of failures."""
    rows = patterns.cells[:20]
    trend_top = 60 + ROW * max(1, len(rows)) + 40
    height = trend_top + 170
    most = max((cell.runs for cell in rows), default=1)
    parts = [f"<text x='16' y='30' {_FONT} font-weight='bold'>{patterns.failures} of {patterns.runs} tasks failed</text>"]
    for number, cell in enumerate(rows):
        top = 50 + ROW * number
        name = " · ".join(part for part in (cell.task_type, cell.tool, cell.error) if part)
        scale = (WIDTH - LEFT - 130) / most
        parts.append(f"<text x='{LEFT - 8}' y='{top + 15}' text-anchor='end' {_FONT}>{_text(name, 46)}</text>")
        parts.append(f"<rect x='{LEFT}' y='{top + 2}' width='{cell.runs * scale:.1f}' height='17' fill='#d8dee9'/>")
        parts.append(f"<rect x='{LEFT}' y='{top + 2}' width='{cell.failures * scale:.1f}' height='17' fill='#bf4b4b'/>")
        parts.append(
            f"<text x='{LEFT + cell.runs * scale + 6:.1f}' y='{top + 15}' {_FONT}>{cell.failures} / {cell.runs} ({cell.rate:.0%})</text>"
        )
    parts += _trend(patterns, trend_top)
    return (
        f"<svg xmlns='http://www.w3.org/2000/svg' width='{WIDTH}' height='{height}' viewBox='0 0 {WIDTH} {height}'>"
        f"<rect width='{WIDTH}' height='{height}' fill='white'/>{''.join(parts)}</svg>\n"
    )


def _trend(patterns: Patterns, top: int) -> list[str]:
    parts = [f"<text x='16' y='{top}' {_FONT} font-weight='bold'>share of failures over time</text>"]
    step = (WIDTH - 40) / max(1, len(patterns.trend))
    for number, period in enumerate(patterns.trend):
        share = period.failures / period.runs if period.runs else 0.0
        left, size = 20 + step * number, 100 * share
        parts.append(f"<rect x='{left:.1f}' y='{top + 120 - size:.1f}' width='{step * 0.7:.1f}' height='{size:.1f}' fill='#bf4b4b'/>")
        told = f"{share:.0%} of {period.runs}" if period.runs else "–"
        parts.append(f"<text x='{left:.1f}' y='{top + 114 - size:.1f}' {_FONT}>{told}</text>")
        parts.append(f"<text x='{left:.1f}' y='{top + 140}' {_FONT}>{_text(period.begins, 12)}</text>")
    return parts


def _text(value: str, length: int) -> str:
    """Escaped for XML, without characters that XML 1.0 forbids."""
    clean = "".join(character for character in value if character.isprintable())
    return escape(clean if len(clean) <= length else clean[: length - 1] + "…")
