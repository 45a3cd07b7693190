"""Messages: what is said, as templates, under a name that is unique in its workspace.

Owns the tables `messages` and `message_revisions`.

- A revision is immutable, and its digest covers all a recipient gets. Another content makes the next revision; the same
  content makes none and says so.
- A content that is kept was taken by its provider: schema and templates, a template's fault with its path and line.
- A change names the version it started from. Archiving refuses while a job or a run refers to the message; its
  revisions stay for the runs that sent them.

Publishes message.changed, message.revised.
"""

from postroad.modules.messages.commands import (
    CopyAsked,
    MessageChange,
    MessageResult,
    NewMessage,
    Outcome,
    archive_message,
    change_message,
    copy_message,
    create_message,
)
from postroad.modules.messages.model import (
    Change,
    ChangeKind,
    Content,
    Message,
    MessageFilter,
    MessageStatus,
    Revision,
    changes_between,
    content_hash,
    message_document,
)
from postroad.modules.messages.parts.checking import account_for, checked_document, stand_in
from postroad.modules.messages.parts.rendering import Sample, sample
from postroad.modules.messages.ports import (
    AccountDocuments,
    MessageNeeds,
    Providers,
    References,
    Referrer,
)
from postroad.modules.messages.queries import (
    Difference,
    MessageList,
    MessageView,
    difference,
    find_message,
    find_revision,
    get_message,
    get_revision,
    list_messages,
    list_revisions,
    lock_message_named,
    message_to_refer_to,
)

__all__ = [
    "AccountDocuments",
    "Change",
    "ChangeKind",
    "Content",
    "CopyAsked",
    "Difference",
    "Message",
    "MessageChange",
    "MessageFilter",
    "MessageList",
    "MessageNeeds",
    "MessageResult",
    "MessageStatus",
    "MessageView",
    "NewMessage",
    "Outcome",
    "Providers",
    "References",
    "Referrer",
    "Revision",
    "Sample",
    "account_for",
    "archive_message",
    "change_message",
    "changes_between",
    "checked_document",
    "content_hash",
    "copy_message",
    "create_message",
    "difference",
    "find_message",
    "find_revision",
    "get_message",
    "get_revision",
    "list_messages",
    "list_revisions",
    "lock_message_named",
    "message_document",
    "message_to_refer_to",
    "sample",
    "stand_in",
]
