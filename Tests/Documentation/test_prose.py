"""Tests of scripts/prose: each rule on a page that breaks it, and on one that does not.

  python3 -m unittest discover -s Tests/Documentation
"""

import importlib.machinery
import importlib.util
import pathlib
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]


def load(name):
  """A program of scripts/ as a module."""
  sys.dont_write_bytecode = True
  loader = importlib.machinery.SourceFileLoader(name, str(ROOT / "scripts" / name))
  module = importlib.util.module_from_spec(importlib.util.spec_from_loader(name, loader))
  loader.exec_module(module)
  return module


prose = load("prose")


def sentence(count):
  return "Word" + " word" * (count - 1) + "."


class Checks(unittest.TestCase):
  def faults(self, text, **others):
    """Faults of a page a.md of this text, beside pages of the given names and texts."""
    pages = {"a.md": text} | {name + ".md": other for name, other in others.items()}
    with tempfile.TemporaryDirectory() as folder:
      root = pathlib.Path(folder)
      for name, page in pages.items():
        (root / name).write_text(page, encoding="utf-8")
      (root / "picture.svg").touch()
      return list(prose.check("a.md", root, {*pages, "picture.svg", "."}, {}))

  def assertFault(self, text, line, part, **others):
    faults = self.faults(text, **others)
    self.assertEqual(len(faults), 1, faults)
    self.assertEqual(faults[0][0], line)
    self.assertIn(part, faults[0][1])

  def assertClean(self, text, **others):
    self.assertEqual(self.faults(text, **others), [])

  def test_sentence_of_40_words_passes_and_of_41_fails(self):
    self.assertClean("# A\n\n" + sentence(40))
    self.assertFault("# A\n\nShort.\n" + sentence(41), 4, "41 words")

  def test_median_needs_five_sentences(self):
    self.assertClean("# A\n\n" + " ".join([sentence(19)] * 4))
    self.assertFault("# A\n\n" + " ".join([sentence(19)] * 5), 1, "median of 19")
    self.assertClean("# A\n\n" + " ".join([sentence(18)] * 3 + [sentence(30)] * 2))

  def test_code_tables_headings_comments_and_addresses_do_not_count(self):
    many = "word " * 50
    self.assertClean(f"# A {many}\n\n```\n{many}\n```\n\n    {many}\n\n| a |\n|---|\n| {many} |\n\n<!--\n{many}\n-->\n")
    self.assertClean(f"# A\n\nSee `{many}` and [this](b.md#x).\n", b="# B\n\n## x\n")

  def test_list_items_are_sentences_of_their_own(self):
    self.assertClean("# A\n\n" + "- word word word word word word\n" * 10)
    self.assertFault("# A\n\n- " + "word " * 30 + "\n  " + "word " * 11, 3, "41 words")

  def test_a_paragraph_of_a_list_item_counts(self):
    self.assertFault("# A\n\n- Short.\n\n    " + sentence(41), 5, "41 words")

  def test_abbreviations_and_initials_end_no_sentence(self):
    text = "M. Kolakowski et al. Describe it, cf. Eq. 3 there. A second one."
    self.assertEqual(len(list(prose.split(text))), 2)

  def test_one_first_level_heading(self):
    self.assertFault("Text.\n", 1, "0 first-level")
    self.assertFault("# A\n\n# B\n", 3, "2 first-level")
    self.assertClean("# A\n\n```\n# a comment\n```\n")

  def test_links_to_files(self):
    self.assertFault("# A\n\nShort.\n[b](b.md)\n", 4, "no file b.md")
    self.assertFault("# A\n\n| a |\n|---|\n| [b](b.md) |\n", 5, "no file b.md")
    self.assertFault("# A\n\n<a href=\"b.md\">b</a>\n", 3, "no file b.md")
    self.assertFault("# A\n\n[b][it]\n\n[it]: b.md\n", 5, "no file b.md")
    self.assertFault("# A\n\n[b][it]\n", 3, "no address")
    self.assertFault("# A\n\n[b](/b.md)\n", 3, "relative", b="# B\n")
    self.assertClean("# A\n\n[b](b.md) `[c](c.md)` [d](https://example.org/d.md)\n", b="# B\n")

  def test_links_to_headings(self):
    self.assertClean("# A\n\n[b](b.md#the-unit-µs--1-of-2) [a](#a)\n", b="# B\n\n## The *unit* `µs` – (1 of 2)\n")
    self.assertFault("# A\n\n[b](b.md#that)\n", 3, "no heading #that", b="# B\n\n## This\n")
    self.assertFault("# A\n\n[b](b.md#this)\n", 3, "several", b="# B\n\n## This\n\n## This\n")
    self.assertFault("# A\n\n[b](#this)\n", 3, "no heading #this", b="# B\n\n## This\n")

  def test_pictures(self):
    self.assertClean("# A\n\n![What it shows](picture.svg)\n")
    self.assertFault("# A\n\n![](picture.svg)\n", 3, "without alternative text")
    self.assertFault("# A\n\n<img src=\"picture.svg\">\n", 3, "without alternative text")
    self.assertFault("# A\n\n![What it shows](no.svg)\n", 3, "no file no.svg")
    self.assertFault("# A\n\n[![What it shows](picture.svg)](b.md)\n", 3, "no file b.md")


if __name__ == "__main__":
  unittest.main()
