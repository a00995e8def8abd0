/// What a table's columns were taken for.
public struct TableUse: Sendable, Hashable {
  /// One column of a table and what it is taken for.
  public struct Column: Sendable, Hashable {
    /// Header as the file has it.
    public var header: String
    /// As `--columns` takes it.
    public var name: String
    /// What the column is taken for.
    public var meaning: String
    /// Unit of its values; nil for values without one.
    public var unit: String?
  }

  /// Columns in the order of the file.
  public var columns: [Column]
  /// Columns that nothing is taken from.
  public var unused: [String]
}

/// A capture that is a table whose columns have names.
public protocol TableCapture: CaptureReader {
  /// How the columns of the table are used.
  var columnUse: TableUse { get }
}

extension MeasurementTable: TableCapture {
  /// How the columns of the table are used.
  public var columnUse: TableUse {
    let used = usedColumns
    var columns = used.map { quantity, column in
      TableUse.Column(
        header: columnNames[column.index], name: quantity.name, meaning: quantity.meaning,
        unit: unit(of: quantity, column))
    }
    columns += pairs.map { pair in
      TableUse.Column(
        header: columnNames[pair.column.index], name: TableQuantity.distance.name,
        meaning: "range to \(pair.peer)\(pair.local.map { " of \($0)" } ?? "")",
        unit: unit(of: .distance, pair.column))
    }
    let indices = Set(used.map(\.column.index) + pairs.map(\.column.index))
    return TableUse(
      columns: columns, unused: columnNames.indices.filter { !indices.contains($0) }.map { columnNames[$0] })
  }

  private func unit(of quantity: TableQuantity, _ column: TableColumns.Column) -> String? {
    if quantity == .time, let assumed = assumedTimeUnit { return assumed }
    return TableUnit.symbol(factor: column.factor, as: quantity.definition.dimension)
  }
}
