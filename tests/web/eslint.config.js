import js from "@eslint/js";
import globals from "globals";

export default [
  { ignores: ["web/vendor/"] },
  js.configs.recommended,
  {
    files: ["web/**/*.js"],
    languageOptions: { globals: { ...globals.browser, ...globals.serviceworker } },
    linterOptions: { reportUnusedDisableDirectives: "error" },
    rules: {
      eqeqeq: "error",
      "no-var": "error",
      "prefer-const": "error",
      "max-lines": ["error", 400],
      "max-lines-per-function": ["error", { max: 80, skipComments: true }],
      "no-restricted-properties": [
        "error",
        { property: "innerHTML", message: "names and records must not run as code" },
      ],
    },
  },
  { files: ["tests/web/**/*.js"], languageOptions: { globals: globals.node } },
];
