/// Colours by their role, so that one stylesheet can draw them for light and dark surroundings.
public enum Ink: Sendable, Hashable {
  /// One of eight colours that are told apart by most eyes; larger numbers start again.
  case series(Int)
  /// For what stands back: truth, noise floors.
  case neutral
  /// The colour of text: bounds, limits.
  case strong

  var className: String {
    switch self {
    case .series(let index): "c\(index & 7)"
    case .neutral: "cn"
    case .strong: "cs"
    }
  }
}

/// The stylesheet that every picture carries.
///
/// Plain rules, no custom properties: converters such as librsvg and Inkscape know no `var()`.
enum Theme {
  static let fontSize = 12.0

  static let css = """
    .uwb{font:12px system-ui,-apple-system,"Segoe UI",Roboto,"Helvetica Neue","DejaVu Sans",sans-serif}
    .uwb .bg{fill:#fff}
    .uwb text{fill:#1f2328}
    .uwb .head{font-size:16px;font-weight:600}
    .uwb .name{font-size:13px;font-weight:600}
    .uwb .quiet{fill:#59636e}
    .uwb .small{font-size:11px}
    .uwb .grid{stroke:#dde2e7;fill:none}
    .uwb .minor{stroke:#eff2f4;fill:none}
    .uwb .frame{stroke:#8b949e;fill:none}
    .uwb .line{fill:none;stroke:currentColor;stroke-width:1.6;stroke-linejoin:round;stroke-linecap:round}
    .uwb .thin{stroke-width:1}
    .uwb .dash{stroke-dasharray:7 5;stroke-linecap:butt}
    .uwb .dots{stroke-dasharray:1.5 3.5;stroke-linecap:butt}
    .uwb .dashdot{stroke-dasharray:9 3 1.5 3;stroke-linecap:butt}
    .uwb .dot{fill:none;stroke:currentColor;stroke-width:5.5;stroke-linecap:round}
    .uwb .box{fill:none;stroke:currentColor;stroke-width:5.5;stroke-linecap:square}
    .uwb .mark{fill:currentColor;stroke:none}
    .uwb .ring{fill:none;stroke:currentColor;stroke-width:1.5}
    .uwb .band{fill:currentColor;fill-opacity:.16;stroke:none}
    .uwb .ink{fill:currentColor}
    .uwb .halo{paint-order:stroke;stroke:#fff;stroke-width:3.5px;stroke-linejoin:round}
    .uwb .onlight{fill:#1f2328}
    .uwb .ondark{fill:#fff}
    .uwb .c0{color:#0969da}
    .uwb .c1{color:#bc4c00}
    .uwb .c2{color:#0a7f6b}
    .uwb .c3{color:#8250df}
    .uwb .c4{color:#8a6100}
    .uwb .c5{color:#bf3989}
    .uwb .c6{color:#cf222e}
    .uwb .c7{color:#3d6e86}
    .uwb .cn{color:#6e7781}
    .uwb .cs{color:#1f2328}
    @media (prefers-color-scheme:dark){
    .uwb .bg{fill:#0d1117}
    .uwb text{fill:#e6edf3}
    .uwb .quiet{fill:#9198a1}
    .uwb .grid{stroke:#2a3139}
    .uwb .minor{stroke:#1a2027}
    .uwb .frame{stroke:#59636e}
    .uwb .ink{fill:currentColor}
    .uwb .halo{stroke:#0d1117}
    .uwb .onlight{fill:#1f2328}
    .uwb .ondark{fill:#fff}
    .uwb .c0{color:#58a6ff}
    .uwb .c1{color:#ff9a57}
    .uwb .c2{color:#3fc9ac}
    .uwb .c3{color:#bc8cff}
    .uwb .c4{color:#d9a429}
    .uwb .c5{color:#f778ba}
    .uwb .c6{color:#ff7b72}
    .uwb .c7{color:#7fb5cf}
    .uwb .cn{color:#9198a1}
    .uwb .cs{color:#e6edf3}
    }
    """
}
