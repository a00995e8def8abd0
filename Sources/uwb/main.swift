print("uwb")
