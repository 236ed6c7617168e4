/** A record as a file that `zhaifei review` and `zhaifei watch` read: `policies/play/record_lines.py`. */

import { endedOf, isEnding, play, sayAction, settle } from "../game/round.js";
import { LEARNS, PERSON } from "../parts/players.js";
import { roundOf } from "./match.js";
import { isWhole } from "./table.js";

/** @typedef {import("../game/rules.js").Rules} Rules */
/** @typedef {import("../game/round.js").Round} Round */
/** @typedef {import("./match.js").PlayedRound} PlayedRound */
/** @typedef {import("./table.js").TableRound} TableRound */

/** What records call the person who played, and those of whom no name is known. */
const YOU = "you";
const UNNAMED = "?";
/** What records call letting a bid stand. */
const PASS = "pass";
/** What records call the modes. */
const SIGNS = { fei: "飞", zhai: "斋" };

/** Return the record of a match. Where dice are lost, they are its points.
 * @param {Rules} rules
 * @param {(string | null)[]} seats  as a match has them
 * @param {PlayedRound[]} log */
export function matchText(rules, seats, log) {
  const names = seats.map((id) => (id === null ? YOU : nameInRecord(rules, id)));
  const rounds = log.map((one) => ({ ...one, loser: settle(roundOf(rules, one), one.hands).loser }));
  return text(rules, names, seats.indexOf(null), rounds);
}

/** Return the record of a table with real dice. Dice that nobody saw are left out.
 * @param {Rules} rules
 * @param {TableRound[]} rounds */
export function tableText(rules, rounds) {
  const names = Array.from({ length: rules.players }, (_, seat) => (seat === 0 ? YOU : UNNAMED));
  return text(rules, names, 0, rounds);
}

/** @param {Rules} rules
 * @param {string} id */
function nameInRecord(rules, id) {
  if (id.startsWith(PERSON)) return id.slice(PERSON.length);
  if (id.endsWith(LEARNS)) return `${policyOf(rules) ?? id.slice(0, -LEARNS.length)}${LEARNS}`;
  return id === "policy" ? (policyOf(rules) ?? "reader") : id;
}

/** Return the name of the policy, null if there is none.
 * @param {Rules} rules */
function policyOf({ policy }) {
  return policy?.replace(/\.\w+$/, "") ?? null;
}

/** @param {Rules} rules
 * @param {string[]} seats
 * @param {number} you
 * @param {TableRound[]} rounds */
function text(rules, seats, you, rounds) {
  const header = { ...rules.recorded, seats, you: you + 1, policy: policyOf(rules) };
  const lines = rounds.flatMap((round, place) => linesOf(rules, round, place + 1));
  return [header, ...lines].map((line) => `${JSON.stringify(line)}\n`).join("");
}

/** @param {Rules} rules
 * @param {TableRound} played
 * @param {number} number */
function linesOf(rules, { opener, hands, history, ending, loser }, number) {
  const dice = hands.map((hand) => (rules.match || isWhole(rules, hand) ? hand.join("") : null));
  let round = roundOf(rules, { opener, hands, history: [], ending: null });
  const actions = [];
  for (const action of ending === null ? history : [...history, ending]) {
    for (const said of inRecord(round, action)) actions.push({ seat: round.turn + 1, action: said });
    round = play(round, action);
  }
  const ended = ending === null || loser === null ? [] : [{ loser: loser + 1, points: endedOf(round).points }];
  return [{ round: number, starter: opener + 1, ...leftOf(rules, hands), dice }, ...actions, ...ended];
}

/** Return how many dice are left, where some are lost.
 * @param {Rules} rules
 * @param {number[][]} hands */
function leftOf(rules, hands) {
  const left = hands.map(({ length }) => length);
  return rules.match && left.some((dice) => dice < rules.dice) ? { left } : {};
}

/** Return an action as records have it. Between two, who bids where all are asked has let the last bid
 * stand.
 * @param {Round} round
 * @param {number} action */
function inRecord({ rules, seats, history }, action) {
  const passes = rules.match?.asks && seats.length === 2 && history.length > 0 && !isEnding(rules, action);
  return [...(passes ? [PASS] : []), saidInRecord(rules, action)];
}

/** @param {Rules} rules
 * @param {number} action */
function saidInRecord(rules, action) {
  const { kind, bid, distance } = sayAction(rules, action);
  if (kind === "bid" && bid) return `${SIGNS[bid.mode]}${bid.count}×${bid.face}`;
  if (kind === "double") return `${"反".repeat(Math.floor(action / rules.tables.plain) - 1)}劈`;
  if (kind === "give-up") return "give up";
  if (kind === "decline") return PASS;
  return distance === 1 ? "challenge" : `challenge ${distance}`;
}
