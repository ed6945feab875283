// Nodes as buttons: one tab stop for the graph, up and down move among its nodes.

/** Listens on the element around the picture: an SVG element that listens for focus takes it. */
export function reachNodes(stage: HTMLElement, choose: (id: string) => void): void {
  const nodes = [...stage.querySelectorAll<SVGGElement>(".te-node")];
  const nodeOf = (event: Event): SVGGElement | undefined =>
    (event.target as Element).closest<SVGGElement>(".te-node") ?? undefined;
  const pick = (event: Event): void => {
    const id = nodeOf(event)?.dataset["id"];
    if (id !== undefined) choose(id);
  };
  stage.addEventListener("click", pick);
  stage.addEventListener("focusin", (event) => {
    const now = nodeOf(event);
    if (now) for (const node of nodes) node.setAttribute("tabindex", node === now ? "0" : "-1");
  });
  stage.addEventListener("keydown", (event) => {
    const now = nodeOf(event);
    if (!now || event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return;
    const move = { ArrowUp: -1, ArrowDown: 1 }[event.key];
    if (move) nodes[nodes.indexOf(now) + move]?.focus();
    else if (event.key === "Enter" || event.key === " ") pick(event);
    else return;
    event.preventDefault();
    event.stopPropagation();
  });
}
