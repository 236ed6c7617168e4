import assert from "node:assert/strict";
import test from "node:test";

import { rulesFrom } from "../../web/game/rules.js";
import { nextStarter, rulesWith } from "../../web/game/dice_lost.js";
import { DECLINE, isAsked, legalActions, newRound, play, sayAction, settle } from "../../web/game/round.js";
import { act, newMatch, nextRound, played, roundOf } from "../../web/match/match.js";
import { diceLeft, isOver, ranking, winners } from "../../web/match/score.js";
import { matchText } from "../../web/match/record_file.js";
import { reviewRound } from "../../web/match/review.js";
import { advise } from "../../web/policy/advice.js";
import { chanceOf } from "../../web/policy/chances.js";
import { decide, OPPONENTS } from "../../web/policy/opponents.js";
import { matchPolicyFrom } from "../../web/policy/match_policy.js";
import { Random } from "../../web/game/random.js";
import { bytes, json, keep, keys } from "./files.js";

const NEAR = 1e-6;
const READER = OPPONENTS.find(({ id }) => id === "reader");
const RULED = OPPONENTS.filter(({ id }) => !["policy", "reader"].includes(id));
const DICE = { kind: "dice", number: 5 };

/** Return the rules of a match, with what rule-based players do at any number of dice. */
function matchRules(key) {
  const [, name, players] = key.match(/(.*)-(\d)/);
  const names = Array.from({ length: players - 1 }, (_, place) => `${name}-${place + 2}`);
  const written = keys(".match-players.json");
  const files = names.filter((one) => written.includes(one)).map((one) => json(`${one}.match-players.json`));
  return rulesFrom(json(`${key}.match-rules.json`), Object.assign({}, ...files));
}

for (const key of keys(".matches.json")) {
  const rules = matchRules(key);
  const matches = json(`${key}.matches.json`);
  const [first] = matches[0].rounds[0].steps;
  const stepsOf = (each) => {
    for (const { rounds } of matches) {
      for (const { opener, hands, steps } of rounds) {
        let round = newRound(rules, opener, hands.map(({ length }) => length));
        for (const step of steps) {
          each(round, step, hands);
          round = play(round, step.action);
        }
      }
    }
  };

  test(`${key}: a match becomes a record, which Python reads afterwards`, () => {
    const seats = Array.from({ length: rules.players }, (_, seat) => (seat === 0 ? null : "honest"));
    const log = matches[0].rounds.map(({ opener, hands, steps }) => {
      const actions = steps.map(({ action }) => action);
      return { opener, hands, history: actions.slice(0, -1), ending: actions.at(-1) };
    });
    keep(`${key}.match.jsonl`, matchText(rules, seats, log));
  });

  test(`${key}: whoever is to decide may do what they may in Python`, () => {
    stepsOf((round, { turn, legal }) => {
      assert.equal(round.turn, turn);
      assert.deepEqual(legalActions(round), legal);
    });
  });

  const decided = Object.keys(first.rules).length > 0;
  test(`${key}: rule-based players do what they do in Python`, { skip: !decided }, () => {
    stepsOf((round, step, hands) => {
      for (const opponent of RULED) {
        const action = decide(opponent, round.rules, null, round, hands[step.turn], new Random(1));
        assert.equal(action, step.rules[opponent.id], opponent.id);
      }
    });
  });

  test(`${key}: chances and the reader's actions are Python's`, { skip: !first.chances }, () => {
    stepsOf((round, { turn, chances, reader }, hands) => {
      if (!chances) return;
      chances.forEach((chance, bid) => {
        assert.ok(Math.abs(chanceOf(round.rules, null, round, hands[turn], bid) - chance) < NEAR);
      });
      assert.equal(decide(READER, round.rules, null, round, hands[turn], new Random(1)), reader);
      assert.equal(advise(round.rules, null, round, hands[turn]).best, reader);
    });
  });

  test(`${key}: matches take the course that they take in Python`, () => {
    for (const { rounds, winner, order } of matches) {
      const seats = rounds[0].hands.map((_, seat) => (seat === 0 ? null : "reader"));
      let match = { ...newMatch(rules, seats, DICE, new Random(1)), opener: rounds[0].opener };
      for (const { hands, steps, loser, counted, dice, next } of rounds) {
        match = { ...match, hands, history: [], ending: null };
        for (const { action } of steps) match = act(rules, match, action);
        const settled = settle(roundOf(rules, match), hands);
        assert.deepEqual([settled.loser, settled.counted, settled.points], [loser, counted, 1]);
        assert.deepEqual(diceLeft(match), dice);
        assert.equal(isOver(match), dice.filter(Boolean).length === 1);
        if (isOver(match)) break;
        match = nextRound(rules, match, new Random(3));
        assert.equal(match.opener, next);
        assert.deepEqual(match.hands.map(({ length }) => length), dice);
      }
      assert.ok(isOver(match));
      assert.deepEqual(winners(match.points), [winner]);
      assert.deepEqual(ranking(match), order);
      const { log, goal } = played(match);
      assert.deepEqual([log.length, goal], [rounds.length, DICE]);
      const decisions = log.flatMap((round) => reviewRound(rules, null, round, 0).decisions);
      const own = rounds.flatMap(({ steps }) => steps.filter(({ turn }) => turn === 0));
      assert.deepEqual(decisions.map(({ action }) => action), own.map(({ action }) => action));
    }
  });

  test(`${key}: the dice on the table decide which bids there are`, () => {
    const few = rulesWith(rules, 3);
    assert.equal(few.endings, 15);
    assert.ok(few.bids.every(({ count }) => count <= 3));
    assert.equal(rulesWith(few, 10).endings, 50);
    assert.deepEqual(sayAction(few, few.endings), { kind: "challenge", distance: 1 });
    assert.throws(() => rulesWith(rules, 5 * rules.players + 1), RangeError);
  });

  test(`${key}: who is out cannot open, and nobody plays alone`, () => {
    const out = [0, 1, ...Array(rules.players - 2).fill(0)];
    assert.throws(() => newRound(rules, 1, out), RangeError);
    assert.throws(() => newRound(rules, 0, [0, ...Array(rules.players - 1).fill(2)]), RangeError);
  });
}

