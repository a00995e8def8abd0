"""Documentation/how-to/reasons.md has a row for every `skipped_input` and every `rejected` reason of the sources, and no other."""

import pathlib
import re
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
PAGE = ROOT / "Documentation/how-to/reasons.md"
# Lines that count a reason, or that name one for a later count.
COUNTS = re.compile(r"^\s+add\(\"|\b(?:skipped|own|passedOver)\.add\(|\bskip\(\"|\bpass\(|\.lost\(\"|\blet short = |\bfor \(reason,")
LITERAL = re.compile(r'"([a-z]+(?:[A-Z][A-Za-z]*)+)"')


def cases(path, name):
  """The names of an enum’s cases."""
  text = (ROOT / path).read_text()
  body = re.search(rf"enum {name}: [^\n]*?\{{\n(.*?)\n *\}}\n", text, re.S).group(1)
  found = []
  for line in body.split("\n"):
    match = re.match(r"\s*case (\w.*)", line)
    if match:
      for case in match.group(1).split(","):
        identifier, _, value = case.partition("=")
        found.append(value.strip().strip('"') or identifier.strip())
  return set(found)


def skipped_reasons():
  found = set()
  for path in sorted((ROOT / "Sources/UWBCapture").rglob("*.swift")):
    lines = path.read_text().split("\n")
    for number, line in enumerate(lines):
      if COUNTS.search(line) and not line.lstrip().startswith("//"):
        # A call may have its arguments on the next line.
        found |= set(LITERAL.findall(line + (lines[number + 1] if line.rstrip().endswith("(") else "")))
  found |= cases("Sources/NearbyUCI/Measurement/UCIRoundReader.swift", "Problem")
  return found | GZIP


GZIP = cases("Sources/UWBCapture/Bytes/Gunzip.swift", "Damage")


def rejected_reasons():
  return cases("Sources/UWBTypes/RangingMeasurement.swift", "MeasurementStatus") - {"ok"}


def rows(heading):
  """The reasons in the first column of the table below a heading."""
  section = PAGE.read_text().split(f"## {heading}\n", 1)[1].split("\n## ", 1)[0]
  found = []
  for line in section.split("\n"):
    if line.startswith("| `"):
      found += re.findall(r"`(\w+)`", line.split("|")[1])
  return found


class Reasons(unittest.TestCase):
  def complete(self, heading, reasons):
    found = rows(heading)
    self.assertEqual(len(found), len(set(found)), f"{PAGE.name}, “{heading}”: a reason has two rows")
    self.assertEqual(set(found), reasons, f"{PAGE.name}, “{heading}”: the rows on the left, the sources' reasons on the right")

  def test_rejected(self):
    self.complete("Rejected exchanges", rejected_reasons())

  def test_skipped(self):
    self.complete("Skipped input", skipped_reasons())

  def test_that_the_sources_are_read(self):
    self.assertTrue({"damagedLine", "receiveError", "missingData", "summaryRow", "unsupportedShape"} <= skipped_reasons())


if __name__ == "__main__":
  unittest.main()
