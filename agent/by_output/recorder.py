"""Records what a script tells the plot library to draw, and saves every picture that the script leaves open. The text
of this module runs in the sandbox before the script, with the standard library and the plot library only."""

# pyright: basic

import atexit
import contextlib
import json
import os
from math import isfinite

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
from matplotlib.axes import Axes
from matplotlib.figure import Figure

RECORD = "drawn.record.json"
_MOST_VALUES = 1000
"""Values of one line or histogram that are recorded."""
_MOST_POINTS = 2000
"""Points of all series together; if there are more, none are recorded."""
_told = []
_saved = set()
_counted = {}
_save = Figure.savefig
_hist = Axes.hist


def _recording(figure, fname, *args, **options):
    given = _save(figure, fname, *args, **options)
    _saved.add(id(figure))
    _keep(figure, os.path.basename(str(fname)))
    return given


def _counting(axes, x, *args, **options):
    with contextlib.suppress(TypeError, ValueError):  # several histograms at once, or no numbers
        _counted.setdefault(id(axes), []).append([[float(value)] for value in x])
    return _hist(axes, x, *args, **options)


def _keep(figure, name):
    axes = [_axes(one) for one in figure.axes]
    _told.append({"picture": name, "axes": [one for one in axes if one is not None]})


def _axes(axes):
    """Returns what one pair of axes shows; None for a colour bar."""
    if axes.get_label() == "<colorbar>":
        return None
    bars = [float(bar.get_height()) for group in axes.containers for bar in group if hasattr(bar, "get_height")]
    lying = [float(bar.get_width()) for group in axes.containers for bar in group if hasattr(bar, "get_width")]
    flat = bool(bars) and len(set(lying)) > 1 and len({round(bar, 9) for bar in bars}) == 1
    told = [(line.get_xdata(orig=False), line.get_ydata(orig=False)) for line in axes.lines]
    curves = [_shown(zip(*both, strict=False)) for both in told]
    groups = [_shown(group.get_offsets()) for group in axes.collections if hasattr(group, "get_offsets")]
    wedges = [float(patch.theta2 - patch.theta1) / 360 for patch in axes.patches if hasattr(patch, "theta1")]
    return {
        "title": axes.get_title(),
        "x": axes.get_xlabel(),
        "y": axes.get_ylabel(),
        "bars": _short(lying if flat else bars),
        "lines": [_short([y for _, y in curve]) for curve in curves if curve],
        "along": [_short([x for x, _ in curve]) for curve in curves if curve],
        "points": sum(map(len, groups)),
        "data": _data([*groups, *curves, *_counted.get(id(axes), [])]),
        "wedges": _short(wedges),
        "images": len(axes.images),
        "patches": len(axes.patches),
        "texts": len(axes.texts),
    }


def _shown(points):
    """Returns the points that can be seen. A moving average begins with NaN values, which are not drawn."""
    pairs = ([float(x), float(y)] for x, y in points)
    return [[x, y] for x, y in pairs if isfinite(x) and isfinite(y)]


def _data(series):
    """Returns every series of several points, if all together are few enough to be kept."""
    points = [[[float(f"{value:.9g}") for value in point] for point in one] for one in series]
    whole = [one for one in points if len(one) > 1]
    return whole if sum(map(len, whole)) <= _MOST_POINTS else []


def _short(values):
    return [float(f"{value:.9g}") for value in values[:_MOST_VALUES]]


def _end():
    for number in plt.get_fignums():
        figure = plt.figure(number)
        if id(figure) not in _saved and (figure.axes or figure.texts):
            name = f"figure_{number}.png"
            _save(figure, name)
            _keep(figure, name)
    with open(RECORD, "w", encoding="utf-8") as file:
        json.dump(_told, file)


Axes.hist = _counting  # pyright: ignore[reportAttributeAccessIssue]
Figure.savefig = _recording  # pyright: ignore[reportAttributeAccessIssue]
atexit.register(_end)
