// Who imports the engine has the values that it takes and gives, and the tracking of what it measured.
@_exported import UWBTracking
@_exported import UWBTypes
