// The block editor. The page is a form that works without this script; here it
// gains moving by pointer and keys, a live preview, images by paste and drop, and a
// memory: what is typed is kept in this browser at once and on the server soon after,
// until it is saved.
//
// Read from the end: start() wires everything. A draft is what read() makes of the
// form, and write() turns one into the form again. A post may have thousands of
// blocks, and a browser takes a millisecond for the fields of each: those far from the
// window stand on shelves, as text, until open() makes blocks of them.
(() => {
  "use strict";
  const form = document.getElementById("editor");
  if (!form) return;
  const list = form.querySelector("[data-blocks]");
  const blank = form.querySelector("[data-blank]");
  const $ = (selector, root = document) => root.querySelector(selector);
  const $$ = (selector, root = document) => [...root.querySelectorAll(selector)];
  const words = (key, ...args) => args.reduce((text, arg, i) => text.replace(`{${i}}`, arg), form.dataset["t" + key] ?? "");
  const facts = [...form.elements].map((input) => input.name).filter((name) => name && !/^(b\.|version$|do$|rest$)/.test(name));
  const parts = ["type", "layout", "content", "alt", "caption", "language"];
  const ask = (path, options = {}) => fetch(path, { ...options, headers: { "HX-Request": "true", ...options.headers } });
  const post = (path, data, headers = {}) =>
    ask(path, { method: "POST", body: JSON.stringify(data), headers: { "Content-Type": "application/json", ...headers } });

  // ---- The draft ----

  // notes holds what is known of each element of the list. Of a block: its data, which
  // are replaced and never changed, its place, and its side of a pair. Of a shelf,
  // which stands for several blocks that have no fields yet: the data of them all, and
  // the place of the first.
  const notes = new WeakMap();
  let count = 0; // of blocks

  const inputs = Object.fromEntries(["version", ...facts].map((name) => [name, form.elements.namedItem(name)]));
  const field = (name) => inputs[name];
  const dataOf = (block) => notes.get(block).data;
  const part = (block, name) => $(`[name="b.${name}"]`, block);
  const whole = ({ type, layout, content = "", alt = "", caption = "", language = "" }) => ({ type, layout, content, alt, caption, language });

  // hold notes what stands in the fields of a block.
  const hold = (block) => { notes.get(block).data = Object.fromEntries(parts.map((name) => [name, part(block, name).value])); };

  // adopt notes what the server wrote: one search for each part, not one for each part
  // of each block.
  function adopt() {
    const columns = parts.map((name) => list.querySelectorAll(`[name="b.${name}"]`));
    for (const [i, block] of [...list.children].entries()) {
      notes.set(block, { place: i, side: "", data: Object.fromEntries(parts.map((name, n) => [name, columns[n][i].value])) });
    }
    const others = $("[name=rest]", form);
    if (!others) return;
    list.append(...shelves(JSON.parse(others.value).map(whole)));
    others.remove();
    $("[data-rest-note]", form).remove();
  }

  function read() {
    const draft = { version: Number(field("version").value) || 0 };
    for (const name of facts) draft[name] = field(name).value;
    draft.blocks = Array.from(list.children, dataOf).flat();
    return draft;
  }

  function write(draft) {
    for (const name of facts) field(name).value = draft[name] ?? "";
    const all = draft.blocks.map(whole);
    list.replaceChildren(...all.splice(0, shelfMax).map(makeBlock), ...shelves(all));
    arranged();
  }

  // same compares drafts without their versions, which saving changes.
  const sameBlock = (a, b) => a === b || parts.every((name) => (a[name] ?? "") === (b[name] ?? ""));
  const same = (a, b) => facts.every((name) => a[name] === b[name]) &&
    a.blocks.length === b.blocks.length && a.blocks.every((block, i) => sameBlock(block, b.blocks[i]));
  let saved = null;
  const dirty = () => !saved || !same(read(), saved);

  // ---- Blocks ----

  function makeBlock(data) {
    data = { ...whole(data), small: data.small };
    const block = blank.content.firstElementChild.cloneNode(true);
    for (const name of parts) if (data[name]) part(block, name).value = data[name];
    notes.set(block, { place: -1, side: "", data: whole(data) });
    equip(block);
    if (data.small) showPicture(block, data.small);
    else if (data.type === "image") showPicture(block, addressOf(data.content));
    return block;
  }

  // A shelf is opened when it comes near the window, or gets the focus. Until then its
  // text can be found, read and reached by Tab.
  const shelfMax = 12;
  const isShelf = (each) => each.classList.contains("shelf");
  const near = new IntersectionObserver((seen) => {
    const shelves = seen.filter((each) => each.isIntersecting).map((each) => each.target);
    if (shelves.length) open(...shelves);
  }, { rootMargin: "100% 0px" });

  // shelves puts blocks away. Pairs stay together.
  function shelves(all) {
    const made = [];
    for (let from = 0, to; from < all.length; from = to) {
      to = Math.min(from + shelfMax, all.length);
      if (all[to]?.layout === "half_right") to++;
      made.push(shelve(all.slice(from, to)));
    }
    return made;
  }

  // heightOf is about how high a block will be, so that the page hardly moves when it
  // comes.
  const heightOf = ({ type, content }) =>
    Math.min(50, 5.5 + 1.6 * Math.max(3, content.split("\n").length + Math.floor(content.length / 70))) + (type === "text" ? 0 : 3.5);

  function shelve(data) {
    const shelf = document.createElement("li");
    shelf.className = "shelf";
    shelf.tabIndex = 0;
    shelf.textContent = data.map((each) => each.content).join("\n\n");
    shelf.style.setProperty("--height", data.reduce((sum, each) => sum + heightOf(each), 0) + "rem");
    notes.set(shelf, { place: -1, data });
    near.observe(shelf);
    return shelf;
  }

  // open replaces shelves by the blocks that they stand for.
  function open(...all) {
    for (const shelf of all) {
      near.unobserve(shelf);
      shelf.replaceWith(...dataOf(shelf).map(makeBlock));
    }
    settle();
  }

  // neighbour is the block after a block, or the one before it.
  function neighbour(block, step) {
    const side = step > 0 ? "nextElementSibling" : "previousElementSibling";
    if (block[side] && isShelf(block[side])) open(block[side]);
    return block[side];
  }

  // blockAt is the block with a place.
  function blockAt(place) {
    const holds = (each) => { const note = notes.get(each); return note.place <= place && place < note.place + (isShelf(each) ? note.data.length : 1); };
    const there = [...list.children].find(holds);
    if (!there || !isShelf(there)) return there;
    open(there);
    return blockAt(place);
  }

  // ---- What blocks look like ----

  const addressOf = (ref, width = 320) => {
    const id = /^media:([0-9A-Z]{26})$/.exec(ref.trim());
    if (id) return `/blog/media/${id[1]}/w${width}`;
    return /^https?:\/\/\S+$/.test(ref.trim()) ? ref.trim() : "";
  };

  function showPicture(block, address) {
    const place = $("[data-picture]", block);
    place.hidden = !address;
    place.replaceChildren();
    if (!address) return;
    const image = document.createElement("img");
    image.src = address;
    image.alt = "";
    image.referrerPolicy = "no-referrer";
    place.append(image);
  }

  // equip marks a block with its kind and place, by which the style sheet shows what
  // such a block has.
  function equip(block) {
    const { type, layout } = dataOf(block);
    block.dataset.kind = type;
    block.dataset.layout = layout;
    if (type !== "image") showPicture(block, "");
  }

  // number tells a block its place, as the server does.
  function number(block, i) {
    $("[data-number]", block).textContent = i + 1;
    for (const input of $$("[data-part]", block)) input.id = `blocks[${i}].${input.dataset.part}`;
    for (const button of $$("[data-do]", block)) button.value = `${button.dataset.do}:${i}`;
  }

  // settle numbers the blocks and marks the pairs; only those that changed are touched.
  function settle() {
    const sides = sidesOf(read().blocks);
    count = 0;
    for (const each of list.children) {
      const note = notes.get(each);
      const place = count;
      count += isShelf(each) ? note.data.length : 1;
      if (note.place !== place && !isShelf(each)) number(each, place);
      note.place = place;
      if (isShelf(each) || note.side === sides[place]) continue;
      each.classList.remove(...note.side.split(" ").filter(Boolean));
      each.classList.add(...sides[place].split(" ").filter(Boolean));
      note.side = sides[place];
    }
  }

  // sidesOf says for each block which side of a pair it is.
  const alone = { half_left: "alone-left", half_right: "alone-right" };
  function sidesOf(all) {
    const sides = all.map(({ layout }) => alone[layout] ?? "");
    for (let i = 0; i + 1 < all.length; i++) {
      if (all[i].layout !== "half_left" || all[i + 1].layout !== "half_right") continue;
      sides[i] = "in-pair";
      sides[++i] = "in-pair second";
    }
    return sides;
  }

  function arranged() {
    settle();
    changed();
  }

  // ---- Saying ----

  const say = (text) => { $("[data-say]", form).textContent = text; };
  function state(text, tone = "") {
    const place = $("[data-state]", form);
    place.textContent = text;
    place.dataset.tone = tone;
  }

  let undoing = 0;
  function offerUndo(text, undo) {
    const box = $("[data-undo]", form);
    const button = $("button", box);
    $("span", box).textContent = text;
    box.hidden = false;
    button.onclick = () => { box.hidden = true; undo(); };
    clearTimeout(undoing);
    undoing = setTimeout(() => { box.hidden = true; }, 10000);
  }

  // ---- Changing blocks ----

  const focusOn = (block) => part(block, "content").focus();

  const sayMoved = (block) => say(words("Moved", notes.get(block).place + 1, count));

  function move(block, step, focus) {
    const other = neighbour(block, step);
    if (!other) return;
    other[step > 0 ? "after" : "before"](block);
    arranged();
    (focus ?? document.activeElement)?.focus?.();
    block.scrollIntoView({ block: "nearest" });
    sayMoved(block);
  }

  function insert(data, after) {
    const block = makeBlock({ type: "text", layout: "full", ...data });
    if (after) after.after(block);
    else list.append(block);
    arranged();
    say(words("Added"));
    return block;
  }

  function duplicate(block) {
    const copy = makeBlock({ ...dataOf(block), small: $("[data-picture] img", block)?.src });
    block.after(copy);
    arranged();
    focusOn(copy);
    say(words("Copied"));
  }

  function drop(block) {
    const after = neighbour(block, 1);
    const next = after ?? neighbour(block, -1);
    block.remove();
    arranged();
    if (next) focusOn(next);
    else $("[data-add]", form).focus();
    say(words("Dropped"));
    offerUndo(words("Dropped"), () => {
      if (after?.isConnected) after.before(block);
      else list.append(block);
      arranged();
      focusOn(block);
    });
  }

  function act(block, what, button) {
    if (what === "up") move(block, -1, button);
    if (what === "down") move(block, 1, button);
    if (what === "copy") duplicate(block);
    if (what === "drop") drop(block);
  }

  // ---- Undoing ----

  // past holds the drafts before each step, future those that were undone, present the
  // one after the last step. Typing in one field is one step while it goes on. A save is
  // none: what was saved can be undone, and saved again.
  const past = [];
  const future = [];
  const stepsMax = 200;
  let present = null;
  let typing = { input: null, until: 0 };

  function step(input) {
    const now = read();
    if (!present || same(now, present)) return;
    if (!input || typing.input !== input || performance.now() > typing.until) past.push(present);
    if (past.length > stepsMax) past.shift();
    typing = { input, until: performance.now() + 1500 };
    future.length = 0;
    present = now;
    showSteps();
  }

  function travel(from, to) {
    if (!from.length) return;
    to.push(present);
    const before = present.blocks;
    present = from.pop();
    typing.input = null;
    write(present);
    showSteps();
    const place = present.blocks.findIndex((block, i) => !before[i] || !sameBlock(block, before[i]));
    const block = blockAt(place >= 0 ? place : Math.min(before.length, present.blocks.length) - 1);
    block?.scrollIntoView({ block: "nearest" });
    if (block && place >= 0) focusOn(block);
  }

  const undo = () => travel(past, future);
  const redo = () => travel(future, past);

  // What others saved is no step: undoing it would take it from them.
  function forgetSteps() {
    past.length = future.length = 0;
    present = read();
    showSteps();
  }

  function showSteps() {
    $("[data-step=undo]", form).disabled = !past.length;
    $("[data-step=redo]", form).disabled = !future.length;
  }

  function wireSteps() {
    $("[data-step=undo]", form).addEventListener("click", undo);
    $("[data-step=redo]", form).addEventListener("click", redo);
    form.addEventListener("keydown", (event) => {
      const key = event.key.toLowerCase();
      if (!(event.ctrlKey || event.metaKey) || event.altKey || event.isComposing || event.target.closest("[data-find]") || (key !== "z" && key !== "y")) return;
      event.preventDefault();
      if (key === "y" || event.shiftKey) redo();
      else undo();
    });
    forgetSteps();
  }

  // ---- Finding and replacing ----

  const searched = ["content", "alt", "caption"];
  const sought = $("[data-find]", form);
  let found = -1; // which of the places is shown

  // pattern is what is looked for, null for nothing.
  function pattern() {
    const text = $("[data-find-what]", sought).value;
    return text && new RegExp(text.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&"), $("[data-find-case]", sought).checked ? "gu" : "giu");
  }

  // places lists where a pattern is, from the title to the last block.
  function places(wanted) {
    if (!wanted) return [];
    const all = [];
    const look = (text, where) => { for (const match of text.matchAll(wanted)) all.push({ ...where, from: match.index, to: match.index + match[0].length }); };
    for (const name of ["title", "summary"]) look(field(name).value, { name });
    for (const [block, data] of read().blocks.entries()) for (const name of searched) look(data[name], { block, name });
    return all;
  }

  function showFound(step) {
    const all = places(pattern());
    found = all.length ? (found + step + all.length) % all.length : -1;
    $("[data-find-count]", sought).textContent = $("[data-find-what]", sought).value && words("Found", all.length ? found + 1 : 0, all.length);
    const { block, name, from, to } = all[found] ?? {};
    if (!name) return;
    const input = block === undefined ? field(name) : part(blockAt(block), name);
    input.setSelectionRange(from, to);
    input.scrollIntoView({ block: "center" });
  }

  // swap puts text into the places that it is given, the last first, so that those
  // before stay where they are.
  function swap(all, text) {
    for (const { block, name, from, to } of [...all].reverse()) {
      const put = (value) => value.slice(0, from) + text + value.slice(to);
      if (block === undefined) {
        field(name).value = put(field(name).value);
        continue;
      }
      const at = blockAt(block);
      part(at, name).value = put(part(at, name).value);
      hold(at);
    }
    changed();
  }

  function replaceFound(every) {
    const all = places(pattern());
    const chosen = every ? all : all.slice(Math.max(found, 0), Math.max(found, 0) + 1);
    if (!chosen.length) return;
    swap(chosen, $("[data-find-with]", sought).value);
    if (every) say(words("Replaced", chosen.length));
    if (every) offerUndo(words("Replaced", chosen.length), undo);
    showFound(0);
  }

  function openFind(on) {
    sought.hidden = !on;
    $("[data-find-open]", form).setAttribute("aria-expanded", String(on));
    if (on) $("[data-find-what]", sought).select();
    else $("[data-find-open]", form).focus();
  }

  function wireFind() {
    $("[data-find-open]", form).addEventListener("click", () => openFind(sought.hidden));
    sought.addEventListener("input", (event) => {
      event.stopPropagation(); // it is none of the post's fields
      if (event.target.matches("[data-find-with]")) return;
      found = 0;
      showFound(0);
    });
    sought.addEventListener("click", (event) => {
      const what = event.target.closest("button")?.dataset.findDo;
      if (what === "next") showFound(1);
      if (what === "previous") showFound(-1);
      if (what === "one") replaceFound(false);
      if (what === "all") replaceFound(true);
      if (what === "close") openFind(false);
    });
    sought.addEventListener("keydown", (event) => {
      if (event.isComposing || (event.key !== "Enter" && event.key !== "Escape")) return;
      if (event.target.closest("button") && event.key === "Enter") return;
      event.preventDefault();
      if (event.key === "Escape") openFind(false);
      else if (event.target.matches("[data-find-with]")) replaceFound(false);
      else showFound(event.shiftKey ? -1 : 1);
    });
    document.addEventListener("keydown", (event) => {
      if (!(event.ctrlKey || event.metaKey) || !event.shiftKey || event.key.toLowerCase() !== "f") return;
      event.preventDefault();
      openFind(true);
    });
  }

  // ---- Counting ----

  // Japanese is counted by characters, everything else by words. The goal is this
  // browser's.
  const ofJapanese = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]/gu;
  const goalKey = () => memoryKey() + ".goal";
  const goal = $("[data-goal]", form);
  function lengthOf(blocks) {
    const text = blocks.filter(({ type }) => type === "text" || type === "quote").map(({ content }) => content).join("\n")
      .replace(/!?\[([^\]]*)\]\([^)]*\)/g, "$1").replace(/^\s*(#+|>|[-*+]|\d+\.)\s+/gm, "").replace(/[*_`~]/g, "");
    const letters = text.replace(/\s/g, "");
    if ((letters.match(ofJapanese)?.length ?? 0) * 3 > letters.length) return ["Characters", [...letters].length];
    return ["Words", text.match(/[\p{L}\p{N}]+(?:['’\-][\p{L}\p{N}]+)*/gu)?.length ?? 0];
  }

  const showLength = () => {
    const [unit, length] = lengthOf(read().blocks);
    const wanted = Math.max(0, Math.floor(Number(goal.value) || 0));
    const say = (n) => n.toLocaleString(document.documentElement.lang);
    $("[data-length]", form).textContent = wanted ? words(unit + "of", say(length), say(wanted)) : words(unit, say(length));
    const bar = $("[data-goal-bar]", form);
    bar.hidden = !wanted;
    bar.max = wanted || 1;
    bar.value = Math.min(length, wanted);
  };

  function keepGoal() {
    try {
      if (goal.value) localStorage.setItem(goalKey(), goal.value);
      else localStorage.removeItem(goalKey());
    } catch { /* as with the memory */ }
  }

  function wireLength() {
    try { goal.value = localStorage.getItem(goalKey()) ?? ""; } catch { /* as with the memory */ }
    goal.addEventListener("input", (event) => {
      event.stopPropagation();
      keepGoal();
      showLength();
    });
    showLength();
  }

  // ---- Dragging ----

  let dragged = null;
  const unmark = (...marks) => $$(":scope > :is(.before, .after, .dragged)", list).forEach((block) => block.classList.remove(...marks));

  function wireDragging() {
    list.addEventListener("dragstart", (event) => {
      const grip = event.target.closest?.("[data-grip]");
      if (!grip) return;
      dragged = grip.closest("[data-block]");
      event.dataTransfer.effectAllowed = "move";
      event.dataTransfer.setData("text/plain", "");
      event.dataTransfer.setDragImage?.(dragged, 20, 20);
      dragged.classList.add("dragged");
    });
    list.addEventListener("dragover", (event) => {
      const over = event.target.closest("[data-block]");
      if (!dragged || !over) return;
      event.preventDefault();
      const box = over.getBoundingClientRect();
      const late = event.clientY > box.top + box.height / 2;
      unmark("before", "after");
      if (over !== dragged) over.classList.add(late ? "after" : "before");
    });
    list.addEventListener("drop", (event) => {
      const over = $(".before, .after", list);
      if (!dragged || !over) return;
      event.preventDefault();
      const block = dragged;
      const late = over.classList.contains("after");
      over[late ? "after" : "before"](block);
      unmark("before", "after", "dragged");
      arranged();
      $("[data-grip]", block).focus();
      sayMoved(block);
    });
    list.addEventListener("dragend", () => { dragged = null; unmark("before", "after", "dragged"); });
  }

  // ---- Images ----

  // send puts a file into the library; it answers nothing if that fails.
  async function send(file) {
    state(words("Uploading"));
    const data = new FormData();
    data.append("file", file, file.name || "image");
    let response;
    try {
      response = await ask("/office/blog/media", { method: "POST", body: data });
    } catch {
      return void state(words("Failed"), "bad");
    }
    if (!response.ok) return void refused(response);
    return response.json();
  }

  async function upload(file, target, after) {
    const media = await send(file);
    if (!media) return;
    const into = { type: "image", content: media.ref, alt: media.alt ?? "", small: media.small };
    const block = target ? place(target, into) : insert(into, after);
    showState();
    say(words("Uploaded"));
    $('[name="b.alt"]', block).focus();
    return block;
  }

  // place puts an image into a block that is there.
  function place(block, into) {
    part(block, "content").value = into.content;
    if (into.alt && !part(block, "alt").value) part(block, "alt").value = into.alt;
    hold(block);
    showPicture(block, into.small);
    changed();
    return block;
  }

  const images = (transfer) => [...(transfer?.files ?? [])].filter((file) => file.type.startsWith("image/"));

  async function uploadAll(files, block) {
    const empty = block && dataOf(block).type === "image" && !dataOf(block).content.trim();
    let after = block;
    for (const [i, file] of files.entries()) after = (await upload(file, i === 0 && empty ? block : null, after)) ?? after;
  }

  function wireImages() {
    form.addEventListener("paste", (event) => {
      const files = images(event.clipboardData);
      if (!files.length) return;
      event.preventDefault();
      uploadAll(files, event.target.closest?.("[data-block]"));
    });
    const carriesFiles = (event) => [...(event.dataTransfer?.types ?? [])].includes("Files");
    form.addEventListener("dragover", (event) => {
      if (!carriesFiles(event)) return;
      event.preventDefault();
      list.classList.add("receiving");
    });
    form.addEventListener("dragleave", (event) => {
      if (!form.contains(event.relatedTarget)) list.classList.remove("receiving");
    });
    form.addEventListener("drop", (event) => {
      list.classList.remove("receiving");
      const files = images(event.dataTransfer);
      if (!files.length) return;
      event.preventDefault();
      uploadAll(files, event.target.closest?.("[data-block]"));
    });
    const chooser = $("[data-file]");
    let chosen = null;
    form.addEventListener("click", (event) => {
      const block = event.target.closest("[data-block]");
      if (event.target.closest("[data-choose]")) {
        chosen = block;
        chooser.click();
      }
      if (event.target.closest("[data-thumb-choose]")) {
        chosen = cover;
        chooser.click();
      }
      if (event.target.closest("[data-library]")) {
        openLibrary((picture) => {
          place(block, { content: picture.ref, alt: picture.alt, small: picture.small });
          part(block, "alt").focus();
        });
      }
    });
    chooser.addEventListener("change", async () => {
      const [file] = chooser.files;
      if (file && chosen === cover) setCover(await send(file));
      else if (file) await upload(file, chosen);
      chooser.value = "";
    });
  }

  // ---- Pasting ----

  // What is on the clipboard becomes blocks if it has more to it than words. Pasting
  // without formatting (Ctrl+Shift+V) has no HTML, and leaves a text as it is.
  const formatted = /<(p|div|h[1-6]|ul|ol|table|blockquote|pre|img|b|strong|i|em|a|span)\b/i;
  const markdown = /^(```|~~~|> |!\[)/m;

  async function paste(block, html, text) {
    const input = part(block, "content");
    const [from, to, before] = [input.selectionStart, input.selectionEnd, input.value];
    // put changes the block unless somebody typed on meanwhile: then it adds to its end.
    const put = (pasted) => {
      if (input.value === before) input.setRangeText(pasted, from, to, "end");
      else input.setRangeText(pasted, input.value.length, input.value.length, "end");
      hold(block);
      changed();
    };
    let blocks;
    try {
      const response = await post("/office/blog/paste", { html, text });
      if (!response.ok) throw response;
      ({ blocks } = await response.json());
    } catch {
      return put(text);
    }
    if (!blocks.length) return put(text);
    if (blocks.length === 1 && blocks[0].type === "text") return put(blocks[0].content);
    const rest = input.value === before ? before.slice(to) : "";
    if (rest) input.setRangeText("", to, before.length, "end");
    if (input.value.length >= to && to > from) input.setRangeText("", from, to, "end");
    hold(block);
    if (rest.trim()) blocks.push({ type: "text", content: rest.trimStart() });
    const made = blocks.map((each) => makeBlock({ layout: "full", ...each }));
    block.after(...made);
    const empty = !dataOf(block).content.trim();
    if (empty) block.remove();
    arranged();
    focusOn(made[0]);
    say(words("Pasted", blocks.length));
    offerUndo(words("Pasted", blocks.length), () => {
      if (empty) made[0].before(block);
      for (const each of made) each.remove();
      part(block, "content").value = before;
      hold(block);
      arranged();
      focusOn(block);
    });
  }

  function wirePasting() {
    list.addEventListener("paste", (event) => {
      const block = event.target.closest("[data-block]");
      if (event.target.name !== "b.content" || dataOf(block).type !== "text" || images(event.clipboardData).length) return;
      const html = event.clipboardData.getData("text/html");
      const text = event.clipboardData.getData("text/plain");
      if (!formatted.test(html) && !markdown.test(text)) return;
      event.preventDefault();
      paste(block, formatted.test(html) ? html : "", text);
    });
  }

  // ---- The cover ----

  const cover = $(".edit-cover", form);

  // setCover takes a picture of the library.
  function setCover(picture) {
    if (!picture) return;
    field("thumbnail").value = picture.ref;
    field("thumbnail_alt").value = picture.alt ?? "";
    field("thumbnail_focus").value = "";
    changed();
    if (!picture.alt) openFact("thumbnail_alt");
  }

  function openFact(name) {
    field(name).closest("details")?.setAttribute("open", "");
    field(name).focus();
  }

  // showCover shows the cover, its focal point, and that nobody described it.
  function showCover() {
    const address = addressOf(field("thumbnail").value, 960);
    const image = $("img", cover);
    if (address && image.getAttribute("src") !== address) image.src = address;
    for (const each of $$("[data-cover]", cover)) each.hidden = !address;
    $("[data-noalt]", cover).hidden = !field("thumbnail").value.trim() || !!field("thumbnail_alt").value.trim();
    const [, x, y] = /^\s*(\d+)\s+(\d+)\s*$/.exec(field("thumbnail_focus").value) ?? [0, 50, 50];
    const mark = $("span", cover);
    mark.style.left = `${x}%`;
    mark.style.top = `${y}%`;
  }

  function wireCover() {
    $("figure", cover).addEventListener("click", (event) => {
      const box = $("img", cover).getBoundingClientRect();
      const percent = (at, from, size) => Math.round(Math.min(1, Math.max(0, (at - from) / size)) * 100);
      field("thumbnail_focus").value = `${percent(event.clientX, box.left, box.width)} ${percent(event.clientY, box.top, box.height)}`;
      changed();
    });
    $("[data-noalt] a", cover).addEventListener("click", (event) => {
      event.preventDefault();
      openFact("thumbnail_alt");
    });
    $("[data-thumb-library]", cover).addEventListener("click", () => openLibrary(setCover));
    showCover();
  }

  async function openLibrary(chosen) {
    const dialog = $("[data-pick]");
    const shelf = $("[data-pick-list]", dialog);
    const load = async (path) => {
      const response = await ask(path);
      if (response.ok) shelf.innerHTML = await response.text();
    };
    dialog.onclick = (event) => {
      const picture = event.target.closest("[data-ref]");
      const more = event.target.closest("[data-more]");
      if (event.target.closest("[data-pick-close]")) dialog.close();
      if (more) load(more.dataset.more);
      if (!picture) return;
      dialog.close();
      chosen(picture.dataset);
    };
    shelf.replaceChildren();
    dialog.showModal();
    try {
      await load("/office/blog/media");
    } catch {
      state(words("Offline"), "bad");
    }
  }

  // ---- Memory ----

  const memoryKey = () => `pressroom.blog.${form.dataset.account}.${form.dataset.key}`;
  const remember = (draft) => {
    try {
      localStorage.setItem(memoryKey(), JSON.stringify({ draft, at: Date.now() }));
    } catch { /* It is full or forbidden: the server keeps a copy as well. */ }
  };
  const forget = () => { try { localStorage.removeItem(memoryKey()); } catch { /* as above */ } };
  const recall = () => {
    try {
      return JSON.parse(localStorage.getItem(memoryKey()))?.draft ?? null;
    } catch {
      return null;
    }
  };

  const afterPaint = (fn) => requestAnimationFrame(() => setTimeout(fn));
  const pause = (wait, fn) => {
    let timer = 0;
    const later = () => { clearTimeout(timer); timer = setTimeout(fn, wait); };
    later.stop = () => clearTimeout(timer);
    return later;
  };
  const rememberSoon = pause(250, () => { if (dirty()) remember(read()); else forget(); });
  const keepSoon = pause(2500, keep);
  const previewSoon = pause(300, preview);
  const lengthSoon = pause(300, showLength);

  async function keep() {
    if (!dirty() || busy) return;
    try {
      const response = await post(`/office/blog/unsaved/${form.dataset.key}`, read());
      if (response.status === 401) return state(words("Signedout"), "bad");
      if (response.ok && dirty()) state(words("Kept"));
    } catch {
      state(words("Offline"), "bad");
    }
  }

  function showState() { state(dirty() ? words("Dirty") : words("Saved")); }

  function changed(input) {
    if (!started) return;
    step(input);
    showState();
    lengthSoon();
    showCover();
    rememberSoon();
    keepSoon();
    previewSoon();
  }

  // ---- Preview ----

  // Beside the blocks of a long post stands the stretch of it that one works on. at is
  // the place of the block there, and shown is the stretch that was shown last.
  const stretchMax = 60;
  let at = 0;
  let shown = [0, 0];
  function stretch(count) {
    if (count <= stretchMax || $(".edit", form).dataset.view === "read") return [0, count];
    const from = Math.max(0, Math.min(at - stretchMax / 3, count - stretchMax));
    return [from, from + stretchMax];
  }

  let asking = null;
  async function preview() {
    const place = $("[data-preview]", form);
    if (getComputedStyle(place).display === "none") return;
    asking?.abort();
    asking = new AbortController();
    const draft = read();
    const count = draft.blocks.length;
    const [from, to] = stretch(count);
    if (to - from < count) Object.assign(draft, { from: from + 1, blocks: draft.blocks.slice(from, to) });
    try {
      const response = await ask("/office/blog/preview", {
        method: "POST", body: JSON.stringify(draft), signal: asking.signal, headers: { "Content-Type": "application/json" },
      });
      if (!response.ok) return;
      place.innerHTML = await response.text();
    } catch { return; /* A newer one is under way, or the network is gone: the next change asks again. */ }
    if (draft.from) {
      const note = document.createElement("p");
      note.className = "fine";
      note.textContent = words("Stretch", from + 1, to, count);
      place.prepend(note);
    }
    const cell = $$(".cell", place)[at - from];
    if (cell && from !== shown[0]) place.scrollTop += cell.getBoundingClientRect().top - place.getBoundingClientRect().top;
    shown = [from, to];
  }

  // follow lets the preview show what the window shows.
  const follow = pause(200, () => {
    const box = list.getBoundingClientRect();
    const block = document.elementFromPoint(box.left + 10, innerHeight / 2)?.closest("[data-blocks] > li");
    if (!block) return;
    at = notes.get(block).place;
    const [from, to] = shown;
    if (to && (at < from || at >= to)) preview();
  });

  function view(name) {
    $(".edit", form).dataset.view = name;
    for (const button of $$("[data-views] button", form)) button.setAttribute("aria-pressed", String(button.dataset.view === name));
    preview();
  }

  // ---- Saving ----

  let busy = false;
  async function save(what = "save") {
    if (busy) return false;
    if (!form.reportValidity()) return false;
    busy = true;
    clearTrouble();
    state(words("Saving"));
    const draft = read();
    try {
      const response = await post(form.getAttribute("action"), { ...draft, do: what }, draft.version ? { "If-Match": `"${draft.version}"` } : {});
      if (!response.ok) return await refused(response);
      accept(await response.json(), draft, what);
      return true;
    } catch {
      state(words("Offline"), "bad");
      return false;
    } finally {
      busy = false;
      if (dirty()) keepSoon();
    }
  }

  function accept(post, sent, what) {
    forget();
    keepSoon.stop();
    // The server filled in what was left open; what was typed since stays.
    const untouched = same(read(), sent);
    for (const [name, value] of [["summary", post.summary], ["published_at", post.published_at], ["slug", post.slug]]) {
      if (!field(name).value) field(name).value = value;
    }
    if (untouched) present = read(); // filling in is no step
    // A merged post is shown, unless somebody typed on: then the next save merges again.
    const merged = post.merged && untouched;
    if (merged) write({ ...post.merged, blocks: post.merged.blocks ?? [] });
    if (merged) forgetSteps();
    if (!post.merged || merged) field("version").value = post.version;
    form.dataset.key = post.id;
    keepGoal();
    form.action = post.edit;
    if (location.pathname !== post.edit || location.search) history.replaceState(null, "", post.edit);
    saved = untouched ? read() : sent;
    showStatus(post);
    tell("undescribed", post.undescribed && String(post.undescribed.length));
    tell("merged", post.merged && post.merged.with.map((name) => name || words("Someone")).join(", "));
    if (post.merged) keepSoon.stop();
    for (const id of ["stale", "restored", "unsaved", "newer", "clash"]) { const box = document.getElementById(id); if (box) box.hidden = true; }
    showState();
    if (what !== "save") say(words(what[0].toUpperCase() + what.slice(1)));
  }

  function showStatus(post) {
    form.dataset.status = post.status;
    for (const each of $$("[data-when]")) each.hidden = !each.dataset.when.split(" ").includes(post.status);
    $("[data-read]", form).href = post.read;
    for (const each of $$("[data-when-saved]")) each.hidden = false;
    const more = $(".edit-more");
    $("[data-plan]").action = post.edit + "/plan";
    $("[data-review]", more).href = post.edit + "/review";
    $("[data-link]", more).action = post.edit + "/link";
    $("[data-history]", more).href = post.edit + "/revisions";
    for (const [i, name] of ["copy", "delete"].entries()) $$("[data-post]", more)[i].action = `${post.edit}/${name}`;
    $("[data-stale-open]").href = post.edit;
  }

  function clearTrouble() {
    $("#trouble").replaceChildren();
    for (const input of $$("[aria-invalid]", form)) input.removeAttribute("aria-invalid");
    for (const note of $$(".block-wrong", form)) note.remove();
  }

  // refused shows what the server says, and marks the fields that it names.
  async function refused(response) {
    state(words("Failed"), "bad");
    if (response.status === 401) {
      state(words("Signedout"), "bad");
      return false;
    }
    if (response.status === 412 && response.headers.get("Content-Type")?.startsWith("application/json")) {
      decide(await response.json());
      return false;
    }
    if (response.status === 412) {
      $("#stale").hidden = false;
      $("#stale").scrollIntoView({ block: "center" });
      return false;
    }
    const answer = new DOMParser().parseFromString(await response.text(), "text/html");
    const alert = answer.querySelector("[role=alert]");
    if (!alert) return false;
    for (const link of alert.querySelectorAll("li a[href^='#']")) markWrong(link);
    $("#trouble").replaceChildren(document.importNode(alert, true));
    $("#trouble").focus();
    $("#trouble").scrollIntoView({ block: "center" });
    return false;
  }

  function markWrong(link) {
    const name = decodeURIComponent(link.getAttribute("href").slice(1));
    const block = /^blocks\[(\d+)\]/.exec(name);
    if (block) blockAt(Number(block[1]));
    const input = document.getElementById(name) ?? document.getElementById(name.replace(/\[\d+\]$/, ""));
    if (!input) return;
    input.setAttribute("aria-invalid", "true");
    input.closest("details")?.setAttribute("open", "");
    link.setAttribute("href", "#" + input.id);
    if (block) {
      const note = document.createElement("p");
      note.className = "block-wrong";
      note.textContent = link.nextSibling?.textContent.trim() ?? "";
      link.textContent = `${words("Block")} ${Number(block[1]) + 1}:`;
      input.after(note);
    }
  }

  // ---- Two people in one post ----

  // tell shows a notice with a name in it, or hides it.
  function tell(id, name) {
    const box = document.getElementById(id);
    box.hidden = !name;
    if (name) box.textContent = box.dataset.text.replace("{0}", name);
  }

  // decide shows what two people changed, one beside the other, and puts what was chosen
  // into the form.
  function decide({ by, version, merged, clashes }) {
    const box = $("#clash");
    const title = $("[data-clash-title]", box);
    title.textContent = title.dataset.text.replace("{0}", by);
    const gone = $("[data-clash-gone]", box).textContent;
    const kept = new Map();
    const rows = clashes.map((clash, i) => {
      const row = $("[data-clash-one]", box).content.firstElementChild.cloneNode(true);
      const block = clash.name === "blocks";
      $("[data-mine]", row).textContent = block ? clash.my_block?.content ?? gone : clash.mine;
      $("[data-theirs]", row).textContent = block ? clash.their_block?.content ?? gone : clash.theirs;
      if (!block || !clash.my_block || !clash.their_block) $("[data-keep=both]", row).remove();
      row.addEventListener("click", (event) => {
        const button = event.target.closest("[data-keep]");
        if (!button) return;
        kept.set(i, button.dataset.keep);
        for (const each of $$("[data-keep]", row)) each.setAttribute("aria-pressed", String(each === button));
        if (kept.size === clashes.length) settleClash(merged, version, clashes, kept);
      });
      return row;
    });
    $("[data-clashes]", box).replaceChildren(...rows);
    box.hidden = false;
    box.scrollIntoView({ block: "center" });
    box.focus();
  }

  function settleClash(merged, version, clashes, kept) {
    merged.blocks ??= [];
    for (const [i, clash] of [...clashes.entries()].reverse()) {
      const keep = kept.get(i);
      if (keep === "theirs") continue;
      if (clash.name !== "blocks") merged[clash.name] = clash.mine;
      else if (keep === "both") merged.blocks.splice(clash.at + 1, 0, clash.my_block);
      else merged.blocks.splice(clash.at, clash.their_block ? 1 : 0, ...(clash.my_block ? [clash.my_block] : []));
    }
    write(merged);
    forgetSteps();
    field("version").value = version;
    saved = null;
    $("#clash").hidden = true;
    changed();
    $("[data-save]", form).focus();
  }

  // beat says that the post is open here, and hears who else has it, and who saved it.
  const tab = Array.from(crypto.getRandomValues(new Uint8Array(12)), (n) => n.toString(16).padStart(2, "0")).join("");
  let beating = 0;
  async function beat() {
    clearTimeout(beating);
    let every = 15;
    if (form.dataset.key !== "new" && document.visibilityState === "visible") {
      try {
        const response = await post(`${form.getAttribute("action")}/here`, { tab });
        if (response.ok) {
          const heard = await response.json();
          every = heard.every || every;
          tell("here", heard.others.join(", "));
          tell("newer", !busy && heard.version > Number(field("version").value) && heard.by);
        }
      } catch { /* The network is gone: the next beat asks again. */ }
    }
    clearTimeout(beating);
    beating = setTimeout(beat, every * 1000);
  }

  function wirePresence() {
    document.addEventListener("visibilitychange", beat);
    addEventListener("pagehide", () => {
      if (form.dataset.key === "new") return;
      fetch(`${form.getAttribute("action")}/here`, { method: "POST", keepalive: true, body: JSON.stringify({ tab, gone: true }), headers: { "Content-Type": "application/json", "HX-Request": "true" } }).catch(() => {});
    });
    // What is planned is planned for what is written.
    $("[data-plan]").addEventListener("submit", async (event) => {
      if (!dirty()) return;
      event.preventDefault();
      const { target, submitter } = event;
      if (await save()) target.requestSubmit(submitter);
    });
    beat();
  }

  // ---- Links ----

  async function makeLink(path) {
    if (dirty() && !(await save())) return;
    const response = await ask(path, { method: "POST" });
    if (!response.ok) return refused(response);
    const link = await response.json();
    const box = $("#link");
    $("[data-link-url]", box).value = link.url;
    $("[data-link-ends]", box).textContent = new Date(link.expires_at).toLocaleString(document.documentElement.lang);
    box.hidden = false;
    box.scrollIntoView({ block: "center" });
    $("[data-link-url]", box).select();
  }

  function wireLinks() {
    document.addEventListener("submit", (event) => {
      if (!event.target.matches("[data-link]")) return;
      event.preventDefault();
      makeLink(event.target.getAttribute("action"));
    });
    const copy = $("[data-link-copy]");
    copy.hidden = !navigator.clipboard;
    copy.addEventListener("click", async () => {
      await navigator.clipboard.writeText($("[data-link-url]").value);
      copy.textContent = copy.dataset.done;
    });
  }

  // ---- Keys and buttons ----

  function wireKeys() {
    document.addEventListener("keydown", (event) => {
      const held = event.ctrlKey || event.metaKey;
      if (held && !event.shiftKey && event.key.toLowerCase() === "s") {
        event.preventDefault();
        save();
      }
    });
    list.addEventListener("keydown", (event) => {
      const block = event.target.closest("[data-block]");
      if (!block) return;
      const held = event.ctrlKey || event.metaKey;
      const arrow = { ArrowUp: "up", ArrowDown: "down" }[event.key];
      const onGrip = event.target.closest("[data-grip]");
      if (arrow && (onGrip || event.altKey)) act(block, arrow, event.target);
      else if (held && event.key === "Enter") focusOn(insert({}, block));
      else if (held && event.shiftKey && event.key.toLowerCase() === "d") duplicate(block);
      else return;
      event.preventDefault();
    });
  }

  function wireForm() {
    form.addEventListener("submit", (event) => {
      const button = event.submitter;
      event.preventDefault();
      if (button?.dataset.add) return focusOn(insert({ type: button.dataset.add }));
      if (button?.dataset.do) return act(button.closest("[data-block]"), button.dataset.do, button);
      save(button?.value || "save");
    });
    form.addEventListener("input", (event) => {
      const block = event.target.closest("[data-block]");
      if (block) {
        hold(block);
        at = notes.get(block).place;
        if (event.target.name === "b.content" && dataOf(block).type === "image") showPicture(block, addressOf(event.target.value));
      }
      changed(event.target);
    });
    form.addEventListener("change", (event) => {
      const block = event.target.closest("[data-block]");
      if (!block || !["b.type", "b.layout"].includes(event.target.name)) return;
      hold(block);
      equip(block);
      arranged();
    });
    list.addEventListener("focusin", (event) => {
      const shelf = event.target;
      if (!isShelf(shelf)) return;
      const { place, data } = notes.get(shelf);
      const backwards = event.relatedTarget && shelf.compareDocumentPosition(event.relatedTarget) & Node.DOCUMENT_POSITION_FOLLOWING;
      focusOn(blockAt(backwards ? place + data.length - 1 : place));
    });
    addEventListener("scroll", () => { if (count > stretchMax) follow(); }, { passive: true });
    $("[data-views]", form).addEventListener("click", (event) => {
      const button = event.target.closest("button");
      if (button) view(button.dataset.view);
    });
    addEventListener("resize", previewSoon);
    addEventListener("pagehide", () => { if (dirty()) remember(read()); });
  }

  // restore puts back what this browser remembers of the post.
  function restore() {
    const draft = recall();
    if (!draft || (saved && same(draft, saved))) return forget();
    const original = read();
    write(draft);
    field("version").value = draft.version;
    const box = $("#restored");
    box.hidden = false;
    const offered = $("#unsaved");
    if (offered) offered.hidden = true;
    $("[data-restored-discard]", box).addEventListener("click", () => {
      write(original);
      field("version").value = original.version;
      forget();
      ask(`/office/blog/unsaved/${form.dataset.key}/discard`, { method: "POST" });
      box.hidden = true;
      showState();
    });
  }

  let started = false;
  function start() {
    for (const each of $$("[data-views], [data-preview], [data-hints], [data-thumb], [data-tools]", form)) each.hidden = false;
    list.classList.add("live");
    adopt();
    settle();
    // What the page shows is saved, unless it was asked for the unsaved copy.
    saved = new URLSearchParams(location.search).has("unsaved") ? null : read();
    wireDragging();
    wireImages();
    wirePasting();
    wireCover();
    wireLinks();
    wireKeys();
    wireForm();
    wirePresence();
    restore();
    wireSteps();
    wireFind();
    wireLength();
    started = true;
    if (dirty()) changed();
    else if (form.dataset.key !== "new") showState();
    if (!matchMedia("(min-width: 64rem)").matches) view("write");
    else afterPaint(preview);
  }
  start();
})();
