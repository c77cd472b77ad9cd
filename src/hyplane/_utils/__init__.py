"""What every folder of the package may use."""
