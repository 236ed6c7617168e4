/** The screen stays on while a table is played at: nobody unlocks a phone for each bid. */

import { useEffect } from "../vendor/htm-preact.js";

/** Keep the screen on while a part of the page is shown. A browser gives that up whenever the page is
 * hidden, and some never grant it. */
export function useAwake() {
  useEffect(() => {
    /** @type {WakeLockSentinel | null} */
    let held = null;
    let wanted = true;
    const release = () => void held?.release().catch(() => {});
    const ask = async () => {
      if (document.hidden || !navigator.wakeLock) return;
      try {
        held = await navigator.wakeLock.request("screen");
        if (!wanted) release();
      } catch {
        // The browser saves its battery: the screen goes off as usual.
      }
    };
    void ask();
    document.addEventListener("visibilitychange", ask);
    return () => {
      wanted = false;
      document.removeEventListener("visibilitychange", ask);
      release();
    };
  }, []);
}
