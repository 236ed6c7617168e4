/** Passing on a link. */

/** Pass on a link by what the device offers, or copy it. Return whether it was copied.
 * @param {string} title
 * @param {string} url
 * @returns {Promise<boolean>} */
export async function passOn(title, url) {
  if (navigator.share) {
    await navigator.share({ title, url }).catch(() => undefined); // closed again
    return false;
  }
  return copyText(url);
}

/** Copy a text. Return whether it was copied: a page that is served without encryption has no clipboard.
 * @param {string} text
 * @returns {Promise<boolean>} */
export async function copyText(text) {
  return navigator.clipboard ? navigator.clipboard.writeText(text).then(() => true, () => false) : false;
}
