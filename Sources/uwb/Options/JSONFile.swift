import Foundation
import UWBCapture

/// Small JSON files, which people may write by hand.
enum JSONFile {
  /// - Parameter shape: what the file may hold; fields beyond it are errors. `nil` leaves unknown fields alone.
  /// - Throws: `CaptureError` that names the field or the line.
  static func decode<Value: Decodable>(
    _ type: Value.Type, _ path: String, shape: JSONShape? = nil, remedy: String
  ) throws -> Value {
    func failure(_ place: String?, _ problem: String) -> CaptureError {
      CaptureError(file: path, place: place, problem: problem, remedy: remedy)
    }
    let data = try ByteSource(path: path).contents()
    do {
      let tree = try JSONTree.parse(data)
      try shape?.check(tree)
      return try JSONDecoder().decode(type, from: data)
    } catch let error as JSONTree.Failure {
      throw failure("line \(error.line)", "is not JSON: \(error.problem)")
    } catch let error as JSONShape.Misfit {
      throw failure(error.place, error.problem)
    } catch let DecodingError.keyNotFound(key, context) {
      throw failure(place(context.codingPath + [key]), "is missing")
    } catch let DecodingError.typeMismatch(_, context), let DecodingError.valueNotFound(_, context) {
      throw failure(place(context.codingPath), "is not of the right kind")
    } catch let DecodingError.dataCorrupted(context) {
      throw failure(place(context.codingPath), context.debugDescription)
    } catch {
      throw failure(nil, "is not JSON")
    }
  }

  /// Keys are sorted: the same value gives the same bytes.
  static func encode(_ value: some Encodable, _ formatting: JSONEncoder.OutputFormatting = []) throws -> Data {
    let encoder = JSONEncoder()
    encoder.outputFormatting = formatting.union(.sortedKeys)
    return try encoder.encode(value)
  }

  private static func place(_ path: [any CodingKey]) -> String? {
    path.isEmpty
      ? nil
      : path.map { $0.intValue.map { "[\($0)]" } ?? $0.stringValue }.joined(separator: ".")
        .replacing(".[", with: "[")
  }
}
