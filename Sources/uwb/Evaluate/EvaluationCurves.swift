import UWBReport

/// An evaluation as a picture: RMS error over SNR beside the bound, a panel a case.
struct EvaluationCurves {
  let title: String
  let rows: [EvaluatedFigures]
  /// Whether each panel bears its case's name; else there is one case, and the title ends with its name.
  let hasPanelTitles: Bool

  var figure: Figure {
    var cases: [String] = []
    for row in rows where !cases.contains(row.caseName) { cases.append(row.caseName) }
    let panels = cases.map { name in
      var panel = panel(rows.filter { $0.caseName == name })
      if hasPanelTitles { panel.title = name }
      return panel
    }
    return Figure(title: hasPanelTitles ? title : "\(title): \(cases.joined(separator: ", "))", panels: panels)
  }

  private func panel(_ rows: [EvaluatedFigures]) -> Panel {
    typealias Curve = ErrorOverSNRPicture.Curve
    var estimators: [Curve] = []
    var bound = Curve(name: "Cramér–Rao bound", snrdB: [], error: [])
    for row in rows where row.isDrawn {
      let index = estimators.firstIndex { $0.name == row.name } ?? estimators.count
      if index == estimators.count { estimators.append(Curve(name: row.name, snrdB: [], error: [])) }
      estimators[index].snrdB.append(row.snrdB)
      estimators[index].error.append(row.error ?? .nan)
      // All estimators of a case share the bound.
      if let value = row.bound, bound.snrdB.last != row.snrdB {
        bound.snrdB.append(row.snrdB)
        bound.error.append(value)
      }
    }
    return ErrorOverSNRPicture(
      title: title, errorTitle: (rows.last { $0.isDrawn } ?? rows.last)?.errorTitle ?? "", estimators: estimators,
      bounds: bound.snrdB.isEmpty ? [] : [bound]
    ).panel
  }
}
