/** Dealing hands. */

/** Return a hand of this many dice that is rolled, its faces in order. Straights are rolled again where
 * the rules say so: then they are no hands.
 * @param {import("./rules.js").Rules} rules
 * @param {import("./random.js").Random} random
 * @param {number} [dice]
 * @returns {number[]} */
export function rollHand({ faces, tables, ...rules }, random, dice = rules.dice) {
  if (dice === 0) return [];
  for (;;) {
    const hand = random.roll(dice, faces).sort((one, other) => one - other);
    if (tables.hands.has(hand.join(""))) return hand;
  }
}
