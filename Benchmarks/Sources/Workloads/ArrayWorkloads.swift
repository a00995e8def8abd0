import UWBDSP
import UWBSimulation

extension Workload {
  /// One fit of four antennas together and of the direction that plane waves have, loading included.
  static let arrays: [Workload] = [true, false].map { inRoom in
    Workload("array/joint-fit/4-antennas/\(inRoom ? "room" : "free-space")", .estimate) {
      let responses = Ring(
        SimulatedInput.exchanges(antennas: 4, inRoom: inRoom).compactMap { $0.poll.reception?.impulseResponse })
      let profile = DeviceProfile.ideal
      let fit = PulseFit(ReceiverModel(profile))
      let joint = JointDelayAngle(fit, array: SimulatedInput.array(antennas: 4))
      let workspace = joint.makeWorkspace(tapCount: 1016)
      let taps = (0..<4).map { _ in PreparedTaps(tapCount: 1016) }
      var estimate = JointEstimate(antennaCount: 4)
      return Prepared {
        let response = responses.next()
        for antenna in 0..<4 { taps[antenna].load(response, antenna: antenna) }
        joint.estimate(taps, into: &estimate, using: workspace)
      }
    }
  }
}
