"""The life of one service process."""

import os
from collections.abc import Callable

from postroad.app.areas.vault import open_ring
from postroad.app.serving import data_folder
from postroad.app.serving.addresses import check_exposure, http_settings, listen
from postroad.entrypoints.cli.composition import ServeOptions, Started
from postroad.foundation.ids import uuid7
from postroad.foundation.keyring import KeyRing
from postroad.foundation.service_settings import Settings, load_settings, summary_of
from postroad.foundation.telemetry import configure_logs, enable_spans, logger

_LOG = logger(__name__)


def serve(options: ServeOptions, tell: Callable[[Started], None]) -> int:
    """Runs until a signal. Returns the exit code: 0 after a clean stop, 1 where something had to be cut off.

    Raises ConfigInvalid, KeysUnusable, AlreadyRunning, DatabaseRefused, StorageFailed, StorageFull before it listens.
    """
    settings = load_settings(options.config, options.environment, options.flags)
    check_exposure(settings.server)
    configure_logs(level=settings.logging.level, form=settings.logging.format, instance_id=uuid7()[-12:])
    enable_spans(wanted=settings.telemetry.traces)
    os.umask(0o077)
    with data_folder.held(settings.data_dir):
        key_file_is_new = not settings.keys.file.exists()
        keys = open_ring(settings)
        return _run(settings, keys, lambda url, link: tell(_started(settings, url, link, key_file_is_new)))


def _run(settings: Settings, keys: KeyRing, tell: Callable[[str, str], None]) -> int:
    from postroad.app.service_composition import ServiceComposition
    from postroad.app.serving.listener import Listener
    from postroad.entrypoints.http.app import build_app

    with listen(settings.server) as door:
        http = http_settings(settings, door.getsockname()[1])
        composition = ServiceComposition(settings, keys, http)
        try:
            link = composition.prepare()

            def ready() -> None:
                data_folder.tell_running(settings.data_dir, {"pid": os.getpid(), "url": http.public_base_url})
                composition.start()
                _LOG.info("service.started", message=f"listening at {http.public_base_url}")
                tell(http.public_base_url, link)

            listener = Listener(build_app(composition), settings.server, on_ready=ready, on_stop=composition.begin_stop)
            listener.run(sockets=[door])
            whole = composition.stop(settings.server.stop_grace_s) and not listener.force_exit
        finally:
            composition.close()
            data_folder.forget_running(settings.data_dir)
    _LOG.info("service.stopped", message="stopped" if whole else "stopped before everything had come to its end")
    return 0 if whole else 1


def _started(settings: Settings, url: str, link: str, key_file_is_new: bool) -> Started:
    return Started(url, link, settings.data_dir, settings.keys.file, key_file_is_new, summary_of(settings))
