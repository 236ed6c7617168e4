/** Classes of hands that count alike for a set of kinds of bids, as in
 * `solver/tables/record_classes.py`. */

import { seldomOf } from "./record_coding.js";

/** @typedef {import("../game/tables.js").Tables} Tables */

/** Divides hands into classes. A set of kinds has a bit for each kind, and one more, above those of
 * the rules, that tells hands apart which count alike for all kinds. */
export class HandClasses {
  /** @param {Tables} tables */
  constructor(tables) {
    /** [kind][hand] how many dice count, and last what tells apart hands that count alike for all. */
    this.counts = [...tables.matches, apart(tables.matches)];
    this.widths = this.counts.map((row) => Math.max(...row) + 1);
    /** The kinds in the order in which they are coded. */
    this.order = orderOf(tables.matches);
    this.hands = tables.prior.length;
    /** [class * width + count] the number of a class that is divided. */
    this.parts = new Int16Array(this.hands * Math.max(...this.widths));
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
    const found = new Int16Array(this.hands);
    let classes = 1;
    this.counts.forEach((counts, kind) => {
      if (((kinds >> kind) & 1) === 1) classes = this.divide(found, classes, counts, this.widths[kind] ?? 1);
    });
    return found;
  }

  /** Divide classes by what counts for one more kind; return how many there are then.
   * @param {Int16Array} of  [hand] the class of each hand, which changes
   * @param {number} classes
   * @param {Uint8Array} counts  [hand] numbers below `width`
   * @param {number} width */
  divide(of, classes, counts, width) {
    const { parts } = this;
    parts.fill(-1, 0, classes * width);
    let number = 0;
    for (let hand = 0; hand < of.length; hand++) {
      const part = (of[hand] ?? 0) * width + (counts[hand] ?? 0);
      if ((parts[part] ?? 0) < 0) parts[part] = number++;
      of[hand] = parts[part] ?? 0;
    }
    return number;
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

/** Return [hand] how many hands before it count alike for all kinds.
 * @param {Uint8Array[]} matches */
function apart(matches) {
  /** @type {Map<string, number>} */
  const seen = new Map();
  return Uint8Array.from(matches[0] ?? [], (_, hand) => {
    const alike = matches.map((row) => row[hand]).join();
    const before = seen.get(alike) ?? 0;
    seen.set(alike, before + 1);
    return before;
  });
}

/** Return the kinds in the order of coding: the one that tells all hands apart, then those for which
 * fewer dice count first.
 * @param {Uint8Array[]} matches */
function orderOf(matches) {
  const dice = matches.map((row) => row.reduce((sum, one) => sum + one, 0));
  const kinds = dice.map((_, kind) => kind);
  return [matches.length, ...kinds.sort((one, other) => (dice[one] ?? 0) - (dice[other] ?? 0))];
}
