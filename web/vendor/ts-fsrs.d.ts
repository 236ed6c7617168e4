// The types of what the drill uses of ts-fsrs 5.4.2 (dist/index.mjs).
export interface Card {
  due: Date;
  stability: number;
  difficulty: number;
  elapsed_days: number;
  scheduled_days: number;
  learning_steps: number;
  reps: number;
  lapses: number;
  state: number;
  last_review?: Date;
}
/** A card as JSON keeps it. */
export type KeptCard = Omit<Card, "due" | "last_review"> & { due: string; last_review?: string };
export const Rating: { Again: 1; Hard: 2; Good: 3; Easy: 4 };
export function createEmptyCard(now: Date): Card;
export function fsrs(parameters: { enable_short_term: boolean; enable_fuzz: boolean }): {
  next(card: Card | KeptCard, now: Date, rating: 1 | 2 | 3 | 4): { card: Card };
};
