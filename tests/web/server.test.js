/** What the server works out: how answers are read, and the words that are shown. */

import assert from "node:assert/strict";
import test from "node:test";

import { locksOf } from "../../web/explore/locks.js";
import { newRound, play } from "../../web/game/round.js";
import { ask, lineOf, Refused } from "../../web/server/asking.js";
import { askDecision, othersOf, rowsToShow, seenOf } from "../../web/server/decision.js";
import { askLocked, askLockFile } from "../../web/server/locked.js";
import { costInWords, valueInWords } from "../../web/server/points.js";
import { askRange, divided } from "../../web/server/range.js";
import { CostedMatch, CostedRound, workOut } from "../../web/server/round_review.js";
import { speak } from "../../web/words.js";
import { json, rulesOf } from "./files.js";

const rules = rulesOf("zhaifei-3");
const CHALLENGE = rules.tables.actions;
const COST = { place: 0, action: 36, best: 24, cost: 0.112, margin: 0.028, grade: "inaccuracy" };
const LOG = [1, 2].map(() => ({ opener: 0, hands: [[1], [2], [3]], history: [36], ending: CHALLENGE }));

/** Answer questions by a function until the work is done, and return what was asked. */
async function served(answer, work) {
  const asked = [];
  const { fetch } = globalThis;
  globalThis.fetch = async (address, { body, ...options } = {}) => {
    const question = body && JSON.parse(body);
    asked.push({ address, question, options });
    const [status, content] = answer(question, asked.length);
    return { ok: status === 200, status, json: async () => content };
  };
  try {
    await work();
  } finally {
    globalThis.fetch = fetch;
  }
  return asked;
}

/** Do something in Chinese; a text without a translation stays English. */
async function inChinese(texts, work) {
  await served(() => [200, texts], () => speak("zh"));
  try {
    work();
  } finally {
    await speak("en");
  }
}

globalThis.document = { documentElement: {} };

test("a value has as many digits as its interval supports, and none beside a wider one", () => {
  assert.equal(valueInWords(0.3074, 0.0154), "+0.31 ±0.02");
  assert.equal(valueInWords(-0.1403, 0.0000025), "−0.14");
  assert.equal(valueInWords(-1.27, 0.4), "−1.3 ±0.4");
  assert.equal(valueInWords(-0.0032, 0.0217), "≈0 ±0.02");
  assert.equal(valueInWords(-0.0001, 0), "0.00");
  assert.equal(valueInWords(2, 0), "+2.00");
});

test("a cost is told as far as it is known", () => {
  assert.equal(costInWords(0.112, 0.028), "costs 0.11 ±0.03 points");
  assert.equal(costInWords(0.01, 0.03), "costs at most 0.04 points");
  assert.equal(costInWords(0.0016, 0.0002), "");
  assert.equal(costInWords(0.004, 0.002), "");
  assert.equal(costInWords(1.92, 0), "costs 1.92 points");
});

test("only your own dice and the bids are sent", async () => {
  const round = play(newRound(rules, 2), 36);
  const others = othersOf(round, [null, "conservative", "@Bob"]);
  const known = { others, seen: [] };
  const asked = await served(() => [200, {}], () => askDecision(round, [1, 1, 3, 4, 6], known));
  assert.equal(asked[0].address, "api/advice/decision");
  assert.equal(asked[0].options.headers["content-type"], "application/json");
  assert.deepEqual(asked[0].question, {
    rules: "zhaifei",
    players: 3,
    hand: [1, 1, 3, 4, 6],
    history: [36],
    others: ["conservative", ""], // nothing is known of people
    language: "en",
  });
});

test("those who sit there come in turn order after the player to move", () => {
  const seats = [null, "honest", "reader"];
  assert.deepEqual(othersOf(newRound(rules, 0), seats), ["honest", "reader"]);
  assert.deepEqual(othersOf(newRound(rules, 2), seats), ["", "honest"]);
  assert.deepEqual(othersOf(newRound(rules, 0), []), ["", ""]);
});

