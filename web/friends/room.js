/** A room on the server: what is asked of it, and what you see of it. */

import { PERSON } from "../parts/players.js";
import { ask, Refused } from "../server/asking.js";
import { state, update } from "../store.js";
import { useEffect, useState } from "../vendor/htm-preact.js";

/** @typedef {import("../match/match.js").Match} Match */
/** @typedef {import("../match/match.js").Goal} Goal */
/**
 * @typedef {object} Sitting
 * @property {string} name  of the person; empty if no person sits there
 * @property {string} player  the id of the program's player, if one sits there
 * @property {boolean} present  whether the person is at the table
 * @property {boolean} away  whether the program plays on for the person
 * @property {boolean} waited  whether the others wait until the person has seen how the round ended
 */
/**
 * @typedef {object} Seen  what one person sees of a room, as `app/server/rooms/seen.py` writes it
 * @property {string} code
 * @property {number} version  grows with each change
 * @property {string} rules
 * @property {number} players
 * @property {Goal} goal
 * @property {Company} company  who takes empty seats
 * @property {number} seat  your own
 * @property {number | null} host
 * @property {Sitting[]} seats
 * @property {number} step  how many actions were taken
 * @property {boolean} over
 * @property {boolean} mayHurry  whether all people are out, so that the rest can be skipped
 * @property {boolean} hurries  whether the program plays on to the end without pauses
 * @property {SeenMatch | null} match
 */
/** @typedef {Pick<Match, "begun" | "points" | "results" | "opener" | "hands" | "history" | "ending">
 *   & {dice: number[], rounds: PlayedRound[]}} SeenMatch  `dice` [seat] how many, also of covered hands
 *   `rounds`: all of them once the match is over, until then none */
/** @typedef {import("../match/match.js").PlayedRound} PlayedRound */
/** @typedef {{kind: string, number?: number, step?: number}} Act */
/** @typedef {"mixed" | "learning"} Company  players of the program with manners of their own, or ones
 *   who learn from round to round how everybody plays */

/** Milliseconds until the server is asked again after it could not be reached. */
const AGAIN = 1500;
/** Milliseconds after which a question counts as lost: the server answers within 20 seconds. */
const LONGEST = 30_000;

/** Ask something of the rooms, as `ask` does.
 * @param {string} path
 * @param {Record<string, unknown>} question
 * @param {AbortSignal} [signal]
 * @returns {Promise<any>} */
export function askRooms(path, question, signal) {
  return ask(`rooms/${path}`, question, signal);
}

/** Remember your seat in a room, null to forget it.
 * @param {string} code
 * @param {string | null} secret
 * @param {string} [name] */
export function keepSeat(code, secret, name = state.friends.name) {
  const seats = { ...state.friends.seats };
  if (secret === null) delete seats[code];
  else seats[code] = secret;
  update({ friends: { name, seats } });
}

/** Follow a room from your seat. What is seen is null until the server has answered.
 * @param {string} code
 * @param {string} secret
 * @returns {{seen: Seen | null, lost: boolean}}  lost: whether the server cannot be reached now */
export function useRoom(code, secret) {
  const [seen, setSeen] = useState(/** @type {Seen | null} */ (null));
  const [lost, setLost] = useState(false);
  useEffect(() => {
    const stop = new AbortController();
    void follow(code, secret, stop.signal, setSeen, setLost);
    return () => stop.abort();
  }, [code, secret]);
  return { seen, lost };
}

/** Ask for each change until `signal` stops it or the seat is gone.
 * @param {string} code
 * @param {string} secret
 * @param {AbortSignal} signal
 * @param {(seen: Seen) => void} see
 * @param {(lost: boolean) => void} lose */
async function follow(code, secret, signal, see, lose) {
  let after = -1;
  while (!signal.aborted) {
    try {
      /** @type {Seen} */
      const seen = await inTime(signal, (own) => askRooms(`${code}/view`, { secret, after }, own));
      if (signal.aborted) return;
      after = seen.version;
      lose(false);
      see(seen);
    } catch (error) {
      if (signal.aborted) return;
      if (error instanceof Refused && error.status === 404) return keepSeat(code, null);
      lose(true);
      await new Promise((done) => setTimeout(done, AGAIN));
    }
  }
}

/** Do something until `signal` stops it, or it takes too long: a phone that was asleep may wait for
 * a connection that is gone.
 * @template T
 * @param {AbortSignal} signal
 * @param {(signal: AbortSignal) => Promise<T>} work
 * @returns {Promise<T>} */
async function inTime(signal, work) {
  const own = new AbortController();
  const stop = () => own.abort();
  const timer = setTimeout(stop, LONGEST);
  signal.addEventListener("abort", stop);
  try {
    return await work(own.signal);
  } finally {
    clearTimeout(timer);
    signal.removeEventListener("abort", stop);
  }
}

/** Return dice that nobody sees.
 * @param {number} [number] */
function covered(number = 0) {
  return Array.from({ length: number }, () => 0);
}

/** Return the match as you see it: you sit in seat 0, and the others follow in turn order.
 * @param {Seen} seen
 * @returns {Match | null} */
export function matchOf({ rules, players, seat: own, seats, goal, match }) {
  if (match === null) return null;
  const turned = (/** @type {number} */ seat) => (seat - own + players) % players;
  /** @template T
   * @param {T[]} all
   * @returns {T[]} */
  const around = (all) => [...all.slice(own), ...all.slice(0, own)];
  return {
    begun: match.begun,
    rules,
    players,
    seats: around(seats.map((one, seat) => (seat === own ? null : one.name ? PERSON + one.name : one.player))),
    goal,
    points: around(match.points),
    results: match.results.map(({ loser, points }) => ({ loser: turned(loser), points })),
    opener: turned(match.opener),
    hands: around(match.hands.map((hand, seat) => (hand.length > 0 ? hand : covered(match.dice[seat])))),
    history: match.history,
    ending: match.ending,
    log: match.rounds.map((one) => ({ ...one, opener: turned(one.opener), hands: around(one.hands) })),
  };
}
