"""The promises every channel provider keeps, as a suite that any provider can run. Begin with `harness`."""
