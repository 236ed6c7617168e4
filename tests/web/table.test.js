/** A table with real dice: what taps lead to, and records as files, which Python reads afterwards
 * (`test_engine.py`). */

import assert from "node:assert/strict";
import test from "node:test";

import { matchText, tableText } from "../../web/match/record_file.js";
import { allRounds, newTable, sittingAt } from "../../web/match/table.js";
import { json, keep, keys, rulesOf } from "./files.js";

/** Return the taps of a round that was played, with the dice of some seats besides yours.
 * @param {(seat: number) => boolean} seen */
function tapsOf({ opener, actions, hands }, seen) {
  const diceOf = (seat) => hands[seat].map((die) => ({ die, seat }));
  const others = hands.flatMap((_, seat) => (seat > 0 && seen(seat) ? diceOf(seat) : []));
  return [{ opens: opener }, ...diceOf(0), ...actions.map((act) => ({ act })), ...others];
}

function after(rules, taps) {
  return sittingAt(rules, { ...newTable(), taps });
}

for (const key of keys(".rounds.json")) {
  const rules = rulesOf(key);
  const rounds = json(`${key}.rounds.json`).slice(0, 30);

  test(`${key}: with all dice the table settles as Python does, and its loser opens`, () => {
    for (const round of rounds) {
      const taps = tapsOf(round, () => true);
      const sitting = after(rules, taps);
      assert.equal(sitting.step, "over");
      assert.equal(sitting.loser, round.settled.loser);
      const next = after(rules, [...taps, { next: true }]);
      assert.deepEqual([next.step, next.round.opener], ["dice", round.settled.loser]);
      assert.equal(next.points[round.settled.loser], round.settled.points);
      assert.deepEqual(next.rounds[0].hands, round.hands);
    }
  });

  test(`${key}: dice tell who lost only once nothing else can be`, () => {
    for (const round of rounds) {
      const { loser } = after(rules, tapsOf(round, () => false));
      assert.ok(loser === null || loser === round.settled.loser);
      const said = after(rules, [...tapsOf(round, () => false), { lost: round.settled.loser }]);
      assert.equal(said.loser, round.settled.loser);
    }
  });

  test(`${key}: matches and tables become records`, () => {
    const seats = rounds[0].hands.map((_, seat) => [null, "policy", "@Bob", "honest"][seat % 4]);
    seats.fill("reader", 4);
    const log = rounds.map(({ opener, actions, hands }) => {
      return { opener, hands, history: actions.slice(0, -1), ending: actions.at(-1) };
    });
    keep(`${key}.match.jsonl`, matchText(rules, seats, log));
    const taps = rounds.flatMap((round) => {
      return [...tapsOf(round, (seat) => seat % 2 === 0), { lost: round.settled.loser }, { next: true }];
    });
    const begun = [...tapsOf(rounds[0], () => false).slice(0, 7)];
    keep(`${key}.table.jsonl`, tableText(rules, allRounds(after(rules, [...taps, ...begun]))));
  });
}

const rules = rulesOf("zhaifei-3");
const TAPS = [
  { die: 6, seat: 0 },
  { die: 1, seat: 0 },
  { manner: "careful", seat: 2 },
  { die: 3, seat: 0 },
  { die: 3, seat: 0 },
  { die: 5, seat: 0 },
  { act: 36 },
  { act: rules.endings },
];

test("one tap less is the table before it", () => {
  const steps = TAPS.map((_, number) => after(rules, TAPS.slice(0, number)).step);
  assert.deepEqual(steps, ["dice", "dice", "dice", "dice", "dice", "dice", "bids", "bids"]);
  assert.equal(after(rules, TAPS).step, "over");
  assert.deepEqual(after(rules, TAPS).hands[0], [1, 3, 3, 5, 6]);
  assert.deepEqual(after(rules, TAPS.slice(0, 2)).manners, [null, null, null]);
});

test("what is said of people lasts, the dice do not", () => {
  const next = after(rules, [...TAPS, { lost: 1 }, { next: true }]);
  assert.deepEqual(next.manners, [null, null, "careful"]);
  assert.deepEqual(next.hands, [[], [], []]);
  assert.equal(next.round.opener, 1);
});

test("dice prevail over what was said of the loser", () => {
  const bidder = { lost: 0 };
  const sixes = Array.from({ length: 5 }, () => ({ die: 6, seat: 1 }));
  const others = Array.from({ length: 5 }, () => ({ die: 6, seat: 2 }));
  const found = after(rules, [...TAPS, bidder, ...sixes, ...others]);
  assert.equal(found.loser, 1, "eleven sixes and a one: the challenger loses");
});

test("a round that nobody can win yet is not left", () => {
  assert.throws(() => after(rules, [...TAPS, { next: true }]), RangeError);
  assert.throws(() => after(rules, [{ act: rules.endings }]), RangeError);
});
