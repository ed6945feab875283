// The keyboard of the player. A control that has the focus keeps its own keys.
import type { Actions } from "./controls";
import { attr } from "./dom";

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
 * in here, but Ctrl+S must still save it. JupyterLab sees keys before any listener
 * in the page does, and looks for the attribute from the focused element upwards;
 * as its selectors match that element itself, the element must have it too.
 */
function suppressShortcuts(root: HTMLElement): void {
  const set = (on: boolean, ...elements: EventTarget[]): void => {
    for (const element of elements) attr(element as Element, SUPPRESS, on ? "true" : null);
  };
  set(true, root);
  for (const moved of ["focusin", "focusout"]) {
    root.addEventListener(moved, ({ target }) => set(true, root, target ?? root));
  }
  for (const press of ["keydown", "keyup"] as const) {
    root.addEventListener(press, ({ key, target }) => {
      if (MODIFIERS.has(key)) set(press === "keyup", root, target ?? root);
    });
  }
}
