import assert from "node:assert/strict";
import test from "node:test";

import { decisionOf } from "../../web/drill/positions.js";
import { isEnding } from "../../web/game/round.js";
import { readersAction } from "../../web/policy/advice.js";
import { policyFrom } from "../../web/policy/policy.js";
import { drawFrom, puzzleOf } from "../../web/puzzle/choosing.js";
import { dateOf, dayBefore, puzzleDate } from "../../web/puzzle/dates.js";
import { bytes, json, keys, rulesOf } from "./files.js";

/** Dates draw independently: two of them may have the same puzzle, but none of these. */
const DATES = ["2026-11-27", "2026-11-29", "2027-01-02", "2028-02-29"];

for (const key of keys(".policy.json")) {
  const rules = rulesOf(key);
  const policy = policyFrom(rules, bytes(json(`${key}.policy.json`).file));
  const puzzle = (date) => puzzleOf(rules, policy, drawFrom(date).random);

  test(`${key}: a date has one puzzle, and other dates have others`, async () => {
    const all = await Promise.all(DATES.map(puzzle));
    assert.deepEqual(await Promise.all(DATES.map(puzzle)), all);
    assert.equal(new Set(all.map((one) => JSON.stringify(one))).size, DATES.length);
  });

  test(`${key}: you decide a puzzle, its answer is what the policy plays, and counting does not find it`, async () => {
    for (const one of await Promise.all(DATES.map(puzzle))) {
      const { round, hand, action, advice, grade } = decisionOf({ rules, policy }, one);
      assert.equal(round.turn, 0);
      assert.equal(grade, "often");
      assert.equal(advice.best, action);
      assert.deepEqual(advice.equal, []);
      assert.ok(policy.shares(round.history, hand).get(action) > 0.96);
      assert.notEqual(isEnding(rules, readersAction(rules, null, round, hand)), isEnding(rules, action));
    }
  });
}

test("two to five play, on some date each", () => {
  const days = Array.from({ length: 60 }, (_, day) => dateOf(new Date(2026, 0, 1 + day)));
  assert.deepEqual(new Set(days.map((date) => drawFrom(date).players)), new Set([2, 3, 4, 5]));
});

test("an address without a date, or with one that is none or still to come, has today's puzzle", () => {
  const now = new Date(2026, 10, 27, 0, 1);
  assert.equal(dateOf(now), "2026-11-27");
  for (const asked of [undefined, "", "2026-11-28", "2026-02-30", "2026-99-01", "yesterday", "1"]) {
    assert.equal(puzzleDate(asked, now), "2026-11-27");
  }
  assert.equal(puzzleDate("2026-11-26", now), "2026-11-26");
});

test("the day before", () => {
  assert.equal(dayBefore("2026-11-01"), "2026-10-31");
  assert.equal(dayBefore("2028-03-01"), "2028-02-29");
  assert.equal(dayBefore("2027-01-01"), "2026-12-31");
});
