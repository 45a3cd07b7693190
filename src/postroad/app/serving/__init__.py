"""`postroad serve`: from settings to a running service, and back to a quiet disk.

`serve` reads the settings, holds the data folder, opens keys and database, starts the background services and listens.
Whatever is not right is refused before anything listens, and nothing that was stored before is touched by a refusal.
On SIGTERM or SIGINT the service says at /health/ready that it stops, ends live streams, lets requests finish, stops the
background services, and closes the database: all within `server.stopGrace`, and a second signal cuts it short.
"""

from postroad.app.serving.running import serve
from postroad.entrypoints.cli.composition import ServeOptions, Started

__all__ = ["ServeOptions", "Started", "serve"]
