"""Signing in, workspaces, members, users, tokens, audit."""

ADMINISTRATION = {
    # signing in
    "Sign in to a service; with --link make its first administrator or choose a password.": (
        "登录服务；用 --link 创建第一位管理员或设置密码。"
    ),
    "End the session at the service and forget it here.": "结束在服务上的会话，并在本机忘记它。",
    "Who is signed in, where, and what they may do.": "谁已登录、登录在哪里、能做什么。",
    "Address of the service; else the last one.": "服务的地址，默认为上一次的地址。",
    "The link that works once, in quotes.": "一次性链接，请加引号。",
    "Who signs in; else it is asked for.": "登录的用户名；不给出则询问。",
    "Read the password from standard input, one line.": "从标准输入读取密码，一行。",
    "Authority of a private https:// address, as PEM.": "私有 https:// 地址的证书颁发机构，PEM 文件。",
    "Accept that the password crosses the network readably.": "接受密码以明文经过网络。",
    "--link must be a whole link as the service printed it, such as {example}": (
        "--link 应为服务打印的完整链接，例如 {example}"
    ),
    "nobody can be asked here; give --username NAME": "这里无法询问；请给出 --username 用户名",
    "nobody can be asked here; give {option}": "这里无法询问；请给出 {option}",
    "a username is needed": "需要用户名",
    "Username: ": "用户名：",
    "Password: ": "密码：",
    "New password: ": "新密码：",
    "The same again: ": "再输入一次：",
    "the two were not the same; nothing was changed": "两次输入不一致；没有改变任何内容",
    "{option}: there was nothing to read": "{option}：没有读到内容",
    "a secret is text in UTF-8; this is not": "密钥应为 UTF-8 文本；这不是",
    "the secret is empty; pipe it in, such as: postroad secrets set NAME < FILE": (
        "密钥为空；请从管道输入，例如：postroad secrets set 名称 < 文件"
    ),
    "the name or the password is wrong, or the user is disabled": "用户名或密码错误，或用户已停用",
    "You make the first administrator of {url}.": "你正在创建 {url} 的第一位管理员。",
    "Signed in at {url} as {name}.": "已以 {name} 登录 {url}。",
    "Signed out at {url}.": "已从 {url} 退出。",
    "Nobody is signed in here.": "这里没有人登录。",
    "The service was not told, there the session goes on until its time is over:": (
        "没有通知到服务，会话在那里会持续到期满："
    ),
    "Workspace: {name}": "工作区：{name}",
    "Choose a workspace: `postroad workspaces list`, then: postroad workspaces use NAME": (
        "请选择工作区：先看 `postroad workspaces list`，再运行 postroad workspaces use 名称"
    ),
    "system administrator": "系统管理员",
    "token for": "令牌可用于",
    # workspaces
    "Workspaces, and the one in use.": "工作区，以及当前使用的一个。",
    "List the workspaces you are a member of.": "列出你所在的工作区。",
    "Use this workspace from now on.": "从现在起使用此工作区。",
    "Make a workspace. For system administrators.": "创建工作区（系统管理员）。",
    "a token is of one workspace; take {variable} away first": "令牌只属于一个工作区；请先去掉 {variable}",
    # members
    "Members of the workspace. For its administrators.": "工作区的成员（供工作区管理员使用）。",
    "List the members and their roles.": "列出成员及其角色。",
    "Let a user in.": "加入一位用户。",
    "Give a member another role, from the next request on.": "更换成员的角色，从下一个请求起生效。",
    "Take a member out; their tokens for the workspace end.": "移除成员；其在此工作区的令牌失效。",
    "What they may do.": "可以做什么。",
    "Name a user signs in with.": "用户登录时使用的名称。",
    "{name} is a member: {role}": "{name} 已是成员：{role}",
    "{name} is no member any more.": "{name} 已不再是成员。",
    # users
    "Users of the service. For system administrators.": "服务的用户（供系统管理员使用）。",
    "List the users.": "列出用户。",
    "Make a user and the link to choose a password with.": "创建用户，并生成设置密码的链接。",
    "A new link to choose a password with; earlier ones are worthless.": "生成新的设置密码链接；以前的链接作废。",
    "Let a user sign in again.": "允许用户再次登录。",
    "Let a user sign in no more; sessions and tokens of theirs end.": "不再允许用户登录；其会话和令牌失效。",
    "Name that is shown.": "显示的名称。",
    "May govern the whole service.": "可以管理整个服务。",
    "last signed in": "最近登录",
    "{name} is {status} now.": "{name} 现在的状态：{status}。",
    "Hand this link to the person; it works once, until {until}, and is not shown again:": (
        "请把此链接交给本人；只能用一次，有效至 {until}，不会再次显示："
    ),
    "They use it with: postroad login --link '{link}'": "本人使用：postroad login --link '{link}'",
    # tokens
    "Tokens for programs, in this workspace.": "供程序使用的令牌，属于此工作区。",
    "List your tokens; for administrators those of everybody.": "列出你的令牌；管理员可看到所有人的。",
    "Make a token for a program. It is shown this once.": "为程序创建令牌。只显示这一次。",
    "End a token, from the next request on.": "撤销令牌，从下一个请求起生效。",
    "What it may do, such as runs:read; given once for each.": "可以做什么，例如 runs:read；可多次给出。",
    "How long it is good.": "有效天数。",
    "begins with": "开头",
    "may": "可以",
    "last used": "最近使用",
    "Keep it now, it is not shown again. It is good until {until}:": "请立即保存，不会再次显示。有效至 {until}：",
    "Revoked: {name}": "已撤销：{name}",
    # audit
    "What was done and refused. For administrators.": "做过和被拒绝的操作（供管理员使用）。",
    "List what was done and refused in the workspace.": "列出工作区中做过和被拒绝的操作。",
    "Take the audit of the workspace away as a file; that is written into it first.": (
        "把工作区的审计记录导出为文件；导出本身会先记入其中。"
    ),
    "Only this action, or its beginning: 'token.*'.": "只列出此操作，或以其开头的：'token.*'。",
    "Only what this user or token did.": "只列出此用户或令牌所做的。",
    "Only with this result.": "只列出此结果的。",
    "Only from this time on, such as 2026-11-30T00:00:00Z.": "只列出从此时间起的，例如 2026-11-30T00:00:00Z。",
    "Only before this time.": "只列出此时间之前的。",
    "Form of the file.": "文件格式。",
    "at": "时间",
    "who": "谁",
    "action": "操作",
    "on": "对象",
    "result": "结果",
    "details": "详情",
}
