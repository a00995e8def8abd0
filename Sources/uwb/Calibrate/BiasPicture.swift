import UWBDSP
import UWBReport

/// The receiver operating characteristic of line of sight, and the distribution of distance errors.
enum BiasPicture {
  static func figure(_ figures: BiasFigures) -> Figure {
    var panels: [Panel] = []
    var errors = DistributionPicture(
      title: "", samples: figures.methods.map { .init(name: $0.name, errors: $0.errors) }
    ).panel
    errors.title = "Distance error, every capture held out"
    panels.append(errors)
    if let roc = figures.roc {
      var panel = Panel(
        title: "Line of sight, every capture held out", x: Axis("NLOS taken for LOS", range: 0...1, padding: 0),
        y: Axis("LOS found", range: 0...1, padding: 0), height: 340)
      panel.series = [series("held out", roc, 0)]
      if let shipped = figures.shippedROC { panel.series.append(series("model that ships", shipped, 1)) }
      panels.append(panel)
    }
    return Figure(title: "What CIRs tell of line of sight and range bias", panels: panels)
  }

  private static func series(_ name: String, _ roc: ReceiverOperatingCurve, _ index: Int) -> Series {
    let area = (roc.area * 1000).rounded() / 1000
    return Series(
      "\(name) · area \(area)", x: roc.falsePositives, y: roc.truePositives, ink: .series(index),
      line: index == 0 ? .solid : .dashed)
  }
}
