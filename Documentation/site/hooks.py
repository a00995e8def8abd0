"""What the site does beyond MkDocs.

Pages outside Documentation/ (README, ARCHITECTURE and so on) become pages of the site under repository/, and so does each
file of the repository that a page links to, so that every link works without a network. Links stay as they are on disk:
they are rewritten while the site is built. The navigation of mkdocs.yml names groups of pages by a *; here it is spelt out.
"""

import fnmatch
import importlib.machinery
import importlib.util
import pathlib
import posixpath
import re
import subprocess
import sys

from mkdocs.structure.files import File

ROOT = pathlib.Path(__file__).resolve().parents[2]
INSIDE = "Documentation/"
API = ROOT / ".build" / "api"
LANGUAGES = {
  ".swift": "swift", ".c": "c", ".h": "c", ".py": "python", ".yaml": "yaml", ".yml": "yaml", ".toml": "toml",
  ".json": "json", ".csv": "text", ".sbatch": "bash", ".txt": "text", ".cff": "yaml", "": "text",
}
LARGEST = 200_000  # Bytes of a source that becomes a page.


def _prose():
  """scripts/prose as a module: it knows what a link is."""
  sys.dont_write_bytecode = True
  loader = importlib.machinery.SourceFileLoader("prose", str(ROOT / "scripts" / "prose"))
  module = importlib.util.module_from_spec(importlib.util.spec_from_loader("prose", loader))
  loader.exec_module(module)
  return module


prose = _prose()


def _repository():
  listed = subprocess.run([ROOT / "scripts" / "files"], capture_output=True, text=True, check=True).stdout.split("\0")
  return [name for name in listed if name and (ROOT / name).is_file()]


def _site_path(path, pages):
  """Where a file of the repository stands in the site."""
  if path.startswith(INSIDE):
    return path[len(INSIDE):]
  if path in pages:
    return "repository/" + path
  place = ROOT / path
  if place.is_dir():
    return f"repository/{path}/index.md"
  return "repository/" + path + (".md" if _is_source(place) else "")


def _is_source(place):
  return place.suffix in LANGUAGES and place.stat().st_size <= LARGEST and b"\0" not in place.read_bytes()


def _source_page(path):
  """A page that shows a file, or what a folder holds."""
  place = ROOT / path
  head = f"---\nsearch:\n  exclude: true\n---\n\n# {path}\n\n"
  if place.is_dir():
    below = sorted({name[len(path) + 1:].split("/")[0] for name in _repository() if name.startswith(path + "/")})
    return head + "".join(f"- `{name}`\n" for name in below)
  text = place.read_text(encoding="utf-8")
  fence = "`" * max([3] + [len(run) + 1 for run in re.findall(r"`{3,}", text)])
  language = LANGUAGES[place.suffix]
  if text.startswith("#!"):
    language = "python" if "python" in text.split("\n")[0] else "bash"
  return f"{head}{fence}{language}\n{text}\n{fence}\n"


def on_config(config):
  """Spells out the navigation: entries with a * become pages, entries of missing pages go."""
  titles = {}
  for name in _repository():
    if name.endswith(".md"):
      key = name[len(INSIDE):] if name.startswith(INSIDE) else "repository/" + name
      titles[key] = _title((ROOT / name).read_text(encoding="utf-8"), key)
  for place in API.glob("*.md") if API.is_dir() else []:
    titles["reference/api/" + place.name] = _title(place.read_text(encoding="utf-8"), place.stem)
  named = set()
  _named(config.nav, named)

  def spelt(entries):
    result = []
    for entry in entries:
      label, value = next(iter(entry.items())) if isinstance(entry, dict) else (None, entry)
      if isinstance(value, list):
        pages = spelt(value)
        if pages:
          result.append({label: pages})
      elif "*" in value:
        pages = sorted((name for name in titles if name not in named and fnmatch.fnmatch(name, value)
                        and posixpath.dirname(name) == posixpath.dirname(value)), key=lambda name: titles[name].lower())
        if label and pages:
          result.append({label: pages})
        else:
          result += pages
      elif value in titles:
        result.append(entry)
    return result

  config.nav = spelt(config.nav)
  return config


