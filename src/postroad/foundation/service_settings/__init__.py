"""The settings of the service: what can be said, where, and what holds.

`load_settings` reads `postroad.yaml`, then variables `POSTROAD_…`, then flags, and answers one frozen `Settings`.
`SERVICE_SETTINGS` is the table of all of them; `summary_of` shows what holds, with secrets masked.
"""

from postroad.foundation.service_settings.declaring import ServiceSetting
from postroad.foundation.service_settings.loading import FILE_NAME, SERVICE_SETTINGS, load_settings
from postroad.foundation.service_settings.sections import (
    ArtifactSettings,
    AudienceSettings,
    DatabaseSettings,
    EmbeddedWorkerSettings,
    EventSettings,
    KeySettings,
    LimitSettings,
    LoggingSettings,
    RetentionSettings,
    SecuritySettings,
    ServerSettings,
    Settings,
    TelemetrySettings,
    WorkerSettings,
)
from postroad.foundation.service_settings.summary import summary_of

__all__ = [
    "FILE_NAME",
    "SERVICE_SETTINGS",
    "ArtifactSettings",
    "AudienceSettings",
    "DatabaseSettings",
    "EmbeddedWorkerSettings",
    "EventSettings",
    "KeySettings",
    "LimitSettings",
    "LoggingSettings",
    "RetentionSettings",
    "SecuritySettings",
    "ServerSettings",
    "ServiceSetting",
    "Settings",
    "TelemetrySettings",
    "WorkerSettings",
    "load_settings",
    "summary_of",
]
