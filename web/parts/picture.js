/** A picture of a match's result, to pass on. */

import { ranking, winners } from "../match/score.js";
import { say } from "../words.js";
import { nameOf } from "./players.js";
import { scoreInWords } from "./score.js";

/** @typedef {import("../match/match.js").Match} Match */

const WIDTH = 1080;
const HEIGHT = 1350;
const SERIF = '"Songti SC", "Noto Serif CJK SC", Georgia, serif';
const SANS = 'system-ui, "PingFang SC", "Noto Sans CJK SC", sans-serif';

/** Share a picture of the match, or save it where pages cannot share.
 * @param {Match} match
 * @param {string} verdict  who has won */
export async function share(match, verdict) {
  const blob = await new Promise((done) => drawn(match, verdict).toBlob(done, "image/png"));
  const file = new File([blob], "zhaifei.png", { type: "image/png" });
  if (navigator.canShare?.({ files: [file] })) {
    await navigator.share({ files: [file], title: verdict }).catch(() => undefined); // closed again
    return;
  }
  const link = document.createElement("a");
  link.href = URL.createObjectURL(file);
  link.download = file.name;
  link.click();
  URL.revokeObjectURL(link.href);
}

/** @param {Match} match
 * @param {string} verdict */
function drawn(match, verdict) {
  const canvas = document.createElement("canvas");
  [canvas.width, canvas.height] = [WIDTH, HEIGHT];
  const pen = /** @type {CanvasRenderingContext2D} */ (canvas.getContext("2d"));
  pen.fillStyle = "#f6efdf";
  pen.fillRect(0, 0, WIDTH, HEIGHT);
  drawDie(pen, WIDTH / 2, 210, 190);
  write(pen, "斋飞", WIDTH / 2, 430, `900 120px ${SERIF}`, "#2a211b");
  write(pen, verdict, WIDTH / 2, 560, `700 64px ${SERIF}`, "#b3301b");
  drawStandings(pen, match);
  write(pen, say("zhaifei, played offline on your phone"), WIDTH / 2, HEIGHT - 60, `36px ${SANS}`, "#62554a");
  return canvas;
}

/** @param {CanvasRenderingContext2D} pen
 * @param {Match} match */
function drawStandings(pen, match) {
  const { points, seats } = match;
  const order = ranking(match);
  const height = Math.min(84, 590 / order.length);
  const best = winners(points);
  order.forEach((seat, place) => {
    const top = 640 + place * height;
    const font = `${best.includes(seat) ? 700 : 400} ${Math.round(height * 0.5)}px ${SANS}`;
    write(pen, nameOf(seats[seat] ?? null), 250, top + height / 2, font, "#2a211b", "left");
    write(pen, scoreInWords(match, seat), WIDTH - 250, top + height / 2, font, "#2a211b", "right");
  });
}

/** @param {CanvasRenderingContext2D} pen
 * @param {string} text
 * @param {number} x
 * @param {number} y
 * @param {string} font
 * @param {string} colour
 * @param {CanvasTextAlign} [align] */
function write(pen, text, x, y, font, colour, align = "center") {
  [pen.font, pen.fillStyle, pen.textAlign, pen.textBaseline] = [font, colour, align, "middle"];
  pen.fillText(text, x, y, WIDTH - 120);
}

/** @param {CanvasRenderingContext2D} pen
 * @param {number} x
 * @param {number} y
 * @param {number} size */
function drawDie(pen, x, y, size) {
  pen.fillStyle = "#fffdf7";
  pen.strokeStyle = "#cdbf9f";
  pen.lineWidth = 10;
  pen.beginPath();
  pen.roundRect(x - size / 2, y - size / 2, size, size, size / 4);
  pen.fill();
  pen.stroke();
  pen.fillStyle = "#c22f1b";
  pen.beginPath();
  pen.arc(x, y, size / 6, 0, 2 * Math.PI);
  pen.fill();
}
