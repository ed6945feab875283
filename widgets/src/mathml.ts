// Rules arrive as MathML text. They are rebuilt element by element from a list of
// what may appear, so that nothing else in the text can become an element.

const MATHML = "http://www.w3.org/1998/Math/MathML";

const ELEMENTS = new Set(
  (
    "math mrow mi mn mo ms mtext mspace mfrac msqrt mroot mstyle mpadded mphantom " +
    "msub msup msubsup munder mover munderover mtable mtr mtd"
  ).split(" "),
);

const ATTRIBUTES = new Set(
  (
    "accent accentunder columnalign columnspacing depth dir display displaystyle fence form " +
    "height largeop linethickness lspace mathvariant maxsize minsize movablelimits rowspacing " +
    "rspace scriptlevel separator stretchy symmetric voffset width"
  ).split(" "),
);

export function allowsElement(name: string): boolean {
  return ELEMENTS.has(name.toLowerCase());
}

export function allowsAttribute(name: string): boolean {
  return ATTRIBUTES.has(name.toLowerCase());
}

/** The formula as an element, or null where the text holds none. */
export function formula(source: string): Element | null {
  if (!source) return null;
  // a document made by DOMParser is inert: it runs no script and loads no picture
  const math = new DOMParser().parseFromString(source, "text/html").querySelector("math");
  return math ? copy(math) : null;
}

function copy(from: Element): Element {
  const to = document.createElementNS(MATHML, from.localName);
  for (const { name, value } of from.attributes) {
    if (allowsAttribute(name)) to.setAttribute(name, value);
  }
  for (const child of from.childNodes) {
    if (child instanceof Element && allowsElement(child.localName)) to.append(copy(child));
    else if (child instanceof Element || child instanceof Text) to.append(child.textContent ?? "");
  }
  return to;
}
