/// A file of the page. The files lie in `Page/` and become part of the program.
package enum LivePageFile: String, Sendable, Hashable, CaseIterable {
  case page = "/"
  case style = "/live.css"
  case script = "/live.js"
  case drawing = "/drawing.js"

  /// The file at a path; `nil` where there is none.
  package init?(path: String) {
    self.init(rawValue: path)
  }

  /// The file's bytes.
  package var bytes: [UInt8] {
    switch self {
    case .page: PackageResources.live_html
    case .style: PackageResources.live_css
    case .script: PackageResources.live_js
    case .drawing: PackageResources.drawing_js
    }
  }

  /// The value of `Content-Type`.
  package var contentType: String {
    switch self {
    case .page: "text/html; charset=utf-8"
    case .style: "text/css; charset=utf-8"
    case .script, .drawing: "text/javascript; charset=utf-8"
    }
  }

  /// Headers of every answer: the page loads and reads nothing but this server, and nobody else shows or reads it.
  package static let protection: [(name: String, value: String)] = [
    (
      "Content-Security-Policy",
      "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src data:; base-uri 'none'; "
        + "form-action 'none'; frame-ancestors 'none'"
    ),
    ("Cross-Origin-Resource-Policy", "same-origin"),
    ("Cross-Origin-Opener-Policy", "same-origin"),
    ("Referrer-Policy", "no-referrer"),
    ("X-Content-Type-Options", "nosniff"),
    ("Cache-Control", "no-store"),
  ]
}
