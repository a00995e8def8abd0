"""Estimators on the trials of `uwb evaluate delay`: its own figures for its own estimators, and figures for any other."""

import json

import numpy as np
import pytest
from conftest import formatted

import uwbdsp

FIGURES = {
    "rmse_m": 6, "bias_m": 6, "median_m": 6, "p90_m": 6, "p90_unbiased_m": 6, "close_rmse_m": 6, "bound_m": 6, "ratio": 4,
    "normalised_variance": 4, "coverage": 4,
}


def check_figures(lines, rows):
    """Of the command line, and of Python."""
    assert len(rows) == len(lines)
    for line, row in zip(map(json.loads, lines), rows):
        assert (line["case"], line["snr_db"]) == (row["case"], row["snr_db"])
        assert [line[name] for name in ("trials", "close", "missed", "early")] == [
            row[name] for name in ("trials", "close", "missed", "early")]
        for name, places in FIGURES.items():
            told = "" if line[name] is None else formatted(line[name], places)
            assert told == formatted(row[name], places), (name, line["case"])


@pytest.mark.parametrize("estimator", ["adaptive", "edge-fit", "leading-edge", "clean"])
def test_figures_of_the_command_line(uwb, estimator):
    paths = ["0:0dB,2:-3dB", "0:0dB"]
    options = ["--snr", "15,25", "--trials", 300, "--seed", 3, "--channel", "cm1", "--estimators", estimator]
    lines = uwb("evaluate", "delay", "--output", "ndjson", *options, *(f"--paths={each}" for each in paths)).splitlines()
    rows = uwbdsp.evaluate.delay(estimator, paths=paths, snr=[15, 25], channel="cm1", trials=300, seed=3)
    assert len(lines) == 6
    check_figures(lines, rows)


def test_an_estimator_of_ones_own():
    seen = []

    def peaks(cirs):
        seen.append(cirs.shape)
        return np.argmax(np.abs(cirs), axis=1)

    row = uwbdsp.evaluate.delay(peaks, snr=30, trials=600)[0]
    assert seen == [(256, 1016), (256, 1016), (88, 1016)]
    # Rounding to whole taps alone: 1/√12 of 0.3 m.
    assert row["rmse_m"] == pytest.approx(0.3002 / np.sqrt(12), rel=0.1)
    assert row["missed"] == 0 and row["bound_m"] < 0.01 and np.isnan(row["coverage"])


def test_answers_with_deviations_and_without():
    def blind(cirs):
        return np.full(len(cirs), np.nan), np.ones(len(cirs))

    row = uwbdsp.evaluate.delay(blind, snr=30, trials=10)[0]
    assert row["missed"] == row["trials"] == 10 and np.isnan(row["rmse_m"])


@pytest.mark.parametrize("answer", [lambda cirs: 3.0, lambda cirs: np.zeros((len(cirs), 2)), lambda cirs: np.zeros(3),
                                    lambda cirs: (np.zeros(len(cirs)), np.zeros(3))])
def test_answers_that_fit_no_cirs(answer):
    with pytest.raises(uwbdsp.ArgumentError, match="shape.*a tuple of two"):
        uwbdsp.evaluate.delay(answer, snr=30, trials=10)


def test_options_that_make_no_sense():
    def none(cirs):
        raise AssertionError("is not to be called")

    for options in [{"paths": "nonsense"}, {"snr": "a"}, {"channel": "cm99"}, {"trials": 0}, {"unknown": 1}, {"svg": "a.svg"}]:
        with pytest.raises(uwbdsp.ArgumentError):
            uwbdsp.evaluate.delay(none, **options)
    with pytest.raises(uwbdsp.ArgumentError, match="leading-edge"):
        uwbdsp.evaluate.delay("leadingedge", snr=30)
    with pytest.raises(uwbdsp.ArgumentError, match="'mine'.*or a function"):
        uwbdsp.evaluate.delay("mine", snr=30)


def test_a_capture_is_no_exchange(walk):
    with pytest.raises(uwbdsp.ArgumentError, match="not Capture"):
        uwbdsp.Engine().measure(uwbdsp.read(walk))


def test_public_names():
    assert set(uwbdsp.evaluate.__all__) == {"Estimator", "SCORE", "delay"}


def test_scores_of_files_are_those_of_python(uwb, tmp_path):
    """An estimator in any language: the trials as files, its first paths as a table."""
    options = ["--paths", "0:0dB,2:-3dB", "--channel", "cm1", "--snr", "15,25", "--trials", 60, "--seed", 3]
    uwb("evaluate", "delay", *options, "--estimators", "peak", "--export", tmp_path)
    rows = ["case,trial,first_path_taps,first_path_std_taps"]
    for case in range(4):
        cirs = np.fromfile(tmp_path / f"{case}.cf32", "<c8").reshape(60, -1)
        rows += [f"{case},{trial},{taps},0.3" for trial, taps in enumerate(np.argmax(abs(cirs), axis=1))]
    (tmp_path / "peaks.csv").write_text("\n".join(rows))
    lines = uwb("evaluate", "delay", *options, "--output", "ndjson", "--score", f"peaks={tmp_path}/peaks.csv").splitlines()
    own = uwbdsp.evaluate.delay(
        lambda cirs: (np.argmax(abs(cirs), axis=1), np.full(len(cirs), 0.3)), paths="0:0dB,2:-3dB", channel="cm1", snr=[15, 25], trials=60,
        seed=3)
    check_figures(lines, own)
