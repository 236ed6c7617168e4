import assert from "node:assert/strict";
import test from "node:test";

import { advise } from "../../web/policy/advice.js";
import { chanceOf } from "../../web/policy/chances.js";
import { decide, OPPONENTS } from "../../web/policy/opponents.js";
import { policyFrom } from "../../web/policy/policy.js";
import { readPolicy } from "../../web/policy/policy_file.js";
import { legalActions, newRound, play } from "../../web/game/round.js";
import { Random } from "../../web/game/random.js";
import { bytes, json, keys, rulesOf } from "./files.js";

const NEAR = 1e-6;
/** Blocks that are read in turn. */
const PARTS = 3;

for (const key of keys(".policy.json")) {
  const rules = rulesOf(key);
  const { file, vectors } = json(`${key}.policy.json`);
  const policy = policyFrom(rules, bytes(file));
  const after = (history) => history.reduce(play, newRound(rules, 0));

  test(`${key}: shares are Python's`, () => {
    for (const { history, hand, shares } of vectors) {
      const found = policy.shares(history, hand);
      assert.equal(found === null, shares === null, history.join());
      if (found === null) continue;
      assert.deepEqual([...found.keys()].sort(), Object.keys(shares).map(Number).sort());
      for (const [action, share] of found) assert.ok(Math.abs(share - shares[action]) < NEAR);
    }
  });

  test(`${key}: parts that are read in turn, a record each, are what they are read at once`, () => {
    const [atOnce, inTurn] = [0, 1].map(() => readPolicy(rules, bytes(file)).table);
    const blocks = [...atOnce.blocks.keys()].slice(0, PARTS);
    const decodings = blocks.map((bids) => inTurn.decodingOf(inTurn.blocks.get(bids)));
    let rounds = 0;
    while (decodings.filter((one) => !one.advance(0)).length > 0) rounds += 1;
    assert.ok(rounds > 1);
    for (const [place, bids] of blocks.entries()) {
      const whole = atOnce.decodingOf(atOnce.blocks.get(bids)).finished();
      assert.deepEqual(decodings[place].finished(), whole);
    }
  });

  test(`${key}: a part that was prepared answers as others do`, async () => {
    const prepared = policyFrom(rules, bytes(file));
    const { history, hand } = vectors[vectors.length - 1];
    await prepared.prepare(history);
    assert.deepEqual(prepared.shares(history, hand), policy.shares(history, hand));
  });

  test(`${key}: chances are Python's`, () => {
    for (const { history, hand, bid, chance } of vectors) {
      const found = chanceOf(rules, policy, after(history), hand, bid);
      assert.ok(Math.abs(found - chance) < NEAR, `${history} ${hand} ${bid}: ${found} ${chance}`);
    }
  });

  test(`${key}: advice and decisions are legal everywhere`, () => {
    const random = new Random(3);
    for (const { history, hand } of vectors) {
      const round = after(history);
      const legal = legalActions(round);
      const advice = advise(rules, policy, round, hand);
      for (const action of [advice.best, ...advice.equal]) assert.ok(legal.includes(action));
      assert.ok(!advice.equal.includes(advice.best));
      assert.ok(legal.includes(decide(OPPONENTS[0], rules, policy, round, hand, random)));
    }
  });

  test(`${key}: a damaged file is refused, or read without running away`, async () => {
    const whole = new Uint8Array(bytes(file));
    const random = new Random(9);
    for (let turn = 0; turn < 20; turn++) {
      const damaged = whole.slice();
      damaged[Math.floor(random.next() * damaged.length)] ^= 1 + Math.floor(random.next() * 255);
      try {
        const read = policyFrom(rules, damaged.buffer);
        const failed = await read.prepare([]).then(() => null, (error) => error);
        if (failed) assert.throws(() => read.shares([], vectors[0].hand), failed);
        read.shares([], vectors[0].hand);
      } catch (error) {
        assert.ok(error instanceof RangeError || error instanceof SyntaxError || error instanceof TypeError);
      }
    }
    assert.throws(() => policyFrom(rules, whole.slice(0, 1000).buffer));
  });
}

test("what is certified of a policy comes with the rules if its file is the shipped one", () => {
  const [four, eight, two] = ["zhaifei-4", "zhaifei-8", "ktv-2"].map(rulesOf);
  const trimmed = policyFrom(four, bytes("zhaifei-4p.safetensors"));
  assert.deepEqual([trimmed.name, trimmed.proved], ["zhaifei-4p", true]);
  assert.ok(trimmed.figure > 0.006 && trimmed.figure < 0.01);

  const shortened = policyFrom(eight, bytes("zhaifei-8p.safetensors"));
  assert.deepEqual([shortened.name, shortened.proved, shortened.trimmed], ["zhaifei-8p", true, false]);

  const file = bytes("ktv-2p.safetensors");
  const whole = policyFrom({ ...two, policy: "ktv-2p.safetensors", figure: 0.0022 }, file);
  assert.deepEqual([whole.name, whole.proved, whole.figure], ["ktv-2p", true, 0.0022]);
  assert.equal(policyFrom(two, file).proved, false);
});
