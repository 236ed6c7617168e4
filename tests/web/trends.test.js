import assert from "node:assert/strict";
import test from "node:test";

import { legalActions, newRound, play } from "../../web/game/round.js";
import { keptOf } from "../../web/trends/decisions.js";
import { countsOf, DIVISIONS, groupsOf, judged, onLines, standingOut, sumOf } from "../../web/trends/groups.js";
import { stretches } from "../../web/trends/stretches.js";
import { keys, rulesOf } from "./files.js";

const MATCH = { begun: "2026-11-27T20:00:00.000Z", rules: "zhaifei", seats: ["policy", null, "policy"], points: [0, 2, 1], rounds: 5 };

/** Return a decision as it is kept, with parts of it. */
function one(part) {
  const bid = { mode: "fei", count: 4, face: 3 };
  return { round: 1, kind: "later", said: "bid", bid, place: 1, grade: "often", match: MATCH, ...part };
}

/** Return a number of equal decisions. */
const many = (number, part) => Array.from({ length: number }, () => one(part));

for (const key of keys(".rules.json")) {
  const rules = rulesOf(key);

  test(`${key}: what is kept of a bid and of its challenge`, () => {
    const opener = rules.players - 1;
    const opened = newRound(rules, opener);
    const [bid] = legalActions(opened);
    const { mode, count, face } = rules.bids[bid];
    const made = { round: 2, kind: "opening", said: "bid", bid: { mode, count, face }, place: 0, grade: "never" };
    assert.deepEqual(keptOf({ round: opened, action: bid, grade: "never" }, 2), made);
    const challenge = { round: play(opened, bid), action: rules.endings, grade: "often" };
    const answered = { ...made, kind: "challenge", said: "challenge", place: 1, grade: "often" };
    assert.deepEqual(keptOf(challenge, 2), answered);
    assert.deepEqual(JSON.parse(JSON.stringify(answered)), answered);
  });
}

test("decisions fall into one group of each division", () => {
  const all = [
    one({ kind: "opening", place: 0 }),
    one({ bid: { mode: "zhai", count: 2, face: 1 } }),
    one({ kind: "challenge", place: 5, grade: "never", match: { ...MATCH, seats: [null, "policy"] } }),
  ];
  for (const division of DIVISIONS) {
    const groups = groupsOf(division, all);
    assert.equal(groups.reduce((sum, { counts }) => sum + sumOf(counts), 0), all.length);
  }
  const names = (division) => groupsOf(division, all).map(({ name }) => name);
  assert.deepEqual(names("kind"), ["opening", "later", "challenge"]);
  assert.deepEqual(names("mode"), ["fei", "zhai"]);
  assert.deepEqual(names("seat"), ["opens", "next", "later"]);
  assert.deepEqual(names("players"), ["2", "3"]);
  assert.deepEqual(groupsOf("kind", all)[2].counts, { often: 0, sometimes: 0, never: 1 });
});

test("decisions of matches that were deleted, or off the policy's lines, do not count", () => {
  const { match, ...kept } = one({});
  const grades = { [MATCH.begun]: [kept, { ...kept, grade: "other" }, { ...kept, grade: "advised" }], gone: [kept] };
  const all = judged([MATCH], grades);
  assert.equal(all.length, 3);
  assert.ok(all.every((each) => each.match === match));
  assert.deepEqual(countsOf(onLines(all)), { often: 1, sometimes: 0, never: 0 });
});

test("a group stands out only if chance does not explain it", () => {
  const rest = [...many(97, {}), ...many(3, { grade: "never" })];
  const challenges = (wrong) => [
    ...many(20 - wrong, { kind: "challenge" }),
    ...many(wrong, { kind: "challenge", grade: "never" }),
  ];
  const found = standingOut([...rest, ...challenges(8)]);
  assert.equal(found.division, "kind");
  assert.equal(found.group.name, "challenge");
  assert.deepEqual(found.group.counts, { often: 12, sometimes: 0, never: 8 });
  for (const none of [[...rest, ...challenges(1)], [...rest, ...challenges(0)], rest, many(5, { grade: "never" }), []]) {
    assert.equal(standingOut(none), null);
  }
});

test("matches come in stretches, with the points of a round", () => {
  const won = { ...MATCH, points: [4, 1, 2], rounds: 5 };
  const [first, last] = stretches([won, won, MATCH, MATCH, MATCH, won]);
  assert.deepEqual([first.matches.length, last.matches.length], [5, 1]);
  assert.deepEqual([first.won, last.won], [2, 1]);
  assert.ok(Math.abs(first.own - (2 * 1 + 3 * 2) / 25) < 1e-12);
  assert.ok(Math.abs(first.others - (2 * 3 + 3 * 0.5) / 25) < 1e-12);
  assert.deepEqual(stretches(Array(25).fill(won)).map(({ matches }) => matches.length), [10, 10, 5]);
  assert.deepEqual(stretches([]), []);
});
