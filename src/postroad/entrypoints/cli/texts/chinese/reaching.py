"""What all commands of the service say: reaching it, lists, names, files."""

REACHING = {
    # headings of the first page
    "On this machine": "在本机",
    "Run a service": "运行服务",
    "With a service": "使用服务",
    # options
    "Print the answer of the service as one line of JSON.": "以一行 JSON 输出服务的应答。",
    "Where a list goes on, as the one before said.": "列表从哪里继续，取自上一页的提示。",
    "Only names that contain this.": "只列出名称中含有此文字的。",
    "Only this status.": "只列出此状态的。",
    "Its name or its id.": "名称或标识。",
    "Its name in the workspace.": "在工作区中的名称。",
    "Go on without asking.": "不询问，直接继续。",
    "Where to write it.": "写到哪里。",
    # lists and single things
    "name": "名称",
    "status": "状态",
    "username": "用户名",
    "role": "角色",
    "made": "创建时间",
    "since": "加入时间",
    "until": "有效至",
    "chosen": "当前",
    "workspace": "工作区",
    "service": "服务",
    "There is nothing here.": "这里什么也没有。",
    "More: {command}": "更多：{command}",
    "Made: {name}": "已创建：{name}",
    # reaching the service
    "nobody is signed in here; sign in with: postroad login --url URL, or set {variable}": (
        "尚未登录；请运行 postroad login --url 地址，或设置 {variable}"
    ),
    "the session is over; sign in again: postroad login": "会话已结束；请重新登录：postroad login",
    "the token is not valid: it was revoked, is over, or is of another service": (
        "令牌无效：已被撤销、已过期，或属于另一个服务"
    ),
    "no workspace is chosen; see `postroad workspaces list`, then: postroad workspaces use NAME": (
        "尚未选择工作区；先看 `postroad workspaces list`，再运行 postroad workspaces use 名称"
    ),
    "the service at {url} cannot be reached: {reason}; does it run there? `postroad serve` starts one": (
        "无法连接 {url} 的服务：{reason}；它在运行吗？`postroad serve` 可以启动服务"
    ),
    "the service at {url} is not trusted: {reason}; if its certificate is of your own authority,"
    " sign in with --ca FILE": ("{url} 的服务不受信任：{reason}；如果证书由自己的机构颁发，登录时请加 --ca 文件"),
    "{url} does not answer as Postroad does (HTTP {status}); check the address and what stands in between": (
        "{url} 的应答不是 Postroad 的（HTTP {status}）；请检查地址和中间的代理"
    ),
    "{url} sends on to {to}, which is not followed; sign in there: postroad login --url URL": (
        "{url} 转到了 {to}，程序不会跟随；请在那里登录：postroad login --url 地址"
    ),
    "{said}; try again in {n} s": "{said}；请在 {n} 秒后再试",
    "the session file {file} cannot be read ({reason})": "无法读取会话文件 {file}（{reason}）",
    "the session file {file} is damaged; remove it and sign in again: postroad login": (
        "会话文件 {file} 已损坏；请删除它并重新登录：postroad login"
    ),
    "others may read the session file {file} (mode {mode}); run: chmod 600 {file}": (
        "他人可以读取会话文件 {file}（权限 {mode}）；请运行：chmod 600 {file}"
    ),
    "what signs you in would cross the network readably to {host}; give the https:// address of the service, or"
    " accept it by {accept}": ("登录信息会以明文经网络传到 {host}；请给出服务的 https:// 地址，或用 {accept} 表示接受"),
    # names
    "there is nothing called `{name}`; see: postroad {group} list": (
        "没有名为 `{name}` 的对象；参见：postroad {group} list"
    ),
    "several are called `{name}`; give the id: {ids}": "有多个名为 `{name}`；请给出标识：{ids}",
    # files
    "Written: {file} ({size})": "已写入：{file}（{size}）",
    "{file} came with other bytes than announced; it was not kept, try again": (
        "{file} 收到的内容与声明的不符；没有保留，请重试"
    ),
}
