"""Tests of what makes the pages of Documentation/results and Documentation/estimators."""

import importlib
import os
import pathlib
import sys
import tempfile
import unittest

from test_prose import ROOT

sys.path[:0] = [str(ROOT / "Benchmarks"), str(ROOT / "Benchmarks" / "tables")]
result_pages = importlib.import_module("result_pages")
pictures = importlib.import_module("estimator_pictures")

LIST = """Delay (--delay):
  chip                     the chip's own first path
  peak                     strongest point

Angle (--angle):
  none                     no direction
  phase-fit                weighted least squares

Angle from snapshots (evaluate angle):
  phase-fit                weighted least squares on phases

Device profiles (from the capture):
  ideal                    delay adaptive
"""


class Sections(unittest.TestCase):
  def setUp(self):
    folder = tempfile.TemporaryDirectory()
    self.addCleanup(folder.cleanup)
    self.page = pathlib.Path(folder.name) / "page.md"

  def test_a_missing_page_gets_its_title(self):
    result_pages.write_section(self.page, "one", ["## One", "", "Text."], "Title")
    self.assertEqual(
      self.page.read_text(), "# Title\n\n<!-- one: begin -->\n## One\n\nText.\n\n<!-- one: end -->\n")

  def test_a_section_is_replaced_and_the_rest_stays(self):
    self.page.write_text("# Own\n\nBefore.\n\n<!-- one: begin -->\nold\n<!-- one: end -->\n\nAfter.\n")
    result_pages.write_section(self.page, "one", ["new", ""], "Title")
    first = self.page.read_text()
    self.assertEqual(first, "# Own\n\nBefore.\n\n<!-- one: begin -->\nnew\n\n<!-- one: end -->\n\nAfter.\n")
    result_pages.write_section(self.page, "one", ["new"], "Title")
    self.assertEqual(self.page.read_text(), first)

  def test_a_new_section_comes_last(self):
    result_pages.write_section(self.page, "one", ["1"], "Title")
    result_pages.write_section(self.page, "two", ["2"], "Title")
    self.assertLess(self.page.read_text().index("one: end"), self.page.read_text().index("two: begin"))

  def test_bars_that_do_not_hold_are_open_points(self):
    place = os.getcwd()
    os.chdir(self.page.parent)
    self.addCleanup(os.chdir, place)
    bars = [(["walk", "rms"], "0.2", "≤ 0.1", False), (["walk", "bias"], "0", "≤ 1", True)]
    result_pages.write_bars("t", "Tracking", "command", ["About."], ["walks", "figure", "value"], bars)
    figures = pathlib.Path("Documentation/results/Tracking.md").read_text()
    points = pathlib.Path("Documentation/results/Open-points.md").read_text()
    self.assertIn("| walk | bias | 0 |", figures)
    self.assertNotIn("≤", figures)
    self.assertIn("1 of 2 bars hold.", points)
    self.assertIn("| walk | rms | ≤ 0.1 | 0.2 |", points)
    self.assertNotIn("bias", points)

  def test_a_section_says_when_and_where(self):
    self.assertEqual(
      result_pages.made("run", "2026-01-02", "a machine"), "Made on 2026-01-02 by `run`. Machine: a machine.")
    self.assertRegex(result_pages.made("run"), r"^Made on \d{4}-\d\d-\d\d by `run`\. Machine: \d+ cores, .+\.$")


class Estimators(unittest.TestCase):
  def setUp(self):
    folder = tempfile.TemporaryDirectory()
    self.addCleanup(folder.cleanup)
    self.place, (pages, drawn) = os.getcwd(), (pictures.PAGES, pictures.PICTURES)
    os.chdir(folder.name)
    self.addCleanup(os.chdir, self.place)
    pages.mkdir(parents=True)
    drawn.mkdir(parents=True)
    program = pathlib.Path("uwb")
    program.write_text(f"#!/bin/sh\ncat <<'TEXT'\n{LIST}TEXT\n")
    program.chmod(0o755)
    self.names = pictures.listed("./uwb")

  def test_names_come_from_the_program(self):
    self.assertEqual(
      self.names, [("delay", "chip"), ("delay", "peak"), ("angle", "none"), ("angle", "phase-fit")])

  def test_each_estimator_has_a_page_a_link_and_a_picture(self):
    links = []
    for page in ("delay-chip.md", "delay-peak.md", "angle-phase-fit.md"):
      (pictures.PAGES / page).write_text("# Page\n")
      links.append(f"[page]({page})")
    (pictures.PAGES / "README.md").write_text("\n".join(links))
    for picture in ("delay-peak.svg", "angle-phase-fit.svg"):
      (pictures.PICTURES / picture).write_text("<svg/>")
    self.assertEqual(pictures.check(self.names), [])
    (pictures.PICTURES / "delay-peak.svg").unlink()
    (pictures.PAGES / "delay-chip.md").unlink()
    (pictures.PAGES / "delay-gone.md").write_text("# Gone\n")
    faults = "\n".join(pictures.check(self.names))
    for word in ("delay-peak.svg: missing", "delay-chip.md: no page", "delay-gone.md: no estimator"):
      self.assertIn(word, faults)
