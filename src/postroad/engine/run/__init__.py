"""The inside of one run. Nothing here is for applications: they enter by `postroad.engine`."""
