import UWBBaselines
import UWBDSP
import UWBSimulation

extension Workload {
  /// Loading with its noise floor; the search for a first path where there is none, so that it goes over the whole CIR; each delay
  /// estimator, loading included, from 16-bit taps: one path, and a residential channel.
  static let delays: [Workload] =
    [
      Workload("delay/load", .response) {
        let responses = Ring(residential)
        let taps = PreparedTaps(tapCount: 1016)
        return Prepared { taps.load(responses.next(), antenna: 0) }
      },
      Workload("delay/first-path-search/noise", .response) {
        delay(.edgeFit, SimulatedInput.responses(.awgn, snrdB: -40))
      },
    ] + estimators

  private static let estimators: [Workload] = DelayMethod.all.filter { $0 != .chip }.flatMap { method in
    [
      Workload("delay/\(method.name)/one-path", .response) { delay(method, onePath) },
      Workload("delay/\(method.name)/cm1", .response) { delay(method, residential) },
    ]
  }

  private static let onePath = SimulatedInput.responses(.awgn)
  private static let residential = SimulatedInput.responses(.ieee802154a(.cm1))

  /// A delay estimator over CIRs, loading included.
  public static func delay(_ method: DelayMethod, _ responses: [ChannelImpulseResponse]) -> Prepared {
    let responses = Ring(responses)
    let stage = DelayStage.make(RangingEngine.Configuration(profile: .ideal, delay: method), tapCount: 1016)
    let taps = PreparedTaps(tapCount: 1016)
    var estimate = DelayEstimate()
    return Prepared {
      taps.load(responses.next(), antenna: 0)
      stage.estimate(taps, into: &estimate)
    }
  }
}

extension Channel {
  /// Paths of equal power 2.5 taps apart, phases random.
  public static func equalPaths(_ count: Int) -> Channel {
    .paths((0..<count).map { PathSpecification(delayTaps: 2.5 * Double($0), powerdB: 0) })
  }
}
