"""Known secrets go through the whole service, and are then looked for in everything it wrote, said and kept.

The service runs as people start it, at its most talkative. The receiver repeats each credential in its answers, half of
them refusals; the passwords are used rightly and wrongly; every operation of the contract gets the secrets where they
do not belong. Then come the answers, the streams, the files that can be downloaded, the log, the data folder byte for
byte, its tables row by row and its Parquet files unpacked. The key ring keeps keys, not these texts.
"""

import base64
import json
import sqlite3
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing, contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import quote

import duckdb
import httpx
import pytest
import yaml
from tests.builders.served import Served, served
from tests.integration.http.calls import operations

CONTRACT = Path(__file__).parents[2] / "contracts" / "openapi.yaml"
GIVEN = {
    "the token of an account": "canary-token/one+7f3a",
    "a secret of the workspace": "canary-crm/two+91bd",
    "a secret that was replaced": "canary-old/three+c0de",
    "the password of the administrator": "canary-password/four+d00d",
    "a password that is wrong": "canary-wrong/five+beef",
    "a text that was refused": "canary-refused/six+feed",
}
PERSON = {"username": "root", "password": GIVEN["the password of the administrator"]}
LOUD = {
    "POSTROAD_SECURITY_ALLOWED_NETWORKS": "127.0.0.0/8",
    "POSTROAD_LOGGING_LEVEL": "debug",
    "POSTROAD_LOGGING_FORMAT": "json",
    "POSTROAD_LIMITS_REQUESTS_PER_SECOND": "10000",
    "POSTROAD_LIMITS_BURST": "10000",
}
FINAL = ("SUCCEEDED", "PARTIAL", "FAILED", "CANCELLED")
KNOWN = "Gateway of the canaries"
"""A text that is no secret: where it is found, a secret would have been found as well."""
PATIENCE_S = 30.0


class _Receiver(ThreadingHTTPServer):
    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Echo)
        self.heard: list[str] = []


