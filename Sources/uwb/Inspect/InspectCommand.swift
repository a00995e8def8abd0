import ArgumentParser
import Foundation
import Numerics
import UWBCapture
import UWBDSP
import UWBReport

/// `uwb inspect`: one exchange in full, and a picture of one CIR.
struct InspectCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "inspect", abstract: "Show one exchange in full, and draw one channel impulse response.",
    discussion: """
      EXAMPLES
        uwb inspect 11.log --exchange 12 --report cir.html
        uwb inspect 11.log --exchange 12 --svg cir.svg
      """)

  @Argument(help: ArgumentHelp("The capture; - is standard input.", valueName: "capture"))
  var capture: String

  @OptionGroup var engine: EngineOptions

  @Option(help: "Which exchange, counted from 0.", transform: OptionRange.reader(OptionRange.exchange))
  var exchange = 0

  @Option(help: "Whose reception to draw: poll, response or final.")
  var message = Message.poll

  @Option(help: ArgumentHelp("Draw the CIR into this file.", valueName: "file.svg"))
  var svg: String?

  @OptionGroup var page: ReportOptions

  @OptionGroup var messages: MessageOptions

  enum Message: String, ExpressibleByArgument, CaseIterable {
    case poll, response, final
  }

  func run() throws {
    let file = try page.begin(captures: [capture], files: engine.namedFiles, outputs: [svg])
    try engine.checkStrictly([capture])
    var reader = try engine.open(capture)
    var started: RangingPipeline?
    var found: (exchange: RangingExchange, measurement: RangingMeasurement, engine: RangingEngine)?
    var count = 0
    while found == nil, let next = try reader.next() {
      count += 1
      let pipeline =
        try started
        ?? RangingPipeline(engine.replayEngine(for: reader.header, file: capture, first: next).engine, tracking: nil)
      started = pipeline
      if next.index == exchange {
        found = (next, pipeline.measure(next), pipeline.engine)
      } else {
        _ = pipeline.clock(next)
      }
    }
    guard let (found, measurement, ranging) = found else {
      throw CaptureError(
        file: capture, place: "exchange \(exchange)", problem: "the capture holds \(count) exchanges",
        remedy: count > 0 ? "Choose one of 0 … \(count - 1)." : "Check the format with --format.")
    }
    let text = ExchangeText(header: reader.header, exchange: found, measurement: measurement, engine: ranging)
    try ByteOutput.write(text.text + "\n")
    if let file {
      try InspectPage(
        capture: ReportFile.title(of: [capture]), header: reader.header, exchange: found, measurement: measurement,
        engine: ranging, text: text, message: message.rawValue
      ).write(to: file)
    }
    guard let svg else { return }
    let picture = try picture(of: found, by: ranging)
    try OutputFile.write(picture.svg(), to: svg)
  }

  private func picture(of exchange: RangingExchange, by ranging: RangingEngine) throws -> ImpulseResponsePicture {
    let reception: Reception? =
      switch message {
      case .poll: exchange.poll.reception
      case .response: exchange.response?.reception
      case .final: exchange.final?.reception
      }
    guard let reception, let response = reception.impulseResponse else {
      throw CaptureError(
        file: capture, place: "exchange \(exchange.index), \(message.rawValue)",
        problem: "there is no channel impulse response", remedy: "Draw another message with --message.")
    }
    return ImpulseResponseDrawing(
      capture: CaptureNames.shortest([capture])[0], exchange: exchange.index, message: message.rawValue,
      reception: reception, response: response,
      engine: ranging
    ).picture
  }
}
