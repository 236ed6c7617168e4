/** Random numbers from a seed, so that a game can be told again. */

/** The generator sfc32 by Chris Doty-Humphrey, of the PractRand library. */
export class Random {
  /** @param {number} seed  a whole number from 0 to 2 ** 32 - 1 */
  constructor(seed) {
    this.state = Uint32Array.of(0, seed, seed >>> 16, 1);
    for (let turn = 0; turn < 15; turn++) this.bits();
  }

  /** Return 32 random bits. */
  bits() {
    const [a = 0, b = 0, c = 0, counter = 0] = this.state;
    const result = (a + b + counter) >>> 0;
    this.state[0] = b ^ (b >>> 9);
    this.state[1] = c + (c << 3);
    this.state[2] = ((c << 21) | (c >>> 11)) + result;
    this.state[3] = counter + 1;
    return result;
  }

  /** Return a number from 0 to 1, exclusive. */
  next() {
    return this.bits() / 4294967296;
  }

  /** Return the faces of dice that are rolled.
   * @param {number} dice
   * @param {number} faces
   * @returns {number[]} */
  roll(dice, faces) {
    return Array.from({ length: dice }, () => 1 + Math.floor(this.next() * faces));
  }
}
