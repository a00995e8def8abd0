import Foundation
import NearbySession
import TestSupport
import Testing

@Suite struct AccessoryMessageTests {
  private func bytes(_ hex: String) -> [UInt8] {
    let digits = Array(hex.utf8.filter { $0 != 0x20 })
    return stride(from: 0, to: digits.count - 1, by: 2).map { index in
      UInt8(String(decoding: digits[index...(index + 1)], as: UTF8.self), radix: 16) ?? 0
    }
  }

  // MARK: Known answers, worked by hand

  @Test("R16 accessory configuration data, version 1.0 and 1.1, field by field")
  func accessoryByHand() throws {
    let long = bytes(
      "0100 0000 14 00000000000000000000 15 0100 0100 3ff50300 b80b0000 00000101 01 11d7 1900")
    #expect(try AccessoryConfigurationData(data: long) == accessoryData())
    #expect(accessoryData().data == long)
    let short = bytes(
      "0100 0200 0a 00112233445566778899 13 0100 0000 04030201 08070605 0c0b0a09 00 feca")
    let parsed = try AccessoryConfigurationData(data: short)
    #expect(parsed.version == AccessoryProtocolVersion(major: 1, minor: 2))
    #expect(parsed.preferredUpdateRate == .infrequent)
    #expect(parsed.reserved == [0x00, 0x11, 0x22, 0x33, 0x44, 0x55, 0x66, 0x77, 0x88, 0x99])
    #expect(parsed.uwbVersion == AccessoryProtocolVersion(major: 1, minor: 0))
    #expect(parsed.manufacturer == 0x0102_0304 && parsed.model == 0x0506_0708 && parsed.middleware == 0x090A_0B0C)
    #expect(parsed.role == .controleeResponder)
    #expect(parsed.shortAddress == 0xCAFE && parsed.clockDriftppm == nil)
    #expect(parsed.data == short)
  }

  @Test("R16 shareable configuration data, version 1.0 and 1.1, field by field")
  func shareableByHand() throws {
    let short = bytes("0100 0000 17 5553 78563412 0b 09 0600 100e b400 03 1baf75655238 d891")
    let parsed = try ShareableConfigurationData(data: short)
    #expect(parsed.version == AccessoryProtocolVersion(major: 1, minor: 0))
    #expect(parsed.country == .unitedStates && parsed.country.description == "US")
    #expect(parsed.sessionIdentifier == 0x1234_5678)
    #expect(parsed.preambleIndex == 11 && parsed.channel == 9)
    #expect(parsed.slotsPerRound == 6 && parsed.slotRSTU == 3600 && parsed.blockMilliseconds == 180)
    #expect(parsed.roundControl == 3)
    #expect(parsed.stsInitialVector.rawValue == 0x1BAF_7565_5238)
    #expect(parsed.destinationAddress == 0x91D8 && parsed.clockStability == nil)
    #expect(parsed.data == short)
    let long = bytes("0100 0100 19 5553 78563412 0b 09 0600 100e b400 03 1baf75655238 d891 6400")
    var stable = parsed
    stable.version.minor = 1
    stable.clockStability = 100
    #expect(try ShareableConfigurationData(data: long) == stable)
    #expect(stable.data == long)
  }

  @Test("R16 the six known frames by their ids, and any other passed on")
  func frames() throws {
    #expect(try AccessoryMessage(bytes: [0x01] + accessoryData().data) == .configurationData(accessoryData()))
    for (id, message) in [
      (0x02, AccessoryMessage.started), (0x03, .stopped), (0x0A, .initialize), (0x0C, .stop),
    ] as [(UInt8, AccessoryMessage)] {
      #expect(try AccessoryMessage(bytes: [id]) == message)
      #expect(message.bytes == [id] && message.id == id)
    }
    #expect(try AccessoryMessage(bytes: [0x42, 1, 2]) == .other(id: 0x42, data: [1, 2]))
    #expect(try AccessoryMessage(bytes: [0xFF]) == .other(id: 0xFF, data: []))
    #expect(AccessoryMessage.other(id: 0x42, data: [1, 2]).bytes == [0x42, 1, 2])
  }

