import CUWBCommit
import UWBLiveServer
import uwb

@main
enum Program {
  static func main() async {
    await Uwb.main(commit: String(cString: uwb_commit())) { try LiveServer($0, $1) }
  }
}
