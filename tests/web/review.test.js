import assert from "node:assert/strict";
import test from "node:test";

import { graded, isSeen, reviewRound } from "../../web/match/review.js";
import { isEnding, legalActions, newRound, play } from "../../web/game/round.js";
import { rollHand } from "../../web/game/hands.js";
import { Random } from "../../web/game/random.js";
import { decide, OPPONENTS } from "../../web/policy/opponents.js";
import { policyFrom } from "../../web/policy/policy.js";
import { bytes, json, keys, rulesOf } from "./files.js";

/** Play a round: seat 0 by `choose`, the others by the policy. */
function playedRound(rules, policy, random, choose) {
  const hands = Array.from({ length: rules.players }, () => rollHand(rules, random));
  let round = newRound(rules, Math.floor(random.next() * rules.players));
  const { opener } = round;
  while (round.ending === null) {
    const hand = hands[round.turn];
    const action =
      round.turn === 0 ? choose(round, hand) : decide(OPPONENTS[0], rules, policy, round, hand, random);
    round = play(round, action);
  }
  return { opener, hands, history: [...round.history], ending: round.ending };
}

for (const key of keys(".policy.json")) {
  const rules = rulesOf(key);
  const policy = policyFrom(rules, bytes(json(`${key}.policy.json`).file));
  const random = new Random(11);
  const decisions = (choose) =>
    Array.from({ length: 20 }, () => reviewRound(rules, policy, playedRound(rules, policy, random, choose), 0))
      .flatMap((round) => round.decisions);
  const highest = (round) => legalActions(round).filter((action) => !isEnding(rules, action)).pop() ?? rules.endings;

  test(`${key}: the shares of the policy decide how a decision is graded`, () => {
    const found = decisions((round) => (round.history.length ? rules.endings : highest(round)));
    assert.ok(found.length > 10);
    for (const { round, hand, action, grade, advice } of found) {
      const share = policy.shares(round.history, hand)?.get(action) ?? 0;
      if (advice.ground === "policy") assert.equal(share === 0, grade === "never");
      if (grade === "often") assert.ok(share >= 0.1 * advice.rows[0].share);
      if (grade === "sometimes") assert.ok(share < 0.1 * advice.rows[0].share);
    }
    assert.ok(found.some(({ grade }) => grade === "never"));
    assert.ok(found.some(({ grade }) => grade === "often"));
  });

  test(`${key}: who does what is advised differs nowhere`, () => {
    for (const { advice, grade } of decisions((round, hand) => decide(OPPONENTS[0], rules, policy, round, hand, random))) {
      if (advice.ground === "policy") assert.ok(["often", "sometimes"].includes(grade));
      assert.ok(["often", "advised"].includes(graded(advice, advice.best)));
    }
  });

  test(`${key}: what the program did for somebody is not theirs`, () => {
    const hands = Array.from({ length: rules.players }, () => [1, 2, 2, 3, 3]);
    const [bid] = legalActions(newRound(rules, 1));
    const round = { opener: 1, hands, history: [bid], ending: rules.endings };
    const own = (program) => reviewRound(rules, policy, { ...round, program }, 1).decisions.length;
    assert.deepEqual([own(undefined), own([]), own([1]), own([0])], [1, 1, 1, 0]);
  });

  test(`${key}: a round that breaks the rules is refused`, () => {
    const hands = Array.from({ length: rules.players }, () => [1, 2, 2, 3, 3]);
    const round = { opener: 0, hands, history: [40, 3], ending: rules.endings };
    assert.throws(() => reviewRound(rules, policy, round, 0), RangeError);
  });
}

test("of a real table only decisions with known dice count, and what nobody saw stays open", () => {
  const rules = rulesOf("zhaifei-3");
  const [bid] = legalActions(newRound(rules, 0));
  const hands = [[1, 2, 2, 3, 3], [4, 4, 5, 5, 6], [6]];
  const round = { opener: 0, hands, history: [bid], ending: rules.endings, loser: 1 };
  const of = (seat, changed) => reviewRound(rules, null, { ...round, ...changed }, seat);
  assert.deepEqual([0, 1, 2].map((seat) => of(seat).decisions.length), [1, 1, 0]);
  assert.equal(of(2).hand, null);
  const { counted, loser, points } = of(0).settled;
  assert.deepEqual([counted, loser, points], [null, 1, 1]);
  assert.equal(of(0, { loser: null }).settled.loser, null);
  assert.equal(of(0, { ending: null, loser: null }).settled, null);
  const seen = { ...round, hands: [hands[0], hands[1], [2, 2, 2, 2, 2]] };
  assert.ok(!isSeen(rules, round) && isSeen(rules, seen) && !isSeen(rules, { ...seen, ending: null }));
  assert.equal(of(0, seen).settled.counted, 8);
});
