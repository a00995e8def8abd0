import CLapacke
import CUWBKernels

#if !UWB_WITHOUT_FFTW
  import CFFTW
#endif

/// The libraries and the vector units that the engine uses on this machine.
public enum EngineComponents {
  /// FFTW's version, such as `3.3.10-sse2-avx`; nil in a build without FFTW.
  public static var fftwVersion: String? {
    #if UWB_WITHOUT_FFTW
      nil
    #else
      String(String(cString: uwb_fftwf_version()).trimmingPrefix("fftw-"))
    #endif
  }

  /// LAPACK's version, such as `3.11.0`.
  public static var lapackVersion: String {
    var (major, minor, patch): (Int32, Int32, Int32) = (0, 0, 0)
    LAPACKE_ilaver(&major, &minor, &patch)
    return "\(major).\(minor).\(patch)"
  }

  /// The processor's vector units for which the engine has kernels, empty where it runs its portable code.
  public static var vectorUnits: [String] { uwb_has_vector_units() ? ["AVX2", "FMA"] : [] }
}
