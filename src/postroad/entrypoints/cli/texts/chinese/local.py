"""The texts of the commands that work on this machine alone, and of the program itself."""

LOCAL = {
    # errors
    "error: ": "错误：",
    "this should not happen: {error}; please report it with {file}": (
        "出现了不该发生的错误：{error}；请附上 {file} 反馈"
    ),
    "there is no language {name}; write en or zh": "没有语言 {name}；请写 en 或 zh",
    "{folder} is not empty": "{folder} 不是空目录",
    "there is no scenario `{name}`; there are: {known}": "没有名为 `{name}` 的场景；可用的有：{known}",
    "there is no channel `{provider}`; there are: {known}": "没有名为 `{provider}` 的渠道；可用的有：{known}",
    "`--to {pair}` must be FIELD=VALUE": "`--to {pair}` 应写成 字段=值",
    "`--map {pair}` must be FIELD=COLUMN": "`--map {pair}` 应写成 字段=列名",
    "{option} goes without {name}": "{option} 不能与 {name} 同时使用",
    "say who you are, with --to FIELD=VALUE, such as --to email=me@example.com": (
        "请用 --to 字段=值 说明发给谁，例如 --to email=me@example.com"
    ),
    "name a job file, or --resume FOLDER; `postroad init` writes a job file": (
        "请给出任务文件，或使用 --resume 目录；`postroad init` 可生成任务文件"
    ),
    "name the folder of the past send: postroad send --only failed FOLDER": (
        "请给出以往发送的目录：postroad send --only failed 目录"
    ),
    "a live send must be confirmed: give --yes, or --confirm HASH with the hash that --dry-run prints": (
        "正式发送需要确认：使用 --yes，或用 --confirm 给出 --dry-run 打印的哈希"
    ),
    "the very same was sent or begun before, see {folder}; to send it once more give --again": (
        "完全相同的内容已经发送过或已开始发送，见 {folder}；如确需再次发送，请加 --again"
    ),
    "the benchmarks are part of a checkout; clone the repository and run `make bench`": (
        "基准测试随源码提供；请克隆仓库后运行 `make bench`"
    ),
    "{message}; see {command} --help": "{message}；参见 {command} --help",
    "there is no option {name}; did you mean {near}?": "没有选项 {name}；是否想用 {near}？",
    "there is no option {name}": "没有选项 {name}",
    "there is no command {name}; did you mean {near}?": "没有命令 {name}；是否想用 {near}？",
    "there is no command {name}": "没有命令 {name}",
    "{name} is missing": "缺少 {name}",
    "{name} needs a value": "{name} 需要一个值",
    "{name} takes no value": "{name} 不带值",
    "`{name}` is more than this command takes": "此命令不接受多余的 `{name}`",
    "must be a whole number": "应为整数",
    "must be {least} or more": "不能小于 {least}",
    "must be {most} or less": "不能大于 {most}",
    "`{value}` is not one of '{known}'": "`{value}` 不在可用值之中：'{known}'",
    "--query and --database go together": "--query 与 --database 须同时给出",
    "--database holds a password; put the query into the job file and name the secret there": (
        "--database 中含有密码；请把查询写进任务文件，并在其中写密钥的名称"
    ),
    # pages
    "Usage: {line}": "用法：{line}",
    "Examples": "示例",
    "Commands": "命令",
    "COMMAND": "命令",
    "Arguments": "参数",
    "Options": "选项",
    "[OPTIONS]": "[选项]",
    "[required]": "[必填]",
    "[default: {value}]": "[默认：{value}]",
    "Show this page.": "显示本页。",
    "the message needs `{field}`, which the audience does not have; its columns are {columns}."
    " Name one with --map {field}=COLUMN": (
        "消息需要 `{field}`，受众中没有；受众的列有 {columns}。可用 --map {field}=列名 指定"
    ),
    "Stopped. Everything is left in {folder}": "已停止。全部文件保留在 {folder}",
    "the demonstration ended early: {error}": "演示提前结束：{error}",
    # program
    "Send to many people, and know what became of each of them.": "批量发送消息，并说得清每一个收件人的结果。",
    "Start with `postroad demo`, then `postroad init`.": "先运行 `postroad demo`，再运行 `postroad init`。",
    "Language of this program.": "程序语言。",
    "The version.": "显示版本。",
    "Print one JSON object as the last line.": "最后一行输出一个 JSON 对象。",
    "Job file (YAML); `postroad init` writes one.": "任务文件（YAML），可由 `postroad init` 生成。",
    "File of `name: value` secrets that only you can read (0600).": (
        "保存密钥的文件，每行 `名称: 值`，仅本人可读（0600）。"
    ),
    # audience options
    "Audience": "受众",
    "Spreadsheet of the recipients: CSV, TSV, TXT, XLSX or JSONL.": "收件人表格：CSV、TSV、TXT、XLSX 或 JSONL。",
    "N made-up recipients.": "N 个虚构的收件人。",
    "Recipients from one SELECT, read in a read-only transaction; goes with --database.": (
        "收件人取自一条 SELECT，在只读事务中读取；与 --database 同用。"
    ),
    "Where --query reads: sqlite:///file.db or postgresql://user@host/name; no password in it.": (
        "--query 从哪里读取：sqlite:///file.db 或 postgresql://user@host/name；其中不写密码。"
    ),
    "Field by which duplicates are found; the first row wins.": "按此字段去重，保留第一行。",
    "Sheet of an XLSX file.": "XLSX 文件中的工作表。",
    "Encoding, where the guess is wrong.": "文件编码（自动识别有误时指定）。",
    "Delimiter, where the guess is wrong.": "分隔符（自动识别有误时指定）。",
    "Which column a field comes from.": "字段取自哪一列。",
    "Leave rejected rows out and go on.": "跳过不合格的行，继续发送。",
    "Where to write the rejected rows as CSV.": "把不合格的行写入此 CSV 文件。",
    "Where to write the accepted rows as CSV.": "把合格的行写入此 CSV 文件。",
    # pace
    "Pace": "速度",
    "Rate, such as 50/s or 20/min.": "速率，例如 50/s 或 20/min。",
    "Sends at once.": "同时发送的数量。",
    # send and runs
    "Send a message to an audience, resume a send, or send again to some of it.": (
        "向受众发送消息、继续未完成的发送，或对其中一部分人再次发送。"
    ),
    "Job file; with --only the folder of a past send.": "任务文件；与 --only 同用时为以往发送的目录。",
    "Go on with an unfinished send.": "继续一次未完成的发送。",
    "A new send to those of a past send who came to this; may be given twice.": (
        "对以往发送中属于此结果的人发起新的发送；可给出多次。"
    ),
    "Folder of the send; else named by date and job.": "本次发送的目录；默认按日期和任务命名。",
    "Render the whole audience and send nothing.": "渲染全部受众，但不发送。",
    "Send without asking.": "不询问，直接发送。",
    "Send if this is the hash of the dry run.": "与试运行的哈希一致时才发送。",
    "Send although the very same was sent before.": "即使完全相同的内容已发送过，仍然发送。",
    "Processes that share the send.": "共同完成发送的进程数。",
    "How many, the newest first.": "显示多少条，最新的在前。",
    # other commands
    "Look at audiences.": "查看受众。",
    "Read a spreadsheet as a send would, and say what is in it and what is wrong with it.": (
        "像发送时一样读取表格，说明其中的内容和问题。"
    ),
    "Look at a message before it is sent.": "在发送前查看消息。",
    "Show the message as recipients would get it. Nothing is sent.": "显示收件人将看到的消息，不会发送。",
    "Send one real message, to yourself.": "给自己真正发送一条消息。",
    "Row of the spreadsheet.": "表格中的行号。",
    "How many recipients.": "显示多少个收件人。",
    "A field of yourself, such as email=…": "你自己的字段，例如 email=…",
    "Signed statements of what a run did.": "对发送结果的签名凭证。",
    "Check the signature, the sum and the files of a receipt.": "检查凭证的签名、合计与文件。",
    "Print this installation's public key, to hand to those who check its receipts.": (
        "打印本安装的公钥，交给需要核验凭证的人。"
    ),
    "receipt.json, or the folder of a send.": "receipt.json，或某次发送的目录。",
    "Public key of the installation, from somebody you trust.": "该安装的公钥，须来自可信的人。",
    "The channels this installation can send through.": "本安装可用的发送渠道。",
    "List the channels.": "列出渠道。",
    "Show one channel: its fields, limits and abilities.": "查看一个渠道的字段、限制与能力。",
    "Id of the channel, such as smtp.": "渠道标识，例如 smtp。",
    "Measure this machine: items per second, memory, peers side by side.": (
        "在本机测量：每秒条数、内存，并与同类工具对比。"
    ),
    "One benchmark alone.": "只运行一项基准。",
    "Fewer and shorter repetitions.": "更少、更短的重复。",
    "Write a commented job file for a channel.": "生成某个渠道带注释的任务文件。",
    "Where to write it; else to standard output.": "写到哪里；默认写到标准输出。",
    "Overwrite a file that is there.": "覆盖已有文件。",
    "{file} is there already; give --force to overwrite it": "{file} 已存在；如需覆盖请加 --force",
    "Written to {file}. Fill it in, then: postroad send {file} --dry-run": (
        "已写入 {file}。填好后运行：postroad send {file} --dry-run"
    ),
    # drills
    "Faults as a tool.": "把故障当作工具。",
    "Send to 10,000 made-up people through a lossy receiver, killed in the middle.": (
        "向 10,000 个虚构的人发送，接收端会丢失应答，发送进程中途被杀。"
    ),
    "Kill the sender again and again, and count at the receiver who was lost or got two.": (
        "反复杀死发送进程，并在接收端统计谁丢了、谁收到了两份。"
    ),
    "Where to leave everything; else a new one.": "全部文件留在哪个目录；默认新建。",
    "How many people.": "多少人。",
    "How many kills in all.": "总共杀死多少次。",
    "http, workers, smtp or batch; else all.": "http、workers、smtp 或 batch；默认全部。",
    "Draws other moments.": "换一组随机时刻。",
    "Killing {n} times; faults are kept in {folder}": "将杀死 {n} 次；出错的现场保留在 {folder}",
    "{name}: {kills} kills, {runs} runs": "{name}：已杀 {kills} 次，{runs} 次运行",
    "A spreadsheet as an office saves it": "一份办公软件保存的表格",
    "{file}: {rows} rows in {encoding}, three people twice, two rows broken": (
        "{file}：{rows} 行，{encoding} 编码，三人重复，两行损坏"
    ),
    "Sending through a receiver that loses answers": "发往一个会丢失应答的接收端",
    "The same again after the kill": "被杀之后继续",
    "Killed in the middle (kill -9)": "中途被杀（kill -9）",
    "process {pid} is gone; {n} messages had arrived at the receiver by then": (
        "进程 {pid} 已消失；此时接收端已收到 {n} 条消息"
    ),
    "What the receiver counted, against what the sender says": "接收端的统计与发送端的说法对照",
    "lost {lost}, sent a second copy {doubled}": "丢失 {lost} 人，收到第二份 {doubled} 人",
    "One UNKNOWN, explained": "解释一个“未知”",
    "The message to this recipient had left when the line was cut or the process was killed, and no answer"
    " came back. Here the receiver can be asked: {copies} arrived. In life nobody can, so it is listed"
    " by name and never sent again without your word.": (
        "给这个人的消息已经发出，随后连接被切断或进程被杀，没有收到应答。在这里可以去问接收端：到达了 {copies} 份。"
        "现实中没有人能知道，所以它会被逐个列出，未经你同意绝不再发。"
    ),
    "Now with your own file": "换成你自己的文件",
    "Everything is left in {folder}": "全部文件保留在 {folder}",
    "scenario": "场景",
    "kills": "杀死次数",
    "runs": "运行次数",
    "lost": "丢失",
    "doubled": "重复",
    "misreported": "误报",
    "allowed": "上限",
    "in flight": "在途",
    # asking
    "Send now? [y]es, [t]est to yourself first, [N]o: ": "现在发送？[y] 是，[t] 先给自己测试，[N] 否：",
    "Send now? [y]es, [N]o: ": "现在发送？[y] 是，[N] 否：",
    "Nothing was sent.": "没有发送任何消息。",
    "Fields of yourself, one FIELD=VALUE a line; an empty line sends.": "你自己的字段，每行一个 字段=值；空行即发送。",
    "The audience has: {columns}. With your key the rest is taken from the first recipient.": (
        "受众的列有：{columns}。给出键字段后，其余取自第一位收件人。"
    ),
    "not understood; write it as {name}=VALUE": "没有看懂；请写成 {name}=值",
    "No field was given; nothing was sent.": "没有给出字段，未发送。",
    # what would be sent
    "Sends to: {hosts}": "发往：{hosts}",
    "The first message:": "第一条消息：",
    "rendering": "渲染中",
    "channel": "渠道",
    "recipients": "收件人",
    "{accepted} of {rows} rows (duplicates {duplicates}, rejected {rejected})": (
        "{rows} 行中的 {accepted} 行（重复 {duplicates}，不合格 {rejected}）"
    ),
    "read as": "读取方式",
    "rate": "速率",
    "no limit": "不限",
    "{rates} (safe default)": "{rates}（安全默认值）",
    "at once": "并发",
    "time": "时间",
    "at least {time}": "至少 {time}",
    "parts": "条数",
    "price": "价格",
    "size": "大小",
    "largest {n} bytes": "最大 {n} 字节",
    "hash": "哈希",
    "The message needs columns the audience lacks: {names}": "消息需要的列在受众中不存在：{names}",
    "{n} recipients cannot get this message:": "{n} 个收件人无法生成此消息：",
    "  row {row}, field {field}: {message}": "  第 {row} 行，字段 {field}：{message}",
    "  … and {n} more": "  … 另有 {n} 个",
    "Nothing was sent. To send exactly this: {command}": "没有发送任何消息。要发送完全相同的内容：{command}",
    "row {row}: {message}": "第 {row} 行：{message}",
    "row {row} → {headline}": "第 {row} 行 → {headline}",
    "accepted in {ms} ms": "{ms} 毫秒内被接受",
    # audiences
    "rows": "行",
    "accepted": "合格",
    "duplicates": "重复",
    "rejected": "不合格",
    "columns": "列",
    "The first accepted rows:": "前几行合格数据：",
    "left out {n} ×: {reason}": "排除 {n} 行：{reason}",
    "Every rejected row: {file}": "全部不合格的行：{file}",
    # while sending
    "Sending {name}": "正在发送 {name}",
    "Going on with {name}": "继续发送 {name}",
    "{line}: recipients {total}, folder {folder}": "{line}：收件人 {total} 个，目录 {folder}",
    "{rate}/s": "{rate} 条/秒",
    "{pace}, {left} left": "{pace}，剩余 {left}",
    "writing the results": "正在写结果",
    "connecting": "正在连接",
    "open {n}": "未完成 {n}",
    "in flight {n}, waiting {m}": "在途 {n}，等待 {m}",
    "waits for its time window": "等待允许的时间段",
    "waits for the rate limit": "等待速率限制",
    "waits to try again": "等待重试",
    "{reason} until {at}": "{reason}，直到 {at}",
    "p pause  r resume  + - concurrency ({n})  Ctrl-C cancel": "p 暂停  r 继续  + - 并发（{n}）  Ctrl-C 取消",
    "Cancelling: waiting for what is in flight. Ctrl-C again stops at once.": (
        "正在取消：等待在途的消息。再按一次 Ctrl-C 立即停止。"
    ),
    "Stopping at once. Go on with: postroad send --resume {folder}": (
        "立即停止。继续发送：postroad send --resume {folder}"
    ),
    # notices
    "paused": "已暂停",
    "resumed": "已继续",
    "cancelling: waits for what is in flight": "正在取消：等待在途的消息",
    "concurrency changed": "并发已调整",
    "rate changed": "速率已调整",
    "no answer has come for a long time": "很久没有收到应答",
    "error": "错误",
    # endings
    "still open": "未完成",
    "Everyone was reached.": "全部送达。",
    "Finished; not everyone was reached.": "已完成；并非所有人都送达。",
    "Cancelled.": "已取消。",
    "Failed: {reason}": "失败：{reason}",
    "Stopped before the end.": "未完成即停止。",
    "outcome": "结果",
    "succeeded": "成功",
    "failed": "失败",
    "unknown": "未知",
    "unsent": "未发",
    "skipped": "跳过",
    "total": "合计",
    "while closing: {error}": "收尾时：{error}",
    "Attempts that were retries: {n}.": "其中 {n} 次为重试。",
    "{n} succeeded after the remote had refused an attempt it may have kept; they may have two copies.": (
        "{n} 人在对方拒绝（但可能已留存）一次之后成功；他们可能收到两份。"
    ),
    "Go on with: postroad send --resume {folder}": "继续发送：postroad send --resume {folder}",
    "UNKNOWN: the message may have left and no answer came. Ask those in unknown.csv, or accept that some"
    " get a second copy: postroad send --only unknown {folder}": (
        "未知：消息可能已发出，但没有收到应答。可询问 unknown.csv 中的人，或接受部分人收到第二份："
        "postroad send --only unknown {folder}"
    ),
    "Send again to these: postroad send {only} {folder}": "对这些人再次发送：postroad send {only} {folder}",
    "Results, summary and receipt: {folder}": "结果、汇总与凭证：{folder}",
    # past sends
    "No sends yet. Start with: postroad init": "还没有发送记录。从 postroad init 开始",
    "begun": "开始",
    "job": "任务",
    "state": "状态",
    "folder": "目录",
    "what became of them": "结果",
    "partial": "部分完成",
    "cancelled": "已取消",
    "sending now": "正在发送",
    "unfinished, can be resumed": "未完成，可继续",
    # receipts
    "The receipt holds: the signature, the sum, and {files}.": "凭证有效：签名、合计与 {files} 均一致。",
    "no file beside it": "（旁边没有文件）",
    # channels
    "id": "标识",
    "kind": "类别",
    "version": "版本",
    "what it does": "用途",
    "Look at one with: postroad providers show ID": "查看其中一个：postroad providers show 标识",
    "A job file for it: postroad init {id}": "生成它的任务文件：postroad init {id}",
    "when the first byte of its request was written": "写出请求的第一个字节时",
    "when the dot that ends the mail was written": "写出邮件结尾的点时",
    "when its submit was written": "写出提交报文时",
    "one session for all, at most {n} at once": "共用一个会话，最多同时 {n} 条",
    "one after another": "逐条发送",
    "a session for each, at most {n}": "每个并发一个会话，最多 {n} 个",
    "counts as gone": "视为已发出",
    "sends at once": "并发方式",
    "limits": "限制",
    "safe default rate": "安全默认速率",
    "batch": "批量",
    "idempotency": "幂等",
    "attachments": "附件",
    "field": "字段",
    "type": "类型",
    "required": "必填",
    "meaning": "含义",
    "account": "账号",
    "message": "消息",
    "recipient": "收件人字段",
    "yes": "是",
    "no": "否",
    "secret": "密钥",
    "Run the service: API, schedules and sending, in one process.": "运行服务：API、定时与发送，都在一个进程里。",
    "Address to listen on; else 127.0.0.1.": "监听地址，默认 127.0.0.1。",
    "Port; else 18990. 0: a free one.": "端口，默认 18990；0 表示任选空闲端口。",
    "Folder of the database, the keys and the files.": "存放数据库、密钥和文件的目录。",
    "Settings; else postroad.yaml in the data folder.": "配置文件，默认为数据目录里的 postroad.yaml。",
    "Postroad listens at {url}": "Postroad 正在监听 {url}",
    "Nobody can sign in yet. Make the first administrator, once, within a day:": (
        "还没有可以登录的用户。请在一天内打开一次性链接，创建第一位管理员："
    ),
    "New keys. Without this file stored secrets cannot be read; back it up apart:": (
        "已生成新的密钥。没有这个文件就无法读取保存的密文，请单独备份："
    ),
    "Settings that hold:": "生效的配置：",
    "Ctrl-C stops it cleanly.": "按 Ctrl-C 正常停止。",
}
