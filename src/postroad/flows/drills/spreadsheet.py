"""The people of the drills and of the demonstration: made up, the same for the same seed, as an office saves them."""

import csv
from collections.abc import Iterator
from pathlib import Path

_FAMILY = ("王", "李", "张", "刘", "陈", "杨", "赵", "黄", "周", "吴", "欧阳", "O'Brien", "García", "Müller", "司马")
_GIVEN = ("伟", "芳", "娜", "敏", "静", "强", "磊", "洋", "艳", "勇", "Ana", "Jörg", "秀英", '"阿宝"', "晓,东")
_CITY = ("北京", "上海", "广州", "深圳", "成都", "杭州", "武汉", "西安")


COLUMNS = ("编号", "姓名", "手机号", "邮箱", "城市")


def people(count: int) -> Iterator[dict[str, str]]:
    """`count` rows of `COLUMNS`; every number and address is reserved or out of use."""
    for n in range(count):
        yield {
            "编号": f"P{n:06d}",
            "姓名": _FAMILY[n % len(_FAMILY)] + _GIVEN[(n // 7) % len(_GIVEN)],
            "手机号": f"190{n:08d}",
            "邮箱": f"p{n:06d}@example.com",
            "城市": _CITY[n % len(_CITY)],
        }


def write_people(path: Path, count: int) -> None:
    """Plain UTF-8, nothing wrong in it."""
    rows = people(count)
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, fieldnames=COLUMNS)
        writer.writeheader()
        writer.writerows(rows)


def write_office_file(path: Path, count: int) -> set[str]:
    """GB18030 without a mark, as Chinese office programs save CSV: three people twice, one row too long, one too short.

    Returns the 编号 of the people that can be used: those two rows cannot. Needs at least 80 people.
    """
    rows = [list(person.values()) for person in people(count)]
    usable = {row[0] for row in rows} - {rows[52][0], rows[74][0]}
    rows[52].append("见备注")
    rows[74] = rows[74][:2]
    rows[40:40] = [list(rows[3]), list(rows[12]), list(rows[21])]
    with path.open("w", encoding="gb18030", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(COLUMNS)
        writer.writerows(rows)
    return usable
