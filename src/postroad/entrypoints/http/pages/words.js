"use strict";
// The words of these pages. English stands in the pages themselves; Chinese replaces it where the browser prefers it.
const CHINESE = {
  "tagline": "把消息送达许多人，并能说清每个人的结果。",
  "first-title": "还没有可以登录的用户",
  "first-text": "请打开服务启动时输出的一次性链接，它用于创建第一位管理员。",
  "reference": "API 在线参考",
  "contract": "接口契约（OpenAPI 3.1）",
  "ready": "是否就绪？",
  "setup-title": "第一位管理员",
  "setup-text": "本页只能使用一次，需要服务启动时输出的链接。",
  "username": "登录名",
  "password": "密码",
  "again": "再次输入密码",
  "make": "创建管理员",
  "password-title": "设置密码",
  "password-text": "本页只能使用一次，需要管理员给您的链接。",
  "choose": "使用此密码",
  "reference-text": "以下内容读自本服务自己的契约。在这里发出的调用都是真实的。",
  "token": "令牌（pst_…），关闭页面即忘记；留空则使用当前登录会话",
  "workspace": "工作空间 ID，自动填入所有需要的地方",
  "search": "搜索",
  "risk-title": "这会向真实的人发送真实的消息",
  "risk-sure": "我清楚自己在做什么",
  "no": "取消",
  "risk-yes": "发出调用",
};
const MORE = {
  "no-code": ["The link is not whole: open it exactly as it was printed.", "链接不完整：请按输出原样打开。"],
  "differ": ["The two passwords differ.", "两次输入的密码不一致。"],
  "made": ["Done. You can sign in now.", "已完成，现在可以登录。"],
  "unreachable": ["The service does not answer.", "服务没有响应。"],
  "call": ["Call", "调用"],
  "parameters": ["Parameters", "参数"],
  "body": ["Body (JSON)", "请求体（JSON）"],
  "file": ["Body (a file)", "请求体（文件）"],
  "answers": ["Answers", "响应"],
  "required": ["required", "必填"],
  "really": ["This changes something. Go on?", "此操作会产生更改，是否继续？"],
  "live": ["A live stream: watched here for 30 seconds.", "实时流：在此观看 30 秒。"],
  "may-send": ["It starts or continues a delivery.", "它会开始或继续一次投递。"],
};
const IS_CHINESE = (navigator.language || "").toLowerCase().startsWith("zh");

function word(key) {
  return MORE[key][IS_CHINESE ? 1 : 0];
}

if (IS_CHINESE) {
  document.documentElement.lang = "zh-CN";
  for (const place of document.querySelectorAll("[data-say]")) {
    place.textContent = CHINESE[place.dataset.say] || place.textContent;
  }
}
