"use strict";
(async () => {
  const ready = document.getElementById("ready");
  try {
    const answer = await fetch("/health/ready");
    ready.textContent = (await answer.json()).status;
    ready.className = answer.ok ? "good" : "bad";
    const setup = await fetch("/api/v1/setup");
    document.getElementById("first").hidden = !(setup.ok && (await setup.json()).needed);
  } catch {
    ready.textContent = word("unreachable");
    ready.className = "bad";
  }
})();
