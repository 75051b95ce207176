"""Reads dumps of PyTorch's Flight Recorder."""
