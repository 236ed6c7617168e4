/** Shares with as many digits as small ones need. */

import { percent } from "../words.js";

/** The least share that a percentage without decimals tells well enough. */
const LARGE = 0.1;
/** The digits of a smaller share. */
const DIGITS = 2;

/** Return a share as a percentage; one below a tenth has two digits.
 * @param {number} share  0 to 1 */
export function smallShare(share) {
  if (share >= LARGE || share === 0) return percent(share);
  return share < 1e-4 ? "<0.01%" : `${Number((100 * share).toPrecision(DIGITS))}%`;
}
