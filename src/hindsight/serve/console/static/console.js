// What the console's pages do with a script; without one they work all the same.
"use strict";
// While a word is being composed (Chinese, Japanese, Korean …) its letters are no query yet.
document.addEventListener("input", (event) => { if (event.isComposing) event.stopImmediatePropagation(); }, true);
document.addEventListener("compositionend", (event) => event.target.dispatchEvent(new Event("input", { bubbles: true })), true);
// Fields that say nothing stay out of the address.
document.addEventListener("htmx:configRequest", (event) => {
  const fields = event.detail.formData;
  for (const [name, value] of [...fields]) if (value === "") fields.delete(name);
});
