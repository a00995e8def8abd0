"""Tests of scripts/shown: each rule on a block that breaks it, and on one that does not."""

import os
import pathlib
import shutil
import sys
import tempfile
import unittest

from test_prose import load

shown = load("shown")


class Lines(unittest.TestCase):
  def matches(self, expected, actual, within=0.02):
    return shown.matches(expected.split("\n"), actual.split("\n"), within)

  def test_numbers_within_two_percent_or_one_last_decimal(self):
    self.assertTrue(self.matches("rms 1.00 m", "rms 1.02 m"))
    self.assertFalse(self.matches("rms 1.00 m", "rms 1.03 m"))
    self.assertTrue(self.matches("rms 0.017 m", "rms 0.018 m"))
    self.assertFalse(self.matches("rms 0.017 m", "rms 0.019 m"))
    self.assertTrue(self.matches("rms 1.00 m", "rms 1.09 m", 0.1))
    self.assertTrue(self.matches("-0.000 m", "0.001 m"))

  def test_counts_and_words_are_exact_but_for_the_tolerance(self):
    self.assertFalse(self.matches("3 exchanges", "4 exchanges"))
    self.assertFalse(self.matches("122 updates", "122 rejects"))
    self.assertFalse(self.matches("peer 0001:", "peer 0002:"))
    self.assertTrue(self.matches("a  b", "a b"))

  def test_left_out_text_and_lines(self):
    self.assertTrue(self.matches("a … 2", "a 3 4 5 2"))
    self.assertFalse(self.matches("a … 2", "a 3 4 5"))
    self.assertTrue(self.matches("a\n…\nd", "a\nb\nc\nd"))
    self.assertTrue(self.matches("a\n…", "a\nb"))
    self.assertTrue(self.matches("a\n…\nb", "a\nb"))
    self.assertFalse(self.matches("a\n…\nd", "a\nb\nc"))
    self.assertFalse(self.matches("a", "a\nb"))
    self.assertFalse(self.matches("a\nb", "a"))


class Blocks(unittest.TestCase):
  def test_commands_go_on_after_a_backslash_and_in_documents(self):
    found = shown.commands(["$ a \\", "  b", "out", "$ cat <<'END' >f", "x", "END", "$ c"])
    self.assertEqual([(command, printed) for _, command, printed in found],
                     [("a \\\n  b", ["out"]), ("cat <<'END' >f\nx\nEND", []), ("c", [])])

  def test_notes_reach_the_next_block_alone(self):
    found = shown.blocks("<!-- shown: within 10 % -->\n```console\n$ a\n```\nText.\n\n<!-- shown: skip slow -->\n\n```shell\nb\n```\n"
                         "<!-- shown: fails -->\nText.\n\n```shell\nc\n```\n")
    self.assertEqual([(b.within, b.skip, b.fails) for b in found],
                     [(0.1, None, False), (0.02, "slow", False), (0.02, None, False)])

  def test_an_unknown_note_is_an_error(self):
    with self.assertRaises(ValueError):
      shown.blocks("<!-- shown: maybe -->\n```console\n```\n")

  def test_swift_stands_in_a_file_in_order(self):
    file = ["import A", "let a = 1", "let b = 2", "print(a)"]
    self.assertTrue(shown.in_order([["let a = 1", "let b = 2"]], file))
    self.assertTrue(shown.in_order([["import A"], ["print(a)"]], file))
    self.assertTrue(shown.in_order([["let a = …", "let b = 2"]], file))
    self.assertFalse(shown.in_order([["let a = …", "let b = 3"]], file))
    self.assertFalse(shown.in_order([["import A", "let b = 2"]], file))
    self.assertFalse(shown.in_order([["print(a)"], ["import A"]], file))


  def test_swift_comments_do_not_count(self):
    self.assertEqual(shown.code("  let a = 1   // one"), "let a = 1")
    self.assertEqual(shown.code("  // one"), "")
    self.assertEqual(shown.code("open(\"unix://x\")"), "open(\"unix://x\")")


class Pages(unittest.TestCase):
  """Whole pages, with a program `uwb` that prints its arguments."""

  def setUp(self):
    self.folder = pathlib.Path(tempfile.mkdtemp())
    self.addCleanup(shutil.rmtree, self.folder)
    self.program = self.folder / "uwb"
    self.program.write_text("#!/bin/sh\necho \"uwb says $*\"\n")
    self.program.chmod(0o755)

  def run_page(self, text):
    (self.folder / "page.md").write_text(text, encoding="utf-8")
    page = shown.Page(os.path.relpath(self.folder / "page.md", shown.ROOT), str(self.program), sys.executable)
    page.run()
    return page

  def assertRuns(self, text):
    page = self.run_page(text)
    self.assertEqual(page.faults, [])
    return page

  def assertDiffers(self, text, line):
    page = self.run_page(text)
    self.assertEqual([at for at, _ in page.faults], [line], page.faults)

  def test_what_a_command_prints_is_compared(self):
    self.assertRuns("```console\n$ uwb replay 1.00\nuwb says replay 1.01\n```\n")
    self.assertDiffers("Text.\n\n```console\n$ true\n$ uwb replay\nuwb says nothing\n```\n", 5)

  def test_files_and_variables_last_for_the_page(self):
    self.assertRuns("```console\n$ echo 7 >f; x=8\n```\n\n```console\n$ cat f; echo $x\n7\n8\n```\n")

  def test_failures(self):
    self.assertDiffers("```console\n$ false\n```\n", 2)
    self.assertDiffers("```shell\nfalse\ntrue\n```\n", 2)
    self.assertRuns("<!-- shown: fails -->\n```shell\nfalse\n```\n")
    self.assertDiffers("<!-- shown: fails -->\n```shell\ntrue\n```\n", 3)
    self.assertRuns("```console\n$ echo no >&2; false\nno\n```\n")

  def test_skipped_blocks_do_not_run(self):
    page = self.assertRuns("<!-- shown: skip needs a board -->\n```console\n$ false\n```\n")
    self.assertEqual((page.ran, page.skipped), (0, [(3, "needs a board")]))

  def test_python_keeps_its_names_and_is_compared(self):
    self.assertRuns("```python\na = 1.5\n```\n\n```python\nprint(a)\n```\n\n```text\n1.5\n```\n")
    self.assertDiffers("```python\nprint(1)\n```\n\n```text\n2\n```\n", 2)
    self.assertDiffers("```python\nraise ValueError\n```\n", 2)

  def test_background_commands_end_with_the_page(self):
    self.assertRuns("```console\n$ sleep 60 &\n$ echo $! >f\n$ kill -0 $(cat f)\n```\n")


if __name__ == "__main__":
  unittest.main()
