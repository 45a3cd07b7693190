"""Aliyun SMS: text messages by approved templates of Alibaba Cloud.

The text lies with the vendor; we send its variables, signed anew at each attempt. The answer says that the message was
taken, not that it arrived. Limits, quirks and links: README.md.
"""

from postroad.providers.aliyun_sms.provider import AliyunSmsProvider

__all__ = ["AliyunSmsProvider"]
