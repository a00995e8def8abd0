extension UCIParameterID {
  /// The parameters of a session that people may set, by name, with the octets of their values.
  public static let named: [(name: String, id: UCIParameterID, octets: Int)] = [
    ("device-type", .deviceType, 1), ("channel", .channel, 1), ("controlees", .controleeCount, 1),
    ("ranging-round-usage", .rangingRoundUsage, 1), ("sts-configuration", .stsConfiguration, 1),
    ("multi-node-mode", .multiNodeMode, 1), ("slot-duration", .slotDuration, 2),
    ("ranging-interval", .rangingInterval, 4), ("sts-index", .stsIndex, 4), ("frame-check", .frameCheck, 1),
    ("round-control", .roundControl, 1), ("angle-request", .angleRequest, 1), ("notifications", .notifications, 1),
    ("notification-near", .notificationNear, 2), ("notification-far", .notificationFar, 2), ("role", .deviceRole, 1),
    ("frame-format", .frameFormat, 1), ("signal-strength", .signalStrengthReporting, 1),
    ("preamble-code", .preambleCode, 1), ("sfd", .startOfFrameDelimiter, 1), ("payload-rate", .payloadRate, 1),
    ("preamble-duration", .preambleDuration, 1), ("slots-per-round", .slotsPerRound, 1),
    ("pulse-repetition", .pulseRepetition, 1), ("schedule-mode", .scheduleMode, 1),
    ("key-rotation", .keyRotation, 1), ("key-rotation-rate", .keyRotationRate, 1), ("priority", .sessionPriority, 1),
    ("vendor-id", .vendorID, 2), ("sts-iv", .staticInitialVector, 6), ("sts-segments", .stsSegmentCount, 1),
    ("maximum-retries", .maximumRetries, 2), ("hopping", .hopping, 1), ("block-stride", .blockStride, 1),
    ("result-report", .resultReport, 1), ("header-rate", .headerRate, 1),
    ("maximum-measurements", .maximumMeasurements, 2), ("sts-length", .stsLength, 1),
    ("qorvo-diagnostics", .qorvoDiagnostics, 1), ("qorvo-diagnostic-fields", .qorvoDiagnosticFields, 4),
  ]
}