  @Test("R16 each malformed message has an error of its own")
  func malformed() {
    func expect(_ error: AccessoryMessageError, _ message: [UInt8], line: Int = #line) {
      #expect(throws: error, "line \(line)") { try AccessoryMessage(bytes: message) }
    }
    func changed(_ data: [UInt8], _ offset: Int, _ value: UInt8) -> [UInt8] {
      var data = data
      data[offset] = value
      return data
    }
    let accessory = accessoryData().data
    expect(.empty, [])
    expect(.truncated(actual: 0, expected: 35), [0x01])
    expect(.truncated(actual: 36, expected: 37), [0x01] + accessory.dropLast())
    expect(.unsupportedVersion(major: 2, minor: 0), [0x01] + changed(accessory, 0, 2))
    expect(.statedLength(actual: 18, known: [19, 21], offset: 15), [0x01] + changed(accessory, 15, 18))
    expect(.truncated(actual: 37, expected: 38), [0x01] + changed(accessory, 15, 22))
    expect(.unknownRole(2, offset: 32), [0x01] + changed(accessory, 32, 2))
    let shareable = bytes("0100 0000 17 5553 78563412 0b 09 0600 100e b400 03 1baf75655238 d891")
    expect(.truncated(actual: 4, expected: 28), [0x0B] + shareable.prefix(4))
    expect(.truncated(actual: 27, expected: 28), [0x0B] + shareable.dropLast())
    expect(.truncated(actual: 28, expected: 30), [0x0B] + changed(shareable, 4, 25))
    expect(.unsupportedVersion(major: 257, minor: 0), [0x0B] + changed(shareable, 1, 1))
    expect(.statedLength(actual: 0, known: [23, 25], offset: 4), [0x0B] + changed(shareable, 4, 0))
    expect(.country([0x55, 0x30], offset: 5), [0x0B] + changed(shareable, 6, 0x30))
    expect(.unexpectedData(id: 0x02, count: 1), [0x02, 0])
    expect(.unexpectedData(id: 0x0C, count: 2), [0x0C, 0, 0])
  }

  @Test("R16 messages truncated at every byte throw")
  func truncation() throws {
    let messages: [AccessoryMessage] = [
      .configurationData(accessoryData()), .configurationData(accessoryData(drift: nil)),
      .configureAndStart(randomShareable(seed: 1, stability: 100)),
      .configureAndStart(randomShareable(seed: 2, stability: nil)),
    ]
    for message in messages {
      for count in 0..<message.bytes.count {
        #expect(throws: AccessoryMessageError.self) { try AccessoryMessage(bytes: message.bytes.prefix(count)) }
      }
    }
  }

  @Test("R47 fields of later minor versions are kept and passed over, inside the stated length and behind it")
  func laterVersions() throws {
    var data = accessoryData().data
    data[15] += 3
    data += [7, 8, 9, 1, 2]
    let accessory = try NearbyAccessoryConfiguration(data: data).accessoryData
    #expect(accessory.shortAddress == 0xD711 && accessory.clockDriftppm == 25)
    #expect(accessory.additionalUWBBytes == [7, 8, 9] && accessory.additionalBytes == [1, 2])
    #expect(accessory.data == data)
    var short = accessoryData(drift: nil).data
    short[15] += 1
    let odd = try AccessoryConfigurationData(data: short + [5])
    #expect(odd.clockDriftppm == nil && odd.additionalUWBBytes == [5] && odd.data == short + [5])
    var shareable = randomShareable(seed: 1, stability: 100).data
    shareable[4] += 2
    let read = try ShareableConfigurationData(data: shareable + [3, 4, 5])
    #expect(read.clockStability == 100 && read.additionalFields == [3, 4] && read.additionalBytes == [5])
    #expect(read.data == shareable + [3, 4, 5])
  }

  // MARK: Properties

  private func randomShareable(seed: UInt64, stability: UInt16?) -> ShareableConfigurationData {
    var generator = TokenGenerator.seeded(seed)
    return ShareableConfigurationData(
      country: seed % 2 == 0 ? .unitedStates : ShareableConfigurationData.Country("de") ?? .unitedStates,
      sessionIdentifier: .random(in: 0 ... .max, using: &generator),
      preambleIndex: .random(in: 0 ... .max, using: &generator),
      channel: .random(in: 0 ... .max, using: &generator),
      slotsPerRound: .random(in: 0 ... .max, using: &generator), slotRSTU: .random(in: 0 ... .max, using: &generator),
      blockMilliseconds: .random(in: 0 ... .max, using: &generator),
      roundControl: .random(in: 0 ... .max, using: &generator),
      stsInitialVector: .init(rawValue: generator.next()),
      destinationAddress: .random(in: 0 ... .max, using: &generator), clockStability: stability)
  }

