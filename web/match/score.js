/** How a match stands. It needs no rules, so that the first screen loads none. */

/** @typedef {import("./match.js").Match} Match */

/** Return the number of the round, from 1.
 * @param {Match} match */
export function roundNumber({ results, ending }) {
  return results.length + (ending === null ? 1 : 0);
}

/** Return [seat] the dice that are left, null if nobody loses dice.
 * @param {{goal?: import("./match.js").Goal, points: readonly number[]}} match */
export function diceLeft({ goal, points }) {
  return goal?.kind === "dice" ? points.map((lost) => goal.number - lost) : null;
}

/** Return what is shown of a seat: its points, or the dice that it has left.
 * @param {{goal?: import("./match.js").Goal, points: readonly number[]}} match
 * @param {number} seat */
export function scoreOf(match, seat) {
  return (diceLeft(match) ?? match.points)[seat] ?? 0;
}

/** Return the seats, the best first. Of those who have lost all dice, the last to do so comes first.
 * @param {Pick<Match, "goal" | "points" | "results">} match */
export function ranking({ goal, points, results }) {
  const losers = results.map(({ loser }) => loser);
  const lost = (/** @type {number} */ seat) => points[seat] ?? 0;
  return points.map((_, seat) => seat).sort((one, other) => {
    const later = goal.kind === "dice" ? losers.lastIndexOf(other) - losers.lastIndexOf(one) : 0;
    return lost(one) - lost(other) || later;
  });
}

/** @param {Match} match */
export function isOver({ goal, points, results, ending }) {
  if (ending === null) return false;
  if (goal.kind === "dice") return points.filter((lost) => lost < goal.number).length === 1;
  return goal.kind === "rounds" ? results.length >= goal.number : Math.max(...points) >= goal.number;
}

/** Return the seats with the fewest points.
 * @param {readonly number[]} points
 * @returns {number[]} */
export function winners(points) {
  const fewest = Math.min(...points);
  return points.flatMap((one, seat) => (one === fewest ? [seat] : []));
}
