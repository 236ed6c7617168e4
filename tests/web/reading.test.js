import assert from "node:assert/strict";
import test from "node:test";

import { advise } from "../../web/policy/advice.js";
import { chanceOf } from "../../web/policy/chances.js";
import { decide, OPPONENTS } from "../../web/policy/opponents.js";
import { newRound, play } from "../../web/game/round.js";
import { Random } from "../../web/game/random.js";
import { json, keys, rulesOf } from "./files.js";

const NEAR = 1e-6;

for (const key of keys(".readings.json")) {
  const rules = rulesOf(key);
  const after = (history) => history.reduce(play, newRound(rules, 1));

  test(`${key}: chances and the reader's actions are Python's`, () => {
    for (const { history, hand, action, chances } of json(`${key}.readings.json`)) {
      const round = after(history);
      chances.forEach((chance, bid) => {
        assert.ok(Math.abs(chanceOf(rules, null, round, hand, bid) - chance) < NEAR);
      });
      const reader = OPPONENTS.find(({ id }) => id === "reader");
      assert.equal(decide(reader, rules, null, round, hand, new Random(1)), action);
      const advice = advise(rules, null, round, hand);
      assert.equal(advice.best, action);
      assert.equal(advice.ground, "reading");
      assert.equal(advice.rows[0].action, action);
    }
  });

  test(`${key}: rule-based players do what they do in Python`, () => {
    const ruled = OPPONENTS.filter(({ id }) => !["policy", "reader"].includes(id));
    for (const { history, hand, actions } of json(`${key}.decisions.json`)) {
      const round = after(history);
      for (const opponent of ruled) {
        const action = decide(opponent, rules, null, round, hand, new Random(1));
        assert.equal(action, actions[opponent.id], opponent.id);
      }
      assert.deepEqual(ruled.map(({ id }) => id).sort(), Object.keys(actions).sort());
    }
  });
}
