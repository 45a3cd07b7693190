"""What operators and machines ask of a running service."""

import shutil
from pathlib import Path

import pytest
from tests.builders.service import RunningService, running_service

from postroad.entrypoints.http.composition import HttpSettings
from postroad.vocabulary.roles import Role


def test_a_live_service_says_so(service: RunningService) -> None:
    answer = service.outside.get("/health/live")
    assert (answer.status_code, answer.json()) == (200, {"status": "live"})


def test_a_ready_service_names_its_checks(service: RunningService) -> None:
    answer = service.outside.get("/health/ready")
    assert answer.status_code == 200
    assert answer.json()["status"] == "ready"
    statuses = {name: one["status"] for name, one in answer.json()["checks"].items()}
    assert statuses == statuses | {
        "database": "ok",
        "keys": "ok",
        "artifacts": "ok",
    }


def test_without_its_key_ring_the_service_is_not_ready_and_still_live(service: RunningService) -> None:
    service.composition.settings.keys.file.unlink()
    ready = service.outside.get("/health/ready")
    assert ready.status_code == 503
    assert ready.json()["checks"]["keys"]["code"] == "KEYS_UNUSABLE"
    assert service.outside.get("/health/live").status_code == 200


def test_without_its_folder_of_files_the_service_is_not_ready(service: RunningService) -> None:
    shutil.rmtree(service.composition.settings.artifacts.directory)
    assert service.outside.get("/health/ready").json()["checks"]["artifacts"]["status"] == "failed"


def test_a_service_that_stops_is_not_ready(service: RunningService) -> None:
    service.composition.readiness.is_stopping = True
    answer = service.outside.get("/health/ready")
    assert (answer.status_code, answer.json()["status"]) == (503, "stopping")


def test_a_neighbour_reads_metrics_without_a_word(service: RunningService) -> None:
    service.client(Role.VIEWER).get(service.workspace)
    page = service.outside.get("/metrics")
    assert page.headers["content-type"].startswith("text/plain; version=0.0.4")
    counted = 'postroad_http_requests_total{method="GET",route="/api/v1/workspaces/{workspaceId}",status="200"} 1.0'
    assert counted in page.text
    assert "postroad_live_streams 0.0" in page.text


def test_no_label_is_what_anybody_may_invent(service: RunningService) -> None:
    service.outside.get("/api/v1/workspaces/anything-at-all/nowhere")
    service.outside.request("BREW", "/api/v1/workspaces")
    page = service.outside.get("/metrics").text
    assert "anything-at-all" not in page
    assert "BREW" not in page
    assert service.workspace_id not in page


def test_metrics_through_a_proxy_need_somebody_known(service: RunningService) -> None:
    proxied = {"x-forwarded-for": "203.0.113.9"}
    assert service.outside.get("/metrics", headers=proxied).status_code == 401
    assert service.client(Role.VIEWER).get(f"{service.url}/metrics", headers=proxied).status_code == 200


def test_the_service_says_what_it_is(service: RunningService) -> None:
    info = service.client(Role.VIEWER).get(f"{service.api}/system/info").json()
    assert (info["name"], info["mode"], info["database"], info["background"]) == (
        "Postroad",
        "standalone",
        "sqlite",
        None,
    )
    assert info["limits"]["jsonBodyBytes"] == 1024 * 1024


def test_administrators_see_the_work_that_goes_on_by_itself(service: RunningService) -> None:
    admin = service.client(Role.VIEWER, system_admin=True)
    background = admin.get(f"{service.api}/system/info").json()["background"]
    assert {one["name"] for one in background} >= {"last-uses", "ended-sessions"}


@pytest.mark.parametrize("path", ["/", "/setup", "/password", "/api/reference"])
def test_the_pages_work_without_anything_from_elsewhere(service: RunningService, path: str) -> None:
    answer = service.outside.get(path)
    assert answer.headers["content-type"] == "text/html; charset=utf-8"
    assert "default-src 'none'; script-src 'self'" in answer.headers["content-security-policy"]
    assert "http://" not in answer.text
    assert "https://" not in answer.text
    assert "style=" not in answer.text
    assert "onclick" not in answer.text


def test_the_parts_of_the_pages_are_there(service: RunningService) -> None:
    for path in ("/", "/setup", "/password", "/api/reference"):
        page = service.outside.get(path).text
        for asset in [part.split('"')[0] for part in page.split('="/assets/')[1:]]:
            answer = service.outside.get(f"/assets/{asset}")
            assert answer.status_code == 200
            assert "http://" not in answer.text
            assert "https://" not in answer.text


def test_a_page_that_did_not_change_is_not_sent_again(service: RunningService) -> None:
    first = service.outside.get("/assets/page.css")
    again = service.outside.get("/assets/page.css", headers={"if-none-match": first.headers["etag"]})
    assert (again.status_code, again.content) == (304, b"")


def test_over_tls_the_cookie_is_bound_to_the_host_and_browsers_stay_on_tls(tmp_path: Path) -> None:
    with running_service(tmp_path, http=HttpSettings(public_base_url="https://post.example.com")) as service:
        headers = service.outside.get("/").headers
        plain = service.client(Role.VIEWER)
        assert "max-age" in headers["strict-transport-security"]
        assert plain.get(service.workspace).status_code == 401
        secret = plain.headers["cookie"].partition("=")[2]
        bound = {"cookie": f"__Host-postroad_session={secret}"}
        assert service.outside.get(service.workspace, headers=bound).status_code == 200
