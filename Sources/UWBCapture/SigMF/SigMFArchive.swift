import Foundation

/// A SigMF archive: the files of one or more recordings in a POSIX tar (ustar, pax or GNU names), as they are. Samples are
/// mapped where they lie; nothing is unpacked.
enum SigMFArchive {
  private static let block = 512
  private static let maximumMembers = 10_000
  /// Longest extended header that is read, bytes.
  private static let maximumExtension = 65_536

  /// The archive's recordings, by name, and what it lacks: `truncatedArchive` (it ends inside a member, or has no end mark),
  /// `missingData` and `missingMetadata` (the other half of a recording is there), `repeatedMember` (the last of a name is
  /// read, as tar would unpack it), `tooManyMembers`.
  ///
  /// - Throws: `CaptureError` where it is no tar, or holds no recording.
  static func recordings(_ path: String) throws -> (found: [SigMFRecording], skipped: SkippedInput) {
    var skipped = SkippedInput()
    var metadata: [String: FilePart] = [:]
    var data: [String: FilePart] = [:]
    for member in try members(path, &skipped) {
      let part = FilePart(path: path, range: member.range)
      let name = member.name.split(separator: "/").filter { $0 != "." }.joined(separator: "/")
      let base = SigMFPaths(name).base
      var old: FilePart?
      if name.hasSuffix(".sigmf-meta") { old = metadata.updateValue(part, forKey: base) }
      if name.hasSuffix(".sigmf-data") { old = data.updateValue(part, forKey: base) }
      if old != nil { skipped.add("repeatedMember", at: "member “\(name)”") }
    }
    let recordings = metadata.keys.sorted().compactMap { name in
      metadata[name].flatMap { meta in data[name].map { SigMFRecording(name: name, metadata: meta, data: $0) } }
    }
    for (reason, names, others) in [("missingData", metadata, data), ("missingMetadata", data, metadata)] {
      for name in names.keys.sorted() where others[name] == nil { skipped.add(reason, at: SigMFRecording.place(name)) }
    }
    guard !recordings.isEmpty else {
      throw CaptureError(
        file: path, problem: "holds no recording", remedy: "An archive has NAME.sigmf-meta and NAME.sigmf-data in it.")
    }
    return (recordings, skipped)
  }

  private static func memberName(_ name: String, _ ending: String) -> String { "\(name)/\(name)\(ending)" }

  /// - Throws: `CaptureError` where a recording called `name` can't be packed.
  static func check(name: String, path: String) throws {
    guard memberName(name, ".sigmf-meta").utf8.count <= 100 else {
      throw CaptureError(file: path, problem: "its name is too long for an archive", remedy: "Choose a shorter one.")
    }
  }

  /// Packs a recording's two files into an archive that holds them in a folder of their name.
  ///
  /// - Throws: `CaptureError` where a file can't be read or written.
  static func pack(_ recording: SigMFRecording, as name: String, to path: String) throws {
    try check(name: name, path: path)
    let output = try OutputFile(path: path)
    for (file, ending) in [(recording.metadata, ".sigmf-meta"), (recording.data, ".sigmf-data")] {
      let size = try byteCount(file.path)
      var header = [UInt8](repeating: 0, count: block)
      func put(_ text: String, _ start: Int) {
        for (index, byte) in text.utf8.enumerated() { header[start + index] = byte }
      }
      put(memberName(name, ending), 0)
      put("0000644", 100)
      put("0000000", 108)
      put("0000000", 116)
      if size < 1 << 33 {
        put(octal(size, 11), 124)
      } else {
        // GNU's base-256 sizes, from 8 GiB on.
        header[124] = 0x80
        for index in 0..<8 { header[135 - index] = UInt8(truncatingIfNeeded: size >> (8 * index)) }
      }
      // No times: equal recordings give equal archives.
      put(octal(0, 11), 136)
      put("0", 156)
      put("ustar", 257)
      put("00", 263)
      for index in 148..<156 { header[index] = 0x20 }
      put(octal(header.reduce(0) { $0 + Int($1) }, 6), 148)
      header[154] = 0
      try header.withUnsafeBytes { try output.append($0) }
      try copy(file.path, size: size, to: output)
    }
    try [UInt8](repeating: 0, count: 2 * block).withUnsafeBytes { try output.append($0) }
    try output.commit()
  }

  private static func copy(_ path: String, size: Int, to output: OutputFile) throws {
    let source = try ByteSource(path: path)
    var rest = size
    while rest > 0 {
      if source.buffered.isEmpty, try !source.fill() {
        throw CaptureError(file: path, problem: "became shorter while it was read", remedy: "Pack it again.")
      }
      let count = min(rest, source.buffered.count)
      try output.append(UnsafeRawBufferPointer(rebasing: source.buffered[..<count]))
      source.consume(count)
      rest -= count
    }
    try [UInt8](repeating: 0, count: (block - size % block) % block).withUnsafeBytes { try output.append($0) }
  }

  private static func octal(_ value: Int, _ digits: Int) -> String {
    let text = String(value, radix: 8)
    return String(repeating: "0", count: max(0, digits - text.count)) + text
  }