const ROUND = { opener: 1, hands: [[1, 1, 3, 4, 6], [2, 2, 3, 5, 5], [1]], history: [36, 41], ending: CHALLENGE };

test("rounds of a table are sent in which dice of others were shown", async () => {
  const rounds = [
    { ...ROUND, loser: 0 },
    { ...ROUND, hands: [ROUND.hands[0], [], []], loser: 1 }, // nobody else's dice
    { ...ROUND, opener: 2, loser: 1 },
    { ...ROUND, ending: null, loser: null }, // still played
  ];
  const seen = seenOf(rules, rounds);
  assert.deepEqual(seen.map(({ opener }) => opener), [1, 2]);
  assert.deepEqual(seen[0], { ...ROUND, hands: [ROUND.hands[0], ROUND.hands[1], []] });
  const asked = await served(() => [200, {}], () => askDecision(newRound(rules, 0), [1], { others: [], seen }));
  assert.deepEqual(asked[0].question.seen, seen);
});

test("the newest rounds are sent, as many as the server takes", () => {
  const { longest, rounds: most } = json("limits.json");
  const number = (count, bids) => {
    const history = Array.from({ length: bids }, (_, bid) => bid);
    const rounds = Array.from({ length: count }, (_, place) => ({ ...ROUND, history, ending: CHALLENGE + place, loser: 0 }));
    const seen = seenOf(rules, rounds);
    assert.equal(seen.at(-1).ending, CHALLENGE + count - 1);
    assert.ok(JSON.stringify(seen).length + 2500 < longest, "room for the longest round itself");
    return seen.length;
  };
  assert.equal(number(most - 1, 2), most - 1);
  assert.equal(number(most + 7, 2), most);
  assert.ok(number(most, 160) < most);
});

test("what is as good comes first, then the next best whose value is known", () => {
  const row = (action, value) => ({ action, share: 0, value, error: value === null ? null : 0.01 });
  const actions = [row(5, 0.2), row(9, -0.5), row(7, 0.19), row(1, null), row(2, -0.1), row(3, -0.2), row(4, -0.3)];
  const found = rowsToShow({ best: 5, equal: [7], actions, chance: null, ground: { kind: "policy" } });
  assert.deepEqual(found.map(({ action }) => action), [5, 7, 2, 3, 4]);
});

test("a range is asked about with the dice that are held, and what is hardly played is set apart", async () => {
  const round = play(newRound(rules, 0), 36);
  const asked = await served(() => [200, {}], () => askRange(round, [1, 6]));
  assert.equal(asked[0].address, "api/advice/range");
  assert.deepEqual(asked[0].question, { rules: "zhaifei", players: 3, history: [36], held: [1, 6], language: "en" });
  const { played, others } = divided({ actions: [{ share: 0.6 }, { share: 0.0004 }, { share: 0 }] });
  assert.deepEqual([played.length, others.length], [1, 2]);
});

test("locks are sent as they are written in the address", async () => {
  const spot = { round: play(newRound(rules, 0), 36), held: [1, 1, 3, 4, 6] };
  const locks = locksOf(rules, ".6.36.50");
  const asked = await served(() => [200, {}], async () => {
    await askLocked(spot, locks, "solve");
    await askLockFile(rules, locks);
  });
  const sent = { rules: "zhaifei", players: 3, locks: [{ after: [], held: [6], action: 36, percent: 50 }], language: "en" };
  assert.deepEqual(asked.map(({ address }) => address), ["api/advice/locked", "api/advice/lock-file"]);
  assert.deepEqual(asked[0].question, { ...sent, hand: [1, 1, 3, 4, 6], history: [36], answer: "solve" });
  assert.deepEqual(asked[1].question, sent);
});

