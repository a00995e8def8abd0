import CUWBCommit
import uwb

@main
enum Program {
  static func main() async { await Uwb.main(commit: String(cString: uwb_commit())) }
}
