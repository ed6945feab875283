// Entry of the GraphPlayer bundle, in the form anywidget asks for.
import { Player } from "./player";
import type { Model } from "./scene";
import css from "./style";

export default {
  render({ model, el }: { model: Model; el: HTMLElement }): () => void {
    const style = document.createElement("style");
    style.textContent = css;
    el.append(style);
    const player = new Player(model, el);
    return () => {
      player.dispose();
      style.remove();
    };
  },
};
