"""Help for provider authors: templates, schemas, signers, answers, SMS splitting.

Nothing here knows a channel. A provider picks what it needs by module: `templates` turns a configured text into bytes
for one recipient, `schemas` checks a configuration, `signers` computes vendor signatures, `answers` turns what the
transport saw into a `SendResult`, `sms` counts and splits, `jsonpath` and `retry_after` read answers.
"""
