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
      let curves = [("held out", roc)] + (figures.shippedROC.map { [("model that ships", $0)] } ?? [])
      let panel = ROCPanel.make(title: "Line of sight, every capture held out", curves)
      panels.append(panel)
    }
    return Figure(title: "What CIRs tell of line of sight and range bias", panels: panels)
  }
}
