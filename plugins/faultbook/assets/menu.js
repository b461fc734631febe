// The short menu of narrow pages closes as a menu does: by Escape, by a click elsewhere, by Tab out of it.

/** Watches the menu of the header. */
export function start() {
  const menu = document.querySelector("details.fb-drop");
  /** @param {EventTarget | null} goal */
  const leave = (goal) => {
    if (goal instanceof Node && !menu?.contains(goal)) menu?.removeAttribute("open");
  };
  document.addEventListener("pointerdown", (event) => leave(event.target));
  document.addEventListener("focusin", (event) => leave(event.target));
  document.addEventListener("keydown", (event) => {
    if (event.key !== "Escape" || !menu?.matches("[open]")) return;
    menu.removeAttribute("open");
    menu.querySelector("summary")?.focus();
  });
}
