"""Deliveries of events, in Simplified Chinese."""

DELIVERIES = {
    "Deliveries of events to consumers.": "事件到各消费者的投递。",
    "List deliveries of the workspace, the newest events first.": "列出工作区的投递，最新的事件在前。",
    "Show a delivery with its event and all its generations.": "显示一个投递，连同其事件和历次重放。",
    "Deliver again what failed; without --expected it is only counted.": "重新投递失败的；不带 --expected 时只计数。",
    "Give up what failed; without --expected it is only counted.": "放弃失败的；不带 --expected 时只计数。",
    "Name of the consumer.": "消费者的名称。",
    "Id of the delivery.": "投递的标识。",
    "Only deliveries to this consumer.": "只要到这个消费者的投递。",
    "Only in this state; given once for each.": "只要处于这个状态的；每个状态给一次。",
    "Only in this state.": "只要处于这个状态的。",
    "Only events of this name.": "只要这个名称的事件。",
    "Why; it stands in the audit.": "原因；会写入审计。",
    "Do it, if it is this number. Without it, only count.": "数目相符才执行；不给则只计数。",
    "{number} deliveries; to go on, give --expected {number}": "{number} 个投递；要继续，请给出 --expected {number}",
    "Deliveries changed: {number}": "已更改的投递：{number}",
    "event": "事件",
    "consumer": "消费者",
}
