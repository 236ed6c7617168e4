import assert from "node:assert/strict";
import test from "node:test";

import { haveBid, rangeOf } from "../../web/explore/bid_ranges.js";
import { namedParts, placeOf } from "../../web/explore/place.js";
import { newRound, play } from "../../web/game/round.js";
import { arranged, gridAt, partsLeft, selected } from "../../web/policy/hand_grid.js";
import { policyFrom } from "../../web/policy/policy.js";
import { bytes, json, keys, rulesOf } from "./files.js";

const NEAR = 1e-6;

const near = (one, other) => assert.ok(Math.abs(one - other) < NEAR, `${one} is not ${other}`);

for (const key of keys(".policy.json")) {
  const rules = rulesOf(key);
  const { file, explored } = json(`${key}.policy.json`);
  const policy = policyFrom(rules, bytes(file));
  const opening = newRound(rules, 0);
  const grid = gridAt(policy, opening);

  test(`${key}: what is played at the opening is the mean over hands`, () => {
    assert.equal(grid.length, rules.tables.prior.length);
    const { played } = selected(rules, grid, []);
    near(played.reduce((sum, { share }) => sum + share, 0), 1);
    for (const { action, share } of played) {
      const row = policy.row([], action);
      near(rules.tables.prior.reduce((sum, mass, hand) => sum + mass * row[hand], 0), share);
    }
    for (const { shares } of grid) near([...shares.values()].reduce((sum, share) => sum + share, 0), 1);
  });

  test(`${key}: the hands that have some dice play what Python says`, () => {
    assert.ok(explored.some(({ held, selected: found }) => held.length > 0 && found?.reached));
    for (const { history, held, selected: found } of explored) {
      const there = gridAt(policy, history.reduce(play, opening));
      if (found === null) {
        assert.equal(there, null);
        continue;
      }
      const own = selected(rules, there, held);
      assert.equal(own.hands.size, found.hands);
      assert.equal(own.reached, found.reached);
      near(own.share, found.share);
      assert.equal(own.played.length, Object.keys(found.shares).length);
      for (const { action, share } of own.played) near(share, found.shares[action]);
    }
  });

  test(`${key}: all who have bid may hold what Python says`, () => {
    for (const { history, ranges } of explored) {
      const round = history.reduce(play, opening);
      assert.deepEqual(haveBid(round).map(String), Object.keys(ranges));
      for (const [seat, range] of Object.entries(ranges)) {
        const own = rangeOf(policy, round, gridAt(policy, round), Number(seat));
        range.forEach((share, hand) => near(own[hand], share));
        assert.equal(Math.max(...partsLeft(rules, own)), 1);
      }
    }
  });

  test(`${key}: an address is read as the place that it was written for`, () => {
    for (const { history, held } of explored) {
      const place = { round: history.reduce(play, opening), held };
      const path = `${history.join("-")}${namedParts(place)}`.split("/");
      assert.deepEqual(placeOf(rules, path), place);
    }
    for (const held of ["7", "111111", "1x", ""]) assert.deepEqual(placeOf(rules, ["", `hold=${held}`]).held, []);
  });

  test(`${key}: hands that do not make a player's own bids have no weight`, () => {
    let round = opening;
    for (let turn = 0; turn < rules.players; turn++) {
      const here = selected(rules, gridAt(policy, round), []);
      const raise = here.played.find(({ action }) => action < rules.endings);
      if (!raise) return;
      round = play(round, raise.action);
    }
    const there = gridAt(policy, round);
    if (!there) return;
    for (const { faces, weight } of there) {
      const share = policy.shares([], faces).get(round.history[0]) ?? 0;
      if (round.turn === 0) assert.equal(weight > 0, share > 0);
    }
  });

  test(`${key}: every arrangement has each hand once`, () => {
    for (const [arrangement, groups] of [["ones", 6], ["shape", 7], ["order", 1]]) {
      const found = arranged(grid, arrangement);
      assert.ok(found.size <= groups);
      assert.equal([...found.values()].flat().length, grid.length);
    }
  });

  test(`${key}: off the policy's lines there is no grid`, () => {
    assert.equal(gridAt(policy, play(opening, rules.bids.length - 1)), null);
  });
}
