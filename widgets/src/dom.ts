// Element builders. Children are text or elements: text never becomes markup.

type Attributes = Record<string, string | number>;

const SVG = "http://www.w3.org/2000/svg";

function fillIn<E extends Element>(node: E, attributes: Attributes, children: (Node | string)[]): E {
  for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, String(value));
  node.append(...children);
  return node;
}

export function html<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  attributes: Attributes = {},
  ...children: (Node | string)[]
): HTMLElementTagNameMap[K] {
  return fillIn(document.createElement(tag), attributes, children);
}

export function svg<K extends keyof SVGElementTagNameMap>(
  tag: K,
  attributes: Attributes = {},
  ...children: (Node | string)[]
): SVGElementTagNameMap[K] {
  return fillIn(document.createElementNS(SVG, tag), attributes, children);
}

/** Set an attribute only where it differs: an untouched one costs no style work. */
export function attr(node: Element, name: string, value: string | null): void {
  if (node.getAttribute(name) === value) return;
  if (value === null) node.removeAttribute(name);
  else node.setAttribute(name, value);
}

/** Set a text only where it differs. */
export function text(node: Element, value: string): void {
  if (node.textContent !== value) node.textContent = value;
}
