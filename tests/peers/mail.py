"""Plans for mails to a real server: rows whose names and subjects are in many scripts, one mail each."""

from typing import Any

from tests.peers.sending import Plan, Row

NAMES = (
    "张三",
    "O'Brien, Ann",
    'Bob "<b>" B.',
    "Zoë Öberg",
    "",
    "王小明（上海分公司客户服务部）",
    "=?utf-8?q?x?=",
    "Пётр Ильич",
)
TOPICS = (
    "您的订单已经发货",
    "Your order is on its way",
    "请查收：2026年11月发票，合计￥1,234.50元，逾期未付将收取滞纳金，如有疑问请致电客服热线",
    "Ihre Bestellung für März",
    ".a dot at the start",
)
MESSAGE: dict[str, Any] = {
    "to": "{{ name }} <{{ email }}>",
    "subject": "{{ topic }} №{{ n }}",
    "text": "{{ name }}，您好！\n\n.\n..two dots\nFrom here on: {{ topic }}\n{{ filler }}\n-- \nNews",
    "html": "<p>{{ name }}</p>\n.\n<p>{{ topic }} &amp; more</p>\n",
    "headers": {"X-Campaign": "春季 {{ n }}"},
    "replyTo": "帮助 <help@example.org>",
    "unsubscribe": {"url": "https://example.org/u/{{ n }}"},
}


def addresses(count: int) -> list[str]:
    return [f"r{n}@example.com" for n in range(count)]


def rows(count: int) -> list[Row]:
    return [row_for(n, address) for n, address in enumerate(addresses(count))]


def row_for(n: int, address: str) -> dict[str, Any]:
    filler = "长" * (n % 400) + " " + "long " * (n % 90)
    return {"email": address, "name": NAMES[n % len(NAMES)], "topic": TOPICS[n % len(TOPICS)], "n": n, "filler": filler}


def plan(
    port: int, *, message: dict[str, Any] | None = None, account: dict[str, Any] | None = None, **more: Any
) -> Plan:
    """Without TLS unless `account` says more."""
    given = {"host": "127.0.0.1", "port": port, "security": "none", "from": "新闻 <news@example.org>"}
    quick = {"deferredRetrySeconds": 0.05}
    return Plan("smtp", given | quick | (account or {}), MESSAGE | (message or {}), "email", **more)
