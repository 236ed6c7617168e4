import assert from "node:assert/strict";
import test from "node:test";

import { advise } from "../../web/policy/advice.js";
import { chanceOf } from "../../web/policy/chances.js";
import { decide, OPPONENTS } from "../../web/policy/opponents.js";
import { personWho } from "../../web/policy/people.js";
import { rangesOf } from "../../web/policy/ranges.js";
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

  test(`${key}: among people who are described, ranges, chances and actions are Python's`, () => {
    for (const { history, hand, others, ranges, chances, action } of json(`${key}.people.json`)) {
      const round = after(history);
      const people = peopleAt(rules, round, others);
      const found = rangesOf(rules, null, round, people);
      ranges.forEach((range, place) => {
        const its = found[(round.turn + 1 + place) % rules.players];
        range.forEach((one, number) => assert.ok(Math.abs(its[number] - one) < NEAR));
      });
      chances.forEach((chance, bid) => {
        assert.ok(Math.abs(chanceOf(rules, null, round, hand, bid, round.turn, people) - chance) < NEAR);
      });
      const advice = advise(rules, null, round, hand, people);
      assert.equal(advice.best, action);
      assert.equal(advice.ground, "people");
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

/** Return [seat] the people at a table; `others`: how they bid, in turn order after the one to move. */
function peopleAt(rules, round, others) {
  const people = Array.from({ length: rules.players }, () => null);
  others.forEach((manner, place) => {
    people[(round.turn + 1 + place) % rules.players] = manner && personWho(rules, manner);
  });
  return people;
}

test("what is said of people changes the chances at once, and nothing said leaves them", () => {
  const rules = rulesOf("zhaifei-4");
  const round = [40, 52].reduce(play, newRound(rules, 1));
  const chances = [null, "careful", "bluffs"].map((manner) =>
    chanceOf(rules, null, round, [1, 2, 3, 4, 5], 52, 0, peopleAt(rules, { turn: 3 }, [null, null, manner])),
  );
  assert.equal(chances[0], chanceOf(rules, null, round, [1, 2, 3, 4, 5], 52, 0));
  assert.ok(chances[1] > chances[2], "the bid of a careful player holds more often");
});
