"""Fitted maps elsewhere: files, ONNX, SQL."""
