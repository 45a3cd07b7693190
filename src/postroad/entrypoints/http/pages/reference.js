"use strict";
(() => {
  const METHODS = ["get", "post", "put", "patch", "delete"];
  const LIVE_FOR_MS = 30000;
  const MOST_SHOWN = 200000;
  let contract = {};

  function made(tag, text, look) {
    const one = document.createElement(tag);
    if (text !== undefined) one.textContent = text;
    if (look) one.className = look;
    return one;
  }

  function resolved(schema) {
    while (schema && schema.$ref) schema = contract.components.schemas[schema.$ref.split("/").pop()];
    return schema || {};
  }

  // A value that fits the schema, to begin with.
  function sample(given, depth = 0) {
    const schema = resolved(given);
    if (depth > 6) return null;
    if (schema.examples && schema.examples.length) return schema.examples[0];
    if (schema.default !== undefined) return schema.default;
    if (schema.const !== undefined) return schema.const;
    if (schema.enum) return schema.enum[0];
    const either = schema.anyOf || schema.oneOf || schema.allOf;
    if (either) return sample(either[0], depth + 1);
    if (schema.type === "object" || schema.properties) {
      const whole = {};
      for (const [name, part] of Object.entries(schema.properties || {})) whole[name] = sample(part, depth + 1);
      return whole;
    }
    if (schema.type === "array") return [sample(schema.items || {}, depth + 1)];
    return { string: "", integer: 0, number: 0, boolean: false }[schema.type] ?? null;
  }

  function parameterField(operation, parameter) {
    const holder = made("div");
    const need = parameter.required ? ` (${word("required")})` : "";
    const label = made("label", `${parameter.name} · ${parameter.in}${need}`);
    const input = made("input");
    input.id = `${operation.operationId}-${parameter.name}`;
    input.dataset.name = parameter.name;
    input.dataset.place = parameter.in;
    label.htmlFor = input.id;
    if (parameter.name === "workspaceId") input.value = document.getElementById("workspace").value;
    if (parameter.name === "Idempotency-Key") input.value = crypto.randomUUID ? crypto.randomUUID() : String(Date.now());
    holder.append(label, input);
    if (parameter.description) holder.append(made("span", parameter.description, "dim"));
    return holder;
  }

  function bodyField(operation) {
    const content = (operation.requestBody || {}).content;
    if (!content) return null;
    const holder = made("div");
    const isJson = content["application/json"] !== undefined;
    const label = made("label", word(isJson ? "body" : "file"));
    const input = made(isJson ? "textarea" : "input");
    input.id = `${operation.operationId}-body`;
    label.htmlFor = input.id;
    if (isJson) input.value = JSON.stringify(sample(content["application/json"].schema), null, 2);
    else input.type = "file";
    input.dataset.place = "body";
    holder.append(label, input);
    return holder;
  }

  function answersTable(operation) {
    const table = made("table");
    for (const [status, answer] of Object.entries(operation.responses || {})) {
      const row = made("tr");
      row.append(made("td", status, "mono"), made("td", answer.description || ""));
      table.append(row);
    }
    return table;
  }

  async function allowed(method, operation, address) {
    if (method === "get") return true;
    const risk = operation["x-postroad-risk"];
    if (!risk) return confirm(`${method.toUpperCase()} ${address}\n${word("really")}`);
    const dialog = document.getElementById("risk");
    const sure = document.getElementById("risk-sure");
    const yes = document.getElementById("risk-yes");
    document.getElementById("risk-text").textContent = operation.description || word("may-send");
    document.getElementById("risk-call").textContent = `${method.toUpperCase()} ${address}`;
    sure.checked = false;
    yes.disabled = true;
    sure.onchange = () => { yes.disabled = !sure.checked; };
    dialog.returnValue = "no";
    dialog.showModal();
    await new Promise((done) => dialog.addEventListener("close", done, { once: true }));
    return dialog.returnValue === "yes";
  }

  async function show(answer, place, stop) {
    place.textContent = `${answer.status} ${answer.statusText}\n`;
    for (const name of ["etag", "location", "retry-after", "x-trace-id"]) {
      if (answer.headers.get(name)) place.textContent += `${name}: ${answer.headers.get(name)}\n`;
    }
    place.textContent += "\n";
    const type = answer.headers.get("content-type") || "";
    if (type.includes("json")) {
      const text = await answer.text();
      place.textContent += text ? JSON.stringify(JSON.parse(text), null, 2) : "";
      return;
    }
    if (type.startsWith("text/event-stream")) setTimeout(() => stop.abort(), LIVE_FOR_MS);
    const reader = answer.body.getReader();
    const decoder = new TextDecoder();
    for (;;) {
      const { done, value } = await reader.read();
      if (done || place.textContent.length > MOST_SHOWN) break;
      place.textContent += decoder.decode(value, { stream: true });
    }
  }

  async function call(method, path, operation, fields, place) {
    const headers = { "X-Postroad-CSRF": "1" };
    const query = new URLSearchParams();
    let address = path;
    let body;
    for (const field of fields.querySelectorAll("[data-place]")) {
      const { place: where, name } = field.dataset;
      if (where === "body") {
        body = field.type === "file" ? field.files[0] : field.value;
        headers["Content-Type"] = field.type === "file" ? "application/octet-stream" : "application/json";
      } else if (where === "path") address = address.replace(`{${name}}`, encodeURIComponent(field.value));
      else if (field.value && where === "query") query.append(name, field.value);
      else if (field.value && where === "header") headers[name] = field.value;
    }
    if (query.size) address += `?${query}`;
    if (!await allowed(method, operation, address)) return;
    const token = document.getElementById("token").value.trim();
    if (token) headers.Authorization = `Bearer ${token}`;
    const stop = new AbortController();
    place.hidden = false;
    try {
      const answer = await fetch(address, { method: method.toUpperCase(), headers, body, signal: stop.signal });
      await show(answer, place, stop);
    } catch (error) {
      if (error.name !== "AbortError") place.textContent = word("unreachable");
    }
  }

  function fill(holder, method, path, operation) {
    if (holder.dataset.filled) return;
    holder.dataset.filled = "yes";
    if (operation.description) holder.append(made("p", operation.description));
    const fields = made("div");
    const parameters = (operation.parameters || []).filter((one) => one.in !== "cookie");
    if (parameters.length) fields.append(made("strong", word("parameters")));
    for (const parameter of parameters) fields.append(parameterField(operation, parameter));
    const body = bodyField(operation);
    if (body) fields.append(body);
    const isRisky = Boolean(operation["x-postroad-risk"]);
    const button = made("button", word("call"), isRisky ? "risky" : "main");
    const place = made("pre");
    place.hidden = true;
    button.addEventListener("click", () => call(method, path, operation, fields, place));
    holder.append(fields, button, place, made("h2", word("answers")), answersTable(operation));
  }

  function entry(method, path, operation) {
    const details = made("details");
    const summary = made("summary");
    const risk = operation["x-postroad-risk"];
    summary.append(made("span", method.toUpperCase(), risk ? "method bad" : "method"), made("code", path));
    if (operation.summary) summary.append(made("span", ` ${operation.summary}`, "dim"));
    details.append(summary);
    details.dataset.text = `${method} ${path} ${operation.operationId} ${operation.description || ""}`.toLowerCase();
    details.addEventListener("toggle", () => fill(details, method, path, operation));
    return details;
  }

  function draw() {
    const place = document.getElementById("operations");
    const byTag = new Map();
    for (const [path, item] of Object.entries(contract.paths)) {
      for (const method of METHODS.filter((one) => item[one])) {
        const tag = (item[method].tags || ["other"])[0];
        if (!byTag.has(tag)) byTag.set(tag, []);
        byTag.get(tag).push(entry(method, path, item[method]));
      }
    }
    for (const [tag, entries] of [...byTag].sort(([one], [other]) => one.localeCompare(other))) {
      const section = made("section", undefined, "card");
      section.append(made("h2", tag), ...entries);
      place.append(section);
    }
    place.setAttribute("aria-busy", "false");
  }

  function search(text) {
    for (const section of document.querySelectorAll("#operations > section")) {
      let shown = 0;
      for (const one of section.querySelectorAll("details")) {
        one.hidden = !one.dataset.text.includes(text);
        shown += one.hidden ? 0 : 1;
      }
      section.hidden = shown === 0;
    }
  }

  document.getElementById("search").addEventListener("input", (event) => search(event.target.value.trim().toLowerCase()));
  document.getElementById("workspace").addEventListener("input", (event) => {
    for (const field of document.querySelectorAll('[data-name="workspaceId"]')) field.value = event.target.value;
  });
  fetch("/api/v1/workspaces?limit=1")
    .then((answer) => (answer.ok ? answer.json() : { items: [] }))
    .then(({ items }) => { if (items.length) document.getElementById("workspace").value = items[0].id; })
    .catch(() => {});
  fetch("/api/openapi.json")
    .then((answer) => answer.json())
    .then((read) => { contract = read; draw(); })
    .catch(() => { document.getElementById("operations").textContent = word("unreachable"); });
})();
