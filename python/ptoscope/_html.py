"""Findings and runs as HTML, for notebooks. Everything is well-formed XML, too."""
import html

from ._core import Finding, Run
from ._text import headline

COLOURS = {"error": "#b3261e", "warning": "#8a5a00", "remark": "#5f6368"}
PIPES = {"SCALAR": "#9aa0a6", "MTE2": "#1a73e8", "MTE1": "#00838f", "CUBE": "#8e24aa", "FIXP": "#c2185b",
         "VECTOR": "#188038", "MTE3": "#e8710a"}
MOST_SLICES = 2000


def text(value: object) -> str:
    """Escaped; control characters, which HTML has no place for, are shown as U+FFFD."""
    return html.escape("".join(c if c in "\n\t" or c >= " " else "\ufffd" for c in str(value)))


def finding(found: Finding) -> str:
    colour = COLOURS[found.severity]
    return (f'<div style="border-left:4px solid {colour};padding-left:8px;margin:6px 0">'
            f'<b style="color:{colour}">{text(found.severity)}[{text(found.code)}]</b>'
            f'<pre style="margin:2px 0">{text(found).rstrip()}</pre></div>')


def timeline(run: Run) -> str:
    """Pipes of the first block over time, as a picture."""
    slices = [part for part in run.timeline if part.block == 0]
    left_out = max(0, len(slices) - MOST_SLICES)
    slices = slices[:MOST_SLICES]
    if not slices:
        return ""
    rows = list(dict.fromkeys((part.core, part.pipe) for part in slices))
    end = max(part.end for part in slices) or 1
    width, height, label = 900, 18, 110
    marks = []
    for number, (core, pipe) in enumerate(rows):
        y = number * height
        marks.append(f'<text x="0" y="{y + 13}" font-size="11">{text(core)} {text(pipe)}</text>')
    for part in slices:
        x = label + part.start / end * (width - label)
        size = max((part.end - part.start) / end * (width - label), 0.5)
        y = rows.index((part.core, part.pipe)) * height
        title = f"line {part.line}: {part.op}, cycles {part.start:.0f} to {part.end:.0f}"
        marks.append(f'<rect x="{x:.2f}" y="{y + 2}" width="{size:.2f}" height="{height - 4}" '
                     f'fill="{PIPES.get(part.pipe, "#5f6368")}"><title>{text(title)}</title></rect>')
    more = f"<div>{left_out} more instructions are not shown</div>" if left_out else ""
    return (f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{len(rows) * height}" '
            f'viewBox="0 0 {width} {len(rows) * height}">{"".join(marks)}</svg>{more}')


def run(finished: Run) -> str:
    parts = [f"<div><b>{text(headline(finished))}</b></div>"]
    parts += [finding(found) for found in finished.findings if found.severity != "remark"]
    if finished.timed and finished.completed:
        parts.append(f"<div>{finished.cycles:.0f} cycles, {finished.microseconds:.3f} µs with the launch</div>")
        parts.append(timeline(finished))
    return f'<div class="ptoscope-run">{"".join(parts)}</div>'
