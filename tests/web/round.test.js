import assert from "node:assert/strict";
import test from "node:test";

import { rollHand } from "../../web/game/hands.js";
import { Random } from "../../web/game/random.js";
import { isEnding, legalActions, newRound, play, sayAction, settle, whyNot } from "../../web/game/round.js";
import { json, keys, rulesOf } from "./files.js";

/** Return ascending actions as the first and the last of each run of consecutive ones. */
function runsOf(actions) {
  const isEnd = (place, step) => actions[place + step] !== actions[place] + step;
  return actions.flatMap((action, place) => [-1, 1].flatMap((step) => (isEnd(place, step) ? [action] : [])));
}

for (const key of keys(".rounds.json")) {
  const rules = rulesOf(key);

  test(`${key}: every turn has the legal actions of Python, and endings settle alike`, () => {
    const sets = json(`${key}.legal.json`);
    for (const { opener, actions, legal, hands, settled } of json(`${key}.rounds.json`)) {
      let round = newRound(rules, opener);
      actions.forEach((action, place) => {
        assert.deepEqual(runsOf(legalActions(round)), sets[legal[place]]);
        round = play(round, action);
      });
      assert.ok(isEnding(rules, round.ending));
      assert.equal(round.turn, -1);
      const { bid, ...found } = settle(round, hands);
      assert.deepEqual(found, settled);
      assert.ok(rules.bids.includes(bid));
    }
  });

  test(`${key}: what is not legal throws and changes nothing`, () => {
    const round = newRound(rules, 0);
    const legal = new Set(legalActions(round));
    for (let action = -1; action < rules.endings + 3; action++) {
      if (!legal.has(action)) assert.throws(() => play(round, action), RangeError);
    }
    assert.deepEqual(round.history, []);
    assert.throws(() => settle(round, []), RangeError);
  });

  test(`${key}: what Python says of an illegal bid ends with why it may not follow`, () => {
    const refused = json(`${key}.refused.json`);
    assert.ok(refused.length > 0);
    for (const { history, bid, zh, en } of refused) {
      const why = whyNot(history.reduce(play, newRound(rules, 0)), rules.bids[bid]);
      assert.ok(zh.endsWith(`：${why.zh}`) && en.endsWith(`: ${why.en}`), `${en} | ${why.en}`);
    }
  });

  test(`${key}: every action has a name`, () => {
    for (let action = 0; action < rules.endings; action++) {
      const { kind, bid } = sayAction(rules, action);
      assert.equal(kind, action < rules.bids.length ? "bid" : "double");
      assert.equal(bid, rules.bids[action % rules.bids.length]);
    }
    assert.deepEqual(sayAction(rules, rules.endings), { kind: "challenge", distance: 1 });
    if (/southern|northern/.test(key)) {
      assert.deepEqual(sayAction(rules, rules.endings + 1), { kind: "give-up" });
    }
  });
}

test("hands are rolled fairly, and straights again where they are no hands", () => {
  const rules = rulesOf("ktv-2");
  const random = new Random(7);
  const seen = Array.from({ length: 7 }, () => 0);
  for (let turn = 0; turn < 6000; turn++) {
    const hand = rollHand(rules, random);
    assert.ok(new Set(hand).size < 5);
    for (const face of hand) seen[face] += 1;
  }
  // 30,000 dice: the mean and four standard errors.
  const margin = 4 * Math.sqrt((30000 * 5) / 36) * 2;
  assert.ok(seen.slice(1).every((number) => Math.abs(number - 5000) < margin));
});

test("equal seeds give equal numbers from 0 to 1", () => {
  const [one, other] = [new Random(5), new Random(5)];
  for (let turn = 0; turn < 1000; turn++) {
    const number = one.next();
    assert.equal(number, other.next());
    assert.ok(number >= 0 && number < 1);
  }
  assert.notEqual(new Random(6).next(), new Random(5).next());
});
