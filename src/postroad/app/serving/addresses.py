"""Where the service listens and how it is reached; refuses to stand open on a network without TLS.

Passwords, session cookies and tokens travel with every request. On loopback nobody can read them. On any other address
they need HTTPS: either the operator says under which `https://` address a proxy in front answers, or says plainly that
reading along is accepted (`server.insecureHttp`).
"""

import ipaddress
import socket
from urllib.parse import urlsplit

from postroad.entrypoints.http.composition import HttpSettings
from postroad.foundation.service_settings import ServerSettings, Settings
from postroad.vocabulary.errors import AlreadyRunning, ConfigInvalid

_BACKLOG = 2048


def check_exposure(server: ServerSettings) -> None:
    """Raises ConfigInvalid where others could read along."""
    if _is_loopback(server.host) or server.public_base_url.startswith("https://") or server.insecure_http:
        return
    raise ConfigInvalid(
        f"{server.host} can be reached by others, and passwords would cross the network readably: put a TLS proxy in "
        "front and set server.publicBaseUrl to its https:// address, or listen on 127.0.0.1, or accept it by "
        "server.insecureHttp: true",
        field="server.host",
    )


def listen(server: ServerSettings) -> socket.socket:
    """The listening socket. Raises AlreadyRunning where the port is taken, ConfigInvalid for an address not ours."""
    try:
        family, _, _, _, address = socket.getaddrinfo(
            server.host, server.port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )[0]
        return socket.create_server(address[:2], family=family, backlog=_BACKLOG)
    except socket.gaierror as error:
        raise ConfigInvalid(f"`{server.host}` is no address of this machine", field="server.host") from error
    except PermissionError as error:
        raise ConfigInvalid(
            f"port {server.port} is reserved for the system; choose one above 1023", field="server.port"
        ) from error
    except OSError as error:
        raise AlreadyRunning(
            f"cannot listen on {server.host} port {server.port} ({error.strerror}); stop what listens there or choose "
            "another port by --port",
            field="server.port",
        ) from error


def base_url(server: ServerSettings, port: int) -> str:
    """The address for people, without a slash at its end. `port` is the real one."""
    if server.public_base_url:
        return server.public_base_url.rstrip("/")
    host = "127.0.0.1" if _is_any(server.host) else server.host
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"


def http_settings(settings: Settings, port: int) -> HttpSettings:
    """What the HTTP door needs of the settings."""
    address = base_url(settings.server, port)
    names = {*settings.security.allowed_hosts, urlsplit(address).hostname or "", settings.server.host}
    return HttpSettings(
        public_base_url=address,
        host_names=frozenset(name.lower() for name in names if name),
        cors_origins=settings.security.cors_origins,
        max_body_bytes=settings.limits.json_body_bytes,
    )


def _is_loopback(host: str) -> bool:
    if host.lower() == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def _is_any(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_unspecified
    except ValueError:
        return False