  @Test("R16 what is written reads back the same", arguments: 0..<500 as Range<UInt64>)
  func identity(seed: UInt64) throws {
    var generator = TokenGenerator.seeded(seed)
    let messages: [AccessoryMessage] = [
      .configureAndStart(randomShareable(seed: seed, stability: Bool.random(using: &generator) ? 200 : nil)),
      .configurationData(
        AccessoryConfigurationData(
          version: AccessoryProtocolVersion(major: 1, minor: .random(in: 0 ... .max, using: &generator)),
          preferredUpdateRate: .init(rawValue: .random(in: 0 ... .max, using: &generator)),
          reserved: (0..<10).map { _ in .random(in: 0 ... .max, using: &generator) },
          uwbVersion: AccessoryProtocolVersion(
            major: .random(in: 0 ... .max, using: &generator), minor: .random(in: 0 ... .max, using: &generator)),
          manufacturer: .random(in: 0 ... .max, using: &generator), model: .random(in: 0 ... .max, using: &generator),
          middleware: .random(in: 0 ... .max, using: &generator),
          role: Bool.random(using: &generator) ? .controleeResponder : .controllerInitiator,
          shortAddress: .random(in: 0 ... .max, using: &generator),
          clockDriftppm: Bool.random(using: &generator) ? .random(in: 0 ... .max, using: &generator) : nil)),
      .other(
        id: .random(in: 0x10 ... .max, using: &generator),
        data: (0..<Int.random(in: 0...40, using: &generator)).map { _ in .random(in: 0 ... .max, using: &generator) }),
    ]
    for message in messages {
      #expect(try AccessoryMessage(bytes: message.bytes) == message, "seed \(seed)")
    }
  }

  @Test("R16 random bytes and mutated messages never trap, and what reads is written back byte for byte")
  func hostile() {
    var generator = TokenGenerator.seeded(0xACCE55)
    var readable = 0
    for round in 0..<50_000 {
      var message: [UInt8]
      switch round % 3 {
      case 0:
        message = (0..<Int.random(in: 0...48, using: &generator)).map { _ in .random(in: 0 ... .max, using: &generator)
        }
      case 1:
        message = AccessoryMessage.configurationData(accessoryData(drift: round % 2 == 0 ? 1 : nil)).bytes
      default:
        message =
          AccessoryMessage.configureAndStart(
            randomShareable(seed: UInt64(round), stability: round % 2 == 0 ? 1 : nil)
          ).bytes
      }
      for _ in 0..<Int.random(in: 0...3, using: &generator) where !message.isEmpty {
        message[Int.random(in: 0..<message.count, using: &generator)] = .random(in: 0 ... .max, using: &generator)
      }
      if let read = try? AccessoryMessage(bytes: message) {
        readable += 1
        #expect(read.bytes == message, "seed 0xACCE55, round \(round)")
      }
    }
    #expect(readable > 10_000)
  }

  // MARK: Public captures

  private static let vectors = "ni-accessory/vectors.csv"

  @Test("R16 messages of public captures, byte for byte", .needsRealData(vectors))
  func publicVectors() throws {
    let path = try RealData.path(Self.vectors)
    let lines = try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n").dropFirst()
    var read = 0
    for line in lines {
      let fields = line.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
      let message = bytes(fields[2])
      switch fields[1] {
      case "shareable":
        let parsed = try ShareableConfigurationData(data: message)
        #expect(parsed.data == message)
        #expect(parsed.sessionIdentifier == UInt32(fields[3].dropFirst(2), radix: 16))
        #expect(parsed.destinationAddress == UInt16(fields[4].dropFirst(2), radix: 16))
        #expect(parsed.stsInitialVector.rawValue == UInt64(fields[5], radix: 16))
        #expect(parsed.channel == UInt8(fields[6]) && parsed.preambleIndex == UInt8(fields[7]))
        #expect(parsed.slotsPerRound == UInt16(fields[8]) && parsed.slotRSTU == UInt16(fields[9]))
        #expect(parsed.blockMilliseconds == UInt16(fields[10]))
      case "accessory":
        let parsed = try AccessoryMessage(bytes: message)
        #expect(parsed.bytes == message)
        #expect(parsed.id == 0x01)
      default:
        Issue.record("unknown kind \(fields[1])")
      }
      read += 1
    }
    #expect(read >= 4)
  }
}
