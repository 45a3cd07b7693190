"""Tending a service on this machine."""

TENDING = {
    "Keys that the service encrypts its secrets with.": "服务用来加密密文的密钥。",
    "Show the versions of the key ring, and which of them are needed.": "显示密钥环中的版本，以及哪些仍被需要。",
    "Add a version and encrypt with it from now on; the service goes on running.": (
        "增加一个版本并从此用它加密；服务继续运行。"
    ),
    "Forget a version for good, when no stored secret needs it.": "没有密文需要某个版本时，永久删除它。",
    "Also for what is signed, where somebody may have seen the key ring.": (
        "签名用的密钥也一并更换（密钥环可能已被他人看到时）。"
    ),
    "As `postroad keys status` shows it.": "如 `postroad keys status` 所示。",
    "stored secrets": "保存的密文",
    "need it": "需要它",
    "need it not": "不需要它",
    "active": "在用",
    "kept": "保留",
    "Back it up apart from the database: {file}": "请与数据库分开备份：{file}",
    "{version} is active. Back the key ring up again: {file}": "{version} 已启用。请重新备份密钥环：{file}",
    "A running service encrypts its secrets anew within minutes; see: postroad keys status": (
        "运行中的服务会在几分钟内重新加密密文；参见：postroad keys status"
    ),
    "Lists that are being read and confirmations that wait must begin again.": (
        "正在翻页的列表和等待中的确认需要重新开始。"
    ),
    "{version} is gone. Backups from before need it still.": "{version} 已删除。以前的备份仍然需要它。",
}
