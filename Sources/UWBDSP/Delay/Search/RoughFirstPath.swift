/// `FirstPathSearch` with its memory: where every fit on one antenna begins.
package struct RoughFirstPath {
  private let search: FirstPathSearch
  private let memory: FirstPathSearch.Workspace

  package init(_ receiver: ReceiverModel, filter: FirstPathSearch.Filter = .smoothed, tapCount: Int) {
    search = FirstPathSearch(receiver, filter: filter)
    memory = FirstPathSearch.Workspace(tapCount: tapCount)
  }

  /// The first path in half taps from the accumulator's start; `nil` where there is none, and `estimate` then says why.
  package func find(_ taps: PreparedTaps, into estimate: inout DelayEstimate) -> Int? {
    guard taps.isUsable else {
      estimate.reset(.emptyImpulseResponse)
      return nil
    }
    let found = search.run(taps, using: memory)
    estimate.reset(
      .noFirstPath, noiseVariance: taps.noiseVariance, threshold: found.threshold.squareRoot(),
      ambiguityVariance: found.ambiguityVariance)
    return found.halfTap
  }
}
