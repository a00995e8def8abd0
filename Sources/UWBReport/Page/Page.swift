import CUWBPage
import Foundation

/// A page for reading and exploring: one HTML file that holds all it needs and asks no network for anything.
///
/// Text and tables read without JavaScript. Charts are dygraphs': Debian packages it, and its labels are text that tests and screen readers
/// see.
public struct Page: Sendable {
  /// Part of a section.
  public enum Block: Sendable {
    /// A table.
    case table(PageTable)
    /// Charts.
    case charts(PageCharts)
    /// Values on one axis, drawn.
    case picture(PagePicture)
    /// A paragraph.
    case text(String)
    /// Lines as a terminal shows them, under a heading that unfolds them.
    case listing(String, lines: [String])
  }

  /// A heading and what stands under it.
  public struct Section: Sendable {
    /// Heading.
    public var title: String
    /// One or two sentences.
    public var note: String?
    /// From top to bottom.
    public var blocks: [Block]

    /// Creates one with the given values.
    public init(_ title: String, note: String? = nil, _ blocks: [Block]) {
      self.title = title
      self.note = note
      self.blocks = blocks
    }
  }

  /// A line of the last section, which tells how the page was made.
  public struct Fact: Sendable, Hashable {
    /// What it is.
    public var name: String
    /// One paragraph each.
    public var values: [String]

    /// Creates one with the given values.
    public init(_ name: String, _ values: String...) {
      self.name = name
      self.values = values
    }

    /// Creates one with the given values.
    public init(_ name: String, list values: [String]) {
      self.name = name
      self.values = values
    }
  }

  /// Title.
  public var title: String
  /// What was measured.
  public var sentence: String
  /// At the top.
  public var picture: PagePicture?
  /// At the top, where charts say it better.
  public var lead: PageCharts?
  /// From top to bottom.
  public var sections: [Section]
  /// How the page was made.
  public var provenance: [Fact]

  /// Creates one with the given values.
  public init(
    title: String, sentence: String, picture: PagePicture? = nil, lead: PageCharts? = nil, sections: [Section] = [],
    provenance: [Fact] = []
  ) {
    self.title = title
    self.sentence = sentence
    self.picture = picture
    self.lead = lead
    self.sections = sections
    self.provenance = provenance
  }

  /// Values of a fact that are shown at once; more unfold.
  private static let openValues = 6

  /// The whole file.
  ///
  /// - Parameter hash: names bytes as a Content-Security-Policy does: `sha512-` and their SHA-512 in base64. No other script or style of the page
  ///   will be run.
  public func html(hash: ([UInt8]) -> String) -> String {
    let name = Markup.escape(title)
    let (library, script, style) = (PageAssets.library, PageAssets.script, PageAssets.style)
    func allowed(_ texts: String...) -> String { texts.map { "'\(hash(Array($0.utf8)))'" }.joined(separator: " ") }
    return """
      <!DOCTYPE html>
      <html lang="en">
      <head>
      <meta charset="utf-8"/>
      <meta http-equiv="Content-Security-Policy" content="default-src 'none'; script-src \(allowed(library, script)); style-src \(allowed(style)); style-src-attr 'unsafe-inline'"/>
      <meta name="viewport" content="width=device-width, initial-scale=1"/>
      <meta name="color-scheme" content="light dark"/>
      <title>\(name)</title>
      <style>\(style)</style>
      </head>
      <body>
      <main>
      <h1>\(name)</h1>
      <p class="lede">\(Markup.escape(sentence))</p>
      \(top)\(contents)\(sections.enumerated().map { html(of: $1, $0) }.joined())\(provenanceHTML)</main>
      <footer>Charts: <span id="library">dygraphs</span>. \(PageAssets.licence)</footer>
      <script type="application/json" id="data">\(data)</script>
      <script>\(library)</script>
      <script>\(script)</script>
      </body>
      </html>

      """
  }

  private var top: String {
    var text = lead == nil ? "" : "<div data-group=\"0\"></div>\n"
    if let picture {
      let list = picture.list.map { "<li>\(Markup.escape($0))</li>" }.joined()
      text += picture.html(0)
      if !list.isEmpty { text += "<details><summary>The peers in numbers</summary><ol>\(list)</ol></details>\n" }
    }
    return text.isEmpty
      ? ""
      : text
        + "<noscript><p>The picture and the charts need JavaScript; the tables do not.</p></noscript>\n"
  }

