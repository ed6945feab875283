// The words of a step: which one it is, one sentence, one rule.
import { html, text } from "./dom";
import { formula } from "./mathml";
import { fill, type Scene } from "./scene";
import { lastStep } from "./timeline";

export class Narration {
  readonly root: HTMLElement;
  private readonly count = html("span", { class: "te-key" });
  private readonly sentence = html("span", { class: "te-sentence", "aria-live": "polite" });
  private readonly key: HTMLElement;
  private readonly rule = html("span", { class: "te-rule" });

  constructor(private readonly scene: Scene) {
    this.key = html("span", { class: "te-key" }, scene.ui.rule);
    this.root = html(
      "div",
      { class: "te-say" },
      this.count,
      this.sentence,
      this.key,
      this.rule,
    );
  }

  show(step: number): void {
    const frame = this.scene.frames[step];
    if (!frame) return;
    text(this.count, fill(this.scene.ui.step, step, lastStep(this.scene)));
    text(this.sentence, frame.sentence);
    const math = formula(frame.rule);
    this.rule.replaceChildren(math ?? frame.rule_text);
    this.key.hidden = !this.rule.textContent;
    // a formula cannot wrap; where it is too long, the keyboard must reach its end too
    if (this.rule.scrollWidth > this.rule.clientWidth) this.rule.tabIndex = 0;
    else this.rule.removeAttribute("tabindex");
  }
}