  private static func byteCount(_ path: String) throws -> Int {
    var status = stat()
    guard stat(path, &status) == 0 else {
      throw CaptureError(file: path, problem: "there is no such file", remedy: "Check the path.")
    }
    return Int(status.st_size)
  }

  private struct Member {
    var name: String
    var range: Range<Int>
  }

  private static func members(_ path: String, _ skipped: inout SkippedInput) throws -> [Member] {
    let size = try byteCount(path)
    let file = FilePart(path: path)
    var members: [Member] = []
    var position = 0
    var longName: String?
    var longSize: Int?
    var zeroBlocks = 0
    func failure(_ problem: String) -> CaptureError {
      CaptureError(
        file: file.path, place: "byte \(position)", problem: problem, remedy: "Check that the archive is whole.")
    }
    // Two blocks of zeros are the end mark.
    while position + block <= size, zeroBlocks < 2 {
      guard members.count < maximumMembers else {
        skipped.add("tooManyMembers", at: "byte \(position)")
        return members
      }
      let header = try bytes(path, position..<position + block)
      if header.allSatisfy({ $0 == 0 }) {
        zeroBlocks += 1
        position += block
        continue
      }
      // One alone is damage; what comes behind it may still be whole.
      if zeroBlocks == 1 { skipped.add("truncatedArchive", at: "byte \(position)") }
      guard checksumFits(header) else {
        if zeroBlocks == 1 { return members }
        throw failure("is not a tar header")
      }
      zeroBlocks = 0
      guard let count = number(header[124..<136]), count >= 0, count < 1 << 60 else {
        throw failure("a member's size can't be read")
      }
      let start = position + block
      let length = longSize ?? count
      // A member that was cut is read as far as it goes: its reader tells the loss.
      let end = min(start + length, size)
      switch header[156] {
      case UInt8(ascii: "x"):
        guard length <= maximumExtension else { throw failure("an extended header is too long") }
        (longName, longSize) = extended(try bytes(path, start..<end), longName, longSize)
      case UInt8(ascii: "L"):
        guard length <= maximumExtension else { throw failure("a member's name is too long") }
        longName = String(decoding: try bytes(path, start..<end).prefix { $0 != 0 }, as: UTF8.self)
      case UInt8(ascii: "0"), 0, UInt8(ascii: "7"):
        members.append(Member(name: longName ?? name(header), range: start..<end))
        (longName, longSize) = (nil, nil)
      default:
        (longName, longSize) = (nil, nil)
      }
      position = start + (length + block - 1) / block * block
    }
    if zeroBlocks < 2 { skipped.add("truncatedArchive", at: "byte \(size), its end") }
    guard !members.isEmpty else { throw failure("is not an archive") }
    return members
  }

  private static func bytes(_ path: String, _ range: Range<Int>) throws -> [UInt8] {
    let source = try ByteSource(FilePart(path: path, range: range))
    while source.buffered.count < range.count, try source.fill() {}
    return Array(source.buffered)
  }

  private static func name(_ header: [UInt8]) -> String {
    func text(_ range: Range<Int>) -> String {
      String(decoding: header[range].prefix { $0 != 0 }, as: UTF8.self)
    }
    let prefix = header[257..<262].elementsEqual("ustar".utf8) && header[262] == 0 ? text(345..<500) : ""
    return prefix.isEmpty ? text(0..<100) : "\(prefix)/\(text(0..<100))"
  }

  private static func checksumFits(_ header: [UInt8]) -> Bool {
    guard header.count == block, let stored = number(header[148..<156]) else { return false }
    let sum = header.enumerated().reduce(0) { $0 + ((148..<156).contains($1.offset) ? 0x20 : Int($1.element)) }
    return sum == stored
  }

  private static func number(_ field: ArraySlice<UInt8>) -> Int? {
    if let first = field.first, first & 0x80 != 0 {
      guard first == 0x80, field.dropFirst().dropLast(7).allSatisfy({ $0 == 0 }) else { return nil }
      return field.suffix(7).reduce(0) { $0 << 8 | Int($1) }
    }
    let digits = field.drop { $0 == 0x20 }.prefix { (0x30...0x37).contains($0) }
    return digits.isEmpty ? nil : digits.reduce(0) { $0 << 3 | Int($1 - 0x30) }
  }

  // "LENGTH KEY=VALUE\n", one after the other.
  private static func extended(_ bytes: [UInt8], _ name: String?, _ size: Int?) -> (name: String?, size: Int?) {
    var (name, size) = (name, size)
    var rest = bytes[...]
    while let blank = rest.firstIndex(of: 0x20), let length = Int(String(decoding: rest[..<blank], as: UTF8.self)),
      length > blank - rest.startIndex + 1, length <= rest.count
    {
      let record = rest[(blank + 1)..<(rest.startIndex + length - 1)]
      if let equals = record.firstIndex(of: 0x3D) {
        let value = String(decoding: record[(equals + 1)...], as: UTF8.self)
        if record[..<equals].elementsEqual("path".utf8) { name = value }
        if record[..<equals].elementsEqual("size".utf8), let number = Int(value), number >= 0, number < 1 << 60 {
          size = number
        }
      }
      rest = rest[(rest.startIndex + length)...]
    }
    return (name, size)
  }
}