def _named(entries, named):
  for entry in entries:
    value = next(iter(entry.values())) if isinstance(entry, dict) else entry
    if isinstance(value, list):
      _named(value, named)
    elif "*" not in value:
      named.add(value)


def _title(text, otherwise):
  headings = prose.Page(text).headings
  return headings[0][2] if headings else otherwise


def on_files(files, config):
  tracked = _repository()
  folders = {parent.as_posix() for name in tracked for parent in pathlib.PurePosixPath(name).parents}
  known = set(tracked) | folders
  pages = {name for name in tracked if name.endswith(".md") and not name.startswith(INSIDE)}
  for name in sorted(pages):
    files.append(File.generated(config, "repository/" + name, content=(ROOT / name).read_text(encoding="utf-8")))
  linked = set()
  for name in tracked:
    if name.endswith(".md"):
      page = prose.Page((ROOT / name).read_text(encoding="utf-8"))
      for target in [target for _, target in page.links] + [target for _, _, target in page.images]:
        place = _resolve(name, target)
        if place in known and not place.startswith(INSIDE) and place not in pages:
          linked.add(place)
  for name in sorted(linked):
    where = _site_path(name, pages)
    if where.endswith(".md"):
      files.append(File.generated(config, where, content=_source_page(name)))
    else:
      files.append(File.generated(config, where, abs_src_path=str(ROOT / name)))
  for place in sorted(API.glob("*.md")) if API.is_dir() else []:
    files.append(File.generated(config, "reference/api/" + place.name, abs_src_path=str(place)))
  config.extra["outside"] = pages
  config.extra["known"] = known
  return files


def _resolve(name, target):
  """The repository's path of a link's target; nothing for an address outside."""
  path = target.partition("#")[0]
  if not path or re.match(r"[a-zA-Z][a-zA-Z0-9+.-]*:|/", path):
    return None
  return prose.normalize(posixpath.join(posixpath.dirname(name), path))


def on_page_markdown(markdown, page, config, files):
  here = page.file.src_uri
  if here.startswith("reference/api/"):
    return markdown
  if here.startswith("repository/"):
    name = here[len("repository/"):]
    if name not in config.extra["outside"]:
      return markdown
  else:
    name = INSIDE + here

  def rewritten(target):
    place = _resolve(name, target)
    if place is None or place not in config.extra["known"]:
      return target
    if place.startswith(INSIDE) and (ROOT / place).is_dir():
      index = next((i for i in ("index.md", "README.md") if (ROOT / place / i).is_file()), None)
      if index:
        place += "/" + index
    where = posixpath.relpath(_site_path(place, config.extra["outside"]), posixpath.dirname(here) or ".")
    return where + target[len(target.partition("#")[0]):]

  return _with_links(markdown, rewritten)


def _with_links(text, rewritten):
  """The text with every link's target outside code replaced."""
  pieces, fence = [], None
  prosaic, lines = [], text.split("\n")

  def close():
    if prosaic:
      pieces.append(_with_links_in_prose("\n".join(prosaic), rewritten))
      prosaic.clear()

  for line in lines:
    marker = prose.FENCE.match(line)
    if fence:
      pieces.append(line)
      if marker and marker.group(1).startswith(fence) and not line.strip(" `~>"):
        fence = None
    elif marker:
      close()
      fence = marker.group(1)
      pieces.append(line)
    else:
      prosaic.append(line)
  close()
  return "\n".join(pieces)


def _with_links_in_prose(text, rewritten):
  kept = []

  def hide(match):
    kept.append(match.group(0))
    return f"\0{len(kept) - 1}\0"

  text = prose.CODE.sub(hide, text)

  def replace(match):
    begin, end = match.span(match.lastindex)
    return match.group(0)[:begin - match.start()] + rewritten(match.group(match.lastindex)) + match.group(0)[end - match.start():]

  text = prose.IMAGE.sub(replace, text)
  text = prose.LINK.sub(replace, text)
  text = re.sub(r"(?m)^\s{0,3}\[[^\]]+\]:\s*<?(\S+?)>?(?=\s|$)", replace, text)
  text = re.sub(r"<(?:a|img)\b[^>]*?(?:href|src)=\"([^\"]*)\"", replace, text)
  return re.sub("\0(\\d+)\0", lambda m: kept[int(m.group(1))], text)
