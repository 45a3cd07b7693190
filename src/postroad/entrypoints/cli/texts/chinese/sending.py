"""Jobs, schedules and runs of a service."""

SENDING = {
    # jobs
    "Jobs of the service.": "服务中的任务。",
    "List the jobs.": "列出任务。",
    "Show a job.": "查看任务。",
    "Make or change a job of the service, with all it needs, from a job file.": (
        "用任务文件创建或更新服务中的任务及其所需的一切。"
    ),
    "Show what a job would send, ask, start it, and watch it to its end.": (
        "显示任务将发送什么，询问，启动，并看到结束。"
    ),
    "Let people and schedules start it again.": "允许由人和定时再次启动。",
    "Let nobody and no schedule start it.": "不再允许由人或定时启动。",
    "Archive it: its runs stay, its name is free.": "归档：运行记录保留，名称可再用。",
    "Name of the account; else that of the job.": "账号的名称，默认与任务同名。",
    "Start it if this is the hash that was shown.": "与显示过的哈希一致时才启动。",
    "Secrets that were set: {names}": "已设置的密钥：{names}",
    "Look at it and start it: postroad jobs run {name}": "查看并启动：postroad jobs run {name}",
    "latest revision": "最新版次",
    "policies": "策略",
    "open API": "开放接口",
    "up to {n} recipients": "最多 {n} 个收件人",
    "audience": "受众",
    # starting
    "a run must be confirmed: give --yes": "运行需要确认：请加 --yes",
    "the confirmed hash is {said}, this run has {hash}: something changed since, look at it again": (
        "确认的哈希是 {said}，此次运行的是 {hash}：内容已有变化，请重新查看"
    ),
    "run {run} sent the very same to the same people; to send it once more give --again": (
        "运行 {run} 已向同样的人发送过完全相同的内容；如确需再次发送，请加 --again"
    ),
    "Run {run} is taken: recipients {n}": "运行 {run} 已受理：收件人 {n}",
    "Watch it: postroad runs watch {run}": "查看进度：postroad runs watch {run}",
    "{error}. Whether the run was started is not known; see: postroad runs list": (
        "{error}。不知道运行是否已启动；参见：postroad runs list"
    ),
    "Why, in your words; it is kept.": "原因，用你的话写；会被保存。",
    "Start it and do not watch.": "启动后不等待。",
    # runs
    "List past sends and their folders; with a command behind it, runs of the service.": (
        "列出以往的发送及其目录；后面跟命令则是服务中的运行。"
    ),
    "write the options behind `{command}`": "请把选项写在 `{command}` 之后",
    "List runs of the service.": "列出服务中的运行。",
    "Show a run in full.": "查看一次运行的全部内容。",
    "Watch a run to its end. Ctrl-C stops the watching alone.": "看到运行结束。Ctrl-C 只停止查看。",
    "Let nothing more leave until it is resumed.": "暂停：恢复之前不再发出。",
    "Go on with a paused run.": "继续已暂停的运行。",
    "End a run: what is in flight is waited for, the rest is unsent.": "结束运行：等待在途的消息，其余不再发送。",
    "Change how many are sent at once.": "改变同时发送的数量。",
    "Change the rate.": "改变速率。",
    "What became of each recipient, or all of it as CSV.": "每个收件人的结果，或全部导出为 CSV。",
    "The files of a run: results, summary, receipt.": "运行的文件：结果、汇总、凭证。",
    "Send again to those who failed, are unsent or unknown: a run of its own.": (
        "对失败、未发或未知的人再次发送：一次独立的运行。"
    ),
    "Id of the run, or latest.": "运行的标识，或 latest（最新的一次）。",
    "Id of the run.": "运行的标识。",
    "Only in this state, such as RUNNING; may be repeated.": "只列出此状态的，例如 RUNNING；可多次给出。",
    "Only of this job.": "只列出此任务的。",
    "Only who came to this, such as failed; may be repeated.": "只列出此结果的人，例如 failed；可多次给出。",
    "Only where a field, a code or the details have this.": "只列出字段、代码或详情中含有此文字的。",
    "Whose rate: run, account, domain:example.com, …": "谁的速率：run、account、domain:example.com……",
    "Write all of them there as CSV.": "全部写成 CSV。",
    "Fetch them into this folder.": "下载到此目录。",
    "Only this file; may be repeated.": "只下载此文件；可多次给出。",
    "To whom; may be repeated.": "发给哪些人；可多次给出。",
    "there is no run yet; start one: postroad jobs run NAME": "还没有运行；启动一次：postroad jobs run 名称",
    "`{run}` is no id of a run; see: postroad runs list": "`{run}` 不是运行的标识；参见：postroad runs list",
    "there is no run {run}; see: postroad runs list": "没有运行 {run}；参见：postroad runs list",
    "the run refused `{kind}`: {message}": "运行拒绝了 `{kind}`：{message}",
    "Taken: {kind}": "已受理：{kind}",
    "run": "运行",
    "dry run": "试运行",
    "sent again": "再次发送",
    "by schedule": "定时",
    "why": "原因",
    "now": "现在",
    "reason": "说明",
    "ended": "结束",
    "may be told": "可执行",
    "code": "代码",
    "attempts": "尝试次数",
    "The run goes on; this is what is known so far.": "运行仍在继续；以下是目前已知的结果。",
    "There are no results yet.": "还没有结果。",
    "there are no results yet; watch the run: postroad runs watch {run}": (
        "还没有结果；查看进度：postroad runs watch {run}"
    ),
    "there is no file {name}; there are: {known}": "没有文件 {name}；可用的有：{known}",
    # watching
    "p pause  r resume  + - concurrency ({n})  Ctrl-C stops watching": (
        "p 暂停  r 继续  + - 并发（{n}）  Ctrl-C 停止查看"
    ),
    "in flight {n}": "在途 {n}",
    "waits for a worker": "等待执行进程",
    "a worker takes it": "执行进程正在接手",
    "sending": "发送中",
    "its worker is gone; another one will go on": "执行进程已消失；将由另一个继续",
    "finds out what became of what was in flight": "正在查明在途消息的结果",
    "The connection to the service is lost ({reason}); the run goes on, trying again.": (
        "与服务的连接中断（{reason}）；运行仍在继续，正在重新连接。"
    ),
    "Connected again.": "已重新连接。",
    "You stopped watching; the run goes on. Watch it again: postroad runs watch {run}": (
        "已停止查看；运行仍在继续。再次查看：postroad runs watch {run}"
    ),
    "End it: postroad runs cancel {run}": "结束运行：postroad runs cancel {run}",
    "Rehearsed; nothing was sent.": "试运行完成；没有发送任何消息。",
    "UNKNOWN: the message may have left and no answer came. See who they are: postroad runs items {run}"
    " --only unknown": ("未知：消息可能已发出，但没有收到应答。查看是哪些人：postroad runs items {run} --only unknown"),
    "Send again to these: postroad runs resend {run} {only}": "对这些人再次发送：postroad runs resend {run} {only}",
    "Results and receipt: postroad runs results {run} --out FOLDER": (
        "结果与凭证：postroad runs results {run} --out 目录"
    ),
    # schedules
    "When jobs start by themselves.": "任务何时自行启动。",
    "List the schedules.": "列出定时。",
    "Show a schedule and what became of its last times.": "查看定时及最近几次的结果。",
    "Plan a job. From then on it sends at its times, without a person.": "为任务设定时间。此后到时自行发送，无需人工。",
    "Show the next times, of a schedule or of an expression.": "显示某个定时或表达式的下几次时间。",
    "Let it fire again; what was missed meanwhile stays missed.": "重新启用；期间错过的不补。",
    "Let it fire no more. Runs that were started go on.": "不再触发。已启动的运行继续。",
    "End it for good; what became of its times can still be read.": "永久结束；以往的结果仍可查看。",
    "The job that it starts.": "由它启动的任务。",
    "Time zone, such as Asia/Shanghai.": "时区，例如 Asia/Shanghai。",
    "Minute, hour, day, month, weekday: '0 9 * * MON-FRI'.": "分、时、日、月、星期：'0 9 * * MON-FRI'。",
    "Once, such as 2026-12-24T09:00.": "只一次，例如 2026-12-24T09:00。",
    "Not before this time.": "不早于此时间。",
    "Not after this time.": "不晚于此时间。",
    "What becomes of times when the service was off.": "服务停止期间错过的时间如何处理。",
    "With CATCH_UP_LIMITED: late times at most.": "用于 CATCH_UP_LIMITED：最多补多少次。",
    "Ask the query of the audience again each time.": "每次都重新执行受众的查询。",
    "Make it, but let it not fire yet.": "创建，但暂不触发。",
    "A schedule; else --cron or --at.": "某个定时；否则用 --cron 或 --at。",
    "name a schedule, or give --cron or --at with --timezone": "请给出定时的名称，或用 --cron、--at 并加 --timezone",
    "It sends by itself, next at:": "将自行发送，接下来的时间：",
    "Once enabled, next at:": "启用之后，接下来的时间：",
    "It never fires.": "永远不会触发。",
    "when": "时间",
    "time zone": "时区",
    "next": "下次",
    "last": "上次",
    "missed times": "错过的时间",
    "asks the query again": "重新查询受众",
    "fired at": "触发时间",
}
