// The keyboard of the player. A control that has the focus keeps its own keys.
import type { Actions } from "./controls";

const MODIFIERS = new Set(["Control", "Meta"]);
const SUPPRESS = "data-lm-suppress-shortcuts";

/** What a key does on the player, or null where it is not the player's. */
export function action(key: string, actions: Actions, last: number): (() => void) | null {
  switch (key) {
    case " ":
      return () => actions.toggle();
    case "ArrowLeft":
      return () => actions.move(-1);
    case "ArrowRight":
      return () => actions.move(1);
    case "Home":
      return () => actions.go(0);
    case "End":
      return () => actions.go(last);
    default:
      return null;
  }
}

export function listen(root: HTMLElement, actions: Actions, last: number): void {
  root.addEventListener("keydown", (event) => {
    const target = event.target as Element;
    if (event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return;
    if (target.closest("select")) return;
    if (event.key === " " && target.closest("button, .te-node")) return;
    const act = action(event.key, actions, last);
    if (!act) return;
    event.preventDefault();
    event.stopPropagation();
    if (event.key !== " " || !event.repeat) act();
  });
  suppressShortcuts(root);
}

/**
 * JupyterLab's one-letter commands (a, b, x, dd) must not edit the notebook from
 * in here, but Ctrl+S must still save it: it sees keys before any listener in the
 * page does, and leaves alone those under this attribute.
 */
function suppressShortcuts(root: HTMLElement): void {
  root.setAttribute(SUPPRESS, "true");
  root.addEventListener("keydown", ({ key }) => {
    if (MODIFIERS.has(key)) root.removeAttribute(SUPPRESS);
  });
  const restore = (): void => root.setAttribute(SUPPRESS, "true");
  root.addEventListener("keyup", ({ key }) => {
    if (MODIFIERS.has(key)) restore();
  });
  root.addEventListener("focusout", restore);
  root.addEventListener("focusin", restore);
}
