import uwb

@main
enum Program {
  static func main() async { await Uwb.main() }
}
