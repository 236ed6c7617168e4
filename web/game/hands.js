/** Dealing hands. */

/** Return a hand that is rolled, its faces in order. Straights are rolled again where the rules say
 * so: then they are no hands.
 * @param {import("./rules.js").Rules} rules
 * @param {import("./random.js").Random} random
 * @returns {number[]} */
export function rollHand({ dice, faces, tables }, random) {
  for (;;) {
    const hand = random.roll(dice, faces).sort((one, other) => one - other);
    if (tables.hands.has(hand.join(""))) return hand;
  }
}
