"""The service as people start it, and somebody who works with it over HTTP."""
