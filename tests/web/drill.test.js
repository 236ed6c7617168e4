import assert from "node:assert/strict";
import test from "node:test";

import { daysToNext, daysUntil, dueAt, dueExercises, isDrill, NO_DRILL, without } from "../../web/drill/exercises.js";
import { mistakesIn, MOST, withMistakes } from "../../web/drill/mistakes.js";
import { decisionOf } from "../../web/drill/positions.js";
import { decisionsIn } from "../../web/match/review.js";
import { answered } from "../../web/drill/scheduling.js";
import { policyFrom } from "../../web/policy/policy.js";
import { bytes, json, rulesOf } from "./files.js";

const NOW = new Date(2026, 10, 27, 20, 0);
const DAY = 24 * 60 * 60 * 1000;

/** Return an exercise that was never answered, of a match that began so many days ago. */
function exercise(place, days = 1) {
  return {
    match: new Date(NOW - days * DAY).toISOString(),
    rules: "zhaifei",
    seats: [null, "policy"],
    opener: 0,
    history: [place],
    hand: [1, 2, 3, 4, 6],
    action: place + 1,
    card: null,
  };
}

test("a right answer comes again later each time, a wrong one the next day", () => {
  let one = exercise(3);
  let now = NOW;
  let before = 0;
  for (let times = 0; times < 4; times++) {
    one = answered(one, "often", now);
    const days = daysUntil(dueAt(one), now);
    assert.ok(days > before, `${days} after ${before}`);
    before = days;
    now = dueAt(one);
  }
  for (const grade of ["never", null]) {
    assert.ok(daysUntil(dueAt(answered(one, grade, now)), now) < before / 2);
    assert.equal(daysUntil(dueAt(answered(exercise(3), grade, now)), now), 1);
  }
});

test("what the policy plays sometimes comes again sooner than what it plays often", () => {
  const [often, sometimes] = ["often", "sometimes"].map((grade) => dueAt(answered(exercise(3), grade, NOW)));
  assert.ok(NOW < sometimes && sometimes < often);
});

test("a card that cannot be scheduled begins anew", () => {
  const fresh = answered(exercise(3), "often", NOW);
  const later = new Date(Number(NOW) + 100 * DAY); // then the clock is set back
  assert.deepEqual(answered(answered(exercise(3), "often", later), "often", NOW), fresh);
  const damaged = { ...fresh, card: { ...fresh.card, stability: -1 } };
  assert.deepEqual(answered(damaged, "often", NOW), fresh);
});

test("what is due in the evening is due from the midnight before", () => {
  const tomorrow = answered(exercise(3), "never", NOW);
  const drill = { exercises: [tomorrow], searched: [] };
  assert.deepEqual(dueExercises(drill, new Date(2026, 10, 27, 23, 59)), []);
  assert.equal(daysToNext(drill, NOW), 1);
  assert.deepEqual(dueExercises(drill, new Date(2026, 10, 28, 0, 1)), [tomorrow]);
  assert.equal(daysToNext(NO_DRILL, NOW), null);
});

test("the longest due comes first, and those of a match can be had alone", () => {
  const [old, fresh] = [exercise(1, 9), exercise(2, 3)];
  const drill = { exercises: [fresh, old], searched: [] };
  assert.deepEqual(dueExercises(drill, NOW), [old, fresh]);
  assert.deepEqual(dueExercises(drill, NOW, String(Date.parse(fresh.match))), [fresh]);
  assert.deepEqual(without(drill, { ...old, card: null }).exercises, [fresh]);
});

test("a mistake that is made again begins anew; an older one that is found later does not", () => {
  const known = answered(exercise(1, 5), "often", new Date(NOW - 4 * DAY));
  assert.deepEqual(withMistakes([known], [exercise(1, 2)], NOW), [exercise(1, 2)]);
  assert.deepEqual(withMistakes([known], [exercise(1, 9)], NOW), [known]);
  assert.equal(withMistakes([known], [exercise(2, 9)], NOW).length, 2);
});

test("of too many exercises the newest and the next are kept", () => {
  const many = Array.from({ length: MOST }, (_, place) => exercise(place, 50 + place));
  const [best, newest] = [answered(exercise(1000), "often", NOW), exercise(1001, 1)];
  const kept = withMistakes([...many, best], [newest], NOW);
  assert.equal(kept.length, MOST);
  assert.ok(kept.includes(newest) && kept.includes(best) && !kept.includes(many[MOST - 1]));
});

test("what was kept is a drill only if all of it is whole", () => {
  const whole = { exercises: [exercise(1), answered(exercise(2), "often", NOW)], searched: [] };
  assert.ok(isDrill(JSON.parse(JSON.stringify(whole))));
  const damaged = [
    { match: "yesterday" },
    { seats: null },
    { opener: "0" },
    { history: "3-4" },
    { card: {} },
    { card: { ...whole.exercises[1].card, stability: null } },
    { card: { ...whole.exercises[1].card, due: "soon" } },
  ];
  for (const part of damaged) assert.ok(!isDrill({ ...whole, exercises: [{ ...exercise(1), ...part }] }));
  assert.ok(!isDrill({ ...whole, searched: 3 }));
});

const KEY = "zhaifei-8";
const rules = rulesOf(KEY);
const policy = policyFrom(rules, bytes(json(`${KEY}.policy.json`).file));
const PLAYED = {
  opener: 0,
  hands: Array.from({ length: 8 }, () => [2, 3, 3, 4, 6]),
  history: [rules.bids.length - 1],
  ending: rules.endings,
};
const MATCH = { begun: NOW.toISOString(), rules: "zhaifei", seats: [null, ...Array(7).fill("policy")] };

/** Return the mistakes of a round. */
const mistakes = (played, by = policy) => mistakesIn(MATCH, decisionsIn(rules, by, played, 0));

test("a decision that the policy never makes becomes an exercise, with its position", () => {
  const [found, ...others] = mistakes(PLAYED);
  assert.deepEqual(others, []);
  assert.ok(isDrill({ exercises: [found], searched: [] }));
  const decision = decisionOf({ rules, policy }, found);
  assert.equal(decision.grade, "never");
  assert.deepEqual(decision.hand, PLAYED.hands[0]);
  assert.ok(policy.shares([], decision.hand).has(decision.advice.best));
});

test("nothing is a mistake without a policy, or by other rules", () => {
  assert.deepEqual(mistakes(PLAYED, null), []);
  assert.deepEqual(mistakes({ ...PLAYED, history: [5, 1] }), []);
});

test("an exercise that the rules no longer have is refused", () => {
  const [found] = mistakes(PLAYED);
  for (const part of [{ history: [5, 1] }, { hand: [7, 7, 7, 7, 7] }, { action: 9999 }]) {
    assert.throws(() => decisionOf({ rules, policy }, { ...found, ...part }), RangeError);
  }
});
