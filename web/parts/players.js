/** Who sits at the table: you and the opponents, with their names. */

import { OPPONENTS } from "../policy/opponents.js";
import { inLanguage, say } from "../words.js";

/** What stands after the id of an opponent who learns from round to round: see `LEARNER` in
 * `app/server/rooms/room.py`. */
export const LEARNS = "+learn";

/** Return an opponent by its id; one that is no longer known, or that learns, plays as the first.
 * @param {string} id */
export function opponent(id) {
  return OPPONENTS.find((one) => one.id === id) ?? /** @type {typeof OPPONENTS[0]} */ (OPPONENTS[0]);
}

/** Return what an opponent is like. Without a policy the first plays as the reader does.
 * @param {string} id
 * @param {boolean} mastered  whether there is a policy */
export function mannerOf(id, mastered) {
  const { id: its, manner } = opponent(id);
  return inLanguage(its === OPPONENTS[0]?.id && !mastered ? opponent("reader").manner : manner);
}

/** What stands before a person's name in place of the id of an opponent. */
export const PERSON = "@";

/** Return the name of whoever sits there.
 * @param {string | null} id  null for you */
export function nameOf(id) {
  if (id?.startsWith(PERSON)) return id.slice(PERSON.length);
  if (id?.endsWith(LEARNS)) return say("Pupil");
  return id === null ? say("You") : inLanguage(opponent(id).name);
}

/** Who joins a table first: a bluffer, a careful one, a bold one.
 * @type {string[]} */
const FIRST = ["policy", "conservative", "aggressive"];

/** Return who sits at a table of this size unless somebody else is chosen: you, then each opponent in turn.
 * @param {number} players
 * @returns {(string | null)[]} */
export function defaultSeats(players) {
  const ids = OPPONENTS.map(({ id }) => id);
  const others = [...new Set([...FIRST.filter((id) => ids.includes(id)), ...ids])];
  return Array.from({ length: players }, (_, seat) =>
    seat === 0 ? null : (others[(seat - 1) % others.length] ?? null),
  );
}