class _Echo(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:
        assert isinstance(self.server, _Receiver)
        self.rfile.read(int(self.headers.get("content-length", 0)))
        shown = self.headers.get("authorization", "")
        self.server.heard.append(shown)
        body = json.dumps({"error": f"{shown} may not write to {self.path}"}).encode()
        self.send_response(200 if len(self.server.heard) % 2 else 400)
        self.send_header("X-Request-Id", shown)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_request(self, code: int | str = "-", size: int | str = "-") -> None:
        """Says nothing."""


@contextmanager
def _echoing() -> Iterator[_Receiver]:
    with _Receiver() as server:
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        try:
            yield server
        finally:
            server.shutdown()
            thread.join()


class _Office:
    """Somebody who works with the service and keeps every answer."""

    def __init__(self, service: Served) -> None:
        self.client = httpx.Client(base_url=service.url, trust_env=False, timeout=20, headers={"x-postroad-csrf": "1"})
        self.answers: list[str] = []
        self.secrets = dict(GIVEN)
        self.workspace = ""

    def call(self, method: str, path: str, status: int | None = None, **more: Any) -> Any:
        path = path if path.startswith("/api/") else f"{self.workspace}{path}"
        answer = self.client.request(method, path, **more)
        assert status is None or answer.status_code == status, f"{method} {path}: {answer.status_code} {answer.text}"
        assert answer.status_code != 500, f"{method} {path}: {answer.text}"
        headers = {name: text for name, text in answer.headers.items() if name != "set-cookie"}
        self.answers.append(f"{method} {path}\n{headers}\n{answer.text}")
        return answer.json() if "json" in answer.headers.get("content-type", "") else answer

    def post(self, path: str, body: Mapping[str, Any], status: int = 201, **headers: str) -> Any:
        sent = {name.replace("_", "-"): text for name, text in headers.items()}
        return self.call("POST", path, status, json=body, headers=sent)

    def waited(self, path: str, holds: Callable[[Any], bool]) -> Any:
        until = time.monotonic() + PATIENCE_S
        while not holds(seen := self.call("GET", path, 200)):
            assert time.monotonic() < until, seen
            threading.Event().wait(0.05)
        return seen

    def arrives(self, setup_code: str) -> None:
        wrong = {**PERSON, "password": GIVEN["a password that is wrong"]}
        self.post("/api/v1/setup", {**PERSON, "code": setup_code})
        self.post("/api/v1/sessions", wrong, 401)
        self.post("/api/v1/sessions", PERSON)
        self.secrets["the session"] = next(iter(self.client.cookies.values()))
        found = self.call("GET", "/api/v1/workspaces", 200)["items"][0]["id"]
        self.workspace = f"/api/v1/workspaces/{found}"

    def gets_a_token(self) -> None:
        """It is shown once, in the answer that makes it, which is therefore not kept."""
        made = self.post("/api-tokens", {"name": "a program", "scopes": ["runs:read"]})
        self.answers.pop()
        self.secrets["a token of the API"] = made["token"]
        shown = {"authorization": f"Bearer {made['token']}"}
        self.call("GET", "/runs", 200, headers=shown)
        self.call("GET", f"/runs?token={made['token']}", 401)
        self.answers.pop()

    def keeps_secrets(self) -> None:
        path = "/secrets/crm/password"
        self.call("PUT", path, 201, json={"value": GIVEN["a secret that was replaced"]})
        replaced = {"value": GIVEN["a secret of the workspace"]}
        self.call("PUT", path, 200, json=replaced, headers={"if-match": '"1"'})
        query = {"database": "postgresql://reader@127.0.0.1:1/crm", "query": "SELECT 1 AS name"}
        asked = {"query": {**query, "password": {"$secret": "crm/password"}}}
        begun = self.post("/audience-imports", asked)
        self.waited(f"/audience-imports/{begun['id']}", lambda one: one["state"] == "FAILED")

    def sends(self, port: int) -> str:
        """The id of a run that has ended."""
        config = {"baseUrl": f"http://127.0.0.1:{port}", "auth": {"type": "BEARER", "token": {"$secret": "token"}}}
        secrets = {"token": {"operation": "REPLACE", "value": GIVEN["the token of an account"]}}
        body = {"providerId": "http", "name": KNOWN, "config": config, "secrets": secrets}
        account = self.post("/accounts", body)["id"]
        self.call("POST", f"/accounts/{account}/connection-test", 200)
        content = {"path": "/to/{{ number }}", "bodyTemplate": {"hello": "{{ name }}"}}
        message = self.post("/messages", {"providerId": "http", "name": "News", "content": content})["id"]
        begun = self.post("/audience-imports", {"count": 6})["id"]
        read = self.waited(f"/audience-imports/{begun}", lambda one: one["state"] == "PARSED")
        keep = {"if_match": f'"{read["version"]}"'}
        audience = self.post(f"/audience-imports/{begun}/commit", {"name": "People"}, 200, **keep)["id"]
        ids = {"accountId": account, "messageId": message, "audienceId": audience}
        job = self.post("/jobs", {"name": "Job", **ids, "policies": {"rate": "unlimited"}})["id"]
        shown = self.post(f"/jobs/{job}/run-confirmation", {}, 200)
        start = {"confirmationToken": shown["confirmationToken"]}
        run: str = self.post(f"/jobs/{job}/runs", start, 202, idempotency_key="once")["id"]
        self.waited(f"/runs/{run}", lambda one: one["state"] in FINAL and one["hasResults"])
        return run

    def says_secrets_where_they_do_not_belong(self, contract: Mapping[str, Any]) -> None:
        """None of it is taken: what is unknown is refused before anything is done."""
        text = GIVEN["a text that was refused"]
        for method, path in operations(contract):
            if method in ("GET", "HEAD", "DELETE") or "setup" in path:
                continue
            filled = path.replace("{workspaceId}", self.workspace.rpartition("/")[2])
            body = {"value": [text], "password": {"text": text}, "name": {"first": text}, "canary": text}
            self.call(method, filled, json=body, headers={"idempotency-key": "canary", "if-match": '"1"'})

    def looks_at_everything(self, run: str) -> None:
        for path in ("", "/events", "/items?limit=100", "/artifacts", "/receipt"):
            self.call("GET", f"/runs/{run}{path}", 200)
        self.post(f"/runs/{run}/artifacts/result-export", {})
        parts = ("accounts", "messages", "audiences", "audience-imports", "jobs", "runs", "secrets", "api-tokens")
        for part in (*parts, "schedules", "members", "audit-events", "overview", "secrets/crm/password"):
            self.call("GET", f"/{part}", 200)
        for path in ("/api/v1/sessions", "/api/v1/me", "/api/v1/audit-events", "/api/v1/users", "/api/v1/system/info"):
            self.call("GET", path, 200)
        for one in self.call("GET", "/artifacts", 200)["items"]:
            self.call("GET", f"/artifacts/{one['id']}/content")


def _forms(text: str) -> set[bytes]:
    """How a text may stand somewhere: plain, in a URL, in hexadecimal, in base64."""
    plain = text.encode()
    return {plain, quote(text, safe="").encode(), plain.hex().encode(), base64.b64encode(plain).rstrip(b"=")[:-1]}


def _found_in(content: bytes, secrets: Mapping[str, str]) -> list[str]:
    return [name for name, text in secrets.items() if any(form in content for form in _forms(text))]


def _unpacked(path: Path) -> bytes:
    """A Parquet file or the service's database, as text."""
    if path.suffix == ".parquet":
        with closing(duckdb.connect()) as reader:
            return repr(reader.execute("SELECT * FROM read_parquet(?)", [str(path)]).fetchall()).encode()
    with closing(sqlite3.connect(path)) as database:
        return "\n".join(database.iterdump()).encode()


@pytest.fixture
def data(tmp_path: Path) -> Path:
    return tmp_path / "data"


def test_no_secret_is_left_in_anything_the_service_says_or_keeps(data: Path) -> None:
    contract = yaml.safe_load(CONTRACT.read_text("utf-8"))
    with _echoing() as receiver, served(data, more=LOUD) as service:
        office = _Office(service)
        with closing(office.client):
            office.arrives(service.setup_code)
            office.gets_a_token()
            office.keeps_secrets()
            run = office.sends(receiver.server_address[1])
            office.looks_at_everything(run)
            office.says_secrets_where_they_do_not_belong(contract)
        log = service.log
        assert service.stop(15) == 0
    assert f"Bearer {GIVEN['the token of an account']}" in receiver.heard

    places = {f"answer to {answer.splitlines()[0]}": answer.encode() for answer in office.answers}
    places["the log"] = log.read_bytes()
    files = [path for path in (*data.rglob("*"), *(data.parent / "home").rglob("*")) if path.is_file()]
    places |= {str(path.relative_to(data.parent)): path.read_bytes() for path in files}
    places |= {f"{path.name}, unpacked": _unpacked(path) for path in files if path.suffix in (".parquet", ".db")}
    found = {place: names for place, content in places.items() if (names := _found_in(content, office.secrets))}
    assert found == {}

    assert KNOWN.encode() in places["postroad.db, unpacked"]
    assert any(b"Recipient 1" in content for place, content in places.items() if "parquet, unpacked" in place)
    assert any(b"Recipient 1" in content for place, content in places.items() if "/artifacts/" in place)
