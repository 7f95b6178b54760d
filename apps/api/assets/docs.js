// Filters the operations, expands the one that the address names, and copies examples.
const form = document.querySelector(".filter");
const groups = [...document.querySelectorAll(".group")].map((element) => ({
  element,
  operations: [...element.querySelectorAll(".operation")],
}));

if (form) {
  const box = form.querySelector("input");
  const count = document.querySelector("#count");
  const nothing = document.querySelector(".nothing");
  const total = groups.flatMap(({ operations }) => operations).length;

  const filter = () => {
    const words = box.value.toLowerCase().split(/\s+/).filter(Boolean);
    let matching = 0;
    for (const { element, operations } of groups) {
      for (const operation of operations) {
        operation.hidden = !words.every((word) => operation.dataset.words.includes(word));
      }
      const shown = operations.filter(({ hidden }) => !hidden).length;
      element.hidden = shown === 0;
      matching += shown;
    }
    nothing.hidden = matching > 0;
    count.textContent =
      words.length === 0 ? `${total} operations` : `${matching || "None"} of ${total} operations match`;
  };
  const clear = () => {
    box.value = "";
    filter();
    box.focus();
  };

  form.hidden = false;
  box.addEventListener("input", () => {
    filter();
    // The matches are below the box.
    form.parentElement.querySelector("#operations").scrollIntoView();
  });
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    document.querySelector(".operation:not([hidden]) > summary")?.focus();
  });
  document.querySelector(".clear").addEventListener("click", clear);
  document.addEventListener("keydown", (event) => {
    const isTyping = event.target.matches("input, textarea");
    if (event.key === "Escape" && event.target === box) clear();
    if (event.key !== "/" || isTyping || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    box.focus();
  });

  const openNamed = () => {
    const named = document.getElementById(decodeURIComponent(location.hash.slice(1)));
    if (!named?.matches("details")) return;
    if (named.hidden) clear();
    named.open = true;
    named.scrollIntoView();
    named.querySelector("summary").focus();
  };
  addEventListener("hashchange", openNamed);
  openNamed();
  // A browser may restore a typed word.
  filter();
}

for (const button of document.querySelectorAll(".copy")) {
  button.hidden = false;
  button.addEventListener("click", async () => {
    const text = button.parentElement.querySelector("pre").textContent;
    const copied = await copy(text, button.parentElement.querySelector("code"));
    button.textContent = copied ? "Copied" : "Selected";
  });
}

/** Copies a text; selects its element if the browser denies access to the clipboard, as on plain HTTP. */
async function copy(text, element) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    getSelection().selectAllChildren(element);
    return false;
  }
}
