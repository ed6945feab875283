// A pointer press on a control gives the focus to the player as a whole, so that
// space and the arrows mean the player; only the Tab key gives it to the control.

const CONTROLS = ".te-buttons, .te-node, .te-chips button, .te-row";

export function keepFocus(root: HTMLElement): void {
  root.addEventListener("mousedown", (event) => {
    // browsers ring an element focused by script, which a pointer does not need
    root.classList.add("te-pointed");
    if (!(event.target as Element).closest(CONTROLS)) return;
    event.preventDefault();
    root.focus({ preventScroll: true });
  });
  root.addEventListener("keydown", () => root.classList.remove("te-pointed"));
}
