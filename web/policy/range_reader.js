/** Binary range coding with odds that adapt, as `solver/tables/range_coding.py` describes it: the
 * reading half. Numbers stay below 2 ** 53. */

const HALF = 1 << 15;
const WHOLE = 1 << 16;
const [FAST, SLOW] = [4, 7];
const LEAST_RANGE = 2 ** 24;
const BYTES_AT_START = 5;
const WIDEST = 12;
const TOLD = 5;

/** How many contexts `number` takes. */
export const CONTEXTS_OF_NUMBER = WIDEST + 1 + (1 << (TOLD + 1)) + WIDEST;

/** Reads bits from bytes. Beyond the end it reads zeros. */
export class RangeReader {
  /** @param {number} contexts  how many contexts there are
   * @param {Uint8Array} coded */
  constructor(contexts, coded) {
    this.fast = new Uint16Array(contexts).fill(HALF);
    this.slow = new Uint16Array(contexts).fill(HALF);
    this.coded = coded;
    this.at = BYTES_AT_START;
    this.range = 2 ** 32 - 1;
    this.code = 0;
    for (let place = 1; place < BYTES_AT_START; place++) {
      this.code = this.code * 256 + (coded[place] ?? 0);
    }
  }

  /** Whether more has been read than there is. */
  get isBeyond() {
    return this.at > this.coded.length;
  }

  /** Whether everything has been read. */
  get isAtEnd() {
    return this.at === this.coded.length;
  }

  /** Read a bit.
   * @param {number} context */
  bit(context) {
    const fast = this.fast[context] ?? 0;
    const slow = this.slow[context] ?? 0;
    const bound = (this.range >>> 17) * (fast + slow);
    const bit = this.code >= bound ? 1 : 0;
    if (bit === 0) {
      this.range = bound;
      this.fast[context] = fast + ((WHOLE - fast) >> FAST);
      this.slow[context] = slow + ((WHOLE - slow) >> SLOW);
    } else {
      this.range -= bound;
      this.code -= bound;
      this.fast[context] = fast - (fast >> FAST);
      this.slow[context] = slow - (slow >> SLOW);
    }
    while (this.range < LEAST_RANGE) {
      this.range *= 256;
      this.code = (this.code % LEAST_RANGE) * 256 + (this.coded[this.at] ?? 0);
      this.at += 1;
    }
    return bit;
  }

  /** Read a number with this number of bits; it takes 2 ** bits contexts.
   * @param {number} context  the first
   * @param {number} bits */
  digits(context, bits) {
    let node = 1;
    for (let place = 0; place < bits; place++) node = 2 * node + this.bit(context + node);
    return node - (1 << bits);
  }

  /** Read a number from 1 to 2 ** 13 - 1; it takes CONTEXTS_OF_NUMBER contexts.
   * @param {number} context  the first */
  number(context) {
    let digits = 0;
    while (digits < WIDEST && this.bit(context + digits) === 1) digits += 1;
    const told = context + WIDEST + 1;
    let found = 1;
    for (let place = digits - 1; place >= 0; place--) {
      const known = found < 1 << TOLD ? found : (1 << (TOLD + 1)) + place;
      found = 2 * found + this.bit(told + known);
    }
    return found;
  }
}
