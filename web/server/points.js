/** Points in words: with as many digits as the interval supports, and never beside a wider one. */

import { say } from "../words.js";

/** Decimals that are shown at most. */
const MOST_DIGITS = 2;
/** Costs below this are shown as nothing. */
const LEAST = 0.005;

/** Return a value and its interval, such as "+0.31 ±0.02".
 * @param {number} value
 * @param {number} error */
export function valueInWords(value, error) {
  const digits = digitsOf(error);
  const told = value.toFixed(digits);
  const sign = Number(told) > 0 ? "+" : "";
  const margin = error.toFixed(digits);
  if (Number(margin) === 0) return `${sign}${unsignedZero(told)}`;
  return Math.abs(value) <= error ? `≈0 ±${margin}` : `${sign}${unsignedZero(told)} ±${margin}`;
}

/** Return what a decision costs, such as "costs 0.31 ±0.02 points"; "" if that is nothing.
 * @param {number} cost
 * @param {number} margin */
export function costInWords(cost, margin) {
  const most = cost + margin;
  if (most < LEAST || (cost > margin && cost < LEAST)) return "";
  if (cost <= margin) return say("costs at most {cost} points", { cost: most.toFixed(digitsOf(most)) });
  return say("costs {cost} points", { cost: valueInWords(cost, margin).replace("+", "") });
}

/** Return how many decimals an error supports: the last one is its first digit that is not 0.
 * @param {number} error */
function digitsOf(error) {
  if (error <= 0) return MOST_DIGITS;
  return Math.min(Math.max(Math.ceil(-Math.log10(error)), 0), MOST_DIGITS);
}

/** @param {string} told */
function unsignedZero(told) {
  return Number(told) === 0 ? told.replace("-", "") : told.replace("-", "−");
}
