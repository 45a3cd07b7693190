"""Accounts, messages, audiences, secrets, files of a service."""

CONFIGURATION = {
    # options
    "say what to change, with one of {options}": "请说明要改什么，使用其中之一：{options}",
    "`{option} {pair}` must be FIELD=VALUE": "`{option} {pair}` 应写成 字段=值",
    "Only of this channel.": "只列出此渠道的。",
    "Its new name.": "新名称。",
    "Check the message with this account.": "用此账号检查消息。",
    "name the channel with --provider, such as --provider smtp": "请用 --provider 指定渠道，例如 --provider smtp",
    "standard input": "标准输入",
    # shared words
    "changed": "已改变",
    "as it was": "没有变化",
    "last change": "修改时间",
    "key": "键",
    "revision": "版次",
    "revision {n}": "第 {n} 版",
    "snapshot": "快照",
    "snapshot {n}": "快照 {n}",
    "from": "来自",
    "row": "行",
    "set": "已设置",
    # accounts
    "Accounts that messages are sent with.": "用来发送消息的账号。",
    "List the accounts.": "列出账号。",
    "Show an account; of its secrets only whether they are set.": "查看账号；密钥只显示是否已设置。",
    "Make an account. Its secrets come from POSTROAD_SECRET_… or --secrets; its channel checks it.": (
        "创建账号。密钥取自 POSTROAD_SECRET_… 或 --secrets；由渠道检查。"
    ),
    "Change name, configuration or secrets of an account.": "修改账号的名称、配置或密钥。",
    "Connect to the remote now and say what that proved. Nothing is sent.": (
        "立即连接对方，并说明证明了什么。不会发送任何消息。"
    ),
    "Let runs begin with it again.": "允许用它开始新的运行。",
    "Let no further run begin with it.": "不再允许用它开始新的运行。",
    "Archive it: its secrets are forgotten, its name is free.": "归档：忘记其密钥，名称可再用。",
    "Configuration as YAML, or a job file that has it; - reads standard input.": (
        "YAML 配置，或含有它的任务文件；- 表示标准输入。"
    ),
    "Set its secrets again from the environment.": "从环境变量重新设置其密钥。",
    "Kept: {name}, version {version}": "已保存：{name}，版本 {version}",
    "The secret `{name}` is not set; set {variable} and run: postroad accounts edit {account} --renew-secrets": (
        "密钥 `{name}` 尚未设置；请设置 {variable} 后运行：postroad accounts edit {account} --renew-secrets"
    ),
    "secrets not set": "未设置的密钥",
    "last test": "最近测试",
    "good": "正常",
    "bad": "异常",
    " (older version)": "（旧版本）",
    "proved": "已证明",
    "not proved": "未证明",
    # messages
    "Messages and their revisions.": "消息及其版次。",
    "List the messages.": "列出消息。",
    "Show a message with its content.": "查看消息及其内容。",
    "Make a message. Its channel checks content and templates.": "创建消息。由渠道检查内容和模板。",
    "Give a message another content: a new revision, where it differs.": "更换消息内容：有差异时产生新的版次。",
    "Show every place that differs between two revisions.": "显示两个版次之间的每一处差异。",
    "Show the message as people would get it. Nothing is sent.": "显示收件人将看到的消息。不会发送。",
    "Archive it: its revisions stay, its name is free.": "归档：版次保留，名称可再用。",
    "Content as YAML, or a job file that has it; - reads standard input.": (
        "YAML 内容，或含有它的任务文件；- 表示标准输入。"
    ),
    "This revision; else the latest.": "此版次，默认为最新。",
    "The older revision; else the one before.": "较旧的版次，默认为前一版。",
    "The newer revision; else the latest.": "较新的版次，默认为最新。",
    "A field of a made-up person; given once for each.": "虚构收件人的一个字段；可多次给出。",
    "Take people of this audience.": "取自此受众的收件人。",
    "say for whom: --to FIELD=VALUE, or --audience NAME": "请说明给谁看：--to 字段=值，或 --audience 名称",
    "Kept: {name}, revision {revision}": "已保存：{name}，第 {revision} 版",
    "Renamed: {name}; the content is the same, revision {revision}": "已改名：{name}；内容未变，第 {revision} 版",
    "Nothing differs: {name}, revision {revision}": "没有差异：{name}，第 {revision} 版",
    "Nothing differs.": "没有差异。",
    "An example stands in for the account; give --account to see it with yours.": (
        "账号以示例代替；用 --account 可看到你的账号下的样子。"
    ),
    # audiences
    "Audiences: who is sent to.": "受众：发送给谁。",
    "List the audiences.": "列出受众。",
    "Show an audience and how it is read.": "查看受众及其读取方式。",
    "Upload a spreadsheet: a new audience, or new recipients for the one of that name.": (
        "上传表格：新建受众，或更新同名受众的收件人。"
    ),
    "Ask the query of an audience again.": "重新执行受众的查询。",
    "Show recipients as they stand in a snapshot, or take them all away as CSV.": (
        "显示快照中的收件人，或全部导出为 CSV。"
    ),
    "Archive it: its runs stay, its recipients go after thirty days without use.": (
        "归档：运行记录保留，收件人在三十天无人使用后删除。"
    ),
    "Only what came from there.": "只列出此来源的。",
    "Name of the audience; else that of the file.": "受众的名称，默认为文件名。",
    "Leave out whom this channel cannot send to.": "排除此渠道无法发送的收件人。",
    "This snapshot; else the present one.": "此快照，默认为当前快照。",
    "From this place on, counted from 0.": "从此位置开始，从 0 数起。",
    "Write all of them there as CSV; audited.": "全部写成 CSV；此操作会记入审计。",
    "Audience {name}: {outcome}, snapshot {revision}, recipients {n}": (
        "受众 {name}：{outcome}，快照 {revision}，收件人 {n}"
    ),
    "{n} of {total}": "{total} 个中的 {n} 个",
    "go on with --first {n}": "用 --first {n} 继续",
    "a query": "查询",
    "made up": "虚构",
    "rows of a request": "请求中的行",
    "mapping": "映射",
    "the service reads": "服务正在读取",
    "the service reads: {n} rows": "服务正在读取：{n} 行",
    "the import was discarded by somebody else; nothing was kept": "导入被他人丢弃；没有保存任何内容",
    " (row {row})": "（第 {row} 行）",
    "there is no file {file}": "没有文件 {file}",
    "{rejected} of {rows} rows cannot be sent to ({reasons}); have them written out with --errors rejected.csv"
    " and mend them, or leave them out with --skip-invalid": (
        "{rows} 行中有 {rejected} 行无法发送（{reasons}）；可用 --errors rejected.csv 写出后修正，"
        "或用 --skip-invalid 跳过"
    ),
    "nobody is left to send to; nothing was kept": "没有可发送的收件人；没有保存任何内容",
    # secrets
    "Secrets of the workspace. No command shows one.": "工作区的密钥。没有命令会显示其内容。",
    "List which secrets are set, and since when.": "列出已设置的密钥及时间。",
    "Set a secret: it is asked for, or read from standard input.": "设置密钥：询问输入，或从标准输入读取。",
    "Forget a secret for good.": "永久删除密钥。",
    "As a configuration names it; the namespace is default.": "与配置中的写法相同；默认命名空间为 default。",
    "Only of this namespace.": "只列出此命名空间的。",
    "namespace": "命名空间",
    "Secret: ": "密钥：",
    "Set: {name}, version {version}": "已设置：{name}，版本 {version}",
    "Forgotten: {name}": "已删除：{name}",
    # files
    "Files of the workspace.": "工作区的文件。",
    "List the files: imports, snapshots, results, exports.": "列出文件：导入、快照、结果、导出。",
    "Fetch a file. It is here whole, with its SHA-256 checked, or not at all.": (
        "下载文件。核对 SHA-256，完整保存，否则不保存。"
    ),
    "Only of this class.": "只列出此类别的。",
    "Id of the file, as the list shows it.": "文件标识，如列表所示。",
    "class": "类别",
    "kept until": "保留至",
}
