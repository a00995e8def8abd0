extension Workload {
  /// The workloads whose instructions are counted and gated: each kernel that a change is likely to touch, none that reads a file or a
  /// clock or takes a lock, and no transform that FFTW plans by trying.
  public static let counted: [Workload] = [
    "transform/interpolation/64-taps-x16",
    "delay/load",
    "delay/first-path-search/noise",
    "delay/edge-fit/one-path", "delay/edge-fit/cm1",
    "delay/pulse-fit/one-path", "delay/pulse-fit/cm1",
    "delay/dense-onset/cm1",
    "delay/rice-fit/cm1",
    "delay/adaptive/one-path", "delay/adaptive/cm1",
    "array/joint-fit/4-antennas/room",
    "angle/eigenvectors/8",
    "angle/music/row-8-64-snapshots", "angle/root-music/row-8-64-snapshots", "angle/esprit/row-8-64-snapshots",
    "tracker/update",
    "session/replay-delivery",
    "reader/decaranging",
    "chain/1-antenna/free-space", "chain/1-antenna/room", "chain/1-antenna/room-dw1000", "chain/1-antenna/random-rooms",
    "chain/4-antennas/free-space", "chain/4-antennas/room",
  ].map { name in
    guard let workload = named(name) else { preconditionFailure("no workload is called \(name)") }
    return workload
  }
}
