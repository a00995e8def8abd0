import Foundation

/// The head of a NumPy array file (`.npy`, format versions 1 to 3; numpy.lib.format): the magic bytes, a version, a
/// length and a Python dictionary of the element type, the order of the axes and the shape.
struct NumPyHeader: Equatable {
  /// Element types that hold complex samples.
  enum Element: Equatable {
    /// `<c8`: two 32-bit floating-point numbers.
    case complex64
    /// `<c16`: two 64-bit floating-point numbers, read as single precision.
    case complex128
    /// `<i2` with a last axis of 2, or a record of two `<i2`.
    case int16Pair

    var byteCount: Int {
      switch self {
      case .complex64: 8
      case .complex128: 16
      case .int16Pair: 4
      }
    }
  }

  static let magic: [UInt8] = [0x93, 0x4E, 0x55, 0x4D, 0x50, 0x59]
  /// Longest dictionary that is read, bytes.
  static let maximumLength = 65_536

  var element: Element
  /// Axes of complex samples: a last axis of pairs is taken off.
  var shape: [Int]

  /// Reads the dictionary.
  ///
  /// - Throws: a `Problem` for what holds no complex samples, or lies in another order.
  init(dictionary: String) throws {
    guard let type = Self.value(of: "descr", in: dictionary),
      let order = Self.value(of: "fortran_order", in: dictionary),
      let shape = Self.value(of: "shape", in: dictionary), shape.hasPrefix("(")
    else {
      throw Problem(text: "its header can't be read", remedy: "Write it again with numpy.save.")
    }
    guard order == "False" else {
      throw Problem(
        text: "its axes are in Fortran order", remedy: "Save numpy.ascontiguousarray(array) instead.")
    }
    let sizes = shape.dropFirst().dropLast().split(separator: ",").map { $0.filter { !$0.isWhitespace } }
      .filter { !$0.isEmpty }
    var axes: [Int] = []
    for size in sizes {
      guard let size = Int(size), size >= 0 else {
        throw Problem(text: "its shape \(shape.prefix(80)) can't be read", remedy: "Write it again with numpy.save.")
      }
      axes.append(size)
    }
    switch type.filter({ $0 != "'" && $0 != "\"" && $0 != " " }) {
    case "<c8", "=c8": element = .complex64
    case "<c16", "=c16": element = .complex128
    case "<i2", "=i2":
      guard axes.last == 2 else {
        throw Problem(
          text: "its integers are no pairs: the last of its axes \(shape.prefix(80)) is not 2",
          remedy: "Give it a last axis of real and imaginary part.")
      }
      axes.removeLast()
      element = .int16Pair
    case let record where Self.isPairOfIntegers(record): element = .int16Pair
    case let other:
      throw Problem(
        text: "its elements “\(other.prefix(60))” are no complex samples that can be read",
        remedy: "Save them as complex64 (array.astype(\"<c8\")) or as pairs of <i2.")
    }
    self.shape = axes
  }

  /// What is wrong with a header, and what to do.
  struct Problem: Error {
    var text: String
    var remedy: String
  }

  // [(re,<i2),(im,<i2)] once quotes and blanks are off.
  private static func isPairOfIntegers(_ type: String) -> Bool {
    type.hasPrefix("[") && type.components(separatedBy: ",<i2)").count == 3 && type.filter { $0 == "(" }.count == 2
  }

  // A value ends at the comma or brace outside of all brackets and quotes.
  private static func value(of key: String, in dictionary: String) -> String? {
    guard
      let name = ["'\(key)'", "\"\(key)\""].lazy.compactMap({ dictionary.range(of: $0) }).first,
      let colon = dictionary[name.upperBound...].firstIndex(where: { !$0.isWhitespace }), dictionary[colon] == ":"
    else { return nil }
    var depth = 0
    var quote: Character?
    var end = dictionary.index(after: colon)
    while end < dictionary.endIndex {
      let character = dictionary[end]
      if let open = quote {
        if character == open { quote = nil }
      } else if character == "'" || character == "\"" {
        quote = character
      } else if character == "(" || character == "[" {
        depth += 1
      } else if character == ")" || character == "]" {
        depth -= 1
      } else if depth == 0, character == "," || character == "}" {
        break
      }
      end = dictionary.index(after: end)
    }
    let value = dictionary[dictionary.index(after: colon)..<end].trimmingCharacters(in: .whitespaces)
    return value.isEmpty ? nil : value
  }
}
