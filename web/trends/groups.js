/** Decisions in groups, and how the policy plays them. */

/** @typedef {import("./decisions.js").Kept} Kept */
/** @typedef {import("../match/match.js").Played} Played */

/** A decision and its match.
 * @typedef {Kept & {match: Played}} Judged */
/** How many decisions the policy makes often, sometimes and never.
 * @typedef {{often: number, sometimes: number, never: number}} Counts */
/** @typedef {{name: string, counts: Counts, decisions: Judged[]}} Group */
/** @typedef {"kind" | "mode" | "seat" | "players"} Division */

/** The group of a decision in each division.
 * @type {Record<Division, (one: Judged) => string>} */
const GROUPS = {
  kind: ({ kind }) => kind,
  mode: ({ bid }) => bid.mode,
  seat: ({ place }) => /** @type {string} */ (["opens", "next"][place] ?? "later"),
  players: ({ match }) => String(match.seats.length),
};
/** @type {Record<Division, string[]>} */
const ORDER = {
  kind: ["opening", "later", "challenge"],
  mode: ["fei", "zhai"],
  seat: ["opens", "next", "later"],
  players: ["2", "3", "4", "5", "6", "7", "8"],
};
export const DIVISIONS = /** @type {Division[]} */ (Object.keys(ORDER));

/** A group stands out if it differs from the rest by more standard errors than this: among a dozen
 * groups one in ten pages would otherwise name a group by chance. */
const ERRORS = 2.6;

/** Return the decisions of matches, the newest match first.
 * @param {readonly Played[]} records
 * @param {Record<string, Kept[]>} grades  by when the match began
 * @returns {Judged[]} */
export function judged(records, grades) {
  return records.flatMap((match) => (grades[match.begun] ?? []).map((one) => ({ ...one, match })));
}

/** Return the decisions on the policy's lines: elsewhere its advice is only estimated.
 * @param {readonly Judged[]} decisions
 * @returns {Judged[]} */
export function onLines(decisions) {
  return decisions.filter(({ grade }) => grade !== "advised" && grade !== "other");
}

/** Return the groups of a division in which there are decisions.
 * @param {Division} division
 * @param {readonly Judged[]} decisions
 * @returns {Group[]} */
export function groupsOf(division, decisions) {
  return ORDER[division].flatMap((name) => {
    const own = decisions.filter((one) => GROUPS[division](one) === name);
    return own.length === 0 ? [] : [{ name, counts: countsOf(own), decisions: own }];
  });
}

/** @param {readonly Pick<Judged, "grade">[]} decisions
 * @returns {Counts} */
export function countsOf(decisions) {
  const number = (/** @type {Kept["grade"]} */ wanted) => decisions.filter(({ grade }) => grade === wanted).length;
  return { often: number("often"), sometimes: number("sometimes"), never: number("never") };
}

/** Return how many decisions were counted.
 * @param {Counts} counts */
export function sumOf({ often, sometimes, never }) {
  return often + sometimes + never;
}

/** Return the group in which the policy never makes more of your decisions than elsewhere, and more so
 * than chance would have it; null if no group stands out.
 * @param {readonly Judged[]} decisions
 * @returns {{division: Division, group: Group} | null} */
export function standingOut(decisions) {
  const all = countsOf(decisions);
  const found = DIVISIONS.flatMap((division) =>
    groupsOf(division, decisions).map((group) => ({ division, group, errors: errorsOf(group.counts, all) })),
  );
  const [worst] = found.sort((one, other) => other.errors - one.errors);
  return worst && worst.errors > ERRORS ? worst : null;
}

/** Return by how many standard errors the share of mistakes in a group exceeds that of the others.
 * @param {Counts} group
 * @param {Counts} all */
function errorsOf(group, all) {
  const [own, whole] = [sumOf(group), sumOf(all)];
  const rest = whole - own;
  const share = all.never / whole;
  const error = Math.sqrt(share * (1 - share) * (1 / own + 1 / rest));
  return error > 0 && rest > 0 ? (group.never / own - (all.never - group.never) / rest) / error : 0;
}
