import Foundation
import UWBCapture

/// Small JSON files that people write by hand.
enum JSONFile {
  static func decode<Value: Decodable>(_ type: Value.Type, _ path: String, remedy: String) throws -> Value {
    let data = try ByteSource(path: path).contents()
    do {
      return try JSONDecoder().decode(type, from: data)
    } catch let DecodingError.keyNotFound(key, _) {
      throw CaptureError(file: path, place: key.stringValue, problem: "is missing", remedy: remedy)
    } catch let DecodingError.typeMismatch(_, context), let DecodingError.valueNotFound(_, context) {
      let place = context.codingPath.map(\.stringValue).joined(separator: ".")
      throw CaptureError(file: path, place: place, problem: "is not of the right kind", remedy: remedy)
    } catch {
      throw CaptureError(file: path, problem: "is not JSON", remedy: remedy)
    }
  }
}
