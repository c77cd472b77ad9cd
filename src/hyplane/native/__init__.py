"""The compiled parts."""
