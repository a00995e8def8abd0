import UWBDSP

extension DelayMethod {
  /// `PeakTap`
  public static let peak = DelayMethod("peak", "strongest point of the band-limited interpolated CIR") { PeakTap($0) }
  /// `DenseOnset`
  public static let denseOnset = DelayMethod(
    "dense-onset", "onset of a decaying continuum of rays, by its likelihood (posterior median)"
  ) { DenseOnset($0) }
  /// `JumpBackSearchForward`
  public static let jumpBack = DelayMethod(
    "jump-back", "jump back from the strongest path, search forward (Guvenc & Sahinoglu 2005)"
  ) { JumpBackSearchForward($0) }
  /// `SerialBackwardSearch`
  public static let serialBackward = DelayMethod(
    "serial-backward", "walk back from the strongest path until only noise is left (Guvenc & Sahinoglu 2005)"
  ) { SerialBackwardSearch($0) }
  /// `SearchSubtract`
  public static let searchSubtract = DelayMethod(
    "search-subtract", "strongest path first, subtracted, and again (Falsi et al. 2006)"
  ) { SearchSubtract($0) }
  /// `SearchSubtractReadjust`
  public static let searchSubtractReadjust = DelayMethod(
    "search-subtract-readjust", "the same with all amplitudes solved anew each time (Falsi et al. 2006)"
  ) { SearchSubtractReadjust($0) }
  /// `Clean`
  public static let clean = DelayMethod("clean", "CLEAN deconvolution (Högbom 1974; Cramer, Scholtz & Win 2002)") {
    Clean($0)
  }
  /// `DelayMUSIC`
  public static let music = DelayMethod(
    "music", "deepest minima of the noise subspace's spectrum over delay (Schmidt 1986; Li & Pahlavan 2004)"
  ) { DelayMUSIC(FrequencyWindow($0)) }
  /// `DelayRootMUSIC`
  public static let rootMUSIC = DelayMethod(
    "root-music", "roots of that spectrum's polynomial nearest the unit circle (Barabell 1983)"
  ) { DelayRootMUSIC(FrequencyWindow($0)) }
  /// `DelayESPRIT`
  public static let esprit = DelayMethod(
    "esprit", "rotation of the signal subspace over frequency (Roy & Kailath 1989; Haardt & Nossek 1995)"
  ) { DelayESPRIT(FrequencyWindow($0)) }
  /// `DelayMatrixPencil`
  public static let matrixPencil = DelayMethod(
    "matrix-pencil", "eigenvalues of a pencil of shifted singular vectors (Hua & Sarkar 1990)"
  ) { DelayMatrixPencil(FrequencyWindow($0)) }

  /// All of this package, the engine's own among them. New ones come last: codes of the C interface are positions.
  public static let all: [DelayMethod] = [
    .chip, .peak, .edgeFit, .pulseFit, .denseOnset, .riceFit, .adaptive, .leadingEdge, .jumpBack, .serialBackward,
    .searchSubtract, .searchSubtractReadjust, .clean, .music, .rootMUSIC, .esprit, .matrixPencil,
  ]

  /// The one of this name among `all`.
  public static func named(_ name: String) -> DelayMethod? { all.first { $0.name == name } }
}
