import assert from "node:assert/strict";
import test from "node:test";

import { haveBid, rangeOf } from "../../web/explore/bid_ranges.js";
import { differenceOf, sideBySide } from "../../web/explore/differences.js";
import { MOST_LOCKS, withLock } from "../../web/explore/locks.js";
import { namedParts, placeOf } from "../../web/explore/place.js";
import { legalActions, newRound, play } from "../../web/game/round.js";
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

  test(`${key}: two positions are compared by what is played at each`, () => {
    const first = selected(rules, grid, []);
    const there = gridAt(policy, play(opening, first.played[0].action));
    const other = selected(rules, there, [6]);
    const rows = sideBySide(first.played, other.played);
    for (const { action, here, there: its } of rows) {
      assert.equal(here, first.played.find((one) => one.action === action)?.share ?? 0);
      assert.equal(its, other.played.find((one) => one.action === action)?.share ?? 0);
    }
    near(rows.reduce((sum, { here }) => sum + here, 0), 1);
    near(rows.reduce((sum, { there: its }) => sum + its, 0), 1);
    grid.forEach((hand, place) => {
      assert.equal(differenceOf(hand, hand), 0);
      assert.equal(differenceOf(hand, there[place]), differenceOf(there[place], hand));
      const both = [hand, there[place]].map(({ shares }) => [...shares].map(([action, share]) => ({ action, share })));
      const fewer = sideBySide(...both).reduce((sum, one) => sum + Math.min(one.here, one.there), 0);
      near(differenceOf(hand, there[place]), 1 - fewer);
    });
    assert.equal(differenceOf(grid[0], { ...grid[0], weight: 0 }), null);
  });

  test(`${key}: an address is read as the place that it was written for`, () => {
    for (const { history, held } of explored) {
      const spot = { round: history.reduce(play, opening), held };
      const locks = legalActions(spot.round).slice(0, 2).map((action, place) => ({ ...spot, action, percent: 50 + place }));
      const place = { ...spot, beside: history.length % 2 ? { round: opening, held } : null, locks };
      const path = `${history.join("-")}${namedParts(place)}`.split("/");
      assert.deepEqual(placeOf(rules, path), place);
    }
    const first = legalActions(opening)[0];
    for (const lock of [`..${rules.endings}.100`, `..${first}.0`, `..${first}.101`, `..${first}.1.5`, `.7.${first}.50`, `9999..${first}.50`, "..0.50.50", "...50", "x"]) {
      assert.deepEqual(placeOf(rules, ["", `lock=${lock}`]).locks, [], lock);
    }
    for (const held of ["7", "111111", "1x", ""]) assert.deepEqual(placeOf(rules, ["", `hold=${held}`]).held, []);
  });

  test(`${key}: a lock takes the place of one for the same hands, and comes first`, () => {
    const [one, other] = legalActions(opening);
    const lock = (action, held) => ({ round: opening, held, action, percent: 100 });
    const locks = withLock(withLock([], lock(one, [])), lock(one, [1]));
    assert.deepEqual(withLock(locks, lock(other, [])), [lock(other, []), lock(one, [1])]);
    const many = Array.from({ length: MOST_LOCKS + 5 }, (_, place) => [0, 1, 2, 3, 4].map((bit) => 1 + ((place >> bit) & 1)));
    assert.equal(many.reduce((all, held) => withLock(all, lock(one, held)), []).length, json("limits.json").locks);
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