  private var contents: String {
    let links = sections.enumerated().map { "<a href=\"#s\($0)\">\(Markup.escape($1.title))</a>" }
    return
      "<nav aria-label=\"Contents\">\(links.joined(separator: "\n"))\n<a href=\"#made\">How this was made</a></nav>\n"
  }

  private func html(of section: Section, _ number: Int) -> String {
    var text = "<section id=\"s\(number)\">\n<h2>\(Markup.escape(section.title))</h2>\n"
    if let note = section.note { text += "<p class=\"note\">\(Markup.escape(note))</p>\n" }
    var group = sections[..<number].reduce(lead == nil ? 0 : 1) { $0 + $1.groups.count }
    var picture = sections[..<number].reduce(self.picture == nil ? 0 : 1) { $0 + $1.pictures.count }
    for block in section.blocks {
      switch block {
      case .picture(let bars):
        text += bars.html(picture)
        picture += 1
      case .table(let table): text += table.html
      case .text(let paragraph): text += "<p>\(Markup.escape(paragraph))</p>\n"
      case .listing(let name, let lines):
        text +=
          "<details><summary>\(Markup.escape(name))</summary><pre>\(lines.map(Markup.escape).joined(separator: "\n"))</pre></details>\n"
      case .charts:
        text += "<div data-group=\"\(group)\"></div>\n"
        group += 1
      }
    }
    return text + "</section>\n"
  }

  private var provenanceHTML: String {
    let rows = provenance.map { fact in
      let lines = fact.values.map { Markup.escape($0) }.joined(separator: "<br/>")
      return "<tr><th scope=\"row\">\(Markup.escape(fact.name))</th><td>"
        + (fact.values.count > Self.openValues
          ? "<details><summary>\(fact.values.count) entries</summary><div>\(lines)</div></details>" : lines)
        + "</td></tr>\n"
    }
    return
      "<section id=\"made\">\n<h2>How this was made</h2>\n<table class=\"facts\"><tbody>\n\(rows.joined())</tbody></table>\n</section>\n"
  }

  /// What the script reads. No `<` is in it, which could end its element.
  private var data: String {
    struct Data: Encodable {
      var pictures: [PagePicture]
      var groups: [PageCharts]
    }
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    // Numbers that are not finite are left out of all that is encoded.
    let bytes =
      (try? encoder.encode(
        Data(
          pictures: [picture].compactMap { $0 } + sections.flatMap(\.pictures),
          groups: [lead].compactMap { $0 } + sections.flatMap(\.groups)))) ?? Foundation.Data("{}".utf8)
    return String(decoding: bytes, as: UTF8.self).replacing("<", with: "\\u003c")
  }
}

extension Page.Section {
  fileprivate var groups: [PageCharts] {
    blocks.compactMap { if case .charts(let charts) = $0 { charts } else { nil } }
  }
  fileprivate var pictures: [PagePicture] {
    blocks.compactMap { if case .picture(let picture) = $0 { picture } else { nil } }
  }
}

/// What every page carries.
enum PageAssets {
  static let library = text(uwb_page_library())
  static let script = text(uwb_page_script())
  static let style = text(uwb_page_style())

  /// As the library's licence, the MIT licence, asks.
  static let licence = """
    <details><summary>Licence of dygraphs (MIT)</summary><p>Copyright (c) 2006–2023 Dan Vanderkam, Paul Felix, Robert Konigsberg, David Eberlein, \
    Google Inc., mirabilos, Petr Shevtsov, Deutsche Telekom LLCTO and numerous contributors; module loader: copyright (c) 2013–2018 James Halliday, \
    Roman Shtylman, Esa-Matti Suuronen, Philipp Simon Schmidt.</p><p>Permission is hereby granted, free of charge, to any person obtaining a copy of \
    this software and associated documentation files (the "Software"), to deal in the Software without restriction, including without limitation \
    the rights to use, copy, modify, merge, publish, distribute, sublicense, and/or sell copies of the Software, and to permit persons to whom the \
    Software is furnished to do so, subject to the following conditions:</p><p>The above copyright notice and this permission notice shall be \
    included in all copies or substantial portions of the Software.</p><p>The software is provided "as is", without warranty of any kind, express or \
    implied, including but not limited to the warranties of merchantability, fitness for a particular purpose and noninfringement. In no event shall \
    the authors or copyright holders be liable for any claim, damages or other liability, whether in an action of contract, tort or otherwise, \
    arising from, out of or in connection with the software or the use or other dealings in the software.</p></details>
    """

  private static func text(_ asset: uwb_page_asset) -> String {
    String(decoding: UnsafeBufferPointer(start: asset.bytes, count: asset.count), as: UTF8.self)
  }
}
