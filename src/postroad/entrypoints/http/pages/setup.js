"use strict";
(() => {
  // The code stands behind the # of the link: browsers never send that part, so no log ever holds it.
  const code = new URLSearchParams(location.hash.slice(1)).get("code") || "";
  const form = document.getElementById("form");
  const said = document.getElementById("said");
  history.replaceState(null, "", location.pathname);

  function say(text, look) {
    said.textContent = text;
    said.className = look;
  }

  if (!code) say(word("no-code"), "warn");
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    const given = new FormData(form);
    if (given.get("password") !== document.getElementById("again").value) return say(word("differ"), "bad");
    try {
      const answer = await fetch(form.dataset.to, {
        method: "POST",
        headers: { "Content-Type": "application/json", "X-Postroad-CSRF": "1" },
        body: JSON.stringify({ code, ...Object.fromEntries(given) }),
      });
      if (!answer.ok) return say((await answer.json()).detail, "bad");
      form.querySelector("button").disabled = true;
      say(word("made"), "good");
    } catch {
      say(word("unreachable"), "bad");
    }
  });
})();
