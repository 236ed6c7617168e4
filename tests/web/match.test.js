import assert from "node:assert/strict";
import test from "node:test";

import { act, newMatch, nextRound, played, roundOf } from "../../web/match/match.js";
import { isOver } from "../../web/match/score.js";
import { legalActions, settle } from "../../web/game/round.js";
import { Random } from "../../web/game/random.js";
import { keys, rulesOf } from "./files.js";

/** Play a match to its end by random actions. */
function wholeMatch(rules, random) {
  const seats = Array.from({ length: rules.players }, (_, seat) => (seat === 0 ? null : "policy"));
  let match = newMatch(rules, seats, { kind: "rounds", number: 4 }, random);
  while (!isOver(match)) {
    if (match.ending !== null) match = nextRound(rules, match, random);
    const legal = legalActions(roundOf(rules, match));
    match = act(rules, match, legal[Math.floor(random.next() ** 3 * legal.length)]);
    if (match.history.length > 2 && match.ending === null) match = act(rules, match, rules.endings);
  }
  return match;
}

for (const key of keys(".rules.json")) {
  const rules = rulesOf(key);
  const match = wholeMatch(rules, new Random(5));

  test(`${key}: a match that was played keeps its rounds, and they settle as they did`, () => {
    const { log, rounds, points } = played(match);
    assert.equal(log.length, rounds);
    const paid = points.map(() => 0);
    for (const round of log) {
      const { loser, points: price } = settle(roundOf(rules, round), round.hands);
      paid[loser] += price;
    }
    assert.deepEqual(paid, points);
  });

  test(`${key}: a match that an older page began keeps its result alone`, () => {
    assert.equal(played({ ...match, log: undefined }).log, undefined);
    assert.equal(played({ ...match, log: match.log.slice(1) }).log, undefined);
  });
}
