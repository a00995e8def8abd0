"""Pictures and bars, and what is told where their packages are missing."""

import sys

import matplotlib
import numpy as np
import pytest

import uwbdsp

matplotlib.use("Agg")
from matplotlib import pyplot  # noqa: E402


@pytest.fixture(autouse=True)
def closed():
    yield
    pyplot.close("all")


def legend(axes):
    axes.figure.canvas.draw()
    return [text.get_text() for text in axes.get_legend().get_texts()]


def test_paths(cirs):
    cirs = cirs.copy()
    cirs[[5, 9]] = 0
    paths = uwbdsp.first_paths(cirs)
    assert sorted(legend(paths.plot())) == ["first path ± 1 σ", "none: 2 emptyImpulseResponse"]
    assert "antenna 3" in legend(paths.reshape(10, 4).plot())
    axes = pyplot.subplots()[1]
    assert paths[0:1].plot(axes) is axes and legend(paths[:0].plot()) and legend(uwbdsp.first_paths(cirs[0]).plot())


def test_updates(walk, tmp_path, cirs):
    updates = uwbdsp.replay([walk, walk], delay="edge-fit")
    assert legend(updates.plot()) == ["raw", "0001, walk.sigmf-meta", "true", "0001, walk.sigmf-meta (2)"]
    assert "delivered ± 1 σ" in legend(updates[:122].plot())
    rejected = updates[:10].copy()
    rejected["event"], rejected["status"] = uwbdsp.Event.rejected, uwbdsp.UpdateStatus.noFirstPath
    assert "none: 10 noFirstPath" in legend(rejected.plot())


def test_bar(cirs, capsys):
    many = np.tile(cirs, (60, 1, 1))
    options = {"delay": "leading-edge", "pulse": "profile"}
    plain = uwbdsp.first_paths(many, **options)
    shown = uwbdsp.first_paths(many, **options, progress=True)
    assert shown.tobytes() == plain.tobytes() and type(shown) is uwbdsp.Paths
    assert "CIRs" in capsys.readouterr().err


def test_bar_of_a_replay(walk, capsys):
    plain = uwbdsp.replay(walk, delay="edge-fit")
    shown = uwbdsp.replay(walk, delay="edge-fit", progress=True)
    assert shown.tobytes() == plain.tobytes() and "123events" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("module", "package", "call"),
    [
        ("matplotlib.pyplot", "matplotlib", lambda cirs: uwbdsp.first_paths(cirs).plot()),
        ("tqdm.auto", "tqdm", lambda cirs: uwbdsp.first_paths(np.tile(cirs, (60, 1, 1)), pulse="profile", progress=True)),
    ],
)
def test_missing_packages(monkeypatch, cirs, module, package, call):
    monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(ImportError, match=f"pip install {package}"):
        call(cirs)
