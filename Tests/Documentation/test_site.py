"""Tests of the site's hooks: where links lead, and what the navigation holds. They run where MkDocs is installed (scripts/test-docs)."""

import importlib.util
import pathlib
import types
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]


@unittest.skipUnless(importlib.util.find_spec("mkdocs"), "MkDocs is not installed")
class Site(unittest.TestCase):
  @classmethod
  def setUpClass(cls):
    specification = importlib.util.spec_from_file_location("hooks", ROOT / "Documentation/site/hooks.py")
    cls.hooks = importlib.util.module_from_spec(specification)
    specification.loader.exec_module(cls.hooks)

  def page(self, source, markdown):
    extra = {"outside": {"README.md", "Sources/A/README.md"},
             "known": {"README.md", "Documentation/how-to/Boards.md", "Sources/A/README.md", "Package.swift", "scripts"}}
    page = types.SimpleNamespace(file=types.SimpleNamespace(src_uri=source))
    return self.hooks.on_page_markdown(markdown, page=page, config=types.SimpleNamespace(extra=extra), files=None)

  def test_links_out_of_the_documentation(self):
    self.assertEqual(self.page("how-to/a.md", "[r](../../README.md#x)"), "[r](../repository/README.md#x)")
    self.assertEqual(self.page("index.md", "[p](../Package.swift)"), "[p](repository/Package.swift.md)")
    self.assertEqual(self.page("index.md", "[p](../scripts)"), "[p](repository/scripts/index.md)")

  def test_links_into_the_documentation(self):
    self.assertEqual(self.page("repository/README.md", "[b](Documentation/how-to/Boards.md)"), "[b](../how-to/Boards.md)")
    self.assertEqual(self.page("repository/Sources/A/README.md", "[r](../../README.md)"), "[r](../../README.md)")

  def test_code_and_addresses_stay(self):
    for text in ("`[r](../README.md)`", "```\n[r](../README.md)\n```", "[r](https://example.org)", "[r](#here)", "[r](no.md)"):
      self.assertEqual(self.page("index.md", text), text)

  def test_navigation_has_each_page_once(self):
    config = types.SimpleNamespace(nav=[{"Home": "index.md"}, {"How": ["how-to/Boards.md", "how-to/*"]}, {"No": ["nowhere/*"]}])
    entries = self.hooks.on_config(config).nav
    self.assertEqual([list(entry)[0] for entry in entries], ["Home", "How"])
    self.assertEqual(entries[1]["How"][0], "how-to/Boards.md")
    pages = {"how-to/" + place.name for place in (ROOT / "Documentation/how-to").glob("*.md")}
    self.assertEqual(sorted(entries[1]["How"]), sorted(pages))


if __name__ == "__main__":
  unittest.main()
