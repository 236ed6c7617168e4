/** Classes of hands that count alike for a set of kinds of bids, as in
 * `solver/tables/record_classes.py`. */

import { seldomOf } from "./record_coding.js";

/** @typedef {import("../game/tables.js").Tables} Tables */

/** Divides hands into classes. A set of kinds has a bit for each kind, and one more, above those of
 * the rules, that tells hands apart which count alike for all kinds. */
export class HandClasses {
  /** @param {Tables} tables */
  constructor(tables) {
    this.codes = codesOf(tables.matches);
    /** The kinds in the order in which they are coded. */
    this.order = orderOf(tables.matches);
    this.hands = tables.prior.length;
    /** @type {Map<number, Int16Array>} */
    this.known = new Map();
  }

  /** Return [hand] a number of its class among all hands.
   * @param {number} kinds  the set of kinds */
  of(kinds) {
    let found = this.known.get(kinds);
    if (!found) {
      found = this.divided(kinds);
      this.known.set(kinds, found);
    }
    return found;
  }

  /** @param {number} kinds */
  divided(kinds) {
    const chosen = this.codes.filter((_, kind) => ((kinds >> kind) & 1) === 1);
    /** @type {Map<number, number>} */
    const numbers = new Map();
    return Int16Array.from({ length: this.hands }, (_, hand) => {
      const code = chosen.reduce((sum, codes) => sum + (codes[hand] ?? 0), 0);
      const found = numbers.get(code) ?? numbers.size;
      numbers.set(code, found);
      return found;
    });
  }
}

/** The classes of the hands that may play at one record. Each record writes over the one before. */
export class RoomForClasses {
  /** @param {number} hands */
  constructor(hands) {
    /** [place] the hands that may play. */
    this.may = new Uint16Array(hands);
    this.places = 0;
    /** How many classes there are. */
    this.number = 0;
    /** [place] the class of each hand that may play. */
    this.of = new Uint16Array(hands);
    /** [class] its first hand. */
    this.first = new Uint16Array(hands);
    /** [class] how seldom it comes: see `seldomOf`. */
    this.seldom = new Uint8Array(hands);
    this.reach = new Float64Array(hands);
    this.numbers = new Int16Array(hands);
  }

  /** Divide the hands that may play.
   * @param {Uint16Array} hands  of which those from `first` to `end` may play
   * @param {number} first
   * @param {number} end
   * @param {Int16Array} divided  [hand] a number of its class among all hands
   * @param {Float64Array} reach  [hand] how often it comes */
  divide(hands, first, end, divided, reach) {
    this.numbers.fill(-1);
    this.number = 0;
    this.places = end - first;
    for (let place = 0; place < this.places; place++) {
      const hand = hands[first + place] ?? 0;
      this.may[place] = hand;
      const group = divided[hand] ?? 0;
      let found = this.numbers[group] ?? -1;
      if (found < 0) {
        found = this.number++;
        this.numbers[group] = found;
        this.first[found] = hand;
        this.reach[found] = 0;
      }
      this.of[place] = found;
      this.reach[found] = (this.reach[found] ?? 0) + (reach[hand] ?? 0);
    }
    for (let group = 0; group < this.number; group++) {
      this.seldom[group] = seldomOf(this.reach[group] ?? 0);
    }
  }
}

/** Return [kind][hand] codes whose sums are equal if and only if hands count alike for the kinds.
 * @param {Uint8Array[]} matches */
function codesOf(matches) {
  const base = Math.max(...matches.map((row) => Math.max(...row))) + 1;
  const codes = matches.map((row, kind) => Float64Array.from(row, (dice) => dice * base ** kind));
  const hands = matches[0]?.length ?? 0;
  const alike = Array.from({ length: hands }, (_, hand) =>
    codes.reduce((sum, row) => sum + (row[hand] ?? 0), 0),
  );
  const unit = Math.max(...alike) + 1;
  /** @type {Map<number, number>} */
  const seen = new Map();
  const apart = alike.map((code) => {
    const before = seen.get(code) ?? 0;
    seen.set(code, before + 1);
    return before * unit;
  });
  return [...codes, Float64Array.from(apart)];
}

/** Return the kinds in the order of coding: the one that tells all hands apart, then those for which
 * fewer dice count first.
 * @param {Uint8Array[]} matches */
function orderOf(matches) {
  const dice = matches.map((row) => row.reduce((sum, one) => sum + one, 0));
  const kinds = dice.map((_, kind) => kind);
  return [matches.length, ...kinds.sort((one, other) => (dice[one] ?? 0) - (dice[other] ?? 0))];
}
