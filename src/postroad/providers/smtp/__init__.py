"""Mail by SMTP: one message and one envelope per recipient, handed to a mail server that takes it for delivery."""

from postroad.providers.smtp.provider import SmtpProvider

__all__ = ["SmtpProvider"]
