/// Names of the radios whose profiles ship (`DeviceProfile`): what captures call them.
package enum RadioName {
  package static let ideal = "ideal"
  package static let dw1000 = "dw1000"
  package static let dw3000 = "dw3000"
}
