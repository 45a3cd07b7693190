"""Feishu and Lark: messages to a group through its custom robot.

A robot belongs to one group and answers HTTP 200 to nearly everything; `code` in the answer decides. Its address is
its credential. Each row of an audience is one message to the group. Limits, quirks and links: README.md.
"""

from postroad.providers.feishu.provider import FeishuProvider

__all__ = ["FeishuProvider"]
