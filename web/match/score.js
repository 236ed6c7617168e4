/** How a match stands. It needs no rules, so that the first screen loads none. */

/** @typedef {import("./match.js").Match} Match */

/** Return the number of the round, from 1.
 * @param {Match} match */
export function roundNumber({ results, ending }) {
  return results.length + (ending === null ? 1 : 0);
}

/** @param {Match} match */
export function isOver({ goal, points, results, ending }) {
  if (ending === null) return false;
  return goal.kind === "rounds" ? results.length >= goal.number : Math.max(...points) >= goal.number;
}

/** Return the seats with the fewest points.
 * @param {readonly number[]} points
 * @returns {number[]} */
export function winners(points) {
  const fewest = Math.min(...points);
  return points.flatMap((one, seat) => (one === fewest ? [seat] : []));
}
