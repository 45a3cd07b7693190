"""What each error code means in a few Chinese words; the details behind it stay in the words of whoever found them."""

ERROR_NAMES = {
    "INTERNAL": "程序内部错误",
    "INVALID_INPUT": "输入有误",
    "CONFIG_INVALID": "配置有误",
    "TEMPLATE_INVALID": "模板有误",
    "AUDIENCE_INVALID": "受众有误",
    "SECRET_MISSING": "缺少密钥",
    "PROVIDER_UNKNOWN": "没有此渠道",
    "EGRESS_DENIED": "地址不允许访问",
    "EGRESS_FAILED": "无法连接对方",
    "ALREADY_RUNNING": "另一个进程正在使用",
    "SEND_CONFLICT": "与已有的发送不符",
    "START_REFUSED": "无法开始",
    "COMMAND_REFUSED": "当前状态下不能这样做",
    "JOURNAL_BROKEN": "发送日志不可用",
    "STORAGE_FULL": "磁盘已满",
    "STORAGE_FAILED": "磁盘读写失败",
    "ACCOUNTING_BROKEN": "结果合计不符",
}