test("a refusal has the line of the server, and a lost server a line of the page", async () => {
  const work = async () => {
    const error = await ask("advice/decision", {}).catch((reason) => reason);
    assert.ok(error instanceof Refused);
    assert.deepEqual([error.status, lineOf(error)], [400, "no"]);
  };
  await served(() => [400, { error: "no" }], work);
  assert.equal(lineOf(new TypeError("Failed to fetch")), "The server cannot be reached.");
});

test("a decision is graded without naming a better one, and the answer names it", async () => {
  const round = new CostedRound(rules, { decisions: [COST], luck: { dice: 0.5189 } });
  const decision = round.at(0);
  assert.equal(round.at(3), undefined);
  assert.ok(decision.isError);
  assert.equal(decision.inWords(), "inaccuracy; costs 0.11 ±0.03 points");
  assert.match(decision.answerInWords(), /^Worked out: .+ is best\. What was done costs 0\.11 ±0\.03 points\.$/);
  assert.match(decision.triedInWords(COST.best), /: best$/);
  assert.match(decision.triedInWords(COST.action), /: inaccuracy; costs 0\.11 ±0\.03 points$/);
  assert.equal(decision.triedInWords(COST.best + 1), undefined);
  assert.equal(round.luckInWords(), "Luck of the dice: +0.52 points.");
  const texts = { inaccuracy: "小失误", "costs {cost} points": "亏 {cost} 分" };
  await inChinese(texts, () => assert.equal(decision.inWords(), "小失误；亏 0.11 ±0.03 分"));
});

test("what is within its interval or unclear counts nothing", () => {
  const charged = (fields) => new CostedRound(rules, { decisions: [{ ...COST, ...fields }], luck: { dice: 0 } }).at(0).charged;
  assert.equal(charged({}), 0.112);
  assert.equal(charged({ margin: 0.2 }), 0);
  assert.equal(charged({ grade: "unclear" }), 0);
});

test("a match is worked out a round at a time, and its sum is told", async () => {
  const told = [];
  const answer = () => [200, { decisions: [COST], luck: { dice: 0 } }];
  const asked = await served(answer, () => workOut(rules, LOG, 0, (costed) => told.push(costed), () => true));
  assert.deepEqual(told.map(({ rounds, next }) => [rounds.length, next]), [[0, 1], [1, 2], [2, null]]);
  assert.equal(told[1].inWords(true), "Your decisions in 1 round cost 0.11 points. Working out what round 2 of 2 cost…");
  assert.equal(told[2].inWords(true), "Your decisions in 2 rounds cost 0.22 points.");
  const { language, ...question } = asked[0].question;
  assert.deepEqual(question, { rules: "zhaifei", players: 3, seat: 0, ...LOG[0] });
  assert.equal(language, "en");
});

test("a server that refuses or is gone ends it quietly", async () => {
  const told = [];
  const answer = (_, times) => (times === 1 ? [200, { decisions: [], luck: { dice: 0 } }] : [400, { error: "no" }]);
  await served(answer, () => workOut(rules, LOG, 0, (costed) => told.push(costed), () => true));
  assert.deepEqual(told.at(-1), new CostedMatch(told.at(-1).rounds, null, 2));
  assert.equal(told.at(-1).rounds.length, 1);
});

test("who has left asks no more", async () => {
  const asked = await served(() => assert.fail(), () => workOut(rules, LOG, 0, assert.fail, () => false));
  assert.equal(asked.length, 0);
});

test("too many questions are asked again after a while", async (context) => {
  context.mock.timers.enable({ apis: ["setTimeout"] });
  const answer = (_, times) => (times === 1 ? [429, { error: "later" }] : [200, { decisions: [], luck: { dice: 0 } }]);
  const told = [];
  const asked = await served(answer, async () => {
    const done = workOut(rules, LOG.slice(1), 0, (costed) => told.push(costed), () => true);
    for (let turn = 0; turn < 20; turn++) await Promise.resolve();
    context.mock.timers.tick(3000);
    await done;
  });
  assert.equal(asked.length, 2);
  assert.equal(told.at(-1).rounds.length, 1);
});