for (const key of keys(".match-policy.json")) {
  const rules = matchRules(key);
  const { file, vectors } = json(`${key}.match-policy.json`);
  const policy = matchPolicyFrom(rules, bytes(file));
  const after = ({ dice, history }) => history.reduce(play, newRound(rules, 0, dice));

  test(`${key}: the shares of every round are Python's`, () => {
    for (const vector of vectors) {
      const { history, hand, shares } = vector;
      const found = policy.at(after(vector)).shares(history, hand);
      assert.deepEqual([...found.keys()].sort(), Object.keys(shares).map(Number).sort());
      for (const [action, share] of found) assert.ok(Math.abs(share - shares[action]) < NEAR);
    }
    assert.equal(new Set(vectors.map(({ dice }) => dice.join())).size, 25);
  });

  test(`${key}: the dice of the opener come first, wherever they sit`, () => {
    const [one, other] = [newRound(rules, 0, [5, 3]), newRound(rules, 1, [3, 5])];
    assert.equal(policy.at(one), policy.at(other));
    assert.notEqual(policy.at(one), policy.at(newRound(rules, 0, [3, 5])));
  });

  test(`${key}: advice and decisions are legal, and hands that the other may hold are known`, () => {
    const random = new Random(3);
    for (const vector of vectors.filter((_, place) => place % 5 === 0)) {
      const round = after(vector);
      const its = policy.at(round);
      const { best, equal, ground } = advise(round.rules, its, round, vector.hand);
      for (const action of [best, ...equal, decide(OPPONENTS[0], round.rules, its, round, vector.hand, random)]) {
        assert.ok(legalActions(round).includes(action));
      }
      assert.ok(["policy", "reading"].includes(ground));
      const [last] = vector.history.slice(-1);
      const row = last === undefined ? null : its.row(vector.history.slice(0, -1), last);
      const { held } = round.rules.tables;
      row?.forEach((share, hand) => assert.ok(share === 0 || vector.dice.includes(held[hand])));
      const chance = last === undefined ? 0 : chanceOf(round.rules, its, round, vector.hand, last);
      assert.ok(chance >= 0 && chance <= 1 + NEAR);
    }
  });
}

test("others are asked in turn, and may not bid; between two nobody is", () => {
  const asked = (dice) => play(newRound(matchRules("knockout-3"), 0, dice), 0);
  assert.deepEqual(legalActions(asked([1, 1, 1])), [DECLINE, 15]);
  assert.ok(isAsked(asked([1, 1, 1])));
  const all = play(play(asked([1, 1, 1]), DECLINE), DECLINE);
  assert.equal(all.turn, 1);
  assert.ok(!legalActions(all).includes(15));
  assert.ok(!isAsked(asked([1, 1, 0])));
  assert.throws(() => play(asked([1, 1, 0]), DECLINE), RangeError);
  assert.deepEqual(sayAction(asked([1, 1, 1]).rules, DECLINE), { kind: "decline" });
});

test("who has lost their last die hands the start on", () => {
  const ended = { winner: 2, loser: 1 };
  assert.equal(nextStarter({ winnerStarts: false }, [3, 0, 1], ended), 2);
  assert.equal(nextStarter({ winnerStarts: false }, [3, 2, 1], ended), 1);
  assert.equal(nextStarter({ winnerStarts: true }, [3, 2, 1], ended), 2);
});
