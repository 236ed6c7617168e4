/** Rules of your bar: answers that exclude each other, and what is said of policies that were solved. */

import assert from "node:assert/strict";
import test from "node:test";

import { isOwn } from "../../web/game/rules.js";
import { withAnswer } from "../../web/own/asking.js";

globalThis.navigator ??= { language: "en" };
globalThis.addEventListener = () => {};
const { figureInWords } = await import("../../web/parts/hint.js");

const ANY = { name: "hands", asked: "", many: true, options: [], given: [] };
const ONE = { name: "doubles", asked: "", many: false, options: [], given: [""] };
const NONE = { players: 2, counts: {}, chosen: {} };

/** Return what is chosen after taps on answers to a question. */
function tapped(question, ...values) {
  return values.reduce((answers, value) => withAnswer(answers, question, value), NONE).chosen[question.name];
}

test("of answers that exclude each other the last holds", () => {
  assert.deepEqual(tapped(ONE, "doubles=2", "doubles=2-4"), ["doubles=2-4"]);
  assert.deepEqual(tapped(ANY, "straight=nothing", "straight=rolled-again"), ["straight=rolled-again"]);
  assert.deepEqual(tapped(ANY, "five-alike", "five-alike=pure"), ["five-alike=pure"]);
});

test("others hold together, and a second tap takes one back", () => {
  assert.deepEqual(tapped(ANY, "straight=nothing", "five-alike"), ["straight=nothing", "five-alike"]);
  assert.deepEqual(tapped(ANY, "straight=nothing", "five-alike", "straight=nothing"), ["five-alike"]);
});

test("an answer changes no other question", () => {
  const before = { players: 3, counts: { first_count: 3 }, chosen: { ones: ["ones-highest"] } };
  const after = withAnswer(before, ONE, "doubles=2");
  assert.deepEqual(after, { ...before, chosen: { ones: ["ones-highest"], doubles: ["doubles=2"] } });
});

test("own rules are told from presets by their name", () => {
  assert.deepEqual(["ktv", "ktv~doubles=2-4", "zhaifei~jump"].map(isOwn), [false, true, true]);
});

test("a figure that was only measured is not called proved", () => {
  const policy = { name: "", figure: 0.01135, proved: false };
  const two = figureInWords({ players: 2 }, policy);
  assert.match(two, /measured.* 0\.0114 /);
  assert.notEqual(two, figureInWords({ players: 3 }, policy));
  assert.doesNotMatch(two, /proved/);
  assert.match(figureInWords({ players: 2 }, { ...policy, name: "ktv-2p", proved: true }), /ktv-2p.*proved/);
  assert.match(figureInWords({ players: 2 }, { ...policy, figure: NaN }), /nobody has measured/);
  assert.match(figureInWords({ players: 2 }, { ...policy, trimmed: true }), /0\.0114 .*smaller copy/);
});
