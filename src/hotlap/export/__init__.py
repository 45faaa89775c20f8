"""What leaves the house: the physics as WebAssembly, later the driver as ONNX."""
