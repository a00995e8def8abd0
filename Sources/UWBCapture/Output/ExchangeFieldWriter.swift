import UWBTypes

/// Where the fields of an exchange are written, each under its name: a line of ndjson, or a segment of a recording.
///
/// What is absent is left out. JSON knows no infinity and no NaN: such a number becomes absent.
protocol ExchangeFieldWriter: AnyObject {
  func number(_ name: StaticString, _ value: Double?)
  func number(_ name: StaticString, _ value: Int?)
  func numbers(_ name: StaticString, _ values: [Double]?)
  func string(_ name: StaticString, _ value: String)
  func bool(_ name: StaticString, _ value: Bool)
  func object(_ name: StaticString, _ fields: (Self) -> Void)
}

extension ExchangeFieldWriter {
  /// Who ranged with whom.
  func writeParties(of exchange: RangingExchange) {
    string("peer", exchange.peer.description)
    if let local = exchange.local { string("local", local.description) }
    string("initiator", exchange.initiator == .local ? "local" : "peer")
    if exchange.counterBits != 40 { number("counter_bits", exchange.counterBits) }
  }

  /// What the exchange holds beside its messages.
  func writeResults(of exchange: RangingExchange) {
    numbers("phase_differences_rad", exchange.phaseDifferences)
    if let report = exchange.chipReport {
      object("chip_report") {
        $0.number("distance_m", report.distance)
        $0.number("raw_distance_m", report.rawDistance)
        $0.number("clock_offset_ppm", report.clockOffsetppm)
        $0.number("azimuth_rad", report.azimuth)
        $0.number("elevation_rad", report.elevation)
      }
    }
    if let ready = exchange.ready {
      object("ready_measurement") {
        $0.number("distance_m", ready.distance?.finite)
        $0.number("distance_std_m", ready.distanceDeviation.finite ?? 0)
        $0.write("azimuth", ready.azimuth)
        $0.write("elevation", ready.elevation)
        $0.number("line_of_sight_probability", ready.lineOfSightProbability?.finite)
      }
    }
    if exchange.hasFailed { bool("failed", true) }
    numbers("peer_position_m", exchange.peerPosition.map { [$0.x, $0.y, $0.z] })
    if let truth = exchange.truth {
      object("truth") {
        $0.number("distance_m", truth.distance)
        $0.number("azimuth_rad", truth.azimuth)
        $0.number("elevation_rad", truth.elevation)
        if let isLineOfSight = truth.isLineOfSight { $0.bool("line_of_sight", isLineOfSight) }
      }
    }
  }

  private func write(_ name: StaticString, _ angle: RadioMeasurement.Angle?) {
    guard let angle, angle.value.isFinite, angle.deviation.isFinite, angle.figureOfMerit.isFinite else { return }
    object(name) {
      $0.number("value_rad", angle.value)
      $0.number("std_rad", angle.deviation)
      $0.number("figure_of_merit", angle.figureOfMerit)
    }
  }

  /// A message without its CIRs.
  func write(_ message: RangingMessage) {
    number("transmitted_ticks", message.transmitted.map { Int($0.ticks) })
    guard let reception = message.reception else { return }
    number("received_ticks", Int(reception.time.ticks))
    number("first_path_taps", reception.chipFirstPathTaps)
    number("preamble_count", reception.preambleCount)
    number("received_power_dbm", reception.receivedPowerdBm)
    number("first_path_power_dbm", reception.firstPathPowerdBm)
    number("noise_threshold", reception.noiseThreshold)
    numbers("first_path_amplitudes", reception.firstPathAmplitudes.map { [$0.x, $0.y, $0.z] })
    number("noise_deviation", reception.noiseDeviation)
    number("carrier_offset_ppm", reception.carrierOffsetppm)
    number("time_tracking_offset_ppm", reception.timeTrackingOffsetppm)
    numbers("antenna_phases_rad", reception.antennaPhases)
    numbers("antenna_first_path_taps", reception.antennaFirstPathTaps)
  }
}

extension Double {
  var finite: Double? { isFinite ? self : nil }
}
