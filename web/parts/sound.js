/** Short sounds made of noise and tones, and the vibration of a phone. */

import { state } from "../store.js";

/** @type {AudioContext | null} */
let context = null;

/** Browsers keep a page still until somebody has touched it. */
function touched() {
  return navigator.userActivation?.hasBeenActive ?? true;
}

/** Return the speaker, or null if sound is off or there is none. */
function speaker() {
  if (!state.settings.sound || !touched() || !("AudioContext" in window)) return null;
  context ??= new AudioContext();
  if (context.state === "suspended") void context.resume();
  return context;
}

/** A knock: a burst of noise that fades.
 * @param {AudioContext} audio
 * @param {number} at  seconds from now
 * @param {number} pitch  Hz
 * @param {number} loudness  0 to 1 */
function knock(audio, at, pitch, loudness) {
  const length = Math.round(audio.sampleRate * 0.04);
  const buffer = audio.createBuffer(1, length, audio.sampleRate);
  const samples = buffer.getChannelData(0);
  for (let place = 0; place < length; place++) {
    samples[place] = (Math.random() * 2 - 1) * (1 - place / length) ** 3 * loudness;
  }
  const filter = audio.createBiquadFilter();
  filter.type = "bandpass";
  filter.frequency.value = pitch;
  filter.Q.value = 2;
  const source = audio.createBufferSource();
  source.buffer = buffer;
  source.connect(filter).connect(audio.destination);
  source.start(audio.currentTime + at);
}

/** @param {number[]} pattern  milliseconds on, off, on ... */
function vibrate(pattern) {
  if (state.settings.vibration && touched() && "vibrate" in navigator) navigator.vibrate(pattern);
}

/** A bid was put on the table. */
export function click() {
  const audio = speaker();
  if (audio) knock(audio, 0, 1400, 0.5);
  vibrate([8]);
}

/** Dice in a cup. */
export function rattle() {
  const audio = speaker();
  for (let shake = 0; audio && shake < 14; shake++) {
    knock(audio, shake * 0.045 + Math.random() * 0.02, 1800 + Math.random() * 2200, 0.4);
  }
  vibrate([20, 30, 20, 30, 20]);
}

/** A die was uncovered.
 * @param {boolean} counts */
export function uncover(counts) {
  const audio = speaker();
  if (audio) knock(audio, 0, counts ? 2600 : 900, counts ? 0.6 : 0.25);
  if (counts) vibrate([12]);
}

/** A cup was slammed: somebody challenged. */
export function slam() {
  const audio = speaker();
  if (audio) knock(audio, 0, 220, 1);
  vibrate([40]);
}
