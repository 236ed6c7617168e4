import assert from "node:assert/strict";
import test from "node:test";

import { newRound, play } from "../../web/game/round.js";
import { arranged, gridAt } from "../../web/policy/hand_grid.js";
import { policyFrom } from "../../web/policy/policy.js";
import { bytes, json, keys, rulesOf } from "./files.js";

const NEAR = 1e-6;

for (const key of keys(".policy.json")) {
  const rules = rulesOf(key);
  const policy = policyFrom(rules, bytes(json(`${key}.policy.json`).file));
  const opening = newRound(rules, 0);
  const grid = gridAt(policy, opening);

  test(`${key}: what is played at the opening is the mean over hands`, () => {
    assert.equal(grid.hands.length, rules.tables.prior.length);
    assert.ok(Math.abs(grid.played.reduce((sum, { share }) => sum + share, 0) - 1) < NEAR);
    for (const { action, share } of grid.played) {
      const row = policy.row([], action);
      const mean = rules.tables.prior.reduce((sum, mass, hand) => sum + mass * row[hand], 0);
      assert.ok(Math.abs(mean - share) < NEAR);
    }
    for (const { shares } of grid.hands) {
      assert.ok(Math.abs([...shares.values()].reduce((sum, share) => sum + share, 0) - 1) < NEAR);
    }
  });

  test(`${key}: hands that do not make a player's own bids are not reached`, () => {
    let round = opening;
    for (let turn = 0; turn < rules.players; turn++) {
      const here = gridAt(policy, round);
      const raise = here.played.find(({ action }) => action < rules.endings);
      if (!raise) return;
      round = play(round, raise.action);
    }
    const there = gridAt(policy, round);
    if (!there) return;
    for (const { faces, reached } of there.hands) {
      const share = policy.shares([], faces).get(round.history[0]) ?? 0;
      if (round.turn === 0) assert.equal(reached, share > 0);
    }
  });

  test(`${key}: every arrangement has each hand once`, () => {
    for (const [arrangement, groups] of [["ones", 6], ["shape", 7], ["order", 1]]) {
      const found = arranged(grid.hands, arrangement);
      assert.ok(found.size <= groups);
      assert.equal([...found.values()].flat().length, grid.hands.length);
    }
  });

  test(`${key}: off the policy's lines there is no grid`, () => {
    assert.equal(gridAt(policy, play(opening, rules.bids.length - 1)), null);
  });
}
