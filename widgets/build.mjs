// Builds one self-contained ES module per widget: `npm run build [-- FOLDER]`.
import { build } from "esbuild";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

const here = fileURLToPath(new URL(".", import.meta.url));
const outdir = process.argv[2] ?? `${here}tinyengine_widgets/static`;

/** Imports of .css files become minified strings. */
const cssText = {
  name: "css-text",
  setup(b) {
    b.onLoad({ filter: /\.css$/ }, async ({ path }) => {
      const css = readFileSync(path, "utf8");
      const { code } = await b.esbuild.transform(css, {
        loader: "css",
        minify: true,
        target: "es2022",
      });
      return { contents: code.trim(), loader: "text" };
    });
  },
};

await build({
  absWorkingDir: here,
  entryPoints: ["src/graphplayer.ts"],
  outdir,
  bundle: true,
  minify: true,
  format: "esm",
  target: "es2022",
  charset: "utf8",
  legalComments: "none",
  plugins: [cssText],
  logLevel: "warning",
});
